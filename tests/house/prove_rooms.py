#!/usr/bin/env python3
"""Proves that check_rooms.py fails: breaks a copy of the tree in one way at a time and expects the fault that names it.

usage: prove_rooms.py ROOT
"""

import shutil
import sys
import tempfile
from pathlib import Path

from check_rooms import House

# (file, text before, text after (None: append), part of the fault that must be reported)
BREAKS = [
    ("src/base/file.cpp", None, '#include "format/json.hpp"\n', "there is no arrow from base to format"),
    ("src/labels/one_hot.cpp", None, '#include "settings/observer.hpp"\n', "there is no arrow from labels to settings"),
    ("src/reader/shard.cpp", None, "#include <tbb/task_arena.h>\n", "tbb is not a library of reader"),
    ("src/geometry/nearest.cpp", None, "#include <opencv2/core.hpp>\n", "neither the standard library"),
    ("src/reader/shard.cpp", None, "#include <boost/crc.hpp>\n", "neither the standard library"),
    ("src/preview/legend.cpp", None, "#include <freetype/freetype.h>\n", "used in font.cpp"),
    ("src/format/sums.cpp", None, '#include "sums.hpp"\n', "headers are named"),
    ("src/writer/shard_writer.cpp", None, "#include <iostream>\n", "libraries never print"),
    ("src/codecs/exif.cpp", None, 'void f() { std::printf("x"); }\n', "never exit: std::printf"),
    ("src/codecs/exif.cpp", None, "void f() { std::exit(1); }\n", "never exit: std::exit"),
    ("src/device/kernels/kernels.cu", None, "#include <cuda.h>\n", "neither the standard library"),
    ("src/device/kernels/kernels.cu", None, '#include "settings/observer.hpp"\n', "there is no arrow from device to settings"),
    ("src/device/driver.cpp", None, "#include <cuda_runtime.h>\n", "are for *.cu of device"),
    ("src/expand/value_map.cpp", None, "#include <cuda_fp16.h>\n", "are for *.cu of device"),
    ("include/hotpack/result.hpp", None, "#include <zstd.h>\n", "a public header may include"),
    ("include/hotpack/result.hpp", None, '#include "base/error.hpp"\n', "a public header may include"),
    ("src/reader/CMakeLists.txt", "ROOMS base format", "ROOMS base format writer", "room reader links the rooms"),
    ("src/reader/CMakeLists.txt", "hotpack_zstd", "hotpack_zstd TBB::tbb", "room reader links the libraries"),
    ("src/labels/CMakeLists.txt", None, "target_link_libraries(hotpack_labels PRIVATE hotpack_json)\n", "room labels links the libraries"),
    ("src/labels/CMakeLists.txt", None, "target_include_directories(hotpack_labels PRIVATE ..)\n", "may not use target_include_directories"),
    ("ARCHITECTURE.md", "| `base`, `format` | `zstd` |", "| `base` | `zstd` |", "the row of room"),
    ("README.md", "```cpp\n", "```cpp\n// Another one.\n", "its ```cpp block 1 is not tests/consumer/quick_start.cpp"),
    ("docs/c.md", "```c\n", "```c\n/* Another one. */\n", "its ```c block 1 is not tests/consumer/c/train.c"),
    ("docs/cuda.md", "```cuda\n", "```cuda\n// Another one.\n", "its ```cuda block 1 is not tests/consumer/user_kernel.cu"),
    ("docs/cpp.md", "```cpp\n", "```c++\n", "tests 4 programs"),
    ("docs/labels.md", None, "```cpp\nint x;\n```\n", "tests 0 programs"),
    ("include/hotpack/hotpack.h", None, "#include <vector>\n", "a public header may include"),
    ("src/python/hotpack/pure/order.py", None, "import scipy\n", "neither the standard library"),
    ("src/python/hotpack/pure/order.py", None, "import zstandard\n", "zstandard is imported in frames.py"),
    ("src/python/hotpack/pure/order.py", None, "from .._core import Loader\n", "import each other, hotpack.errors,"),
    ("src/python/hotpack/pure/order.py", None, "from .. import torch\n", "import each other, hotpack.errors,"),
    ("src/python/hotpack/errors.py", None, "#" * 101 + "\n", "101 columns, at most 100"),
    ("src/python/hotpack/errors.py", None, 'print("x")\n', "libraries never print and never exit: print"),
    ("README.md", None, "see /ho" "me/someone/data\n", "a path of one machine"),
]


def breaks_show(root, copy, number, rule):
    """Breaks a fresh copy by one rule; True when the expected fault is found."""
    name, before, after, expected = rule
    tree = Path(copy) / str(number)
    for part in ("src", "include", "docs", "tests/consumer"):
        shutil.copytree(root / part, tree / part)
    for part in ("ARCHITECTURE.md", "README.md"):
        shutil.copy(root / part, tree / part)
    path = tree / name
    text = path.read_text(encoding="utf-8")
    broken = text + "\n" + after if before is None else text.replace(before, after)
    if broken == text:
        print(f"{name}: nothing to break, {before!r} is not in it")
        return False
    path.write_text(broken, encoding="utf-8")
    house = House(tree)
    house.check()
    if any(expected in fault for fault in house.faults):
        return True
    print(f"{name}: broken by {after.strip()!r}, but no fault says {expected!r}")
    return False


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as copy:
        shown = [breaks_show(Path(sys.argv[1]), copy, number, rule) for number, rule in enumerate(BREAKS)]
    print(f"{sum(shown)} of {len(shown)} breaks were noticed")
    return 0 if all(shown) else 1


if __name__ == "__main__":
    sys.exit(main())
