"""hotpack.tf with the real TensorFlow."""

import numpy as np
import pytest
from conftest import framework, golden_pack

import hotpack

tf = framework("tensorflow")
import hotpack.tf as hptf  # noqa: E402


@pytest.fixture(scope="module")
def big():
    return hotpack.open(*[golden_pack("bits")] * 8)


def loader(data, **options):
    return hotpack.Loader(data, 4, seed=3, image=hotpack.Image("float32"), prefetch_batches=6, **options)


@pytest.mark.parametrize("label", [hotpack.Ids("int32"), hotpack.OneHot("float32", "NCHW"), hotpack.OneHot("bfloat16"), hotpack.Bits()])
def test_batches_equal_those_of_numpy(big, label):
    for (x, y), batch in zip(hptf.batches(loader(big, label=label)), loader(big, label=label)):
        assert np.array_equal(x.numpy(), batch.image) and np.array_equal(tf.cast(y, tf.float32).numpy(), batch.label.astype(np.float32))


def test_tensors_share_and_keep_the_slot(big):
    one = loader(big)
    iterator = hptf.batches(one)
    x, _ = next(iterator)
    wanted = x.numpy().copy()
    for _ in iterator:
        pass
    assert np.array_equal(x.numpy(), wanted)


def test_a_tf_data_set_gives_each_epoch(big):
    data = hptf.dataset(loader(big, label=hotpack.Ids("int32")))
    assert data.cardinality() == 6 and data.element_spec[0].shape == (4, 10, 12, 3) and data.element_spec[1].dtype == tf.int32
    one = loader(big, label=hotpack.Ids("int32"))
    for _ in range(3):
        for (x, y), batch in zip(data, one):
            assert np.array_equal(x.numpy(), batch.image) and np.array_equal(y.numpy(), batch.label)


def test_a_loader_in_the_middle_of_an_epoch_is_refused(big):
    begun = loader(big)
    iterator = iter(begun)
    next(iterator)
    state = begun.state_dict()
    with pytest.raises(hotpack.UsageError, match=r"before step 1 of epoch 0, .* hotpack.tf.batches\(loader\) first"):
        hptf.dataset(loader(big, resume=state))
    one = loader(big)
    data = hptf.dataset(one)
    one.load_state_dict(state)
    with pytest.raises(Exception, match="UsageError: the loader stands before step 1"):
        list(data)
    assert len(list(hptf.batches(one))) == 5  # as the text says
    assert len(list(data)) == 6
    one.load_state_dict(state)
    one.seek(1)
    assert len(list(data)) == 6 and len(list(hptf.dataset(begun))) == 6  # after a loop that was left, the next epoch


def test_an_older_loop_over_a_tf_data_set_says_that_it_is_over(big):
    data = hptf.dataset(loader(big))
    old = iter(data)
    next(old)
    one = loader(big)
    one.seek(1)
    wanted = [batch.image.copy() for batch in one]
    new = iter(data)
    found = [next(new)]
    with pytest.raises(Exception, match="UsageError: another loop over this data set has begun"):
        for _ in range(6):
            next(old)
    found += list(new)
    assert len(found) == 6 and all(np.array_equal(x.numpy(), image) for (x, _), image in zip(found, wanted))


def test_a_last_batch_may_be_short_and_none_has_empty_rows(big):
    part = big.subset(range(10))
    data = hptf.dataset(loader(part, label=hotpack.Ids("int32"), last_batch="keep"))
    assert data.element_spec[0].shape == (None, 10, 12, 3) and data.cardinality() == 3
    for found in (data, hptf.batches(loader(part, last_batch="keep"))):
        assert [(len(x), len(y)) for x, y in found] == [(4, 4), (4, 4), (2, 2)]
    for make in (hptf.dataset, lambda one: next(hptf.batches(one))):
        with pytest.raises(hotpack.UsageError, match='open the loader with last_batch="keep"'):
            make(loader(part, last_batch="pad"))


def test_unlabeled_sets_give_images_alone():
    data = hptf.dataset(hotpack.Loader(hotpack.open(golden_pack("unlabelled")), 1, shuffle=False))
    assert [x.shape for x in data] == [(1, 9, 9, 3)] * 2
