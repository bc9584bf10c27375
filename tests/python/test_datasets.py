"""hotpack.datasets with the real `datasets`."""

import numpy as np
import pytest
from conftest import GOLDEN, framework, golden_pack
from sealed import seal_manifest, shard_of

import hotpack

datasets = framework("datasets")
import hotpack.datasets as hpd  # noqa: E402


@pytest.fixture(scope="module")
def big():
    return hotpack.open(*[golden_pack("bits")] * 8)


def test_rows_come_in_the_order_of_the_pack(big):
    rows = list(hpd.iterable(big))
    assert [row["index"] for row in rows] == list(range(24))
    for row, sample in zip(rows, big, strict=True):
        assert np.array_equal(row["image"], sample.image) and np.array_equal(row["label"], sample.label)
        assert row["image"].dtype == "uint8" and row["label"].dtype == "uint8"


def test_shards_divide_the_samples(big):
    assert [(begin, end) for _, begin, end in hpd.shards(big, 5)] == [(0, 4), (4, 9), (9, 14), (14, 19), (19, 24)]
    assert len(hpd.shards(big, 1000)) == 24 and hpd.iterable(big, 6).num_shards == 6
    with pytest.raises(hotpack.UsageError, match="cannot have 0 shards"):
        hpd.shards(big, 0)


def test_nodes_divide_the_shards(big):
    from datasets.distributed import split_dataset_by_node

    parts = [split_dataset_by_node(hpd.iterable(big, 6), rank, 2) for rank in (0, 1)]
    indices = [row["index"] for part in parts for row in part]
    assert sorted(indices) == list(range(24))


def test_workers_of_a_data_loader_divide_the_shards(big):
    torch = framework("torch")
    loader = torch.utils.data.DataLoader(hpd.iterable(big, 6).with_format("torch"), batch_size=4, num_workers=2)
    batches = list(loader)
    assert sorted(int(index) for batch in batches for index in batch["index"]) == list(range(24))
    assert batches[0]["image"].shape[1:] == torch.Size(big.image_shape)


def test_a_loop_continues_from_its_state(big):
    rows = hpd.iterable(big, 4)
    iterator = iter(rows)
    for _ in range(5):
        next(iterator)
    state = rows.state_dict()
    wanted = [row["index"] for row in iterator]
    again = hpd.iterable(big, 4)
    again.load_state_dict(state)
    assert [row["index"] for row in again] == wanted and len(wanted) == 19


def test_a_whole_data_set_in_memory(big, tmp_path):
    made = datasets.Dataset.from_generator(hpd.samples, features=hpd.features(big), gen_kwargs={"shards": hpd.shards(big, 2)}, cache_dir=str(tmp_path))
    assert len(made) == 24 and np.array_equal(made.with_format("numpy")[3]["image"], big[3].image)


def test_labels_of_whole_images_are_class_labels():
    data = hotpack.open(golden_pack("class_folders"))
    rows = hpd.iterable(data)
    assert rows.features["label"].names == [one.name for one in data.classes]
    assert [row["label"] for row in rows] == [int(sample.ids("int64", -1)) for sample in data]


def test_an_image_without_a_class_has_the_label_that_datasets_ignores(pack):
    folder = pack("class_folders")
    shard = shard_of(folder)
    shard.tensors["label"].data[shard.record_bytes("label", 0)] = bytes(1)  # no bit of a class
    shard.seal_records()
    shard.write()
    seal_manifest(folder)
    labels = [row["label"] for row in hpd.iterable(folder)]
    assert labels[0] == -1 and -1 not in labels[1:]


@pytest.mark.parametrize("name", [path.name for path in GOLDEN])
def test_every_kind_of_pack_has_rows(name):
    data = hotpack.open(golden_pack(name))
    try:
        rows = list(hpd.iterable(data))
    except hotpack.UsageError as error:
        assert "several classes per pixel" in str(error) and data.image_shape is None
        return
    assert [row["index"] for row in rows] == list(range(len(data)))
    for row, sample in zip(rows, data, strict=True):
        assert np.array_equal(np.asarray(row["image"]).reshape(sample.image.shape), sample.image)
