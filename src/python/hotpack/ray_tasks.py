"""What the tasks of `hotpack.ray.pack` do. Workers import this module alone, because `hotpack.ray`
imports Ray Data, which takes seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, cast

from .commands import plan as plan_here
from .errors import Error
from .parts import look_at_plan, pack_part
from .process import Progress, end_commands_with_this_process
from .receipts import Receipt
from .reports import PlanReport

SECONDS_BETWEEN_LOOKS = 0.5
THE_PLAN = -1  # the number of its task
_EXIT_IO = 3


class Again(Exception):
    """A failure that may pass with another try. reason: the error."""

    def __init__(self, reason: BaseException) -> None:
        super().__init__(reason)
        self.reason = reason


def _tried(function: Callable[[], Any]) -> Any:
    """What the function returns. Raises Again where another try may be of use. Commands end with
    this worker, which Ray may kill at any time."""
    end_commands_with_this_process()
    try:
        return function()
    except Error as error:
        if error.exit is not None and (error.exit < 0 or error.exit == _EXIT_IO):
            raise Again(error) from None
        raise
    except Exception as error:  # of on_shard
        raise Again(_portable(error)) from None


def _portable(error: Exception) -> Exception:
    """The error, if it goes through a pickle, or its text."""
    from ray import cloudpickle

    try:
        cloudpickle.loads(cloudpickle.dumps(error))  # type: ignore[no-untyped-call]
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def plan_task(
    plan: str, inputs: tuple[str, ...], options: dict[str, Any] | None, board: Any
) -> PlanReport:
    """Writes the plan, or looks at it: options is None if it is there already."""
    progress = Teller(board, THE_PLAN).tell if board is not None else None
    if options is None:
        return cast(PlanReport, _tried(lambda: look_at_plan(plan)))
    return cast(
        PlanReport, _tried(lambda: plan_here(*inputs, output=plan, progress=progress, **options))
    )


def part_task(plan: str, number: int, count: int, options: dict[str, Any], board: Any) -> Receipt:
    """Packs one part. board: the actor for its progress, or None."""
    progress = Teller(board, number).tell if board is not None else None
    return cast(
        Receipt, _tried(lambda: pack_part(plan, number, count, progress=progress, **options))
    )


class Board:
    """An actor on which tasks write their progress, until it is taken."""

    def __init__(self) -> None:
        self._latest: dict[int, Progress] = {}

    def write(self, number: int, progress: Progress) -> None:
        """Of the task with this number."""
        self._latest[number] = progress

    def take(self) -> dict[int, Progress]:
        """What was written since the last call."""
        latest, self._latest = self._latest, {}
        return latest


class Teller:
    """Writes on the board from time to time, without waiting for it."""

    def __init__(self, board: Any, number: int) -> None:
        self._board = board
        self._number = number
        self._next = 0.0

    def tell(self, progress: Progress) -> None:
        """Of this task."""
        if time.monotonic() < self._next and progress.samples_done != progress.samples_total:
            return
        self._next = time.monotonic() + SECONDS_BETWEEN_LOOKS
        self._board.write.remote(self._number, progress)
