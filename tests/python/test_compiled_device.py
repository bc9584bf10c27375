"""Device loaders on a driver without a device, which the build of the tests makes; on a real device, those marked gpu.

FAKE_CUDA names the folder of that driver's libcuda.so.1; by default that of the release build. Its device memory can be read as that of the host."""

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ROOT, framework, golden_pack

import hotpack

FAKE_CUDA = Path(os.environ.get("FAKE_CUDA", ROOT / "build" / "release" / "fake_cuda"))

# Begins every program: arrays of device memory as those of NumPy.
PRELUDE = """
import ctypes, sys, numpy as np, hotpack
def host(array):
    kind = "uint16" if array.dtype == "bfloat16" else array.dtype
    return np.frombuffer(ctypes.string_at(array.pointer, array.nbytes), kind).reshape(array.shape)
def raised(kind, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")
ds = hotpack.open(*[sys.argv[1]] * 8) if len(sys.argv) > 1 else None
"""


@pytest.fixture(scope="module", autouse=True)
def driver():
    if not (FAKE_CUDA / "libcuda.so.1").exists():
        pytest.skip(f"{FAKE_CUDA} has no libcuda.so.1: build with scripts/build release")
    said = subprocess.run([sys.executable, "-c", PRELUDE + "hotpack.DeviceLoader(ds, 1)", golden_pack("bits")], capture_output=True, text=True, env=environment())
    if "without kernels" in said.stderr:
        pytest.skip("hotpack was built without kernels")
    assert said.returncode == 0, said.stderr


def environment(**more):
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "LD_LIBRARY_PATH": str(FAKE_CUDA), **more}


@pytest.fixture
def on_device(run):
    def on_device(program, *arguments, **options):
        return run(PRELUDE + program, *(arguments or [golden_pack("bits")]), environment={"LD_LIBRARY_PATH": str(FAKE_CUDA)}, **options)

    return on_device


IMAGES = ['Image("uint8")', 'Image("float32", "NCHW", [0.4] * 3, [0.2] * 3)', 'Image("bfloat16")', 'Image("float16", "NCHW")']
LABELS = ['Ids("int64")', 'OneHot("float32", "NCHW")', "Bits()", "Ids()"]


@pytest.mark.parametrize("residency", ["page", "device", "auto"])
def test_batches_equal_those_of_the_host(on_device, residency):
    text = on_device(
        f"""
for image, label in [{", ".join(f"(hotpack.{image}, hotpack.{label})" for image, label in zip(IMAGES, LABELS))}]:
    options = dict(batch_size=4, seed=7, image=image, label=label, augment=hotpack.Augment(horizontal_flip=0.5))
    loader = hotpack.DeviceLoader(ds, residency={residency!r}, **options)
    for epoch in range(2):
        for a, b in zip(loader, hotpack.Loader(ds, resume=loader.state_dict(), **options), strict=True):
            assert isinstance(a, hotpack.DeviceBatch) and isinstance(a.image, hotpack.DeviceArray)
            wanted = b.image.view("uint16") if a.image.dtype == "bfloat16" else b.image
            assert np.array_equal(host(a.image), wanted) and np.array_equal(host(a.label), b.label)
            assert (a.epoch, a.step, a.num_valid, a.keys) == (epoch, b.step, b.num_valid, b.keys)
            assert np.array_equal(a.indices, b.indices) and np.array_equal(a.crops, b.crops)
    chosen, size, why = loader.residency
    assert loader.stats()["batches"] == 12 and size > 0 and f"records in {{chosen}} memory" in repr(loader)
print(chosen)
"""
    )
    assert text == ("device\n" if residency == "auto" else f"{residency}\n")


def test_every_kind_of_pack_loads(on_device):
    for name in ["unlabelled", "class_folders", "several_classes", "mixed_sizes_zstd", "chw", "zstd"]:
        on_device(
            """
data = hotpack.open(sys.argv[1])
label = hotpack.OneHot() if data._core.label and data._core.label[2] else None
rows = 1 if data.image_shape is None else 2
pairs = zip(hotpack.DeviceLoader(data, rows, label=label, shuffle=False), hotpack.Loader(data, rows, label=label, shuffle=False), strict=True)
for a, b in pairs:
    assert np.array_equal(host(a.image), b.image)
    assert b.label is None and a.label is None or np.array_equal(host(a.label), b.label)
""",
            golden_pack(name),
        )


def test_epochs_are_those_of_a_loader(on_device):
    on_device(
        """
loader = hotpack.DeviceLoader(ds, 4, seed=7)
seen = [[i for _, batch in zip(range(len(loader)), loader) for i in batch.indices] for _ in range(3)]
host = hotpack.Loader(ds, 4, seed=7)
assert seen == [[i for batch in host for i in batch.indices] for _ in range(3)]
iterator = iter(loader)
first = next(iterator)
state = loader.state_dict()
assert (first.epoch, first.step) == (3, 0)
second = next(iterator)
loader.load_state_dict(state)
again = next(iter(loader))
assert (again.epoch, again.step) == (3, 1) and again.indices.tolist() == second.indices.tolist()
host.load_state_dict(state)  # states of both are the same
assert next(iter(host)).indices.tolist() == again.indices.tolist()
assert "another loop" in raised(hotpack.UsageError, next, iterator)
"""
    )


def test_capsules_of_both_forms(on_device):
    on_device(
        """
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
set_name = ctypes.pythonapi.PyCapsule_SetName
set_name.argtypes = [ctypes.py_object, ctypes.c_char_p]
USED = {b"dltensor": b"used_dltensor", b"dltensor_versioned": b"used_dltensor_versioned"}

class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("offset", ctypes.c_uint64)]
class Legacy(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]
class Versioned(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32 * 2), ("context", ctypes.c_void_p), ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
                ("flags", ctypes.c_uint64), ("tensor", Tensor)]

loader = hotpack.DeviceLoader(ds, 4, outputs=1, image=hotpack.Image("float16", "NCHW"))
iterator = iter(loader)
import threading
for asked, name, kind in [(None, b"dltensor", Legacy), ((0, 8), b"dltensor", Legacy), ((1, 0), b"dltensor_versioned", Versioned)]:
    batch = next(iterator)
    array = batch.image
    assert array.__dlpack_device__() == (2, 0) and array.shape == (4, 3, 10, 12)
    capsule = array.__dlpack__(max_version=asked)
    managed = kind.from_address(get_pointer(capsule, name))
    told = managed.tensor
    assert told.data == array.pointer and list(told.device) == [2, 0] and (told.code, told.bits, told.lanes) == (2, 16, 1)
    assert [told.shape[i] for i in range(told.ndim)] == [4, 3, 10, 12] and [told.strides[i] for i in range(4)] == [360, 120, 12, 1]
    unused = array.__dlpack__(max_version=asked)  # ends with its capsule
    del unused
    set_name(capsule, USED[name])
    del batch, array, capsule
    assert "more outputs" in raised(hotpack.UsageError, next, iterator)  # the consumer still holds the only output
    ended = threading.Thread(target=managed.deleter, args=(ctypes.addressof(managed),))  # without the GIL
    ended.start()
    ended.join()
print("ok")
"""
    )


def test_streams_and_devices_of_the_protocol(on_device):
    on_device(
        """
array = next(iter(hotpack.DeviceLoader(ds, 2))).image
for stream in (None, 1, 2, -1):
    array.__dlpack__(stream=stream)
array.__dlpack__(dl_device=(2, 0), copy=False)
assert "the stream is 0" in raised(hotpack.UsageError, array.__dlpack__, stream=0)
assert "no arrays between devices" in raised(BufferError, array.__dlpack__, dl_device=(1, 0))
assert "no copies" in raised(BufferError, array.__dlpack__, copy=True)
told = array.__cuda_array_interface__
assert told == {"version": 3, "shape": (2, 10, 12, 3), "typestr": "|u1", "data": (array.pointer, False), "strides": None, "stream": 1}
half = next(iter(hotpack.DeviceLoader(ds, 2, image=hotpack.Image("bfloat16")))).image
assert half.dtype == "bfloat16" and not hasattr(half, "__cuda_array_interface__")
"""
    )


def test_held_outputs_are_an_error_that_passes(on_device):
    on_device(
        """
loader = hotpack.DeviceLoader(ds, 4, outputs=2)
iterator = iter(loader)
held = [next(iterator), next(iterator)]
arrays = [batch.image for batch in held]
assert "more outputs" in raised(hotpack.UsageError, next, iterator)
wanted = host(arrays[0])
held[0].release()
raised(hotpack.UsageError, next, iterator)  # its array shares the output
assert np.array_equal(host(arrays[0]), wanted) and "released" in raised(hotpack.UsageError, lambda: held[0].indices)
del arrays[0]
assert next(iterator).step == 2
"""
    )


@pytest.mark.parametrize("name", ["1", "'cuda:1'", "np.int64(1)", "'gpu:1'", "type('Jax', (), {'platform': 'gpu', 'id': 9, 'local_hardware_id': 1})()"])
def test_a_device_has_several_names(on_device, name, monkeypatch):
    monkeypatch.setenv("HOTPACK_FAKE_DEVICES", "2")
    assert on_device(f"print(hotpack.DeviceLoader(ds, 2, device={name}).device)") == "1\n"


def test_mistakes_are_told(on_device):
    on_device(
        """
assert "'abc' is no CUDA device" in raised(hotpack.UsageError, hotpack.DeviceLoader, ds, 2, device="abc")
for platform in ("cpu", "tpu", "rocm"):
    other = type("Jax", (), {"platform": platform, "id": 0, "local_hardware_id": 0, "__repr__": lambda self: "Other"})()
    assert "device Other is no CUDA device" in raised(hotpack.UsageError, hotpack.DeviceLoader, ds, 2, device=other)
assert "no CUDA device" in raised(hotpack.UsageError, hotpack.DeviceLoader, ds, 2, device=type("Row", (), {"id": 0})())
assert "device -1 is no" in raised(hotpack.UsageError, hotpack.DeviceLoader, ds, 2, device=-1)
assert "1" in raised(hotpack.UsageError, hotpack.DeviceLoader, ds, 2, device=1)
assert "must be 'page', 'device' or 'auto'" in raised(hotpack.UsageError, hotpack.DeviceLoader, ds, 2, residency="disk")
assert "hotpack.DeviceLoader" in raised(hotpack.UsageError, hotpack.Loader, ds, 2, device=0)
assert "budget" in raised(hotpack.UsageError, hotpack.DeviceLoader, ds, 2, residency="device", device_budget_bytes=10)
assert "host memory" in raised(hotpack.UsageError, hotpack.DeviceLoader(ds, 2).next_into)
"""
    )


def test_no_driver_is_told():
    with pytest.raises(hotpack.UsageError, match="no CUDA driver|no device|too old"):
        if "LD_LIBRARY_PATH" in os.environ or Path("/dev/nvidia0").exists():
            pytest.skip("there may be a driver")
        hotpack.DeviceLoader(golden_pack("bits"), 1)


def test_opening_tells_its_progress_and_passes_on_what_it_raises(on_device):
    on_device(
        """
told = []
hotpack.DeviceLoader(ds, 4, residency="device", progress=told.append)
last = told[-1]
assert isinstance(last, hotpack.Progress) and last.stage == "load" and last.samples_done == last.samples_total == 24
class Enough(Exception): pass
def stop(_): raise Enough
raised(Enough, hotpack.DeviceLoader, ds, 4, residency="device", progress=stop)
hotpack.DeviceLoader(ds, 4, residency="page", progress=stop)  # loads nothing
"""
    )


def test_cancel_close_and_time_out(on_device):
    on_device(
        """
loader = hotpack.DeviceLoader(ds, 4, timeout=0.2)
loader.cancel()
raised(hotpack.CancelledError, next, iter(loader))
loader.seek(0, 2)
assert next(iter(loader)).step == 2
batch = next(iter(loader))
loader.close()
loader.close()
assert "closed" in raised(hotpack.UsageError, iter, loader)
print(host(batch.image).shape)
import pickle
assert "cannot be pickled" in raised(TypeError, pickle.dumps, loader)
with hotpack.DeviceLoader(ds, 4) as other:
    next(iter(other))
"""
    )


def test_arrays_and_loaders_end_in_any_order(on_device):
    for order in itertools.permutations(range(4)):
        on_device(
            f"""
loader = hotpack.DeviceLoader(ds, 4)
batch = next(iter(loader))
things = [ds, loader, batch, batch.image]
del ds, loader, batch
for number in {order}:
    things[number] = None
"""
        )


def test_a_loop_may_be_left_by_exit(on_device):
    assert on_device("import sys\nfor batch in hotpack.DeviceLoader(ds, 1): print(batch.step); sys.exit(3)", code=3) == "0\n"


def test_an_interrupt_ends_the_opening():
    program = PRELUDE + "hotpack.DeviceLoader(ds, 4, residency='device', progress=lambda at: (print('told', flush=True), __import__('time').sleep(20)))"
    process = subprocess.Popen([sys.executable, "-c", program, golden_pack("bits")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
    assert process.stdout.readline() == "told\n"
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    stderr = process.communicate(timeout=10)[1]
    assert "KeyboardInterrupt" in stderr and process.returncode != 0 and time.monotonic() - begin < 5


# Tensors of torch need a torch with CUDA; here its memory comes from the driver.
TORCH = """
import torch, hotpack.torch as hpt
cuda = ctypes.CDLL("libcuda.so.1")
def function(name, *types):
    found, status = ctypes.c_void_p(), ctypes.c_int()
    assert cuda.cuGetProcAddress_v2(name, ctypes.byref(found), 12000, ctypes.c_uint64(0), ctypes.byref(status)) == 0
    return ctypes.CFUNCTYPE(ctypes.c_int, *types)(found.value)
retain = function(b"cuDevicePrimaryCtxRetain", ctypes.POINTER(ctypes.c_void_p), ctypes.c_int)
push = function(b"cuCtxPushCurrent", ctypes.c_void_p)
pop = function(b"cuCtxPopCurrent", ctypes.POINTER(ctypes.c_void_p))
allocate = function(b"cuMemAlloc", ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t)
def memory(size, device):
    context, address = ctypes.c_void_p(), ctypes.c_void_p()
    assert retain(ctypes.byref(context), device) == 0 and push(context) == 0
    assert size == 0 or allocate(ctypes.byref(address), size) == 0
    assert pop(ctypes.byref(context)) == 0
    return torch.frombuffer((ctypes.c_uint8 * size).from_address(address.value), dtype=torch.uint8) if size else torch.empty(0, dtype=torch.uint8)
hpt._memory, hpt._stream = memory, lambda device: 0
"""


def test_tensors_of_torch_are_written_in_its_memory(on_device):
    framework("torch")
    on_device(
        TORCH
        + """
loader = hpt.Loader(ds, 4, seed=7, device="cuda:0", image=hotpack.Image("bfloat16", "NCHW"))
held = []
for epoch in range(2):
    for a, b in zip(loader, hpt.Loader(ds, 4, seed=7, image=hotpack.Image("bfloat16", "NCHW"), resume=loader.state_dict()), strict=True):
        assert isinstance(a, hpt.Batch) and a.image.dtype == torch.bfloat16 and torch.equal(a.image, b.image) and torch.equal(a.label, b.label)
        assert a.label.dtype == torch.int64 and a.indices.tolist() == b.indices.tolist() and (a.epoch, a.step) == (epoch, b.step)
        held.append((a.image, b.image.clone()))
assert all(torch.equal(a, b) for a, b in held)  # nothing was overwritten
a.release()
assert "released" in raised(hotpack.UsageError, lambda: a.image)
assert hpt.Loader(ds, 4, device="cpu").device is None
"""
    )


def test_a_released_batch_of_torch_holds_no_memory(on_device):
    framework("torch")
    on_device(
        TORCH
        + """
import weakref
batch = next(iter(hpt.Loader(ds, 4, device="cuda:0")))
seen = weakref.ref(batch.image)
core = batch._core
batch.release()
if seen() is not None or "released" not in raised(hotpack.UsageError, core.image) or "released" not in raised(hotpack.UsageError, core.label):
    raise SystemExit("the tensors are held")
assert batch.batch_size == 4 and repr(batch) == "<hotpack.torch.Batch released>"
"""
    )


def test_unlabelled_batches_of_torch_have_images_alone(on_device):
    framework("torch")
    on_device(TORCH + "x, y = next(iter(hpt.Loader(ds, 1, device=0)))\nassert y is None and x.shape[1] == 3\n", golden_pack("unlabelled"))


@pytest.mark.gpu
def test_torch_on_a_real_device():
    torch = framework("torch")
    import hotpack.torch as hpt

    data = hotpack.open(*[golden_pack("bits")] * 8)
    for a, b in zip(hpt.Loader(data, 4, seed=7, device="cuda"), hpt.Loader(data, 4, seed=7), strict=True):
        assert a.image.is_cuda and torch.equal(a.image.cpu(), b.image) and torch.equal(a.label.cpu(), b.label)


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["cupy", "jax", "torch"])
def test_frameworks_take_the_arrays_of_a_real_device(name):
    pytest.importorskip(name)
    import numpy as np

    take = {"cupy": lambda x: __import__("cupy").from_dlpack(x).get(), "torch": lambda x: __import__("torch").from_dlpack(x).cpu().numpy(), "jax": lambda x: np.asarray(__import__("jax").dlpack.from_dlpack(x))}[name]
    data = hotpack.open(*[golden_pack("bits")] * 8)
    for a, b in zip(hotpack.DeviceLoader(data, 4, seed=7), hotpack.Loader(data, 4, seed=7), strict=True):
        assert np.array_equal(take(a.image), b.image) and np.array_equal(take(a.label), b.label)
