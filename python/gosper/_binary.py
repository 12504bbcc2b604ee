"""Finds the gosper program: the one in the package, or the one on the PATH."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

from ._errors import GosperError


@lru_cache(maxsize=None)
def binary() -> str:
    """Path of the program that computes.

    ``$GOSPER_BINARY`` comes first, then the one inside the package, then ``gosper`` on the ``PATH``.
    """
    named = os.environ.get("GOSPER_BINARY")
    if named:
        return named
    name = "gosper.exe" if os.name == "nt" else "gosper"
    inside = Path(__file__).parent / "bin" / name
    if inside.exists():
        return str(inside)
    found = shutil.which(name)
    if found is None:
        raise GosperError(
            "the program gosper was not found: install the wheel for your platform, "
            "or put gosper on the PATH, or its path into $GOSPER_BINARY"
        )
    return found


def version() -> str:
    """What ``gosper version`` prints."""
    return subprocess.run([binary(), "version"], check=True, capture_output=True, text=True).stdout.strip()
