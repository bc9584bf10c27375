"""Damaged, unfinished and foreign files: each is a DamagedError that names the file, and the record where there is one."""

import errno
import json
import os
import random
import re
import shutil
import struct

import numpy as np
import pytest
import zstandard
from conftest import GOLDEN
from sealed import Part, Shard, seal_manifest, shard_of, write_manifest

import hotpack
from hotpack import DamagedError, IoError, UsageError, pure
from hotpack.pure.container import read_container
from hotpack.pure.crc32c import crc32c
from hotpack.pure.frames import decompress


def read_all(pack):
    ds = pure.open(pack)
    for sample in ds:
        _ = sample.image
        if ds.classes:
            sample.one_hot()
    return ds


def damage_of(pack):
    """The error that reading the whole pack gives."""
    with pytest.raises(DamagedError) as caught:
        read_all(pack)
    return caught.value


# ---- bytes


def test_flipped_bytes_are_noticed(golden, tmp_path):
    """Every 251st byte of each file, which no check but verification's may miss: a filler's."""
    pack = shutil.copytree(golden, tmp_path / "pack")
    for path in sorted(pack.iterdir()):
        data, fillers = path.read_bytes(), fillers_of(path)
        for at in range(0, len(data), 251):
            path.write_bytes(data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1 :])
            if fillers[at]:
                assert len(read_all(pack)) > 0
                continue
            error = damage_of(pack)
            assert error.path == str(path), error
        path.write_bytes(data)


def fillers_of(path):
    data = path.read_bytes()
    is_filler = np.zeros(len(data), bool)
    if path.suffix == ".safetensors":
        (length,) = struct.unpack_from("<Q", data)
        for name, entry in json.loads(data[8 : 8 + length]).items():
            if name.startswith("_pad."):
                begin, end = (8 + length + offset for offset in entry["data_offsets"])
                is_filler[begin:end] = True
    return is_filler


def test_a_flipped_record_is_named(pack):
    folder = pack("bits")
    shard = shard_of(folder)
    shard.tensors["label"].data[shard.record_bytes("label", 1).start + 5] ^= 1
    shard.write(seal=False)
    error = damage_of(folder)
    assert (error.path, error.record, error.key) == (str(shard.path), 1, "road/1")
    data = shard.path.read_bytes()
    assert error.offset == data.index(bytes(shard.tensors["label"].data)) + shard.record_bytes("label", 1).start
    assert re.search(r"record 1 \(road/1\): label: CRC-32C is [0-9a-f]{8}, the shard says [0-9a-f]{8}", str(error))
    ds = pure.open(folder)
    assert ds[1].image.shape == (10, 12, 3) and ds[0].one_hot().shape == (10, 12, 11)


def test_a_flipped_frame_is_named(pack):
    folder = pack("zstd")
    shard = shard_of(folder)
    shard.tensors["image.zstd"].data[-3] ^= 1
    shard.write(seal=False)
    error = damage_of(folder)
    assert (error.record, error.key) == (2, "2") and "CRC-32C of its frame" in error.message


def test_policies_say_when_checksums_are_checked(pack):
    folder = pack("bits")
    ds, never = pure.open(folder), pure.open(folder, verify_checksums="never")
    always = pure.open(folder, verify_checksums="always")
    for one in (ds, always):
        _ = one[0].image
    shard = shard_of(folder)
    data = shard.path.read_bytes()
    at = data.index(bytes(shard.tensors["image"].data))
    with open(shard.path, "r+b") as file:  # in place, so that the mappings see it
        file.seek(at)
        file.write(bytes([data[at] ^ 1]))
    assert ds[0].image[0, 0, 0] == data[at] ^ 1  # read before
    assert never[0].image[0, 0, 0] == data[at] ^ 1
    with pytest.raises(DamagedError):
        _ = always[0].image
    with pytest.raises(DamagedError):
        _ = pure.open(folder)[0].image


@pytest.mark.parametrize("name", ["dataset.json", "shard-00000-of-00001.safetensors"])
def test_truncated_files_are_noticed(name, pack):
    folder = pack("mixed_sizes")
    data = (folder / name).read_bytes()
    for size in [*range(0, 64), *range(64, len(data), 301), len(data) - 1]:
        (folder / name).write_bytes(data[:size])
        error = damage_of(folder)
        assert error.path == str(folder / name)


def test_a_truncated_shard_is_noticed_without_a_manifest(pack):
    """Whatever the manifest says: its row has the size of the cut file."""
    folder = pack("index")
    path = shard_of(folder).path
    data = path.read_bytes()
    for size in [*range(0, 32), *range(32, len(data), 97), len(data) - 1]:
        path.write_bytes(data[:size])
        seal_manifest(folder, lambda manifest: manifest["shards"][0].update(bytes=size + 10_000), shards=False)
        assert "bytes, the manifest says" in damage_of(folder).message
        with pytest.raises(DamagedError) as caught:
            hotpack.pure.shard.open_shard(str(path))
        assert caught.value.path == str(path)


# ---- headers


def set_entry(name, **fields):
    def change(header):
        header[name] |= fields

    return change


def rename(old, new):
    def change(header):
        header[new] = header.pop(old)

    return change


def set_metadata(name, value):
    def change(header):
        header["__metadata__"][name] = value

    return change


HEADERS = [
    (set_entry("image", dtype="U9"), "tensor \"image\".dtype: \"U9\" is not a type"),
    (set_entry("image", dtype=3), "3 is not a string"),
    (set_entry("image", dtype="I8"), "image is I8"),
    (set_entry("image", shape=[2, 6, 8, 4]), "its shape does not fit its size"),
    (set_entry("image", shape=[2, 48, 1, 3]), "image is U8 [2, 48, 1, 3], expected U8 [2, 6, 8, 3]"),
    (set_entry("image", shape=[-2, 6, 8, 3]), "-2 is not an integer from 0"),
    (set_entry("image", shape=[2.0, 6, 8, 3]), "2.0 is not an integer"),
    (set_entry("image", shape=[True, 6, 8, 3]), "true is not an integer"),
    (set_entry("image", shape=[2**63]), "is not an integer from 0"),
    (set_entry("image", shape=[2**62, 2**62, 0]), "its shape does not fit its size"),
    (set_entry("image", shape=None), "not a list"),
    (set_entry("image", shape=[1] * 9), "a list of more than 8 numbers"),
    (set_entry("image", data_offsets=[0, 288, 288]), "must be two numbers"),
    (set_entry("image", data_offsets=[288, 0]), "the end is before the beginning"),
    (set_entry("image", data_offsets=[8, 296]), "there is a gap before it"),
    (set_entry("label", data_offsets=[0, 96]), "it overlaps the one before"),
    (set_entry("shard.crc32c", shape=[3], data_offsets=[8444, 8456]), "tensor"),
    (set_entry("image", more=1), "the key \"more\" is unknown"),
    (lambda header: header["image"].pop("shape"), "lacks the key \"shape\""),
    (lambda header: header.update(image=[1]), "not an object"),
    (rename("image", "picture"), "the tensor image is missing"),
    (rename("label.crc32c", "label.crc"), "the tensor label.crc32c is missing"),
    (rename("label.classes", "label.more"), "the tensor label.classes is missing"),
    (rename("label.classes.offsets", "label.more.offsets"), "the tensor label.classes.offsets is missing"),
    (rename("key.offsets", "keys"), "key.offsets is missing"),
    (rename("_pad.0", "pad"), "the tensor \"pad\" does not belong to a shard of version 1.0"),
    (lambda header: header.update(image_zstd=header.pop("_pad.0")), "does not belong"),
    (rename("_pad.0", "image.data"), "image in another form"),
    (rename("_pad.0", "label.zstd.crc32c"), "label in another form"),
    (lambda header: header.update(__metadata__=3), "not an object"),
    (lambda header: header.pop("__metadata__"), "lacks hotpack.format"),
    (set_metadata("hotpack.format", 1), "is not a string"),
    (set_metadata("hotpack.format", "2.0"), "format version 2.0 is unknown"),
    (set_metadata("hotpack.format", "1"), "not of the form 1.<minor>"),
    (set_metadata("hotpack.format", "1.00"), "not of the form 1.<minor>"),
    (set_metadata("hotpack.more", "x"), "the key \"hotpack.more\" is unknown in version 1.0"),
    (set_metadata("hotpack.plan", ""), "lacks hotpack.plan"),
    (set_metadata("hotpack.plan", "[]"), "hotpack.plan: plan: not an object"),
    (set_metadata("hotpack.plan", '{"samples":1,"shards":1,"keys":"xxh3-128:' + "0" * 32 + '"}'), "2 records, more than the 1 samples"),
    (set_metadata("hotpack.plan", '{"samples":3,"shards":0,"keys":""}'), "plan.shards: 0 is not an integer from 1"),
    (set_metadata("hotpack.sources", "xxh3-128:0"), "hotpack.sources"),
    (set_metadata("hotpack.schema", "{}"), "hotpack.schema: lacks the key \"fields\""),
]


@pytest.mark.parametrize(("change", "reason"), HEADERS, ids=[reason[:40] for _, reason in HEADERS])
def test_wrong_headers_are_refused(pack, change, reason):
    path = shard_of(pack("index")).path
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    change(header)
    path.write_bytes(data[:8] + json.dumps(header).encode().ljust(length) + data[8 + length :])
    with pytest.raises(DamagedError) as caught:
        pure.shard.open_shard(str(path))
    assert reason in str(caught.value) and caught.value.path == str(path)


def inserted(name, part, minor=0):
    """Inserts a tensor before the tables."""

    def change(shard):
        at = list(shard.tensors).index("key.offsets")
        entries = list(shard.tensors.items())
        shard.tensors = dict([*entries[:at], (name, part), *entries[at:]])
        shard.metadata["hotpack.format"] = f"1.{minor}"

    return change


TENSORS = [
    (inserted("_pad.7", Part("U8", [0], bytearray())), "the filler _pad.7 is empty"),
    (inserted("_pad.7", Part("U8", [0], bytearray()), 1), "the filler _pad.7 is empty"),
    (inserted("_pad.7", Part("U8", [8], bytearray(8))), "fillers; a shard of version 1.0 has at most 2"),
    (inserted("label.more", Part("U8", [8], bytearray(8)), 1), 'the tensor "label.more" does not belong to a data set without labels'),
    (inserted("label", Part("U8", [2], bytearray(2)), 1), "must not exist"),
    (inserted("image.shape", Part("I32", [2, 3], bytearray(24)), 1), "the tensor image.shape must not exist"),
    (inserted("depth", Part("U16", [2], bytearray(4))), 'the tensor "depth" does not belong to a shard of version 1.0'),
]


@pytest.mark.parametrize(("change", "reason"), TENSORS, ids=[reason[:40] for _, reason in TENSORS])
def test_tensors_that_must_not_be_there_are_refused(pack, change, reason):
    """In a pack without labels, which has one payload tensor."""
    shard = shard_of(pack("unlabelled"))
    assert sum(name.startswith("_pad.") for name in shard.tensors) == 2
    change(shard)
    shard.write()
    with pytest.raises(DamagedError) as caught:
        pure.shard.open_shard(str(shard.path))
    assert reason in caught.value.message


def test_bytes_after_the_last_tensor_are_refused(pack):
    path = shard_of(pack("index")).path
    path.write_bytes(path.read_bytes() + b"xy")
    with pytest.raises(DamagedError, match="2 bytes follow the last tensor"):
        pure.shard.open_shard(str(path))


def test_a_frame_that_claims_too_much_allocates_nothing():
    """The header of a frame of one segment with a content size of 8 bytes (RFC 8878, section 3.1.1.1)."""
    frame = b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", 1 << 40) + b"\1\0\0"
    with pytest.raises(DamagedError, match="too short for its content"):
        decompress(frame, 1 << 40)


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        (struct.pack("<Q", 0), "is unfinished"),
        (struct.pack("<Q", 100_000_001), "would have 100000001 bytes"),
        (struct.pack("<Q", 99_000_000), "truncated"),
        (struct.pack("<Q", 4088) + b" ", "does not start with '{'"),
        (b"\x89PNG\r\n\x1a\n", "not a safetensors file"),
    ],
)
def test_wrong_starts_are_refused(pack, start, reason):
    path = shard_of(pack("index")).path
    path.write_bytes(start + path.read_bytes()[len(start) :])
    with pytest.raises(DamagedError, match=reason):
        pure.shard.open_shard(str(path))


def test_hostile_headers_cost_little(tmp_path):
    """A list of a million numbers, and deep nesting."""
    for body in (b'{"a":{"dtype":"U8","shape":[' + b"0," * 1_000_000 + b"0]}}", b'{"a":' * 100_000):
        path = tmp_path / "shard.safetensors"
        path.write_bytes(struct.pack("<Q", len(body)) + body)
        with pytest.raises(DamagedError, match="the header"):
            pure.shard.open_shard(str(path))


# ---- schemas


def set_in(*path_and_value):
    *path, last, value = path_and_value

    def change(schema):
        for name in path:
            schema = schema[name]
        schema[last] = value

    return change


def make_huge(schema):
    side = 2**31 - 1
    schema["geometry"]["size"] = [side, side]
    schema["fields"]["image"]["shape"], schema["fields"]["label"]["shape"] = [side, side, 3], [side, side]


def make_gray(schema):
    schema["fields"]["image"].update(color="gray", channels=1)


def add_codec(schema):
    schema["fields"]["image"]["codec"] = "jpeg"


def make_bands(schema):
    schema["fields"]["image"].update(color="bands", channels=13, bands=None)


READS = "; this version of hotpack reads u8 RGB and gray pixels"
SCHEMAS = [
    (make_huge, "fields.image.shape: a record of this shape is too large"),
    (set_in("fields", "image", "layout", "cwh"), "fields.image.layout: \"cwh\" is none of hwc, chw"),
    (set_in("fields", "image", "shape", None), "fields.image.shape does not agree"),
    (set_in("fields", "image", "shape", [6, 8]), "must be a list of 3 sizes"),
    (set_in("fields", "image", "shape", [8, 6, 3]), "fields.image.shape does not agree"),
    (make_gray, "fields.image.shape does not agree"),
    (set_in("fields", "image", "color", "gray"), 'fields.image.channels: must be 1 for "gray"'),
    (set_in("fields", "image", "channels", 4), 'fields.image.channels: must be 3 for "rgb"'),
    (set_in("fields", "image", "channels", 65), "fields.image.channels: 65 is not an integer from 1 to 64"),
    (set_in("fields", "image", "dtype", "i16"), 'fields.image.dtype: "i16" is none of u8'),
    (set_in("fields", "image", "dtype", ["u8"]), 'fields.image.dtype: ["u8"] is none of u8'),
    (set_in("fields", "image", "dtype", "u16"), "the images have the element type u16" + READS),
    (set_in("fields", "image", "dtype", "f32"), "the images have the element type f32" + READS),
    (make_bands, "the images have bands" + READS),
    (add_codec, 'the images are coded by "jpeg"' + READS),
    (lambda schema: schema["fields"]["image"].pop("dtype"), 'fields.image: lacks the key "dtype"'),
    (set_in("fields", "label", "kind", "image"), "is none of pixel, sample"),
    (set_in("fields", "label", "storage", "one_hot"), "is none of bits, onehot, index"),
    (set_in("fields", "label", "shape", [6, 0]), "0 is not an integer from 1"),
    (set_in("fields", "label", "multi", True), "several classes per pixel cannot be stored as ids"),
    (set_in("fields", "label", "multi", 0), "is not true or false"),
    (set_in("fields", "depth", {}), "the key \"depth\" is unknown in version 1.0"),
    (set_in("classes", []), "classes: must not be empty"),
    (set_in("classes", [{"name": str(c), "color": None, "sources": []} for c in range(65536)]), "exceeds 65535"),
    (set_in("classes", 0, "color", [1, 2]), "classes[0].color: must be three numbers"),
    (set_in("classes", 0, "color", [1, 2, 256]), "256 is not an integer from 0 to 255"),
    (set_in("classes", 0, "sources", [""]), "classes[0].sources[0]: must not be empty"),
    (set_in("classes", 0, "name", None), "null is not a string"),
    (set_in("geometry", "size", None), "must be null if fit is"),
    (set_in("geometry", "fit", "none"), "must be null if fit is"),
    (set_in("geometry", "pad_color", [0, 0]), "must be one or three numbers"),
    (set_in("options", "shuffle", -1), "options.shuffle: -1"),
    (set_in("options", "anchor", "centre"), "options.anchor: \"centre\" is none of center, top-left"),
    (set_in("options", "size_mismatch", ""), "must not be empty"),
    (set_in("options", "engines", ["zstd"]), "is not of the form <stage>:<version>"),
    (set_in("options", "engines", ["b:1", "a:1"]), "is not sorted by bytes"),
    (set_in("options", "engines", ["a:1", "a:2"]), "names one stage twice"),
]


@pytest.mark.parametrize(("change", "reason"), SCHEMAS, ids=[reason[:40] for _, reason in SCHEMAS])
def test_wrong_schemas_are_refused(pack, change, reason):
    folder = pack("index")

    def change_manifest(manifest):
        change(manifest["schema"])

    seal_manifest(folder, change_manifest, shards=False)
    error = damage_of(folder)
    assert reason in error.message and error.path == str(folder / "dataset.json")


# ---- tables


def set_item(name, item, number):
    return lambda shard: shard.tensors[name].set(item, number)


def set_bytes(name, at, data):
    def change(shard):
        shard.tensors[name].data[at : at + len(data)] = data

    return change


def set_items(name, numbers):
    def change(shard):
        for item, number in numbers.items():
            shard.tensors[name].set(item, number)

    return change


TABLES = [
    ("mixed_sizes", set_items("key.offsets", {1: 2, 2: 1}), "key.offsets does not rise from 0 to 3: item 2 is 1", None),
    ("bits", set_item("key.offsets", 0, 1), "key.offsets does not rise from 0 to 12: item 0 is 1", None),
    ("bits", set_item("key.offsets", 1, 13), "item 1 is 13", None),
    ("bits", set_item("key.offsets", 1, 2**64 - 1), "item 1 is 18446744073709551615", None),
    ("bits", set_item("key.offsets", 2, 11), "item 2 is 11", None),
    ("bits", set_bytes("key.data", 6, b"/"), "its key is not a relative path", 1),
    ("bits", set_bytes("key.data", 6, b"r\0"), "its key is not a relative path", 1),
    ("bits", set_bytes("key.data", 6, b"../abc"), "its key is not a relative path", 1),
    ("bits", set_bytes("key.data", 6, b"./abcd"), "its key is not a relative path", 1),
    ("bits", set_bytes("key.data", 6, b"a//bcd"), "its key is not a relative path", 1),
    ("bits", set_bytes("key.data", 6, b"abcde/"), "its key is not a relative path", 1),
    ("bits", set_bytes("key.data", 6, b"abcd\xff"), "its key is not a relative path", 1),
    ("bits", set_bytes("key.data", 5, "ä".encode()), "its key is not a relative path", 0),
    ("bits", set_item("key.offsets", 1, 0), "its key is not a relative path", 0),
    ("bits", set_item("shard.sums", 0, 2**50), "shard.sums contains numbers that no records can have", None),
    ("bits", set_item("shard.sums", 8, 2), "shard.sums", None),
    ("bits", set_item("shard.sums", 10, 3), "shard.sums", None),
    ("mixed_sizes", set_item("image.offsets", 1, 100), "image has 100 bytes, but its shape needs 135", 0),
    ("mixed_sizes", set_item("image.offsets", 1, 140), "image has 140 bytes, but its shape needs 135", 0),
    ("mixed_sizes", set_item("image.shape", 0, -9), "image.shape is impossible", 0),
    ("mixed_sizes", set_item("image.shape", 3, 0), "image.shape is impossible", 1),
    ("mixed_sizes", set_item("image.shape", 5, 4), "image.shape is impossible", 1),
    ("mixed_sizes", set_item("label.shape", 6, 2), "label.shape is impossible or disagrees", 2),
    ("mixed_sizes", set_item("image.shape", 0, 2**31 - 1), "image has 135 bytes", 0),
    ("mixed_sizes_zstd", set_item("image.shape", 4, 2**31 - 1), "shape", 1),
    ("zstd", set_item("label.zstd.offsets", 3, 1), "does not rise", None),
    ("bits", set_item("label.classes.offsets", 0, 1), "label.classes.offsets does not rise from 0 to 22: item 0 is 1", None),
    ("bits", set_item("label.classes.offsets", 1, 23), "label.classes.offsets does not rise from 0 to 22: item 1 is 23", None),
    ("bits", set_item("label.classes.offsets", 2, 21), "label.classes.offsets does not rise from 0 to 22: item 2 is 21", None),
    ("bits", set_item("label.classes", 20, 11), "label.classes has a row that no label can have", 0),  # class 11 of 11
    ("bits", set_item("label.classes", 1, 0), "label.classes has a row that no label can have", 0),  # no pixels
    ("bits", set_item("label.classes", 24, 0), "label.classes has a row that no label can have", 1),  # class 0 again
    ("bits", set_item("label.classes.offsets", 1, 10), "label.classes has a row that no label can have", 1),  # classes 10, 0, …
]


@pytest.mark.parametrize(("name", "change", "reason", "record"), TABLES, ids=[f"{name}: {reason[:40]}" for name, _, reason, _ in TABLES])
def test_wrong_tables_are_refused_behind_their_checksum(pack, name, change, reason, record):
    folder = pack(name)
    shard = shard_of(folder)
    change(shard)
    shard.write()
    seal_manifest(folder)
    error = damage_of(folder)
    assert reason in error.message and (error.path, error.record) == (str(shard.path), record)


def test_wrong_frames_are_refused_behind_their_checksum(pack):
    raw = bytes(288)
    frames = {
        "not a Zstandard frame": b"\0" * 40,
        "without its content size": zstandard.ZstdCompressor(write_content_size=False).compress(raw),
        "of 287 bytes of content; the record has 288": zstandard.ZstdCompressor().compress(raw[1:]),
        "cannot be decompressed": zstandard.ZstdCompressor().compress(raw) + b"\0\0",
        "needs a dictionary": with_dictionary(zstandard.ZstdCompressor().compress(raw)),
    }
    for reason, frame in frames.items():
        folder = pack("zstd", reason)
        shard = shard_of(folder)
        ends = shard.tensors["image.zstd.offsets"].numbers()
        rest = bytes(shard.tensors["image.zstd"].data[ends[1] :])
        shard.tensors["image.zstd"] = Part("U8", [len(frame) + len(rest)], bytearray(frame + rest))
        for item in (1, 2, 3):
            shard.tensors["image.zstd.offsets"].set(item, ends[item] - ends[1] + len(frame))
        shard.tensors["image.zstd.crc32c"].set(0, crc32c(frame))
        shard.write()
        seal_manifest(folder)
        error = damage_of(folder)
        assert reason in error.message and error.record == 0


def with_dictionary(frame):
    """The frame, with a header that names dictionary 7 (RFC 8878, section 3.1.1.1)."""
    assert frame[4] & 0b100011 == 0b100000
    return frame[:4] + bytes([frame[4] | 1, 7]) + frame[5:]


# ---- manifests and folders


def set_row(**fields):
    return lambda manifest: manifest["shards"][0].update(fields)


MANIFESTS = [
    (lambda manifest: manifest.update(parts=[]), "the data set has parts; this version of hotpack reads sets without"),
    (set_row(records=3), "do not add up to the 3 samples"),
    (set_row(records=10**6), "1000000 is not an integer from 0 to"),
    (set_row(file="shard-00001-of-00001.safetensors"), "must be shard-00000-of-00001.safetensors"),
    (set_row(digest="xxh3-128:"), "is not \"xxh3-128:\" with 32"),
    (lambda m: m.update(skipped=0), "do not add up"),
    (lambda m: m["shards"].append(m["shards"][0]), "must be shard-00000-of-00002"),
    (lambda m: m["plan"].update(shards=2), "the number of shards in the plan is 2"),
    (lambda m: m.update(format="1.x"), "not of the form"),
    (lambda m: m.update(format="2.0"), "format version 2.0 is unknown"),
    (lambda m: m.update(more=1), "the key \"more\" is unknown"),
    (lambda m: m.pop("format"), "lacks the key \"format\""),
    (lambda m: m.pop("statistics"), "lacks the key \"statistics\""),
    (lambda m: m["statistics"].update(mean=[1]), "must be a list of 3 numbers"),
    (lambda m: m["statistics"].update(mean=[1, 2, "x"]), "is not a number"),
    (lambda m: m["statistics"].update(pixels=[1]), "must be a list of 4 numbers"),
]


@pytest.mark.parametrize(("change", "reason"), MANIFESTS, ids=[reason[:40] for _, reason in MANIFESTS])
def test_wrong_manifests_are_refused(pack, change, reason):
    folder = pack("index")
    seal_manifest(folder, change, shards=False)
    error = damage_of(folder)
    assert reason in error.message and error.path == str(folder / "dataset.json")


def test_a_wrong_fingerprint_is_refused(pack):
    folder = pack("index")
    path = folder / "dataset.json"
    manifest = json.loads(path.read_text())
    manifest["fingerprint"] = "xxh3-128:" + "0" * 32
    write_manifest(path, manifest)
    assert "but schema and plan give" in damage_of(folder).message


def test_a_shard_of_another_pack_is_refused(pack):
    folder, other = pack("tiles"), pack("several_classes", "other")
    shutil.copy(shard_of(other).path, shard_of(folder).path)
    data = shard_of(folder).path.read_bytes()
    seal_manifest(folder, set_row(bytes=len(data)), shards=False)
    assert "its schema differs from the manifest's" in damage_of(folder).message
    shard = shard_of(folder)
    seal_manifest(folder, lambda m: m.update(schema=shard.schema(), statistics=json.loads((other / "dataset.json").read_text())["statistics"]), shards=False)
    assert "its plan differs from the manifest's" in damage_of(folder).message


def test_a_shard_that_differs_from_its_row_is_refused(pack):
    folder = pack("index")
    seal_manifest(folder, set_row(sources="xxh3-128:" + "0" * 32), shards=False)
    assert re.match("its sources are xxh3-128:[0-9a-f]{32}, the manifest says xxh3-128:0{32}", damage_of(folder).message)
    folder = pack("index", "other")
    seal_manifest(folder, lambda m: (set_row(records=1)(m), m.update(skipped=2)), shards=False)
    assert "it has 2 records, the manifest says 1" in damage_of(folder).message


def test_a_missing_shard_is_named(pack):
    folder = pack("bits")
    path = shard_of(folder, 1).path
    path.unlink()
    ds = pure.open(folder)
    assert ds[1].key == "road/1"
    with pytest.raises(DamagedError, match="the manifest names this shard, but it is missing") as caught:
        ds[2]
    assert caught.value.path == str(path)


def test_folders_that_are_no_packs_say_why(pack, tmp_path):
    folder = pack("bits", "splits/train")
    with pytest.raises(hotpack.UsageError, match="a folder of data sets; open one of them, such as '.*train'"):
        pure.open(tmp_path / "splits")
    (folder / "dataset.json").unlink()
    with pytest.raises(DamagedError, match="all its 2 shards are in the folder: run hotpack merge"):
        pure.open(folder)
    shard_of(folder).path.unlink()
    with pytest.raises(DamagedError, match="but 1 of 2 shards"):
        pure.open(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DamagedError, match="which `hotpack pack` writes last"):
        pure.open(tmp_path / "empty")


def test_missing_folders_are_io_errors(tmp_path):
    with pytest.raises(hotpack.IoError) as caught:
        pure.open(tmp_path / "nothing")
    assert caught.value.errno == 2 and caught.value.path.endswith("dataset.json")
    with pytest.raises(OSError):
        pure.verify(tmp_path / "nothing")


# ---- what a reader must accept


def test_another_order_of_entries_and_more_spaces_are_accepted(pack):
    """FORMAT.md, section 3. The checksum of the header is written again."""
    folder = pack("bits")
    for index in (0, 1):
        shard = shard_of(folder, index)
        shard.header_bytes += 4096
        shard.write()
    seal_manifest(folder)
    assert [sample.key for sample in read_all(folder)] == ["road/0", "road/1", "road/2"]


def test_later_minor_versions_are_read(pack):
    """Keys and tensors that version 1.0 does not know (FORMAT.md, section 18)."""
    folder = pack("bits")
    for index in (0, 1):
        shard = shard_of(folder, index)
        shard.metadata |= {"hotpack.format": "1.7", "hotpack.more": "x"}
        schema = shard.schema()
        schema["fields"]["depth"], schema["more"] = {"shape": [1]}, 1
        shard.set_schema(schema)
        add_depth(shard)
        shard.write()
    seal_manifest(folder, lambda manifest: manifest.update(more=[1]))
    assert np.array_equal(read_all(folder)[2].image, pure.open(next(p for p in GOLDEN if p.name == "bits"))[2].image)
    report = pure.verify(folder)
    assert report.ok and any("format 1.7" in note for note in report.notes)
    shard = Shard(sorted(folder.glob("*.safetensors"))[1])
    shard.tensors["depth"].data[0] ^= 1
    shard.write()
    assert [(f.record, "the depth is damaged" in f.text) for f in pure.verify(folder).findings] == [(0, True)]


def add_depth(shard):
    count = shard.records()
    tensors = {}
    for name, part in shard.tensors.items():
        if name == "label.classes.offsets":
            tensors["depth"] = Part("F32", [count, 1024], bytearray(range(256)) * 16 * count)
        if name == "key.data":
            tensors["depth.crc32c"] = Part("U32", [count], bytearray(struct.pack("<I", crc32c(bytes(range(256)) * 16)) * count))
        tensors[name] = part
    shard.tensors = tensors


# ---- whatever the bytes are


def mutated(data, random_):
    """Some bytes replaced, removed or repeated."""
    data = bytearray(data)
    for _ in range(random_.randint(1, 3)):
        at, size = random_.randrange(len(data)), random_.choice((1, 1, 1, 2, 8))
        kind = random_.randrange(4)
        if kind == 0:
            data[at : at + size] = random_.randbytes(size)
        elif kind == 1:
            del data[at : at + size]
        elif kind == 2:
            data[at:at] = data[at : at + size]
        else:
            data[at : at + 1] = random_.choice((b"0", b"9", b"-1", b"null", b"[", b"]", b"{", b'"', b"\\u0000", b"1e5", b"18446744073709551616"))
    return bytes(data)


def outcome(work):
    """What reading gives: None, or an error of hotpack."""
    try:
        work()
    except hotpack.Error as error:
        return error
    return None


def test_any_header_gives_an_error_of_hotpack(golden, tmp_path):
    """Mutated JSON behind right checksums: of the header, then of the manifest."""
    random_, refused = random.Random(golden.name), 0
    pack = shutil.copytree(golden, tmp_path / "pack")
    path, manifest = shard_of(pack).path, (pack / "dataset.json").read_bytes()
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    for _ in range(25):
        header = mutated(data[8 : 8 + length].rstrip(b" "), random_).ljust(length)
        changed = struct.pack("<Q", len(header)) + header
        body = data[8 + length : -8]
        path.write_bytes(changed + body + struct.pack("<2I", crc32c(changed), *struct.unpack("<I", data[-4:])))
        seal_size(pack, path, manifest)
        refused += outcome(lambda: read_all(pack)) is not None
        pure.verify(pack)
    path.write_bytes(data)
    for _ in range(25):
        text = mutated(manifest[:-27], random_)
        (pack / "dataset.json").write_bytes(text + f'"check":"crc32c:{crc32c(text):08x}"}}\n'.encode())
        refused += outcome(lambda: read_all(pack)) is not None
        pure.verify(pack)
    assert refused > 25


def seal_size(pack, path, manifest):
    text = re.sub(rb'("file":"%s","records":\d+,"bytes":)\d+' % path.name.encode(), rb"\g<1>%d" % path.stat().st_size, manifest[:-27])
    (pack / "dataset.json").write_bytes(text + f'"check":"crc32c:{crc32c(text):08x}"}}\n'.encode())


def test_any_tables_give_an_error_of_hotpack(golden, tmp_path):
    """Random numbers in the tables behind right checksums."""
    random_, refused = random.Random(golden.name), 0
    for turn in range(20):
        pack = shutil.copytree(golden, tmp_path / str(turn))
        shard = shard_of(pack)
        name = random_.choice([name for name, part in shard.tensors.items() if part.dtype != "U8" and name != "shard.crc32c"])
        part = shard.tensors[name]
        size = len(part.data) // len(part.numbers())
        at = random_.randrange(len(part.numbers())) * size
        part.data[at : at + size] = random_.choice((bytes(size), b"\xff" * size, random_.randbytes(size), b"\xff" * (size - 1) + b"\x7f"))
        shard.write()
        seal_manifest(pack)
        refused += outcome(lambda: read_all(pack)) is not None or not pure.verify(pack).ok
    assert refused > 10


# ---- headers that would be expensive to parse


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a":[' + "[]," * 1_000_000 + "[]]}", "not an object"),
        ('{"a":{"b":[' + "[]," * 1_000_000 + "[]]}}", "nests"),
        ('{"a":{' + '"b":[],' * 500_000 + '"b":[]}}', "more than 2 lists"),
        ('{"a":{' + '"b":0,' * 500_000 + '"b":0}}', "members"),
        ("{" + '"b":{},' * 500_000 + '"b":{}}', "members"),
        ('{"a":{"shape":[' + "0," * 1_000_000 + "0]}}", "more than 8 numbers"),
    ],
    ids=["lists", "deep_lists", "many_lists", "members", "tensors", "long_list"],
)
def test_expensive_headers_are_refused_before_a_tree_is_built(text, reason, monkeypatch):
    monkeypatch.setattr("hotpack.pure.json_text.parse", lambda *_: pytest.fail("was parsed"))
    data = struct.pack("<Q", len(text)) + text.encode()
    with pytest.raises(DamagedError, match=reason):
        read_container(np.frombuffer(data, np.uint8))


def test_an_integer_beyond_doubles_in_a_manifest_is_damage(pack):
    folder = pack("bits")
    seal_manifest(folder, lambda manifest: manifest["statistics"]["mean"].__setitem__(0, 10**400))
    assert "no double can hold" in str(damage_of(folder))
    assert any("no double can hold" in str(finding) for finding in pure.verify(folder).findings)


# ---- files that are no files


@pytest.mark.parametrize("name", ["dataset.json", "shard-00000-of-00001.safetensors"])
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_refused_without_waiting(name, pack):
    folder = pack("mixed_sizes")
    (folder / name).unlink()
    os.mkfifo(folder / name)
    if name == "dataset.json":
        with pytest.raises(IoError, match="not a regular file") as caught:
            pure.open(folder)
        assert caught.value.path == str(folder / name)
    else:
        with pytest.raises(IoError, match="not a regular file"):
            pure.shard.open_shard(str(folder / name))
    assert any("not a regular file" in str(finding) for finding in pure.verify(folder).findings)


def test_a_huge_manifest_is_refused_unread(pack):
    folder = pack("bits")
    with open(folder / "dataset.json", "r+b") as file:
        file.truncate(8 << 30)  # sparse
    assert "at most 268435456 are read" in str(damage_of(folder))
    assert any("at most 268435456 are read" in str(finding) for finding in pure.verify(folder).findings)


def test_a_folder_in_place_of_a_manifest_is_an_io_error(pack):
    folder = pack("bits")
    (folder / "dataset.json").unlink()
    (folder / "dataset.json").mkdir()
    with pytest.raises(IoError, match="directory") as caught:
        pure.open(folder)
    assert caught.value.errno == errno.EISDIR


def test_paths_with_zero_bytes_are_usage_errors():
    for work in (pure.open, pure.verify):
        with pytest.raises(UsageError, match="not a path"):
            work("a\0b")


def test_a_frame_holds_at_most_32768_times_its_bytes():
    frame = bytearray(zstandard.ZstdCompressor().compress(bytes(10)))
    claim = 32768 * 17 + 1  # more than 17 bytes can hold
    huge = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", claim) + bytes(frame[-8:])
    assert len(huge) == 17
    with pytest.raises(DamagedError, match="too short for its content"):
        decompress(huge, claim)


def test_missing_memory_for_a_frame_is_damage(monkeypatch):
    class Decompressor:
        def decompress(self, *_, **__):
            raise MemoryError

    monkeypatch.setattr(zstandard, "ZstdDecompressor", Decompressor)
    with pytest.raises(DamagedError, match="10 bytes of memory"):
        decompress(zstandard.ZstdCompressor().compress(bytes(10)), 10)


# ---- texts from outside


def test_keys_and_paths_are_printed_without_control_characters():
    wild = "a b\x1b[2J\u202e\u2028\ud800"
    text = str(DamagedError("x", path=wild, record=1, key=wild))
    assert text.isprintable() and text.count("a b\\x1b[2J\\u202e\\u2028\\ud800") == 2
    assert str(pure.Finding("f", "text " + wild, 1, wild)).isprintable()


def test_foreign_names_are_printed_without_control_characters(pack):
    folder = pack("bits")
    (folder / "a\x1b\u202eb").touch()
    notes = pure.verify(folder).notes
    assert len(notes) == 1 and notes[0].startswith("a\\x1b\\u202eb: ")
