"""The common part of one universe and many: a process that steps them, and their cells as arrays."""

from __future__ import annotations

import weakref
from types import TracebackType
from typing import Any, Callable, Optional, TypeVar

import numpy as np
import numpy.typing as npt

from . import _values
from ._device import DeviceCells
from ._errors import InputError
from ._process import Interrupted, Process, SharedCells

_B = TypeVar("_B", bound="Base")

SMALL = 1 << 20  # cells of universes that share a process


def brings_rules(rule: Any) -> bool:
    """Whether a rule is a file, which may bring other rules with it. A process knows one rule of a name, so it gets one of its own."""
    return str(rule).lower().endswith((".rule", ".table", ".tree"))


class Base:
    """One universe or many."""

    _process: Process
    _info: dict[str, Any]
    _generation: int
    _given: dict[str, Any]  # parameters that a copy is opened with

    def _open(self, together: bool, **params: Any) -> None:
        self._process = Process(together)
        self._finalizer = weakref.finalize(self, self._process.close)
        try:
            self._info = self._process.call("open", **params)
        except BaseException:
            self._finalizer()
            raise
        self._generation = int(self._info["generation"])

    # Properties.

    @property
    def rule(self) -> str:
        """The rule in its usual notation."""
        return str(self._info["rule"])

    @property
    def states(self) -> int:
        """Number of states of a cell."""
        return int(self._info["states"])

    @property
    def topology(self) -> str:
        """Size of a universe and what lies beyond its edges, in words."""
        return str(self._info["topology"])

    @property
    def engine(self) -> str:
        """Name of the engine that computes."""
        return str(self._info["engine"])

    @property
    def device(self) -> str:
        """The hardware that computes, in words."""
        return str(self._info["device"])

    @property
    def plan(self) -> str:
        """The way in which the engine computes, in words."""
        return str(self._info["plan"])

    @property
    def generation(self) -> int:
        """Number of the generation."""
        return self._generation

    # Cells.

    def __getitem__(self, window: Any) -> Any:
        raise NotImplementedError

    def __setitem__(self, window: Any, states: npt.ArrayLike) -> None:
        raise NotImplementedError

    @property
    def cells(self) -> npt.NDArray[np.uint8]:
        """The states of all cells, in the order of ``shape``; of the ``extent`` if the universe has no bounds. The array is a copy: assign to
        ``u.cells`` or to a part of the universe (``u[:] = …``) to change cells."""
        whole: npt.NDArray[np.uint8] = self[:]
        return whole

    @cells.setter
    def cells(self, states: npt.ArrayLike) -> None:
        self[:] = states

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> npt.NDArray[Any]:
        """``numpy.asarray(u)`` is ``u.cells``: a copy. Changes to it change no cell."""
        if copy is False:
            raise InputError("copy False: the cells of a universe are in another process, so an array of them is a copy")
        return self.cells if dtype is None else self.cells.astype(dtype)

    def __dlpack__(self, **given: Any) -> Any:
        """For ``torch.from_dlpack(u)``, ``jax.dlpack.from_dlpack(u)`` and others: the cells in the memory of the host, through numpy.
        ``u.device_cells()`` has them on the GPU."""
        return self.cells.__dlpack__(**given)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # kDLCPU

    def _filled(self, method: str, *shape: int, **params: Any) -> npt.NDArray[np.uint8]:
        """An array of bytes that the process fills, in memory that the two processes share."""
        if 0 in shape:
            return np.zeros(shape, np.uint8)
        with SharedCells(*shape) as shared:
            self._process.call(method, file=shared.path, **params)
        return shared.cells

    def _on_device(self, *shape: int, **params: Any) -> DeviceCells:
        """Cells that the process stores in memory of its GPU."""
        gpus = self._info["gpus"] or []
        if len(gpus) != 1:
            where = f"on {len(gpus)} GPUs" if gpus else f"not on a GPU, but on the engine {self.engine}"
            raise InputError(f'the cells are {where}: engine="cuda" or "cuda:1" has them on one GPU')
        if 0 in shape:
            raise InputError(f"cells of shape {shape}: the memory of a GPU holds at least one")
        cells = DeviceCells(gpus[0], shape)
        try:
            self._process.call("read", handle=cells._handle.hex(), **params)
        except KeyboardInterrupt as pressed:
            if not isinstance(pressed, Interrupted):  # there was no answer
                cells._keep()
            raise KeyboardInterrupt from None
        return cells

    # Methods.

    def device_cells(self) -> DeviceCells:
        """The cells in the memory of the GPU that computes, for PyTorch, JAX and CuPy: see ``DeviceCells``. They never pass through the host.

        >>> tensor = torch.from_dlpack(u.device_cells())  # doctest: +SKIP

        Later steps do not change them. The universe has the engine ``"cuda"`` on one GPU.
        """
        raise NotImplementedError

    def _advance(self, generations: Any, notify: Optional[Callable[[int], None]] = None, **params: Any) -> dict[str, Any]:
        try:
            done = self._process.call("step", notify, generations=_values.whole("generations", generations), **params)
        except Interrupted as pressed:
            if pressed.result is not None:
                self._generation = int(pressed.result["generation"])
            raise KeyboardInterrupt from None
        self._generation = int(done["generation"])
        return done

    def __reduce__(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def copy(self: _B) -> _B:
        """A copy with the same rule, cells, seeds, generation, engine and threads. It goes on as the original does."""
        restore, parts = self.__reduce__()
        made: _B = restore(*parts)
        return made

    def __copy__(self: _B) -> _B:
        return self.copy()

    def __deepcopy__(self: _B, memo: Any) -> _B:
        return self.copy()

    def close(self) -> None:
        """Frees the memory of the cells. This also happens when nothing refers to the object any more."""
        self._finalizer()

    def __enter__(self: _B) -> _B:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()
