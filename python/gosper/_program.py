"""Runs commands of the gosper program, which finds the rules that this process has made."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from typing import Any, Callable, Optional

from ._binary import binary
from ._errors import GosperError, InputError

_folder: Optional[tempfile.TemporaryDirectory[str]] = None


def keep(name: str, text: str) -> None:
    """Writes a rule file where programs find it by its name as long as this process runs."""
    global _folder
    if _folder is None:
        _folder = tempfile.TemporaryDirectory(prefix="gosper-rules-")
    with open(os.path.join(_folder.name, name + ".rule"), "w", encoding="utf-8") as f:
        f.write(text)


def environment() -> dict[str, str]:
    """The environment of programs."""
    found = dict(os.environ)
    if _folder is not None:
        found["GOSPER_RULES"] = os.pathsep.join(filter(None, [_folder.name, found.get("GOSPER_RULES")]))
    return found


def run(*args: str, more: Optional[dict[str, str]] = None, wrong: Callable[[], str] = str) -> Any:
    """Runs a command that prints JSON, with more variables in its environment.

    Its progress goes to the terminal. Ctrl-C also reaches the command, which then saves what it has. If wrong is given and
    returns a text, the command ends early, and the text is the message of an InputError.
    """
    process = subprocess.Popen(
        [binary(), *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**environment(), **(more or {})}
    )
    interrupted, ended = None, False
    while True:
        try:
            out, err = process.communicate(timeout=None if wrong is str or ended else 0.1)
            break
        except KeyboardInterrupt as pressed:
            interrupted = pressed
        except subprocess.TimeoutExpired:
            if wrong():
                process.terminate()
                ended = True
    if interrupted is not None:
        raise interrupted
    if text := wrong():
        raise InputError(text)
    if process.returncode != 0:
        lines = [line.removeprefix("gosper: ") for line in err.splitlines() if line.strip()]
        message = lines[-1] if lines else f"gosper {args[0]} ended with code {process.returncode}"
        raise (InputError if process.returncode == 2 else GosperError)(message)
    return json.loads(out)
