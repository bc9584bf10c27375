"""Loaders: order, iteration, position, memory, errors, ends."""

import collections
import gc
import inspect
import pickle
import re
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest
from conftest import golden_pack

import hotpack
from hotpack import pure


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """One data set of 24 samples in several shards: the small golden pack several times."""
    return hotpack.open(*[golden_pack("bits")] * 8)


def samples_of(batches):
    return [int(number) for batch in batches for number in batch.indices]


def order_of(whole, batch_size, epoch, options):
    return pure.epoch_order(whole, batch_size, epoch=epoch, **options)


# ---- order


@pytest.mark.parametrize("shuffle", [True, False, "block"])
@pytest.mark.parametrize("tail", ["drop", "pad", "wrap"])
def test_the_order_is_that_of_the_pure_reader(big, shuffle, tail):
    options = {"shuffle": shuffle, "seed": 5, "last_batch": tail, "block_samples": 4, "window_blocks": 2}
    loader = hotpack.Loader(big, 7, shuffle=shuffle, seed=5, last_batch=tail, block_samples=4, window_blocks=2)
    for epoch in range(3):
        batches = list(loader)
        assert [batch.epoch for batch in batches] == [epoch] * len(loader)
        assert [batch.step for batch in batches] == list(range(len(loader)))
        assert samples_of(batches) == np.concatenate(order_of(pure.open(*big.folders), 7, epoch, options)).tolist()
        if tail == "pad":
            assert batches[-1].num_valid == 24 % 7 and batches[-1].keys[-1] == "" and batches[-1].indices[-1] == -1


def test_batches_hold_the_samples_in_the_forms_that_were_asked_for(golden):
    data = hotpack.open(golden)
    image = hotpack.Image("float32", "NCHW", mean=[0.5] * data._core.channels, std=[0.25] * data._core.channels)
    multi = bool(data._core.label) and data._core.label[2]
    forms = [None] if not data._core.label else [hotpack.Bits(), hotpack.OneHot("float16"), hotpack.OneHot("uint8", "NCHW", ignore_channel=True)]
    forms += [] if multi or not data._core.label else [hotpack.Ids(), hotpack.Ids("int32", ignore_index=-7)]
    for label in forms:
        for batch in hotpack.Loader(data, 1, image=image, label=label, shuffle=False):
            sample = data[int(batch.indices[0])]
            wanted = (sample.image.astype(np.float32) / np.float32(255) - np.float32(0.5)) / np.float32(0.25)
            assert np.array_equal(batch.image[0], np.moveaxis(wanted, -1, 0))
            if label is None:
                assert batch.label is None
            elif isinstance(label, hotpack.Bits):
                assert np.array_equal(batch.label[0], sample.label_bits)
            elif isinstance(label, hotpack.Ids):
                assert np.array_equal(batch.label[0], sample.ids(label.dtype, label.ignore_index))
            elif label.ignore_channel:
                assert np.array_equal(batch.label[0][:-1], sample.one_hot("uint8", "NCHW")) and (batch.label[0].sum(0) >= 1).all()
            else:
                assert np.array_equal(batch.label[0], sample.one_hot("float16"))


@pytest.mark.parametrize("count", [2, 3, 7])
def test_loaders_may_share_the_steps_of_an_epoch(big, count):
    class Strided(hotpack.Loader):
        _stride = count

    def rows(batch):
        return batch.step, batch.indices.tolist(), batch.image.tobytes()

    wanted = [rows(batch) for batch in hotpack.Loader(big, 5, seed=2)]
    found = []
    for first in range(min(count, len(wanted))):
        loader = Strided(big, 5, seed=2)
        loader.seek(0, first)
        found += [rows(batch) for batch in loader]
    assert sorted(found) == wanted


def test_augmentation_is_that_of_the_pure_reader(big):
    augment = hotpack.Augment(horizontal_flip=0.5, crop=hotpack.Crop(6, 5))
    for batch in hotpack.Loader(big, 4, augment=augment, seed=3):
        for number, box in zip(batch.indices, batch.crops):
            drawn = pure.draw_crop(pure.Augment(0.5, crop=pure.Crop(6, 5)), (12, 10), 3, batch.epoch, int(number))
            assert box.tolist() == [drawn.x, drawn.y, drawn.width, drawn.height, drawn.flip_horizontal, drawn.flip_vertical]
        assert batch.image.shape == (4, 5, 6, 3) and batch.label.shape == (4, 5, 6)


def test_ranks_share_each_step(big):
    one = [samples_of([batch]) for batch in hotpack.Loader(big, 6, seed=1)]
    two = [hotpack.Loader(big, 3, seed=1, rank=rank, world_size=2) for rank in range(2)]
    three = [hotpack.Loader(big, global_batch_size=6, seed=1, rank=rank, world_size=3) for rank in range(3)]
    for ranks in (two, three):
        assert [sum((samples_of([b]) for b in step), []) for step in zip(*ranks)] == one


def test_rank_and_world_come_from_the_environment(big, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "4")
    loader = hotpack.Loader(big, 2)
    assert (loader.rank, loader.world_size, len(loader)) == (1, 4, 3) and "RANK and WORLD_SIZE" in repr(loader)
    assert hotpack.Loader(big, 2, rank=0, world_size=1).world_size == 1
    monkeypatch.setenv("SLURM_PROCID", "2")
    monkeypatch.setenv("SLURM_NTASKS", "3")
    assert (hotpack.Loader(big, 2, rank="slurm").rank, hotpack.Loader(big, 2, rank="slurm").world_size) == (2, 3)
    for wrong in ({"rank": 1}, {"world_size": 2}, {"rank": "mpi"}, {"rank": "pbs"}, {"rank": "slurm", "world_size": 2}):
        with pytest.raises(hotpack.UsageError):
            hotpack.Loader(big, 2, **wrong)


def test_a_subset_is_loaded_by_its_own_numbers(big):
    part = big.subset([20, 3, 3, 9])
    seen = {int(n): key for batch in hotpack.Loader(part, 2) for n, key in zip(batch.indices, batch.keys)}
    assert seen == {n: part.keys[n] for n in range(4)}


# ---- acceptance 3: iteration


def test_a_consumer_that_stops_at_len_gets_every_sample_in_each_epoch(big):
    loader = hotpack.Loader(big, 8, seed=2)
    for epoch in range(3):
        iterator = iter(loader)
        batches = [next(iterator) for _ in range(len(loader))]
        assert sorted(samples_of(batches)) == list(range(24)) and {batch.epoch for batch in batches} == {epoch}


def test_two_iterators_are_two_epochs_and_the_older_one_is_over(big):
    loader = hotpack.Loader(big, 8)
    first, second = iter(loader), iter(loader)
    assert next(second).epoch == 0  # nothing was taken from the first
    with pytest.raises(hotpack.UsageError, match="another loop"):
        next(first)
    assert next(iter(loader)).epoch == 1 and next(iter(loader)).epoch == 2


def test_a_loop_after_a_break_is_the_next_epoch(big):
    loader = hotpack.Loader(big, 8)
    for batch in loader:
        break
    assert [batch.epoch for batch in loader] == [1, 1, 1] and [batch.epoch for batch in loader] == [2, 2, 2]


def test_an_iterator_stays_at_its_end(big):
    iterator = iter(hotpack.Loader(big, 8))
    assert len(list(iterator)) == 3 and list(iterator) == [] and next(iterator, None) is None


def test_set_epoch_does_nothing_where_the_loader_stands(big):
    loader = hotpack.Loader(big, 8, seed=4)
    for epoch in range(3):
        loader.set_epoch(epoch)
        assert [batch.epoch for batch in loader] == [epoch] * 3
    loader.set_epoch(7)
    assert next(iter(loader)).epoch == 7
    state = loader.state_dict()
    loader.load_state_dict(state)
    loader.set_epoch(7)  # in the middle of epoch 7
    assert [batch.step for batch in loader] == [1, 2]
    for batch in loader:
        break
    loader.set_epoch(batch.epoch)  # not after a state: from its beginning
    assert [batch.step for batch in loader] == [0, 1, 2]


def test_set_epoch_ends_a_cancellation_and_keeps_the_position(big):
    loader = hotpack.Loader(big, 8, seed=4)
    next(iter(loader))
    loader.load_state_dict(loader.state_dict())
    loader.cancel()
    loader.set_epoch(0)  # where the loader stands
    assert [(batch.epoch, batch.step) for batch in loader] == [(0, 1), (0, 2)]
    next(iter(loader))
    loader.cancel()
    loader.set_epoch(1)  # from which a batch was taken
    for epoch in (1, 2):
        assert [(batch.epoch, batch.step) for batch in loader] == [(epoch, 0), (epoch, 1), (epoch, 2)]
    loader.cancel()
    loader.set_epoch(7)
    for epoch in (7, 8, 9):  # loops that are left
        batch = next(iter(loader))
        assert (batch.epoch, batch.step) == (epoch, 0)


# ---- position


def test_next_epoch_is_that_of_the_next_loop(big):
    loader = hotpack.Loader(big, 8)
    for epoch in range(loader.next_epoch, 3):
        assert [batch.epoch for batch in loader] == [epoch] * 3
    assert loader.next_epoch == 3
    for batch in loader:
        state = loader.state_dict()
        break
    assert loader.next_epoch == 4
    loader.load_state_dict(state)
    assert loader.next_epoch == 3 and [batch.step for batch in loader] == [1, 2]
    for batch in loader:
        state = loader.state_dict()
    other = hotpack.Loader(big, 8, resume=state)  # at the end of epoch 4
    assert other.next_epoch == 5 and next(iter(other)).epoch == 5


def test_a_run_continues_at_any_step_with_any_world(big):
    whole, states = [], []
    loader = hotpack.Loader(big, 6, seed=9)
    for _ in range(2):
        for batch in loader:
            whole.append(samples_of([batch]))
            states.append(loader.state_dict())
    assert all(isinstance(value, (str, int)) for value in states[0].values())
    for done, state in enumerate(states[:-1], 1):
        ranks = [hotpack.Loader(big, global_batch_size=6, seed=9, rank=rank, world_size=2, resume=state) for rank in range(2)]
        rest = []
        while len(rest) < len(whole) - done:
            rest += [sum((samples_of([b]) for b in step), []) for step in zip(*ranks)]
        assert rest == whole[done:]


def test_a_state_of_another_run_is_refused(big):
    loader = hotpack.Loader(big, 6, seed=9)
    state = loader.state_dict()
    for other, reason in ((hotpack.Loader(big, 6), "seed"), (hotpack.Loader(big, 8, seed=9), "global_batch_size"), (hotpack.Loader(big.subset(range(12)), 6, seed=9), "fingerprint")):
        with pytest.raises(hotpack.UsageError, match=reason):
            other.load_state_dict(state)
    with pytest.raises(hotpack.UsageError):
        loader.load_state_dict({"epoch": 1})
    with pytest.raises(hotpack.UsageError):
        loader.load_state_dict({"epoch": object()})


def test_seek_goes_to_any_step(big):
    loader = hotpack.Loader(big, 8)
    loader.seek(3, 1)
    assert [(batch.epoch, batch.step) for batch in loader] == [(3, 1), (3, 2)]
    loader.seek(0, 3)
    assert [(batch.epoch, batch.step) for batch in loader] == [(1, 0), (1, 1), (1, 2)]
    with pytest.raises(hotpack.UsageError, match="there is no step 4"):
        loader.seek(0, 4)


def test_next_into_writes_into_the_callers_arrays(big):
    loader, same = hotpack.Loader(big, 8, seed=1), hotpack.Loader(big, 8, seed=1)
    image, label = np.zeros((8, 10, 12, 3), np.uint8), np.zeros((8, 10, 12), np.uint8)
    for batch in same:
        info = loader.next_into(image, label)
        assert np.array_equal(image, batch.image) and np.array_equal(label, batch.label)
        assert info.indices.tolist() == batch.indices.tolist() and info.keys == batch.keys and (info.epoch, info.step, info.num_valid) == (0, batch.step, 8)
    assert loader.next_into(image, label) is None and loader.next_into(image).epoch == 1
    with pytest.raises(hotpack.UsageError, match="the image buffer has 5 bytes"):
        loader.next_into(np.zeros(5, np.uint8))
    image.flags.writeable = False
    for name, wrong in (("image", "x"), ("label", np.zeros((8, 10, 24), np.uint8)[..., ::2]), ("image", image)):
        with pytest.raises(hotpack.UsageError, match=f"the {name} array must be writable") as caught:
            loader.next_into(**{name: wrong})
        assert caught.value.option == name


def test_next_into_moves_the_loader_as_a_loop_does(big):
    image, loader = np.zeros((8, 10, 12, 3), np.uint8), hotpack.Loader(big, 8)
    assert loader.next_into(image).step == 0 and loader.next_epoch == 1
    assert [batch.epoch for batch in loader] == [1, 1, 1]
    while loader.next_into(image):
        pass
    assert loader.next_epoch == 3 and next(iter(loader)).epoch == 3
    assert loader.next_into(image).step == 1
    loader.set_epoch(3)  # from its beginning
    assert [batch.step for batch in loader] == [0, 1, 2]


def test_other_threads_run_while_next_into_waits(run):
    """In the middle of five calls of more than 5 ms the other thread must run. It runs in none while calls hold Python's lock; and on a
    busy machine not in each, so there may be 60 calls."""
    text = run(
        """
import sys, threading, time, numpy as np, hotpack
ds = hotpack.open(*[sys.argv[1]] * 8)
def open_loader(count):
    loader = hotpack.Loader(ds.subset(list(range(24)) * (count // 12)), count, image=hotpack.Image("float32"), threads=1, prefetch_batches=2)
    return loader, np.empty((count, 10, 12, 3), np.float32)
def time_of_call():
    begin = time.perf_counter()
    loader.next_into(image) or loader.next_into(image)  # an epoch may be over
    return begin, time.perf_counter()
count = 24000
loader, image = open_loader(count)
while min(end - begin for begin, end in [time_of_call() for _ in range(4)]) < 0.01:
    count *= 2
    loader, image = open_loader(count)
moments = []
def work():
    while True:
        moments.append(time.perf_counter())
        time.sleep(0.0005)
threading.Thread(target=work, daemon=True).start()
calls = ran = 0
while ran < 5 and calls < 60:
    moments.clear()
    begin, end = time_of_call()
    edge = (end - begin) / 4
    calls += 1
    ran += edge > 0.00125 and any(begin + edge < moment < end - edge for moment in list(moments))
print(ran, loader.stats()["wait_seconds"] > 0)
""",
        golden_pack("bits"),
    )
    assert text == "5 True\n"


# ---- acceptance 6 to 8: memory


def test_arrays_share_the_slot_and_keep_it(big):
    loader = hotpack.Loader(big, 2, prefetch_batches=4)
    iterator = iter(loader)
    batch = next(iterator)
    image, same = batch.image, batch.image
    assert image is same and np.shares_memory(image, batch.image) and image.flags.writeable and image.ctypes.data % 64 == 0
    assert loader.stats()["leased"] == 1
    kept = image.copy()
    batch.release()
    del batch
    for _ in range(8):
        next(iterator)
    assert np.array_equal(image, kept) and loader.stats()["leased"] == 1
    del image, same
    assert loader.stats()["leased"] == 0
    with pytest.raises(hotpack.UsageError, match="released"):
        first = next(iter(loader))
        first.release()
        assert first.batch_size == 2 and repr(first) == "<hotpack.Batch released>"
        first.release()  # once more does nothing
        first.image


def test_owners_may_end_in_any_order(big):
    import itertools

    for order in itertools.permutations(("dataset", "loader", "batch", "image")):
        held = {"dataset": hotpack.open(*big.folders)}
        held["loader"] = hotpack.Loader(held["dataset"], 4, seed=1)
        held["batch"] = next(iter(held["loader"]))
        held["image"] = held["batch"].image
        wanted, last = held["image"].copy(), None
        for name in order:
            last = held.pop(name)
            if "image" in held:
                assert np.array_equal(held["image"], wanted)
        del last
    gc.collect()


def test_owners_may_end_in_another_thread_and_in_a_cycle(big):
    loader = hotpack.Loader(big, 4, prefetch_batches=4)
    box = [next(iter(loader)).image]
    thread = threading.Thread(target=box.clear)
    thread.start()
    thread.join()
    assert loader.stats()["leased"] == 0
    cycle = [next(iter(loader))]
    cycle.append(cycle)
    del cycle
    gc.collect()
    assert loader.stats()["leased"] == 0
    gone = weakref.ref(loader)
    del loader
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("count", [1, 2, 20])
def test_batches_that_are_held_keep_their_data_and_change_no_other(big, count):
    def rows(batch):
        return batch.epoch, batch.step, batch.image.tobytes(), batch.label.tobytes(), batch.indices.tolist(), batch.keys

    def epochs(loader, visit):
        return [visit(batch) for _ in range(4) for batch in loader]

    wanted = epochs(hotpack.Loader(big, 4, seed=1), rows)
    held = collections.deque(maxlen=count)

    def hold(batch):
        held.append(batch)
        return rows(batch)

    loader = hotpack.Loader(big, 4, seed=1, prefetch_batches=3)
    assert epochs(loader, hold) == wanted
    assert [rows(batch) for batch in held] == wanted[-count:]
    stats = loader.stats()
    assert stats["leased"] == count and stats["slots"] <= 3 + 8 + count
    size = stats["slot_bytes"] / stats["slots"]
    held.clear()
    stats = loader.stats()
    assert stats["leased"] == 0 and stats["slots"] <= 3 + 8 and stats["slot_bytes"] == stats["slots"] * size


def test_a_program_may_hold_every_batch(big):
    loader = hotpack.Loader(big, 2, seed=1, prefetch_batches=4)
    batches = list(loader) + list(loader)
    assert loader.stats()["leased"] == 24
    for batch in batches:
        for row, number in enumerate(batch.indices):
            assert np.array_equal(batch.image[row], big[int(number)].image) and np.array_equal(batch.label[row], big[int(number)].label)
            assert batch.keys[row] == big.keys[int(number)] and batch.crops[row].tolist() == [0, 0, 12, 10, 0, 0]


def test_a_training_loop_needs_no_further_slots(big):
    loader = hotpack.Loader(big, 4)
    for _ in range(5):
        for x, y in loader:
            (x.astype(np.float32) * 2).sum() + y.sum()
    assert loader.stats()["slots"] == 4 and loader.stats()["batches"] == 30


def test_writing_to_a_batch_changes_nothing_else(big):
    loader = hotpack.Loader(big, 24, shuffle=False)
    for x, y in loader:
        x[:] = 0
        y[:] = 0
    assert all(np.array_equal(x, y) for x, y in zip(next(iter(loader)).image, (sample.image for sample in big)))


# ---- acceptance 9: processes


def test_loaders_do_not_pickle_and_say_what_to_do(big):
    with pytest.raises(TypeError, match="give the data set"):
        pickle.dumps(hotpack.Loader(big, 2))


# Python 3.12 and newer warn of a fork while there are threads, which is what these tests do.
FORKS_WITH_THREADS = """
import warnings
warnings.filterwarnings("ignore", ".* is multi-threaded, use of fork", DeprecationWarning)
"""


def test_a_forked_child_is_refused_the_parents_loader(run):
    assert run(
        FORKS_WITH_THREADS
        + """
import os, sys, hotpack
ds = hotpack.open(sys.argv[1]); loader = hotpack.Loader(ds, 1); next(iter(loader))
child = os.fork()
if child == 0:
    try: next(iter(loader)); code = 1
    except hotpack.UsageError: code = 0
    code += sum(1 for batch in hotpack.Loader(ds, 1)) != 3
    sys.stdout.flush(); sys.exit(code)
print(os.waitpid(child, 0)[1], next(iter(loader)).epoch)
""",
        golden_pack("bits"),
    ) == "0 1\n"


def test_a_forked_child_ends_while_its_parent_waits(run):
    """Threads of the parent that wait do not exist in the child, which must not wait for them."""
    program = FORKS_WITH_THREADS + """
import os, sys, threading, time, hotpack
loader = hotpack.Loader(hotpack.open(sys.argv[1]), 1)
def read():
    while True:
        for batch in loader: batch.image.sum()
threading.Thread(target=read, daemon=True).start()
longest = 0
for _ in range(10):
    began = time.monotonic()
    child = os.fork()
    if child == 0: sys.exit(sum(1 for batch in hotpack.Loader(loader.dataset, 1)) != 3)
    assert os.waitpid(child, 0)[1] == 0
    longest = max(longest, time.monotonic() - began)
print(longest < 9)
"""
    assert run(program, golden_pack("bits")) == "True\n"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_data_sets_go_to_other_processes(run, method, tmp_path):
    (tmp_path / "work.py").write_text("import hotpack\ndef keys(ds): return [sample.key for sample in ds] + [b.num_valid for b in hotpack.Loader(ds, 3)]\n")
    assert run(
        f"""
import multiprocessing, sys
sys.path.insert(0, {str(tmp_path)!r})
import hotpack, work
if __name__ == "__main__":
    ds = hotpack.open(sys.argv[1]); live = hotpack.Loader(ds, 1); next(iter(live))
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        print(pool.map(work.keys, [ds, ds]))
""",
        golden_pack("bits"),
    ) == f"{[['road/0', 'road/1', 'road/2', 3]] * 2}\n"


# ---- acceptance 10: interrupts and ends


def test_cancel_and_close_wake_a_waiting_call(big):
    loader = hotpack.Loader(big, 4)
    next(iter(loader))
    loader.cancel()
    for _ in range(2):  # also the loop after the one that was cancelled
        with pytest.raises(hotpack.CancelledError):
            next(iter(loader))
    loader.seek(0)
    assert next(iter(loader)).step == 0
    loader.close()
    loader.close()
    with pytest.raises(hotpack.UsageError, match="closed"):
        next(iter(loader))
    with hotpack.Loader(big, 4) as loader:
        held = next(iter(loader))
    assert np.array_equal(held.image[0], big[int(held.indices[0])].image)


ENDS = {
    "next": "for batch in loader: batch.image.sum()",
    "next, holding": "held = list(loader)",
    "next_into": "loader.next_into(np.empty((1, 10, 12, 3), np.uint8))",
    "read": "ds.read(list(range(24)) * 20)",
    "samples": "[(sample.image, sample.one_hot()) for sample in ds]",
    "open": "hotpack.open(sys.argv[1]).class_weights()",
    "Loader": "hotpack.Loader(ds, 2)",
}


@pytest.mark.parametrize("work", ENDS)
def test_python_ends_with_daemon_threads_in_the_library(run, work):
    program = f"""
import sys, threading, time, numpy as np, hotpack
ds = hotpack.open(*[sys.argv[1]] * 8)
def use():
    loader = hotpack.Loader(ds, 1)
    while True:
        {ENDS[work]}
for _ in range(3): threading.Thread(target=use, daemon=True).start()
time.sleep(0.2)
"""
    for _ in range(20 if work == "next" else 5):
        run(program, golden_pack("bits"))


def test_python_ends_in_the_middle_of_a_loop(run):
    assert run("import sys, hotpack\nfor batch in hotpack.Loader(hotpack.open(sys.argv[1]), 1): print(1); sys.exit(0)", golden_pack("bits")) == "1\n"


def test_steady_state_keeps_threads_descriptors_and_memory(run):
    """100 epochs, 1,000 early breaks, 1,000 loaders."""
    text = run(
        """
import os, re, sys, time, hotpack
ds = hotpack.open(sys.argv[1])
def threads(): return len(os.listdir("/proc/self/task"))
def state(wanted):
    # The system may list a thread that has ended for a moment.
    end = time.monotonic() + 5
    while threads() != wanted and time.monotonic() < end: time.sleep(0.01)
    kibibytes = int(re.search(r"Rss: +(\\d+)", open("/proc/self/smaps_rollup").read())[1])
    return len(os.listdir("/proc/self/fd")), threads(), kibibytes
def epochs(count, breaks):
    loader = hotpack.Loader(ds, 1)
    for _ in range(count): sum(x.sum() for x, y in loader)
    for _ in range(breaks):
        for batch in loader: break
    loader.close()
def loaders(count):
    for _ in range(count): next(iter(hotpack.Loader(ds, 1)))
alone = threads()
epochs(20, 20); loaders(20); before = state(alone)
epochs(100, 1000); loaders(1000); after = state(before[1])
print(after[0] - before[0], after[1] - before[1], (after[2] - before[2]) // 1024)
""",
        golden_pack("bits"),
    )
    descriptors, threads, mebibytes = map(int, text.split())
    assert (descriptors, threads) == (0, 0) and mebibytes <= 4


# ---- acceptance 11: errors


def test_a_damaged_record_is_an_error_at_exactly_its_step(pack):
    folder = pack("index")
    shard = next(folder.glob("*.safetensors"))
    data = bytearray(shard.read_bytes())
    data[data.index(hotpack.open(folder)[1].image.tobytes()[:64])] ^= 1
    shard.write_bytes(data)
    loader = hotpack.Loader(hotpack.open(folder), 1, shuffle=False)
    iterator = iter(loader)
    assert next(iterator).step == 0
    for _ in range(2):
        with pytest.raises(hotpack.DamagedError, match=r"seek\(0, 2\)") as caught:
            next(iterator)
        assert (caught.value.record, caught.value.path) == (1, str(shard)) and caught.value.key
    loader.seek(0, 2)
    with pytest.raises(hotpack.DamagedError):
        list(loader)  # the next epoch holds the record too


@pytest.mark.parametrize("order", ["before", "after"])
def test_a_shard_that_shrinks_is_an_error_also_with_faulthandler(run, pack, order):
    enable = "import faulthandler; faulthandler.enable()"
    text = run(
        f"""
import os, sys, hotpack
{enable if order == 'before' else ''}
hotpack.Loader(hotpack.open(sys.argv[2]), 1).close()
{enable if order == 'after' else ''}
ds = hotpack.open(sys.argv[1]); loader = hotpack.Loader(ds, 1, shuffle=False, prefetch_batches=2)
next(iter(loader)).release()
os.truncate(sys.argv[3], 4096)
try:
    for _ in range(9):
        for batch in loader: pass
except hotpack.DamagedError as error: print(error.path)
""",
        pack("index"),
        golden_pack("bits"),
        shard := next((pack("index", "other").parent / "pack").glob("*.safetensors")),
    )
    assert text == f"{shard}\n"


def test_options_that_do_not_fit_name_themselves(big):
    wrong = [
        ({"batch_size": 2, "global_batch_size": 2}, "batch_size"),
        ({"batch_size": 2, "shuffle": "blocks"}, "shuffle"),
        ({"batch_size": 2, "last_batch": "none"}, "last_batch"),
        ({"batch_size": 2, "access": "write"}, "access"),
        ({"batch_size": 2, "timeout": -1}, "timeout"),
        ({"batch_size": 2, "seed": -1}, "seed"),
        ({"batch_size": 2.0}, "batch_size"),
        ({"batch_size": 2, "verify_checksums": "often"}, "verify_checksums"),
    ]
    for options, name in wrong:
        with pytest.raises(hotpack.UsageError) as caught:
            hotpack.Loader(big, **options)
        assert caught.value.option == name, options
    for name, value in (("prefetch_batches", 1), ("prefetch_batches", 2**32 + 4), ("threads", 2**32 + 1), ("pad_to", 5), ("pad_to", "ab"), ("image", "float32"), ("label", "int64"),
                        ("augment", 3), ("timeout", "x"), ("timeout", float("nan")), ("residency", "device"), ("outputs", 3), ("progress", True)):  # fmt: skip
        with pytest.raises(hotpack.UsageError) as caught:
            hotpack.Loader(big, 2, **{name: value})
        assert caught.value.option == name
    for options in ({"batch_size": 0}, {"batch_size": 25}, {}):
        with pytest.raises(hotpack.UsageError):
            hotpack.Loader(big, **options)
    with pytest.raises(hotpack.UsageError, match="dtype"):
        hotpack.Image("float33")
    with pytest.raises(hotpack.UsageError, match="float dtype"):
        hotpack.Image("uint8", mean=[0], std=[1])


def test_bfloat16_is_that_of_ml_dtypes(big):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    image, label = next(iter(hotpack.Loader(big, 2, image=hotpack.Image("bfloat16"), label=hotpack.OneHot("bfloat16"), shuffle=False)))
    assert image.dtype == ml_dtypes.bfloat16 and np.array_equal(image[0], (big[0].image / np.float32(255)).astype(ml_dtypes.bfloat16))
    assert label.dtype == ml_dtypes.bfloat16 and np.array_equal(label[0].astype(np.uint8), big[0].one_hot())


def test_bfloat16_without_ml_dtypes_names_it(run):
    text = run("import sys; sys.modules['ml_dtypes'] = None\nimport hotpack\ntry: hotpack.Loader(hotpack.open(sys.argv[1]), 1, image=hotpack.Image('bfloat16'))\nexcept hotpack.UsageError as e: print(e)", golden_pack("bits"))
    assert "pip install ml_dtypes" in text


def test_threads_share_an_iterator(big):
    iterator, seen, lock = iter(hotpack.Loader(big, 2)), [], threading.Lock()

    def read():
        for batch in iterator:
            with lock:
                seen.extend(batch.indices.tolist())

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(24))


def test_public_names_are_documented_and_versions_shown(capsys):
    for name in hotpack.__all__:
        assert name == "__version__" or getattr(hotpack, name).__doc__, name
    hotpack.show_versions()
    shown = capsys.readouterr().out
    assert f"hotpack {hotpack.__version__}, compiled with " in shown
    instructions = re.search("^vector instructions (.+), zstd [0-9.]+$", shown, re.MULTILINE)
    assert instructions
    if "avx2" in Path("/proc/cpuinfo").read_text().split():  # else portable kernels would run unnoticed
        assert instructions[1] in ("avx2", "avx512")


def test_import_is_lazy():
    text = subprocess.run([sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}; import hotpack; print('numpy' in sys.modules, 'hotpack._core' in sys.modules)"], capture_output=True, text=True, check=True).stdout
    assert text == "False False\n"


def test_a_loader_needs_nothing_of_the_pure_reader(run):
    assert run("import sys, hotpack; hotpack.Loader, hotpack.open; print([m for m in sys.modules if m.startswith('hotpack.pure')])") == "[]\n"
