"""Parts without a shared folder: each has a scratch folder of its own, sends its shards to an S3
server, and leaves a receipt. The merge sees receipts alone."""

import json
import shlex
import subprocess
import time
from contextlib import contextmanager

from mini_slurm import free_ports, until

PARTS = 4
BUCKET, PREFIX = "scale", "train"


@contextmanager
def s3_server(world, python):
    """moto's server, with an empty bucket; yields its address."""
    endpoint = f"http://127.0.0.1:{free_ports(1)[0]}"
    port = endpoint.rpartition(":")[2]
    program = [python, "-m", "moto.server", "-H", "127.0.0.1", "-p", port]
    server = world.start(*program, log=world.folder / "s3.log")
    try:
        make = [python, world.scripts / "get_shards.py", endpoint, BUCKET]
        until(lambda: world.run(*make).code == 0, "the S3 server answers", 60)
        yield endpoint
    finally:
        server.kill()
        server.wait()


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def run(world, quick, python):
    with s3_server(world, python) as endpoint:
        receipts = pack_parts(world, python, endpoint)
        merge_receipts(world, receipts)
        load_all(world, python, endpoint)


def pack_parts(world, python, endpoint):
    """The folders of the receipts."""
    checks, began, running = world.checks, time.monotonic(), []
    put = [python, world.scripts / "put_shard.py", endpoint, BUCKET, PREFIX]
    on_shard = shlex.join(map(str, put)) + " {}"
    nodes = [world.folder / f"node-{part}" for part in range(PARTS)]
    for part, node in enumerate(nodes):
        node.mkdir()
        words = world.pack("--partition", f"{part}/{PARTS}", "--scratch", node / "scratch")
        words += ["--on-shard", on_shard, "--receipt", node / "receipts"]
        running.append(world.start(*words, log=node / "log"))
    codes = [process.wait() for process in running]
    logs = "".join((node / "log").read_text(errors="replace") for node in nodes)
    checks.check(
        codes == [0] * PARTS, "4 parts with a scratch folder each: exit 0", f"{codes}\n{logs}"
    )
    checks.figure("parts, uploads included", f"{PARTS}, {time.monotonic() - began:.0f} s")
    left = [name for node in nodes for name in files_below(node / "scratch") if "shard-" in name]
    checks.equal(left, [], "no shard stays in a scratch folder")
    return [node / "receipts" for node in nodes]


def merge_receipts(world, receipts):
    checks, out = world.checks, world.folder / "merged"
    done = merge(world, receipts, out)
    if not checks.check(done.code == 0, "merge of the receipts", done):
        return
    checks.equal(files_below(out), ["dataset.json"], "it writes dataset.json alone")
    same = (out / "dataset.json").read_bytes() == (world.alone / "dataset.json").read_bytes()
    checks.check(same, "dataset.json is that of the single run")
    count = sum(file.stat().st_size for folder in receipts for file in folder.glob("*.json"))
    shards = len(json.loads((world.alone / "dataset.json").read_text())["shards"])
    checks.figure("receipts", f"{count / shards:.0f} bytes a shard, merged in {done.seconds:.2f} s")
    three = merge(world, receipts[1:], world.folder / "no")
    checks.equal(three.code, 1, "a receipt that is missing is refused with 1")


def merge(world, receipts, out):
    words = [word for folder in receipts for word in ("--receipts", folder)]
    return world.run(world.hotpack, "merge", *words, "-o", out, "--accept-skips", "1")


def load_all(world, python, endpoint):
    """What a training machine gets from the bucket is the pack."""
    loaded = world.folder / "merged"
    loaded.mkdir(exist_ok=True)
    words = [python, world.scripts / "get_shards.py", endpoint, BUCKET, PREFIX, loaded]
    subprocess.run(list(map(str, words)), check=True)
    world.compare(loaded, "shards of the bucket and the manifest")
