"""Cells on the stand-in of a GPU, taken as a consumer of DLPack takes them."""

import ctypes
import gc
import os
import sys

import numpy as np

import gosper
from gosper import _device

MEMORY = os.environ["GOSPER_TEST_MEMORY"]
api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
api.PyCapsule_SetName.argtypes = ctypes.py_object, ctypes.c_char_p
USED = b"used_dltensor"


class Taken:
    """A tensor of a consumer."""

    def __init__(self, cells):
        assert cells.__dlpack_device__() == (2, 5), cells.__dlpack_device__()
        capsule = cells.__dlpack__(stream=1, max_version=(1, 0))
        at = api.PyCapsule_GetPointer(capsule, b"dltensor")
        assert api.PyCapsule_SetName(capsule, USED) == 0
        self.tensor = _device._Tensor.from_address(at)
        t = self.tensor
        assert (t.device_type, t.device_id, t.code, t.bits, t.lanes, t.byte_offset) == (2, 5, 1, 8, 1, 0)
        numbers = ctypes.POINTER(ctypes.c_int64)
        shape = tuple(ctypes.cast(t.shape, numbers)[: t.ndim])
        bytes_ = (ctypes.c_uint8 * int(np.prod(shape))).from_address(t.data)
        flat = np.frombuffer(bytes_, np.uint8)
        self.cells = np.lib.stride_tricks.as_strided(flat, shape, tuple(ctypes.cast(t.strides, numbers)[: t.ndim]))

    def delete(self):
        self.cells = None
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.tensor.deleter)(ctypes.addressof(self.tensor))


def held():
    gc.collect()
    return len(os.listdir(MEMORY))


def fails(call, kind, *words):
    try:
        call()
    except kind as error:
        assert all(word in str(error) for word in words) and "\n" not in str(error), error
        return
    raise AssertionError(f"no error: {words}")


UNIVERSES = [
    ("B3/S23", (37, 101)),
    ("345/2/4", (20, 33)),
    ("3D4,5/5", (5, 6, 40)),
    ("B3/S23", None),
    ("B02/S", None),
    ("Ising~T=2.3", (10, 64)),
]
for rule, shape in UNIVERSES:
    with gosper.Universe(rule, shape, engine="cuda") as u:
        u.fill(0.4, 3, shape or (9, 45))
        seen = []
        for _ in range(3):
            device = u.device_cells()
            assert device.shape == u.cells.shape
            taken = Taken(device)
            assert np.array_equal(taken.cells, u.cells), (rule, taken.cells, u.cells)
            seen.append((taken, u.cells))
            u.step(1)
        assert seen[0][1].any()
        del device
        assert held() == 3  # the tensors hold the memory
    for taken, cells in seen:  # it outlives steps and the universe
        assert np.array_equal(taken.cells, cells)
        taken.delete()
    assert held() == 0, rule

with gosper.Universes("B3/S23", (9, 50), n=7, seeds=1, density=0.4, engine="cuda") as u:
    u.step(2)
    device = u.device_cells()
    one, two = Taken(device), Taken(device)
    assert device.shape == (7, 9, 50) and np.array_equal(one.cells, u.cells) and u.cells.any()
    del device
    one.delete()
    assert held() == 1 and np.array_equal(two.cells, u.cells)
    two.delete()
    assert held() == 0
    device = u.device_cells()
    capsule = device.__dlpack__()
    del device
    assert held() == 1
    del capsule  # nobody has taken the tensor
    assert held() == 0
    device = u.device_cells()
    assert device.__dlpack__(dl_device=(2, 5), copy=False)
    fails(lambda: device.__dlpack__(dl_device=(1, 0)), BufferError, "without a copy")
    fails(lambda: device.__dlpack__(copy=True), BufferError, "without a copy")
    del device

with gosper.Universe("B3/S23", (8, 8), engine="cpu") as u:
    fails(u.device_cells, gosper.InputError, "not on a GPU, but on the engine cpu")
with gosper.Universes("B3/S23", (8, 8), n=2, engine="cpu") as u:
    fails(u.device_cells, gosper.InputError, "not on a GPU, but on the engine cpu")
with gosper.Universe("B3/S23", engine="cuda") as u:
    fails(u.device_cells, gosper.InputError, "(0, 0)")
with gosper.Universe("B3/S23", (20, 64), engine="cuda:0,1") as u:
    fails(u.device_cells, gosper.InputError, "on 2 GPUs")
with gosper.Universe("B3/S23", (5000, 5000), engine="cuda") as u:
    fails(u.device_cells, gosper.GosperError, "25,000,000 bytes for cells on GPU 5: cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY")
with gosper.Universe("B3/S23", (8, 8), engine="cuda") as u:
    fails(lambda: u._process.call("read", width=8, height=8, handle=bytes(64).hex()), gosper.GosperError, "another process")
    u._info["gpus"] = ["0000:02:00.0"]
    fails(u.device_cells, gosper.GosperError, "does not see GPU 0000:02:00.0", "CUDA_ERROR_INVALID_DEVICE")
    os.environ["GOSPER_LIBCUDA"] = "libthere-is-none.so"
    _device.gpu.cache_clear()
    fails(u.device_cells, gosper.GosperError, "no CUDA driver found: libthere-is-none.so cannot be loaded")
assert held() == 0


class Last(Taken):
    """A tensor of a consumer that lets it go when Python ends."""

    def __del__(self, take=ctypes.CFUNCTYPE(None, ctypes.c_void_p), at=ctypes.addressof):
        self.cells = None
        take(self.tensor.deleter)(at(self.tensor))


_device.gpu.cache_clear()
os.environ["GOSPER_LIBCUDA"] = os.environ["GOSPER_TEST_LIBRARY"]
last_universe = gosper.Universe("B3/S23", (8, 8), engine="cuda")
last_cells = last_universe.device_cells()
last_tensor, last_capsule = Last(last_cells), last_cells.__dlpack__()
print("all as it should be", file=sys.stderr)
