"""The order of samples and the windows of augmentation: the examples of src/loader/ORDER.md, and the golden numbers that the library's own tests
read (tests/property/order_golden.json)."""

import itertools
import json
import re

import numpy as np
import pytest
from conftest import GOLDEN, ROOT

from hotpack import UsageError, pure
from hotpack.pure.augment import Augment, Crop, ResizedCrop, SampleCrop, draw_crop
from hotpack.pure.order import EpochOrder, Permutation, epoch_order, philox, random_words, step_plan

PAGE = (ROOT / "src" / "loader" / "ORDER.md").read_text(encoding="utf-8")
NUMBERS = json.loads((ROOT / "tests" / "property" / "order_golden.json").read_text())
SHUFFLES = {"none": False, "full": True, "block": "block"}
FLIPS = dict(horizontal_flip=0.5, vertical_flip=0.5)


def words(numbers):
    return np.array(numbers, np.uint64)


def rows(title):
    """The cells of the table that follows `title` on the page."""
    lines = re.split(r"\s+".join(map(re.escape, title.split())), PAGE, maxsplit=1)[1].strip().split("\n\n", 1)[0].splitlines()
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines[2:]]


def shown_record(title):
    """Bytes and classes of the indented rows that follow `title` on the page."""
    lines = PAGE.split(title, 1)[1].strip("\n").split("\n\n", 1)[0].splitlines()
    halves = zip(*(line.replace("·", "255").split("|") for line in lines))
    return [np.array([line.split() for line in half], np.uint8) for half in halves]


# ---- the page


def test_the_pages_orders():
    table = rows("Ten samples, seed 7:")
    assert len(table) == 5
    for name, epoch, order in table:
        shuffle, *block = name.replace("B = ", "").replace("W = ", "").replace("`", "").split(", ")
        sizes = dict(zip(("block_samples", "window_blocks"), map(int, block)))
        found = epoch_order(10, 1, 7, int(epoch), shuffle=SHUFFLES[shuffle], **sizes)
        assert found.ravel().tolist() == [int(word) for word in order.split()]


def test_the_pages_steps():
    table = rows("samples of each step (`·` is empty):")
    assert len(table) == 9
    for last_batch, rank, *steps in table:
        found = epoch_order(10, global_batch_size=4, seed=7, rank=int(rank), world_size=3, last_batch=last_batch)
        wanted = [[-1 if word == "·" else int(word) for word in step.split()] for step in steps if step]
        assert found.tolist() == wanted


def test_the_pages_short_steps():
    table = rows("with `keep` on two ranks:")
    assert len(table) == 2
    for rank, *steps in table:
        found = epoch_order(10, global_batch_size=4, seed=7, rank=int(rank), world_size=2, last_batch="keep")
        assert [[sample for sample in step if sample >= 0] for step in found.tolist()] == [[int(word) for word in step.split()] for step in steps]


def test_the_pages_windows():
    table = rows("(x, y, width, height, flips):")
    assert len(table) == 4
    for sample, *cells in table:
        for cell, augment in zip(cells, (Augment(**FLIPS, crop=Crop(256, 256)), Augment(**FLIPS, resized_crop=ResizedCrop(256, 256)))):
            crop = draw_crop(augment, (480, 360), 7, 0, int(sample))
            flips = [name for name, is_set in (("left–right", crop.flip_horizontal), ("top–bottom", crop.flip_vertical)) if is_set]
            text = f"{crop.x}, {crop.y}, {crop.width}, {crop.height}"
            assert cell == ", ".join([text, *([" ".join(flips)] if flips else [])])


def test_the_pages_pixels():
    image, label = shown_record("bytes of its image | classes of its label:")
    resized = SampleCrop(1, 1, 5, 3, flip_horizontal=True)
    cut = SampleCrop(0, 1, 6, 2, flip_horizontal=True)
    for crop, title, size, resample in ((resized, "by `resized_crop` to 3 × 4:", (3, 4), True), (cut, "by `crop` of 7 × 2 (`·` is ignored):", (7, 2), False)):
        wanted_image, wanted_label = shown_record(title)
        assert np.array_equal(pure.crop_image(image[..., None], crop, *size, resample)[..., 0], wanted_image)
        assert np.array_equal(pure.crop_label(label, crop, *size, 255, resample), wanted_label)


# ---- the golden numbers


def test_random_words_are_the_golden_ones():
    for case in NUMBERS["philox"]:
        assert list(philox(tuple(case["counter"]), tuple(case["key"]))) == case["words"]
        arrays = philox(tuple(words([number]) for number in case["counter"]), tuple(case["key"]))
        assert [int(array[0]) for array in arrays] == case["words"]


@pytest.mark.parametrize("case", NUMBERS["permutations"], ids=lambda case: str(case["size"]))
def test_permutations_are_the_golden_ones(case):
    permutation = Permutation(*(case[name] for name in ("size", "seed", "epoch", "stream", "index")))
    assert permutation(words(case["positions"])).tolist() == case["elements"]
    assert permutation.inverse(words(case["elements"])).tolist() == case["positions"]


@pytest.mark.parametrize("case", NUMBERS["orders"], ids=lambda case: f"{case['shuffle']}-{case['samples']}")
def test_orders_are_the_golden_ones(case):
    sizes = {name: case[name] for name in ("block_samples", "window_blocks")}
    order = EpochOrder(case["samples"], case["seed"], case["epoch"], SHUFFLES[case["shuffle"]], **sizes)
    assert order(words(case["positions"])).tolist() == case["elements"]


def test_steps_are_the_golden_ones():
    for case in NUMBERS["steps"]:
        size = case["global_batch_size"]
        plan = step_plan(case["samples"], size, case["last_batch"], case["rank"], case["world_size"])
        positions = [plan.positions(step) for step in range(plan.steps)]
        assert [[held.start, held.stop] for held in positions] == case["positions"]
        assert plan.rows == max(last - first for first, last in case["positions"])


def test_windows_are_the_golden_ones():
    kinds = set()
    for case in NUMBERS["crops"]:
        options = dict(case["augment"])
        kinds |= set(options)
        if "crop" in options:
            options["crop"] = Crop(*options["crop"])
        if "resized_crop" in options:
            options["resized_crop"] = ResizedCrop(*options["resized_crop"])
        crop = draw_crop(Augment(**options), tuple(case["record"]), case["seed"], case["epoch"], case["sample"])
        assert [crop.x, crop.y, crop.width, crop.height, crop.flip_horizontal, crop.flip_vertical] == case["box"]
    assert kinds == {"crop", "resized_crop", "horizontal_flip", "vertical_flip"}


@pytest.mark.parametrize("case", NUMBERS["pixels"])
def test_pixels_are_the_golden_ones(case):
    width, height = case["record"]
    image = np.array(case["image"], np.uint8).reshape(height, width, case["channels"])
    label = np.array(case["label"], np.uint8).reshape(height, width)
    crop = SampleCrop(*case["box"][:4], *map(bool, case["box"][4:]))
    assert pure.crop_image(image, crop, *case["output"], case["resample"]).ravel().tolist() == case["shown_image"]
    assert pure.crop_label(label, crop, *case["output"], 255, case["resample"]).ravel().tolist() == case["shown_label"]


# ---- properties


@pytest.mark.parametrize(("shuffle", "sizes"), [(True, {}), ("block", {}), ("block", {"block_samples": 7, "window_blocks": 3}), ("block", {"block_samples": 1, "window_blocks": 1})])
def test_an_epoch_shows_each_sample_once(shuffle, sizes):
    for samples in (1, 2, 63, 64, 1000, 70_001):
        order = epoch_order(samples, 1, 3, 5, shuffle=shuffle, **sizes).ravel()
        assert np.array_equal(np.sort(order), np.arange(samples))


def test_ranks_share_each_step():
    for samples, size, last_batch in itertools.product((10, 97), (4, 7), ("drop", "pad", "wrap")):
        whole = epoch_order(samples, size, seed=1, last_batch=last_batch)
        for ranks in (1, 2, 3, 4):
            shares = [epoch_order(samples, global_batch_size=size, seed=1, last_batch=last_batch, rank=r, world_size=ranks) for r in range(ranks)]
            assert np.array_equal(np.concatenate(shares, axis=1), whole)


def test_a_short_last_batch_holds_each_sample_once():
    assert epoch_order(10, 4, shuffle=False, last_batch="keep").tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, -1, -1]]
    assert epoch_order(3, 8, shuffle=False, last_batch="keep").tolist() == [[0, 1, 2]]  # no batch is larger
    # A rank may have more rows in the short last step.
    assert epoch_order(15, global_batch_size=8, shuffle=False, rank=2, world_size=5, last_batch="keep").tolist() == [[3, -1], [10, 11]]
    for samples, size in itertools.product((10, 97), (4, 7)):
        whole = epoch_order(samples, size, seed=1, last_batch="wrap").ravel()[:samples]
        for ranks in range(1, min(size, (samples - 1) % size + 1) + 1):
            shares = [epoch_order(samples, global_batch_size=size, seed=1, last_batch="keep", rank=r, world_size=ranks) for r in range(ranks)]
            together = np.concatenate(shares, axis=1).ravel()
            assert np.array_equal(together[together >= 0], whole)


def test_a_batch_size_is_that_of_one_process():
    whole = epoch_order(96, global_batch_size=12, seed=1)
    assert np.array_equal(epoch_order(96, 4, 1, rank=1, world_size=3), whole[:, 4:8])


def test_a_data_set_gives_its_number_of_samples():
    golden = next(path for path in GOLDEN if path.name == "chw")
    assert np.array_equal(epoch_order(pure.open(golden), 2, 9), epoch_order(4, 2, 9))
    assert np.array_equal(epoch_order(np.int64(4), 2, 9), epoch_order(4, 2, 9))
    with pytest.raises(TypeError):
        epoch_order(4.0, 2, 9)


def test_seeds_and_epochs_change_the_order():
    orders = {tuple(epoch_order(50, 1, seed, epoch).ravel()) for seed in (0, 1, 2**64 - 1) for epoch in (0, 1, 2**32 - 1)}
    assert len(orders) == 9


def test_subjects_in_arrays_and_alone_agree():
    arrays = random_words(2**63 + 5, 4, 2, words([0, 7, 2**40]), 3)
    for i, subject in enumerate((0, 7, 2**40)):
        assert random_words(2**63 + 5, 4, 2, subject, 3) == tuple(int(array[i]) for array in arrays)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (dict(data=0, batch_size=1), "no samples"),
        (dict(data=2**62 + 1, batch_size=1), "too many"),
        (dict(data=3, batch_size=4), "drop leaves no step"),
        (dict(data=3), "a step of 32 samples is larger than the 3"),
        (dict(data=3, batch_size=1, global_batch_size=1), "both set"),
        (dict(data=3, batch_size=0), "batch_size is 0"),
        (dict(data=3, batch_size=1, rank=1), "not below world_size 1"),
        (dict(data=3, batch_size=1, rank=-1), "not below world_size 1"),
        (dict(data=3, batch_size=1, world_size=0), "world_size is 0"),
        (dict(data=9, global_batch_size=2, world_size=3), "smaller than world_size 3"),
        (dict(data=3, batch_size=1, seed=-1), "seed -1"),
        (dict(data=3, batch_size=1, seed=2**64), "seed"),
        (dict(data=3, batch_size=1, epoch=2**32), "epoch"),
        (dict(data=3, batch_size=1, shuffle="full"), "shuffle is .full.; it must be True, .block. or False"),
        (dict(data=3, batch_size=1, last_batch="cut"), "last_batch is .cut.; it must be .drop., .pad., .wrap. or .keep."),
        (dict(data=10, global_batch_size=4, world_size=3, last_batch="keep"), "leave 2 of the 10 samples for the last one, fewer than world_size 3"),
        (dict(data=3, batch_size=1, shuffle="block", block_samples=0), "block_samples is 0"),
        (dict(data=3, batch_size=1, shuffle="block", window_blocks=0), "window_blocks is 0"),
    ],
)
def test_wrong_numbers_are_usage_errors(arguments, reason):
    with pytest.raises(UsageError, match=reason):
        epoch_order(**arguments)


@pytest.mark.parametrize(
    ("augment", "reason"),
    [
        (Augment(horizontal_flip=1.1), "horizontal_flip: 1.1 is not a probability"),
        (Augment(vertical_flip=float("nan")), "vertical_flip: nan"),
        (Augment(crop=Crop(1, 1), resized_crop=ResizedCrop(1, 1)), "both set"),
        (Augment(crop=Crop(0, 1)), "crop: a size of 0×1"),
        (Augment(resized_crop=ResizedCrop(1, 2**30 + 1)), "resized_crop: a size"),
        (Augment(resized_crop=ResizedCrop(1, 1, min_area=0)), "areas from 0"),
        (Augment(resized_crop=ResizedCrop(1, 1, max_area=1.5)), "areas from 0.08 to 1.5"),
        (Augment(resized_crop=ResizedCrop(1, 1, min_ratio=0.2)), "width / height"),
        (Augment(resized_crop=ResizedCrop(1, 1, min_ratio=2)), "width / height"),
    ],
)
def test_wrong_augmentation_is_a_usage_error(augment, reason):
    with pytest.raises(UsageError, match=re.escape(reason)):
        draw_crop(augment, (4, 4), 0, 0, 0)


# ---- integers of NumPy


@pytest.mark.parametrize("kind", [np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("augment", [Augment(crop=Crop(100, 50), **FLIPS), Augment(resized_crop=ResizedCrop(224, 224), **FLIPS)], ids=["crop", "resized_crop"])
def test_windows_for_numpys_integers_are_those_for_pythons(augment, kind):
    samples = epoch_order(100, 10, 7).ravel()
    for sample in samples:
        wanted = draw_crop(augment, (480, 360), 7, 1, int(sample))
        found = draw_crop(augment, (kind(480), kind(360)), kind(7), kind(1), kind(sample))
        assert found == wanted
        assert all(type(side) is int for side in (found.x, found.y, found.width, found.height))


def test_crop_sizes_may_be_numpys_integers():
    large = Augment(crop=Crop(np.int32(2**30), np.int32(7)))
    assert draw_crop(large, (2**30, 2**30), 1, 2, 3) == draw_crop(Augment(crop=Crop(2**30, 7)), (2**30, 2**30), 1, 2, 3)


@pytest.mark.parametrize("sample", [-1, np.int64(-1), 2**62, 2**70, np.uint64(2**63)])
def test_samples_outside_are_usage_errors(sample):
    with pytest.raises(UsageError, match="sample"):
        draw_crop(Augment(crop=Crop(10, 10)), (480, 360), 7, 0, sample)


def test_the_largest_sample_has_a_window():
    assert 0 <= draw_crop(Augment(crop=Crop(10, 10)), (480, 360), 7, 0, 2**62 - 1).x <= 470


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("shuffle", [True, "block", False])
def test_orders_for_numpys_integers_are_those_for_pythons(shuffle, kind):
    numbers = dict(seed=7, epoch=1, rank=1, world_size=2, global_batch_size=5, block_samples=4, window_blocks=3)
    found = epoch_order(kind(23), shuffle=shuffle, last_batch="pad", **{name: kind(number) for name, number in numbers.items()})
    assert found.tolist() == epoch_order(23, shuffle=shuffle, last_batch="pad", **numbers).tolist()


def test_a_seed_that_is_no_integer_is_a_type_error():
    for arguments in ({"seed": 1.0}, {"epoch": "1"}, {"rank": 0.0}):
        with pytest.raises(TypeError):
            epoch_order(10, 2, **arguments)
