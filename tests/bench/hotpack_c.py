"""hotpack_device.h by ctypes, as much as device_peers.py needs: batches whose tensors other libraries take over by DLPack."""

import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_float, c_int32, c_int64, c_size_t, c_void_p, py_object, sizeof
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from c_structs import fields_of  # noqa: E402

TYPE_F16, CHANNELS_FIRST, FORM_ONE_HOT, END_OF_EPOCH = 5, 1, 1, 1
RESIDENCIES = {"page": 0, "device": 1, "auto": 2}


class LoaderOptions(ctypes.Structure):
    _fields_ = fields_of("hotpack_loader_options")


class DeviceOptions(ctypes.Structure):
    _fields_ = fields_of("hotpack_device_loader_options", loader=POINTER(LoaderOptions))


class BatchInfo(ctypes.Structure):
    _fields_ = fields_of("hotpack_device_batch_info")


class DeviceLoader:
    """Training-ready batches, f16 and channels first, on one device."""

    def __init__(self, library, pack, batch, seed, device, residency, mean, std):
        self.c = ctypes.CDLL(str(library))
        for name in ("hotpack_dataset_error", "hotpack_device_loader_error", "hotpack_device_batch_error"):
            getattr(self.c, name).restype = c_char_p
        self.c.hotpack_device_batch_indices.restype = POINTER(c_int64)
        self.dataset, self.loader = c_void_p(), c_void_p()
        if self.c.hotpack_dataset_open(str(pack).encode(), byref(self.dataset)) < 0:
            raise RuntimeError(self.c.hotpack_dataset_error(self.dataset).decode())
        options = self.options(batch, seed, device, residency, mean, std)
        if self.c.hotpack_device_loader_open(self.dataset, byref(options), byref(self.loader)) < 0:
            raise RuntimeError(self.c.hotpack_device_loader_error(self.loader).decode())

    def options(self, batch, seed, device, residency, mean, std):
        loader = LoaderOptions()
        self.c.hotpack_loader_options_init(byref(loader), c_size_t(sizeof(loader)))
        loader.global_batch_size, loader.seed = batch, seed
        loader.image_dtype = loader.label_dtype = TYPE_F16
        loader.image_layout = loader.label_layout = CHANNELS_FIRST
        loader.image_mean, loader.image_std = (c_float * 3)(*mean), (c_float * 3)(*std)
        loader.image_channels, loader.label_form = 3, FORM_ONE_HOT
        options = DeviceOptions()
        self.c.hotpack_device_loader_options_init(byref(options), c_size_t(sizeof(options)))
        options.loader, options.residency = ctypes.pointer(loader), RESIDENCIES[residency]
        options.devices, options.device_count = (c_int32 * 1)(device), 1
        return options

    def next(self, stream):
        """DLPack capsules of image and label, and the samples' numbers; `stream` is a handle, 0 the legacy stream."""
        batch = c_void_p()
        streams = (c_void_p * 1)(stream)
        while (status := self.c.hotpack_device_loader_next(self.loader, streams, c_size_t(1), byref(batch))) == END_OF_EPOCH:
            pass
        if status < 0:
            raise RuntimeError(self.c.hotpack_device_loader_error(self.loader).decode())
        info = BatchInfo(struct_size=sizeof(BatchInfo))
        self.c.hotpack_device_batch_describe(batch, byref(info))
        samples = self.c.hotpack_device_batch_indices(batch)[:info.batch_size]
        image, label = (self.capsule(batch, field, stream or 1) for field in (0, 1))
        self.c.hotpack_device_batch_release(batch)
        return image, label, samples

    def capsule(self, batch, field, stream):
        tensor = c_void_p()
        if self.c.hotpack_device_batch_dlpack_legacy(batch, c_uint64(0), c_int32(field), c_int64(stream), byref(tensor)) != 0:
            raise RuntimeError(self.c.hotpack_device_batch_error(batch).decode())
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
        return make(tensor, b"dltensor", None)

    def close(self):
        self.c.hotpack_device_loader_close(self.loader)
        self.c.hotpack_dataset_close(self.dataset)


__all__ = ["DeviceLoader"]
