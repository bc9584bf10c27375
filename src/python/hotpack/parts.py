"""One part of a plan, as a task of any scheduler packs it."""

from __future__ import annotations

import operator
import os
import tempfile
from contextlib import ExitStack
from typing import Any, Literal

from .errors import DataError, Error, UsageError
from .on_shard import OnShard, ShardCalls
from .process import Listener, run
from .receipts import Path, Receipt
from .reports import PlanReport, check_not_stopped, plan_report

_MANY = 10**9  # parts


def pack_part(
    plan: Path,
    index: int,
    count: int,
    *,
    output: Path | None = None,
    scratch: Path | None = None,
    on_shard: OnShard | str | None = None,
    receipts: Path | None = None,
    on_error: Literal["fail", "skip"] | None = None,
    max_errors: int | None = None,
    accept_skips: int | str | None = None,
    skipped: Path | None = None,
    recheck: bool = False,
    repair: bool = False,
    force: bool = False,
    jobs: int | None = None,
    io_threads: int | None = None,
    max_memory: int | str | None = None,
    log_file: Path | None = None,
    progress: Listener | bool | None = None,
) -> Receipt:
    """Packs part `index`, counted from 0, of `count` parts of a plan, and returns the receipt, from
    which `hotpack.merge` writes the manifest without a look at the shards.

        plan = hotpack.plan(images="train", labels="masks", size=(512, 512), output="train.plan")
        receipts = [hotpack.pack_part("train.plan", i, 40, output="packed") for i in range(40)]
        hotpack.merge(receipts=receipts, output="packed")

    The middle line is what a cluster does: parts may run in any order, at the same time, on any
    machine that reads the plan and its inputs, and more than once. A part that is interrupted
    continues with its next call, and one that is complete does nothing. Without a folder that all
    machines share, shards leave as they are finished:

        def upload(shard: str) -> None:  # of obstore; of fsspec: fs.put(shard, f"bucket/{name}")
            obstore.put(store, os.path.basename(shard), pathlib.Path(shard))

        hotpack.pack_part("train.plan", i, 40, scratch="/local", on_shard=upload)

    plan: the file of `hotpack.plan`.
    index, count: the part and how many there are, at most one for each shard to be of use.
    output: the folder of the pack; several parts may share it. None with scratch and on_shard.
    scratch: a folder on a local disk in which shards are written before they go on.
    on_shard: called with the path of each finished shard, one at a time, in a thread of its own; or
        a command for a shell in which {} is that path, and {split} its split. Shards of several
        splits have the same names; the path then ends in SPLIT/NAME. The shard stays until the
        function returns; one that raises fails the part.
    receipts: a folder in which the receipt is kept as a file. Then a part that is called again does
        not pack again what on_shard has taken; without it, and without output, it packs all again.
    on_error, max_errors, skipped, recheck, repair, force, jobs, io_threads, max_memory, log_file:
        as of `hotpack.pack`.
    accept_skips: how many samples may be skipped, as a number or as "1%" of the part. More are a
        DataError, after the others are packed. Without it any number may; the receipt counts them.

    Raises what `hotpack.pack` raises; its message begins with the part. What `on_shard` raises is
    raised after the command has ended. `error.exit` tells whether another try is of use: after a
    signal (below 0) and 3, not after 1, 2 and 4.
    """
    index, count = _integer("index", index), _integer("count", count)
    if not 0 <= index < count:
        raise UsageError(
            f"index is {index} and count {count}; parts are numbered from 0 to count - 1",
            option="index",
        )
    with ExitStack() as stack:
        folder = receipts or stack.enter_context(tempfile.TemporaryDirectory(prefix="hotpack-"))
        calls = stack.enter_context(ShardCalls(on_shard)) if callable(on_shard) else None
        options = {
            "--plan": plan,
            "--partition": f"{index}/{count}",
            "--output": output,
            "--scratch": scratch,
            "--on-shard": calls.command if calls is not None else on_shard,
            "--receipt": folder,
            "--on-error": on_error,
            "--max-errors": max_errors,
            "--accept-skips": accept_skips,
            "--skipped": skipped,
            "--recheck": recheck,
            "--repair": repair,
            "--force": force,
            "--jobs": jobs,
            "--io-threads": io_threads,
            "--max-memory": max_memory,
            "--log-file": log_file,
        }
        try:
            report = run("pack", [], options, progress, calls.refuse if calls is not None else None)
            _check_end(report, accept_skips is not None)
            receipt = _receipt_of(folder, index, count)
        except Error as error:
            if calls is not None and calls.failure is not None:
                calls.failure.add_note(f"in part {index}/{count}")
                raise calls.failure from None
            error.message = f"part {index}/{count}: {error.message}"
            raise
    return receipt if receipts else Receipt(index, count, receipt.data)


def look_at_plan(plan: Path) -> PlanReport:
    """What a plan holds, as `hotpack.plan` reports it."""
    with tempfile.TemporaryDirectory(prefix="hotpack-") as folder:
        options = {
            "--plan": plan,
            # Reads few samples. The command compares the number with that in the environment.
            "--partition": f"0/{os.environ.get('HOTPACK_PARTITIONS') or _MANY}",
            "--output": os.path.join(folder, "none"),
            "--dry-run": True,
        }
        return plan_report({**run("pack", [], options), "plan_file": os.fsdecode(plan)})


def _integer(name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise UsageError(f"{name} is {value!r}; expected an integer", option=name) from None


def _check_end(report: dict[str, Any], refuses_skips: bool) -> None:
    """The report of a run that ended without an error may still be of one that did not end well."""
    check_not_stopped(report)
    if refuses_skips and report["exit"] != 0:
        error = DataError("more samples were skipped than accept_skips allows")
        error.problems = tuple(report.get("problems") or ())
        error.exit = report["exit"]
        raise error


def _receipt_of(folder: Path, index: int, count: int) -> Receipt:
    name = f"part-{index:05}-of-{count:05}.json"
    return Receipt.load(os.path.join(os.fsdecode(folder), name))
