"""Runs the command `hotpack` as a process and turns what it says into objects and exceptions.

The command is a process of its own, so its libraries never meet those of the program, its memory
comes back at its end, and an interrupt leaves whole shards and nothing half-written.
"""

from __future__ import annotations

import ctypes
import json
import logging
import os
import signal
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, Any

from .errors import CLASSES, CancelledError, Error, InternalError, IoError, UsageError, ending_of
from .receipts import ReceiptFolders

_LOG = logging.getLogger("hotpack")
# An error is also an exception or in the report: as a message it must not reach stderr, too.
_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 20}
_SECONDS_TO_STOP = 30.0  # an interrupted command finishes the records at hand
_PR_SET_PDEATHSIG = 1  # of prctl(2)
# Others, such as SIGSEGV, come from faults of the command itself.
_SIGNALS_FROM_OUTSIDE = {signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a command is. stage: what it does, such as "pack". samples_total, seconds_left: None
    while they are unknown. bytes_in, bytes_out: read and written."""

    stage: str
    samples_done: int
    samples_total: int | None
    bytes_in: int
    bytes_out: int
    problems: int
    seconds: float
    samples_per_second: float
    seconds_left: float | None


Listener = Callable[[Progress], object]


def find_command() -> str:
    """The command's path: $HOTPACK_COMMAND, that of the environment in which this package is
    installed, or the first in PATH. Raises UsageError if there is none, or if its version is
    another one."""
    from . import __version__

    for path in _candidates():
        if os.path.isfile(path) and os.access(path, os.X_OK):
            _check_version(path, __version__)
            return path
    raise UsageError(
        "the command `hotpack` was not found: install the package with pip, put the command into "
        "PATH, or name it in HOTPACK_COMMAND"
    )


def run(
    command: str,
    arguments: Sequence[Any],
    options: Mapping[str, Any],
    progress: Listener | bool | None = None,
    stopping: Callable[[], object] | None = None,
) -> dict[str, Any]:
    """Runs `hotpack COMMAND` and returns its report. options: values by the names of the command
    line; None and False are left out. progress: called with each Progress, or True for a bar of
    tqdm. stopping: called when the command is interrupted, before its end. Raises the error that
    the command reports; KeyboardInterrupt and what `progress` raises after the command has ended in
    order."""
    line = [find_command(), command, "--json", "--progress", "json"]
    with ExitStack() as stack:
        for name, value in options.items():
            if isinstance(value, ReceiptFolders):
                value = stack.enter_context(value)
            line += _words(name, value)
        line += [_positional(value) for value in arguments if value is not None]
        listener, finish = listener_of(progress)
        stack.callback(finish)
        return _result(command, *_run(line, listener, stopping))


def _candidates() -> Iterator[str]:
    if named := os.environ.get("HOTPACK_COMMAND"):
        yield named
        return
    yield os.path.join(sysconfig.get_path("scripts"), "hotpack")
    scheme = sysconfig.get_preferred_scheme("user")
    yield os.path.join(sysconfig.get_path("scripts", scheme), "hotpack")
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        yield os.path.join(folder, "hotpack")


_known: dict[str, str] = {}  # versions of commands


def _check_version(path: str, wanted: str) -> None:
    if path not in _known:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
        _known[path] = (done.stdout.split() + ["", ""])[1]
    if _known[path] != wanted:
        raise UsageError(
            f"this command is of version {_known[path] or 'unknown'}, the package of {wanted}; "
            "install both from the same release",
            path=path,
        )


def _words(name: str, value: Any) -> list[Any]:
    """An option of the command line with its value, or several of them."""
    if value is None or value is False:
        return []
    if value is True:
        return [name]
    if isinstance(value, list):
        return [word for one in value for word in _words(name, one)]
    if isinstance(value, tuple):
        return [name, *map(str, value)]
    if isinstance(value, (bytes, os.PathLike)):
        return [f"{name}={os.fsdecode(value)}"]
    return [f"{name}={value}"]


def _positional(value: Any) -> Any:
    """A path that is not taken for an option."""
    path = os.fsdecode(value)
    return f"./{path}" if path.startswith("-") else path


_before_command: Callable[[], None] | None = None  # called in a command's process


def end_commands_with_this_process() -> None:
    """Makes the system kill commands that are started from now on when this process, or the thread
    that called, dies. For workers that may be killed; on Linux alone, elsewhere it does nothing.
    Programs with threads pay for it: they must fork to start a command."""
    global _before_command
    if not sys.platform.startswith("linux"):
        return
    parent, prctl = os.getpid(), ctypes.CDLL(None).prctl

    def before_command() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it has died already
            os._exit(1)

    _before_command = before_command


def _run(
    line: list[Any], listener: Listener | None, stopping: Callable[[], object] | None = None
) -> tuple[int, str]:
    """The exit code and what the process wrote to stdout."""
    process = subprocess.Popen(
        line,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,  # Ctrl-C reaches this process alone, which passes it on once
        preexec_fn=_before_command,
    )
    assert process.stdout is not None and process.stderr is not None
    output: list[bytes] = []
    reader = threading.Thread(target=_read_all, args=(process.stdout, output), daemon=True)
    reader.start()
    try:
        for text in process.stderr:
            _hear(text, listener)
        process.wait()
    except BaseException:
        if stopping is not None:
            stopping()
        _stop(process)
        raise
    finally:
        reader.join()
        process.stderr.close()
    return process.returncode, b"".join(output).decode("utf-8", "replace")


def _read_all(stream: IO[bytes], into: list[bytes]) -> None:
    with stream:
        into.append(stream.read())


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Interrupts the command and waits; it stops after the records at hand."""
    assert process.stderr is not None
    process.send_signal(signal.SIGINT)
    drain = threading.Thread(target=process.stderr.read, daemon=True)
    drain.start()  # or the command could wait for its reader
    try:
        process.wait(_SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    drain.join()


def _hear(line: bytes, listener: Listener | None) -> None:
    try:
        event = json.loads(line)
    except ValueError:
        _LOG.warning("%s", line.decode("utf-8", "replace").rstrip())
        return
    if event.get("type") == "message":
        _LOG.log(_LEVELS.get(event.get("level"), 20), "%s", event.get("text"))
    elif event.get("type") == "progress" and listener is not None:
        names = Progress.__dataclass_fields__
        listener(Progress(**{name: event.get(name) for name in names}))


def _result(command: str, code: int, text: str) -> dict[str, Any]:
    try:
        report: dict[str, Any] = json.loads(text)
    except ValueError:
        raise _ending(command, code) from None
    if report.get("type") == "error":
        raise _error_of(report, code)
    return {**report, "exit": code}


def _ending(command: str, code: int) -> Error:
    """The error for a command that ended without a report."""
    text = f"hotpack {command} ended with {ending_of(code)} and without a report"
    error = CancelledError(text) if -code in _SIGNALS_FROM_OUTSIDE else InternalError(text)
    error.exit = code
    return error


def _error_of(report: Mapping[str, Any], code: int) -> Error:
    error = CLASSES.get(report["code"], InternalError)(
        report["message"],
        path=report.get("path"),
        offset=report.get("offset"),
        option=report.get("option"),
    )
    error.problems = tuple(report.get("problems") or ())
    error.exit = code
    if isinstance(error, IoError):
        error.filename = error.path
    return error


def listener_of(progress: Listener | bool | None) -> tuple[Listener | None, Callable[[], object]]:
    """Whom to tell about progress, and what to do at the end."""
    if progress is True:
        from .progress import Bar

        bar = Bar(sys.stderr)
        return bar.show, bar.close
    return progress or None, lambda: None
