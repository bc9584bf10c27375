"""Labels of every storage become ids, one-hot elements and bits, also where the stored values are wrong."""

import numpy as np
import pytest

from hotpack import UsageError
from hotpack.pure.labels import class_ids, label_bits, one_hot

COUNTS = (1, 7, 8, 9, 16, 21, 255)


def drawn(classes):
    """Ids of 6 x 5 pixels; −1 is ignored."""
    return np.random.default_rng(classes).integers(-1, classes, (6, 5))


def stored(ids, storage, classes):
    """The three storages, by FORMAT.md section 5."""
    elements = (ids[..., None] == np.arange(classes)).astype(np.uint8)
    if storage == "onehot":
        return elements
    if storage == "bits":
        sums = [sum(elements[..., c].astype(int) << (c % 8) for c in range(first, min(first + 8, classes))) for first in range(0, classes, 8)]
        return np.stack(sums, axis=-1).astype(np.uint8)
    most = 255 if classes <= 255 else 65535
    return np.where(ids < 0, most, ids).astype(np.uint8 if classes <= 255 else np.uint16)


@pytest.mark.parametrize("storage", ["bits", "onehot", "index"])
@pytest.mark.parametrize("classes", [*COUNTS, 256, 300])
def test_every_storage_gives_the_same_labels(storage, classes):
    ids = drawn(classes)
    label = stored(ids, storage, classes)
    assert np.array_equal(class_ids(label, storage, classes, "int64", -1), ids)
    assert np.array_equal(class_ids(label, storage, classes, "int32"), np.where(ids < 0, -100, ids))
    small = class_ids(label, storage, classes)
    assert small.dtype == (np.uint8 if classes <= 255 else np.uint16)
    assert np.array_equal(small, stored(ids, "index", classes))
    assert np.array_equal(one_hot(label, storage, classes), stored(ids, "onehot", classes))
    assert np.array_equal(label_bits(label, storage, classes), stored(ids, "bits", classes))


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32"])
def test_one_hot_has_the_type_and_the_layout(dtype):
    label = stored(drawn(9), "bits", 9)
    last, first = one_hot(label, "bits", 9, dtype), one_hot(label, "bits", 9, dtype, "NCHW")
    assert last.dtype == first.dtype == dtype and first.flags.c_contiguous
    assert np.array_equal(np.moveaxis(first, 0, -1), last) and last.sum() == (drawn(9) >= 0).sum()


def test_labels_of_whole_images_have_no_axes():
    label = np.array([0, 2], np.uint8)
    assert class_ids(label, "bits", 10) == 9 and class_ids(label, "bits", 10).shape == ()
    assert one_hot(label, "bits", 10, layout="NCHW").tolist() == [0] * 9 + [1]
    assert class_ids(np.array(7, np.uint8), "index", 7).tolist() == 255


def test_wrong_values_count_as_no_class():
    assert class_ids(np.array([[0b1000], [0b1010]], np.uint8), "bits", 3).tolist() == [255, 1]
    assert one_hot(np.array([[0b1010]], np.uint8), "bits", 3).tolist() == [[0, 1, 0]]
    assert class_ids(np.array([2, 3, 254, 255], np.uint8), "index", 3, "int64").tolist() == [2, -100, -100, -100]
    assert one_hot(np.array([[0, 7, 0]], np.uint8), "onehot", 3).tolist() == [[0, 1, 0]]
    assert label_bits(np.array([[0, 7, 1]], np.uint8), "onehot", 3).tolist() == [[0b110]]


def test_of_several_classes_the_lowest_counts():
    assert class_ids(np.array([[0b10, 0b1], [0, 0b110]], np.uint8), "bits", 16).tolist() == [1, 9]
    assert class_ids(np.array([[0, 1, 1]], np.uint8), "onehot", 3).tolist() == [1]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (dict(dtype="float32"), "class ids can only be uint8"),
        (dict(dtype="no such type"), "not a type that NumPy knows"),
        (dict(dtype="uint8", ignore_index=256), "does not fit dtype uint8"),
        (dict(dtype="uint8", ignore_index=-1), "does not fit dtype uint8"),
        (dict(dtype="int64", ignore_index=4), "is the id of a class"),
        (dict(ignore_index=0), "is the id of a class"),
    ],
)
def test_ids_that_do_not_fit_are_usage_errors(arguments, reason):
    with pytest.raises(UsageError, match=reason):
        class_ids(np.zeros(3, np.uint8), "index", 5, **arguments)


def test_many_classes_need_a_wider_type():
    with pytest.raises(UsageError, match="256 classes"):
        class_ids(np.zeros(3, np.uint16), "index", 256, "uint8")
    assert class_ids(np.zeros(3, np.uint8), "index", 255, "uint8").tolist() == [0, 0, 0]
    assert class_ids(np.array([255], np.uint8), "index", 5, ignore_index=300).tolist() == [300]


def test_other_types_and_layouts_of_one_hot_are_usage_errors():
    for arguments in (dict(dtype="int64"), dict(dtype="float64"), dict(layout="CHW")):
        with pytest.raises(UsageError):
            one_hot(np.zeros((2, 2), np.uint8), "index", 5, **arguments)


def test_bfloat16_names_the_package_that_it_needs(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ml_dtypes", None)
    with pytest.raises(UsageError, match="ml_dtypes"):
        one_hot(np.zeros((2, 2), np.uint8), "index", 5, "bfloat16")
