"""Checks arguments before they are used. A wrong argument raises InputError, with one line that says what is allowed."""

from __future__ import annotations

import math
import operator
import os
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from ._errors import InputError

PathLike = Union[str, "os.PathLike[str]"]


def shown(value: Any) -> str:
    """A value in a message: as Python writes it if that is short, else its type."""
    try:
        text = repr(value)
    except Exception:  # whole numbers that are too long for text, among others
        text = "\n"
    return text if len(text) <= 60 and text.isprintable() else f"a value of type {type(value).__name__}"


def whole(name: str, value: Any, least: int = 0, most: int = (1 << 64) - 1) -> int:
    """A whole number within limits. 1e6 is a whole number, too."""
    try:
        n = int(value) if isinstance(value, float) and value == math.floor(value) else operator.index(value)
    except (TypeError, ValueError, OverflowError):
        n = least - 1
    if not least <= n <= most:
        largest = "2^64 - 1" if most == (1 << 64) - 1 else str(most)
        raise InputError(f"{name} {shown(value)}: a whole number from {least} to {largest} is allowed")
    return n


def real(name: str, value: Any) -> float:
    """A finite number."""
    try:
        x = math.nan if isinstance(value, (str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        x = math.nan
    if not math.isfinite(x):
        raise InputError(f"{name} {shown(value)}: a finite number is allowed")
    return x


def truth(name: str, value: Any) -> bool:
    """A truth value, or what Python takes for one."""
    try:
        return bool(value)
    except Exception:  # arrays of several values
        raise InputError(f"{name} {shown(value)}: True and False are allowed") from None


_MOST = 2_000_000_000  # cells of a side
_SHAPES = f"two whole numbers from 1 to {_MOST} are allowed, rows and columns, or three, layers, rows and columns, or one for all"


def sides(shape: Any, dimensions: int = 2) -> tuple[int, ...]:
    """Rows and columns, or layers, rows and columns. One number stands for all sides of so many dimensions, one of a list for a single row."""
    try:
        given = tuple(shape)
    except TypeError:
        given = (shape,) * dimensions
    if len(given) == 1:
        given = (1, *given)
    if isinstance(shape, (str, bytes)) or len(given) not in (2, 3):
        raise InputError(f"shape {shown(shape)}: {_SHAPES}")
    try:
        return tuple(whole("shape", side, 1, _MOST) for side in given)
    except InputError:
        raise InputError(f"shape {shown(shape)}: {_SHAPES}") from None


def size(shape: Any) -> str:
    """A shape as the command line has it: "WxH", "WxHxD", or "N" for one number, whose dimensions are those of the rule."""
    try:
        tuple(shape)
    except TypeError:
        return str(sides(shape)[0])
    return "x".join(str(side) for side in reversed(sides(shape)))


def path(name: str, value: Any) -> str:
    """A path as text."""
    try:
        text = os.fspath(value)
    except TypeError:
        text = ""
    if not isinstance(text, str) or not text or "\0" in text:
        raise InputError(f"{name} {shown(value)}: a path is allowed")
    return text


def argument(name: str, value: Any) -> str:
    """A number or text for a command line."""
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:  # numpy's numbers and texts
        value = value.item()
    if isinstance(value, os.PathLike):
        value = path(name, value)
    if not isinstance(value, (bool, int, float, str)):
        hint = "; gosper.rule makes a rule of a function or a table" if name == "rule" and (callable(value) or hasattr(value, "shape")) else ""
        raise InputError(f"{name} {shown(value)}: numbers and text are allowed{hint}")
    try:
        text = str(value)
    except ValueError:  # whole numbers that are too long for text
        text = "\0"
    if "\0" in text:
        raise InputError(f"{name} {shown(value)}: numbers and text are allowed")
    return text


MOST_REGIONS = 1 << 18


def regions(value: Any) -> Optional[str]:
    """Densities of regions as a start, or None for one number."""
    try:
        array = np.asarray(value)
    except Exception:  # lists of unequal lengths, and all that an object's own method may raise
        array = np.asarray(None)
    if array.ndim == 0:
        return None
    if array.ndim != 2 or array.dtype.kind not in "biuf" or not array.size or not bool(np.all((array >= 0) & (array <= 1))):
        raise InputError(f"density {shown(value)}: a number, or rows of numbers, from 0 to 1 are allowed")
    if array.size > MOST_REGIONS:
        raise InputError(f"density of shape {array.shape}: at most {MOST_REGIONS} regions are allowed")
    return "regions~" + ",".join(f"{i}=" + ":".join(f"{p:.9g}" for p in row) for i, row in enumerate(array.astype(float), 1))


def states(cells: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    try:
        array = np.asarray(cells)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"cells {shown(cells)}: arrays of integers and booleans are allowed") from None
    if array.dtype == np.bool_:
        return array.astype(np.uint8)
    if array.dtype.kind not in "iu":
        raise InputError(f"cells of type {array.dtype}: integers and booleans are allowed")
    if array.size and (array.min() < 0 or array.max() > 255):
        raise InputError("cells have states of 0 to 255")
    return array.astype(np.uint8)
