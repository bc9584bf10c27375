"""A reader in the style of FFCV: records in a memory map, gathered into preallocated batches by compiled loops on several threads.

Needs NumPy and numba. The loops are compiled at the first batch.
"""

import ctypes

import numba
import numpy as np

# As FFCV does it: copies by the C library, called from compiled code.
memmove = ctypes.CDLL(None).memmove
memmove.argtypes, memmove.restype = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t], ctypes.c_void_p


@numba.njit(parallel=True, nogil=True)
def gather(images, labels, rows, out_images, out_labels):
    for row in numba.prange(len(rows)):
        image, label = images[rows[row]], labels[rows[row]]
        memmove(out_images[row].ctypes.data, image.ctypes.data, image.size)
        memmove(out_labels[row].ctypes.data, label.ctypes.data, label.size)


@numba.njit(parallel=True, nogil=True)
def gather_training(images, labels, rows, table, out_images, out_labels):
    """Normalized f32 [N,3,H,W] by a table of 256 values per channel, and one-hot f32 [N,C,H,W]."""
    height, width, channels = images.shape[1:]
    for row in numba.prange(len(rows)):
        image, label = images[rows[row]], labels[rows[row]]
        for y in range(height):
            for channel in range(channels):
                for x in range(width):
                    out_images[row, channel, y, x] = table[channel, image[y, x, channel]]
            for number in range(out_labels.shape[1]):
                for x in range(width):
                    out_labels[row, number, y, x] = np.float32(label[y, x] == number)


class FfcvStyle:
    """`table`: training-ready batches; None: u8 and class ids as stored."""

    ahead = 0

    def __init__(self, images, labels, classes, order, batch, threads, table=None):
        self.images, self.labels, self.order, self.threads, self.table = images, labels, order, threads, table
        height, width, channels = images.shape[1:]
        if table is None:
            self.out = np.ones((batch, height, width, channels), np.uint8), np.ones((batch, height, width), np.uint8)
        else:
            self.out = np.ones((batch, channels, height, width), np.float32), np.ones((batch, classes, height, width), np.float32)

    def next(self):
        numba.set_num_threads(self.threads)
        rows = np.array(next(self.order))
        if self.table is None:
            gather(self.images, self.labels, rows, *self.out)
        else:
            gather_training(self.images, self.labels, rows, self.table, *self.out)
        return self.out
