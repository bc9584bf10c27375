"""Data sets and samples of the compiled package: equal to those of hotpack.pure, which shares no code with them."""

import io
import os
import pickle
import shutil

import numpy as np
import pytest
from conftest import GOLDEN, golden_pack

import hotpack
from hotpack import pure
from hotpack.rows import Rows


@pytest.fixture
def ds():
    return hotpack.open(golden_pack("bits"))


def forms_of(data):
    """What can be asked of each label: (name, function of a sample)."""
    if data._core.label is None:
        return []
    forms = [("bits", lambda s: s.label_bits)]
    forms += [(f"one_hot {t} {o}", lambda s, t=t, o=o: s.one_hot(t, o)) for t in ("uint8", "float16", "float32") for o in ("NHWC", "NCHW")]
    if not data._core.label[2]:
        forms += [(f"ids {t}", lambda s, t=t: s.ids(t)) for t in (None, "int32", "int64")]
    return forms


def test_samples_equal_those_of_the_pure_reader(golden):
    data, other = hotpack.open(golden), pure.open(golden)
    assert len(data) == len(other) and data.fingerprint == other.fingerprint and data.image_shape == other.image_shape
    for mine, theirs in zip(data, other):
        assert (mine.key, mine.source_size, mine.region, mine.number) == (theirs.key, theirs.source_size, theirs.region, theirs.number)
        assert np.array_equal(mine.image, theirs.image) and mine.image.dtype == np.uint8 and not mine.image.flags.writeable
        for name, form in forms_of(data):
            a, b = form(mine), form(theirs)
            assert a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b), name


def test_facts_equal_those_of_the_pure_reader(golden):
    data, other = hotpack.open(golden), pure.open(golden)
    assert [vars_of(c) for c in data.classes] == [vars_of(c) for c in other.classes]
    for name in ("mean", "std"):
        assert np.array_equal(getattr(data, name), getattr(other, name), equal_nan=True)
    for kind in ("median", "inverse"):
        assert np.array_equal(data.class_weights(kind), other.class_weights(kind), equal_nan=True)
    assert data.ignored_pixels == other.ignored_pixels and list(data.keys) == list(other.keys)


def vars_of(info):
    return info.id, info.name, info.color, info.sources, info.pixels, info.samples


def test_indexes_are_those_of_a_sequence(ds):
    keys = ["road/0", "road/1", "road/2"]
    assert [ds[i].key for i in range(-3, 3)] == keys + keys
    assert ds[np.int64(1)].key == ds["road/1"].key == "road/1" and [s.key for s in ds[::-1]] == keys[::-1]
    assert [s.key for s in ds] == keys and "road/1" in ds and "road" not in ds and ds[1] in ds
    with pytest.raises(IndexError, match="there is no sample 3; the data set has 3"):
        ds[3]
    with pytest.raises(KeyError, match="road/3"):
        ds["road/3"]
    for index in (1.0, None, b"road/0"):
        with pytest.raises(TypeError):
            ds[index]


def test_keys_are_a_sequence(ds):
    keys = ds.keys
    assert list(keys) == keys[:] == ["road/0", "road/1", "road/2"] and keys[-1] == "road/2" and keys[::2] == ["road/0", "road/2"]
    assert keys.index("road/2") == 2 and "road/0" in keys and 0 not in keys
    with pytest.raises(ValueError):
        keys.index("nothing")


def test_read_gives_any_samples_in_any_order(golden):
    data = hotpack.open(golden)
    label = None
    if data._core.label:
        label = hotpack.OneHot("float32", "NCHW") if data._core.label[2] else hotpack.Ids("int64", ignore_index=-1)
    numbers = [len(data) - 1, 0, len(data) - 1] if data.image_shape else [0]
    batch = data.read(numbers, image=hotpack.Image("float32", "NCHW"), label=label)
    for row, number in enumerate(numbers):
        sample = data[number]
        assert np.array_equal(batch.image[row], np.moveaxis(sample.image.astype(np.float32) / np.float32(255), -1, 0))
        if isinstance(label, hotpack.Ids):
            assert np.array_equal(batch.label[row], sample.ids("int64", ignore_index=-1))
        elif label:
            assert np.array_equal(batch.label[row], sample.one_hot("float32", "NCHW"))
    assert batch.keys == [data.keys[number] for number in numbers] and batch.indices.tolist() == numbers and batch.batch_size == len(numbers)
    assert batch.crops.tolist() == [[0, 0, data[number].image.shape[1], data[number].image.shape[0], 0, 0] for number in numbers]
    batch.release()
    assert batch.batch_size == len(numbers) and repr(batch) == "<hotpack.Batch released>"
    with pytest.raises(hotpack.UsageError, match="released"):
        batch.image


def test_read_fills_the_arrays_that_it_is_given(ds):
    images, labels = np.zeros((2, 10, 12, 3), np.uint8), np.zeros((2, 10, 12), np.uint8)
    batch = ds.read(np.array([2, -3]), out=(images, labels))
    assert batch.image is images and np.array_equal(images[1], ds[0].image) and np.array_equal(labels[0], ds[2].label)
    with pytest.raises(hotpack.UsageError, match="the image array has 360 bytes, but the batch needs 720"):
        ds.read([0, 1], out=(images[:1].copy(), labels))


def test_read_refuses_what_is_no_number_of_a_sample(ds):
    with pytest.raises(IndexError, match="there is no sample 3"):
        ds.read([0, 3])
    with pytest.raises(TypeError):
        ds.read([0.5])
    with pytest.raises(hotpack.UsageError, match="no indices"):
        ds.read([])


def test_a_subset_counts_its_samples_from_0(ds):
    part = ds.subset([2, 0, 2])
    assert [s.key for s in part] == ["road/2", "road/0", "road/2"] and [s.number for s in part] == [0, 1, 2]
    assert part["road/0"].number == 1 and np.array_equal(part.read([0]).image[0], ds[2].image)
    assert list(ds.subset(np.array([True, False, True])).keys) == ["road/0", "road/2"]
    assert list(part.subset([1]).keys) == ["road/0"] and part.fingerprint != ds.fingerprint
    assert part.subset([1]).fingerprint == ds.subset([0]).fingerprint
    with pytest.raises(hotpack.UsageError, match="mask"):
        ds.subset(np.array([True]))
    with pytest.raises(IndexError):
        ds.subset([3])


def test_a_subset_of_a_subset_pickles_to_its_samples(ds):
    part = ds.subset([2, 0, 1]).subset([2, 0])
    again = pickle.loads(pickle.dumps(part))
    assert list(again.keys) == list(part.keys) == ["road/1", "road/2"]
    assert np.array_equal(again.read([0, 1]).image, ds.read([1, 2]).image)


def test_rows_have_arrays_of_their_own(ds):
    rows = Rows(ds, hotpack.Image(), hotpack.Ids()).read([0, 1])
    for row, sample in zip(rows, ds):
        assert np.array_equal(row["image"], sample.image) and np.array_equal(row["label"], sample.label)
        assert row["image"].base is None and row["label"].base is None


def test_several_folders_are_one_data_set(ds, pack):
    both = hotpack.open(golden_pack("bits"), pack("bits"))
    other = pure.open(*both.folders)
    assert len(both) == 6 and both.fingerprint == other.fingerprint and np.array_equal(both.mean, other.mean)
    assert both["road/1"].number == 1 and list(both.keys) == list(ds.keys) * 2


def test_pickles_hold_the_path_and_refuse_another_pack(pack, monkeypatch, tmp_path):
    folder = pack("bits")
    monkeypatch.chdir(folder.parent)
    data = hotpack.open("pack")
    text, part = pickle.dumps(data), pickle.dumps(data.subset([1]))
    monkeypatch.chdir("/")
    assert pickle.loads(text)[1].key == "road/1" and pickle.loads(part)[0].key == "road/1"
    assert pickle.loads(pickle.dumps(data[2])).key == "road/2"
    shutil.rmtree(folder)
    shutil.copytree(golden_pack("index"), folder)
    for one in (text, part):
        with pytest.raises(hotpack.UsageError, match="another pack lies there now"):
            pickle.loads(one)


def test_names_that_are_not_utf8_and_bytes_are_opened(pack, tmp_path):
    name = bytes(tmp_path) + b"/p\xff"
    shutil.copytree(os.fsencode(pack("bits")), name)
    data = hotpack.open(name)
    assert data[0].key == "road/0" and data.folders[0].endswith("p\udcff") and "\\udcff" in repr(data)
    with pytest.raises(hotpack.IoError) as caught:
        hotpack.open(name + b"/none")
    assert caught.value.path.endswith("p\udcff/none/dataset.json")


def test_folders_that_are_no_packs_raise_errors_of_their_kind(pack, tmp_path):
    with pytest.raises(hotpack.UsageError, match="no folder was given"):
        hotpack.open()
    with pytest.raises(OSError, match="is not a pack"):
        hotpack.open(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(hotpack.DamagedError, match="is not a data set"):
        hotpack.open(tmp_path / "empty")
    with pytest.raises(hotpack.UsageError, match="verify_checksums is 'no'"):
        hotpack.open(pack("bits"), verify_checksums="no")
    with pytest.raises(hotpack.UsageError, match="zero byte"):
        hotpack.open("a\0b")


def test_damage_names_path_record_and_key(pack):
    folder = pack("index")
    shard = next(folder.glob("*.safetensors"))
    data = bytearray(shard.read_bytes())
    at = data.index(hotpack.open(folder)[1].image.tobytes()[:64])
    data[at] ^= 1
    shard.write_bytes(data)
    damaged = hotpack.open(folder)
    assert damaged[0].image.size
    with pytest.raises(hotpack.DamagedError, match="CRC-32C") as caught:
        damaged[1].image
    error = caught.value
    assert (error.path, error.record, error.key) == (str(shard), 1, damaged[1].key) and error.offset is not None
    assert str(error).count("record 1") == 1
    again = pickle.loads(pickle.dumps(error))
    assert (again.path, again.record, again.key, str(again)) == (error.path, error.record, error.key, str(error))


def test_samples_of_a_shard_that_was_cut_are_errors(pack):
    for name in ("bits", "zstd", "mixed_sizes"):
        folder = pack(name, name)
        shard = min(folder.glob("*.safetensors"))
        for check in ("first_read", "always", "never"):
            data, whole = hotpack.open(folder, verify_checksums=check), shard.read_bytes()
            samples = [data[0], data[1]]
            assert samples[0].image.size  # so that `first_read` does not check it again
            os.truncate(shard, 4096)
            reads = [lambda: samples[1].image, lambda: samples[1].one_hot(), lambda: data[1], lambda: data.read([1]), lambda: samples[0].image]
            for number, read in zip((1, 1, 1, 1, 0), reads):
                with pytest.raises(hotpack.DamagedError, match="has 4096 now") as caught:
                    read()
                assert (caught.value.path, caught.value.record) == (str(shard), number) and caught.value.offset is not None
            shard.write_bytes(whole)


def test_views_keep_the_file_mapped_after_the_data_set_is_gone():
    for name in ("bits", "zstd", "chw"):
        data = hotpack.open(golden_pack(name))
        image, wanted = data[0].image, data[0].image.copy()
        del data
        assert np.array_equal(image, wanted)


def test_whole_image_labels_are_arrays_without_dimensions():
    data = hotpack.open(golden_pack("class_folders"))
    assert data[0].ids("int64").shape == () and data[0].one_hot().shape == (2,) and data.read([0, 1]).label.shape == (2,)


def test_labels_that_cannot_be_are_refused():
    data = hotpack.open(golden_pack("several_classes"))
    with pytest.raises(hotpack.UsageError, match="several classes"):
        data[0].label
    assert data[0].one_hot().shape == (8, 8, 2)
    with pytest.raises(hotpack.UsageError, match="no label"):
        hotpack.open(golden_pack("unlabelled"))[0].label
    assert hotpack.open(golden_pack("unlabelled")).read([0]).label is None
    with pytest.raises(hotpack.UsageError):
        hotpack.open(golden_pack("bits"))[0].ids("float32")


def test_a_notebook_shows_facts_classes_and_images(golden):
    data = hotpack.open(golden)
    text = data._repr_html_()
    assert text.count("<img") == min(6, len(data)) and "hotpack.Dataset" in text
    assert all(info.name in text for info in data.classes if info.pixels) or not any(info.pixels for info in data.classes)


def test_thumbnails_are_png_files(ds):
    from hotpack.html import png, thumbnail

    pillow = pytest.importorskip("PIL.Image")
    image = ds[0].image
    assert np.array_equal(pillow.open(io.BytesIO(png(thumbnail(image)))), image)
    gray = np.arange(20, dtype=np.uint8).reshape(4, 5, 1)
    assert np.array_equal(pillow.open(io.BytesIO(png(gray))), gray[..., 0])
    assert thumbnail(np.zeros((400, 300, 3), np.uint8)).shape == (134, 100, 3)


def test_show_draws_every_kind_of_pack(golden):
    pytest.importorskip("matplotlib").use("agg")
    figure = hotpack.open(golden).show(2, columns=2)
    assert len(figure.axes) == 2


def test_all_golden_packs_are_opened_at_once():
    held = [hotpack.open(pack) for pack in GOLDEN]
    assert sum(map(len, held)) == sum(len(pure.open(pack)) for pack in GOLDEN)


def test_the_order_of_an_epoch_can_be_asked_of_a_data_set(golden):
    data = hotpack.open(golden)
    wanted = hotpack.epoch_order(len(data), 1, 9, 2)
    assert np.array_equal(hotpack.epoch_order(data, 1, 9, 2), wanted)
    assert np.array_equal(hotpack.epoch_order(pure.open(golden), 1, 9, 2), wanted)


def test_the_order_of_an_epoch_is_that_of_the_loader(ds):
    loader = hotpack.Loader(ds, 1, seed=9, label=None)
    loader.set_epoch(2)
    assert [batch.indices.tolist() for batch in loader] == hotpack.epoch_order(ds, 1, 9, 2).tolist()
    with pytest.raises(TypeError, match="data is a Loader"):
        hotpack.epoch_order(loader, 1)
