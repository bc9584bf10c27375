#!/usr/bin/env python3
"""Compares every form of a batch with the formulas of NumPy and PyTorch, bit for bit, through the C interface.

usage: compare_formulas.py HOTPACK LIBRARY [--device]
       (HOTPACK: the command; LIBRARY: libhotpack.so; --device: batches of a DeviceLoader; exit 0 and a line of counts, or 1)

Packs drawn images in every label storage, number of classes and odd size, then reads one batch a form. NumPy gives y = (float32(x) / 255 − mean) / std and the one-hot of ids; PyTorch rounds to bfloat16.
"""

import ctypes
import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

try:
    import torch
except ImportError:  # bfloat16 alone needs it, or this
    import ml_dtypes

sys.path[:0] = [str(Path(__file__).parent.parent / name) for name in ("property", "support")]
from c_structs import fields_of  # noqa: E402
from images import GRAY, RGB, png  # noqa: E402

CLASSES = (1, 2, 7, 8, 9, 16, 17, 255, 256)
SIZES = ((1, 1), (7, 1), (5, 3), (19, 17), (33, 64), (65, 3))
STORAGES = ("bits", "onehot", "index")
SAMPLES = 3
MEAN, STD = np.array([0.485, 0.456, 0.406], np.float32), np.array([0.229, 0.224, 0.225], np.float32)
TYPES = {"u8": (1, np.uint8), "u16": (2, np.uint16), "i32": (3, np.int32), "i64": (4, np.int64), "f16": (5, np.float16), "bf16": (6, np.uint16),
         "f32": (7, np.float32)}
INDEX, ONE_HOT, BITS = 0, 1, 2
IGNORED = {"u8": 255, "u16": 65535, "i32": -100, "i64": -100}


class Options(ctypes.Structure):
    _fields_ = fields_of("hotpack_loader_options")


class Field(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_uint64), ("shape", ctypes.c_int64 * 4), ("dimensions", ctypes.c_int32),
                ("dtype", ctypes.c_int32)]


class Info(ctypes.Structure):
    _fields_ = fields_of("hotpack_batch_info", image=Field, label=Field)


def field_bytes(field):
    return ctypes.string_at(field.data, field.bytes) if field.bytes else b""


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        for name in ("hotpack_dataset_error", "hotpack_loader_error"):
            getattr(self.c, name).restype = ctypes.c_char_p
        for name in ("hotpack_dataset_close", "hotpack_loader_close", "hotpack_batch_release", "hotpack_loader_options_init"):
            getattr(self.c, name).restype = None

    def options(self, **options):
        wanted = Options()
        self.c.hotpack_loader_options_init(ctypes.byref(wanted), ctypes.c_size_t(ctypes.sizeof(wanted)))
        wanted.global_batch_size, wanted.shuffle = SAMPLES, 2  # HOTPACK_SHUFFLE_NONE
        for name, value in options.items():
            setattr(wanted, name, value)
        return wanted

    def batch(self, pack, **options):
        """Bytes of the image and of the label of the first batch, in file order."""
        dataset, loader, batch = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        if self.c.hotpack_dataset_open(str(pack).encode(), ctypes.byref(dataset)) < 0:
            sys.exit(self.c.hotpack_dataset_error(dataset).decode())
        wanted = self.options(**options)
        if self.c.hotpack_loader_open(dataset, ctypes.byref(wanted), ctypes.byref(loader)) < 0:
            sys.exit(f"{pack} {options}: {self.c.hotpack_loader_error(loader).decode()}")
        if self.c.hotpack_loader_next(loader, ctypes.byref(batch)) != 0:
            sys.exit(f"{pack} {options}: {self.c.hotpack_loader_error(loader).decode()}")
        info = Info(struct_size=ctypes.sizeof(Info))
        self.c.hotpack_batch_describe(batch, ctypes.byref(info))
        bytes_of = field_bytes(info.image), field_bytes(info.label)
        self.c.hotpack_batch_release(batch)
        self.c.hotpack_loader_close(loader)
        self.c.hotpack_dataset_close(dataset)
        return bytes_of


class DeviceOptions(ctypes.Structure):
    _fields_ = fields_of("hotpack_device_loader_options", loader=ctypes.POINTER(Options))


class DeviceBatch(ctypes.Structure):
    _fields_ = fields_of("hotpack_device_batch_info", image=Field, label=Field)


class Driver:
    """The calls of the CUDA driver that copy a batch back."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.context = ctypes.c_void_p()
        self.call("cuInit", 2000, 0)
        self.call("cuDevicePrimaryCtxRetain", 7000, ctypes.byref(self.context), 0)

    def call(self, name, version, *arguments):
        function, status = ctypes.c_void_p(), ctypes.c_int()
        self.library.cuGetProcAddress_v2(name.encode(), ctypes.byref(function), version, ctypes.c_uint64(0), ctypes.byref(status))
        if not function.value or ctypes.CFUNCTYPE(ctypes.c_int)(function.value)(*arguments) != 0:
            sys.exit(f"{name} failed")

    def field_bytes(self, field):
        into = ctypes.create_string_buffer(max(1, field.bytes))
        if field.bytes:
            self.call("cuCtxPushCurrent", 4000, self.context)
            self.call("cuMemcpyDtoHAsync", 3020, into, ctypes.c_uint64(field.data), ctypes.c_size_t(field.bytes), None)
            self.call("cuStreamSynchronize", 2000, None)
            self.call("cuCtxPopCurrent", 4000, ctypes.byref(ctypes.c_void_p()))
        return into.raw[:field.bytes]


class DeviceLibrary(Library):
    """The same through hotpack_device.h; the residency changes from batch to batch."""

    def __init__(self, path):
        super().__init__(path)
        self.c.hotpack_device_loader_error.restype = ctypes.c_char_p
        self.driver = Driver()
        self.residencies = itertools.cycle((0, 1))

    def batch(self, pack, **options):
        dataset, loader, batch = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        if self.c.hotpack_dataset_open(str(pack).encode(), ctypes.byref(dataset)) < 0:
            sys.exit(self.c.hotpack_dataset_error(dataset).decode())
        wanted = self.options(**options)
        on_device = DeviceOptions()
        self.c.hotpack_device_loader_options_init(ctypes.byref(on_device), ctypes.sizeof(on_device))
        on_device.loader, on_device.residency = ctypes.pointer(wanted), next(self.residencies)
        if (self.c.hotpack_device_loader_open(dataset, ctypes.byref(on_device), ctypes.byref(loader)) < 0
                or self.c.hotpack_device_loader_next(loader, None, ctypes.byref(batch)) != 0):
            sys.exit(f"{pack} {options}: {self.c.hotpack_device_loader_error(loader).decode()}")
        info = DeviceBatch(struct_size=ctypes.sizeof(DeviceBatch))
        self.c.hotpack_device_batch_describe(batch, ctypes.byref(info))
        bytes_of = self.driver.field_bytes(info.image), self.driver.field_bytes(info.label)
        self.c.hotpack_device_batch_release(batch)
        self.c.hotpack_device_loader_close(loader)
        self.c.hotpack_dataset_close(dataset)
        return bytes_of


class Drawn:
    """Random images and ids of one size and number of classes; every fifth pixel is ignored."""

    def __init__(self, folder, size, classes):
        width, height = size
        random = np.random.default_rng(width * 1000 + height * 10 + classes)
        self.images = random.integers(0, 256, (SAMPLES, height, width, 3), np.uint8)
        self.ids = random.integers(0, classes, (SAMPLES, height, width)).astype(np.int64)
        ignored = random.integers(0, 5, self.ids.shape) == 0
        self.ids[ignored] = -1
        self.classes = classes
        wide = classes > 255
        for number in range(SAMPLES):
            stored = np.where(self.ids[number] < 0, 65535 if wide else 255, self.ids[number]).tolist()
            pixels = [[tuple(pixel) for pixel in row] for row in self.images[number].tolist()]
            (folder / "images").mkdir(exist_ok=True)
            (folder / "ids").mkdir(exist_ok=True)
            (folder / "images" / f"{number}.png").write_bytes(png(pixels, RGB))
            (folder / "ids" / f"{number}.png").write_bytes(png(stored, GRAY, 16 if wide else 8))


def float_image(images, normalized):
    values = images.astype(np.float32) / np.float32(255)
    return (values - MEAN) / STD if normalized else values


def rounded(values, kind):
    """float32 values as the bytes of another float type; ties to even."""
    if kind == "bf16":
        if "torch" not in globals():
            return np.ascontiguousarray(values).astype(ml_dtypes.bfloat16).tobytes()
        return torch.from_numpy(np.ascontiguousarray(values)).to(torch.bfloat16).view(torch.int16).numpy().tobytes()
    return np.ascontiguousarray(values).astype(TYPES[kind][1]).tobytes()


def first(values):
    return values.transpose(0, 3, 1, 2)


def image_cases(drawn):
    """(name, options, bytes wanted)"""
    for order in (0, 1):
        moved = first if order else (lambda values: values)
        yield f"u8 {order}", {"image_dtype": 1, "image_layout": order}, np.ascontiguousarray(moved(drawn.images)).tobytes()
        for kind, normalized in itertools.product(("f32", "f16", "bf16"), (False, True)):
            options = {"image_dtype": TYPES[kind][0], "image_layout": order}
            if normalized:
                options |= {"image_mean": (ctypes.c_float * 3)(*MEAN), "image_std": (ctypes.c_float * 3)(*STD), "image_channels": 3}
            yield f"{kind} {order} {normalized}", options, rounded(moved(float_image(drawn.images, normalized)), kind)


def label_cases(drawn):
    classes, ids = drawn.classes, drawn.ids
    hot = (ids[..., None] == np.arange(classes)).astype(np.float32)
    for kind in ("u8", "u16", "i32", "i64"):
        if kind == "u8" and classes > 255:
            continue
        wanted = np.where(ids < 0, IGNORED[kind], ids).astype(TYPES[kind][1])
        yield f"index {kind}", {"label_form": INDEX, "label_dtype": TYPES[kind][0]}, wanted.tobytes()
    for kind, order, extra in itertools.product(("u8", "f16", "bf16", "f32"), (0, 1), (0, 1)):
        full = np.concatenate([hot, (ids < 0).astype(np.float32)[..., None]], axis=3) if extra else hot
        options = {"label_form": ONE_HOT, "label_dtype": TYPES[kind][0], "label_layout": order, "label_ignore_channel": extra}
        moved = first(full) if order else full
        yield f"one-hot {kind} {order} {extra}", options, rounded(moved, kind)
    yield "bits", {"label_form": BITS}, np.packbits(hot.astype(np.uint8), axis=3, bitorder="little").tobytes()


def packed(hotpack, folder, size, classes, storage):
    pack = folder / storage
    subprocess.run([hotpack, "pack", "--images", folder / "images", "--labels", folder / "ids", "--num-classes", str(classes), "--label-kind", "index",
                    "--size", f"{size[0]}x{size[1]}", "--label-storage", storage, "-o", pack, "-qq"], check=True, stdout=subprocess.DEVNULL)
    return pack


def compare(library, pack, drawn, name):
    """Number of forms compared; the names of those that differ."""
    wrong, count = [], 0
    for form, options, wanted in image_cases(drawn):
        count += 1
        if library.batch(pack, **options)[0] != wanted:
            wrong.append(f"{name}: image {form}")
    for form, options, wanted in label_cases(drawn):
        count += 1
        if library.batch(pack, **options)[1] != wanted:
            wrong.append(f"{name}: label {form}")
    return count, wrong


def main():
    if sys.argv[3:] not in ([], ["--device"]):
        sys.exit(__doc__)
    hotpack, library = sys.argv[1], (DeviceLibrary if sys.argv[3:] else Library)(sys.argv[2])
    wrong, count = [], 0
    for classes, size in itertools.product(CLASSES, SIZES):
        with tempfile.TemporaryDirectory() as scratch:
            drawn = Drawn(Path(scratch), size, classes)
            for storage in STORAGES:
                pack = packed(hotpack, Path(scratch), size, classes, storage)
                compared, differ = compare(library, pack, drawn, f"{classes} classes, {size[0]}x{size[1]}, {storage}")
                count, wrong = count + compared, wrong + differ
    print("\n".join(wrong[:50]))
    print(f"{count} batches compared with NumPy and PyTorch, {len(wrong)} differ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
