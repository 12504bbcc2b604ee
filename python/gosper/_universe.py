"""Universes."""

from __future__ import annotations

import math
import operator
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _values
from ._base import SMALL, Base, brings_rules
from ._device import DeviceCells
from ._errors import GosperError, InputError
from ._picture import Film, Shades, png, shades
from ._process import SharedCells
from ._rule import named
from ._values import PathLike


@dataclass(frozen=True)
class Step:
    """The result of a step.

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
        In three dimensions also ``"z"``, ``"xz"``, ``"yz"`` and ``"all"``.
    sizes, numbers : numpy.ndarray
        ``numbers[i]`` clusters have ``sizes[i]`` cells.
    """

    count: int
    cells: int
    largest: int
    span: str
    sizes: npt.NDArray[np.uint64]
    numbers: npt.NDArray[np.uint64]


class Universe(Base):
    """Cells that evolve by a rule.

    Parameters
    ----------
    rule : str or path
        A rule in any notation that ``gosper rule`` explains, or its name: ``"B3/S23"``, ``"HighLife"``, ``"R5,C0,M1,S34..58,B34..45,NM"``; a
        rule file; or a ``Rule``. A suffix as in Golly says the size: ``"B3/S23:T100,80"``.
    shape : (int, int), (int, int, int) or int, optional
        Rows and columns; for a rule of three dimensions layers, rows and columns; ``(columns,)`` for a rule of one. One number stands for
        all sides. Without a shape (and without a suffix) the universe is the unbounded plane.
    topology : str, optional
        What lies beyond the edges: ``"torus"`` (the default if there is a shape), ``"plane"``, ``"klein"``, ``"cross"``, ``"sphere"`` or
        ``"unbounded"``.
    density : float or array_like, optional
        Share of live cells of a random soup. Without it the universe is empty. An array has the density of each region: its elements share the
        rows and columns evenly. A grey picture as an array of 0 to 1 is one, too.
    seed : int, optional
        Seed of the soup. The same seed gives the same soup on every machine. Default: a random one, see ``Universe.seed``.
    cells : array_like, optional
        States to start with, in the order of ``shape``. They give the shape if it is missing and the topology is bounded.
    start : str or path, optional
        First cells as ``gosper run --start`` reads them: ``"exact~1=500"`` (500 cells in state 1), ``"shares~1=0.2,2=0.1"``, ``"cell"``. Or a
        file, which goes into the middle: a pattern, an array (.npy) or a picture (.png, .pbm, .pgm), whose brighter half of the
        grey levels is alive.
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
    >>> Universe("3D4,5/5", shape=(20, 30, 40), density=0.1, seed=1).cells.shape
    (20, 30, 40)

    Raises
    ------
    InputError
        A wrong argument. The message says what is allowed. All methods raise it.
    Crashed
        The process of the universe has ended.

    Notes
    -----
    Universes of at most a million cells share a process, unless a file is their rule or their start. Each other one has its own. If a process crashes, its universes raise ``Crashed``.
    Python and the other universes continue.
    """

    def __init__(
        self,
        rule: PathLike = "B3/S23",
        shape: Union[int, Sequence[int], None] = None,
        *,
        topology: Optional[str] = None,
        density: Union[float, npt.ArrayLike, None] = None,
        seed: Optional[int] = None,
        cells: Optional[npt.ArrayLike] = None,
        start: Optional[PathLike] = None,
        engine: str = "auto",
        threads: Optional[int] = None,
        memory: Optional[str] = None,
    ) -> None:
        array = None if cells is None else _values.states(cells)
        if array is not None and (density is not None or start is not None):
            raise InputError("cells, density and start: cells alone, or the others are allowed")
        suffix = ":" in _values.argument("rule", rule) and not isinstance(rule, os.PathLike)
        regions = None if density is None else _values.regions(density)
        if regions is not None:
            if start is not None:
                raise InputError("density of regions and start: one of them is allowed")
            density, start = None, regions
        if array is not None and shape is None and topology != "unbounded" and not suffix:
            shape = array.shape
        params: dict[str, Any] = {"rule": named(rule, shape), "topology": topology}
        if shape is not None:
            params["size"] = _values.size(shape)
        elif not suffix:
            params["topology"] = topology or "unbounded"
        if start is not None and regions is None and (isinstance(start, os.PathLike) or os.path.exists(_values.argument("start", start))):
            params["pattern"], start = os.path.abspath(_values.path("start", start)), None
            params["seed"] = None if seed is None else _values.whole("seed", seed)
            if density is not None:
                raise InputError("a density and a file to start with: one of them is allowed")
        elif density is None and start is None:
            params["empty"] = True
            if seed is not None:
                raise InputError("a seed without a density: give both for a soup")
        else:
            params["start"] = start
            params["density"] = None if density is None else _values.real("density", density)
            params["seed"] = None if seed is None else _values.whole("seed", seed)
        together = shape is not None and math.prod(_values.sides(shape, 3)) <= SMALL
        self._begin({"engine": engine, "threads": threads, "memory": memory}, together, **params)
        if array is not None:
            if array.ndim != (2 if self.shape is None else len(self.shape)):
                self.close()
                raise InputError(f"cells of shape {array.shape}: a universe with {self._axes()} has another number of axes")
            self[tuple(slice(side) for side in array.shape)] = array

    @classmethod
    def _of(cls, given: dict[str, Any], together: bool = False, **params: Any) -> "Universe":
        u = cls.__new__(cls)
        u._begin(given, together, **params)
        return u

    def _begin(self, given: dict[str, Any], together: bool, **params: Any) -> None:
        self._given, self._together = given, together and "pattern" not in params and not brings_rules(params.get("rule"))
        self._open(self._together, **given, **params)

    # Properties.

    @property
    def shape(self) -> Optional[tuple[int, ...]]:
        """Rows and columns, or layers, rows and columns; None: the unbounded plane."""
        depth, height, width = self._info["depth"], self._info["height"], self._info["width"]
        if depth:
            return depth, height, width
        return (height, width) if height and width else None

    @property
    def seed(self) -> Optional[int]:
        """Seed of the initial soup, or None."""
        return int(self._info["seed"]) if self._info["seed"] else None

    @property
    def command(self) -> str:
        """The command that makes this universe without Python."""
        return f"gosper run {self._info['repeat']} --to {self._generation}"

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
    def extent(self) -> tuple[slice, ...]:
        """Rows and columns of the smallest rectangle with all cells in another state than the background; if the universe is bounded, its rows
        and columns, or its layers, rows and columns."""
        if self.shape is not None:
            return tuple(slice(0, side) for side in self.shape)
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
            r = self._advance(generations, bar.show if bar else None, until=until, progress=0.2 if bar else None)
        finally:
            if bar is not None:
                bar.end()
        return Step(
            self._generation, int(r["generations"]), str(r["reason"]), int(r["period"]), r["lifespan"], float(r["seconds"])
        )

    @property
    def bits(self) -> npt.NDArray[np.uint8]:
        """All cells of a rule of two states, eight in a byte, the first in the highest bit: ``numpy.unpackbits(u.bits, axis=-1, count=u.shape[-1])``
        is ``u.cells``. The array is in memory that the two processes share."""
        ranges, _ = self._window(slice(None))
        sides = [end - begin for begin, end in ranges]
        sides[-1] = (sides[-1] + 7) // 8
        return self._filled("read", *sides, bits=True, **_place(ranges))

    def __getitem__(self, window: Any) -> Any:
        """States of a window: ``u[y, x]`` is one cell, ``u[y0:y1, x0:x1]`` an array; in three dimensions ``u[z, y, x]`` and
        ``u[z0:z1, y0:y1, x0:x1]``. Coordinates may be negative on the unbounded plane."""
        ranges, single = self._window(window)
        cells = self._filled("read", *(max(0, end - begin) for begin, end in ranges), **_place(ranges))
        index: tuple[Any, ...] = tuple(0 if one else slice(None) for one in single)
        cells = cells[index]
        return int(cells) if all(single) else cells

    def __setitem__(self, window: Any, states: npt.ArrayLike) -> None:
        """Gives the cells of a window other states: an array of its shape, or one state for all."""
        ranges, single = self._window(window)
        shape = tuple(end - begin for begin, end in ranges)
        if min(shape) <= 0:
            return
        array = _values.states(states)
        with SharedCells(*shape) as shared:
            target = shared.cells
            if array.ndim < target.ndim and not all(single):
                index: tuple[Any, ...] = tuple(0 if one else slice(None) for one in single)
                target = target[index]
            try:
                target[...] = array
            except ValueError:
                raise InputError(f"cells of shape {array.shape}: the shape of the window is allowed, {shape}, or one state for all") from None
            self._process.call("write", file=shared.path, **_place(ranges))

    def device_cells(self) -> DeviceCells:
        ranges, _ = self._window(slice(None))
        return self._on_device(*(end - begin for begin, end in ranges), **_place(ranges))

    def _axes(self) -> str:
        return "rows and columns" if self.shape is None or len(self.shape) == 2 else "layers, rows and columns"

    def _window(self, window: Any) -> tuple[list[tuple[int, int]], list[bool]]:
        """The ranges of a window, and whether each was one index."""
        if not isinstance(window, tuple):
            window = (window,)
        axes = 2 if self.shape is None else len(self.shape)
        if any(index is Ellipsis for index in window):
            at = next(i for i, index in enumerate(window) if index is Ellipsis)
            window = window[:at] + (slice(None),) * (axes + 1 - len(window)) + window[at + 1 :]
        window += (slice(None),) * (axes - len(window))
        if len(window) != axes:
            raise InputError(f"{len(window)} indices: the universe has {self._axes()}")
        whole: Optional[tuple[slice, ...]] = None
        ranges, single = [], []
        for axis, index in enumerate(window):
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
                ranges.append((begin, end))
                single.append(False)
                continue
            at = _index(index)
            if self.shape is not None:
                n = self.shape[axis]
                if not -n <= at < n:
                    raise IndexError(f"cell {at} of {n}")
                at %= n
            ranges.append((at, at + 1))
            single.append(True)
        return ranges, single

    def fill(self, density: float = 0.5, seed: int = 0, shape: Optional[Sequence[int]] = None) -> None:
        """Makes a soup of all cells. The generation stays.

        Parameters
        ----------
        density : float
            Share of live cells, 0 to 1.
        seed : int
            The same seed gives the same soup on every machine.
        shape : (int, int), optional
            Of the unbounded plane, the rows and columns from (0, 0) on that get the soup.
        """
        if shape is None and self.shape is None:
            raise InputError("a soup on the unbounded plane needs a shape")
        sides = _values.sides(self.shape if shape is None else shape, 2 if self.shape is None else len(self.shape))
        area = dict(zip(("width", "height", "depth"), reversed(sides)))
        self._process.call("fill", **area, density=_values.real("density", density), seed=_values.whole("seed", seed))

    def clusters(self, connectivity: Optional[int] = None) -> Clusters:
        """Finds the connected clusters of the cells in state 1.

        Parameters
        ----------
        connectivity : int, optional
            8 if cells that share a corner touch (the default), 4 if only those that share an edge do. In three dimensions 26 for corners
            (the default), 18 for edges, 6 for faces.
        """
        if connectivity is None:
            connectivity = 26 if self._info["depth"] else 8
        r = self._process.call("clusters", connectivity=connectivity)
        pairs = np.array(r["sizes"], dtype=np.uint64).reshape(-1, 2)
        return Clusters(r["count"], r["cells"], r["largest"], r["span"], pairs[:, 0], pairs[:, 1])

    def census(self) -> dict[str, int]:
        """Counts the objects that the cells settle into on the unbounded plane, by apgcode, the commonest first."""
        return {o["apgcode"]: o["count"] for o in self._process.call("census")["objects"]}

    def save(self, path: PathLike, *, force: bool = False) -> None:
        """Writes a pattern file.

        Parameters
        ----------
        path : path
            The suffix says the format: .rle, .mc, .cells, .lif, .life, .png, .pbm, .pgm, .npy, each also with .gz.
        force : bool
            Replace a file. Otherwise one that exists raises GosperError.
        """
        self._process.call("save", path=os.path.abspath(_values.path("path", path)), force=_values.truth("force", force))

    def checkpoint(self, path: PathLike) -> None:
        """Writes a checkpoint into the file ``path``, from which ``gosper.resume`` or ``gosper run --resume`` continues. It replaces a checkpoint, and
        no other file."""
        self._process.call("checkpoint", path=os.path.abspath(_values.path("path", path)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Universes are pickled as checkpoints."""
        with tempfile.TemporaryDirectory(prefix="gosper-") as folder:
            path = os.path.join(folder, "u.ckpt")
            self.checkpoint(path)
            return _restored, (Path(path).read_bytes(), self._given, self._together)

    # Pictures.

    def image(
        self,
        window: Any = None,
        largest: Optional[int] = None,
        *,
        yaw: Optional[float] = None,
        pitch: Optional[float] = None,
        zoom: Optional[float] = None,
        colour: Optional[str] = None,
    ) -> bytes:
        """A picture as PNG. In two dimensions it is brighter where more cells live. In three it is a shaded volume.

        Cells of hexagonal and triangular rules are drawn as hexagons and triangles.

        Parameters
        ----------
        window : tuple of slices, optional
            The part to show: rows and columns, or layers, rows and columns. Default: all cells. If one index of three is a number, as in
            ``(5, slice(None), slice(None))``, the picture is a flat slice.
        largest : int, optional
            Pixels of the longer side at most; several cells share a pixel in larger windows. Default: 1024. For a volume, the pixels of a
            side; default 480.
        yaw, pitch : float, optional
            Of a volume: degrees by which the viewer goes around the universe (default 30) and looks down on it (default 25).
        zoom : float, optional
            Of a volume: how much closer the viewer comes than to see the whole window. Default: 1.
        colour : str, optional
            Of a volume: ``"state"`` (the default), ``"depth"`` for the layer, ``"position"``, or ``"age"``: for how long a cell has lived in
            the pictures that were made.
        """
        return png(self._picture(window, largest, 1024, yaw=yaw, pitch=pitch, zoom=zoom, colour=colour))

    def _picture(self, window: Any, largest: Optional[int], usual: int, **view: Any) -> Shades:
        """A picture of a window. usual is the default of largest for flat pictures."""
        pixels = None if largest is None else _values.whole("largest", largest, 1)
        ranges, single = self._window(slice(None) if window is None else window)
        given = {name: value for name, value in view.items() if value is not None}
        if not self._info["depth"] or sum(single) == 1:
            if given:
                raise InputError(f"{', '.join(given)}: only pictures of volumes have them; this one is flat")
            odd = sum(begin for begin, _ in ranges) % 2
            return shades(self[:] if window is None else self[window], self.states, pixels or usual, self._info["lattice"], odd)
        for name, value in given.items():
            given[name] = _values.argument(name, value) if name == "colour" else _values.real(name, value)
        side = pixels or 480
        if side > 8192:
            raise InputError(f"largest {side}: pictures of volumes have 1 to 8192 pixels")
        if any(begin >= end for begin, end in ranges):
            return np.zeros((side, side, 3), np.uint8)
        box = ",".join(f"{begin}..{end - 1}" for begin, end in reversed(ranges))
        return self._filled("draw", side, side, 3, pixels=side, box=box, **given)

    def _repr_png_(self) -> bytes:
        return self.image()

    def film(
        self,
        frames: int = 100,
        every: int = 1,
        window: Any = None,
        rate: float = 20.0,
        largest: Optional[int] = None,
        *,
        yaw: Optional[float] = None,
        pitch: Optional[float] = None,
        zoom: Optional[float] = None,
        colour: Optional[str] = None,
        turn: Optional[float] = None,
    ) -> Film:
        """Steps the universe and keeps pictures. Jupyter plays the result; ``save`` writes it as APNG.

        Parameters
        ----------
        frames : int
            Number of pictures.
        every : int
            Generations from one to the next.
        rate : float
            Pictures a second, 0.001 to 65.
        turn : float, optional
            Of a volume: degrees by which the viewer goes on around it from picture to picture.
        window, largest, yaw, pitch, zoom, colour
            As for ``image``. Default of ``largest``: 512.
        """
        frames, every = _values.whole("frames", frames, 1), _values.whole("every", every)
        rate = _values.real("rate", rate)
        if not 0 < round(1000 * rate) < 1 << 16:
            raise InputError(f"rate {rate}: 0.001 to 65.535 pictures a second are allowed")
        if window is None:
            window = self.extent
        pictures = []
        for i in range(frames):
            if i:
                self.step(every)
            if turn is not None:
                yaw = (_values.real("yaw", 30 if yaw is None else yaw) + (_values.real("turn", turn) if i else 0)) % 360
            pictures.append(self._picture(window, largest, 512, yaw=yaw, pitch=pitch, zoom=zoom, colour=colour))
        return Film(pictures, rate)


def open(
    name: PathLike,
    *,
    rule: Optional[PathLike] = None,
    shape: Union[int, Sequence[int], None] = None,
    topology: Optional[str] = None,
    engine: str = "auto",
    threads: Optional[int] = None,
    memory: Optional[str] = None,
) -> Universe:
    """Opens a pattern.

    Parameters
    ----------
    name : path or str
        A file in any format that Gosper reads, a built-in pattern (``"gosper-gun"``), an apgcode (``"xq4_153"``), or a soup of Catagolue
        (``"C2_1/n_golly1212"``). In a picture (.png) the brighter half of the grey levels is alive.
    rule, shape, topology : optional
        As for ``Universe``. Default: those of the pattern, or Life on the unbounded plane.
    engine, threads, memory
        As for ``Universe``.

    Raises
    ------
    InputError
        No such pattern, or a file that cannot be read.
    """
    size = None if shape is None else _values.size(shape)
    given = {"engine": engine, "threads": threads, "memory": memory}
    return Universe._of(given, pattern=_named(name), rule=named(rule, shape), size=size, topology=topology)


def resume(path: PathLike, *, engine: str = "auto", threads: Optional[int] = None, memory: Optional[str] = None) -> Universe:
    """Continues from a checkpoint that ``Universe.checkpoint`` or ``gosper run --checkpoint`` wrote.

    Parameters
    ----------
    path : path
        The checkpoint.
    engine, threads, memory
        As for ``Universe``. They need not be the earlier ones.
    """
    given = {"engine": engine, "threads": threads, "memory": memory}
    return Universe._of(given, resume=os.path.abspath(_values.path("path", path)))


def _restored(checkpoint: bytes, given: dict[str, Any], together: bool) -> Universe:
    """The universe of a checkpoint's bytes."""
    with tempfile.TemporaryDirectory(prefix="gosper-") as folder:
        path = os.path.join(folder, "u.ckpt")
        Path(path).write_bytes(checkpoint)
        return Universe._of(given, together, resume=path)


def _index(at: Any) -> int:
    try:
        return operator.index(at)
    except TypeError:
        raise InputError(f"index {_values.shown(at)}: whole numbers and ranges of them are allowed") from None


def _place(ranges: Sequence[tuple[int, int]]) -> dict[str, int]:
    """The parameters of read and write for a window that has cells."""
    place = {}
    for at, side, (begin, end) in zip("xyz", ("width", "height", "depth"), reversed(ranges)):
        place[at], place[side] = begin, end - begin
    return place


def _named(name: PathLike) -> str:
    text = _values.path("name", name)
    return os.path.abspath(text) if not isinstance(name, str) or os.path.exists(text) else text


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
