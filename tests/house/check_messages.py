#!/usr/bin/env python3
"""Messages quoted in docs/troubleshooting.md and docs/cluster.md: fails if the sources no longer contain a message.

usage: check_messages.py ROOT      (the source tree; exit 0 and a line of counts, or 1 and one line per fault)

A page quotes a message with names and numbers of an example. Its other words must be in the string literals of the sources, in runs of
three words. Some runs may be missing, because a message also contains words of the example.
"""

import re
import sys
from pathlib import Path

PAGES = ("docs/troubleshooting.md", "docs/cluster.md")
FOLDERS = ("src", "include")
SUFFIXES = (".cpp", ".hpp", ".h")
RUN = 3               # words
LEAST_RUNS = 3        # shorter messages are not checked
LEAST_FOUND = 0.5     # of the runs of a message
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
PLAIN_WORD = re.compile(r"[A-Za-z][a-z'-]*[,.;:?!)]*")


def words_of(text):
    return [word.strip("(),.;:?!'\"`").lower() for word in text.split()]


def source_runs(root):
    """Every run of words within a string literal; adjacent literals count as one."""
    runs = set()
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            text = re.sub(r'"\s*\n\s*"', "", path.read_text(encoding="utf-8", errors="replace"))
            for literal in LITERAL.findall(text):
                words = words_of(literal.replace("\\n", " ").replace('\\"', '"'))
                runs.update(tuple(words[i:i + RUN]) for i in range(len(words) - RUN + 1))
    return runs


def messages_of(page):
    """(line number, message) of each paragraph in a block without language that a page quotes; lines indented below it belong to it."""
    found, fence = [], None  # fence: the opening line of the block
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            fence = line if fence is None else None
            continue
        if fence != "```" or not line.strip() or "hotpack pack" in line:
            continue
        text = re.sub(r"^(error|warning):\s*", "", line).strip()
        if found and line.startswith("  ") and found[-1][0] + found[-1][2] == number:
            found[-1] = (found[-1][0], found[-1][1] + " " + text, found[-1][2] + 1)
        else:
            found.append((number, text, 1))
    return [(number, text) for number, text, _ in found]


def runs_of(message):
    """Runs of plain words, which are probably not of the example."""
    runs = []
    for part in re.split(r"\[…\]|: ", message):
        words = part.split()
        for i in range(len(words) - RUN + 1):
            if all(PLAIN_WORD.fullmatch(word) for word in words[i:i + RUN]):
                runs.append(tuple(words_of(" ".join(words[i:i + RUN]))))
    return runs


def check(root):
    """Returns the number of messages and the faults."""
    known, count, faults = source_runs(root), 0, []
    for name in PAGES:
        for number, message in messages_of(root / name):
            runs = runs_of(message)
            if len(runs) < LEAST_RUNS:
                continue
            count += 1
            missing = [run for run in runs if run not in known]
            if len(missing) > (1 - LEAST_FOUND) * len(runs):
                faults.append(f"{name}:{number}: no longer in the sources: '{' '.join(missing[0])}' … of: {message[:80]}")
    return count, faults


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    count, faults = check(Path(sys.argv[1]))
    for fault in faults:
        print(fault)
    print(f"{count} messages, {len(faults)} faults")
    sys.exit(1 if faults or count == 0 else 0)


if __name__ == "__main__":
    main()
