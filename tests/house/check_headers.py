#!/usr/bin/env python3
"""Keeps the way to a first training loop short: fails if the headers that it needs have more lines than a user wants to read.

usage: check_headers.py ROOT      (the source tree; exit 0 and a line of counts, or 1 and a line per fault)
"""

import sys
from pathlib import Path

# The headers that describe a training loop, and the most lines of all together.
FIRST_READ = ("loader.hpp", "batch.hpp", "loader_options.hpp")
MOST_LINES = 250
WIDTH = 100


def check(root):
    """The number of lines, and a list of faults."""
    folder = root / "include" / "hotpack"
    count, faults = 0, []
    for name in FIRST_READ:
        path = folder / name
        if not path.is_file():
            faults.append(f"{path.relative_to(root)}: missing; FIRST_READ in check_headers.py names it")
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        count += len(lines)
        faults += [
            f"{path.relative_to(root)}:{number}: {len(line)} columns; at most {WIDTH} in a header that every user reads"
            for number, line in enumerate(lines, 1)
            if len(line) > WIDTH
        ]
    if count > MOST_LINES:
        faults.append(f"{', '.join(FIRST_READ)}: {count} lines to read before a first training loop; at most {MOST_LINES}; shorten comments, or move "
                      "what a first loop does not need to another header")
    return count, faults


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    count, faults = check(Path(sys.argv[1]))
    for fault in faults:
        print(fault)
    print(f"{count} lines to read before a first training loop, {len(faults)} faults")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
