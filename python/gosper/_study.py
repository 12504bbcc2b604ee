"""Ensembles, censuses and other commands that report JSON."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable, Optional, Union

from . import _call, _values
from ._errors import GosperError, InputError
from ._program import run
from ._values import PathLike


def rules(search: str = "") -> list[dict[str, Any]]:
    """The named rules, or those whose names or notations match a search: dictionaries with name, aliases, rule, kind and source.

    >>> [found["rule"] for found in rules("star wars")]
    ['345/2/4']
    """
    found: list[dict[str, Any]] = run("rules", "--json", *_search(search))
    return found


def patterns(search: str = "") -> list[dict[str, Any]]:
    """The built-in patterns, or those whose names match a search: dictionaries with name, aliases, rule and comment."""
    found: list[dict[str, Any]] = run("patterns", "--json", *_search(search))
    return found


def explain(rule: str) -> dict[str, Any]:
    """The meaning and the cost of a rule, as ``gosper rule`` reports them. Raises InputError, with what is allowed, for a text that is no rule."""
    found: dict[str, Any] = run("rule", "--json", "--", _values.argument("rule", rule))
    return found


def engines() -> list[dict[str, Any]]:
    """The engines and what they run on here."""
    found: list[dict[str, Any]] = run("engines", "--json")
    return found


def identify(pattern: PathLike, *, rule: Optional[str] = None) -> dict[str, Any]:
    """Names a pattern: apgcode, name, kind, period, speed, and the objects that it settles into.

    Parameters
    ----------
    pattern : path or str
        A file, a built-in pattern, an apgcode or a soup of Catagolue.
    rule : str, optional
        Default: the pattern's.

    Notes
    -----
    Rules of two states and Generations, of radius up to 6, have apgcodes. Under other rules, and in universes with
    edges, "apgcode" and "ash" are None.

    Examples
    --------
    >>> identify("glider")["speed"]
    'c/4 diagonal'
    """
    found: dict[str, Any] = run("identify", *_flag("rule", rule), "--json", "--", _values.path("pattern", pattern))
    return found


def census(
    rule: str = "B3/S23",
    soups: int = 10000,
    *,
    seed: Optional[str] = None,
    symmetry: str = "C1",
    first: int = 0,
    threads: Optional[int] = None,
) -> dict[str, Any]:
    """Counts the objects that random soups settle into, as apgsearch does.

    Parameters
    ----------
    rule : str
        Two states, eight neighbours, no B0.
    soups : int
        Number of soups.
    seed : str, optional
        Root of the soups' seeds. The same root gives the same census on every machine. Default: a random one, which the result names.
    symmetry : str
        As Catagolue names it.
    first : int
        Number of the first soup.
    threads : int, optional
        Default: all cores.

    Returns
    -------
    dict
        With ``census``: a list of dictionaries with apgcode, name, count, share, share_error and first_soup, the commonest first.
    """
    found: dict[str, Any] = run(
        "census", *_flag("soups", soups), *_flag("symmetry", symmetry), *_flag("first", first), *_flag("seed", seed),
        *_flag("threads", threads), "--json", "--quiet", "--", _values.argument("rule", rule),
    )  # fmt: skip
    return found


@dataclass(frozen=True)
class Ensemble:
    """Results of an ensemble.

    Attributes
    ----------
    folder : pathlib.Path
        The folder of the results. The same call with this folder continues the ensemble, or extends it. ``Ensemble(folder)`` opens one that
        ``gosper ensemble run`` has made.
    report : dict
        What ``gosper ensemble run --json`` prints; empty for a folder that was opened.
    """

    folder: Path
    report: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", Path(_values.path("folder", self.folder)))

    def __repr__(self) -> str:
        universes = f" of {self.report['universes']} universes" if "universes" in self.report else ""
        return f"<Ensemble{universes} in {self.folder}: {', '.join(self.tables)}>"

    @property
    def tables(self) -> list[str]:
        """Names of the tables. docs/ensembles.md explains their columns."""
        return sorted({path.stem for suffix in ("csv", "parquet") for path in self.folder.glob(f"*.{suffix}")})

    def table(self, name: str = "summary") -> Any:
        """A table as a pandas.DataFrame.

        Parameters
        ----------
        name : str
            One of ``tables``.

        Raises
        ------
        GosperError
            pandas is missing, or pyarrow for an ensemble of the command line, which has Parquet.
        """
        try:
            import pandas  # type: ignore[import]
        except ImportError:
            raise GosperError("a table needs pandas: pip install pandas, or read the .csv files of the folder") from None
        if not isinstance(name, str) or name not in self.tables:
            raise InputError(f"there is no table {_values.shown(name)}: {', '.join(self.tables)} are allowed")
        path = self.folder / f"{name}.csv"
        if path.exists():
            return pandas.read_csv(path)
        path = path.with_suffix(".parquet")
        try:
            return pandas.read_parquet(path)
        except ImportError:
            raise GosperError(
                f"{path}: Parquet needs pyarrow: pip install pyarrow, or write CSV: gosper ensemble run … --format csv"
            ) from None


def ensemble(
    rule: Union[str, Iterable[str]] = "B3/S23",
    *,
    size: Union[int, str, Iterable[Union[int, str]]] = 128,
    topology: Optional[str] = None,
    density: Union[None, float, str, Iterable[float]] = None,
    universes: int = 100,
    generations: int = 1000,
    every: Optional[int] = None,
    times: Iterable[int] = (),
    warmup: Optional[int] = None,
    measure: Any = (),
    root: Optional[str] = None,
    paired: bool = False,
    engine: str = "auto",
    threads: Optional[int] = None,
    out: Optional[PathLike] = None,
    **more: Any,
) -> Ensemble:
    """Runs many random universes and measures them, with error bars.

    Parameters
    ----------
    rule, size, density : one or several
        All combinations are run. A density may be a range: ``"0.1..0.9/0.1"``. Default: 0.5, if the first cells have one.
    topology : str, optional
        As for ``Universe``. Default: a torus.
    universes, generations : int
        Universes of each combination, and how long each runs.
    every : int, optional
        Generations between samples. Default: only the last is sampled.
    times : sequence of int
        Further generations to sample.
    warmup : int, optional
        First generation of the averages over time, table ``averages``. Default: no such table.
    measure : one or several
        What to measure besides density: activity, entropy, correlation, clusters, percolation, settling, census, and those of docs/measures.md:
        magnetisation, energy, potts, structure, spectrum, mutual, agreement, autocorrelation, spreading, damage, avalanches, fires, patterns, bits, states.

        A function is a measure, too: it gets the states of a universe as an array (and the generation, if it has a parameter of that name) and
        returns a number. It is called at each sample, in several processes under Linux. Its name, or the key in ``{"name": function}``,
        is the quantity; ``{("mean", "largest"): function}`` has several. ``measure=["clusters", holes]`` mixes both.
    root : str, optional
        Root of the seeds.
    paired : bool
        Universe i has the same seed for every rule, size and density.
    engine, threads
        What computes.
    out : path, optional
        Folder for the results. An interrupted call continues when it is repeated with the same measures. Default: a new temporary folder.
    **more
        Other flags of ``gosper ensemble run``: ``connectivity=4``, ``until_error="density=0.001"``, ``start=["cell", "exact~1=500"]``.

    Returns
    -------
    Ensemble
        With tables of means, their errors, and samples.

    Raises
    ------
    InputError
        A wrong argument, a measure that returns no number, or ``out`` with the results of another ensemble.
    KeyboardInterrupt
        Ctrl-C ends the ensemble. With ``out``, the same call continues it.
    """
    measures, functions = _call.divide([measure] if isinstance(measure, dict) else _several(measure))
    args = _flag("universes", universes) + _flag("generations", generations) + _flag("engine", engine)
    for name, values in (("rule", rule), ("size", size), ("density", density), ("times", times), ("measure", measures), *more.items()):
        for value in _several(values):
            args += _flag(name.replace("_", "-"), value)
    args += _flag("topology", topology) + _flag("every", every) + _flag("warmup", warmup) + _flag("root", root) + _flag("threads", threads)
    if _values.truth("paired", paired):
        args.append("--paired")
    if functions:
        try:
            known = _call.digest(functions)
        except InputError:
            if out is not None:
                raise
            known = secrets.token_hex(8)  # nothing continues in a folder of unknown functions
        args += ["--measure=call", f"--call-id={known}"]
        args += _flag("calls", ",".join(name for _, names, _ in functions for name in names))
    folder = Path(tempfile.mkdtemp(prefix="gosper-ensemble-") if out is None else _values.path("out", out))
    command = ["ensemble", "run", "--out", str(folder), "--format", "csv", "--json", "--quiet", *args]
    try:
        if not functions:
            return Ensemble(folder, run(*command))
        workers = (os.cpu_count() or 1) if threads is None else _values.whole("threads", threads, 1, 1 << 10)
        with _call.Answers(functions, workers, out is None) as answers:
            return Ensemble(folder, run(*command, more=answers.environment, wrong=answers.wrong))
    except BaseException as error:
        if out is None and str(folder) not in str(error):  # nobody knows its name
            shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, InputError):
            raise InputError(_in_python(str(error))) from None
        raise


def _several(values: Any) -> list[Any]:
    """One value, or the values of a list, tuple, array, …"""
    if isinstance(values, (str, bytes, os.PathLike)):
        return [values]
    try:
        return list(values)
    except TypeError:  # not iterable
        return [values]


def _in_python(message: str) -> str:
    """An error of the command line in Python's words: its flag --until-error is the argument until_error."""
    message = re.sub(r'^calls "(\w+)": (there is another quantity of this name)$', r'measure \1: \2: use {"another_name": function}', message)
    message = re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda flag: flag[1].replace("-", "_"), message)
    return message.replace("unknown flag", "unknown argument")


def _flag(name: str, value: Any) -> list[str]:
    return [] if value is None else [f"--{name}={_values.argument(name.replace('-', '_'), value)}"]


def _search(search: Any) -> list[str]:
    text = _values.argument("search", search)
    return ["--", text] if text else []
