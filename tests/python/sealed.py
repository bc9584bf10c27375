"""Changes shards and manifests, and writes their checksums again, so that a test reaches the rules behind the checksums.

The parts of a shard are read and written with `json` and `struct` alone. Checksums are those of hotpack.pure, which test_checksums.py compares
with others.
"""

import json
import struct
from dataclasses import dataclass

from hotpack.pure.crc32c import crc32c
from hotpack.pure.xxh3 import xxh3_128

ITEM_BYTES = {"U8": 1, "U16": 2, "I32": 4, "U32": 4, "U64": 8, "F32": 4}
ITEM_CODES = {"U8": "B", "U16": "H", "I32": "i", "U32": "I", "U64": "Q"}


@dataclass
class Part:
    dtype: str
    shape: list
    data: bytearray

    def numbers(self):
        return list(struct.unpack(f"<{len(self.data) // ITEM_BYTES[self.dtype]}{ITEM_CODES[self.dtype]}", self.data))

    def set(self, item, number):
        struct.pack_into("<" + ITEM_CODES[self.dtype], self.data, item * ITEM_BYTES[self.dtype], number)


class Shard:
    """`tensors` maps names to parts, in file order; `metadata` maps strings to strings."""

    def __init__(self, path):
        self.path = path
        data = path.read_bytes()
        (self.header_bytes,) = struct.unpack_from("<Q", data)
        header = json.loads(data[8 : 8 + self.header_bytes])
        self.metadata = header.pop("__metadata__")
        entries = sorted(header.items(), key=lambda entry: entry[1]["data_offsets"])
        start = 8 + self.header_bytes
        self.tensors = {}
        for name, entry in entries:
            begin, end = entry["data_offsets"]
            self.tensors[name] = Part(entry["dtype"], entry["shape"], bytearray(data[start + begin : start + end]))

    def records(self):
        return len(self.tensors["source.size"].data) // 8

    def record_bytes(self, name, index):
        """Where a record of a payload tensor of one size begins and ends."""
        size = len(self.tensors[name].data) // self.records()
        return slice(index * size, (index + 1) * size)

    def seal_records(self):
        """Writes the CRC-32C of every record of one size."""
        for name in ("image", "label"):
            if name in self.tensors:
                for index in range(self.records()):
                    self.tensors[f"{name}.crc32c"].set(index, crc32c(bytes(self.tensors[name].data[self.record_bytes(name, index)])))

    def schema(self):
        return json.loads(self.metadata["hotpack.schema"])

    def set_schema(self, schema):
        self.metadata["hotpack.schema"] = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))

    def header(self):
        entries, at = {"__metadata__": self.metadata}, 0
        for name, part in self.tensors.items():
            entries[name] = {"dtype": part.dtype, "shape": part.shape, "data_offsets": [at, at + len(part.data)]}
            at += len(part.data)
        text = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()
        length = max(self.header_bytes, -(-(len(text) + 8) // 4096) * 4096 - 8)
        return struct.pack("<Q", length) + text.ljust(length)

    def write(self, seal=True):
        """Writes the file; with `seal`, shard.crc32c is that of its contents."""
        header = self.header()
        if seal and "shard.crc32c" in self.tensors:
            names = list(self.tensors)
            first = next((i for i, name in enumerate(names) if name.endswith(".offsets")), 0)
            last = names.index("shard.crc32c")
            tables = b"".join(bytes(self.tensors[name].data) for name in names[first:last])
            self.tensors["shard.crc32c"].data[:] = struct.pack("<2I", crc32c(header), crc32c(tables))
        self.path.write_bytes(header + b"".join(bytes(part.data) for part in self.tensors.values()))


def shard_of(pack, index=0):
    return Shard(sorted(pack.glob("*.safetensors"))[index])


def seal_manifest(pack, change=lambda manifest: None, shards=True):
    """Writes dataset.json anew: with `change` applied, and, with `shards`, rows, schema, plan and format as the shards have them."""
    path = pack / "dataset.json"
    manifest = json.loads(path.read_text())
    if shards:
        for row in manifest["shards"]:
            adopt(pack / row["file"], row, manifest)
    change(manifest)
    schema, plan = (compact(manifest[name]) for name in ("schema", "plan"))
    manifest["fingerprint"] = xxh3_128((schema + plan).encode())
    write_manifest(path, manifest)


def adopt(path, row, manifest):
    shard = Shard(path)
    data = path.read_bytes()
    manifest["format"] = shard.metadata["hotpack.format"]
    manifest["schema"], manifest["plan"] = shard.schema(), json.loads(shard.metadata["hotpack.plan"])
    tables = data[8 + shard.header_bytes + tables_begin(shard) :]
    row |= {"records": shard.records(), "bytes": len(data), "sources": shard.metadata["hotpack.sources"],
            "digest": xxh3_128(data[: 8 + shard.header_bytes] + tables)}


def tables_begin(shard):
    at = 0
    for name, part in shard.tensors.items():
        if name.endswith(".offsets"):
            return at
        at += len(part.data)
    return 0


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def write_manifest(path, manifest):
    members = [f"{compact(name)}:{compact(value)}" for name, value in manifest.items() if name not in ("shards", "check")]
    rows = ",\n".join(map(compact, manifest["shards"]))
    text = "{\n" + ",\n".join(members) + f',\n"shards":[\n{rows}\n],\n'
    path.write_bytes(text.encode() + f'"check":"crc32c:{crc32c(text.encode()):08x}"}}\n'.encode())
