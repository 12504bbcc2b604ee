"""Critical points, exponents and figures of ensembles."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterable, Optional, Union

from . import _values
from ._errors import InputError
from ._program import run
from ._study import Ensemble, _flag, _in_python, _several
from ._values import PathLike

Studies = Union[Ensemble, PathLike, Iterable[Union[Ensemble, PathLike]]]


def _folders(studies: Studies) -> list[str]:
    """The folders of one study or several."""
    if isinstance(studies, Ensemble):
        studies = [studies]
    folders = [str(s.folder) if isinstance(s, Ensemble) else _values.path("studies", s) for s in _several(studies)]
    if not folders:
        raise InputError("studies []: one or more ensembles, or their folders, are allowed")
    return folders


def _ensemble(command: str, studies: Studies, flags: list[str]) -> dict[str, Any]:
    folders = _folders(studies)
    try:
        found: dict[str, Any] = run("ensemble", command, *flags, "--json", "--", *folders)
    except InputError as error:
        raise InputError(_in_python(str(error))) from None
    return found


def crossing(
    studies: Studies,
    quantity: str,
    *,
    against: Optional[str] = None,
    value: Optional[float] = None,
    degree: Optional[int] = None,
    generation: Optional[int] = None,
) -> list[dict[str, Any]]:
    """Finds where curves of a quantity cross, one curve for each size.

    Parameters
    ----------
    studies : Ensemble, path, or several of either
        Ensembles or their folders, without common places. Points near a critical point can be an ensemble of their own.
    quantity : str
        Such as "binder" or "percolating".
    against : str, optional
        "density", or a parameter of the rules or starts, such as "T". Default: the only one that differs.
    value : float, optional
        Find where each curve reaches this value. Default: where two curves cross.
    degree : int, optional
        Of the polynomials, 1 to 4. Default: the best fit from 2 on.
    generation : int, optional
        Of the samples. Default: averages over time if there are some, else the last generation.

    Returns
    -------
    list of dict
        With curves, critical, critical_error, value, value_error, degree, chi_squared, degrees_of_freedom and widened.
    """
    flags = _flag("quantity", quantity) + _flag("against", against) + _flag("value", value) + _flag("degree", degree) + _flag("generation", generation)
    found: list[dict[str, Any]] = _ensemble("crossing", studies, flags)["crossings"]
    return found


def exponent(
    studies: Studies,
    quantity: str = "density",
    *,
    first: Optional[int] = None,
    last: Optional[int] = None,
    generation: Optional[int] = None,
) -> list[dict[str, Any]]:
    """Finds the power of time that a quantity follows, or the power of cluster sizes ("n_s"), or of the number in a quantity's name.

    Parameters
    ----------
    studies, generation
        As for ``crossing``. The generation is that of cluster sizes, and of quantities with a number.
    quantity : str
        Such as "density", "squares/live", "n_s" or "avalanche_size_from".
    first, last : int, optional
        Range of generations, sizes or numbers. Default: all; "n_s" needs the last.

    Returns
    -------
    list of dict
        For each place: rule, topology, start, density, exponent and exponent_error. Shares of sizes, such as "avalanche_size_from", also have tau,
        tau_error, smallest_size, largest_size and ks_distance: the most likely exponent of the sizes, and for which sizes it is.
    """
    flags = _flag("quantity", quantity) + _flag("generation", generation)
    for name, key, bound in (("first", "from", first), ("last", "to", last)):
        if bound is not None:
            flags.append(f"--{key}={_values.whole(name, bound)}")
    found: list[dict[str, Any]] = _ensemble("exponent", studies, flags)["exponents"]
    return found


def collapse(
    studies: Studies,
    quantity: str,
    *,
    against: Optional[str] = None,
    least: Optional[float] = None,
    most: Optional[float] = None,
    least_size: Optional[float] = None,
    critical: Optional[float] = None,
    inverse_nu: Optional[float] = None,
    beta_over_nu: Optional[float] = None,
    generation: Optional[int] = None,
    out: Optional[PathLike] = None,
) -> list[dict[str, Any]]:
    """Finds the critical point and the exponents that put the curves of all sizes on one (finite-size scaling).

    Parameters
    ----------
    studies, quantity, against, generation
        As for ``crossing``.
    least, most : float, optional
        Range of the axis. Default: all points.
    least_size : float, optional
        Leave out smaller sizes.
    critical, inverse_nu, beta_over_nu : float, optional
        Values that are known. Default: find them.
    out : path, optional
        Figure of the common curve, .png, .svg or .pdf.

    Returns
    -------
    list of dict
        For each model: critical, inverse_nu and beta_over_nu with their errors, quality, points and more.
    """
    flags = _flag("quantity", quantity) + _flag("against", against) + _flag("critical", critical) + _flag("inverse-nu", inverse_nu)
    flags += _flag("beta-over-nu", beta_over_nu) + _flag("least-size", least_size) + _flag("generation", generation)
    for name, key, bound in (("least", "from", least), ("most", "to", most)):
        if bound is not None:
            flags.append(f"--{key}={_values.real(name, bound)}")
    if out is not None:
        flags.append(f"--out={_values.path('out', out)}")
    found: list[dict[str, Any]] = _ensemble("collapse", studies, flags)["collapses"]
    return found


def plot(
    studies: Studies,
    *,
    against: Optional[str] = None,
    rule: Union[str, Iterable[str]] = (),
    generation: Optional[int] = None,
    log: Optional[str] = None,
    format: str = "png",
    width: Optional[float] = None,
    style: Optional[PathLike] = None,
    out: Optional[PathLike] = None,
) -> list[Path]:
    """Draws the standard figures of ensembles, several studies in one figure, and returns the files.

    Parameters
    ----------
    studies, generation
        As for ``crossing``.
    against : str, optional
        Horizontal axis: "generation", "density", "size", or a parameter such as "T"; two with a comma for a heat map. Default: depends on the data.
    rule : one or several, optional
        Rules to draw. Default: all.
    log : str, optional
        Logarithmic axes: "x", "y", "xy" or "none". Default: depends on the quantity.
    format : str
        "png", "svg" or "pdf".
    width : float, optional
        Width of the figures in mm, such as 86 for the column of a journal.
    style : path, optional
        A file .toml or .json with the size, the font size, the colours and more; docs/ensembles.md lists its keys.
    out : path, optional
        Folder of the figures. Default: that of the first study.
    """
    flags = _flag("against", against) + _flag("generation", generation) + _flag("log", log) + _flag("format", format)
    for one in _several(rule):
        flags += _flag("rule", one)
    if width is not None:
        flags.append(f"--width={_values.real('width', width)}")
    for name, path in (("style", style), ("out", out)):
        if path is not None:
            flags.append(f"--{name}={_values.path(name, path)}")
    return [Path(path) for path in _ensemble("plot", studies, flags)["out"]]
