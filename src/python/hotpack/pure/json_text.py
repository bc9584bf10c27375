"""Strict JSON (RFC 8259) of files from outside, and canonical JSON, by FORMAT.md section 10.

Values are None, bool, int, float, str, list and dict, as in Python's `json`. Failure: DamagedError
with the byte offset if there is one; the caller adds the path.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from ..errors import DamagedError, printable

Json = Any
_MOST_DEPTH = 64
_MOST_EXCERPT = 80
# A string, or a character between values. Possessive, so that the time is linear; the second quote
# is missing where the text ends within a string.
_MARK = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+("?)|[\[\]{},]', re.DOTALL)


def parse(data: bytes, most_depth: int = _MOST_DEPTH) -> Json:
    """Parses one value. Refuses what RFC 8259 refuses, keys that occur twice in an object, text
    that is not UTF-8, numbers beyond doubles, and more than `most_depth` nested objects or lists.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DamagedError("is not valid UTF-8", offset=error.start) from None
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        offset = len(text[: error.pos].encode())
        raise DamagedError(f"is not JSON: {error.msg}", offset=offset) from None
    except RecursionError:
        raise DamagedError("nests objects or lists too deeply") from None
    except ValueError as error:  # integers of thousands of digits
        raise DamagedError(f"is not JSON: {error}") from None
    _check_values(value, most_depth)
    return value


def raw_members(text: str, names: tuple[str, ...]) -> dict[str, str]:
    """The original texts of some members of an object that `parse` accepts."""
    found: dict[str, str] = {}
    at = _after_space(text, 0) + 1  # behind "{"
    while len(found) < len(names):
        name, at = _DECODER.raw_decode(text, _after_space(text, at))
        begin = _after_space(text, _after_space(text, at) + 1)  # behind ":"
        _, end = _DECODER.raw_decode(text, begin)
        if name in names:
            found[name] = text[begin:end]
        at = _after_space(text, end) + 1  # behind ","
    return found


def marks(text: str) -> Iterator[str]:
    """The brackets, braces and commas outside strings, in order, without parsing anything. Ends at
    a string without an end. Takes linear time and little memory, whatever the text is."""
    for match in _MARK.finditer(text):
        first = text[match.start()]
        if first != '"':
            yield first
        elif not match[1]:
            return


def canonical(value: Json) -> str:
    """The value as canonical JSON; numbers must be integers."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def canonical_double(value: float) -> str:
    """A number as C++'s std::to_chars(double) writes it: the shortest digits that read back as the
    same double, fixed or scientific, whichever is shorter; fixed when equally long."""
    sign = "-" if math.copysign(1, value) < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    if not digits.strip("0"):
        return sign + "0"
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    fixed, scientific = _fixed(abs(value), digits, point), _scientific(digits, point - 1)
    return sign + (fixed if len(fixed) <= len(scientific) else scientific)


def _fixed(value: float, digits: str, point: int) -> str:
    if point <= 0:
        return "0." + "0" * -point + digits
    if point >= len(digits):
        return str(int(value))
    return digits[:point] + "." + digits[point:]


def _scientific(digits: str, exponent: int) -> str:
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{mantissa}e{exponent:+03d}"


def excerpt(value: Json) -> str:
    """A value for messages, at most 80 characters of it, all of them printable."""
    if isinstance(value, str):
        value = value[: _MOST_EXCERPT + 1]  # no more of it is shown
    text = ""
    for piece in _ENCODER.iterencode(value):
        text += piece[: _MOST_EXCERPT + 1]
        if len(text) > _MOST_EXCERPT:
            break
    return printable(text if len(text) <= _MOST_EXCERPT else text[:_MOST_EXCERPT] + "…")


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise DamagedError(f"has the key {excerpt(name)} twice in one object")
        seen.add(name)
    return members


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise DamagedError(f"has the number {text[:80]}, which no double can hold")
    return value


def _constant(name: str) -> NoReturn:
    raise DamagedError(f"is not JSON: {name} is not a number")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_number, parse_constant=_constant
)
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def _check_values(value: Json, most_depth: int) -> None:
    """Refuses deep nesting and halves of surrogate pairs, which UTF-8 cannot hold."""
    waiting: list[tuple[Json, int]] = [(value, 1)]
    while waiting:
        one, depth = waiting.pop()
        if isinstance(one, str):
            if not one.isascii():
                _check_text(one)
        elif isinstance(one, (list, dict)):
            if depth > most_depth:
                raise DamagedError("nests objects or lists too deeply")
            if isinstance(one, dict):
                waiting += [(name, depth + 1) for name in one]
                one = list(one.values())
            waiting += [(element, depth + 1) for element in one]


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DamagedError("has a string with half a surrogate pair") from None


def _after_space(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at
