"""Where device_peers.py runs: on a GPU by torch.cuda, or, to test the comparison itself, on a stand-in for libcuda.so.1 whose device memory
is the host's (HOTPACK_GPU_CHECK_FAKE=1): all of it runs there to its end, and its figures mean nothing."""

import ctypes
import gc
import os


class Gpu:
    """torch.cuda, as much as the comparison uses."""

    real = pinned = True

    def __init__(self, torch, ordinal):
        torch.cuda.set_device(ordinal)
        self.torch, self.ordinal, self.device = torch, ordinal, torch.device(f"cuda:{ordinal}")

    def name(self):
        return self.torch.cuda.get_device_name(self.ordinal)

    def free_bytes(self):
        return self.torch.cuda.mem_get_info(self.ordinal)[0]

    def stream(self):
        """The handle of the stream that PyTorch's work goes to."""
        return self.torch.cuda.current_stream().cuda_stream

    def empty(self, shape):
        """Memory for f16."""
        return self.torch.empty(shape, dtype=self.torch.float16, device=self.device)

    def synchronize(self):
        self.torch.cuda.synchronize()

    def tidy(self):
        gc.collect()
        self.torch.cuda.empty_cache()

    def copier(self):
        return CopyStream(self.torch, self.device)


class CopyStream:
    """Copies to the device on a stream of their own, at the same time as the work of the current one."""

    def __init__(self, torch, device):
        self.torch, self.device, self.stream = torch, device, torch.cuda.Stream(device)

    def begin(self, tensors):
        """Their copies, and what tells when they are there. `tensors` are pinned: PyTorch keeps them until they are copied."""
        with self.torch.cuda.stream(self.stream):
            return [tensor.to(self.device, non_blocking=True) for tensor in tensors], self.stream.record_event()

    def hand_over(self, copies, done):
        """The copies, for the current stream; their memory is used again behind its work."""
        current = self.torch.cuda.current_stream()
        current.wait_event(done)
        for copy in copies:
            copy.record_stream(current)
        return copies


class StandIn:
    """Work runs when it is given, in the host's memory, which PyTorch then takes as what it is."""

    real = pinned = False

    def __init__(self, torch):
        self.torch, self.ordinal, self.device = torch, 0, torch.device("cpu")

    def name(self):
        return "no GPU but a stand-in: figures mean nothing"

    def free_bytes(self):
        return 1 << 30

    def stream(self):
        return 0

    def empty(self, shape):
        """Memory of the stand-in, which refuses the host's; it is never freed."""
        memory, context = ctypes.c_void_p(), ctypes.c_void_p()
        self.call(b"cuDevicePrimaryCtxRetain", ctypes.pointer(context), ctypes.c_int(0))
        self.call(b"cuCtxPushCurrent", context)
        self.call(b"cuMemAlloc", ctypes.pointer(memory), ctypes.c_size_t(2 * shape.numel()))
        self.call(b"cuCtxPopCurrent", ctypes.pointer(context))
        bytes_of_it = (ctypes.c_uint8 * (2 * shape.numel())).from_address(memory.value)
        return self.torch.frombuffer(bytes_of_it, dtype=self.torch.float16).view(shape)

    @staticmethod
    def call(name, *arguments):
        found = ctypes.c_void_p()
        ctypes.CDLL("libcuda.so.1").cuGetProcAddress_v2(name, ctypes.byref(found), 12000, ctypes.c_uint64(0), None)
        if ctypes.CFUNCTYPE(ctypes.c_int, *map(type, arguments))(found.value)(*arguments) != 0:
            raise RuntimeError(f"{name.decode()} of the stand-in failed")

    def synchronize(self):
        pass

    def tidy(self):
        gc.collect()

    def copier(self):
        return CopyAtOnce()


class CopyAtOnce:
    def begin(self, tensors):
        return [tensor.clone() for tensor in tensors], None

    def hand_over(self, copies, done):
        assert done is None
        return copies


def find_machine(torch, ordinal):
    """The machine to run on; None without a GPU."""
    if os.environ.get("HOTPACK_GPU_CHECK_FAKE") == "1":
        return StandIn(torch)
    return Gpu(torch, ordinal) if torch.cuda.is_available() else None


__all__ = ["find_machine"]
