"""Data sets: indexes, keys, several folders, statistics, pickling."""

import pickle
import shutil
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from conftest import GOLDEN, ROOT, golden_pack
from sealed import seal_manifest, shard_of

import hotpack
from hotpack import pure


@pytest.fixture
def ds():
    return pure.open(golden_pack("bits"))  # three samples in two shards


def test_indexes_are_those_of_a_sequence(ds):
    keys = ["road/0", "road/1", "road/2"]
    assert [ds[i].key for i in range(3)] == keys
    assert [ds[-i].key for i in (3, 2, 1)] == keys
    assert ds[np.int64(1)].key == ds[np.uint8(1)].key == "road/1"
    assert [sample.key for sample in ds] == keys
    assert [sample.key for sample in reversed(ds)] == keys[::-1]


def test_slices_are_lists_of_samples(ds):
    for part in (slice(None), slice(1, None), slice(None, None, -1), slice(5, 9), slice(-2, None), slice(0, 3, 2)):
        assert [sample.number for sample in ds[part]] == list(range(3))[part]


@pytest.mark.parametrize("index", [3, -4, np.int64(99)])
def test_numbers_outside_raise_index_error(ds, index):
    with pytest.raises(IndexError, match="the data set has 3"):
        ds[index]


def test_other_types_raise_type_error(ds):
    for index in (1.0, None, (0, 1), b"road/0", Fraction(1)):
        with pytest.raises(TypeError):
            ds[index]


def test_keys_find_samples(ds):
    assert ds["road/2"] == ds[2] and ds["road/2"] != ds[1]
    with pytest.raises(KeyError, match="road/3"):
        ds["road/3"]
    assert "road/1" in ds and "road/3" not in ds and ds[1] in ds


def test_keys_are_a_sequence(ds):
    keys = ds.keys
    assert list(keys) == [keys[i] for i in range(len(keys))] == ["road/0", "road/1", "road/2"]
    assert (keys[-1], keys[1:], keys[np.int32(0)]) == ("road/2", ["road/1", "road/2"], "road/0")
    assert "road/0" in keys and "road" not in keys and 0 not in keys
    assert keys.index("road/2") == 2
    with pytest.raises(ValueError):
        keys.index("nothing")
    with pytest.raises(ValueError):
        keys.index("road/2", 0, 2)
    with pytest.raises(IndexError):
        keys[3]


def test_samples_tell_their_source(ds):
    """The sources are 12x10, 9x14 and 17x7 pixels, cropped or padded to 12x10 (FORMAT.md, section 13)."""
    assert [sample.source_size for sample in ds] == [(12, 10), (9, 14), (17, 7)]
    assert [sample.region for sample in ds] == [(0, 0, 12, 10), (1, -2, 9, 14), (-2, 1, 17, 7)]


def test_paths_may_be_text_bytes_or_path_objects():
    path = golden_pack("bits")
    for form in (str(path), bytes(path), path):
        assert pure.open(form)["road/1"].number == 1
    with pytest.raises(TypeError):
        pure.open(3)


def test_names_that_are_not_utf8_are_opened(pack, tmp_path):
    name = bytes(tmp_path) + b"/p\xe4ck"
    shutil.move(bytes(pack("bits")), name)
    assert len(pure.open(name)) == 3


def test_repr_shows_what_a_data_set_holds(ds):
    assert "3 samples, images 12x10 rgb, 11 classes per pixel" in repr(ds)
    assert "of their own sizes" in repr(pure.open(golden_pack("mixed_sizes")))
    assert "2 classes per image" in repr(pure.open(golden_pack("class_folders")))
    assert "no labels" in repr(pure.open(golden_pack("unlabelled")))
    assert "1 'road/1' 12x10x3" in repr(ds[1])


def test_weights_follow_their_definitions(ds):
    pixels = np.array([one.pixels for one in ds.classes], float)
    np.testing.assert_allclose(ds.class_weights("inverse"), pixels.sum() / (len(pixels) * pixels), rtol=1e-6)
    labels = [sample.one_hot().reshape(-1, len(pixels)) for sample in ds]
    labeled = sum(label.any(axis=1).sum() * label.any(axis=0) for label in labels)
    share = pixels / labeled
    np.testing.assert_allclose(ds.class_weights(), np.median(share) / share, rtol=1e-6)
    with pytest.raises(ValueError, match="neither"):
        ds.class_weights("mean")


def test_mean_and_std_are_those_of_the_pixels():
    ds = pure.open(golden_pack("tiles"))  # its records have no padding
    pixels = np.concatenate([sample.image.reshape(-1, 3) for sample in ds]) / 255
    np.testing.assert_allclose(ds.mean, pixels.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(ds.std, pixels.std(axis=0), rtol=1e-6)


# ---- several folders


def test_several_folders_follow_each_other(ds, pack):
    again = pack("bits")
    both = pure.open(golden_pack("bits"), again)
    assert len(both) == 6 and list(both.keys) == ["road/0", "road/1", "road/2"] * 2
    assert both["road/1"].number == 1  # that of the first folder
    assert np.array_equal(both[4].image, ds[1].image)
    assert [one.pixels for one in both.classes] == [2 * one.pixels for one in ds.classes]
    assert both.ignored_pixels == 2 * ds.ignored_pixels
    np.testing.assert_array_equal(both.mean, ds.mean)
    np.testing.assert_array_equal(both.class_weights(), ds.class_weights())


def test_a_joined_fingerprint_is_that_of_all_texts(ds, pack):
    """The xxHash library made this of the fingerprint's text and a zero byte, both twice."""
    assert pure.open(golden_pack("bits"), pack("bits")).fingerprint == "xxh3-128:7c77622c012843d35320b40bafd25b23"


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("bits", "one_hot", "class 0 is '0' without a color in the first, 'sky' (70,130,180) in the second"),
        ("bits", "mixed_sizes", "the number of classes is 11 in the first, 9 in the second"),
        ("bits", "unlabelled", "the number of classes is 11 in the first, 0 in the second"),
    ],
)
def test_packs_that_differ_are_refused(one, other, reason):
    with pytest.raises(hotpack.UsageError, match="cannot be read as one data set") as caught:
        pure.open(golden_pack(one), golden_pack(other))
    assert caught.value.message.endswith(reason)


def test_packs_of_two_layouts_are_refused(pack):
    other = pack("chw")
    shard = shard_of(other)
    schema = shard.schema()
    schema["fields"]["image"] |= {"layout": "hwc", "shape": [5, 7, 3]}
    shard.tensors["image"].shape = [4, 5, 7, 3]
    shard.set_schema(schema)
    shard.write()
    seal_manifest(other)
    with pytest.raises(hotpack.UsageError, match="image.layout is chw in the first, hwc in the second"):
        pure.open(golden_pack("chw"), other)


def test_packs_of_other_sizes_are_joined():
    both = pure.open(golden_pack("zstd"), golden_pack("zstd"))
    assert both.image_shape == (8, 12, 3)
    mixed = pure.open(golden_pack("mixed_sizes"), golden_pack("mixed_sizes_zstd"))
    assert mixed.image_shape is None and np.array_equal(mixed[0].image, mixed[3].image)


def test_no_folder_is_a_usage_error():
    with pytest.raises(hotpack.UsageError, match="no folder"):
        pure.open()


def test_an_unknown_policy_is_a_usage_error():
    with pytest.raises(hotpack.UsageError, match="verify_checksums"):
        pure.open(golden_pack("bits"), verify_checksums="sometimes")


# ---- pickling


def test_a_pickled_data_set_reads_the_same_samples(ds):
    copy = pickle.loads(pickle.dumps(ds))
    assert copy.fingerprint == ds.fingerprint and [s.key for s in copy] == [s.key for s in ds]
    sample = pickle.loads(pickle.dumps(ds[2]))
    assert sample.key == "road/2" and np.array_equal(sample.image, ds[2].image)


def test_pickles_hold_absolute_paths(pack, monkeypatch, tmp_path):
    pack("bits")
    monkeypatch.chdir(tmp_path)
    data = pickle.dumps(pure.open("pack"))
    monkeypatch.chdir("/")
    assert len(pickle.loads(data)) == 3


def test_another_pack_at_the_path_is_refused(pack, tmp_path):
    data = pickle.dumps(pure.open(pack("bits")))
    shutil.rmtree(tmp_path / "pack")
    pack("tiles")
    with pytest.raises(hotpack.UsageError, match="another pack lies there now") as caught:
        pickle.loads(data)
    assert caught.value.path == str(tmp_path / "pack")


def test_errors_can_be_pickled():
    error = hotpack.DamagedError("broken", path="a", offset=1, record=2, key="k")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.record, copy.key) == ("a: record 2 (k): broken (at byte 1)", 2, "k")
    error = hotpack.IoError.of("cannot open", "x", FileNotFoundError(2, "No such file"))
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.errno, copy.filename) == ("x: cannot open: No such file", 2, "x")


def test_errors_are_those_of_python_too():
    assert issubclass(hotpack.UsageError, ValueError) and issubclass(hotpack.DataError, ValueError)
    assert issubclass(hotpack.IoError, OSError) and issubclass(hotpack.TimeoutError, TimeoutError)
    kinds = (hotpack.UsageError, hotpack.DataError, hotpack.IoError, hotpack.DamagedError, hotpack.TimeoutError, hotpack.CancelledError, hotpack.InternalError)
    assert all(issubclass(kind, hotpack.Error) for kind in kinds)
    assert "\n" not in str(hotpack.DamagedError("x", path="a\nb")) and "ä" in str(hotpack.DamagedError("x", path="ä"))


# ---- resources


def test_few_shards_stay_open_and_all_can_be_read(ds):
    ds._most_open = 1
    first = ds[0].image
    assert [sample.key for sample in (ds[2], ds[0], ds[2])] == ["road/2", "road/0", "road/2"]
    assert len(ds._open) == 1 and first.sum() == ds[0].image.sum()


def test_a_list_of_samples_keeps_few_shards_open(ds):
    ds._most_open = 1
    samples = list(ds)
    assert [sample.key for sample in samples] == ["road/0", "road/1", "road/2"]
    assert len(ds._open) == 1


def test_shards_without_records_are_passed_over(pack):
    """A pack of three planned samples whose first shard holds none."""
    folder = pack("bits")
    first, second = shard_of(folder, 0), shard_of(folder, 1)
    empty = shard_of(folder, 0)
    for name, part in empty.tensors.items():
        if name in ("label.classes.offsets", "key.offsets"):
            part.shape, part.data = [1], bytearray(8)
        elif name == "shard.sums":
            part.data[:] = bytes(len(part.data))
        elif name not in ("shard.crc32c",):
            part.shape, part.data = [0, *part.shape[1:]], bytearray()
    empty.tensors = {name: part for name, part in empty.tensors.items() if not name.startswith("_pad")}
    empty.tensors["shard.sums"].set(8, 2)  # skipped samples
    empty.write()
    seal_manifest(folder, lambda manifest: manifest.update(skipped=2))
    ds = pure.open(folder)
    assert [len(ds), ds[0].key, ds["road/2"].number] == [1, "road/2", 0]
    assert first.records() == 2 and second.records() == 1


def test_the_reader_needs_numpy_alone():
    script = "import sys, hotpack.pure\nprint(*sorted({name.split('.')[0] for name in sys.modules} - sys.stdlib_module_names))"
    done = subprocess.run([sys.executable, "-c", script], env={"PYTHONPATH": str(ROOT / "src" / "python")}, capture_output=True, text=True)
    assert {name for name in done.stdout.split() if not name.startswith("_")} <= {"hotpack", "numpy", "sitecustomize", "distutils"}, done


def test_version_is_that_of_the_project():
    assert f"project(hotpack VERSION {hotpack.__version__} " in (ROOT / "CMakeLists.txt").read_text()


def test_public_names_are_documented():
    for module in (hotpack, pure):
        for name in module.__all__:
            if name != "__version__":
                assert len(getattr(module, name).__doc__ or "") > 20, name
