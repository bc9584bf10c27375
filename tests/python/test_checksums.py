"""Checksums against other implementations: the definition of CRC-32C bit by bit, and hashes that the xxHash library computed."""

import hashlib

import numpy as np
import pytest

from hotpack.pure import crc32c as module
from hotpack.pure.crc32c import crc32c
from hotpack.pure.xxh3 import xxh3_128, xxh3_128_number

RANDOM = np.random.default_rng(1).integers(0, 256, 1 << 21, np.uint8).tobytes()
# Of xxh3_128_digest() of the xxHash library 0.8.4, over the first n bytes of PATTERN for n = 0 … 2500, then for the lengths in LONG.
PATTERN = bytes((i * 151 + i * i // 7 + i // 256 * 31) % 256 for i in range(1 << 17))
LONG = (4096, 65535, 65536, 100_001, 1 << 17)
XXHASH_SHA256 = "d8427f3bb3a96881b69e9d4d0ad0bb2690090751b1f3a9f5b34d61eb45c8af69"


def by_bits(data):
    """CRC-32C as FORMAT.md, section 11, defines it."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def test_check_values_of_the_format():
    assert crc32c(b"123456789") == 0xE3069283
    assert xxh3_128(b"") == "xxh3-128:99aa06d3014798d86001c324468d497f"
    assert xxh3_128(b"123456789") == "xxh3-128:33119477ede5dcd5e9716427681d5860"


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 1023, 1024, 1025, 5684, 5685, 5686, 5693, 45_480, 45_481, 45_500, 90_001])
def test_crc_equals_its_definition(size):
    assert crc32c(RANDOM[7 : 7 + size]) == by_bits(RANDOM[7 : 7 + size])


def test_crc_continues_that_of_earlier_bytes():
    whole = crc32c(RANDOM[:1_500_000])
    for cut in (0, 1, 3, 1024, 700_000, 1_499_999, 1_500_000):
        assert crc32c(RANDOM[cut:1_500_000], crc32c(RANDOM[:cut])) == whole


def test_every_bit_of_a_long_message_counts():
    data = np.frombuffer(RANDOM[:200_000], np.uint8).copy()
    whole, seen = crc32c(data), set()
    for at in range(0, data.size, 997):
        data[at] ^= 16
        seen.add(crc32c(data))
        data[at] ^= 16
    assert whole not in seen and len(seen) == len(range(0, data.size, 997))


def test_the_polynomial_divides_the_sparse_one():
    remainder = 0
    for exponent in module._EXPONENTS:
        power = 1
        for _ in range(exponent):
            power <<= 1
            if power >> 32:
                power ^= 0x11EDC6F41
        remainder ^= power
    assert remainder == 0


def test_hashes_equal_those_of_the_xxhash_library():
    digest = hashlib.sha256()
    for size in (*range(2501), *LONG):
        digest.update(xxh3_128_number(PATTERN[:size]).to_bytes(16, "big"))
    assert digest.hexdigest() == XXHASH_SHA256
