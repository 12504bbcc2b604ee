"""Rules as Python functions and numpy tables."""

from __future__ import annotations

import base64
import hashlib
import inspect
import itertools
import math
import os
import re
import textwrap
import zlib
from typing import Any, Callable, Iterator, Optional, Sequence, Union, overload

import numpy as np
import numpy.typing as npt

from . import _program, _values
from ._errors import InputError
from ._values import PathLike

Neighbourhood = Union[str, int, Sequence[Sequence[int]]]

MOST_ENTRIES = 1 << 24
MOST_RADIUS = 16
_CERTAIN = 1 << 32
_FEW = 4096  # entries that are asked for one by one, even if the function takes arrays
_SAMPLE = 512  # entries by which a function of arrays is checked


class Rule(str):
    """A rule made of a function or a table by ``gosper.rule``.

    It is a text, a name with the rule's digest, and stands wherever the text of a rule does: ``Universe(rule, shape=…)``, ``ensemble(rule, …)``,
    ``explain(rule)``. Pattern files (.rle), checkpoints and ensembles that it computes contain it.

    Attributes
    ----------
    states : int
        Number of states.
    offsets : list of tuple of int
        The neighbours as (rows, columns), in three dimensions as (layers, rows, columns).
    entries : int
        Entries of its table.
    """

    states: int
    offsets: list[tuple[int, ...]]
    entries: int
    _text: str
    _call: Any

    def __new__(cls, name: str, states: int, offsets: list[tuple[int, ...]], entries: int, text: str, call: Any = None) -> "Rule":
        made = super().__new__(cls, name)
        made.states, made.offsets, made.entries, made._text, made._call = states, offsets, entries, text, call
        _program.keep(name, text)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Rule, (str(self), self.states, self.offsets, self.entries, self._text)

    def __repr__(self) -> str:
        return f"<Rule {str(self)}: {self.states} states, {len(self.offsets)} neighbours, {self.entries} entries>"

    def __call__(self, *args: Any) -> Any:
        """Calls the function that the rule was made of."""
        if self._call is None:
            raise InputError(f"rule {self} has no function: it was made of a table, or in another process")
        return self._call(*args)

    @property
    def cost(self) -> Optional[dict[str, int]]:
        """Tables, loads and stores of its circuit for one generation of 64 cells; None if it would be too large."""
        cost: Optional[dict[str, int]] = _program.run("rule", "--json", "--", str(self))["cost"]
        return cost

    def save(self, path: PathLike, *, force: bool = False) -> None:
        """Writes a rule file, for ``gosper run --rule``. Golly reads it, too, if the neighbours touch the cell and nothing is left to chance.

        Parameters
        ----------
        path : path
            A name that ends in .rule.
        force : bool
            Replace a file. Otherwise one that exists raises GosperError.
        """
        path = _values.path("path", path)
        _program.run("rule", "--json", f"--save={path}", *(["--force"] if _values.truth("force", force) else []), "--", str(self))


@overload
def rule(
    function: Union[Callable[..., Any], npt.ArrayLike],
    *,
    states: int = 2,
    neighbourhood: Neighbourhood = "moore",
    radius: int = 1,
    counts: bool = False,
    name: Optional[str] = None,
) -> Rule: ...


@overload
def rule(
    function: None = None,
    *,
    states: int = 2,
    neighbourhood: Neighbourhood = "moore",
    radius: int = 1,
    counts: bool = False,
    name: Optional[str] = None,
) -> Callable[[Union[Callable[..., Any], npt.ArrayLike]], Rule]: ...


def rule(
    function: Union[Callable[..., Any], npt.ArrayLike, None] = None,
    *,
    states: int = 2,
    neighbourhood: Neighbourhood = "moore",
    radius: int = 1,
    counts: bool = False,
    name: Optional[str] = None,
) -> Any:
    """Makes a rule of a Python function or a numpy table. It then runs as machine code, like any other rule.

    Parameters
    ----------
    function : callable or array_like
        Returns the next state of a cell. Its arguments are the state of the cell and its neighbours: a numpy array of their states in the order of
        ``offsets``, or with ``counts=True`` an array with the number of neighbours in each state. All possible arguments are tried once. If
        they are many, the function is called with arrays of them, whose last axis is that of the cases, where it agrees with single calls.

        A float that it returns is a probability: with two states that the next state is 1, with more that the cell goes on to the next state (after
        the last comes 0) instead of keeping its own. A sequence of floats has the probability of each state.

        A table is an array of states, indexed by the state of the cell and those of its neighbours, or with ``counts=True`` by the state of the
        cell and the numbers of neighbours in states 1, 2, ….
    states : int
        Number of states, 2 to 256.
    neighbourhood : str, int or sequence of offsets
        ``"moore"`` (all cells of a square), ``"von neumann"`` (within ``radius`` steps), ``"hexagonal"``, ``"line"`` (cells left and right),
        ``"circle"``, in three dimensions ``"cube"``, ``"faces"`` and ``"ball"``; or a list of offsets (rows, columns). 1, 2 and 3 stand for ``"line"``,
        ``"moore"`` and ``"cube"``. The order is row by row from the upper left, or that of the list.
    radius : int
        1 to 16.
    counts : bool
        Whether the function is of the numbers of neighbours in each state.
    name : str, optional
        Default: that of the function.

    Returns
    -------
    Rule
        Without a function, a decorator that makes one.

    Raises
    ------
    InputError
        More than 2^24 entries of the table, a function that fails or returns no state and no probability, or an argument that is wrong.

    Examples
    --------
    >>> @rule(states=3)
    ... def excitable(cell, neighbours):
    ...     if cell == 0:
    ...         return int(1 in neighbours)
    ...     return (cell + 1) % 3
    >>> excitable
    <Rule excitable-4a09ce4c: 3 states, 8 neighbours, 19683 entries>
    """
    states = _values.whole("states", states, 2, 256)
    radius = _values.whole("radius", radius, 1, MOST_RADIUS)
    counts = _values.truth("counts", counts)
    hood = _Hood(neighbourhood, radius)
    label = None if name is None else _label(_values.argument("name", name))

    def make(of: Any) -> Rule:
        return _made(of, states, hood, counts, label)

    return make if function is None else make(function)


def named(rule: Any, shape: Any) -> Any:
    """The rule of a universe as text. Wolfram's rules draw their history below a line; in a single row they go on in the row."""
    if isinstance(rule, os.PathLike):
        return _values.path("rule", rule)
    wolfram = re.fullmatch(r"W(\d{1,3})", rule, re.IGNORECASE) if isinstance(rule, str) else None
    if wolfram is None or shape is None or _values.sides(shape)[:-1] != (1,) or int(wolfram[1]) > 255:
        return rule
    number = int(wolfram[1])
    return _made(lambda cell, near: number >> (4 * int(near[0]) + 2 * cell + int(near[1])) & 1, 2, _Hood("line", 1), False, f"Wolfram-{number}")


def _label(name: str) -> str:
    label = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")
    return label if label[:1].isalpha() else "rule-" + label if label else "rule"


class _Hood:
    """A neighbourhood: its offsets as the user orders them, and as a rule file does."""

    LETTERS = {
        "moore": "M", "vonneumann": "N", "hexagonal": "H", "circle": "C", "euclidean": "2", "cross": "+", "cube": "3DM", "faces": "3DN",
        "ball": "3D2", "line": "", "onedimensional": "",
    }  # fmt: skip

    def __init__(self, given: Any, radius: int) -> None:
        if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
            given = {1: "line", 2: "moore", 3: "cube"}.get(int(given), given)
        self.offsets: list[tuple[int, ...]]
        if isinstance(given, str):
            folded = re.sub(r"[^a-z0-9]", "", given.lower())
            if folded not in self.LETTERS:
                raise InputError(
                    f"neighbourhood {given!r}: moore, von neumann, hexagonal, line, circle, cube, faces, ball and lists of offsets are allowed"
                )
            self.cells = self.LETTERS[folded] + str(radius) if self.LETTERS[folded] else ""
            self.offsets = list(_shape(self.LETTERS[folded], radius))
            self.order = list(range(len(self.offsets)))
        else:
            self.offsets = _offsets(given)
            self.cells = ""
            self.order = sorted(range(len(self.offsets)), key=lambda i: self.offsets[i])
        if not self.cells:
            self.cells = " ".join("(%d,%d)" % self.offsets[i][::-1] for i in self.order)


def _shape(letter: str, r: int) -> Iterator[tuple[int, ...]]:
    """Offsets of a shape, row by row."""
    span = range(-r, r + 1)
    if letter.startswith("3D"):
        for z, y, x in itertools.product(span, span, span):
            far = {"3DM": 1, "3DN": abs(x) + abs(y) + abs(z) <= r, "3D2": x * x + y * y + z * z <= r * r}[letter]
            if far and (z, y, x) != (0, 0, 0):
                yield z, y, x
        return
    for y, x in itertools.product(span, span):
        inside = {
            "M": True, "N": abs(x) + abs(y) <= r, "H": abs(x - y) <= r, "C": x * x + y * y <= r * r + r, "2": x * x + y * y <= r * r,
            "+": x == 0 or y == 0, "": y == 0,
        }[letter]  # fmt: skip
        if inside and (y, x) != (0, 0):
            yield y, x


def _offsets(given: Any) -> list[tuple[int, ...]]:
    allowed = f"pairs of whole numbers are allowed, rows and columns, at most {MOST_RADIUS} away, each once and without (0, 0)"
    try:
        offsets = [tuple(_values.whole("offset", n + MOST_RADIUS, 0, 2 * MOST_RADIUS) - MOST_RADIUS for n in pair) for pair in given]
    except (TypeError, ValueError):
        raise InputError(f"neighbourhood {_values.shown(given)}: {allowed}") from None
    if not offsets or any(len(o) != 2 for o in offsets) or (0, 0) in offsets or len(set(offsets)) < len(offsets):
        raise InputError(f"neighbourhood {_values.shown(given)}: {allowed}")
    return offsets


def _made(of: Any, states: int, hood: _Hood, counts: bool, label: Optional[str]) -> Rule:
    near = len(hood.offsets)
    entries = states * math.comb(near + states - 1, states - 1) if counts else states ** (near + 1)
    if entries > MOST_ENTRIES:
        size = str(entries) if entries < 10**15 else f"10^{len(str(entries)) - 1}"
        hint = "" if counts else "; counts=True, or an own list of offsets, takes fewer"
        raise InputError(f"{states} states of {near} neighbours have {size} cases: {MOST_ENTRIES} are allowed{hint}")
    cases = _Cases(states, near, hood.order, counts, entries)
    if callable(of):
        results = _evaluated(of, cases)
        label = label or _label(getattr(of, "__name__", "rule"))
        about = inspect.getdoc(of) or ""
        call = of
    else:
        table = _array(of, cases)
        results = _Results(cases)
        results.take(cases.of_table(table), slice(None))
        label, about, call = label or "table", "", None
    lines = [f"n_states:{states}", f"neighborhood:{hood.cells}", f"inputs:{'counts' if counts else 'states'}", *results.outcomes()]
    entries_bytes = results.next.tobytes()
    digest = hashlib.sha256("\n".join(lines).encode() + entries_bytes).hexdigest()  # compressed bytes depend on the version of zlib
    packed = base64.b64encode(zlib.compress(entries_bytes, 9)).decode()
    lines += ["table:", *textwrap.wrap(packed, 120)]
    function = "\n".join(lines) + "\n"
    name = f"{label}-{digest[:8]}"
    about = "".join(f"{line}\n" for line in about.splitlines() if not line.startswith("@"))
    text = f"@RULE {name}\n{about}\n@FUNCTION\n{function}"
    return Rule(name, states, hood.offsets, entries, text, call)


class _Cases:
    """All arguments of a function, in the order of a rule file's table."""

    def __init__(self, states: int, near: int, order: list[int], counts: bool, entries: int) -> None:
        self.states, self.near, self.order, self.counts, self.entries = states, near, order, counts, entries
        self.each = entries // states  # of each state of the cell
        self._vectors = _compositions(near, states - 1) if counts else None

    def arguments(self, numbers: npt.NDArray[np.intp]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The state of the cell and its neighbours (or the numbers in each state) of some cases, which are the last axis."""
        cell, rest = np.divmod(numbers, self.each)
        if self._vectors is not None:
            later = self._vectors[rest].T.astype(np.int64)
            return cell, np.concatenate([self.near - later.sum(axis=0, keepdims=True), later])
        near = np.empty((self.near, len(numbers)), np.int64)
        for i in reversed(self.order):
            rest, near[i] = np.divmod(rest, self.states)
        return cell, near

    def of_table(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The entries of a table in the order of a rule file's."""
        if self._vectors is not None:
            return np.concatenate([table[c][tuple(self._vectors.T)] for c in range(self.states)])
        return table.transpose([0] + [1 + i for i in self.order]).reshape(-1)


def _compositions(n: int, parts: int) -> npt.NDArray[np.uint16]:
    """All vectors of some numbers whose sum is at most n, in lexicographic order."""
    rows = np.zeros((1, 0), np.uint16)
    left = np.array([n])
    for _ in range(parts):
        repeat = left + 1
        begin = np.repeat(np.cumsum(repeat) - repeat, repeat)
        number = np.arange(len(begin)) - begin
        rows = np.concatenate([np.repeat(rows, repeat, axis=0), number[:, np.newaxis].astype(np.uint16)], axis=1)
        left = np.repeat(left, repeat) - number
    return rows


def _array(of: Any, cases: _Cases) -> npt.NDArray[Any]:
    try:
        table = np.asarray(of)
    except Exception:  # lists of unequal lengths, and all that an object's own method may raise
        table = np.zeros(0)
    axes = [cases.near + 1] * (cases.states - 1) if cases.counts else [cases.states] * cases.near
    if table.shape != (cases.states, *axes):
        raise InputError(
            f"a table of shape {table.shape}: a function, or an array of shape {_short((cases.states, *axes))}, is allowed"
        )
    return table


def _short(shape: tuple[int, ...]) -> str:
    return str(shape) if len(shape) < 12 else f"({shape[0]}, {shape[1]}, …), {len(shape)} axes"


class _Results:
    """Results of a function as numbers: states, and outcomes behind them."""

    def __init__(self, cases: _Cases) -> None:
        self.cases = cases
        self.next = np.zeros(cases.entries, np.uint8)
        self._number: dict[tuple[tuple[int, int], ...], int] = {}

    def take(self, values: npt.NDArray[Any], where: Any) -> None:
        """Takes an array of states, or of probabilities."""
        if values.dtype.kind == "f":
            numbers = np.arange(self.cases.entries)[where]
            for cell in range(self.cases.states):
                of = numbers // self.cases.each == cell
                distinct, which = np.unique(values[of], return_inverse=True)
                self.next[numbers[of]] = np.array([self._outcome(v, cell) for v in distinct] or [0], np.uint8)[which]
            return
        if values.dtype.kind not in "biu":
            raise InputError(f"a table of type {values.dtype}: integers are states and floats are probabilities")
        if values.size and (values.min() < 0 or values.max() >= self.cases.states):
            bad = values[(values < 0) | (values >= self.cases.states)][0]
            raise InputError(f"the function returns {bad}: states 0 to {self.cases.states - 1} are allowed")
        self.next[where] = values

    def one(self, entry: int, value: Any) -> None:
        """Takes one result: a state, a probability, or the probability of each state."""
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value.item()
        if isinstance(value, (bool, int, np.integer, np.bool_)):
            if not 0 <= value < self.cases.states:
                raise InputError(f"the function returns {_values.shown(value)}: states 0 to {self.cases.states - 1} are allowed")
            self.next[entry] = value
            return
        self.next[entry] = self._outcome(value, entry // self.cases.each)

    def _outcome(self, value: Any, cell: int) -> int:
        states = self.cases.states
        if isinstance(value, (float, np.floating)):
            p = float(value)
            if not 0 <= p <= 1:
                raise InputError(f"the function returns {p}: a float is a probability, from 0 to 1, and an int is a state")
            on = 1 if states == 2 else (cell + 1) % states
            shares = [(on, p), (0 if states == 2 else cell, 1 - p)]
        else:
            try:
                shares = [(state, float(p)) for state, p in enumerate(value)]
            except (TypeError, ValueError):
                shares = []
            if len(shares) != states or not all(0 <= p <= 1 for _, p in shares) or abs(sum(p for _, p in shares) - 1) > 1e-6:
                raise InputError(
                    f"the function returns {_values.shown(value)}: a state, a probability, or {states} probabilities that add up to 1 are allowed"
                )
        outcome: list[tuple[int, int]] = []
        total = 0.0
        for i, (state, p) in enumerate(shares):
            total += p
            below = _CERTAIN if i == len(shares) - 1 else min(_CERTAIN, int(total * _CERTAIN + 0.5))
            if below > (outcome[-1][0] if outcome else 0):
                outcome.append((below, state))
        if len(outcome) == 1:
            return outcome[0][1]
        key = tuple(outcome)
        if key not in self._number:
            if states + len(self._number) == 256:
                raise InputError(f"more than {256 - states} different probabilities: round them")
            self._number[key] = states + len(self._number)
        return self._number[key]

    def outcomes(self) -> list[str]:
        return ["outcome:" + " ".join(f"{below} {state}" for below, state in key) for key in self._number]


def _evaluated(function: Callable[..., Any], cases: _Cases) -> _Results:
    """The results of a function for all cases."""
    results = _Results(cases)
    some = np.arange(cases.entries)
    if cases.entries > _FEW:
        some = np.unique(np.linspace(0, cases.entries - 1, _SAMPLE).astype(np.intp))
        _one_by_one(function, cases, some, results)
        sampled = results.next[some].copy()
        with np.errstate(all="ignore"):
            if _at_once(function, cases, results) and np.array_equal(results.next[some], sampled):
                return results
        some = np.arange(cases.entries)
    results = _Results(cases)
    _one_by_one(function, cases, some, results)
    return results


def _one_by_one(function: Callable[..., Any], cases: _Cases, numbers: npt.NDArray[np.intp], results: _Results) -> None:
    for begin in range(0, len(numbers), _FEW):
        part = numbers[begin : begin + _FEW]
        cells, near = cases.arguments(part)
        near = np.ascontiguousarray(near.T)
        for i, n in enumerate(part.tolist()):
            try:
                value = function(int(cells[i]), near[i])
            except Exception as error:
                what = " ".join(f"{type(error).__name__}: {error}".split())
                raise InputError(f"the function fails for cell {cells[i]} and neighbours {near[i].tolist()}: {what}") from error
            results.one(n, value)


def _at_once(function: Callable[..., Any], cases: _Cases, results: _Results) -> bool:
    """Calls the function with arrays. False if it does not take them."""
    step = 1 << 18
    for begin in range(0, cases.entries, step):
        numbers = np.arange(begin, min(begin + step, cases.entries))
        try:
            values = np.asarray(function(*cases.arguments(numbers)))
        except Exception:  # it is a function of single cells
            return False
        if values.shape != numbers.shape or values.dtype.kind not in "biu" and (values.dtype.kind != "f" or cases.states > 2):
            return False
        if values.dtype.kind == "f" and len(np.unique(values)) > 256:
            return False
        results.take(values, slice(begin, begin + len(numbers)))
    return True
