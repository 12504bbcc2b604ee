"""Cells in the memory of a GPU, which pass from the process of a universe to this one without the host."""

from __future__ import annotations

import ctypes
import math
import os
import weakref
from contextlib import contextmanager
from ctypes import byref, c_char, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint64, c_void_p, py_object
from functools import lru_cache
from typing import Any, Iterator, Optional

from ._errors import GosperError

_CUDA = 2  # kDLCUDA
_BLOCK = 2 << 20  # bytes: smaller allocations share a block, of which another process would see the rest


class _Handle(ctypes.Structure):
    _fields_ = [("bytes", c_char * 64)]


class _Tensor(ctypes.Structure):
    """DLManagedTensor, which begins with a DLTensor."""

    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", c_void_p),
        ("strides", c_void_p),
        ("byte_offset", c_uint64),
        ("manager_ctx", c_void_p),
        ("deleter", c_void_p),
    ]


class _Gpu:
    """A GPU, by the bus id that the process of a universe knows it by."""

    def __init__(self, bus_id: str, library: str) -> None:
        try:
            self._cuda = ctypes.CDLL(library)
        except OSError:
            raise GosperError(f"no CUDA driver found: {library} cannot be loaded") from None
        self._owner = os.getpid()
        device, self._context = c_int(), c_void_p()
        self.call("cuInit", 0)
        try:
            self.call("cuDeviceGetByPCIBusId", byref(device), bus_id.encode())
        except GosperError as error:
            raise GosperError(f"this process does not see GPU {bus_id}, which has the cells: {error}") from None
        self.call("cuDevicePrimaryCtxRetain", byref(self._context), device)  # until the process ends
        self.number = device.value

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function of the driver."""
        code = int(getattr(self._cuda, name)(*arguments))
        if code:
            text = c_char_p()
            self._cuda.cuGetErrorName(code, byref(text))
            raise GosperError(f"{name}: {text.value.decode() if text.value else f'error {code}'}")

    @contextmanager
    def _current(self) -> Iterator[None]:
        self.call("cuCtxPushCurrent_v2", self._context)
        try:
            yield
        finally:
            self.call("cuCtxPopCurrent_v2", byref(c_void_p()))

    def allocate(self, size: int) -> tuple[int, bytes]:
        """The address of memory of the given size, and the handle by which another process finds them."""
        address, handle = c_uint64(), _Handle()
        with self._current():
            try:
                self.call("cuMemAlloc_v2", byref(address), c_size_t(-(-size // _BLOCK) * _BLOCK))
            except GosperError as error:
                raise GosperError(f"{size:,} bytes for cells on GPU {self.number}: {error}") from None
            try:
                self.call("cuIpcGetMemHandle", byref(handle), address)
            except BaseException:
                self.call("cuMemFree_v2", address)
                raise
        return address.value, ctypes.string_at(byref(handle), 64)

    def free(self, address: int) -> None:
        """Frees memory. The driver belongs to the process that has loaded it, and not to a fork of it."""
        if os.getpid() == self._owner:
            with self._current():
                self.call("cuMemFree_v2", c_uint64(address))


@lru_cache(maxsize=None)
def gpu(bus_id: str, process: int) -> _Gpu:
    """The GPU with a bus id, for a process."""
    return _Gpu(bus_id, os.environ.get("GOSPER_LIBCUDA") or ("nvcuda.dll" if os.name == "nt" else "libcuda.so.1"))


class DeviceCells:
    """Cells in the memory of a GPU, as they were when ``device_cells`` was called: a byte for each cell.

    ``torch.from_dlpack(cells)``, ``jax.dlpack.from_dlpack(cells)`` and ``cupy.from_dlpack(cells)`` use the memory without a copy. It is freed when
    the last of them, and this object, are gone. It does not depend on the universe, which can be closed.

    Parameters
    ----------
    bus_id : str
        PCI bus id of the GPU.
    shape : tuple of int
        Rows and columns; before them layers, or universes.
    """

    def __init__(self, bus_id: str, shape: tuple[int, ...]) -> None:
        self._gpu = gpu(bus_id, os.getpid())
        self._shape = shape
        self._address, self._handle = self._gpu.allocate(math.prod(shape))
        self._finalizer = weakref.finalize(self, self._gpu.free, self._address)
        self._finalizer.atexit = False  # others may use the memory to the end, which frees it

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns; before them layers, or universes."""
        return self._shape

    def __repr__(self) -> str:
        return f"<cells of shape {self._shape} on GPU {self._gpu.number}>"

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, self._gpu.number

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: Optional[tuple[int, int]] = None,
        dl_device: Optional[tuple[int, int]] = None,
        copy: Optional[bool] = None,
    ) -> Any:
        """A capsule with the cells. They are there already, so that no stream has to wait."""
        if copy or dl_device is not None and tuple(map(int, dl_device)) != self.__dlpack_device__():
            raise BufferError("the cells are given as they are, without a copy and on their GPU")
        n = len(self._shape)
        sides = (c_int64 * n)(*self._shape)
        strides = (c_int64 * n)(*(math.prod(self._shape[i + 1 :]) for i in range(n)))
        tensor = _Tensor(
            self._address, *self.__dlpack_device__(), n, 1, 8, 1, ctypes.addressof(sides), ctypes.addressof(strides), 0, None,
            ctypes.cast(_deleter, c_void_p),
        )  # fmt: skip
        _given[ctypes.addressof(tensor)] = tensor, sides, strides, self
        return _new(ctypes.addressof(tensor), _NAME, _destructor)

    def _keep(self) -> None:
        """Never frees the memory, because another process may still write to it."""
        self._finalizer.detach()


_NAME = b"dltensor"
_given: dict[int, Any] = {}  # by address: what a tensor consists of, until its consumer deletes it


# The functions below may be called when Python ends. Then the names of this module are gone, so they have their own.


def _delete(tensor: int, given: dict[int, Any] = _given) -> None:
    given.pop(tensor, None)


_Destructor = ctypes.CFUNCTYPE(None, c_void_p)
_new = ctypes.PYFUNCTYPE(py_object, c_void_p, c_char_p, _Destructor)(("PyCapsule_New", ctypes.pythonapi))
_is = ctypes.PYFUNCTYPE(c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


def _drop(
    capsule: int, given: dict[int, Any] = _given, valid: Any = _is, pointer: Any = _pointer, name: bytes = _NAME
) -> None:
    if valid(capsule, name):  # otherwise a consumer has taken the tensor, and deletes it
        given.pop(pointer(capsule, name), None)


_deleter, _destructor = _Destructor(_delete), _Destructor(_drop)
for _function in _deleter, _destructor:  # they are never freed: a consumer may call them after this module is gone
    ctypes.pythonapi.Py_IncRef(py_object(_function))
