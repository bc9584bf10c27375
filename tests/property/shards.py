"""Reads packed folders without hotpack: enough of safetensors for the tests. Standard library only."""

import json
import struct
from pathlib import Path


class Shard:
    def __init__(self, path):
        self.data = Path(path).read_bytes()
        size = struct.unpack("<Q", self.data[:8])[0]
        self.header = json.loads(self.data[8:8 + size])
        self.start = 8 + size
        self.schema = json.loads(self.header["__metadata__"]["hotpack.schema"])

    def bytes_of(self, name):
        begin, end = self.header[name]["data_offsets"]
        return self.data[self.start + begin:self.start + end]

    def u64(self, name):
        data = self.bytes_of(name)
        return struct.unpack(f"<{len(data) // 8}Q", data)

    def keys(self):
        text, ends = self.bytes_of("key.data"), self.u64("key.offsets")
        return [text[a:b].decode() for a, b in zip(ends, ends[1:])]

    def label_records(self):
        """The bytes of each record's label."""
        if "label.data" in self.header:
            data, ends = self.bytes_of("label.data"), self.u64("label.offsets")
            return [data[a:b] for a, b in zip(ends, ends[1:])]
        count = self.header["label"]["shape"][0]
        data = self.bytes_of("label")
        size = len(data) // count if count else 0
        return [data[i * size:(i + 1) * size] for i in range(count)]


def shards(folder):
    return [Shard(path) for path in sorted(Path(folder).glob("shard-*.safetensors"))]


def classes(folder):
    return [entry["name"] for entry in shards(folder)[0].schema["classes"]]


def label_values(folder):
    """Of each key: the class ids that occur in its label (storage bits), -1 for pixels without a class."""
    values = {}
    for shard in shards(folder):
        depth = (len(shard.schema["classes"]) + 7) // 8
        for key, record in zip(shard.keys(), shard.label_records()):
            pixels = {record[i:i + depth] for i in range(0, len(record), depth)}
            found = set()
            for pixel in pixels:
                number = int.from_bytes(pixel, "little")
                found |= {bit for bit in range(8 * depth) if number >> bit & 1} or {-1}
            values[key] = found
    return values
