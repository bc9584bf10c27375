"""hotpack.grain with the real Grain."""

import numpy as np
import pytest
from conftest import framework, golden_pack

import hotpack

grain = framework("grain")
import hotpack.grain as hpg  # noqa: E402


@pytest.fixture(scope="module")
def big():
    return hotpack.open(*[golden_pack("bits")] * 8)


def batches(source, batch_size=4):
    return grain.MapDataset.source(source).seed(7).shuffle().batch(batch_size).to_iter_dataset()


def test_a_row_is_a_sample(big):
    source = hpg.Source(big, label=hotpack.Ids("int64"))
    row = source[np.int64(5)]
    assert np.array_equal(row["image"], big[5].image) and np.array_equal(row["label"], big[5].ids("int64")) and row["index"] == 5
    assert len(source) == len(big) and "24 samples" in repr(source)
    with pytest.raises(IndexError):
        source[24]


@pytest.mark.parametrize("index", ["x", 1.5, None])
def test_an_index_is_a_whole_number(big, index):
    with pytest.raises(TypeError, match=f"number of a sample was expected, not {type(index).__name__}"):
        hpg.Source(big)[index]


def test_a_row_that_is_kept_keeps_no_other(big):
    rows = hpg.Source(big)._getitems(range(8))
    for row in rows:
        row["image"][:] = row["index"]
        assert all(row[name].base is None for name in ("image", "label"))


def test_a_folder_is_opened_and_labels_are_optional():
    assert hpg.Source(golden_pack("bits"))[0]["label"].dtype == "int32"
    assert set(hpg.Source(golden_pack("unlabelled"))[0]) == {"image", "index"}


def test_samples_of_different_sizes_are_rows_of_their_own():
    data = hotpack.open(golden_pack("mixed_sizes"))
    source = hpg.Source(data)
    assert [row["image"].shape for row in source._getitems(range(len(data)))] == [sample.image.shape for sample in data]


def test_a_shuffled_epoch_gives_each_row_once(big):
    seen = [index for batch in batches(hpg.Source(big)) for index in batch["index"]]
    assert sorted(seen) == list(range(24)) != seen


def test_an_iterator_continues_from_its_state(big):
    iterator = iter(batches(hpg.Source(big)))
    for _ in range(2):
        next(iterator)
    state = iterator.get_state()
    wanted = [batch["image"] for batch in iterator]
    other = iter(batches(hpg.Source(big)))
    other.set_state(state)
    found = [batch["image"] for batch in other]
    assert len(wanted) == 4 and all(np.array_equal(a, b) for a, b in zip(wanted, found, strict=True))


WORKERS = """
import sys
from absl import flags
import grain, hotpack, hotpack.grain

if __name__ == "__main__":
    flags.FLAGS(sys.argv[:1])
    data = hotpack.open(*[sys.argv[1]] * 8)
    ds = grain.MapDataset.source(hotpack.grain.Source(data)).seed(7).shuffle().batch(4).to_iter_dataset()
    ds = ds.mp_prefetch(grain.MultiprocessingOptions(num_workers=2))
    print(sorted(index for batch in ds for index in batch["index"]) == list(range(24)))
"""


def test_worker_processes_give_each_row_once(run):
    assert run(WORKERS, golden_pack("bits"), warns=True) == "True\n"
