"""Functions of Python as the command of `--on-shard`.

For each finished shard the command starts tell_shard.py, which tells the path over a socket and
waits for the answer. So a shard stays until the function has returned, and a function that raises
fails the command.
"""

from __future__ import annotations

import os
import secrets
import shlex
import socket
import struct
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Self

OnShard = Callable[[str], object]


class ShardCalls:
    """Calls `function` with the path of each shard, one at a time, in a thread of its own, in a
    `with` block. command: for `--on-shard`. failure: what the function has raised; afterwards it is
    not called again.

    The socket has a random abstract name, so it needs no file, and answers processes of this user
    alone.
    """

    def __init__(self, function: OnShard) -> None:
        self._function = function
        self._name = f"hotpack-{secrets.token_hex(16)}"
        self._server = socket.socket(socket.AF_UNIX)
        self._thread = threading.Thread(target=self._serve, name="hotpack on_shard", daemon=True)
        self._lock = threading.Lock()
        self._asking: socket.socket | None = None  # who waits for an answer
        self._is_refusing = False
        self.failure: BaseException | None = None

    @property
    def command(self) -> str:
        """A line for a shell, in which {} is the place of the path, and {split} that of a split,
        which the path tells, too."""
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tell_shard.py")
        python = sys.executable or "python3"
        return f"{shlex.join([python, '-I', '-S', script, self._name])} {{}} {{split}}"

    def __enter__(self) -> Self:
        self._server.bind(f"\0{self._name}")
        self._server.listen()
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Does not wait for a function that still runs after an interrupt."""
        self.refuse()
        self._server.shutdown(socket.SHUT_RDWR)  # ends accept()
        self._server.close()

    def refuse(self) -> None:
        """Lets the command go on: fails the shard at hand and those to come."""
        with self._lock:
            self._is_refusing = True
            if self._asking is not None:
                with suppress(OSError):  # it may have ended
                    self._asking.shutdown(socket.SHUT_RDWR)

    def _serve(self) -> None:
        while True:
            try:
                asking, _ = self._server.accept()
            except OSError:
                return
            with asking:
                self._answer(asking)

    def _answer(self, asking: socket.socket) -> None:
        if not self._begin(asking):
            return
        with suppress(OSError):
            path = _all_of(asking)
            if path and self._call(os.fsdecode(path)):
                asking.sendall(b"ok")
        with self._lock:
            self._asking = None

    def _call(self, path: str) -> bool:
        """Whether the function has returned."""
        try:
            self._function(path)
        except BaseException as error:  # also SystemExit
            with self._lock:
                if not self._is_refusing:
                    self.failure = error
                    self._is_refusing = True
            return False
        return True

    def _begin(self, asking: socket.socket) -> bool:
        with self._lock:
            if self._is_refusing or _user_of(asking) != os.getuid():
                return False
            self._asking = asking
            return True


def _user_of(connection: socket.socket) -> int:
    """Of the process on the other side."""
    size = struct.calcsize("3i")
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    return int(struct.unpack("3i", found)[1])


def _all_of(connection: socket.socket) -> bytes:
    text = b""
    while more := connection.recv(65536):
        text += more
    return text
