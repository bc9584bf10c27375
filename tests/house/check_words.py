#!/usr/bin/env python3
"""Forbidden words: fails if the sources or the documents use a word that was replaced by the field's word, or by plain English.

usage: check_words.py ROOT      (the source tree; exit 0 and a line of counts, or 1 and a line per fault)
"""

import re
import sys
from pathlib import Path

# Forbidden words, and what to write instead.
WORDS = {
    # names of the API
    r"global_batch(?!_size)": "global_batch_size",
    r"\bCrcPolicy\b|\bCheck::(first_epoch|always|never)\b": "VerifyChecksums",
    r"\bfirst_epoch\b|CHECK_FIRST_EPOCH": "first_read",
    r"\bImageLayout\b|LAYOUT_(HWC|CHW)": "AxisOrder",
    r"\bLabelReading\b": "LabelKind",
    r"\bLABEL_SAMPLE\b": "HOTPACK_LABEL_IMAGE",
    r"\bSlotContent\b": "BatchContent",
    r"\bSampleBox\b|\bdraw_box\b|hotpack_box|batch_boxes": "SampleCrop, draw_crop, hotpack_crop",
    r"\btail_name\b|TAIL_(DROP|PAD|WRAP)|\bTail::": "LastBatch, last_batch_name",
    r"\buse_on\b": "record_stream",
    r"next_within": "next_timeout",
    r"_open_several": "_open_many",
    r"hotpack_cuda_open": "hotpack_cuda_query",
    r"\bexpand_one_hot\b|\bone_hot_(bytes|elements)\b": "expand_label, label_bytes",
    # one word per concept
    r"[Pp]icture": "image",
    r"[Vv]erdict": "result, decision or outcome",
    r"\b[Oo]nehot\b": "one_hot",
    r"[Cc]ensus": "summary",
    r"[Ss]uspicion|\bSightings\b|\bsightings\b": "diagnostic, or occurrences",
    r"CoarseLook|coarse_look": "BrightnessGrid",
    r"read_labels_somehow": "resolve_labels_leniently",
    r"look_at_output": "read_output_folder",
    r"one_class_a_mask|samples_a_shard": "per",
    r"[Cc]olour": "color",
    r"[Cc]entre": "center",
    r"[Nn]eighbour": "neighbor",
    r"[Bb]ehaviour|[Ff]avour|[Hh]onour": "behavior, favor, honor",
    r"(?i)\b(de)?(normal|initial|optim|serial|recogn|organ)is(e|es|ed|er|ing|ation)s?\b": "-ize",
    # plain English
    r"\ban [bcdfgjkpqtvwz][a-z]+\b": "a",
    r"\ba (?!eu|one\b|once\b)[aeio][a-z]+\b": "an",
    r"\bspoil(s|t|ed)?\b": "damaged, or affects",
    r"\bsees? to (it|that|them)\b|\bis to see to\b": "is responsible for",
    r"\bpasses by\b": "ignores",
    r"\b(samples|bytes|row|entry|image|label|diagnostic) a (shard|sample|class|split)\b": "per",
    r"\b[Mm]end(s|ed|ing)?\b": "fix or repair",
    r"\b(is|are|was|were) told\b(?! (apart|from|to|by what))": "is reported",
    r"\b[Bb]eside\b": "next to, or compared with",
    r"\btaken away\b": "removed",
    r"\bpassed by\b": "ignored",
    r"\blooked at\b": "examined",
    r"\b(?<!-)(class|one|label|id) a pixel\b|\bmasks? an? (image|class)\b|\b(one|number|value) a (channel|class|row|line)\b": "per",
}

# Exceptions: (path, pattern of the line, reason).
ALLOWED = [
    (r"^src/labels/presets", r".", "names of classes are those of the data sets"),
    (r"^src/labels/(column_csv|label_map_file)\.cpp$", r"colour", "headers that people write"),
    (r"^src/discovery/class_file\.cpp$", r"\"colou", "names of files that people have"),
    (r"^src/cli/pack_arguments\.cpp$", r'"colour"', "a value that people write"),
    (r"^src/discovery/layout_pattern\.cpp$|^docs/", r"pictures\?\|", "folders that people have"),
    (r"^src/format/(FORMAT\.md|schema_json\.cpp)$|^src/base/words\.hpp$", r"onehot", "a word of the format"),
    (r"^src/python/hotpack/pure/(schema|labels|counts)\.py$", r"onehot", "a word of the format"),
    (r"^CHANGELOG\.md$", r"CrcPolicy|expand_one_hot|one_hot_elements|first_epoch|onehot|centre", "what was renamed"),
]

FOLDERS = ("src", "include", "docs")
PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
SUFFIXES = (".cpp", ".hpp", ".h", ".cu", ".py", ".md", ".txt", ".cmake", ".map")


def files_of(root):
    for folder in FOLDERS:
        yield from (path for path in sorted((root / folder).rglob("*")) if path.suffix in SUFFIXES and path.is_file())
    yield from (root / page for page in PAGES if (root / page).is_file())


def is_allowed(name, line):
    return any(re.search(path, name) and re.search(pattern, line) for path, pattern, _ in ALLOWED)


def check(root):
    """Returns the number of lines and the faults in them."""
    count, faults = 0, []
    words = [(re.compile(pattern), better) for pattern, better in WORDS.items()]
    for path in files_of(root):
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            count += 1
            for pattern, better in words:
                found = pattern.search(line)
                if found and not is_allowed(name, line):
                    faults.append(f"{name}:{number}: '{found[0]}': write {better}")
    return count, faults


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    count, faults = check(Path(sys.argv[1]))
    for fault in faults:
        print(fault)
    print(f"{count} lines, {len(faults)} faults")
    sys.exit(1 if faults or count == 0 else 0)


if __name__ == "__main__":
    main()
