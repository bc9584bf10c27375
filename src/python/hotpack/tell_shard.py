"""Tells the program that runs `hotpack pack` about a finished shard, and waits for its answer.
A script that on_shard.py gives to the command:

    python -I -S tell_shard.py SOCKET PATH [SPLIT]

It imports nothing of the package. Exit code 0 if the program could use the shard, 1 if not, or if
the program has ended.
"""

import os
import socket
import sys


def main(name: str, path: str) -> int:
    """SOCKET is an abstract name, PATH the file of the shard, which tells the split, too."""
    try:
        with socket.socket(socket.AF_UNIX) as program:
            program.connect(f"\0{name}")
            program.sendall(os.fsencode(os.path.abspath(path)))
            program.shutdown(socket.SHUT_WR)
            return 0 if program.recv(2) == b"ok" else 1
    except OSError:
        return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
