"""hotpack_device.h by ctypes, as much as device_peers.py needs: batches in the caller's memory on a device."""

import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_float, c_int64, c_size_t, c_void_p, sizeof
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from c_structs import fields_of  # noqa: E402

TYPE_F16, CHANNELS_FIRST, FORM_ONE_HOT, END_OF_EPOCH = 5, 1, 1, 1
RESIDENCIES = {"page": 0, "device": 1}


class LoaderOptions(ctypes.Structure):
    _fields_ = fields_of("hotpack_loader_options")


class DeviceOptions(ctypes.Structure):
    _fields_ = fields_of("hotpack_device_loader_options", loader=POINTER(LoaderOptions))


class Buffers(ctypes.Structure):
    _fields_ = fields_of("hotpack_device_buffers")


class DeviceLoader:
    """Training-ready batches, f16 and channels first, on one device."""

    def __init__(self, library, pack, batch, seed, device, residency, mean, std):
        self.c, self.batch = ctypes.CDLL(str(library)), batch
        for name in ("hotpack_dataset_error", "hotpack_device_loader_error"):
            getattr(self.c, name).restype = c_char_p
        self.c.hotpack_device_batch_indices.restype = POINTER(c_int64)
        self.dataset, self.loader = c_void_p(), c_void_p()
        if self.c.hotpack_dataset_open(str(pack).encode(), byref(self.dataset)) < 0:
            raise RuntimeError(self.c.hotpack_dataset_error(self.dataset).decode())
        loader, options = LoaderOptions(), DeviceOptions()
        self.c.hotpack_loader_options_init(byref(loader), c_size_t(sizeof(loader)))
        self.c.hotpack_device_loader_options_init(byref(options), c_size_t(sizeof(options)))
        loader.global_batch_size, loader.seed = batch, seed
        loader.image_dtype = loader.label_dtype = TYPE_F16
        loader.image_layout = loader.label_layout = CHANNELS_FIRST
        loader.image_mean, loader.image_std = (c_float * 3)(*mean), (c_float * 3)(*std)
        loader.image_channels, loader.label_form = 3, FORM_ONE_HOT
        options.loader, options.device, options.residency = ctypes.pointer(loader), device, RESIDENCIES[residency]
        self.check(self.c.hotpack_device_loader_open(self.dataset, byref(options), byref(self.loader)))

    def check(self, status):
        if status < 0:
            raise RuntimeError(self.c.hotpack_device_loader_error(self.loader).decode())
        return status

    def next_into(self, image, label, stream):
        """Writes the next batch into two tensors of torch, over the ends of epochs, and returns its samples' numbers. `stream`: a handle."""
        into, batch = Buffers(image.data_ptr(), image.nbytes, label.data_ptr(), label.nbytes), c_void_p()
        while self.check(self.c.hotpack_device_loader_next_into(self.loader, byref(into), c_void_p(stream), byref(batch))) == END_OF_EPOCH:
            pass
        samples = self.c.hotpack_device_batch_indices(batch)[:self.batch]
        self.c.hotpack_device_batch_release(batch)
        return samples

    def close(self):
        self.c.hotpack_device_loader_close(self.loader)
        self.c.hotpack_dataset_close(self.dataset)


__all__ = ["DeviceLoader"]
