"""Small PNG and JPEG files for imitations of data sets. Standard library only."""

import struct
import zlib
from pathlib import Path

from packs import FRUIT

GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6
SAMPLES = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGBA: 4}


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def packed_row(row, depth):
    """Samples of a row as PNG stores them: the first in the highest bits."""
    if depth == 16:
        return b"".join(struct.pack(">H", v) for v in row)
    data, room = bytearray(), 0
    for value in row:
        if room == 0:
            data.append(0)
            room = 8
        room -= depth
        data[-1] |= value << room
    return bytes(data)


def png(rows, color=GRAY, depth=8, palette=(), extra=b""):
    """A PNG of rows of samples; a pixel of several samples is a tuple. `extra` goes before the pixels."""
    flat = [[v for pixel in row for v in (pixel if isinstance(pixel, tuple) else (pixel,))] for row in rows]
    width = len(flat[0]) // SAMPLES[color]
    header = struct.pack(">IIBBBBB", width, len(flat), depth, color, 0, 0, 0)
    body = b"".join(b"\0" + packed_row(row, depth) for row in flat)
    plte = chunk(b"PLTE", b"".join(bytes(c) for c in palette)) if palette else b""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + plte + extra + chunk(b"IDAT", zlib.compress(body)) + chunk(b"IEND", b"")


def photo(width, height, seed=0):
    """A smooth RGB image as PNG."""
    return png([[((x * 7 + seed * 31) % 256, (y * 5 + seed) % 256, (x + y + seed * 3) % 256) for x in range(width)] for y in range(height)], RGB)


def jpeg(seed=0):
    """A real JPEG, its width and its height."""
    files = sorted(FRUIT.rglob("*.jpg"))
    data = files[seed % len(files)].read_bytes()
    at = 2
    while True:
        marker, size = data[at + 1], struct.unpack(">H", data[at + 2:at + 4])[0]
        if 0xC0 <= marker <= 0xC2:
            height, width = struct.unpack(">HH", data[at + 5:at + 9])
            return data, width, height
        at += 2 + size


def blocks(width, height, values):
    """Rows that show every value in a stripe of columns."""
    return [[values[x * len(values) // width] for x in range(width)] for _ in range(height)]


def put(path, data):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def entropy_table(kind, symbols):
    """A DHT segment in which every symbol has 8 bits, its place."""
    return b"\xff\xc4" + struct.pack(">HB", 3 + 16 + len(symbols), kind) + bytes([0] * 7 + [len(symbols)] + [0] * 8) + bytes(symbols)


def sequential_jpeg(rows):
    """A gray JPEG of blocks of 8x8 pixels with these mean values. A small wave in each block, as of a lossy mask: 0 becomes up to 6, 255 down to 249."""
    width, height = 8 * len(rows[0]), 8 * len(rows)
    sizes = list(range(12))
    bits, before = [], 0

    def add(symbol_at, value):
        length = abs(value).bit_length()
        bits.append(format(symbol_at, "08b"))
        if length:
            bits.append(format(value if value > 0 else value + (1 << length) - 1, f"0{length}b"))

    for row in rows:
        for value in row:
            level = 8 * (value - 128)
            add(abs(level - before).bit_length(), level - before)
            add(1, 24 if value < 128 else -24)  # the lowest frequency: symbol 0x05, no zeros before it
            bits.append(format(0, "08b"))  # end of block
            before = level
    stream = "".join(bits)
    stream += "1" * (-len(stream) % 8)
    data = bytes(int(stream[i:i + 8], 2) for i in range(0, len(stream), 8)).replace(b"\xff", b"\xff\0")
    return (b"\xff\xd8\xff\xdb\0\x43\0" + b"\1" * 64 + b"\xff\xc0" + struct.pack(">HBHHBBBB", 11, 8, height, width, 1, 1, 0x11, 0) +
            entropy_table(0, sizes) + entropy_table(0x10, [0, 5]) + b"\xff\xda\0\x08\1\1\0\0\x3f\0" + data + b"\xff\xd9")
