"""The order of samples in an epoch, by src/loader/ORDER.md, sections 1 to 4.

Positions and samples are u64 arrays here, so that orders of up to 2^62 samples can be asked for.
Everything is computed for arrays of positions. Speed: 4 to 10 million positions a second.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any, Protocol, SupportsIndex, TypeVar

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from ..option_table import LastBatch, Shuffle
from ..options import checked_names, word

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.intp]

MOST_SAMPLES = 1 << 62
MOST_EPOCH = 2**32 - 1
_DEFAULT_GLOBAL_BATCH = 32
SAMPLES, BLOCKS, WINDOWS, AUGMENTATION = 1, 2, 3, 4  # streams of random words

Word = TypeVar("Word", int, Words)
FourWords = tuple[Word, Word, Word, Word]

_MASK = 2**32 - 1
_MASK_32, _HALF = np.uint64(_MASK), np.uint64(32)
_AT_ONCE = 1 << 15  # positions; so that arrays stay in the cache


# ---- random words


def philox(counter: FourWords[Word], key: tuple[int, int]) -> FourWords[Word]:
    """Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3,
    2011): four words of 32 bits from a counter of four and a key of two; integers, or arrays of
    them."""
    words: tuple[Any, ...] = counter
    c0, c1, c2, c3 = words
    k0, k1 = key
    for _ in range(10):
        a, b = c0 * 0xD2511F53, c2 * 0xCD9E8D57
        c0, c1, c2, c3 = (b >> 32) ^ c1 ^ k0, b & _MASK, (a >> 32) ^ c3 ^ k1, a & _MASK
        k0, k1 = (k0 + 0x9E3779B9) & _MASK, (k1 + 0xBB67AE85) & _MASK
    return c0, c1, c2, c3


def random_words(
    seed: int, epoch: int, stream: int, subject: Word, draw: int = 0
) -> FourWords[Word]:
    """The words of a subject, or of an array of subjects (section 2)."""
    word: Any = subject
    zero = word & 0
    counter = (word & _MASK, word >> 32, zero + epoch, zero + (stream + 256 * draw))
    return philox(counter, (seed & _MASK, seed >> 32))


# ---- permutation


class Permutation:
    """permutation(n, stream, index) of section 3. With an array of indexes it is one permutation of
    n elements for each; `which` then says for each position which of them is asked for."""

    def __init__(
        self, size: int, seed: int, epoch: int, stream: int, index: int | Words = 0
    ) -> None:
        root = math.isqrt(size - 1) + 1 if size else 0
        self.size = size
        self.columns = max(root + root % 2, 2)
        self.rows = -(-size // self.columns)
        self.rounds = 24 if size < 64 else 8
        c0, c1, c2, c3 = random_words(seed, epoch, stream, np.atleast_1d(np.uint64(index)))
        self._keys = c0 | c1 << _HALF
        self._steps = c2 | c3 << _HALF | np.uint64(1)

    def __call__(self, positions: Words, which: Numbers | None = None) -> Words:
        """The elements at some positions, each 0 … n − 1."""
        return self._walk(positions, which, forward=True)

    def inverse(self, elements: Words, which: Numbers | None = None) -> Words:
        """The positions of some elements."""
        return self._walk(elements, which, forward=False)

    def _walk(self, numbers: Words, which: Numbers | None, forward: bool) -> Words:
        """Applies the rounds at least once, and again where the result is not below n."""
        result = np.empty_like(numbers)
        for begin in range(0, numbers.size, _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            chosen = np.zeros(1, np.intp) if which is None else which[part]
            keys, steps = np.broadcast_arrays(
                self._keys[chosen], self._steps[chosen], numbers[part]
            )[:2]
            result[part] = self._walk_part(numbers[part], keys, steps, forward)
        return result

    def _walk_part(self, numbers: Words, keys: Words, steps: Words, forward: bool) -> Words:
        rounds = self._forward if forward else self._backward
        x = rounds(numbers, keys, steps)
        outside = np.flatnonzero(x >= np.uint64(self.size))
        while outside.size:
            x[outside] = rounds(x[outside], keys[outside], steps[outside])
            outside = outside[x[outside] >= np.uint64(self.size)]
        return x

    def _forward(self, x: Words, keys: Words, steps: Words) -> Words:
        columns, rows = np.uint64(self.columns), np.uint64(self.rows)
        row, column = x // columns, x % columns
        for t in range(0, self.rounds, 2):
            column = _added(column, _shift(t, row, columns, keys, steps), columns)
            row = _added(row, _shift(t + 1, column, rows, keys, steps), rows)
        return column + columns * row

    def _backward(self, x: Words, keys: Words, steps: Words) -> Words:
        columns, rows = np.uint64(self.columns), np.uint64(self.rows)
        row, column = x // columns, x % columns
        for t in reversed(range(0, self.rounds, 2)):
            row = _added(row, rows - _shift(t + 1, column, rows, keys, steps), rows)
            column = _added(column, columns - _shift(t, row, columns, keys, steps), columns)
        return column + columns * row


def _added(a: Words, b: Words, below: np.uint64) -> Words:
    """The sum modulo `below`; the first number is below it, the second at most equal."""
    total = a + b
    return total - below * (total >= below)


def _shift(t: int, value: Words, below: np.uint64, keys: Words, steps: Words) -> Words:
    z = keys + np.uint64(t) * steps + value
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    # ⌊z · below / 2^64⌋ in two steps, as `below` has at most 32 bits
    return ((z >> _HALF) * below + ((z & _MASK_32) * below >> _HALF)) >> _HALF


# ---- epoch


class EpochOrder:
    """order(p) of section 4."""

    def __init__(
        self,
        samples: int,
        seed: int,
        epoch: int,
        shuffle: Shuffle = True,
        block_samples: int = 256,
        window_blocks: int = 16,
    ) -> None:
        self.samples = samples
        self._seed, self._epoch = seed, epoch
        self._shuffle = shuffle
        if shuffle != "block":
            self._permutation = Permutation(samples, seed, epoch, SAMPLES)
            return
        self._block = min(block_samples, samples)
        self._blocks = -(-samples // self._block)
        self._window = min(window_blocks, self._blocks)
        self._permutation = Permutation(self._blocks, seed, epoch, BLOCKS)
        last = np.array([self._blocks - 1], np.uint64)
        self._short_place = int(self._permutation.inverse(last)[0])
        self._missing = self._blocks * self._block - samples  # of the last block

    def __call__(self, positions: Words) -> Words:
        """The samples at some positions, each 0 … samples − 1."""
        if self._shuffle == "block":
            return self._unmixed(self._mixed(positions))
        return self._permutation(positions) if self._shuffle else positions

    def _mixed(self, positions: Words) -> Words:
        """Where the sample of each position is in the row of blocks, before windows mix."""
        windows, which = np.unique(
            self._places(positions) // np.uint64(self._window), return_inverse=True
        )
        firsts = self._starts(windows * np.uint64(self._window))
        ends = np.minimum((windows + np.uint64(1)) * np.uint64(self._window), self._blocks)
        sizes = self._starts(ends.astype(np.uint64)) - firsts
        within = positions - firsts[which]
        for size in np.unique(sizes).tolist():  # few: whole windows, and those at the ends
            here = np.flatnonzero((sizes == np.uint64(size))[which])
            mix = Permutation(size, self._seed, self._epoch, WINDOWS, windows)
            within[here] = mix(within[here], which[here])
        return firsts[which] + within

    def _unmixed(self, positions: Words) -> Words:
        """The sample at each position of the row of blocks."""
        places = self._places(positions)
        blocks, inverse = np.unique(places, return_inverse=True)
        begins = (self._permutation(blocks) * np.uint64(self._block))[inverse]
        return begins + positions - self._starts(places)

    def _starts(self, places: Words) -> Words:
        """Where blocks begin in their row; the number of samples for the place after the last."""
        full = places * np.uint64(self._block)
        return full - np.uint64(self._missing) * (places > np.uint64(self._short_place))

    def _places(self, positions: Words) -> Words:
        """In which place of the row of blocks a position is."""
        places = positions // np.uint64(self._block)
        return places + (positions >= self._starts(places + np.uint64(1))).astype(np.uint64)


# ---- steps and ranks


@dataclass(frozen=True, slots=True)
class StepPlan:
    """The steps of an epoch, and the positions of a rank in each of them (section 1)."""

    steps: int
    global_batch_size: int
    within: range  # the rank's positions within a step
    within_last: range  # within the last step, which is shorter with "keep"

    def positions(self, step: int) -> range:
        """The rank's positions of a step, one per row of its batch."""
        within = self.within_last if step == self.steps - 1 else self.within
        first = step * self.global_batch_size
        return range(first + within.start, first + within.stop)

    @property
    def rows(self) -> int:
        """The number of rows of the rank's largest batch."""
        return max(len(self.positions(step)) for step in (0, self.steps - 1))


def step_plan(
    samples: int, global_batch_size: int, last_batch: LastBatch, rank: int, world_size: int
) -> StepPlan:
    """Raises UsageError for numbers that make no step or an empty batch, and for ranks that do not
    exist."""
    _check_batch(samples, global_batch_size, last_batch)
    _check_ranks(global_batch_size, rank, world_size)
    whole = samples if last_batch == "drop" else samples + global_batch_size - 1
    steps = whole // global_batch_size
    left = samples - (steps - 1) * global_batch_size if last_batch == "keep" else global_batch_size
    _check_last_step(samples, global_batch_size, left, world_size)
    within, within_last = (
        range(count * rank // world_size, count * (rank + 1) // world_size)
        for count in (global_batch_size, left)
    )
    return StepPlan(steps, global_batch_size, within, within_last)


class DataSet(Protocol):
    """What `epoch_order` needs of a data set: those of `hotpack.open` and of `hotpack.pure.open`
    have it."""

    @property
    def fingerprint(self) -> str:
        """Tells a data set from a loader, which also has a length."""

    def __len__(self) -> int: ...


@checked_names
def epoch_order(
    data: DataSet | SupportsIndex,
    batch_size: SupportsIndex | None = None,
    seed: SupportsIndex = 0,
    epoch: SupportsIndex = 0,
    *,
    global_batch_size: SupportsIndex | None = None,
    shuffle: Shuffle = True,
    rank: SupportsIndex = 0,
    world_size: SupportsIndex = 1,
    last_batch: LastBatch = "drop",
    block_samples: SupportsIndex = 256,
    window_blocks: SupportsIndex = 16,
) -> npt.NDArray[np.int64]:
    """The samples of each batch of an epoch, i64 [steps, rows], in the order of hotpack's loaders.

    data: a data set of `hotpack.open` or `hotpack.pure.open`, or a number of samples.
    batch_size: samples of this process in each step; global_batch_size: those of all processes.
        Without both, the global batch has 32. A global batch may be no multiple of world_size;
        then ranks differ by one row at most.
    seed: 0 … 2^64 − 1. epoch: from 0.
    shuffle: True: all samples; "block": blocks of `block_samples` consecutive samples move as
        wholes, then samples mix within windows of `window_blocks` blocks; False: not at all.
    last_batch: where the last samples do not fill a batch, "drop" leaves them out, "pad" fills it
        with −1, "wrap" with the first samples of the same epoch. "keep" makes the last batch
        shorter: −1 then stands where a step has fewer rows than the largest one.

    Raises UsageError for numbers that contradict each other, TypeError for what is no integer.
    1,000,000 samples take 0.1 to 0.4 s. The result must fit into memory, with about ten times its
    size while it is computed.

    >>> epoch_order(10, 4, seed=7, shuffle=False, last_batch="pad").tolist()
    [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, -1, -1]]
    >>> epoch_order(10, 4, seed=7, epoch=1).tolist() == epoch_order(10, 4, seed=7).tolist()
    False
    """
    samples = operator.index(data) if isinstance(data, SupportsIndex) else _size(data)
    seed, epoch = check_run(seed, epoch)
    rank, world_size = operator.index(rank), operator.index(world_size)
    block_samples, window_blocks = operator.index(block_samples), operator.index(window_blocks)
    word("shuffle", shuffle)
    word("last_batch", last_batch)
    _check_blocks(block_samples, window_blocks)
    whole = _global_batch_size(batch_size, global_batch_size, world_size)
    plan = step_plan(samples, whole, last_batch, rank, world_size)
    steps = np.arange(plan.steps, dtype=np.uint64) * np.uint64(whole)
    firsts, ends = steps + np.uint64(plan.within.start), steps + np.uint64(plan.within.stop)
    last = plan.positions(plan.steps - 1)
    firsts[-1], ends[-1] = last.start, last.stop
    positions: Words = np.add.outer(firsts, np.arange(plan.rows, dtype=np.uint64))
    is_empty = positions >= ends[:, None]
    if last_batch == "pad":
        is_empty |= positions >= np.uint64(samples)
    order = EpochOrder(samples, seed, epoch, shuffle, block_samples, window_blocks)
    found = order(positions.ravel() % np.uint64(samples)).astype(np.int64)
    found[is_empty.ravel()] = -1
    return found.reshape(positions.shape)


def _size(data: DataSet) -> int:
    if not hasattr(data, "fingerprint"):
        raise TypeError(f"data is a {type(data).__name__}; give a data set or a number of samples")
    return len(data)


def _global_batch_size(
    batch_size: SupportsIndex | None, whole: SupportsIndex | None, world_size: int
) -> int:
    if batch_size is not None and whole is not None:
        raise UsageError(
            "batch_size and global_batch_size are both set; set batch_size, the samples of each "
            "process per step, or global_batch_size, those of all processes together"
        )
    if batch_size is None:
        return _DEFAULT_GLOBAL_BATCH if whole is None else operator.index(whole)
    batch_size = operator.index(batch_size)
    if batch_size < 1:
        raise UsageError(f"batch_size is {batch_size}; it must be 1 or more", option="batch_size")
    return batch_size * max(world_size, 1)


def _check_blocks(block_samples: int, window_blocks: int) -> None:
    for name, value in (("block_samples", block_samples), ("window_blocks", window_blocks)):
        if not 1 <= value <= MOST_SAMPLES:
            raise UsageError(f"{name} is {value}; it must be from 1 to 2^62")


def check_run(seed: SupportsIndex, epoch: SupportsIndex) -> tuple[int, int]:
    """Both as Python's integers, as NumPy's would overflow. Raises UsageError for those outside
    their ranges, TypeError for what is no integer."""
    seed, epoch = operator.index(seed), operator.index(epoch)
    if not 0 <= seed < 2**64:
        raise UsageError(f"seed {seed} is not from 0 to 2^64 - 1")
    if not 0 <= epoch <= MOST_EPOCH:
        raise UsageError(f"epoch {epoch} is not from 0 to 2^32 - 1")
    return seed, epoch


def _check_batch(samples: int, global_batch_size: int, last_batch: LastBatch) -> None:
    if samples <= 0:
        raise UsageError(
            "the data set has no samples, so there is no batch; use a data set that has some"
        )
    if samples > MOST_SAMPLES:
        raise UsageError(f"{samples} samples are too many; the limit is 2^62")
    if not 1 <= global_batch_size <= MOST_SAMPLES:
        raise UsageError(
            f"global_batch_size is {global_batch_size}; it must be from 1 to 2^62: the samples per "
            "step, over all ranks"
        )
    if last_batch == "drop" and samples < global_batch_size:
        raise UsageError(
            f"a step of {global_batch_size} samples is larger than the {samples} samples of the "
            "data set, so last_batch drop leaves no step; use a smaller batch, or last_batch keep, "
            "pad or wrap"
        )


def _check_last_step(samples: int, global_batch_size: int, left: int, world_size: int) -> None:
    if left < world_size:
        raise UsageError(
            f"steps of {global_batch_size} samples leave {left} of the {samples} samples for the "
            f"last one, fewer than world_size {world_size}, so with last_batch keep a process "
            "would have an empty last batch; use another batch size, fewer processes, or "
            "last_batch pad"
        )


def _check_ranks(global_batch_size: int, rank: int, world_size: int) -> None:
    if world_size < 1:
        raise UsageError(f"world_size is {world_size}; it must be 1 or more")
    if not 0 <= rank < world_size:
        raise UsageError(
            f"rank {rank} is not below world_size {world_size}; ranks are numbered from 0 to "
            f"{world_size - 1}"
        )
    if world_size > global_batch_size:
        raise UsageError(
            f"a step of {global_batch_size} samples is smaller than world_size {world_size}; use "
            f"a global_batch_size of at least {world_size}"
        )
