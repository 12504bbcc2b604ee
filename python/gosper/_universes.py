"""Many small universes in one process."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _values
from ._base import SMALL, Base, brings_rules
from ._device import DeviceCells
from ._errors import InputError
from ._process import SharedCells
from ._rule import named
from ._values import PathLike

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


class Universes(Base):
    """Many small universes of one rule and one size, which advance together. They share vectors, or a GPU.

    Universe i goes through the same states as ``Universe(rule, shape, density=…, seed=seeds[i])``.

    Parameters
    ----------
    rule : str or path
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

    ``u[i]`` are the cells of universe i, ``u[i:j]`` those of several. Assign to them, or to ``u.cells``, to change cells.

    Examples
    --------
    >>> u = Universes("B3/S23", (64, 64), n=200, seeds=1, density=0.5)
    >>> u.step(100)
    >>> u.cells.shape, u.population.shape, u.clusters().largest.shape
    ((200, 64, 64), (200,), (200,))
    """

    def __init__(
        self,
        rule: PathLike = "B3/S23",
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
        states = None if cells is None else _values.states(cells)
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
        rule = named(rule, shape)
        suffix = ":" in _values.argument("rule", rule) or isinstance(topology, str) and any(c.isdigit() for c in topology)
        if shape is None and not suffix:
            raise InputError("no shape: many universes have rows and columns")
        self._n, self._given = lengths[0], {"topology": topology, "engine": engine, "threads": threads, "start": start}
        together = shape is not None and self._n * math.prod(_values.sides(shape)) <= SMALL and not brings_rules(rule)
        self._open(together, rule=rule, size=None if shape is None else _values.size(shape), universes=self._n, **self._given)
        self._given.update(rule=rule, shape=None if shape is None else self.shape[1:])
        try:
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
    def shape(self) -> tuple[int, int, int]:
        """Universes, rows and columns."""
        return self._n, int(self._info["height"]), int(self._info["width"])

    @property
    def seeds(self) -> npt.NDArray[np.uint64]:
        """The seed of each universe."""
        return self._seeds.copy()

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
        self._advance(generations)

    def fill(self, density: Any = 0.5, seeds: Any = None) -> None:
        """Makes all universes soups, or what ``start`` said, at generation 0.

        Parameters
        ----------
        density : float or sequence of float
            One for all, or one for each.
        seeds : sequence of int, optional
            One for each. Default: those that they have.
        """
        listed = self._seeds if seeds is None else _list("seeds", seeds, lambda name, value: _values.whole(name, value))
        shares = _list("density", density, _values.real)
        for name, given in (("seeds", listed), ("density", shares)):
            if name == "seeds" and isinstance(given, int) or not isinstance(given, (int, float)) and len(given) != self._n:
                raise InputError(f"{name} {_values.shown(given)}: one for each of {self._n} universes is needed")
        with SharedCells(16 * self._n) as shared:
            pairs = shared.cells.view(np.uint64).reshape(self._n, 2)
            pairs[:, 0], pairs.view(np.float64)[:, 1] = listed, shares
            self._process.call("fill", file=shared.path)
        self._seeds: npt.NDArray[np.uint64] = pairs[:, 0].copy()
        self._generation = 0

    def clusters(self, connectivity: int = 8) -> UniversesClusters:
        """Finds the connected clusters of the cells in state 1. ``connectivity`` is 8 if cells that share a corner touch, 4 if only those that share
        an edge do."""
        return UniversesClusters(*self._numbers("clusters", 4, connectivity=connectivity).T)

    def _numbers(self, method: str, each: int = 1, **params: Any) -> Numbers:
        """Asks for the given number of numbers for each universe."""
        numbers = self._filled(method, 8 * each * self._n, **params).view(np.int64)
        return numbers if each == 1 else numbers.reshape(self._n, each)

    @property
    def bits(self) -> npt.NDArray[np.uint8]:
        """The cells of a rule of two states, eight in a byte, the first in the highest bit: ``numpy.unpackbits(u.bits, axis=-1, count=columns)`` is
        ``u.cells``."""
        return self._read(0, self._n, bits=True)

    def _read(self, first: int, n: int, bits: bool = False) -> npt.NDArray[np.uint8]:
        _, height, width = self.shape
        return self._filled("read", n, height, (width + 7) // 8 if bits else width, first=first, universes=n, bits=bits)

    def device_cells(self) -> DeviceCells:
        return self._on_device(*self.shape, first=0, universes=self._n)

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
        """States of a window as an array of numpy: ``u[i]`` are the cells of universe i, ``u[i:j]`` those of several, and further indices are rows and
        columns."""
        first, n, index = self._range(window)
        cells = self._read(first, n)
        try:
            return cells[index]
        except IndexError as error:
            raise IndexError(_line(error)) from None
        except (TypeError, ValueError) as error:
            raise InputError(f"index {_values.shown(window)}: {_line(error)}") from None

    def __setitem__(self, window: Any, states: npt.ArrayLike) -> None:
        """Gives the cells of a window other states: an array, or one state for all."""
        first, n, index = self._range(window)
        array = _values.states(states)
        if n == 0:
            return
        _, height, width = self.shape
        with SharedCells(n, height, width) as shared:
            self._process.call("read", file=shared.path, first=first, universes=n)
            try:
                shared.cells[index] = array
            except IndexError as error:
                raise IndexError(_line(error)) from None
            except (TypeError, ValueError) as error:
                raise InputError(f"cells of shape {array.shape}: {_line(error)}") from None
            self._process.call("write", file=shared.path, first=first, universes=n)

    def __reduce__(self) -> tuple[Any, ...]:
        cells = self.cells if self.states > 2 else self.bits
        return _restored, (self._given, self._seeds, self._generation, cells)


def _restored(given: dict[str, Any], seeds: Any, generation: int, cells: Any) -> Universes:
    """Universes that were pickled."""
    u = Universes(seeds=seeds, **given)
    try:
        with SharedCells(*u.shape) as shared:
            shared.cells[...] = cells if u.states > 2 else np.unpackbits(cells, axis=-1, count=u.shape[2])
            u._process.call("write", file=shared.path, first=0, universes=len(u), generation=generation)
    except BaseException:
        u.close()
        raise
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
