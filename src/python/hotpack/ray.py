"""Ray Data and Ray clusters.

    hotpack.ray.pack("CamVid", size=(512, 512), output="/nfs/packed")
    ds = ray.data.read_datasource(hotpack.ray.Datasource("/nfs/packed/train"))
    for batch in ds.iter_torch_batches(batch_size=32):  # {"image", "label", "index"}
        ...

For training with Ray Train, `hotpack.torch.Loader(ds, 32, rank=ctx.get_world_rank(),
world_size=ctx.get_world_size())` in each worker is faster and continues exactly.

Needs `ray[data]`.
"""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, cast

import numpy as np
import ray
from ray.data.block import BlockAccessor, BlockMetadata
from ray.data.datasource import Datasource as _Datasource
from ray.data.datasource import ReadTask

from .commands import merge
from .commands import plan as plan_here
from .dataset import Dataset, Path
from .errors import CancelledError, DataError, Error, UsageError
from .forms import Ids, Image, Label
from .on_shard import OnShard
from .parts import pack_part
from .process import Listener, Progress, listener_of
from .ray_tasks import (
    SECONDS_BETWEEN_LOOKS,
    THE_PLAN,
    Again,
    Board,
    part_task,
    plan_task,
)
from .receipts import Receipt
from .reports import MergeReport, PlanReport
from .rows import Rows

__all__ = ["Datasource", "pack"]


def __dir__() -> list[str]:
    return __all__


_BLOCK_BYTES = 32 << 20
_SECONDS_TO_END = 40.0  # more than the command has to finish the records at hand
_STAGE = "packing"


def _names_of(function: Callable[..., Any]) -> set[str]:
    """The options of a function that are passed on as they are."""
    kinds = inspect.signature(function).parameters.items()
    return {name for name, one in kinds if one.kind == one.KEYWORD_ONLY} - _NAMED


# What `pack` has parameters of its own for.
_NAMED = {"output", "scratch", "on_shard", "receipts", "accept_skips", "progress"}
_PLAN_OPTIONS = _names_of(plan_here)
_PART_OPTIONS = _names_of(pack_part)
_OWN_FILES = {"log_file", "skipped"}  # of each task
_PATH_OPTIONS = {
    name
    for function in (plan_here, pack_part)
    for name, hint in function.__annotations__.items()
    if "Path" in hint
}


class Datasource(_Datasource):
    """The samples of a data set for `ray.data.read_datasource`: rows of "image", "label" and
    "index".

    data: a Dataset, or the folder of a pack, where every worker can read it. image, label: forms;
    by default u8 [H,W,c] and i32 [H,W]. Raises as `Dataset.read` in the tasks that read.
    """

    def __init__(
        self,
        data: Dataset | Path,
        *,
        image: Image = Image(),
        label: Label | None = Ids("int32"),
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._rows = Rows(data, image, label)

    def get_name(self) -> str:
        """The name that Ray shows."""
        return "hotpack"

    def estimate_inmemory_data_size(self) -> int | None:
        """Bytes of all rows, if all are as large as the first."""
        return len(self._rows) * self._row_bytes()

    def get_read_tasks(
        self,
        parallelism: int,
        per_task_row_limit: int | None = None,
        data_context: Any = None,
    ) -> list[ReadTask]:
        """Tasks that read one range of samples each. Ray calls it."""
        size = len(self._rows)
        count = max(1, min(parallelism, size))
        ends = [size * number // count for number in range(count + 1)]
        row_bytes = self._row_bytes()
        return [
            ReadTask(
                _reader(self._rows, begin, end, max(1, _BLOCK_BYTES // row_bytes)),
                BlockMetadata(end - begin, (end - begin) * row_bytes, None, None),
                per_task_row_limit=per_task_row_limit,
            )
            for begin, end in zip(ends, ends[1:])
        ]

    def _row_bytes(self) -> int:
        """Of the first row; others may differ if samples have different sizes."""
        row = self._rows.read([0], threads=1)[0]
        return sum(field.nbytes for field in row.values() if isinstance(field, np.ndarray))


def pack(
    *inputs: Path,
    output: Path,
    plan: Path | None = None,
    parts: int | Literal["auto"] = "auto",
    cpus: float = 2,
    memory: int | None = None,
    retries: int = 3,
    scratch: Path | None = None,
    on_shard: OnShard | str | None = None,
    receipts: Path | None = None,
    accept_skips: int | str | None = None,
    progress: Listener | bool | None = None,
    **options: Any,
) -> MergeReport:
    """Packs in tasks of Ray, as many machines as there are: the bytes of a single run.

    One task plans, one task for each part packs it, and this process writes the manifest from their
    receipts, which are some 500 bytes per shard.

    inputs, options: as of `hotpack.plan`, and on_error, max_errors, skipped, recheck, repair, force
        as of `hotpack.pack_part`. Paths mean the same files on every node. Each task writes a
        log_file and skipped of its own: log.txt.plan, log.txt.0 and so on for log.txt.
    output: the folder of the pack, which all nodes share. With scratch and on_shard, a folder of
        this machine, in which only the manifest, dataset.json, is written.
    plan: the file of the plan, which all nodes share. It is written if there are inputs; without
        inputs it is there already. By default it is next to `output`, and removed in the end.
    parts: how many parts there are. "auto": a fourth of the number of shards, so that slow parts do
        not hold up the rest, but as many as Ray has room for at once, if there are so many shards.
    cpus: what each task asks Ray for, and how many threads it packs with.
    memory: bytes that each task asks Ray for. None: it asks for none.
    retries: how often a task is tried again: after a signal (its worker or command was killed, or
        the node is gone), after an error of input or output, and if on_shard fails. What it had
        written to `output` stays. Wrong calls, wrong data and damage are not tried again.
    scratch, on_shard: as of `hotpack.pack_part`. A function is pickled, and runs in the tasks.
    receipts: a folder, best one that all nodes share, in which parts keep their receipts. Then what
        on_shard has taken is not packed again: by other tries, and by other calls with as many
        parts.
    accept_skips: how many samples may be skipped in all parts together, as a number or as "1%",
        with on_error="skip". More are a DataError, after the manifest is written. None: any number.
    progress: as of `hotpack.pack`, over all parts. It never goes back, also if a task is retried.

    Raises what `hotpack.plan`, `hotpack.pack_part` and `hotpack.merge` raise. The error of a part
    names it, the other tasks have ended then, and what was packed stays. An interrupt ends the
    tasks, too.
    """
    _check(inputs, parts, plan, scratch, on_shard, options)
    folder = _absolute_path(output)
    work = _Work(
        plan=f"{folder}.ray-{os.getpid()}.plan" if plan is None else _absolute_path(plan),
        inputs=tuple(_absolute_path(path) for path in inputs),
        options={"jobs": max(1, int(cpus)), **_all_absolute(options)},
        of_parts=_all_absolute({"scratch": scratch, "on_shard": on_shard, "receipts": receipts}),
    )
    if scratch is None or on_shard is None:
        work.of_parts["output"] = folder
    try:
        with _Cluster(cpus, memory, retries, progress) as cluster:
            planned = cluster.plan(work)
            count = _number_of_parts(planned.shards, cpus) if parts == "auto" else parts
            found = cluster.pack(work, planned, count)
    finally:
        if plan is None:
            with suppress(OSError):
                os.unlink(work.plan)
    report = merge(receipts=found, output=folder, accept_skips=accept_skips)
    if accept_skips is not None and report.json["exit"] != 0:
        raise DataError("more samples were skipped than accept_skips allows", path=folder)
    return report


def _check(
    inputs: tuple[Path, ...],
    parts: int | str,
    plan: Path | None,
    scratch: Path | None,
    on_shard: object,
    options: dict[str, Any],
) -> None:
    """Raises for arguments that no task could work with."""
    if unknown := options.keys() - _PLAN_OPTIONS - _PART_OPTIONS:
        raise TypeError(f"pack() got an unexpected keyword argument {min(unknown)!r}")
    if parts != "auto" and not (isinstance(parts, int) and parts >= 1):
        raise UsageError(f"parts is {parts!r}; it must be 1 or more, or 'auto'", option="parts")
    if plan is None and not inputs and not options.keys() - _PART_OPTIONS:
        raise UsageError("there is nothing to pack: give inputs or a plan", option="inputs")
    if plan is None and scratch is not None and on_shard is not None:
        raise UsageError(
            "with scratch and on_shard no folder need be shared, but the plan must be: name its "
            "file, which all nodes can read",
            option="plan",
        )


def _number_of_parts(shards: int, cpus: float) -> int:
    """Four shards a part, or fewer if the cluster would idle otherwise."""
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    room = int(resources.get("CPU", 0) / cpus) if cpus > 0 else 0
    return max(1, shards // 4, min(shards, room))


@dataclass(frozen=True)
class _Work:
    """What the tasks are to do. options: of the plan and of parts."""

    plan: str
    inputs: tuple[str, ...]
    options: dict[str, Any]
    of_parts: dict[str, Any]

    def for_plan(self) -> dict[str, Any] | None:
        """Its options; None if the plan is there already."""
        given = _PLAN_OPTIONS & self.options.keys()
        if not self.inputs and not given - _PART_OPTIONS:
            return None
        return _with_own_files({name: self.options[name] for name in given}, "plan")

    def for_part(self, number: int) -> dict[str, Any]:
        """The options of one part, which writes files of its own."""
        given = {name: self.options[name] for name in _PART_OPTIONS & self.options.keys()}
        return _with_own_files({**given, **self.of_parts}, str(number))


class _Cluster:
    """Runs tasks, and ends those that are left if one fails. progress: as of `pack`."""

    def __init__(
        self, cpus: float, memory: int | None, retries: int, progress: Listener | bool | None
    ) -> None:
        self._options: dict[str, Any] = {
            "num_cpus": cpus,
            "memory": memory,
            "max_retries": retries,
            "retry_exceptions": [Again],
        }
        listener, self._finish = listener_of(progress)
        self._bar = _Bar(listener) if listener is not None else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()
        self._finish()

    def plan(self, work: _Work) -> PlanReport:
        """Writes the plan, or looks at it."""
        board = self._bar.board if self._bar is not None else None
        call = (work.plan, work.inputs, work.for_plan(), board)
        (planned,) = self._results(plan_task, [call], lambda number: "the plan")
        return cast(PlanReport, planned)

    def pack(self, work: _Work, planned: PlanReport, count: int) -> list[Receipt]:
        """Packs all parts, and returns their receipts in their order."""
        board = self._bar.board if self._bar is not None else None
        if self._bar is not None:
            self._bar.begin(planned.samples)

        def ended(number: int, receipt: Receipt) -> None:
            if self._bar is not None:
                self._bar.end(number, receipt.records + receipt.skipped)

        calls = [
            (work.plan, number, count, work.for_part(number), board) for number in range(count)
        ]
        found = self._results(part_task, calls, lambda number: f"part {number}/{count}", ended)
        if self._bar is not None:
            self._bar.finish()
        return found

    def _results(
        self,
        function: Callable[..., Any],
        calls: list[tuple[Any, ...]],
        name: Callable[[int], str],
        ended: Callable[[int, Any], None] = lambda number, result: None,
    ) -> list[Any]:
        """What the calls return. ended: told of each call that has returned."""
        remote = ray.remote(**self._options)(function)
        numbers: dict[Any, int] = {}
        found: list[Any] = [None] * len(calls)
        try:
            for number, call in enumerate(calls):
                numbers[remote.remote(*call)] = number
            while numbers:
                left = list(numbers)
                ready, _ = ray.wait(left, num_returns=len(left), timeout=SECONDS_BETWEEN_LOOKS)
                for task in ready:
                    number = numbers.pop(task)
                    found[number] = _get(task, name(number))
                    ended(number, found[number])
                if self._bar is not None:
                    self._bar.look()
        except BaseException:
            _end(list(numbers))
            raise
        return found


def _get(task: Any, name: str) -> Any:
    """The result of a task, or its error as hotpack tells it."""
    try:
        return ray.get(task)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, Again):
            raise error.cause.reason from None
        if isinstance(error.cause, Error):
            raise error.cause from None
        raise
    except ray.exceptions.RayError as error:
        raise CancelledError(f"{name}: its worker died, also when tried again: {error}") from error


def _end(tasks: list[Any]) -> None:
    """Ends what still runs, so that nothing writes to the output after the error: in order, as by
    Ctrl-C, and by force what takes too long."""
    left = tasks
    for force in (False, True):
        if not left:
            return
        for task in left:
            ray.cancel(task, force=force)
        left = ray.wait(left, num_returns=len(left), timeout=_SECONDS_TO_END)[1]


class _Bar:
    """Adds up the progress of all tasks for one listener, in numbers that never decrease. A task
    that is tried again begins anew, so of each task the greatest numbers count."""

    def __init__(self, listener: Listener) -> None:
        self.board = cast(Any, ray.remote(num_cpus=0, max_restarts=-1)(Board).remote())
        self._taken: Any = self.board.take.remote()
        self._listener = listener
        self._stages: list[str] = []  # of the plan, the last of which it is in
        self._samples: int | None = None  # None until the parts begin
        self._parts: dict[int, _Counts] = {}
        self._began = time.monotonic()
        self._told: Progress | None = None

    def begin(self, samples: int) -> None:
        """The plan is there: the parts have so many samples together."""
        self._samples = samples
        self._began = time.monotonic()
        self._tell(self._sum())

    def end(self, number: int, samples: int) -> None:
        """A part is complete, also what was packed before."""
        counts = self._parts.setdefault(number, _Counts())
        counts.done = max(counts.done, samples)

    def finish(self) -> None:
        """All parts are complete."""
        assert self._samples is not None
        self._tell(replace(self._sum(), samples_done=self._samples, seconds_left=0.0))

    def look(self) -> None:
        """Tells the listener what tasks have written on the board. Waits for nothing: the board may
        begin late, and anew on another node."""
        if not ray.wait([self._taken], timeout=0)[0]:
            return
        with suppress(ray.exceptions.RayError):
            for number, progress in ray.get(self._taken).items():
                self._hear(number, progress)
        self._taken = self.board.take.remote()
        if self._samples is not None:
            self._tell(self._sum())

    def close(self) -> None:
        """Ends the actor."""
        ray.kill(self.board)

    def _hear(self, number: int, progress: Progress) -> None:
        if number == THE_PLAN:
            self._tell_of_plan(progress)
        elif progress.stage == _STAGE:
            self._parts.setdefault(number, _Counts()).raise_to(progress)

    def _tell_of_plan(self, progress: Progress) -> None:
        if self._samples is not None:
            return
        if progress.stage not in self._stages:
            self._stages.append(progress.stage)
            self._told = None
        if progress.stage == self._stages[-1]:
            self._tell(progress)

    def _sum(self) -> Progress:
        assert self._samples is not None
        parts = self._parts.values()
        done = min(sum(part.done for part in parts), self._samples)
        seconds = time.monotonic() - self._began
        rate = done / seconds if seconds > 0 else 0.0
        return Progress(
            stage=_STAGE,
            samples_done=done,
            samples_total=self._samples,
            bytes_in=sum(part.bytes_in for part in parts),
            bytes_out=sum(part.bytes_out for part in parts),
            problems=sum(part.problems for part in parts),
            seconds=seconds,
            samples_per_second=rate,
            seconds_left=(self._samples - done) / rate if rate > 0 else None,
        )

    def _tell(self, progress: Progress) -> None:
        """If it is more than before."""
        told = self._told
        if told is None or told.stage != progress.stage or _is_more(progress, told):
            self._told = progress
            self._listener(progress)


def _is_more(progress: Progress, told: Progress) -> bool:
    return progress.samples_done > told.samples_done or progress.bytes_in > told.bytes_in


@dataclass
class _Counts:
    """The greatest numbers that a task has told."""

    done: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    problems: int = 0

    def raise_to(self, progress: Progress) -> None:
        """Numbers that are smaller stay."""
        self.done = max(self.done, progress.samples_done)
        self.bytes_in = max(self.bytes_in, progress.bytes_in)
        self.bytes_out = max(self.bytes_out, progress.bytes_out)
        self.problems = max(self.problems, progress.problems)


def _with_own_files(options: dict[str, Any], name: str) -> dict[str, Any]:
    """The options of a task, with files of its own: log.txt.0 in place of log.txt."""
    own = {key: f"{options[key]}.{name}" for key in _OWN_FILES & options.keys() if options[key]}
    return {**options, **own}


def _all_absolute(options: dict[str, Any]) -> dict[str, Any]:
    return {name: _absolute(name, value) for name, value in options.items()}


def _absolute(name: str, value: Any) -> Any:
    """The value of an option, paths as absolute ones: tasks run in folders of their own."""
    if name not in _PATH_OPTIONS or value is None:
        return value
    if isinstance(value, (str, bytes, os.PathLike)):
        return _absolute_path(value)
    return [_absolute_path(path) for path in value]


def _absolute_path(path: Path) -> str:
    return os.path.abspath(os.fsdecode(path))


def _reader(rows: Rows, begin: int, end: int, at_once: int) -> Callable[[], Iterator[Any]]:
    def read() -> Iterator[Any]:
        for first in range(begin, end, at_once):
            found = rows.read(range(first, min(first + at_once, end)))
            yield BlockAccessor.batch_to_block(
                {name: _column([row[name] for row in found]) for name in found[0]}
            )

    return read


def _column(values: list[Any]) -> Any:
    """One array, or an array of arrays if their shapes differ."""
    if not isinstance(values[0], np.ndarray) or len({value.shape for value in values}) == 1:
        return np.array(values)
    column = np.empty(len(values), object)
    column[:] = values
    return column
