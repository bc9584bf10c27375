"""Verification: every rule, each broken once behind right checksums, and the same decision as the command's on damaged packs."""

import json
import math
import random
import re
import shutil
import subprocess
import sys
from fractions import Fraction

import pytest
from conftest import ROOT
from sealed import compact, seal_manifest, shard_of

from hotpack import pure
from hotpack.pure.audit import ShardSummary
from hotpack.pure.fit import fit_region
from hotpack.pure.statistics import Sums


verify_module = sys.modules["hotpack.pure.verify"]  # the package's name `verify` is the function


def texts(report):
    return [str(finding) for finding in report.findings]


def test_golden_packs_are_right(golden):
    report = pure.verify(golden)
    assert report.ok and report.aligned and not report.notes
    assert report.records == len(pure.open(golden)) and report.shards == len(list(golden.glob("*.safetensors")))
    assert report.size_bytes == sum(path.stat().st_size for path in golden.glob("*.safetensors"))
    assert str(report).endswith("0 findings")


def test_every_damaged_record_is_found(pack):
    folder = pack("bits")
    shard = shard_of(folder)
    shard.tensors["image"].data[7] ^= 1
    shard.tensors["label"].data[-1] ^= 1
    shard.write(seal=False)
    report = pure.verify(folder)
    assert [(f.file, f.record, f.key) for f in report.findings] == [(shard.path.name, 0, "road/0"), (shard.path.name, 1, "road/1")]
    assert not report.ok and "2 findings" in str(report)


# ---- one shard


def schema_change(change):
    def apply(shard):
        schema = shard.schema()
        change(schema)
        shard.set_schema(schema)

    return apply


def record_change(name, at, value):
    """Changes a byte of a payload, and the checksum of its record."""

    def apply(shard):
        shard.tensors[name].data[at] = value
        shard.seal_records()

    return apply


def item(name, number, value):
    return lambda shard: shard.tensors[name].set(number, value)


def filler(shard):
    shard.tensors["_pad.1"].data[3] = 1


def swap_metadata(shard):
    shard.metadata = dict(reversed(shard.metadata.items()))


def add_page(shard):
    shard.header_bytes += 4096


def another_place(shard):
    names = list(shard.tensors)
    names.remove("source.hash")
    names.insert(names.index("shard.sums") + 1, "source.hash")
    shard.tensors = {name: shard.tensors[name] for name in names}


SHARDS = [
    ("bits", filler, r"the filler _pad.1 has a byte that is not zero"),
    ("bits", swap_metadata, r"not in canonical form"),
    ("bits", add_page, r"the header has \d+ bytes, expected \d+"),
    ("bits", another_place, r'the tensor "shard.sums" at \d+ is where source.hash'),
    ("bits", schema_change(lambda s: s["options"].update(threads=2)), r"options.threads: must not be in a schema"),
    ("bits", schema_change(lambda s: s["options"].update(more=[{"a": 0.5}])), r"options.more: contains a number that is not an integer"),
    ("bits", schema_change(lambda s: s["options"].update(label_kind="auto")), r'options.label_kind: "auto" is none of'),
    ("bits", schema_change(lambda s: s["options"].update(size_mismatch="skip")), r'options.size_mismatch: "skip" is none of'),
    ("bits", schema_change(lambda s: s["geometry"].update(fit="zoom")), r'geometry.fit: "zoom" is none of'),
    ("bits", schema_change(lambda s: s["geometry"].update(image_filter="box")), r"geometry.image_filter"),
    ("bits", schema_change(lambda s: s["geometry"].update(label_filter="linear")), r"geometry.label_filter"),
    ("bits", schema_change(lambda s: s["geometry"].update(pad_color=[0])), r"one number per channel, in all 3"),
    ("bits", schema_change(lambda s: s["classes"][1].update(name="0")), r'classes\[1\].name: "0" is the name of another class too'),
    ("bits", schema_change(lambda s: s["classes"][1].update(name="")), r"classes\[1\].name: must not be empty"),
    ("bits", schema_change(lambda s: s["classes"][1].update(sources=[255])), r"ignore.sources: 255 occurs twice"),
    ("bits", schema_change(lambda s: s["options"].update(engines=["zstd:1"])), r"compressed with zstd \(options.engines\), but no"),
    ("zstd", schema_change(lambda s: s["options"].update(engines=[])), r"the header does not say so"),
    ("bits", schema_change(lambda s: s.update(classes=s.pop("classes"))), r"hotpack.schema differs from its canonical JSON from byte \d+"),
    ("bits", lambda s: s.metadata.update({"hotpack.plan": s.metadata["hotpack.plan"].replace(",", ", ")}), r"hotpack.plan differs from its canonical JSON"),
    ("bits", record_change("label", 1, 0b1000), r"record 0 \(road/0\): label: 1 vectors with bits beyond class 10; the first at x 0, y 0 has 8"),
    ("bits", record_change("label", 4, 0b11), r"label: 1 vectors with more than one class.* x 2, y 0 has 2"),
    ("bits", record_change("image", 40, 77), r"shard.sums: sum of channel 1 is \d+, but the records have \d+"),
    ("one_hot", record_change("label", 31, 7), r"one-hot bytes other than 0 and 1; the first at x 0, y 1 has 7"),
    ("one_hot", lambda s: s.tensors["label"].data.__setitem__(slice(0, 3), b"\1\1\1") or s.seal_records(), r"more than one class"),
    ("index", record_change("label", 9, 4), r"1 ids of no class \(there are 4 classes\); the first at x 1, y 1 has 4"),
    ("index_16_bit", record_change("label", 1, 1), r"ids of no class|shard.sums"),
    ("class_folders", record_change("label", 1, 2), r"shard.sums: (pixels|samples) "),
    ("bits", item("label.classes", 1, 1), r"record 0 \(road/0\).*label.classes says 1 pixels of class 0, but the label has \d+"),
    ("bits", item("label.classes", 43, 1), r"record 1 \(road/1\).*label.classes says 1 pixels of class 10, but the label has \d+"),
    ("bits", item("source.hash", 0, 0), r"source.hash of its image is 0"),
    ("bits", item("source.hash", 1, 0), r"source.hash of its label is 0, though it has a label file"),
    ("unlabelled", item("source.hash", 1, 5), r"source.hash of its label is not 0, though it has no label file"),
    ("bits", item("source.size", 1, 0), r"source.size is not the size of an image: 12x0"),
    ("bits", item("source.region", 4, 2), r"record 1 \(road/1\): source.region is 2,-2 9x14, but the fit in the schema gives 1,-2 9x14"),
    ("mixed_sizes", item("source.size", 0, 6), r"image.shape is 5x9 pixels, but source.size is 6x9"),
    ("bits", item("shard.sums", 3, 1), r"shard.sums: sum of squares of channel 0 is 1, but"),
    ("bits", item("shard.sums", 7, 0), r"shard.sums: ignored pixels is 0, but the records have"),
    ("bits", item("shard.sums", 11, 99), r"shard.sums: labeled pixels of the samples that contain class 0"),
]


@pytest.mark.parametrize(("name", "change", "reason"), SHARDS, ids=[f"{name}: {reason[:40]}" for name, _, reason in SHARDS])
def test_a_shard_that_breaks_a_rule_is_found(pack, name, change, reason):
    folder = pack(name)
    shard = shard_of(folder)
    change(shard)
    shard.write()
    seal_manifest(folder)
    found = texts(pure.verify(folder))
    assert any(re.search(reason, text) and text.startswith(shard.path.name) for text in found), found


# ---- the manifest and the whole


def statistics_change(name, value):
    return lambda manifest: manifest["statistics"].update({name: value})


WHOLES = [
    ("bits", lambda m: m["shards"][0].update(digest="xxh3-128:" + "0" * 32), r"dataset.json: shard-00000-of-00002.safetensors: digest is"),
    ("bits", lambda m: m["shards"][1].update(sources="xxh3-128:" + "0" * 32), r"sources is xxh3-128:0+, the shard has"),
    ("bits", lambda m: m["shards"][1].update(bytes=8500), r"bytes is 8500, the shard has"),
    ("index", lambda m: (m["shards"][0].update(records=1), m.update(skipped=2)), r"records is 1, the shard has 2"),
    ("index", lambda m: m["statistics"].update(ignored=1), r"statistics.ignored is 1, but the shards' sums give \d+"),
    ("index", statistics_change("pixels", [1, 2, 3, 4]), r"statistics.pixels\[0\] is 1, the shards' sums are"),
    ("index", statistics_change("mean", [0.5, None, 1e-05]), r"statistics.mean\[0\] is 0.5, the shards' sums are 0\.\d+"),
    ("index", statistics_change("weights", {"inverse": [None] * 4, "median": [1] * 4}), r"statistics.weights.inverse\[0\] is null"),
    ("index", lambda m: m["plan"].update(keys="xxh3-128:" + "1" * 32), r"hotpack.plan differs from the manifest's plan"),
]


@pytest.mark.parametrize(("name", "change", "reason"), WHOLES, ids=[reason[:40] for _, _, reason in WHOLES])
def test_a_manifest_that_differs_from_the_shards_is_found(pack, name, change, reason):
    folder = pack(name)
    seal_manifest(folder, change, shards=False)
    found = texts(pure.verify(folder))
    assert any(re.search(reason, text) for text in found), found


def test_a_manifest_in_another_form_is_found(pack):
    folder = pack("index")
    seal_manifest(folder, lambda m: m.update(fingerprint=m.pop("fingerprint")), shards=False)
    assert [text for text in texts(pure.verify(folder)) if "not the canonical form of its contents (at byte" in text]


def test_keys_must_rise_and_be_unique(pack):
    folder = pack("bits")
    for key, reason in ((b"road/9", "comes after 'road/9', which is not the order of their bytes"), (b"road/2", r"its key is in .*00000.*, record 1, too")):
        shard = shard_of(folder)
        shard.tensors["key.data"].data[6:] = key
        shard.write()
        seal_manifest(folder)
        found = texts(pure.verify(folder))
        assert any(re.search(reason, text) for text in found) and any("plan.keys is" in text for text in found)


def test_shuffled_keys_have_the_order_of_their_hashes(pack):
    folder = pack("chw")
    shard = shard_of(folder)
    shard.tensors["key.data"].data[:] = b"0123"
    shard.write()
    seal_manifest(folder)
    assert any("which is not the order that the shuffle's seed 3 gives" in text for text in texts(pure.verify(folder)))


def test_skipped_samples_must_add_up(pack):
    folder = pack("index")
    shard = shard_of(folder)
    shard.tensors["shard.sums"].set(8, 0)
    shard.write()
    seal_manifest(folder)
    assert "dataset.json: skipped is 1, but the shards' sums give 0" in texts(pure.verify(folder))


def test_shards_of_one_size_have_equal_boundaries(pack):
    """Two records in the first shard, then three planned ones in the last."""
    folder = pack("bits")
    for index, plan in enumerate(({"samples": 5}, {"samples": 5})):
        shard = shard_of(folder, index)
        shard.metadata["hotpack.plan"] = compact(json.loads(shard.metadata["hotpack.plan"]) | plan)
        if index == 1:
            shard.tensors["shard.sums"].set(8, 2)
        shard.write()
    seal_manifest(folder, lambda m: m.update(skipped=2))
    assert any("has 3 planned samples, but the first shard has 2" in text for text in texts(pure.verify(folder)))


def test_unaligned_shards_are_a_note_and_a_finding(pack):
    folder = pack("bits")
    shard = shard_of(folder)
    tensors = dict(shard.tensors)
    del tensors["_pad.0"]
    shard.tensors = tensors
    shard.write()
    seal_manifest(folder)
    report = pure.verify(folder)
    assert not report.aligned and any("not aligned" in note for note in report.notes) and not report.ok
    assert len(pure.open(folder)[0].image) == 10  # it can still be read


# ---- the folder


def test_foreign_and_temporary_files_are_notes(pack):
    folder = pack("bits")
    (folder / "notes.txt").write_text("x")
    (folder / ".dataset.json.0123456789abcdef.tmp").write_text("x")
    report = pure.verify(folder)
    assert report.ok and report.notes == [
        ".dataset.json.0123456789abcdef.tmp: a temporary file of an interrupted or running pack; the next run removes it",
        "notes.txt: not a file of this data set",
    ]


def test_missing_and_surplus_shards_are_found(pack):
    folder = pack("bits")
    paths = [shard_of(folder, index).path for index in (0, 1)]
    shutil.move(paths[1], folder / "shard-00007-of-00009.safetensors")
    found = texts(pure.verify(folder))
    assert f"{paths[1].name}: missing, though the manifest names it" in found
    assert "shard-00007-of-00009.safetensors: is in the folder, but not in the manifest" in found


def test_a_partition_is_a_note(pack):
    folder = pack("bits")
    (folder / "dataset.json").unlink()
    report = pure.verify(folder)
    assert [finding.file for finding in report.findings] == ["dataset.json"] and "all 2 shards of the pack were found" in report.notes[0]
    shard_of(folder, 1).path.unlink()
    assert "1 of the 2 shards of this pack were found" in pure.verify(folder).notes[0]


def test_a_shard_under_another_name_is_found(pack):
    folder = pack("bits")
    (folder / "dataset.json").unlink()
    shutil.move(shard_of(folder, 1).path, folder / "shard-00001-of-00003.safetensors")
    assert any("its name says 3 shards, but hotpack.plan says 2" in text for text in texts(pure.verify(folder)))


# ---- the worked example of FORMAT.md


def test_the_worked_example_is_a_right_shard(tmp_path):
    """Section 20: the shard's bytes, from the page; its manifest, from the page's words."""
    page = (ROOT / "src" / "format" / "FORMAT.md").read_text(encoding="utf-8").split("## 20 Worked example", 1)[1]
    data = bytearray(0x314c)
    at, row = 0, b""
    for line in re.search(r"```hex\n(.*?)```", page, re.DOTALL)[1].splitlines():
        if line != "*":
            begin = int(line[:6], 16)
            for place in range(at, begin, 16):
                data[place : place + 16] = row
            row = bytes.fromhex(line[8 : 8 + 47])
            data[begin : begin + len(row)] = row
            at = begin + 16
    name = "shard-00000-of-00001.safetensors"
    (tmp_path / name).write_bytes(data)
    row = {"file": name, "records": 2, "bytes": len(data), "sources": "", "digest": ""}
    statistics = {"mean": [1118 / 9 / 255], "std": [(9 * 203562 - 1118**2) ** 0.5 / 9 / 255], "pixels": [6, 1, 2], "samples": [2, 1, 1], "ignored": 3,
                  "weights": {"inverse": [9 / (3 * 6), 9 / (3 * 1), 9 / (3 * 2)], "median": [0.5, 2, 1]}}
    manifest = {"format": "1.0", "schema": {}, "fingerprint": "", "plan": {}, "statistics": statistics, "skipped": 0, "shards": [row], "check": ""}
    (tmp_path / "dataset.json").write_text(json.dumps(manifest))
    seal_manifest(tmp_path)
    ds = pure.open(tmp_path)
    assert ds[0].image[..., 0].tolist() == [[0xCC, 0x0C, 0x08], [0, 0, 0]] and ds[1].image.tobytes().hex() == "a020c15af1b2"
    assert ds["street/sample 0000"].label.tolist() == [[0, 0, 0], [255, 255, 255]]
    assert (ds[0].source_size, ds[0].region) == ((5, 1), (-1, 0, 5, 1))
    report = pure.verify(tmp_path)
    assert [finding for finding in report.findings if "canonical form of its contents" not in finding.text] == []


# ---- against the command


def damaged_by_command(command, folder):
    done = subprocess.run([command, "verify", "--json", "-j1", folder], capture_output=True, text=True)
    assert done.returncode in (0, 1, 2, 3, 4, 5), done.stderr
    return json.loads(done.stdout)["findings"]


def flip(shard, random_):
    """One random byte of one random tensor, with right checksums of records, header and tables."""
    name = random_.choice([name for name, part in shard.tensors.items() if part.data and name != "shard.crc32c"])
    part = shard.tensors[name]
    at = random_.randrange(len(part.data))
    part.data[at] ^= 1 << random_.randrange(8)
    if random_.random() < 0.8:
        shard.seal_records()
    return name, at


def test_decisions_equal_those_of_the_command(golden, command, tmp_path):
    """Random single damage behind right checksums: both find the same records damaged."""
    random_ = random.Random(golden.name)
    for turn in range(20):
        folder = shutil.copytree(golden, tmp_path / str(turn))
        shard = shard_of(folder)
        name, at = flip(shard, random_)
        shard.write()
        seal_manifest(folder)
        mine = {(finding.file, finding.record) for finding in pure.verify(folder).findings}
        theirs = {(finding["file"], finding.get("record")) for finding in damaged_by_command(command, folder)}
        if name.startswith("key.") or name.endswith((".offsets", ".shape", ".classes")):  # hotpack.pure then examines no record of the shard
            assert {file for file, _ in mine} <= {file for file, _ in theirs} and bool(mine) == bool(theirs), (name, at, mine, theirs)
        else:
            assert mine == theirs, (name, at, mine, theirs)


# ---- rules in parts of their own


def summary(records, content, first):
    sums = Sums.zero(3, 0)
    return ShardSummary("shard", records, sums, content, first, True)


@pytest.mark.parametrize(
    ("shards", "is_right"),
    [
        ([(2, 100, 50), (1, 60, 60)], True),  # 100 fit, 160 did not
        ([(2, 100, 50), (3, 90, 30), (1, 10, 10)], False),  # 100 with the last shard's 10 would have fitted where 100 did: no size explains both
        ([(3, 100, 50), (1, 90, 90), (2, 95, 40)], True),
        ([(1, 500, 500), (2, 100, 50), (1, 20, 20)], True),  # one record may be larger than the shard size
        ([(3, 10, 1), (3, 500, 1), (2, 5, 1)], True),  # as many in each
        ([(3, 200, 50), (1, 10, 10), (2, 30, 15)], False),
    ],
)
def test_shards_of_other_sizes_have_explained_boundaries(shards, is_right):
    """Some shard size S: each shard of several records has at most S bytes, and more with the next record (FORMAT.md, section 14)."""
    largest = max(content for records, content, _ in shards if records > 1)
    smallest = min(content + shards[i + 1][2] for i, (_, content, _) in enumerate(shards[:-1]))
    equal = len({records for records, *_ in shards[:-1]}) == 1 and shards[-1][0] <= shards[0][0]
    assert is_right == (largest < smallest or equal)
    verification = verify_module._Verification("")
    verify_module._check_mixed_boundaries([summary(*one) for one in shards], verification)
    assert (verification.report.findings == []) == is_right


def rounded(length, to, of):
    """length · to / of, halves up."""
    return max(1, math.floor(Fraction(length * to, of) + Fraction(1, 2)))


@pytest.mark.parametrize("record", [(7, 5), (5, 7), (6, 6), (1, 9)])
@pytest.mark.parametrize("source", [(14, 10), (15, 10), (10, 15), (6, 6), (1, 1), (100, 3), (3, 100), (7, 5)])
def test_regions_follow_from_the_fit(source, record):
    (w, h), (width, height) = source, record
    by_width, by_height = (width, rounded(h, width, w)), (rounded(w, height, h), height)
    inside = [size for size in (by_width, by_height) if size[0] <= width and size[1] <= height]
    outside = [size for size in (by_width, by_height) if size[0] >= width and size[1] >= height]
    assert fit_region("stretch", "center", source, record) == (0, 0, width, height)
    assert fit_region("crop-or-pad", "top-left", source, record) == (0, 0, w, h)
    assert fit_region("contain", "top-left", source, record)[2:] in inside
    assert fit_region("cover", "top-left", source, record)[2:] in outside
    for fit, side, decides in (("long-side", max(record), max), ("short-side", min(record), min)):
        found = fit_region(fit, "top-left", source, record)[2:]
        assert decides(found) == side and found in ((side, rounded(h, side, w)), (rounded(w, side, h), side))


def test_centers_are_the_examples_of_the_page():
    for source, target, offset in ((720, 512, -104), (721, 512, -104), (375, 512, 68), (513, 512, 0)):
        assert fit_region("crop-or-pad", "center", (source, 9), (target, 9)) == (offset, 0, source, 9)
