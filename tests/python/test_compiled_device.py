"""Device loaders on a driver without a device, which the build of the tests makes; on a real device, those marked gpu.

FAKE_CUDA names the folder of that driver's libcuda.so.1; by default that of the release build. Its device memory can be read as that of the host."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, framework, golden_pack

import hotpack

FAKE_CUDA = Path(os.environ.get("FAKE_CUDA", ROOT / "build" / "release" / "fake_cuda"))
ENVIRONMENT = {"LD_LIBRARY_PATH": str(FAKE_CUDA), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

# Begins every program: arrays of device memory as those of NumPy.
PRELUDE = """
import ctypes, itertools, pickle, sys, weakref, numpy as np, hotpack
from ctypes import byref, c_int, c_size_t, c_uint64, c_void_p
def host(array):
    kind = "uint16" if array.dtype == "bfloat16" else array.dtype
    return np.frombuffer(ctypes.string_at(array.pointer, array.nbytes), kind).reshape(array.shape)
def raised(kind, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")
one = hotpack.open(sys.argv[1])
ds = hotpack.open(*[sys.argv[1]] * 8)
Loader = hotpack.DeviceLoader
"""

# Tensors of torch need a torch with CUDA; here their memory comes from the driver.
TORCH = """
import torch, hotpack.torch
def call(name, *arguments):
    found = c_void_p()
    assert ctypes.CDLL("libcuda.so.1").cuGetProcAddress_v2(name, byref(found), 12000, c_uint64(0), None) == 0
    assert ctypes.CFUNCTYPE(c_int, *map(type, arguments))(found.value)(*arguments) == 0
def memory(size, device):
    context, address = c_void_p(), c_void_p()
    call(b"cuDevicePrimaryCtxRetain", ctypes.pointer(context), c_int(device))
    call(b"cuCtxPushCurrent", context)
    call(b"cuMemAlloc", ctypes.pointer(address), c_size_t(size or 1))
    call(b"cuCtxPopCurrent", ctypes.pointer(context))
    return torch.frombuffer((ctypes.c_uint8 * (size or 1)).from_address(address.value), dtype=torch.uint8)[:size]
def host(tensor):
    return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy()
Loader, hotpack.torch._memory, hotpack.torch._stream, torch.cuda.current_device = hotpack.torch.Loader, memory, lambda device: 0, lambda: 0
"""


@pytest.fixture(scope="module")
def driver():
    if not (FAKE_CUDA / "libcuda.so.1").exists():
        pytest.skip(f"{FAKE_CUDA} has no libcuda.so.1: build with scripts/build release")
    said = subprocess.run([sys.executable, "-c", PRELUDE + "Loader(ds, 1)", golden_pack("bits")], capture_output=True, text=True, env=os.environ | ENVIRONMENT)
    if "without kernels" in said.stderr:
        pytest.skip("hotpack was built without kernels")
    assert said.returncode == 0, said.stderr


def runs(program, kinds=("hotpack",), packs=("bits",), code=0, **fake):
    """A test that runs a program with each kind of loader on each pack."""

    @pytest.mark.parametrize("pack", packs)
    @pytest.mark.parametrize("kind", kinds)
    def test(driver, run, kind, pack):
        if kind == "torch":
            framework("torch")
        variables = ENVIRONMENT | {f"HOTPACK_FAKE_{name}": str(value) for name, value in fake.items()}
        run(PRELUDE + (TORCH if kind == "torch" else "") + program, golden_pack(pack), code=code, environment=variables)

    return test


BOTH = ("hotpack", "torch")
SMALL = {"DEVICE_BYTES": 8 << 20, "FENCES": 1}  # room for some batches only; memory that is used after its end faults

test_batches_equal_those_of_the_host = runs("""
images = hotpack.Image(), hotpack.Image("float32", "NCHW", [0.4] * 3, [0.2] * 3), hotpack.Image("bfloat16"), hotpack.Image("float16", "NCHW")
labels = hotpack.Ids("int64"), hotpack.OneHot("float32", "NCHW"), hotpack.Bits(), hotpack.Ids()
for (image, label), residency in itertools.product(zip(images, labels), ("page", "device", "auto")):
    options = dict(batch_size=5, seed=7, last_batch="keep", image=image, label=label, augment=hotpack.Augment(horizontal_flip=0.5))
    loader, held = Loader(ds, device=0, residency=residency, **options), []
    for epoch in range(2):
        for a, b in zip(loader, hotpack.Loader(ds, resume=loader.state_dict(), **options), strict=True):
            wanted = b.image.view("uint16") if b.image.dtype == "bfloat16" else b.image
            assert np.array_equal(host(a.image).view(wanted.dtype), wanted) and np.array_equal(host(a.label), b.label)
            assert (a.epoch, a.step, a.batch_size, a.num_valid, a.keys) == (epoch, b.step, b.batch_size, b.num_valid, b.keys)
            assert np.array_equal(a.indices, b.indices) and np.array_equal(a.crops, b.crops)
            held.append((a.image, host(a.image).copy()))
    assert a.batch_size == 4 and all(np.array_equal(host(array), first) for array, first in held)  # nothing was overwritten
    (chosen, size, why), stats = loader.residency, loader.stats()
    place = {"page": "the page cache", "device": "device memory"}[chosen]
    assert chosen == {"auto": "device"}.get(residency, residency) and size > 0 and why and f"records in {place}" in repr(loader)
    assert stats["batches"] == 10 and (stats["load_seconds"] > 0) == (chosen == "device")
    assert min(stats[name] for name in ("copied_bytes", "pinned_bytes", "device_bytes")) > 0
""", BOTH)

test_every_kind_of_pack_loads = runs("""
label = hotpack.OneHot() if one._core.label and one._core.label[2] else None
options = dict(batch_size=1 if one.image_shape is None else 2, image=hotpack.Image(), label=label)
for a, b in zip(Loader(one, device=0, **options), hotpack.Loader(one, **options), strict=True):
    assert np.array_equal(host(a.image), b.image)
    assert b.label is None and a.label is None or np.array_equal(host(a.label), b.label)
""", BOTH, ["unlabelled", "class_folders", "several_classes", "mixed_sizes_zstd", "chw", "zstd"])

test_loaders_of_several_devices_are_the_ranks_of_one = runs("""
options = dict(seed=7, image=hotpack.Image("float16", "NCHW"), label=hotpack.OneHot("float16", "NCHW"), augment=hotpack.Augment(horizontal_flip=0.5))
loaders = [Loader(ds, 2, rank=d, world_size=4, device=f"cuda:{d}", **options) for d in range(4)]
ranks = [hotpack.Loader(ds, 2, rank=d, world_size=4, **options) for d in range(4)]
for epoch in range(2):
    for parts, alone, whole in zip(zip(*loaders, strict=True), zip(*ranks, strict=True), hotpack.Loader(ds, 8, epoch=epoch, **options), strict=True):
        for part, rank in zip(parts, alone, strict=True):
            assert part.keys == rank.keys and np.array_equal(host(part.image), rank.image) and np.array_equal(host(part.label), rank.label)
            assert (part.epoch, part.step) == (epoch, whole.step)
        assert np.array_equal(np.concatenate([host(part.image) for part in parts]), whole.image)
assert len({str(loader.state_dict()) for loader in loaders}) == 1 and [loader.device for loader in loaders] == [0, 1, 2, 3]
""", BOTH, DEVICES=4)

test_states_are_those_of_a_loader = runs("""
loader, host = hotpack.DeviceLoader(ds, 4, seed=7), hotpack.Loader(ds, 4, seed=7)
iterator = iter(loader)
first, state, second = next(iterator), loader.state_dict(), next(iterator)
for other in (loader, host):
    other.load_state_dict(state)
    again = next(iter(other))
    assert (again.epoch, again.step) == (0, 1) and again.indices.tolist() == second.indices.tolist()
assert "another loop" in raised(hotpack.UsageError, next, iterator)
assert next(iter(loader)).epoch == 1
""")

test_capsules_of_both_forms = runs("""
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = c_void_p, [ctypes.py_object, ctypes.c_char_p]
class Taken:  # memory of a device as that of the host
    def __init__(self, array, version, name, place):
        self.array, self.version, self.name, self.place = array, version, name, place
    def __dlpack_device__(self):
        return 1, 0
    def __dlpack__(self, **_):
        capsule = self.array.__dlpack__(max_version=self.version)
        device = (ctypes.c_int32 * 2).from_address(get_pointer(capsule, self.name) + self.place)
        assert self.array.__dlpack_device__() == tuple(device) == (2, 0)
        device[0] = 1
        return capsule
options = dict(batch_size=1, image=hotpack.Image("float16", "NCHW"), pad_to=(256, 512))
for batch, wanted in zip(hotpack.DeviceLoader(ds, **options), hotpack.Loader(ds, **options), strict=True):
    version, *form = [(None, b"dltensor", 8), ((0, 8), b"dltensor", 8), ((1, 0), b"dltensor_versioned", 40)][batch.step % 3]
    unused = batch.image.__dlpack__(max_version=version)  # ends with its capsule
    image, label = (np.from_dlpack(Taken(array, version, *form)) for array in batch)
    del batch, unused
    assert np.array_equal(image, wanted.image) and np.array_equal(label, wanted.label)
""", **SMALL)

test_streams_and_devices_of_the_protocol = runs("""
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
""")

test_memory_of_batches_is_freed_with_their_arrays = runs("""
loader = hotpack.DeviceLoader(ds, 1, image=hotpack.Image("float32"), pad_to=(256, 256))
iterator, held = iter(loader), []
def hold():
    while True:
        held.append(next(iterator))
assert "memory" in raised(hotpack.IoError, hold).lower() and 3 < len(held) < 12
array, wanted = held[0].image, host(held[0].image)
held[0].release()
raised(hotpack.IoError, hold)  # the array shares the memory
assert np.array_equal(host(array), wanted) and "released" in raised(hotpack.UsageError, lambda: held[0].indices)
del array
assert next(iterator).step == len(held)  # no batch was lost
held.clear()
assert [batch.step for _ in range(4) for batch in loader] == list(range(24)) * 4
for order in itertools.permutations(range(3)):
    loader = hotpack.DeviceLoader(ds, 4)
    batch = next(iter(loader))
    things, wanted = [loader, batch, batch.image], host(batch.image)
    del loader, batch
    for number in order:
        assert things[2] is None or np.array_equal(host(things[2]), wanted)
        things[number] = None
""", **SMALL)

test_a_released_batch_of_torch_holds_no_memory = runs("""
batch = next(iter(Loader(ds, 4, device="cuda:0")))
assert isinstance(batch, hotpack.torch.Batch) and (batch.image.dtype, batch.label.dtype) == (torch.float32, torch.int64)
seen, core = weakref.ref(batch.image), batch._core
batch.release()
assert seen() is None and all("released" in raised(hotpack.UsageError, field) for field in (core.image, core.label))
assert batch.batch_size == 4 and repr(batch) == "<hotpack.torch.Batch released>" and Loader(ds, 4, device="cpu").device is None
""", ["torch"])

test_a_device_has_several_names = runs("""
for name in (1, "cuda:1", np.int64(1), "gpu:1", type("Jax", (), {"platform": "gpu", "id": 9, "local_hardware_id": 1})()):
    loader = hotpack.DeviceLoader(ds, 2, device=name)
    assert loader.device == 1 and next(iter(loader)).image.__dlpack_device__() == (2, 1)
""", DEVICES=2)

test_mistakes_are_told = runs("""
def refused(**options):
    return raised(hotpack.UsageError, hotpack.DeviceLoader, ds, 2, **options)
assert "'abc' is no CUDA device" in refused(device="abc")
for platform in ("cpu", "tpu", "rocm"):
    other = type("Jax", (), {"platform": platform, "id": 0, "local_hardware_id": 0, "__repr__": lambda self: "Other"})()
    assert "Other is no CUDA device" in refused(device=other)
assert "no CUDA device" in refused(device=type("Row", (), {"id": 0})())
assert "-1 is no" in refused(device=-1) and "1" in refused(device=1)
assert "must be 'page', 'device' or 'auto'" in refused(residency="disk")
assert "budget" in refused(residency="device", device_budget_bytes=10) and "budget" in refused(memory_budget_bytes=10)
assert "open one loader per device" in refused(devices=[0, 1]) and "memory of its own" in refused(outputs=8)
assert "hotpack.DeviceLoader" in raised(hotpack.UsageError, hotpack.Loader, ds, 2, device=0)
assert "host memory" in raised(hotpack.UsageError, hotpack.DeviceLoader(ds, 2).next_into)
""")


def test_what_needs_host_memory_refuses_device_loaders(driver, run):
    for name in ("keras", "tensorflow", "torch"):
        framework(name)
    program = """
import hotpack.tf, hotpack.keras, hotpack.torch
loader = Loader(ds, 4)
for call, wanted in (
    (hotpack.tf.batches, "hotpack.tf.batches takes a loader in host memory; use hotpack.Loader"),
    (hotpack.tf.dataset, "hotpack.tf.dataset takes a loader in host memory; use hotpack.Loader"),
    (hotpack.keras.PyDataset, "hotpack.keras.PyDataset takes a loader in host memory; use hotpack.Loader"),
    (lambda one: hotpack.torch.Batches(one, 4), "data is a loader; give its data set or the folder"),
):
    assert raised(hotpack.UsageError, call, loader) == wanted
"""
    run(PRELUDE + program, golden_pack("bits"), warns=True, environment=ENVIRONMENT | {"KERAS_BACKEND": "tensorflow"})


def test_no_driver_is_told():
    if "LD_LIBRARY_PATH" in os.environ or Path("/dev/nvidia0").exists():
        pytest.skip("there may be a driver")
    with pytest.raises(hotpack.UsageError, match="no CUDA driver|no device|too old"):
        hotpack.DeviceLoader(golden_pack("bits"), 1)

test_opening_tells_its_progress_and_passes_on_what_it_raises = runs("""
told = []
hotpack.DeviceLoader(ds, 4, residency="device", progress=told.append)
last = told[-1]
assert isinstance(last, hotpack.Progress) and last.stage == "load" and last.samples_done == last.samples_total == 24
class Enough(Exception): pass
def stop(_): raise Enough
raised(Enough, hotpack.DeviceLoader, ds, 4, residency="device", progress=stop)
hotpack.DeviceLoader(ds, 4, residency="page", progress=stop)  # loads nothing
""")

test_cancel_and_close = runs("""
loader = hotpack.DeviceLoader(ds, 4)
loader.cancel()
raised(hotpack.CancelledError, next, iter(loader))
loader.seek(0, 2)
batch = next(iter(loader))
loader.close()
loader.close()
assert "closed" in raised(hotpack.UsageError, iter, loader) and batch.step == 2 and host(batch.image).shape == (4, 10, 12, 3)
assert "cannot be pickled" in raised(TypeError, pickle.dumps, loader)
""")

test_a_loop_may_be_left_by_exit = runs("for batch in Loader(ds, 1, device=0): sys.exit(3)", BOTH, code=3)


def test_an_interrupt_ends_the_opening(driver):
    program = PRELUDE + "Loader(ds, 4, residency='device', progress=lambda at: (print('told', flush=True), __import__('time').sleep(20)))"
    process = subprocess.Popen([sys.executable, "-c", program, golden_pack("bits")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | ENVIRONMENT)
    assert process.stdout.readline() == "told\n"
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    stderr = process.communicate(timeout=10)[1]
    assert "KeyboardInterrupt" in stderr and process.returncode != 0 and time.monotonic() - begin < 5


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["cupy", "jax", "torch", "hotpack.torch"])
def test_frameworks_take_the_arrays_of_a_real_device(name):
    module = pytest.importorskip(name)
    take = {"cupy": lambda x: module.from_dlpack(x).get(), "jax": lambda x: module.dlpack.from_dlpack(x), "torch": lambda x: module.from_dlpack(x).cpu()}.get(name, lambda x: x.cpu())
    loader, options = getattr(module, "Loader", hotpack.DeviceLoader), {"seed": 7, "image": hotpack.Image(), "label": hotpack.Ids()}
    data = hotpack.open(*[golden_pack("bits")] * 8)
    for a, b in zip(loader(data, 4, device="cuda:0", **options), hotpack.Loader(data, 4, **options), strict=True):
        assert np.array_equal(np.asarray(take(a.image)), b.image) and np.array_equal(np.asarray(take(a.label)), b.label)
