"""A progress bar of tqdm for commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import UsageError

if TYPE_CHECKING:
    from .process import Progress


class Bar:
    """Shows the samples that are done. Raises UsageError if tqdm is not installed."""

    def __init__(self, file: Any) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise UsageError(
                "progress=True needs tqdm; install it with `pip install tqdm`, or give a function",
                option="progress",
            ) from None
        self._bar: Any = tqdm(unit=" samples", file=file)

    def show(self, progress: Progress) -> None:
        """Begins again when the stage is another one."""
        bar = self._bar
        total = progress.samples_total or None  # unknown while files are listed
        if bar.desc != f"{progress.stage}: ":
            bar.reset(total)
            bar.set_description(progress.stage)
        bar.total = total
        bar.update(progress.samples_done - bar.n)

    def close(self) -> None:
        """Leaves the bar as it is."""
        self._bar.close()
