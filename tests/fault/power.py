"""Losses of power, replayed from a trace of the calls that changed files: what a disk may hold after each, and the order that must be kept.

Data is safe from the `fdatasync` or `fsync` of its file on, a name from the `fsync` of its folder on. Between these a disk may hold all,
nothing or a part of what was done; the models are its extremes, and each single name that was lost or kept alone. Traces come from the
preloaded library, with what was written, and from strace, which sees every call. Standard library only.
"""

import re
from collections import Counter

from dataclasses import dataclass, field
from pathlib import Path

MODELS = [
    "all-done",  # every call so far has reached the disk: a kill, not a loss of power
    "nothing-unsynced",  # neither data nor names without their flush
    "names-no-data",  # every name, and of data what was flushed
    "names-zeros",  # every name and size, zeros for what was not flushed
    "names-half",  # every name, the first half of each write that was not flushed
]
ONE_NAME = ["one-name-lost", "one-name-kept"]  # of the changes of names since the folder was flushed, with flushed data


@dataclass
class Event:
    call: str
    path: str
    details: list


@dataclass
class Inode:
    now: bytearray = field(default_factory=bytearray)
    safe: bytes = b""
    half: bytearray = field(default_factory=bytearray)


def events_of(log):
    events = [Event(*line.split("\t")[:2], line.split("\t")[2:]) for line in log.read_text().splitlines()]
    return [event for event in events if event.path]


def put(content, offset, part):
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset:offset + len(part)] = part


def cut(content, size):
    del content[size:]
    content.extend(bytes(size - len(content)))


class Disk:
    """Names and contents as the process sees them, and as they are safe."""

    def __init__(self, output, before):
        self.output = str(output)
        self.names, self.safe_names = {}, {}
        for name, content in before.items():
            inode = Inode(bytearray(content), content, bytearray(content))
            self.names[f"{self.output}/{name}"] = inode
        self.safe_names = dict(self.names)
        self.pending = []  # changes of names since the folder was flushed, each {name: inode or None}
        self.exists = self.safe_exists = bool(before)

    def apply(self, event):
        inode = self.names.get(event.path)
        if event.call == "create":
            self.names[event.path] = inode or Inode()
            self.pending += [{event.path: self.names[event.path]}] if inode is None else []
        elif event.call == "pwrite" and inode:
            offset, part = int(event.details[0]), bytes.fromhex(event.details[1])
            put(inode.now, offset, part)
            put(inode.half, offset, part[:len(part) // 2])
        elif event.call == "ftruncate" and inode:
            cut(inode.now, int(event.details[0]))
            cut(inode.half, int(event.details[0]))
        elif event.call in ("fdatasync", "fsync") and inode:
            inode.safe, inode.half = bytes(inode.now), bytearray(inode.now)
        elif event.call == "fsync":
            self.flush_folder(event.path)
        else:
            self.apply_to_names(event)

    def apply_to_names(self, event):
        if event.call == "rename":
            self.names[event.details[0]] = self.names.pop(event.path)
            self.pending.append({event.path: None, event.details[0]: self.names[event.details[0]]})
        elif event.call == "unlink":
            if self.names.pop(event.path, None):
                self.pending.append({event.path: None})
        elif event.call == "link":  # a shard of a partition, which another program may have left unflushed
            content = Path(event.path).read_bytes()
            self.names[event.details[0]] = self.names.setdefault(event.path, Inode(bytearray(content), b"", bytearray(content[:len(content) // 2])))
            self.pending.append({event.details[0]: self.names[event.details[0]]})
        elif event.call in ("mkdir", "rmdir") and event.path == self.output:
            self.exists = event.call == "mkdir"

    def flush_folder(self, folder):
        self.safe_names = {name: inode for name, inode in self.safe_names.items() if str(Path(name).parent) != folder}
        self.safe_names.update({name: inode for name, inode in self.names.items() if str(Path(name).parent) == folder})
        if folder == self.output:
            self.pending = []
        if folder == str(Path(self.output).parent):
            self.safe_exists = self.exists

    def content(self, inode, model):
        zeros = bytearray(inode.safe[:len(inode.now)])
        cut(zeros, len(inode.now))
        return {"all-done": inode.now, "nothing-unsynced": inode.safe, "names-no-data": inode.safe, "names-zeros": zeros,
                "names-half": inode.half}[model]

    def state(self, model):
        """Files of the output by name; None where the folder itself is not there."""
        only_safe = model == "nothing-unsynced"
        if not (self.safe_exists if only_safe else self.exists):
            return None
        names = self.safe_names if only_safe else self.names
        return {name[len(self.output) + 1:]: bytes(self.content(inode, model)) for name, inode in names.items()
                if name.startswith(self.output + "/")}


    def states_of_one_name(self, model):
        """States where one change of a name was lost, or was the only one kept."""
        for lost in range(len(self.pending)) if self.exists else ():
            names = dict(self.safe_names)
            for i, change in enumerate(self.pending):
                if (i == lost) == (model == "one-name-kept"):
                    names.update(change)
            yield {name[len(self.output) + 1:]: inode.safe for name, inode in names.items() if inode and name.startswith(self.output + "/")}


def states_after(events, output, before, model):
    """What a disk may hold after these calls, by that model."""
    disk = Disk(output, before)
    for event in events:
        disk.apply(event)
    return disk.states_of_one_name(model) if model in ONE_NAME else [disk.state(model)]


def put_state(state, output):
    for old in output.iterdir() if output.exists() else ():
        old.unlink()
    if state is None:
        if output.exists():
            output.rmdir()
        return
    output.mkdir(exist_ok=True)
    for name, content in state.items():
        (output / name).write_bytes(content)


def faults_of_order(events, output):
    """Breaks of the order: data flushed before its name, the folder before the manifest, which comes last."""
    dirty, unflushed_names, wrong, manifest_placed = set(), set(), [], False
    for event in events:
        if event.call in ("create", "pwrite", "ftruncate"):
            dirty.add(event.path)
        elif event.call in ("fdatasync", "fsync"):
            dirty.discard(event.path)
            if event.path == str(output):
                unflushed_names.clear()
        elif event.call == "link":
            dirty.add(event.path)
            unflushed_names.add(event.details[0])
        elif event.call == "rename":
            target = event.details[0]
            if event.path in dirty:
                wrong.append(f"{target} got its name before its data was flushed")
            if target.endswith("/dataset.json"):
                manifest_placed = True
                if unflushed_names:
                    wrong.append(f"the manifest came before the folder was flushed: {sorted(unflushed_names)}")
                if dirty:
                    wrong.append(f"the manifest came before the data of {sorted(dirty)} was flushed")
            elif manifest_placed:
                wrong.append(f"{target} came behind the manifest")
            unflushed_names.add(target)
    if unflushed_names:
        wrong.append(f"at the end the folder was not flushed: {sorted(unflushed_names)}")
    return wrong + ([] if manifest_placed else ["no manifest was placed"])


# ---- strace

TRACED = {"openat": "create", "open": "create", "creat": "create", "write": "pwrite", "pwrite64": "pwrite", "pwritev": "pwrite", "writev": "pwrite",
          "fsync": "fsync", "fdatasync": "fdatasync", "ftruncate": "ftruncate", "rename": "rename", "renameat": "rename", "renameat2": "rename",
          "link": "link", "linkat": "link", "mkdir": "mkdir", "mkdirat": "mkdir", "unlink": "unlink", "unlinkat": "unlink", "rmdir": "rmdir"}
FLUSHES = ("fsync", "fdatasync")
LINE = re.compile(r"^(\d+) +(\w+)\((.*)$")
RESUMED = re.compile(r"^(\d+) +<\.\.\. (\w+) resumed>(.*)$")
PATHS = re.compile(r'<(/[^>]*)>|"(/[^"]*)"')


def strace_command(log):
    """-y: the path of every descriptor. Every call of the kinds that change files, by libc or without it."""
    calls = "openat,open,creat,write,pwrite64,pwritev,writev,fsync,fdatasync,ftruncate,rename,renameat,renameat2,link,linkat,mkdir,mkdirat,unlink,unlinkat,rmdir"
    return ["strace", "-f", "-y", "-qq", "-s", "0", "-e", f"trace={calls}", "-o", log]


def events_of_strace(log, roots):
    """Successful calls on files below `roots`: flushes when they ended, all others when they began."""
    begun, events = {}, []
    for line in log.read_text(errors="replace").splitlines():
        if match := RESUMED.match(line):
            thread, call, rest = match.groups()
            start, place = begun.pop(thread, ("", 0))
            text, ended = start + rest, True
        elif match := LINE.match(line):
            thread, call, text = match.groups()
            if text.endswith("<unfinished ...>"):
                begun[thread] = (text, len(events))
                events.append(None)
                continue
            place, ended = len(events), False
            events.append(None)
        else:
            continue
        event = event_of_strace(call, text, roots)
        if ended and call in FLUSHES:
            events.append(event)
        else:
            events[place] = event
    return [event for event in events if event]


def event_of_strace(call, text, roots):
    arguments, _, outcome = text.rpartition(" = ")
    paths = [one or other for one, other in PATHS.findall(arguments)]
    paths = [path.removesuffix(" (deleted)") for path in paths]
    paths = [path for path in paths if any(path == root or path.startswith(root + "/") for root in roots)]
    opens_only = call in ("open", "openat") and "O_CREAT" not in arguments
    if not outcome or outcome.startswith("-1") or opens_only or not paths or call not in TRACED:
        return None
    kind = TRACED[call]
    if kind == "unlink" and "AT_REMOVEDIR" in arguments:
        kind = "rmdir"
    return Event(kind, paths[-1] if kind == "create" else paths[0], paths[-1:] if len(paths) > 1 else ["0"])


def differences(library, strace):
    """Calls that one of two traces has more often, whatever the random part of a temporary name."""
    def counted(events):
        return Counter((event.call, re.sub(r"[0-9a-f]{16}\.tmp$", "*.tmp", event.path)) for event in events)

    seen, real = counted(library), counted(strace)
    return ([f"the library missed {count} {call} of {path}" for (call, path), count in (real - seen).items()] +
            [f"strace saw no {call} of {path}" for call, path in seen - real])
