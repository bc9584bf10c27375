"""Structs of hotpack.h and hotpack_device.h for ctypes, read from the headers."""

import ctypes
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADERS = HERE if (HERE / "hotpack.h").is_file() else HERE.parent.parent / "include" / "hotpack"  # beside this file: in a bundle
TYPES = {f"{name}_t": getattr(ctypes, f"c_{name}") for name in ("int32", "uint32", "int64", "uint64")} | {"size_t": ctypes.c_size_t}
TYPES |= {"double": ctypes.c_double, "const float*": ctypes.POINTER(ctypes.c_float)}


def fields_of(struct, **types):
    """The _fields_ of a struct. types: of fields that have a type of their own; other pointers and functions are void*."""
    text = "".join((HEADERS / name).read_text(encoding="utf-8") for name in ("hotpack.h", "hotpack_device.h"))
    body = re.search(rf"typedef struct {struct} \{{(.*?)\}} {struct};", text, re.DOTALL)[1]
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL)
    fields = []
    for line in filter(None, (" ".join(part.split()) for part in body.split(";"))):
        kind, name = re.fullmatch(r"(.*\W|\w+ )(\w+)", line).groups()
        fields.append((name, types.get(name) or TYPES.get(kind.strip(), ctypes.c_void_p)))
    return fields
