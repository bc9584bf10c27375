"""Where a pack's records lie in its files, without any library of hotpack: what a person reads off a safetensors header."""

import json
import struct
from pathlib import Path


class Field:
    """One payload field of a shard: `shape` of a record, offset of the first one, bytes of each."""

    def __init__(self, tensor, data_begins):
        begin, end = tensor["data_offsets"]
        self.records, *self.shape = tensor["shape"]
        self.offset, self.record_bytes = data_begins + begin, (end - begin) // self.records


class ShardFile:
    def __init__(self, path):
        self.path = Path(path)
        with open(path, "rb") as file:
            length = struct.unpack("<Q", file.read(8))[0]
            header = json.loads(file.read(length))
        self.image, self.label = (Field(header[name], 8 + length) for name in ("image", "label"))


class PackFiles:
    """A pack of labeled pixels, uncompressed, records of one size."""

    def __init__(self, folder):
        manifest = json.loads((Path(folder) / "dataset.json").read_text(encoding="utf-8"))
        self.classes = len(manifest["schema"]["classes"])
        self.storage = manifest["schema"]["fields"]["label"]["storage"]
        self.shards = [ShardFile(Path(folder) / entry["file"]) for entry in manifest["shards"]]
        self.records = [(shard, number) for shard in self.shards for number in range(shard.image.records)]

    def places(self, sample):
        """(path, offset, bytes) of a sample's image and label."""
        shard, number = self.records[sample]
        return [(shard.path, field.offset + number * field.record_bytes, field.record_bytes) for field in (shard.image, shard.label)]
