"""Arrays in the memory of a CUDA device."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .batch import BatchOf
from .errors import UsageError

if TYPE_CHECKING:
    from .process import Listener

Device = int | str | Any  # also a torch.device or a jax.Device
_LoadListener = Callable[[int, int, int, int], None]


class DeviceArray:
    """A field of a batch in device memory. CuPy, JAX, PyTorch, TensorFlow and Numba take it by
    `__dlpack__` or `__cuda_array_interface__`, without a copy, and synchronize their streams by it:
    `torch.from_dlpack(array)`, `jax.dlpack.from_dlpack(array)`, `cupy.asarray(array)`.

    Memory: shares its batch. The memory is freed when batch, arrays and what was made of them are
    gone, after the work that was queued until then on the streams that `__dlpack__` got. With
    `__cuda_array_interface__`, keep the array until the work on non-blocking streams is done.
    """

    __slots__ = ("_core",)

    def __init__(self, core: Any) -> None:
        self._core = core

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents, that of the batch first, as `BatchOf` gives them."""
        shape: tuple[int, ...] = self._core.shape
        return shape

    @property
    def dtype(self) -> str:
        """The name of the type of elements, such as "float32" or "bfloat16"."""
        dtype: str = self._core.dtype
        return dtype

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, without what lies between this array and the next."""
        nbytes: int = self._core.nbytes
        return nbytes

    @property
    def pointer(self) -> int:
        """The address in device memory."""
        pointer: int = self._core.pointer
        return pointer

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        interface: dict[str, Any] = self._core.__cuda_array_interface__
        return interface

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A capsule, as Python's array API says; work that is queued on `stream` from now on waits
        until the array is written. Raises UsageError for stream 0, BufferError for another device
        and for copy=True."""
        return self._core.__dlpack__(
            stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        place: tuple[int, int] = self._core.__dlpack_device__()
        return place

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(
            "an array on a device cannot be pickled or copied here; copy it with the library that "
            "takes it, such as cupy.asarray(array).copy()"
        )

    def __repr__(self) -> str:
        device = self.__dlpack_device__()[1]
        return f"<hotpack.DeviceArray {self.dtype} {list(self.shape)} on device {device}>"


class DeviceBatch(BatchOf[DeviceArray]):
    """A batch whose images and labels are in device memory of its own; else as `BatchOf`, but it
    cannot be pickled or copied."""

    __slots__ = ()

    @staticmethod
    def _made(array: Any, view: Any) -> DeviceArray:
        return DeviceArray(array)


def is_host(device: Device | None) -> bool:
    """Returns true for None, "cpu", torch.device("cpu") and a jax.Device of the host."""
    name: str = getattr(device, "platform", str(device).lower().partition(":")[0])
    return device is None or name == "cpu"


def ordinal_of(device: Device) -> int:
    """The number of a device: of 1, "cuda:1", torch.device("cuda:1") or a jax.Device. Raises
    UsageError for what is no CUDA device.

    >>> ordinal_of("cuda:1"), ordinal_of("gpu"), ordinal_of(2)
    (1, 0, 2)
    """
    found: Any = device
    if hasattr(device, "platform"):
        found = _ordinal_of_jax(device)
    elif not hasattr(device, "__index__"):
        named = re.fullmatch(r"(?:cuda|gpu)(?::(\d+))?", str(device).lower())
        found = int(named[1] or 0) if named else None
    if isinstance(found, bool) or not hasattr(found, "__index__") or found.__index__() < 0:
        raise UsageError(
            f"{device!r} is no CUDA device; give its number, or \"cuda:0\"", option="device"
        )
    return int(found.__index__())


def _ordinal_of_jax(device: Any) -> Any:
    """CUDA's number of a jax.Device, whose `id` counts the devices of all processes; None if it is
    of another platform."""
    return device.local_hardware_id if device.platform in ("gpu", "cuda") else None


def load_listener(
    progress: Listener | bool | None,
) -> tuple[_LoadListener | None, Callable[[], object]]:
    """Whom to tell how much is loaded, and what to do at the end."""
    if not progress:
        return None, lambda: None
    from .process import Progress, listener_of

    listener, finish = listener_of(progress)
    begin = time.monotonic()

    def tell(records: int, all_records: int, size: int, all_bytes: int) -> None:
        seconds = time.monotonic() - begin
        rate = records / seconds if seconds else 0.0
        left = (all_records - records) / rate if rate else None
        assert listener is not None
        listener(Progress("load", records, all_records, size, size, 0, seconds, rate, left))

    return tell, finish
