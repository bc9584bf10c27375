"""`python -m hotpack` is the command."""

from __future__ import annotations

import os
import sys

from .process import find_command


def main() -> None:
    """Becomes the command, with the arguments of this process."""
    command = find_command()
    os.execv(command, [command, *sys.argv[1:]])


if __name__ == "__main__":
    main()
