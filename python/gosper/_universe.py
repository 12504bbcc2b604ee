"""Universes."""

from __future__ import annotations

import operator
import os
import sys
import time
import weakref
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _picture, _values
from ._errors import GosperError, InputError
from ._process import Interrupted, Process, SharedCells
from ._values import PathLike


@dataclass(frozen=True)
class Step:
    """What a step did.

    Attributes
    ----------
    generation : int
        Generation of the universe.
    generations : int
        Number of generations done.
    reason : str
        Why it ended: ``"target"``, ``"stable"``, ``"extinct"``, ``"memory"`` if the universe would outgrow its
        memory, or ``"space"`` if it would outgrow the coordinates.
    period : int
        If stable: the least period of the cells that stay, or of those that fly away if none stays. Otherwise 0.
    lifespan : int or None
        If stable: from this generation on, all cells repeat or fly away. ``None`` if it is not stable, or not known.
    seconds : float
        Time spent in stepping.
    """

    generation: int
    generations: int
    reason: str
    period: int
    lifespan: int | None
    seconds: float


@dataclass(frozen=True)
class Clusters:
    """Connected clusters of the cells in state 1.

    Attributes
    ----------
    count, cells, largest : int
        Clusters, cells in them, and cells of the largest.
    span : str
        Directions in which a cluster spans the universe: ``"none"``, ``"x"``, ``"y"`` or ``"both"``. On a torus it closes on itself.
    sizes, numbers : numpy.ndarray
        ``numbers[i]`` clusters have ``sizes[i]`` cells.
    """

    count: int
    cells: int
    largest: int
    span: str
    sizes: npt.NDArray[np.uint64]
    numbers: npt.NDArray[np.uint64]


class Universe:
    """Cells that evolve by a rule.

    Parameters
    ----------
    rule : str
        A rule in any notation that ``gosper rule`` explains, or its name: ``"B3/S23"``, ``"HighLife"``, ``"R5,C0,M1,S34..58,B34..45,NM"``.
        A suffix as in Golly says the size: ``"B3/S23:T100,80"``.
    shape : (int, int) or int, optional
        Rows and columns. Without one (and without a suffix) the universe is the unbounded plane.
    topology : str, optional
        What lies beyond the edges: ``"torus"`` (the default if there is a shape), ``"plane"``, ``"klein"``, ``"cross"``, ``"sphere"`` or
        ``"unbounded"``.
    density : float, optional
        Share of live cells of a random soup. Without it the universe is empty.
    seed : int, optional
        Seed of the soup. The same seed gives the same soup on every machine. Default: a random one, see ``Universe.seed``.
    cells : array_like, optional
        States to start with, rows by columns. They give the shape if it is missing and the topology is bounded.
    engine : str
        ``"auto"``, or one that ``gosper engines`` lists: ``"cpu"``, ``"cuda"``, ``"hashlife"``, ``"reference"``.
    threads : int, optional
        Threads to compute with. Default: all cores.
    memory : str, optional
        Memory that an unbounded universe may take: ``"800M"``, ``"6G"``.

    Examples
    --------
    >>> u = Universe("B3/S23", shape=(64, 64), density=0.5, seed=1)
    >>> u.step(100).generation
    100
    >>> u.cells.shape
    (64, 64)

    Notes
    -----
    Each universe has a process of its own. If one crashes, Python and the others continue.
    """

    def __init__(
        self,
        rule: str = "B3/S23",
        shape: Union[int, Sequence[int], None] = None,
        *,
        topology: Optional[str] = None,
        density: Optional[float] = None,
        seed: Optional[int] = None,
        cells: Optional[npt.ArrayLike] = None,
        engine: str = "auto",
        threads: Optional[int] = None,
        memory: Optional[str] = None,
    ) -> None:
        array = None if cells is None else _states(cells)
        if array is not None and density is not None:
            raise InputError("cells and density: only one of them is allowed")
        suffix = ":" in _values.argument("rule", rule)
        if array is not None and shape is None and topology != "unbounded" and not suffix:
            shape = array.shape
        params: dict[str, Any] = {"rule": rule, "topology": topology, "engine": engine, "threads": threads, "memory": memory}
        if shape is not None:
            height, width = _values.sides(shape)
            params["size"] = f"{width}x{height}"
        elif not suffix:
            params["topology"] = topology or "unbounded"
        if density is None:
            params["empty"] = True
            if seed is not None:
                raise InputError("a seed without a density: give both for a soup")
        else:
            params["density"] = _values.real("density", density)
            params["seed"] = None if seed is None else _values.whole("seed", seed)
        self._open(params)
        if array is not None:
            self[: array.shape[0], : array.shape[1]] = array

    @classmethod
    def _of(cls, **params: Any) -> "Universe":
        u = cls.__new__(cls)
        u._open(params)
        return u

    def _open(self, params: dict[str, Any]) -> None:
        self._process = Process()
        self._finalizer = weakref.finalize(self, self._process.close)
        try:
            self._info = self._process.call("open", **params)
        except BaseException:
            self._finalizer()
            raise
        self._generation: int = self._info["generation"]

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
        """Size of the universe and what lies beyond its edges, in words."""
        return str(self._info["topology"])

    @property
    def shape(self) -> Optional[tuple[int, int]]:
        """Rows and columns; None: the unbounded plane."""
        height, width = self._info["height"], self._info["width"]
        return (height, width) if height and width else None

    @property
    def engine(self) -> str:
        """Name of the engine that runs it."""
        return str(self._info["engine"])

    @property
    def device(self) -> str:
        """What the engine runs on, in words."""
        return str(self._info["device"])

    @property
    def seed(self) -> Optional[int]:
        """Seed of the initial soup, or None."""
        return int(self._info["seed"]) if self._info["seed"] else None

    @property
    def command(self) -> str:
        """The command that makes this universe without Python."""
        return f"gosper run {self._info['repeat']} --to {self._generation}"

    @property
    def generation(self) -> int:
        """Number of the generation."""
        return self._generation

    @property
    def population(self) -> int:
        """Number of cells in another state than the background."""
        return int(self._process.call("population")["population"])

    @property
    def background(self) -> int:
        """State of the empty space of an infinite universe, which rules with B0 change; otherwise 0."""
        return int(self._process.call("population")["background"])

    @property
    def hash(self) -> str:
        """A digest of the cells: the same on every machine and engine."""
        return str(self._process.call("hash")["hash"])

    @property
    def extent(self) -> tuple[slice, slice]:
        """Rows and columns of the smallest rectangle with all cells in another state than the background; of the whole universe if it is bounded."""
        e = self._process.call("extent")
        return slice(e["y"], e["y"] + e["height"]), slice(e["x"], e["x"] + e["width"])

    def __repr__(self) -> str:
        return f"<Universe {self.rule}, {self.topology}, generation {self.generation}, on {self.engine}>"

    # Methods.

    def step(self, generations: int = 1, *, until: Optional[str] = None, progress: bool = False) -> Step:
        """Advances the universe.

        Parameters
        ----------
        generations : int
            How many.
        until : str, optional
            Ends earlier: ``"stable"`` once the universe repeats (except for objects that fly away), ``"extinct"`` once it is dead.
        progress : bool
            Shows a progress bar.

        Returns
        -------
        Step

        Raises
        ------
        KeyboardInterrupt
            Ctrl-C ends the step between two generations. ``generation`` says how far it came.
        """
        generations = _values.whole("generations", generations)
        progress = _values.truth("progress", progress)
        bar = _Bar(self._generation, generations) if progress else None
        try:
            r = self._process.call(
                "step", bar.show if bar else None, generations=generations, until=until, progress=0.2 if bar else None
            )
        except Interrupted as pressed:
            if pressed.result is not None:
                self._generation = int(pressed.result["generation"])
            raise KeyboardInterrupt from None
        finally:
            if bar is not None:
                bar.end()
        self._generation = int(r["generation"])
        return Step(
            self._generation, int(r["generations"]), str(r["reason"]), int(r["period"]), r["lifespan"], float(r["seconds"])
        )

    @property
    def cells(self) -> npt.NDArray[np.uint8]:
        """The states of all cells, rows by columns; of the ``extent`` if the universe has no bounds. Changing the array changes no cell: assign to
        the universe (``u[:] = …``) instead."""
        whole: npt.NDArray[np.uint8] = self[:, :]
        return whole

    def __getitem__(self, window: Any) -> Any:
        """States of a window: ``u[y, x]`` is one cell, ``u[y0:y1, x0:x1]`` an array. Coordinates may be negative on the unbounded plane."""
        (y0, y1, one_row), (x0, x1, one_column) = self._window(window)
        if y1 <= y0 or x1 <= x0:
            cells = np.zeros((max(0, y1 - y0), max(0, x1 - x0)), np.uint8)
        else:
            shared = SharedCells(y1 - y0, x1 - x0)
            try:
                self._process.call("read", file=shared.path, x=x0, y=y0, width=x1 - x0, height=y1 - y0)
            finally:
                shared.release()
            cells = shared.cells
        if one_row and one_column:
            return int(cells[0, 0])
        return cells[0] if one_row else cells[:, 0] if one_column else cells

    def __setitem__(self, window: Any, states: npt.ArrayLike) -> None:
        """Gives the cells of a window other states: an array of its shape, or one state for all."""
        (y0, y1, _), (x0, x1, _) = self._window(window)
        if y1 <= y0 or x1 <= x0:
            return
        array = _states(states)
        shared = SharedCells(y1 - y0, x1 - x0)
        try:
            if array.ndim == 1 and x1 - x0 == 1 and y1 - y0 == array.shape[0]:
                array = array[:, np.newaxis]
            try:
                shared.cells[...] = array
            except ValueError:
                raise InputError(
                    f"cells of shape {array.shape}: the shape of the window is allowed, {(y1 - y0, x1 - x0)}, or one state for all"
                ) from None
            self._process.call("write", file=shared.path, x=x0, y=y0, width=x1 - x0, height=y1 - y0)
        finally:
            shared.release()

    def _window(self, window: Any) -> tuple[tuple[int, int, bool], tuple[int, int, bool]]:
        if not isinstance(window, tuple):
            window = (window, slice(None))
        if len(window) != 2:
            raise InputError(f"{len(window)} indices: a universe has rows and columns")
        whole: Optional[tuple[slice, slice]] = None
        sides = []
        for axis, index in enumerate(window):
            if index is Ellipsis:
                index = slice(None)
            if isinstance(index, slice):
                for bound in (index.start, index.stop, index.step):
                    if bound is not None:
                        _index(bound)
                if index.step not in (None, 1):
                    raise InputError(f"a window with step {index.step}: windows have step 1; take [::{index.step}] of the cells")
                if self.shape is not None:
                    begin, end, _ = index.indices(self.shape[axis])
                else:
                    if (index.start is None or index.stop is None) and whole is None:
                        whole = self.extent
                    begin = whole[axis].start if index.start is None and whole else operator.index(index.start)
                    end = whole[axis].stop if index.stop is None and whole else operator.index(index.stop)
                sides.append((begin, end, False))
                continue
            at = _index(index)
            if self.shape is not None:
                n = self.shape[axis]
                if not -n <= at < n:
                    raise IndexError(f"cell {at} of {n}")
                at %= n
            sides.append((at, at + 1, True))
        return sides[0], sides[1]

    def fill(self, density: float = 0.5, seed: int = 0, shape: Optional[Sequence[int]] = None) -> None:
        """Makes a soup of all cells, or of the ``shape`` rows and columns from (0, 0) on."""
        if shape is None and self.shape is None:
            raise InputError("a soup on the unbounded plane needs a shape")
        height, width = _values.sides(self.shape if shape is None else shape)
        self._process.call(
            "fill", width=width, height=height, density=_values.real("density", density), seed=_values.whole("seed", seed)
        )

    def clusters(self, connectivity: int = 8) -> Clusters:
        """Finds the connected clusters of the cells in state 1.

        Parameters
        ----------
        connectivity : int
            8 if cells that share a corner touch, 4 if only those that share an edge do.
        """
        r = self._process.call("clusters", connectivity=connectivity)
        pairs = np.array(r["sizes"], dtype=np.uint64).reshape(-1, 2)
        return Clusters(r["count"], r["cells"], r["largest"], r["span"], pairs[:, 0], pairs[:, 1])

    def census(self) -> dict[str, int]:
        """Counts the objects that the cells settle into on the unbounded plane, by apgcode, the commonest first."""
        return {o["apgcode"]: o["count"] for o in self._process.call("census")["objects"]}

    def save(self, path: PathLike, *, force: bool = False) -> None:
        """Writes a pattern file, whose suffix says the format: .rle, .mc, .cells, .lif, .life, .png, .npy, each also with .gz."""
        self._process.call("save", path=os.path.abspath(_values.path("path", path)), force=_values.truth("force", force))

    def checkpoint(self, path: PathLike) -> None:
        """Writes a checkpoint, from which ``gosper.resume`` or ``gosper run --resume`` continues."""
        self._process.call("checkpoint", path=os.path.abspath(_values.path("path", path)))

    def close(self) -> None:
        """Ends the universe's process. It also ends when nothing refers to the universe any more."""
        self._finalizer()

    def __enter__(self) -> "Universe":
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    # Pictures.

    def image(self, window: Any = None, largest: int = 1024) -> bytes:
        """A picture as PNG: brighter where more cells live.

        Parameters
        ----------
        window : tuple of slices, optional
            Rows and columns to show. Default: all cells.
        largest : int
            Pixels of the longer side at most; several cells share a pixel in larger windows.
        """
        largest = _values.whole("largest", largest, 1)
        return _picture.png(_picture.shades(self[:, :] if window is None else self[window], self.states, largest))

    def _repr_png_(self) -> bytes:
        return self.image()

    def film(
        self, frames: int = 100, every: int = 1, window: Any = None, rate: float = 20.0, largest: int = 512
    ) -> "_picture.Film":
        """Steps the universe and keeps a picture of each ``every`` generations. Jupyter plays the result; ``save`` writes it as APNG."""
        frames, every = _values.whole("frames", frames, 1), _values.whole("every", every)
        rate, largest = _values.real("rate", rate), _values.whole("largest", largest, 1)
        if not 0 < round(1000 * rate) < 1 << 16:
            raise InputError(f"rate {rate}: 0.001 to 65.535 pictures a second are allowed")
        if window is None:
            window = self.extent
        pictures = []
        for i in range(frames):
            if i:
                self.step(every)
            pictures.append(_picture.shades(self[window], self.states, largest))
        return _picture.Film(pictures, rate)


def open(
    name: PathLike,
    *,
    rule: Optional[str] = None,
    shape: Optional[Sequence[int]] = None,
    topology: Optional[str] = None,
    engine: str = "auto",
    threads: Optional[int] = None,
    memory: Optional[str] = None,
) -> Universe:
    """Opens a pattern: a file in any format that Gosper reads, a built-in pattern (``"gosper-gun"``), or an apgcode (``"xq4_153"``).

    Rule, size and generation are those of the pattern unless they are given.
    """
    size = None
    if shape is not None:
        height, width = _values.sides(shape)
        size = f"{width}x{height}"
    return Universe._of(
        pattern=_named(name), rule=rule, size=size, topology=topology, engine=engine, threads=threads, memory=memory
    )


def resume(path: PathLike, *, engine: str = "auto", threads: Optional[int] = None, memory: Optional[str] = None) -> Universe:
    """Continues from a checkpoint that ``Universe.checkpoint`` or ``gosper run --checkpoint`` wrote."""
    return Universe._of(resume=os.path.abspath(_values.path("path", path)), engine=engine, threads=threads, memory=memory)


def _index(at: Any) -> int:
    try:
        return operator.index(at)
    except TypeError:
        raise InputError(f"index {_values.shown(at)}: whole numbers and ranges of them are allowed") from None


def _named(name: PathLike) -> str:
    text = _values.path("name", name)
    return os.path.abspath(text) if not isinstance(name, str) or os.path.exists(text) else text


def _states(cells: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    try:
        array = np.asarray(cells)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"cells {_values.shown(cells)}: arrays of integers and booleans are allowed") from None
    if array.dtype == np.bool_:
        return array.astype(np.uint8)
    if array.dtype.kind not in "iu":
        raise InputError(f"cells of type {array.dtype}: integers and booleans are allowed")
    if array.size and (array.min() < 0 or array.max() > 255):
        raise InputError("cells have states of 0 to 255")
    return array.astype(np.uint8)


class _Bar:
    """A progress bar for a step, on terminals and in notebooks."""

    def __init__(self, start: int, generations: int) -> None:
        self._start, self._total, self._begin = start, max(generations, 1), time.monotonic()
        self._shown = False

    def show(self, generation: int) -> None:
        done, elapsed = generation - self._start, time.monotonic() - self._begin
        left = elapsed / done * (self._total - done) if done else 0.0
        sys.stderr.write(
            f"\rgeneration {generation:,}  {100 * done / self._total:.0f} %  {done / max(elapsed, 1e-9):,.0f} gen/s  {left:.0f} s left   "
        )
        sys.stderr.flush()
        self._shown = True

    def end(self) -> None:
        if self._shown:
            sys.stderr.write("\n")


__all__ = ["Clusters", "GosperError", "Step", "Universe", "open", "resume"]
