#!/usr/bin/env python3
"""Links between the pages: fails if a relative link names no file of the tree, or an anchor that its page does not have.

usage: check_links.py ROOT      (the source tree; exit 0 and a line of counts, or 1 and a line per fault)

Anchors are those that GitHub makes of headings, and those of HTML tags. Links to other sites are not followed.
"""

import re
import sys
import unicodedata
from pathlib import Path
from urllib.parse import unquote

PAGES = ("*.md", "docs/**/*.md", "src/**/*.md", "tests/**/*.md", "scripts/**/*.md", "sample_data/**/*.md", ".github/**/*.md")

FENCE = re.compile(r"^\s*(```+|~~~+)")
CODE = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\s*\n).)*?(?<!`)\1(?!`)", re.S)
# [text](target), ![text](target "title"), [name]: target, and <a href="target">. A text may hold one pair of brackets.
LINKS = (
    re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(\s*(?:<([^<>]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+[\"'(][^)]*)?\s*\)"),
    re.compile(r"^ {0,3}\[[^\]]+\]:[ \t]*(?:<([^<>]*)>|(\S+))", re.M),
    re.compile(r"<(?:a|img)\b[^>]*?\b(?:href|src)=\"([^\"]*)\"()"),
)
REFERENCE = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\[([^\[\]]+)\]")
DEFINITION = re.compile(r"^ {0,3}\[([^\]]+)\]:", re.M)
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")
UNDERLINE = re.compile(r"^(=+|-+)\s*$")
HTML_ANCHOR = re.compile(r"<\w+\b[^>]*?\b(?:id|name)=\"([^\"]+)\"")
SCHEME = re.compile(r"^(?:[a-zA-Z][a-zA-Z0-9+.-]*:|//)")


def text_lines(page):
    """(line number, line) outside blocks of code; the lines of code are empty."""
    fence = None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        mark = FENCE.match(line)
        if fence is None and mark:
            fence = mark[1]
        elif fence is None:
            yield number, line
            continue
        elif mark and mark[1].startswith(fence) and line.strip() == mark[1]:
            fence = None
        yield number, ""


def anchor_of(heading):
    """As GitHub makes it: lower case, without punctuation, spaces as hyphens."""
    text = re.sub(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"<[^>]+>", "", text)
    text = re.sub(r"(?<!\w)(\*+|_+)(\S.*?\S|\S)\1(?!\w)", r"\2", text).lower()
    kept = (c for c in text if c in "-_ " or unicodedata.category(c)[0] in "LNM")
    return "".join(kept).replace(" ", "-")


def anchors_of(page):
    """Every anchor of a page. A heading that comes again has a number."""
    found, times, before = set(), {}, ""
    for _, line in text_lines(page):
        heading = HEADING.match(line)
        title = heading[1] if heading else before.strip() if UNDERLINE.match(line) and before.strip() else None
        if title is not None:
            anchor = anchor_of(title)
            count = times.get(anchor, 0)
            found.add(f"{anchor}-{count}" if count else anchor)
            times[anchor] = count + 1
        found.update(HTML_ANCHOR.findall(CODE.sub("", line)))
        before = "" if heading else line
    return found


def links_in(page):
    """(line number, target) of each link; the target "[name]" is a reference without a definition. A text may go on in the next line."""
    lines = "\n".join(line for _, line in text_lines(page))
    text = CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), lines)
    names = {name.lower() for name in DEFINITION.findall(text)}
    for pattern in LINKS:
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, match[1] or match[2] or ""
    for match in REFERENCE.finditer(text):
        if match[1].lower() not in names:
            yield text.count("\n", 0, match.start()) + 1, f"[{match[1]}]"


def pages_of(root):
    found = {path for pattern in PAGES for path in root.glob(pattern) if path.is_file()}
    return sorted(path for path in found if "fuzz" not in path.parts)


def fault_of(root, page, target, anchors):
    """What is wrong with a link, or None. anchors: those of pages seen before."""
    if target.startswith("["):
        return f"the reference {target} has no definition"
    if not target:
        return "the link has no target"
    if SCHEME.match(target):
        return None
    name, _, anchor = unquote(target).partition("#")
    path = (page.parent / name).resolve() if name else page
    if name.startswith("/"):
        return f"{target} begins with '/'; write the path from this page"
    if not path.is_relative_to(root):
        return f"{target} leads out of the tree"
    if not path.exists():
        return f"{target}: there is no {path.relative_to(root).as_posix()}"
    if anchor and path.suffix == ".md":
        if path not in anchors:
            anchors[path] = anchors_of(path)
        if anchor not in anchors[path]:
            return f"{target}: {path.relative_to(root).as_posix()} has no heading '#{anchor}'"
    return None


def check(root):
    """Returns the number of links and the faults."""
    root = root.resolve()
    count, faults, anchors = 0, [], {}
    for page in pages_of(root):
        for number, target in links_in(page):
            count += 1
            fault = fault_of(root, page, target, anchors)
            if fault:
                faults.append(f"{page.relative_to(root).as_posix()}:{number}: {fault}")
    return count, faults


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    count, faults = check(Path(sys.argv[1]))
    for fault in faults:
        print(fault)
    print(f"{count} links, {len(faults)} faults")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
