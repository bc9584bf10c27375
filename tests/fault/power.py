"""Losses of power, replayed from a trace of the calls that changed files: what a disk may hold after each, and the order that must be kept.

Data is safe from the `fdatasync` or `fsync` of its file on, a name from the `fsync` of its folder on. Between these a disk may hold all,
nothing or a part of what was done; the models are its extremes. Standard library only.
"""

from dataclasses import dataclass, field
from pathlib import Path

MODELS = [
    "all-done",  # every call so far has reached the disk: a kill, not a loss of power
    "nothing-unsynced",  # neither data nor names without their flush
    "names-no-data",  # every name, and of data what was flushed
    "names-zeros",  # every name and size, zeros for what was not flushed
    "names-half",  # every name, the first half of each write that was not flushed
]


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
        self.exists = self.safe_exists = bool(before)

    def apply(self, event):
        inode = self.names.get(event.path)
        if event.call == "create":
            self.names[event.path] = inode or Inode()
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
        elif event.call == "unlink":
            self.names.pop(event.path, None)
        elif event.call == "link":  # a shard of a partition, which another program may have left unflushed
            content = Path(event.path).read_bytes()
            self.names[event.details[0]] = self.names.setdefault(event.path, Inode(bytearray(content), b"", bytearray(content[:len(content) // 2])))
        elif event.call in ("mkdir", "rmdir") and event.path == self.output:
            self.exists = event.call == "mkdir"

    def flush_folder(self, folder):
        self.safe_names = {name: inode for name, inode in self.safe_names.items() if str(Path(name).parent) != folder}
        self.safe_names.update({name: inode for name, inode in self.names.items() if str(Path(name).parent) == folder})
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


def state_after(events, output, before, model):
    disk = Disk(output, before)
    for event in events:
        disk.apply(event)
    return disk.state(model)


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
