"""Ray Data and Ray clusters.

    hotpack.ray.pack("CamVid", size=(512, 512), output="/nfs/packed", partitions=64)
    ds = ray.data.read_datasource(hotpack.ray.Datasource("/nfs/packed/train"))
    for batch in ds.iter_torch_batches(batch_size=32):  # {"image", "label", "index"}
        ...

For training with Ray Train, `hotpack.torch.Loader(ds, 32, rank=ctx.get_world_rank(),
world=ctx.get_world_size())` in each worker is faster and continues exactly.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import ray
from ray.data.block import BlockAccessor, BlockMetadata
from ray.data.datasource import Datasource as _Datasource
from ray.data.datasource import ReadTask

from .commands import merge
from .commands import pack as pack_here
from .dataset import Dataset, Path, open
from .errors import Error, UsageError
from .forms import Ids, Image, Label
from .process import end_commands_with_this_process
from .reports import MergeReport
from .rows import Rows

__all__ = ["Datasource", "pack"]

_BLOCK_BYTES = 32 << 20
_SECONDS_TO_END = 40.0  # more than the command has to finish the records at hand
_PATH_OPTIONS = {name for name, hint in pack_here.__annotations__.items() if "Path" in hint}


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
    partitions: int,
    cpus_per_partition: float = 1,
    max_retries: int = 3,
    **options: Any,
) -> MergeReport:
    """Packs in `partitions` tasks of Ray and joins their results: the bytes of a single run.

    inputs, options: as of `hotpack.pack`; paths must mean the same files on every node. output: a
    folder that all nodes share. cpus_per_partition: what each task asks Ray for, and how many
    threads it packs with. max_retries: how often a task is run again after its worker has died;
    what it had packed by then stays. log_file: each task appends to a file of its own, log.txt.0
    and so on for log.txt. Raises what `hotpack.pack` and `hotpack.merge` raise, after the other
    tasks have ended.
    """
    if partitions < 1:
        raise UsageError(f"partitions is {partitions}; it must be 1 or more", option="partitions")
    if "partition" in options:
        raise UsageError("partition: give partitions, how many there are", option="partition")
    options = {name: _absolute(name, value) for name, value in options.items()}
    options.setdefault("jobs", max(1, int(cpus_per_partition)))
    task = ray.remote(num_cpus=cpus_per_partition, max_retries=max_retries)(_pack_partition)
    folder = _absolute_path(output)
    given = tuple(_absolute_path(path) for path in inputs)
    tasks = [
        task.remote(given, folder, f"{i}/{partitions}", _of_partition(i, options))
        for i in range(partitions)
    ]
    try:
        ray.get(tasks)
    except BaseException as error:
        _end(tasks)
        if isinstance(error, ray.exceptions.RayTaskError) and isinstance(error.cause, Error):
            raise error.cause from None
        raise
    return merge(folder)


def _end(tasks: list[Any]) -> None:
    """Ends what still runs, so that nothing writes to the output after the error: in order, as by
    Ctrl-C, and by force what takes too long."""
    left = tasks
    for force in (False, True):
        for task in left:
            ray.cancel(task, force=force)
        left = ray.wait(left, num_returns=len(left), timeout=_SECONDS_TO_END)[1]
        if not left:
            return


def _of_partition(number: int, options: dict[str, Any]) -> dict[str, Any]:
    """The options of one task, which writes a log of its own."""
    if options.get("log_file") is None:
        return options
    return {**options, "log_file": f"{options['log_file']}.{number}"}


def _absolute(name: str, value: Any) -> Any:
    """The value of an option of `hotpack.pack`, paths as absolute ones: tasks run in folders of
    their own."""
    if name not in _PATH_OPTIONS or value is None:
        return value
    if isinstance(value, (str, bytes, os.PathLike)):
        return _absolute_path(value)
    return [_absolute_path(path) for path in value]


def _absolute_path(path: Path) -> str:
    return os.path.abspath(os.fsdecode(path))


def _pack_partition(
    inputs: tuple[str, ...], output: str, partition: str, options: dict[str, Any]
) -> None:
    """Packs in a task. Its command ends with the worker, which Ray may kill at any time."""
    end_commands_with_this_process()
    pack_here(*inputs, output=output, partition=partition, **options)


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
