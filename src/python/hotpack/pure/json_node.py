"""A JSON value and its place in the document, with checked access.

Failure: DamagedError whose message begins with the place, such as "classes[3].color: …".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..errors import DamagedError
from .json_text import Json, excerpt

MOST_COUNT = 2**63 - 1
_DIGEST = re.compile(r"xxh3-128:[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Node:
    value: Json
    path: str = ""

    def error(self, problem: str) -> DamagedError:
        return DamagedError(f"{self.path}: {problem}" if self.path else problem)

    def require_keys(self, wanted: Sequence[str], minor: int) -> None:
        """The value must be an object with these keys; in version 1.0 with no others."""
        if not isinstance(self.value, dict):
            raise self.error("not an object")
        for name in wanted:
            if name not in self.value:
                raise self.error(f'lacks the key "{name}"')
        if minor > 0 or len(self.value) == len(wanted):
            return
        for name in self.value:
            if name not in wanted:
                raise self.error(f"the key {excerpt(name)} is unknown in version 1.0")

    def has(self, name: str) -> bool:
        return isinstance(self.value, dict) and name in self.value

    def at(self, name: str) -> Node:
        """Precondition: require_keys() accepted the name."""
        return Node(self.value[name], f"{self.path}.{name}" if self.path else name)

    def elements(self) -> Iterator[Node]:
        self.length()
        return (Node(value, f"{self.path}[{i}]") for i, value in enumerate(self.value))

    def length(self) -> int:
        if not isinstance(self.value, list):
            raise self.error("not a list")
        return len(self.value)

    def count(self, low: int = 0, high: int = MOST_COUNT) -> int:
        value = self.value
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        raise self.error(f"{excerpt(value)} is not an integer from {low} to {high}")

    def counts(self, low: int = 0, high: int = MOST_COUNT) -> tuple[int, ...]:
        return tuple(element.count(low, high) for element in self.elements())

    def number(self) -> float:
        if isinstance(self.value, (int, float)) and not isinstance(self.value, bool):
            try:
                return float(self.value)
            except OverflowError:
                raise self.error(
                    f"{excerpt(self.value)} is a number that no double can hold"
                ) from None
        raise self.error(f"{excerpt(self.value)} is not a number")

    def boolean(self) -> bool:
        if isinstance(self.value, bool):
            return self.value
        raise self.error(f"{excerpt(self.value)} is not true or false")

    def text(self) -> str:
        if isinstance(self.value, str):
            return self.value
        raise self.error(f"{excerpt(self.value)} is not a string")

    def digest(self) -> str:
        if isinstance(self.value, str) and _DIGEST.fullmatch(self.value):
            return self.value
        raise self.error(f'{excerpt(self.value)} is not "xxh3-128:" with 32 hexadecimal digits')

    def choice(self, words: Sequence[str]) -> str:
        if isinstance(self.value, str) and self.value in words:
            return self.value
        raise self.error(f"{excerpt(self.value)} is none of {', '.join(words)}")
