"""XXH3-128 with seed 0, by the xxHash specification (doc/xxhash_spec.md of the xxHash project).

Inputs up to 240 bytes are hashed with Python's integers. Of longer ones, NumPy computes the sums of
many blocks of 1024 bytes at once; then block follows block.

Speed: 0.2 GB/s from 100 KB on, 10 µs for a short text.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]

_MASK: Final = 2**64 - 1
_P32_1, _P32_2, _P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
_P64_1, _P64_2, _P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
_P64_4, _P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
_MX1, _MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25

_SECRET: Final = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
_START: Final = (_P32_3, _P64_1, _P64_2, _P64_3, _P64_4, _P32_2, _P64_5, _P32_1)
_STRIPE, _STRIPES = 64, 16  # bytes of a stripe, stripes of a block
_BLOCK: Final = _STRIPE * _STRIPES
_BLOCKS_AT_ONCE = 512


def xxh3_128(data: bytes) -> str:
    """The hash as FORMAT.md writes it: "xxh3-128:" and 32 hexadecimal digits."""
    return f"xxh3-128:{xxh3_128_number(data):032x}"


def xxh3_128_number(data: bytes) -> int:
    """The hash as an integer of 128 bits."""
    size = len(data)
    if size <= 16:
        low, high = _up_to_16(data)
    elif size <= 240:
        low, high = _up_to_240(data)
    else:
        low, high = _long(data)
    return high << 64 | low


def _read(data: bytes, at: int, size: int = 8) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _secret(at: int, size: int = 8) -> int:
    return _read(_SECRET, at, size)


def _avalanche(value: int) -> int:
    value = (value ^ value >> 37) * _MX1 & _MASK
    return value ^ value >> 32


def _avalanche_64(value: int) -> int:
    value = (value ^ value >> 33) * _P64_2 & _MASK
    value = (value ^ value >> 29) * _P64_3 & _MASK
    return value ^ value >> 32


def _folded(a: int, b: int) -> int:
    """The halves of a product of 128 bits, combined by XOR."""
    product = a * b
    return product & _MASK ^ product >> 64


def _swapped(value: int, size: int) -> int:
    return int.from_bytes(value.to_bytes(size, "little"), "big")


# ---- short inputs


def _up_to_16(data: bytes) -> tuple[int, int]:
    if not data:
        return (
            _avalanche_64(_secret(64) ^ _secret(72)),
            _avalanche_64(_secret(80) ^ _secret(88)),
        )
    if len(data) <= 3:
        return _up_to_3(data)
    return _up_to_8(data) if len(data) <= 8 else _from_9_to_16(data)


def _up_to_3(data: bytes) -> tuple[int, int]:
    size = len(data)
    low = data[0] << 16 | data[size >> 1] << 24 | data[-1] | size << 8
    turned = _swapped(low, 4)
    high = (turned << 13 | turned >> 19) & 0xFFFFFFFF
    return (
        _avalanche_64(low ^ _secret(0, 4) ^ _secret(4, 4)),
        _avalanche_64(high ^ _secret(8, 4) ^ _secret(12, 4)),
    )


def _up_to_8(data: bytes) -> tuple[int, int]:
    size = len(data)
    both = _read(data, 0, 4) + (_read(data, size - 4, 4) << 32)
    product = (both ^ _secret(16) ^ _secret(24)) * (_P64_1 + (size << 2))
    low, high = product & _MASK, product >> 64
    high = (high + (low << 1)) & _MASK
    low ^= high >> 3
    low = (low ^ low >> 35) * _MX2 & _MASK
    return low ^ low >> 28, _avalanche(high)


def _from_9_to_16(data: bytes) -> tuple[int, int]:
    size = len(data)
    first, last = _read(data, 0), _read(data, size - 8)
    product = (first ^ last ^ _secret(32) ^ _secret(40)) * _P64_1
    low, high = product & _MASK, product >> 64
    low = (low + ((size - 1) << 54)) & _MASK
    last ^= _secret(48) ^ _secret(56)
    high = (high + last + (last & 0xFFFFFFFF) * (_P32_2 - 1)) & _MASK
    product = (low ^ _swapped(high, 8)) * _P64_2
    high = ((product >> 64) + high * _P64_2) & _MASK
    return _avalanche(product & _MASK), _avalanche(high)


# ---- 17 to 240 bytes


class _Mixer:
    """Mixes pairs of 16 bytes into two sums."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.low = len(data) * _P64_1 & _MASK
        self.high = 0

    def add(self, first: int, second: int, secret: int) -> None:
        self.low = self._added(self.low, first, second, secret)
        self.high = self._added(self.high, second, first, secret + 16)

    def _added(self, total: int, here: int, there: int, secret: int) -> int:
        a = _read(self.data, here) ^ _secret(secret)
        b = _read(self.data, here + 8) ^ _secret(secret + 8)
        other = _read(self.data, there) + _read(self.data, there + 8)
        return (total + _folded(a, b) & _MASK) ^ other & _MASK

    def avalanche(self) -> None:
        self.low, self.high = _avalanche(self.low), _avalanche(self.high)

    def finish(self) -> tuple[int, int]:
        size = len(self.data)
        high = self.low * _P64_1 + self.high * _P64_4 + size * _P64_2
        low = _avalanche(self.low + self.high & _MASK)
        return low, -_avalanche(high & _MASK) & _MASK


def _up_to_240(data: bytes) -> tuple[int, int]:
    size = len(data)
    mixer = _Mixer(data)
    if size <= 128:
        for pair in range((size - 1) // 32, -1, -1):
            mixer.add(16 * pair, size - 16 * (pair + 1), 32 * pair)
        return mixer.finish()
    for end in range(32, 160, 32):
        mixer.add(end - 32, end - 16, end - 32)
    mixer.avalanche()
    for end in range(160, size + 1, 32):
        mixer.add(end - 32, end - 16, 3 + end - 160)
    mixer.add(size - 16, size - 32, 136 - 17 - 16)
    return mixer.finish()


# ---- longer inputs


def _secret_words(at: int, count: int = 8) -> Words:
    return np.frombuffer(_SECRET, "<u8", count, at).astype(np.uint64)


def _stripe_secrets() -> Words:
    return np.stack([_secret_words(8 * stripe) for stripe in range(_STRIPES)])


def _stripe_sums(stripes: Words, secrets: Words) -> Words:
    """What stripes add to the eight sums: [..., stripes, 8] to [..., 8]."""
    keyed = stripes ^ secrets
    products = (keyed & np.uint64(0xFFFFFFFF)) * (keyed >> np.uint64(32))
    swapped = stripes.reshape(*stripes.shape[:-1], 4, 2)[..., ::-1].reshape(stripes.shape)
    total: Words = (products + swapped).sum(axis=-2, dtype=np.uint64)
    return total


def _long(data: bytes) -> tuple[int, int]:
    size = len(data)
    blocks = (size - 1) // _BLOCK
    secrets, last_secret = _stripe_secrets(), _secret_words(len(_SECRET) - _STRIPE)
    sums = np.array(_START, np.uint64)
    for begin in range(0, blocks, _BLOCKS_AT_ONCE):
        count = min(_BLOCKS_AT_ONCE, blocks - begin)
        words = np.frombuffer(data, "<u8", count * _BLOCK // 8, begin * _BLOCK)
        for added in _stripe_sums(words.reshape(count, _STRIPES, 8), secrets):
            sums += added
            sums = (sums ^ sums >> np.uint64(47) ^ last_secret) * np.uint64(_P32_1)
    rest = (size - 1 - blocks * _BLOCK) // _STRIPE
    words = np.frombuffer(data, "<u8", rest * 8, blocks * _BLOCK).reshape(rest, 8)
    sums += _stripe_sums(words, secrets[:rest])
    last = np.frombuffer(data, "<u8", 8, size - _STRIPE).reshape(1, 8)
    sums += _stripe_sums(last, _secret_words(len(_SECRET) - _STRIPE - 7).reshape(1, 8))
    return _merged(sums.tolist(), 11, size * _P64_1), _merged(
        sums.tolist(), len(_SECRET) - _STRIPE - 11, ~(size * _P64_2)
    )


def _merged(sums: list[int], secret: int, start: int) -> int:
    for pair in range(4):
        a = sums[2 * pair] ^ _secret(secret + 16 * pair)
        b = sums[2 * pair + 1] ^ _secret(secret + 16 * pair + 8)
        start += _folded(a, b)
    return _avalanche(start & _MASK)
