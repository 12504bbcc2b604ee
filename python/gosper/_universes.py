"""Many small universes in one process."""

from __future__ import annotations

import os
import weakref
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _values
from ._errors import InputError
from ._process import Interrupted, Process, SharedCells
from ._universe import _states

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class UniversesClusters:
    """Connected clusters of the cells in state 1 of each universe, as arrays of one number for each.

    Attributes
    ----------
    count, cells, largest : numpy.ndarray
        Clusters, cells in them, and cells of the largest.
    second_moment : numpy.ndarray
        Sum of the squares of the clusters' cells.
    """

    count: Numbers
    cells: Numbers
    largest: Numbers
    second_moment: Numbers


class Universes:
    """Many small universes of one rule and one size, which advance together in one process. They share vectors, or a GPU.

    Universe i goes through the same states as ``Universe(rule, shape, density=…, seed=seeds[i])``.

    Parameters
    ----------
    rule : str
        As for ``Universe``; of two dimensions.
    shape : (int, int) or int, optional
        Rows and columns of each universe. Default: those of ``cells``, or of a suffix of the rule (``"B3/S23:T64,64"``).
    n : int, optional
        Number of universes. Default: the number of seeds, densities or cells.
    seeds : int or sequence of int, optional
        A seed for each universe, also of what its rule leaves to chance. One number s stands for s, s+1, …. Default: random ones, see
        ``Universes.seeds``.
    density : float or sequence of float, optional
        Share of live cells of the random soups, one for all or one for each. Without it the universes are empty.
    cells : array_like, optional
        States to start with, of shape (n, rows, columns), or (rows, columns) for all.
    start : str, optional
        First cells as ``gosper run --start`` reads them, made for each universe from its seed.
    topology : str, optional
        ``"torus"`` (the default), ``"plane"``, ``"klein"``, ``"cross"`` or ``"sphere"``.
    engine, threads
        As for ``Universe``; ``"cpu"`` and ``"cuda"`` have many universes.

    Examples
    --------
    >>> u = Universes("B3/S23", (64, 64), n=200, seeds=1, density=0.5)
    >>> u.step(100)
    >>> u.cells.shape, u.population.shape, u.clusters().largest.shape
    ((200, 64, 64), (200,), (200,))
    """

    def __init__(
        self,
        rule: str = "B3/S23",
        shape: Union[None, int, Sequence[int]] = None,
        n: Optional[int] = None,
        *,
        seeds: Union[None, int, Sequence[int], npt.NDArray[np.integer[Any]]] = None,
        density: Union[None, float, Sequence[float], npt.NDArray[np.floating[Any]]] = None,
        cells: Optional[npt.ArrayLike] = None,
        start: Optional[str] = None,
        topology: Optional[str] = None,
        engine: str = "auto",
        threads: Optional[int] = None,
    ) -> None:
        states = None if cells is None else _states(cells)
        if states is not None and (density is not None or start is not None):
            raise InputError("cells, density and start: cells alone, or the others are allowed")
        if states is not None and states.ndim not in (2, 3):
            raise InputError(f"cells of shape {states.shape}: universes, rows and columns are allowed, or rows and columns for all")
        listed = None if seeds is None else _list("seeds", seeds, lambda name, value: _values.whole(name, value))
        shares = None if density is None else _list("density", density, _values.real)
        lengths = [len(x) for x in (listed, shares) if isinstance(x, list)]
        if states is not None and states.ndim == 3:
            lengths.append(len(states))
        if n is not None:
            lengths.insert(0, _values.whole("n", n, 1, 1 << 31))
        if not lengths or lengths[0] < 1:
            raise InputError("no number of universes: n, or a seed, a density or cells for each, are needed")
        if len(set(lengths)) > 1:
            raise InputError(f"{' and '.join(str(length) for length in lengths)} universes: n, seeds, density and cells must agree")
        if shape is None and states is not None:
            shape = states.shape[-2:]
        suffix = ":" in _values.argument("rule", rule) or isinstance(topology, str) and any(c.isdigit() for c in topology)
        if shape is None and not suffix:
            raise InputError("no shape: many universes have rows and columns")
        params: dict[str, Any] = {"rule": rule, "topology": topology, "engine": engine, "threads": threads, "start": start}
        params["size"] = None if shape is None else _values.size(shape)
        self._n, self._rule = lengths[0], rule
        self._process = Process()
        self._finalizer = weakref.finalize(self, self._process.close)
        try:
            self._info = self._process.call("open", universes=self._n, **params)
            self._generation = 0
            if listed is None:
                listed = np.frombuffer(os.urandom(8 * self._n), np.uint64)
            elif not isinstance(listed, list):
                listed = [(listed + i) % (1 << 64) for i in range(self._n)]
            self.fill(shares if shares is not None else 0.5 if start is not None else 0.0, listed)
            if states is not None:
                self.cells = states
        except BaseException:
            self._finalizer()
            raise

    # Properties.

    def __len__(self) -> int:
        return self._n

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
        """Size of each universe and what lies beyond its edges, in words."""
        return str(self._info["topology"])

    @property
    def shape(self) -> tuple[int, int, int]:
        """Universes, rows and columns."""
        return self._n, int(self._info["height"]), int(self._info["width"])

    @property
    def engine(self) -> str:
        """Name of the engine that runs them."""
        return str(self._info["engine"])

    @property
    def device(self) -> str:
        """What the engine runs on, in words."""
        return str(self._info["device"])

    @property
    def plan(self) -> str:
        """How the engine runs them, in words."""
        return str(self._info["plan"])

    @property
    def seeds(self) -> npt.NDArray[np.uint64]:
        """The seed of each universe."""
        return self._seeds.copy()

    @property
    def generation(self) -> int:
        """Number of the generation of all universes."""
        return self._generation

    @property
    def population(self) -> Numbers:
        """Number of cells in another state than 0, of each universe."""
        return self._numbers("population")

    @property
    def counts(self) -> Numbers:
        """Number of cells in each state, of shape (n, states)."""
        cells = self.cells
        counts = [np.count_nonzero(cells == state, axis=(1, 2)) for state in range(1, self.states)]
        counts.insert(0, cells[0].size - sum(counts))
        return np.stack(counts, axis=1)

    def __repr__(self) -> str:
        return f"<{self._n} universes {self.rule}, {self.topology}, generation {self.generation}, on {self.engine}>"

    # Methods.

    def step(self, generations: int = 1) -> None:
        """Advances all universes.

        Raises
        ------
        KeyboardInterrupt
            Ctrl-C ends the step between two generations. ``generation`` says how far it came.
        """
        try:
            done = self._process.call("step", generations=_values.whole("generations", generations))
        except Interrupted as pressed:
            if pressed.result is not None:
                self._generation = int(pressed.result["generation"])
            raise KeyboardInterrupt from None
        self._generation = int(done["generation"])

    def fill(self, density: Any = 0.5, seeds: Any = None) -> None:
        """Makes all universes soups, or what ``start`` said, at generation 0: with one density for all or one for each, and a seed for each.
        Default: the seeds that they have."""
        listed = self._seeds if seeds is None else _list("seeds", seeds, lambda name, value: _values.whole(name, value))
        shares = _list("density", density, _values.real)
        for name, given in (("seeds", listed), ("density", shares)):
            if name == "seeds" and isinstance(given, int) or not isinstance(given, (int, float)) and len(given) != self._n:
                raise InputError(f"{name} {_values.shown(given)}: one for each of {self._n} universes is needed")
        shared = SharedCells(16 * self._n)
        pairs = shared.cells.view(np.uint64).reshape(self._n, 2)
        pairs[:, 0], pairs.view(np.float64)[:, 1] = listed, shares
        try:
            self._process.call("fill", file=shared.path)
        finally:
            shared.release()
        self._seeds = pairs[:, 0].copy()
        self._generation = 0

    def clusters(self, connectivity: int = 8) -> UniversesClusters:
        """Finds the connected clusters of the cells in state 1: 8 if cells that share a corner touch, 4 if only those that share an edge do."""
        return UniversesClusters(*self._numbers("clusters", 4, connectivity=connectivity).T)

    def _numbers(self, method: str, each: int = 1, **params: Any) -> Numbers:
        """So many numbers for each universe."""
        shared = SharedCells(8 * each * self._n)
        try:
            self._process.call(method, file=shared.path, **params)
        finally:
            shared.release()
        numbers = shared.cells.view(np.int64)
        return numbers if each == 1 else numbers.reshape(self._n, each)

    @property
    def cells(self) -> npt.NDArray[np.uint8]:
        """The states of all cells, of shape (n, rows, columns): a copy in memory that the two processes share. Assign to ``u.cells``, ``u[i]`` or
        ``u[i:j]`` to change cells."""
        return self._read(0, self._n)

    @cells.setter
    def cells(self, states: npt.ArrayLike) -> None:
        self[:] = states

    @property
    def bits(self) -> npt.NDArray[np.uint8]:
        """The cells of a rule of two states, eight in a byte, the first in the highest bit: ``numpy.unpackbits(u.bits, axis=-1, count=columns)`` is
        ``u.cells``."""
        return self._read(0, self._n, bits=True)

    def _read(self, first: int, n: int, bits: bool = False) -> npt.NDArray[np.uint8]:
        _, height, width = self.shape
        if n == 0:
            return np.zeros((0, height, width), np.uint8)
        shared = SharedCells(n, height, (width + 7) // 8 if bits else width)
        try:
            self._process.call("read", file=shared.path, first=first, universes=n, bits=bits)
        finally:
            shared.release()
        return shared.cells

    def _range(self, window: Any) -> tuple[int, int, tuple[Any, ...]]:
        """The first universe of a window, the number of universes to read for it, and the index of the window among them."""
        window = window if isinstance(window, tuple) else (window,)
        chosen = window[0] if window else slice(None)
        if isinstance(chosen, slice):
            try:
                numbers = range(self._n)[chosen]
            except (TypeError, ValueError):
                raise InputError(f"index {_values.shown(chosen)}: whole numbers and ranges of them are allowed") from None
            if len(numbers) == 0:
                return 0, 0, window
            first, last = min(numbers[0], numbers[-1]), max(numbers[0], numbers[-1])
            return first, last - first + 1, (slice(None, None, numbers.step), *window[1:])
        if isinstance(chosen, (int, np.integer)) and not isinstance(chosen, (bool, np.bool_)):
            if not -self._n <= chosen < self._n:
                raise IndexError(f"universe {chosen} of {self._n}")
            return int(chosen) % self._n, 1, (0, *window[1:])
        return 0, self._n, window

    def __getitem__(self, window: Any) -> Any:
        """States as an array of numpy: ``u[i]`` are the cells of universe i, ``u[i:j]`` those of several, and further indices are rows and columns."""
        first, n, index = self._range(window)
        cells = self._read(first, n)
        try:
            return cells[index]
        except IndexError as error:
            raise IndexError(_line(error)) from None
        except (TypeError, ValueError) as error:
            raise InputError(f"index {_values.shown(window)}: {_line(error)}") from None

    def __setitem__(self, window: Any, states: npt.ArrayLike) -> None:
        """Gives cells other states: an array, or one state for all."""
        first, n, index = self._range(window)
        array = _states(states)
        if n == 0:
            return
        _, height, width = self.shape
        shared = SharedCells(n, height, width)
        try:
            self._process.call("read", file=shared.path, first=first, universes=n)
            try:
                shared.cells[index] = array
            except IndexError as error:
                raise IndexError(_line(error)) from None
            except (TypeError, ValueError) as error:
                raise InputError(f"cells of shape {array.shape}: {_line(error)}") from None
            self._process.call("write", file=shared.path, first=first, universes=n)
        finally:
            shared.release()

    def copy(self) -> "Universes":
        """Universes of the same rule, seeds, cells and generation in a process of their own, which go on as these do."""
        return _restored(*self.__reduce__()[1])

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "Universes":
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        cells = self.cells if self.states > 2 else self.bits
        topology = None if ":" in self._rule else self.topology
        return _restored, (self._rule, topology, self._seeds, self._generation, cells, self.shape[2])

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> npt.NDArray[Any]:
        """``numpy.asarray(u)`` is ``u.cells``: a copy. Changes to it change no cell."""
        if copy is False:
            raise InputError("copy False: the cells of universes are in another process, so an array of them is a copy")
        return self.cells if dtype is None else self.cells.astype(dtype)

    def __dlpack__(self, **given: Any) -> Any:
        """For ``torch.from_dlpack(u)``, ``jax.dlpack.from_dlpack(u)`` and others: the cells in the memory of the host, through numpy."""
        return self.cells.__dlpack__(**given)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # kDLCPU

    def close(self) -> None:
        """Ends the process. It also ends when nothing refers to the universes any more."""
        self._finalizer()

    def __enter__(self) -> "Universes":
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()


def _restored(rule: str, topology: Optional[str], seeds: Any, generation: int, cells: Any, width: int) -> Universes:
    """Universes that were pickled."""
    u = Universes(rule, topology=topology, seeds=seeds)
    n, height, _ = u.shape
    shared = SharedCells(n, height, width)
    try:
        shared.cells[...] = cells if u.states > 2 else np.unpackbits(cells, axis=-1, count=width)
        u._process.call("write", file=shared.path, first=0, universes=n, generation=generation)
    finally:
        shared.release()
    u._generation = generation
    return u


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _list(name: str, given: Any, check: Any) -> Any:
    """One checked number, or a list or an array of them."""
    if isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind in ("u" if name == "seeds" else "f"):
        if given.dtype.kind == "f" and not np.isfinite(given).all():
            raise InputError(f"{name} {_values.shown(given)}: finite numbers are allowed")
        return given.tolist()
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__") or getattr(given, "ndim", 1) == 0:
        return check(name, given)
    try:
        return [check(name, value) for value in given]
    except TypeError:
        raise InputError(f"{name} {_values.shown(given)}: a number, or one for each universe, is allowed") from None
