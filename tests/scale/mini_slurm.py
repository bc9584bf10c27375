"""A real Slurm on this host: slurmctld, some slurmd and munge, all in one folder. Needs root,
but no systemd.

    with Slurm(folder, nodes=4) as slurm:
        job = slurm.submit("pack.sh", array="0-9")
        slurm.wait(job)

Its programs listen on 127.0.0.1 alone, and end with the block. `scripts/setup --cluster` installs
them.
"""

import os
import random
import re
import secrets
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
OVER = {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "TIMEOUT"}
LOWEST_PORT = 1024  # lower ones need root
EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")  # ports of connections, first and last
SECONDS_TO_DIE = 10  # until a process that was killed is gone
CONFIGURATION = """\
ClusterName=scale
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=2,kill_invalid_depend
SlurmdParameters=config_overrides
SlurmdTimeout=60
ReturnToService=2
KillWait=2
MinJobAge=3600
MaxArraySize=1001
PropagateResourceLimits=NONE
{nodes}
PartitionName=all Nodes=n[0-{last}] Default=YES MaxTime=INFINITE State=UP
"""
NODE = "NodeName=n{number} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus}"


class SlurmError(Exception):
    """A program of Slurm failed, or something did not happen in time."""


def missing_programs():
    return [name for name in PROGRAMS if shutil.which(name) is None]


def free_ports(count):
    """Ports that nobody uses now.

    They lie below those that the system gives to connections, which could take one before the
    program that it is for does. They start at random: others may look for ports, too.
    """
    first = int(EPHEMERAL.read_text().split()[0])
    ports = list(range(LOWEST_PORT, first if first >= LOWEST_PORT + count else 65536))
    start = random.randrange(len(ports))
    found = []
    for port in ports[start:] + ports[:start]:
        if is_free(port):
            found.append(port)
        if len(found) == count:
            return found
    raise SlurmError(f"no {count} ports are free")


def is_free(port):
    with socket.socket() as each:
        try:
            each.bind(("", port))
        except OSError:
            return False
    return True


def processes():
    """(process, its parent, its command line as bytes) of all that run."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                status = (entry / "stat").read_text(errors="replace")
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ")
            except OSError:
                continue  # it has ended
            yield int(entry.name), int(status.rpartition(")")[2].split()[1]), command


def environment_of(process):
    try:
        return Path(f"/proc/{process}/environ").read_bytes()
    except OSError:
        return b""


def variables_of(process):
    """The variables of its environment, by their names."""
    text = environment_of(process).decode(errors="replace")
    return dict(word.split("=", 1) for word in text.split("\0") if "=" in word)


def open_files_of(process):
    """The paths of its open files."""
    found = set()
    try:
        for entry in os.scandir(f"/proc/{process}/fd"):
            found.add(os.readlink(entry.path))
    except OSError:
        pass  # it has ended, or closes files
    return found


def family_of(root):
    """A process and all that it started, parents first."""
    children = {}
    for process, parent, _ in processes():
        children.setdefault(parent, []).append(process)
    found = [root]
    for process in found:
        found.extend(children.get(process, ()))
    return found


def kill(process, number=signal.SIGKILL):
    """Returns whether the process was there."""
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return False
    return True


def is_gone(process):
    """Whether it has ended; its parent need not know."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(errors="replace")
    except OSError:
        return True
    return text.rpartition(")")[2].split()[0] in "ZX"


def kill_all(find):
    """Kills the processes that `find()` returns, until they are gone and it finds no other.

    Gives up after some seconds. Returns how many it killed at first.
    """
    end, first, killed = time.monotonic() + SECONDS_TO_DIE, None, set()
    while time.monotonic() < end:
        found = find()
        struck = sum(map(kill, found))
        first = struck if first is None else first
        killed.update(found)
        if all(map(is_gone, killed)):
            break
        time.sleep(0.02)
    return first


def until(done, what, seconds):
    """Waits until `done()` is true."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise SlurmError(f"{what}: not within {seconds} s")
        time.sleep(0.05)


class Slurm:
    """The cluster. Attributes: folder, nodes (their names)."""

    def __init__(self, folder, nodes=4, cpus=2):
        if missing_programs():
            missing = ", ".join(missing_programs())
            raise SlurmError(f"{missing}: not found; run scripts/setup --cluster")
        if os.geteuid() != 0:
            raise SlurmError("Slurm's nodes need root")
        self.folder = Path(folder).resolve()
        self.nodes = [f"n{number}" for number in range(nodes)]
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}
        for name in [name for name in self.environment if name.startswith(("SLURM_", "SBATCH_"))]:
            if name != "SLURM_CONF":
                del self.environment[name]
        self._write_configuration(cpus)

    def _write_configuration(self, cpus):
        for name in ("munge", "state", "spool"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        os.chmod(self.folder, 0o755)  # munge wants to be found
        key = self.folder / "munge" / "key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        host, ports = socket.gethostname().split(".")[0], free_ports(1 + len(self.nodes))
        nodes = "\n".join(
            NODE.format(number=number, host=host, port=port, cpus=cpus)
            for number, port in enumerate(ports[1:])
        )
        text = CONFIGURATION.format(
            host=host, ports=ports, folder=self.folder, nodes=nodes, last=len(self.nodes) - 1
        )
        (self.folder / "slurm.conf").write_text(text)

    def __enter__(self):
        try:
            munge = self.folder / "munge"
            self.run(
                "munged",
                "--force",
                f"--key-file={munge}/key",
                f"--socket={munge}/socket",
                f"--pid-file={munge}/pid",
                f"--log-file={munge}/log",
                f"--seed-file={munge}/seed",
            )
            self.run("slurmctld")
            for node in self.nodes:
                self.start_node(node)
            self.wait_for_nodes()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends every program of this cluster and every job, so that its folder can be removed."""
        kill_all(self._programs)

    def _programs(self):
        mark = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        found = {each for each, _, _ in processes() if mark in environment_of(each)}
        return found.union(*map(self._programs_of, self.nodes))

    def _programs_of(self, node):
        """A slurmd, its steps and what they started.

        Steps are no children of their slurmd, but share its log.
        """
        log = str(self.folder / f"slurmd-{node}.log")
        found = [each for each, _, _ in processes() if log in open_files_of(each)]
        for process in list(found):
            found.extend(each for each in family_of(process) if each not in found)
        return found

    def run(self, *command, check=True):
        """Runs a program of Slurm; returns what it printed."""
        done = subprocess.run(
            list(map(str, command)),
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        if check and done.returncode != 0:
            raise SlurmError(
                f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr}"
            )
        return done.stdout

    def succeeds(self, *command):
        done = subprocess.run(list(map(str, command)), env=self.environment, capture_output=True)
        return done.returncode == 0

    def start_node(self, node):
        self.run("slurmd", "-N", node)

    def _is_up(self, node):
        state = re.search(r"State=(\S+)", self.run("scontrol", "show", "node", node, check=False))
        return bool(state) and re.fullmatch(r"(IDLE|MIXED|ALLOCATED)\+?", state[1]) is not None

    def wait_for_nodes(self):
        until(lambda: all(map(self._is_up, self.nodes)), "Slurm's nodes are up", 60)

    def lose_node(self, node):
        """A node dies: its slurmd, the steps and their programs are killed. Then it boots anew,
        for which `wait_for_nodes` waits.

        Returns the number of programs that were killed. Slurm requeues the jobs that ran there.
        """
        killed = kill_all(lambda: self._programs_of(node))
        self.run("scontrol", "update", f"nodename={node}", "state=down", "reason=killed")
        self.start_node(node)
        self.run("scontrol", "update", f"nodename={node}", "state=resume", check=False)
        return killed

    def submit(self, *command, **options):
        """sbatch with these options (`array="0-9"` is --array=0-9); returns the job's number."""
        given = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        return (
            self.run("sbatch", "--parsable", "--export=ALL", *given, *command).split(";")[0].strip()
        )

    def states(self, job):
        """State of each element of an array, by its number; of a single job under None."""
        found = {}
        for record in self.run("scontrol", "show", "job", job, check=False).split("\n\n"):
            state = re.search(r"JobState=(\S+)", record)
            if not state:
                continue
            element = re.search(r"ArrayTaskId=(\S+)", record)
            for number in elements_of(element[1]) if element else [None]:
                found[number] = state[1]
        return found

    def jobs(self):
        """The numbers of all jobs; of an array only that of the whole."""
        records = self.run("scontrol", "--oneliner", "show", "job", check=False).splitlines()
        found = (
            re.search(r"ArrayJobId=(\d+)", line) or re.search(r"JobId=(\d+)", line)
            for line in records
        )
        return {each[1] for each in found if each}

    def wait(self, job, seconds=600):
        """Waits until a job or all elements of an array are over, and returns their states."""
        end = time.monotonic() + seconds
        while True:
            states = self.states(job)
            if states and set(states.values()) <= OVER:
                return states
            if time.monotonic() > end:
                raise SlurmError(f"job {job} is not over after {seconds} s: {states}")
            time.sleep(0.1)

    def busy_nodes(self, job):
        """The nodes on which a job runs now."""
        lines = self.run("squeue", "--noheader", f"--jobs={job}", "--states=R", "--format=%N")
        return sorted(set(lines.split()))

    def running(self, job):
        """Elements of an array that run now."""
        return [number for number, state in self.states(job).items() if state == "RUNNING"]


def elements_of(text):
    """Numbers of an array such as "3", "4,9-10" or "0-90:10%4"."""
    numbers = []
    for part in text.split("%")[0].split(","):
        span, _, step = part.partition(":")
        first, _, last = span.partition("-")
        if first.isdigit():
            numbers.extend(range(int(first), int(last or first) + 1, int(step or 1)))
    return numbers
