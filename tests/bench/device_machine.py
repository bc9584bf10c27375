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

    def adopt(self, capsule):
        """A tensor that shares the memory of a DLPack capsule."""
        return self.torch.from_dlpack(capsule)

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


class DLManagedTensor(ctypes.Structure):
    """Its first members: memory, and what kind of device has it."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


KDL_CPU, KDL_CUDA = 1, 2


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

    def adopt(self, capsule):
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.POINTER(DLManagedTensor), [ctypes.py_object, ctypes.c_char_p]
        tensor = pointer(capsule, b"dltensor").contents
        if tensor.device_type != KDL_CUDA:
            raise RuntimeError(f"a tensor of device type {tensor.device_type}, not {KDL_CUDA}")
        tensor.device_type, tensor.device_id = KDL_CPU, 0
        return self.torch.from_dlpack(capsule)

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
