"""The files of scripts/examples/cluster, each as its scheduler runs it, or as a stand-in does where
the scheduler is not installed. Every way must end with the bytes of a single run.

scripts/test-python runs all of them with stand-ins, and reads the YAML files with PyYAML; without
--bare also Snakemake, Dask, Ray and the schemas of Kubernetes themselves.
"""

import ast
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest
from conftest import HERE, ROOT, framework

import hotpack

EXAMPLES = ROOT / "scripts" / "examples" / "cluster"
STREET = ROOT / "sample_data" / "street"
PARTS = 3
OPTIONS = ("--size", "64x48", "--shard-samples", "4")  # 24 samples in 6 shards


def files_of(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The files of a single run."""
    if not os.environ.get("HOTPACK"):
        pytest.skip("HOTPACK is not set")
    folder = tmp_path_factory.mktemp("alone") / "train"
    words = [os.environ["HOTPACK"], "pack", *data(STREET), "-qq", "-o", folder]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return files_of(folder)


def data(root):
    inputs = ("--images", root / "images", "--labels", root / "masks_color")
    return [*map(str, inputs), "--classes", str(root / "class_dict.csv"), *OPTIONS]


@pytest.fixture
def here(tmp_path, command, monkeypatch):
    """An empty folder in which `hotpack` is the command of this build."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "hotpack").symlink_to(Path(command).resolve())
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOTPACK_COMMAND", command)
    for name in [name for name in os.environ if name.startswith(("SLURM_", "SBATCH_"))]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("HOTPACK_PARTITIONS", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell(text, folder, good=True, **variables):
    """Runs text as a shell does, and returns what it printed."""
    done = subprocess.run(
        ["bash", "-c", text],
        cwd=folder,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert (done.returncode == 0) == good, (done.returncode, text, done.stdout)
    return done.stdout


def make_plan(here):
    shell(shlex.join(["hotpack", "plan", *data(STREET), "-o", "train.plan"]), here)
    return here / "train.plan"


def test_every_file_is_in_the_list():
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    found = {p.relative_to(EXAMPLES).as_posix() for p in EXAMPLES.rglob("*") if p.is_file()}
    assert found - {"README.md"} == {
        name for name in re.findall(r"\]\((\w[\w/.]+)\)", page) if (EXAMPLES / name).is_file()
    }
    for path in [EXAMPLES / name for name in found if not name.endswith(".md")]:
        assert max(map(len, path.read_text(encoding="utf-8").splitlines())) <= 140, path


# ---- Slurm


@pytest.fixture
def slurm(here, monkeypatch):
    """A copy of the scripts, and a stand-in of sbatch; returns what runs submit.sh, and then tells
    the states of the jobs."""
    scripts = here / "slurm"
    shutil.copytree(EXAMPLES / "slurm", scripts)
    sbatch = here / "bin" / "sbatch"
    sbatch.write_text(f'#!/bin/bash\nexec {sys.executable} {HERE / "fake_sbatch.py"} "$@"\n')
    sbatch.chmod(0o755)
    monkeypatch.setenv("FAKE_SLURM", str(here / "jobs.json"))

    def submit(*words, **variables):
        (here / "jobs.json").unlink(missing_ok=True)
        given = {"DATA": shlex.join(data(STREET)), "WAIT": "0", **variables}
        if not words:  # a list of parts finds their number in logs/partitions
            given["HOTPACK_PARTITIONS"] = str(PARTS)
        shell(shlex.join(["./submit.sh", *words]), scripts, **given)
        return json.loads((here / "jobs.json").read_text())

    submit.folder = scripts
    return submit


@pytest.mark.parametrize("script", sorted(path.name for path in (EXAMPLES / "slurm").glob("*.sh")))
def test_slurm_scripts_are_bash(script):
    assert subprocess.run(["bash", "-n", EXAMPLES / "slurm" / script]).returncode == 0
    assert os.access(EXAMPLES / "slurm" / script, os.X_OK)


def test_slurm_plans_packs_and_merges(slurm, alone):
    assert slurm() == ["good", "good", "good", "never"]
    assert files_of(slurm.folder / "packed" / "train") == alone


def test_slurm_runs_failed_parts_again_by_the_list_that_it_prints(slurm, alone):
    assert slurm(FAKE_FAILURE="1") == ["good", "bad", "never", "good"]
    missing = (slurm.folder / "logs" / "missing").read_text()
    listed = re.search(r"--array=([\d,-]+)", missing)
    assert listed and listed[1] == "1", missing
    assert slurm(listed[1]) == ["good", "good", "never"]
    assert files_of(slurm.folder / "packed" / "train") == alone


def test_slurm_refuses_a_list_of_parts_of_another_number(slurm):
    slurm()
    with pytest.raises(AssertionError, match="parts, not"):
        slurm("1", HOTPACK_PARTITIONS=str(PARTS + 1))


# ---- Kubernetes

ONLY = {  # the members that are allowed, by place; a list stands for each of its entries
    "": {"apiVersion", "kind", "metadata", "spec"},
    "spec": {
        "completions",
        "parallelism",
        "completionMode",
        "backoffLimit",
        "backoffLimitPerIndex",
        "podFailurePolicy",
        "template",
    },
    "spec.podFailurePolicy": {"rules"},
    "spec.podFailurePolicy.rules": {"action", "onPodConditions", "onExitCodes"},
    "spec.podFailurePolicy.rules.onPodConditions": {"type", "status"},
    "spec.podFailurePolicy.rules.onExitCodes": {"containerName", "operator", "values"},
    "spec.template": {"spec"},
    "spec.template.spec": {"restartPolicy", "containers", "volumes"},
    "spec.template.spec.containers": {
        "name",
        "image",
        "env",
        "command",
        "args",
        "resources",
        "volumeMounts",
    },
    "spec.template.spec.containers.env": {"name", "value"},
    "spec.template.spec.containers.volumeMounts": {"name", "mountPath", "readOnly"},
    "spec.template.spec.volumes": {"name", "persistentVolumeClaim"},
    "spec.template.spec.volumes.persistentVolumeClaim": {"claimName", "readOnly"},
}


def yaml_of(name):
    yaml = pytest.importorskip("yaml")
    return list(yaml.safe_load_all((EXAMPLES / "kubernetes" / name).read_text(encoding="utf-8")))


def job(name):
    (found,) = yaml_of(f"{name}.yaml")
    return found


def check_members(value, place=""):
    if isinstance(value, list):
        for each in value:
            check_members(each, place)
    elif isinstance(value, dict) and place in ONLY:
        assert set(value) <= ONLY[place], (place, set(value) - ONLY[place])
        for name, each in value.items():
            check_members(each, f"{place}.{name}".lstrip("."))


@pytest.mark.parametrize("name", ["plan", "pack", "merge"])
def test_kubernetes_jobs_are_complete(name):
    found = job(name)
    assert (found["apiVersion"], found["kind"]) == ("batch/v1", "Job")
    check_members(found)
    pod = found["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["restartPolicy"] == "Never"  # podFailurePolicy asks for it
    assert all(isinstance(word, str) for word in container["command"] + container["args"])
    assert all(isinstance(each["value"], str) for each in container.get("env", []))
    assert {each["name"] for each in container["volumeMounts"]} == {
        v["name"] for v in pod["volumes"]
    }
    claims = {each["metadata"]["name"] for each in yaml_of("volumes.yaml")}
    assert {v["persistentVolumeClaim"]["claimName"] for v in pod["volumes"]} <= claims


@pytest.mark.parametrize(
    "name, action", [("plan", "FailJob"), ("pack", "FailIndex"), ("merge", "FailJob")]
)
def test_kubernetes_retries_what_another_try_can_help(name, action):
    ignore, fail = job(name)["spec"]["podFailurePolicy"]["rules"]
    assert ignore == {
        "action": "Ignore",
        "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
    }
    assert fail["action"] == action
    assert fail["onExitCodes"] == {
        "containerName": "hotpack",
        "operator": "In",
        "values": [1, 2, 4],
    }


def test_kubernetes_counts_its_parts_once():
    spec, variables = job("pack")["spec"], {}
    assert spec["completionMode"] == "Indexed" and spec["backoffLimitPerIndex"] > 0
    for name in ("pack", "merge"):
        env = job(name)["spec"]["template"]["spec"]["containers"][0]["env"]
        variables[name] = {each["name"]: each["value"] for each in env}
    assert (
        variables["pack"] == variables["merge"] == {"HOTPACK_PARTITIONS": str(spec["completions"])}
    )


@pytest.mark.parametrize("name", ["volumes", "plan", "pack", "merge"])
@pytest.mark.parametrize("version", ["1.30", "1.33"])
def test_kubernetes_accepts_its_schema(name, version):
    validate = framework("kubernetes_validate")
    for found in yaml_of(f"{name}.yaml"):
        validate.validate(found, version, strict=True)


def test_kubernetes_pods_pack(here, alone):
    """The commands of the pods, with folders of this test where volumes are mounted."""
    (here / "images").symlink_to(STREET)
    (here / "packs").mkdir()

    def pod(name, *more, **variables):
        (container,) = job(name)["spec"]["template"]["spec"]["containers"]
        words = [
            re.sub(r"(?<![^=])/(images|packs)", rf"{here}/\1", word) for word in container["args"]
        ]
        words = [
            w.replace("/images/train", "/images/images").replace(
                "/images/masks", "/images/masks_color"
            )
            for w in words
        ]
        words = [
            w for w in words if not (more and w.startswith("--size")) and not w.startswith("--wait")
        ]
        shell(shlex.join([*container["command"], *words, *more]), here, **variables)

    pod("plan", *OPTIONS)
    for part in range(PARTS):
        pod("pack", HOTPACK_PARTITIONS=str(PARTS), JOB_COMPLETION_INDEX=str(part))
    pod("merge", HOTPACK_PARTITIONS=str(PARTS))
    assert files_of(here / "packs" / "train") == alone


def test_the_image_has_the_libraries_of_the_command(command):
    """Those of Debian 12, where this test runs on it."""
    text = re.sub(r"\\\n", " ", (EXAMPLES / "Containerfile").read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert {line.split()[0] for line in lines} <= {"FROM", "RUN", "COPY", "USER"}
    stages = re.findall(r"^FROM (\S+) AS (\w+)$", text, re.MULTILINE)
    assert [name for _, name in stages] == ["build", "python", "command"]  # the last is the default
    packages = set(re.search(r"--no-install-recommends\s+(.*?)&&", text)[1].split())
    if "VERSION_CODENAME=bookworm" not in Path("/etc/os-release").read_text() or not shutil.which(
        "dpkg-query"
    ):
        pytest.skip("this is not Debian 12")
    linked = subprocess.run(["readelf", "-d", command], capture_output=True, text=True).stdout
    names = set(re.findall(r"NEEDED.*\[(.*?)\]", linked))
    always = {"libc6", "libstdc++6", "libgcc-s1"}
    assert {name for name in names if not owners_of(name) & (packages | always)} == set()


def owners_of(library):
    """The packages that have a file of this name."""
    words = ["dpkg-query", "--search", f"*/{library}"]
    lines = subprocess.run(words, capture_output=True, text=True).stdout.splitlines()
    return {line.split(":")[0] for line in lines}


# ---- Snakemake and Nextflow


def blocks_of(text, pattern):
    return {name: text[text.index(name) :] for name in re.findall(pattern, text, re.MULTILINE)}


def test_snakefile_packs(here, alone):
    """With Snakemake, or its commands without it."""
    text = (EXAMPLES / "Snakefile").read_text(encoding="utf-8")
    assert "directory(" not in re.sub(r"#.*", "", text)
    if importlib.util.find_spec("snakemake"):
        config = [
            "--config",
            f"data={shlex.join(data(STREET))}",
            f"parts={PARTS}",
            "out=packed/train",
        ]
        words = [
            sys.executable,
            "-m",
            "snakemake",
            "--snakefile",
            EXAMPLES / "Snakefile",
            "--cores",
            "2",
        ]
        shell(shlex.join(map(str, [*words, *config])), here)
    else:
        commands = re.findall(r'shell:\s+"(.*)"', text)
        values = {
            "DATA": shlex.join(data(STREET)),
            "OUT": "packed/train",
            "PARTS": PARTS,
            "threads": 2,
        }
        plan, pack, merge = commands
        (here / "packed").mkdir()
        shell(plan.format(**values, output="packed/train.plan"), here)
        for part in range(PARTS):
            wildcards = types.SimpleNamespace(part=part)
            shell(pack.format(**values, input="packed/train.plan", wildcards=wildcards), here)
        shell(merge.format(**values), here)
    assert files_of(here / "packed" / "train") == alone


def test_nextflow_processes_pack(here, alone):
    """Each script in a folder of its own, with the files that its inputs name."""
    text = (EXAMPLES / "main.nf").read_text(encoding="utf-8")
    scripts = dict(re.findall(r'^process (\w+) \{.*?"""\n(.*?)"""', text, re.MULTILINE | re.DOTALL))
    assert list(scripts) == ["PLAN", "PACK", "MERGE"]
    assert "MERGE(PACK(parts).collect())" in text
    values = {
        "params.data": shlex.join(data(STREET)),
        "params.output": str(here / "packed" / "train"),
    }
    values.update({"params.parts": PARTS, "task.cpus": 2, "plan": "train.plan"})

    def task(name, folder, files=(), **more):
        (here / folder).mkdir()
        for path in files:
            (here / folder / path.name).symlink_to(path)
        script = re.sub(
            r"\$\{(.*?)\}", lambda found: str({**values, **more}[found[1]]), scripts[name]
        )
        shell("set -eu\n" + script, here / folder)
        return here / folder

    plan = task("PLAN", "plan") / "train.plan"
    done = [task("PACK", f"pack-{part}", [plan], part=part) for part in range(PARTS)]
    task("MERGE", "merge", [path for folder in done for path in folder.glob("receipts/*.json")])
    assert files_of(here / "packed" / "train") == alone


# ---- Python


def load(name):
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_python_examples_compile_and_explain_themselves(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert len(ast.get_docstring(tree).splitlines()) > 2


def stand_in(monkeypatch, name, **members):
    """A module in place of one that is not installed."""
    for number in range(1, name.count(".") + 1):
        parent = ".".join(name.split(".")[:number])
        if parent not in sys.modules:
            monkeypatch.setitem(sys.modules, parent, types.ModuleType(parent))
    module = types.ModuleType(name)
    vars(module).update(members)
    monkeypatch.setitem(sys.modules, name, module)


class Call:
    """A task of Airflow: it waits for those before it."""

    log = []

    def __init__(self, run):
        self.run = run

    def __rshift__(self, other):
        return Chain([self, other])


class Chain:
    def __init__(self, calls):
        self.calls = calls
        Call.log[:] = calls

    def __rshift__(self, other):
        return Chain([*self.calls, other])


def fake_task(function=None, **options):
    if function is None:
        return lambda given: fake_task(given, **options)

    def call(*arguments):
        return Call(lambda: function(*arguments))

    call.expand = lambda part: Call(lambda: [function(number) for number in reversed(part)])
    call.options = options
    return call


def test_airflow_tasks_pack(here, alone, monkeypatch):
    class AirflowFailException(Exception):
        pass

    stand_in(
        monkeypatch,
        "airflow.decorators",
        dag=lambda **options: lambda function: function,
        task=fake_task,
    )
    stand_in(monkeypatch, "airflow.exceptions", AirflowFailException=AirflowFailException)
    real_plan = hotpack.plan
    monkeypatch.setattr(hotpack, "plan", lambda **options: real_plan(**{**options, **small()}))
    module = load("airflow_pack")
    (here / "train").symlink_to(STREET / "images")
    (here / "masks").symlink_to(STREET / "masks_color")
    (here / "class_dict.csv").symlink_to(STREET / "class_dict.csv")
    places = {
        "DATA": here,
        "PLAN": here / "train.plan",
        "OUTPUT": here / "packed" / "train",
        "RECEIPTS": here / "receipts",
    }
    for name, value in {**places, "PARTS": PARTS}.items():
        monkeypatch.setattr(module, name, str(value) if isinstance(value, Path) else value)
    module.pack_train()
    plan, pack, merge = Call.log
    with pytest.raises(hotpack.Error):
        pack.run()  # without a plan Airflow tries again
    plan.run()
    pack.run()
    merge.run()
    assert files_of(here / "packed" / "train") == alone
    (here / "train.plan").write_bytes(b"damaged")
    with pytest.raises(AirflowFailException):
        pack.run()


def small():
    return {"size": (64, 48), "shard_samples": 4}


class LocalClient:
    """A Dask cluster that runs each task at once."""

    def __init__(self, scheduler):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def map(self, function, numbers, /, *, retries, **options):
        return [function(number, **options) for number in reversed(numbers)]

    def gather(self, tasks):
        return tasks


def test_dask_packs(here, alone, monkeypatch, capsys):
    if not importlib.util.find_spec("distributed"):
        stand_in(monkeypatch, "dask.distributed", Client=LocalClient)
    module = load("dask_pack")
    plan = make_plan(here)
    module.main(plan, here / "packed", str(PARTS))
    assert files_of(here / "packed") == alone
    plan.write_bytes(b"damaged")
    with pytest.raises(hotpack.Error, match="train.plan"):
        module.main(plan, here / "other", str(PARTS))


class LocalSpark:
    """A Spark session that runs each partition at once."""

    def __init__(self):
        self.builder = self.sparkContext = self

    def appName(self, name):
        return self

    def getOrCreate(self):
        return self

    def parallelize(self, items, slices):
        self.items = [[item] for item in items]
        assert len(self.items) == slices
        return self

    def mapPartitions(self, function):
        self.found = [found for items in self.items for found in function(iter(items))]
        return self

    def collect(self):
        return self.found

    def stop(self):
        pass


def test_spark_packs(here, alone, monkeypatch, capsys):
    stand_in(monkeypatch, "pyspark.sql", SparkSession=LocalSpark())
    module = load("spark_pack")
    plan = make_plan(here)
    module.main(plan, here / "packed", str(PARTS))
    assert files_of(here / "packed") == alone
    plan.write_bytes(b"damaged")
    with pytest.raises(hotpack.Error, match="train.plan"):
        module.main(plan, here / "other", str(PARTS))


def test_ray_packs(here, alone):
    framework("ray")
    program = EXAMPLES / "ray_pack.py"
    (here / "CamVid").mkdir()
    for name, source in (("train", "images"), ("train_labels", "masks_color")):
        (here / "CamVid" / name).symlink_to(STREET / source)
    shutil.copy(STREET / "class_dict.csv", here / "CamVid")
    shell(
        shlex.join([sys.executable, str(program), "CamVid", "packed"]),
        here,
        PYTHONPATH=os.pathsep.join(sys.path),
    )
    assert len(hotpack.open(here / "packed" / "train")) == 24
