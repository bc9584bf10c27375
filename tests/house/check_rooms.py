#!/usr/bin/env python3
"""The house: fails when a room includes or links what it may not, when a library prints or exits, when the programs in the documentation are not
those that are compiled, or when a file names somebody's folder.

usage: check_rooms.py ROOT      (the source tree; exit 0 and a line of counts, or 1 and one line per fault)

ROOMS is the table of ARCHITECTURE.md. The rows there and the CMake files are compared with it.
"""

import ast
import re
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Room:
    rooms: tuple = ()        # rooms whose headers it may include, one per arrow
    libraries: tuple = ()    # names of LIBRARIES
    may_print: bool = False


@dataclass(frozen=True)
class Library:
    headers: str             # pattern of its headers
    target: str              # its name in CMake
    only_in: tuple = ()      # the files that may use it; empty: the whole room


ROOMS = {
    "base": Room((), ("xxhash", "highway")),
    "format": Room(("base",), ("json",)),
    "expand": Room(("base",), ("highway",)),
    "reader": Room(("base", "format", "expand"), ("zstd",)),
    "loader": Room(("base", "format", "expand", "reader")),
    "device": Room(("base", "format", "expand", "reader", "loader")),
    "c_api": Room(("base", "format", "reader", "loader", "device")),
    "codecs": Room(("base",), ("jpeg", "png", "deflate", "highway")),
    "geometry": Room(("base",), ("highway",)),
    "labels": Room(("base",), ("highway",)),
    "writer": Room(("base", "format"), ("zstd",)),
    "settings": Room(("base", "format", "labels"), ("tbb",)),
    "files": Room(("base", "format", "labels", "settings"), ("pcre2",)),
    "samples": Room(("base", "format", "labels", "settings", "files"), ("utf8proc",)),
    "discovery": Room(("base", "format", "codecs", "labels", "settings", "files", "samples"), ()),
    "label_setup": Room(("base", "format", "codecs", "labels", "settings", "files", "samples"), ("tbb",)),
    "pack": Room(("base", "format", "reader", "codecs", "geometry", "labels", "writer", "settings", "files", "samples", "discovery", "label_setup"), ("tbb", "highway")),
    "check": Room(("base", "codecs", "labels", "settings", "files", "samples", "discovery", "label_setup", "pack"), ("tbb",)),
    "preview": Room(("base", "expand", "codecs", "geometry", "reader"), ("freetype", "utf8proc")),
    "bench": Room(("base", "expand", "reader", "loader", "device"), ("highway",)),
    "cli": Room(("base", "format", "expand", "reader", "codecs", "settings", "label_setup", "pack", "check", "preview", "bench"), ("spdlog", "cli11", "utf8proc"), may_print=True),
}

LIBRARIES = {
    "xxhash": Library(r"xxhash\.h", "hotpack_xxhash"),
    "json": Library(r"nlohmann/.+", "hotpack_json"),
    "zstd": Library(r"zstd(_errors)?\.h", "hotpack_zstd"),
    "jpeg": Library(r"j(peglib|error|morecfg|config)\.h", "JPEG::JPEG"),
    "png": Library(r"(png|pngconf|zlib)\.h", "PNG::PNG"),      # libpng brings zlib
    "deflate": Library(r"libdeflate\.h", "hotpack_libdeflate"),
    "highway": Library(r"hwy/.+", "hotpack_highway"),
    "tbb": Library(r"(oneapi/)?tbb/.+", "TBB::tbb"),
    "spdlog": Library(r"(spdlog|fmt)/.+", "spdlog::spdlog_header_only"),
    "cli11": Library(r"CLI/.+", "hotpack_cli11"),
    "utf8proc": Library(r"utf8proc\.h", "hotpack_utf8proc"),
    "pcre2": Library(r"pcre2\.h", "hotpack_pcre2", ("path_pattern.cpp",)),
    "freetype": Library(r"(ft2build\.h|freetype/.+)", "Freetype::Freetype", ("font.cpp",)),
}

# The programs that each page shows, in its order. tests/consumer compiles and runs them; the one in CUDA is compiled if nvcc is found.
# A page without a row shows none.
PROGRAMS = {
    "README.md": {"cpp": ("consumer/quick_start.cpp",)},
    "docs/cpp.md": {"cpp": ("consumer/train.cpp", "consumer/example.cpp", "consumer/resume.cpp", "consumer/ranks.cpp")},
    "docs/cuda.md": {"cpp": ("consumer/device.cpp", "consumer/fallback.cpp", "consumer/devices.cpp"), "cuda": ("consumer/user_kernel.cu",)},
    "docs/c.md": {"c": ("consumer/c/train.c", "consumer/c/device.c")},
}
PROGRAM_LANGUAGES = ("cpp", "cuda", "c")

# Targets that a room may link besides rooms and libraries.
COMMON_TARGETS = {"hotpack_compile_options", "Threads::Threads", "${CMAKE_DL_LIBS}"}

# What a room's CMakeLists.txt may say; anything else could reach around the table.
ROOM_COMMANDS = {"hotpack_add_room", "hotpack_add_shared_library", "hotpack_embed_kernels", "target_link_libraries", "add_executable", "set_target_properties",
                 "hotpack_embed_presets", "hotpack_optimize_sources", "set_source_files_properties", "target_compile_definitions", "target_compile_features"}

# src/python, the Python package. Its modules import these and each other, and modules of hotpack.pure nothing else of hotpack but its errors.
# A package that is not always installed is imported in one file only.
PYTHON_LIBRARIES = {"numpy": (), "zstandard": ("frames.py",), "ml_dtypes": ("labels.py", "forms.py"), "matplotlib": ("show.py",),
                    "torch": ("torch.py",), "jax": ("jax.py", "distributed.py"), "keras": ("keras.py",), "tensorflow": ("tf.py",), "datasets": ("datasets.py",), "ray": ("ray.py", "ray_tasks.py"),
                    "grain": ("grain.py",), "tqdm": ("progress.py",)}
PURE_MAY_IMPORT = ("hotpack.errors", "hotpack.option_table", "hotpack.options")
PYTHON_STANDARD = set("""
__future__ abc atexit base64 bisect builtins collections colorsys concurrent contextlib ctypes dataclasses difflib errno functools html importlib inspect itertools json
logging math mmap operator os platform re resource secrets shlex signal socket stat struct subprocess sys sysconfig tempfile threading time typing
warnings weakref zlib
""".split())
PYTHON_PURE = set("__future__ bisect builtins collections dataclasses errno functools json math mmap operator os re resource stat typing".split())
PYTHON_WIDTH = 100
PYTHON_PRINTS = ("versions.py",)   # prints what a function is asked to print
PYTHON_PRINTING = {"print", "exit", "quit", "breakpoint", "input"}

STANDARD_HEADERS = set("""
algorithm any array atomic barrier bit bitset charconv chrono compare complex concepts condition_variable coroutine deque exception
execution filesystem forward_list fstream functional future initializer_list ios iosfwd istream iterator latch limits list locale map
memory memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator semaphore set
shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view system_error thread tuple type_traits
typeindex typeinfo unordered_map unordered_set utility valarray variant vector version
cassert cctype cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime
cuchar cwchar cwctype
""".split())
C_HEADERS = {"stddef.h", "stdint.h"}   # of public headers for C
CUDA_HEADERS = {"cuda_bf16.h", "cuda_fp16.h", "cuda_runtime.h"}   # of *.cu in room device
PRINTING_HEADERS = {"iostream", "print"}
SYSTEM_HEADERS = re.compile(r"(sys|linux|arpa)/\w+\.h|(unistd|fnmatch|malloc|fcntl|poll|dirent|signal|setjmp|ucontext|termios|pthread|sched|endian|spawn)\.h"
                            r"|(dlfcn|getopt)\.h|(\w+mmintrin|immintrin|x86intrin|cpuid|arm_\w+)\.h")

# Calls that print or end the process. They are looked for in code without comments and strings.
PRINTING = re.compile(r"std::(cout|cerr|clog|print(ln)?|terminate)\b"
                      r"|(?<![\w.>])((std)?::)?(v?f?printf|v?dprintf|f?puts|f?putc|putchar|perror|abort|(quick_|_)?exit|_Exit)\s*\(")

# Folders of one machine: home folders and the like.
FOREIGN_PATHS = re.compile(r"(?<![\w.$}<>*)-])/(home|root|Users|mnt|work|workspace|scratch)/[\w.~-]")

COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.S)


def without_comments_and_strings(code):
    """The code with the same line numbers."""
    return COMMENT_OR_STRING.sub(lambda match: "\n" * match.group().count("\n") + " ", code)


def includes(path):
    """(line number, "<" or '"', header) of each #include."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            yield number, match[1], match[2]


def sources_in(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in (".hpp", ".cpp", ".cu", ".h"))


class House:
    """One source tree; `faults` collects what is wrong, "file:line: text" each."""

    def __init__(self, root):
        self.root = Path(root)
        self.faults = []
        self.files = 0

    def fault(self, path, line, text):
        self.faults.append(f"{path.relative_to(self.root)}:{line}: {text}")

    def check(self):
        self.check_folders()
        for name, room in ROOMS.items():
            for path in sources_in(self.root / "src" / name):
                self.files += 1
                self.check_includes(path, name, room)
                self.check_printing(path, room)
            self.check_links(self.root / "src" / name / "CMakeLists.txt", name, room)
        for path in sources_in(self.root / "include"):
            self.files += 1
            self.check_public_header(path)
        for path in sorted((self.root / "src" / "python").rglob("*.py")):
            self.files += 1
            self.check_python(path)
        self.check_document(self.root / "ARCHITECTURE.md")
        for page in [self.root / "README.md", *sorted((self.root / "docs").glob("*.md"))]:
            programs = PROGRAMS.get(page.relative_to(self.root).as_posix(), {})
            for language in PROGRAM_LANGUAGES:
                self.check_programs(page, language, [self.root / "tests" / name for name in programs.get(language, ())])
        self.check_paths()

    def check_folders(self):
        for path in sorted((self.root / "src").iterdir()):
            if path.is_dir() and path.name not in ROOMS and path.name not in ("cmake", "python"):
                self.fault(path, 1, "no such room in the table of tests/house/check_rooms.py; CONTRIBUTING.md, \"A room\", lists the places")
        for path in sorted((self.root / "include").iterdir()):
            if path.name != "hotpack":
                self.fault(path, 1, "public headers live in include/hotpack only")

    # ------------------------------------------------------------------------------------------------ includes

    def check_includes(self, path, name, room):
        for line, mark, header in includes(path):
            reason = self.quoted(header, name, room) if mark == '"' else self.angled(header, path, name, room)
            if reason:
                self.fault(path, line, f"room {name} may not include {mark}{header}{'>' if mark == '<' else mark}: {reason}")

    def quoted(self, header, name, room):
        """Why a project header may not be included, or None."""
        owner = header.split("/")[0]
        if owner == "hotpack":
            return None if (self.root / "include" / header).is_file() else "no such public header"
        if owner not in ROOMS or "/" not in header:
            return 'headers are named "<room>/<file>.hpp" or "hotpack/<file>.hpp"'
        if owner != name and owner not in room.rooms:
            return f"there is no arrow from {name} to {owner}"
        return None if (self.root / "src" / header).is_file() else "no such header"

    @staticmethod
    def angled(header, path, name, room):
        """Why a system or library header may not be included, or None."""
        if header in STANDARD_HEADERS or SYSTEM_HEADERS.fullmatch(header):
            return None
        if header in CUDA_HEADERS:
            return None if name == "device" and path.suffix == ".cu" else "CUDA's headers are for *.cu of device"
        if header in PRINTING_HEADERS:
            return None if room.may_print else "libraries never print"
        for key, library in LIBRARIES.items():
            if re.fullmatch(library.headers, header):
                if key not in room.libraries:
                    return f"{key} is not a library of {name}"
                if library.only_in and path.name not in library.only_in:
                    return f"{key} is used in {', '.join(library.only_in)} only"
                return None
        return "neither the standard library nor a library of this room"

    def check_public_header(self, path):
        for line, mark, header in includes(path):
            if mark == "<" and header in (C_HEADERS if path.suffix == ".h" else STANDARD_HEADERS):
                continue
            if mark == '"' and header.startswith("hotpack/") and (self.root / "include" / header).is_file():
                continue
            self.fault(path, line, f"a public header may include the standard library and hotpack/… only, not {header}")
        self.check_printing(path, Room())

    def check_printing(self, path, room):
        if room.may_print:
            return
        code = without_comments_and_strings(path.read_text(encoding="utf-8"))
        for match in PRINTING.finditer(code):
            self.fault(path, code.count("\n", 0, match.start()) + 1, f"libraries never print and never exit: {match.group().strip(' (')}")

    # ------------------------------------------------------------------------------------------------ links

    def check_links(self, path, name, room):
        text = re.sub(r"#[^\n]*", "", path.read_text(encoding="utf-8"))
        linked, rooms = set(), set()
        for match in re.finditer(r"(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)", text):
            command, words = match[1], match[2].split()
            line = text.count("\n", 0, match.start()) + 1
            if command not in ROOM_COMMANDS:
                self.fault(path, line, f"a room's CMakeLists.txt may not use {command}()")
            elif command == "hotpack_add_room":
                self.expect(path, line, words[0], name, "the room is named")
                rooms |= set(self.words_after(words, "ROOMS"))
                linked |= set(self.words_after(words, "LIBRARIES"))
            elif command == "target_link_libraries":
                linked |= {re.sub(r"^\$<BUILD_INTERFACE:(.*)>$", r"\1", word) for word in words[1:]}
        linked -= {"PRIVATE", "PUBLIC", "INTERFACE", f"hotpack_{name}"} | COMMON_TARGETS
        self.expect(path, 1, sorted(rooms), sorted(room.rooms), f"room {name} links the rooms")
        self.expect(path, 1, sorted(linked), sorted(LIBRARIES[key].target for key in room.libraries), f"room {name} links the libraries")

    @staticmethod
    def words_after(words, keyword):
        """The words of a list argument: from its keyword to the next one."""
        found = []
        for word in words[words.index(keyword) + 1:] if keyword in words else ():
            if word in ("SOURCES", "ROOMS", "LIBRARIES", "PRECOMPILED"):
                break
            found.append(word)
        return found

    def expect(self, path, line, found, expected, what):
        if found != expected:
            self.fault(path, line, f"{what} {found}, the table says {expected}")

    # ------------------------------------------------------------------------------------------------ the Python package

    def check_python(self, path):
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > PYTHON_WIDTH:
                self.fault(path, number, f"{len(line)} columns, at most {PYTHON_WIDTH}")
        package = path.relative_to(self.root / "src" / "python").parent.parts  # such as ("hotpack", "pure")
        for node in ast.walk(ast.parse(text)):
            prints = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PYTHON_PRINTING
            if prints and path.name not in PYTHON_PRINTS:
                self.fault(path, node.lineno, f"libraries never print and never exit: {node.func.id}")
            for name in self.python_imports(node, package):
                reason = self.python_reason(name, path, package)
                if reason:
                    self.fault(path, node.lineno, f"it may not import {name}: {reason}")

    @staticmethod
    def python_imports(node, package):
        """Full names of the modules that a statement imports."""
        if isinstance(node, ast.Import):
            return [alias.name for alias in node.names]
        if not isinstance(node, ast.ImportFrom):
            return []
        base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
        if node.module:
            return [".".join(filter(None, (base, node.module)))]
        return [f"{base}.{alias.name}" for alias in node.names]

    @staticmethod
    def python_reason(name, path, package):
        """Why a module may not be imported, or None."""
        top = name.split(".")[0]
        if top == "hotpack":
            inside = name.startswith("hotpack.pure.") or name in ("hotpack.pure", *PURE_MAY_IMPORT)
            return None if "pure" not in package or inside else f"modules of hotpack.pure import each other, {', '.join(PURE_MAY_IMPORT)} only"
        if top in PYTHON_LIBRARIES:
            files = PYTHON_LIBRARIES[top]
            return None if not files or path.name in files else f"{top} is imported in {', '.join(files)}"
        if top not in PYTHON_STANDARD:
            return "neither the standard library, as far as PYTHON_STANDARD lists it, nor a library of the package"
        return None if "pure" not in package or top in PYTHON_PURE else "hotpack.pure uses of the standard library what PYTHON_PURE lists"

    # ------------------------------------------------------------------------------------------------ documents and paths

    def check_document(self, path):
        """The rows `| room | rooms | libraries |` of ARCHITECTURE.md."""
        rows = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            cells = [re.sub(r"[`\s]", "", cell) for cell in line.strip().strip("|").split("|")]
            if len(cells) >= 3 and cells[0] in ROOMS:
                rows[cells[0]] = tuple(sorted(filter(None, cell.replace("–", "").split(","))) for cell in cells[1:3])
        for name, room in ROOMS.items():
            self.expect(path, 1, rows.get(name), (sorted(room.rooms), sorted(room.libraries)), f"the row of room {name} says")

    def check_programs(self, page, language, programs):
        """A page's blocks of a language are the programs that tests compile, in this order."""
        shown = re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.S | re.M)
        if len(shown) != len(programs):
            self.fault(page, 1, f"it has {len(shown)} ```{language} blocks, tests {len(programs)} programs for them; add it to tests/consumer and to PROGRAMS in check_rooms.py")
        for number, (block, program) in enumerate(zip(shown, programs), 1):
            if not program.is_file() or block != program.read_text(encoding="utf-8"):
                self.fault(page, 1, f"its ```{language} block {number} is not {program.relative_to(self.root)}")

    def check_paths(self):
        for path in sorted(self.root.rglob("*")):
            top = path.relative_to(self.root).parts[0]
            if top == ".git" or top.startswith("build") or not path.is_file() or "__pycache__" in path.parts:
                continue
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
            for match in FOREIGN_PATHS.finditer(text):
                self.fault(path, text.count("\n", 0, match.start()) + 1, f"a path of one machine: {match.group()}…")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    house = House(sys.argv[1])
    house.check()
    for fault in house.faults:
        print(fault)
    print(f"{len(ROOMS)} rooms, {house.files} files, {len(house.faults)} faults")
    return 1 if house.faults else 0


if __name__ == "__main__":
    sys.exit(main())
