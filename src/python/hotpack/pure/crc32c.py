"""CRC-32C (Castagnoli) with NumPy alone, as FORMAT.md section 11 defines it.

A CRC is a remainder of polynomials over GF(2), so the bits of a message can be moved to other
places with the same remainder before it is computed. The polynomial P of CRC-32C divides
x^5685 + x^1362 + x^426 + 1 (found by a search over the powers of x modulo P; a test divides it).
Squaring keeps that true: with every exponent times 8, or times 64. So a byte, or a word of 64 bits,
can be removed from a message if it is combined by XOR with three later ones:

    5685 − 1362 = 4323,    5685 − 426 = 5259,    5685    bytes (or words) behind it.

NumPy does that for 4323 words at once. The few bytes that remain go through a table.

Speed: 1 to 4 GB/s from 100 KB on (one core), 0.1 GB/s for 1 KB.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]

_POLYNOMIAL = 0x82F63B78  # 0x1EDC6F41, reflected
_INVERT = 0xFFFFFFFF
_EXPONENTS = (5685, 1362, 426, 0)
_REACH = _EXPONENTS[0]
_DISTANCES = tuple(_REACH - exponent for exponent in _EXPONENTS[1:])
_AT_ONCE = min(_DISTANCES)
_PIECE = 1 << 20  # bytes; so that a copy stays in the cache
_TABLE_BYTES = 1024


def crc32c(data: bytes | memoryview | Bytes, crc: int = 0) -> int:
    """The CRC-32C of `data`, or of earlier data and `data` if `crc` is that of the earlier data."""
    array = np.frombuffer(data, np.uint8) if not isinstance(data, np.ndarray) else data.ravel()
    register = crc ^ _INVERT
    for start in range(0, array.size, _PIECE):
        register = _advance(array[start : start + _PIECE], register)
    return register ^ _INVERT


def _advance(piece: Bytes, register: int) -> int:
    """The register of the CRC after one piece."""
    if piece.size > _REACH:
        piece, register = _shortened(piece, register), 0
    for start in range(0, piece.size, _TABLE_BYTES):
        register = _look_up(piece[start : start + _TABLE_BYTES], register)
    return register


def _shortened(piece: Bytes, register: int) -> Bytes:
    """At most 5685 bytes with the same remainder. The register becomes part of them."""
    padding = -piece.size % 8  # zeros before a message do not change its remainder
    copy = np.zeros(padding + piece.size, np.uint8)
    copy[padding:] = piece
    copy[padding : padding + 4] ^= _register_bytes(register)
    folded = _fold(copy.view(np.uint64)).view(np.uint8)
    return _fold(folded)


def _fold(words: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Combines words with later ones, in place, until at most 5685 are left; returns these."""
    begin = 0
    while words.size - begin > _REACH:
        count = min(_AT_ONCE, words.size - begin - _REACH)
        source = words[begin : begin + count]
        for distance in _DISTANCES:
            target = words[begin + distance : begin + distance + count]
            np.bitwise_xor(target, source, out=target)
        begin += count
    return words[begin:]


def _look_up(piece: Bytes, register: int) -> int:
    """The register after at most 1024 bytes, by a table for each place."""
    table, first_of_place = _tables()
    if piece.size < 4:
        for byte in piece.tolist():
            register = int(table[-256 + ((register ^ byte) & 0xFF)]) ^ (register >> 8)
        return register
    mixed = piece.copy()
    mixed[:4] ^= _register_bytes(register)
    remainders = table[first_of_place[_TABLE_BYTES - mixed.size :] + mixed]
    return int(np.bitwise_xor.reduce(remainders))


def _register_bytes(register: int) -> Bytes:
    return np.frombuffer(register.to_bytes(4, "little"), np.uint8)


@functools.cache
def _tables() -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
    """For each place among 1024 bytes and each byte there, the remainder; and where each place
    begins in the table. The last 256 entries are those of the last byte."""
    one: npt.NDArray[Any] = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        one = np.where(one & 1, one >> 1 ^ np.uint32(_POLYNOMIAL), one >> 1)
    rows = np.empty((_TABLE_BYTES, 256), np.uint32)
    rows[-1] = one
    for place in range(_TABLE_BYTES - 2, -1, -1):
        later = rows[place + 1]
        rows[place] = one[later & 0xFF] ^ (later >> 8)
    return rows.ravel(), np.arange(_TABLE_BYTES, dtype=np.int64) * 256
