"""Measures of ensembles that are functions of Python.

The program asks for the numbers of each sample over a Unix socket. Processes that are copies of this one answer, or, where processes cannot be
copied safely, threads of this one.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import os
import re
import signal
import socket
import struct
import sys
import tempfile
import threading
import traceback
from types import TracebackType
from typing import Any, Callable, Optional, Sequence

import numpy as np

from . import _digest, _values
from ._errors import GosperError, InputError

Measure = tuple[Callable[..., Any], tuple[str, ...], bool]  # a function, the names of its numbers, and whether it gets the generation

_ALLOWED = "the name of a measure, a function, or {name: function} are allowed, and {(name, name): function} for several numbers"


def divide(measures: Sequence[Any]) -> tuple[list[Any], list[Measure]]:
    """Measures of the command line, and functions."""
    names: list[Any] = []
    functions: list[Measure] = []
    for measure in measures:
        if isinstance(measure, dict):
            for name, function in measure.items():
                functions.append(_measure(function, name if isinstance(name, tuple) else (name,)))
        elif callable(measure):
            functions.append(_measure(measure, (re.sub(r"\W", "", getattr(measure, "__name__", "")),)))
        elif isinstance(measure, (str, np.str_)):
            names.append(measure)
        else:
            raise InputError(f"measure {_values.shown(measure)}: {_ALLOWED}")
    return names, functions


def _measure(function: Any, names: tuple[Any, ...]) -> Measure:
    if not callable(function) or not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"measure {_values.shown(function)} of {_values.shown(names)}: {_ALLOWED}")
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # some functions of extension modules
        parameters = {}  # type: ignore[assignment]
    return function, names, "generation" in parameters


def digest(functions: Sequence[Measure]) -> str:
    """A text that differs if the functions may find other numbers."""
    texts = [_digest.digest(f"measure {', '.join(names)}", function) for function, names, _ in functions]
    return hashlib.sha256(" ".join(texts).encode()).hexdigest()[:16]


class Answers:
    """Answers while it is open. ``environment`` is what the program needs to know."""

    def __init__(self, functions: Sequence[Measure], workers: int, once: bool) -> None:
        if not hasattr(socket, "AF_UNIX"):
            raise InputError("measure: functions need Unix sockets, which this Python does not have")
        self._functions = functions
        self._once = once  # a function that has failed is not tried again
        self._folder = tempfile.TemporaryDirectory(prefix="gosper-measure-")
        path = os.path.join(self._folder.name, "s")
        self._wrong = os.path.join(self._folder.name, "wrong")  # a file that says what a function has returned instead of numbers
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen(workers)
        self.environment = {"GOSPER_CALL": f"{workers} {path}"}
        self._processes: list[Any] = []
        if sys.platform == "linux":
            import multiprocessing  # here, because only functions as measures need it

            context = multiprocessing.get_context("fork")
            for _ in range(workers):
                process = context.Process(target=self._work, daemon=True)
                process.start()
                self._processes.append(process)
        else:
            for _ in range(workers):
                threading.Thread(target=self._accept, daemon=True).start()

    def wrong(self) -> str:
        """The reason why a function failed, or the value it returned that is not a number; empty: nothing went wrong."""
        try:
            with open(self._wrong, encoding="utf-8") as note:
                return note.read()
        except FileNotFoundError:
            return ""

    def __enter__(self) -> "Answers":
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self._listener.close()
        for process in self._processes:
            process.terminate()
            process.join()
        self._folder.cleanup()

    def _work(self) -> None:
        """A worker's process. Ctrl-C is for the program, which then ends the connection; a worker also ends soon after its parent."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        parent = os.getppid()

        def watch() -> None:
            while os.getppid() == parent:
                threading.Event().wait(1)
            os._exit(0)

        threading.Thread(target=watch, daemon=True).start()
        self._accept()

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:  # closed
                return
            with line, line.makefile("rwb") as file:
                try:
                    while self._answer(file):
                        pass
                except OSError:  # the program has ended
                    pass

    def _answer(self, file: Any) -> bool:
        head = file.read(4)
        if len(head) < 4:
            return False
        question = json.loads(file.read(struct.unpack("<I", head)[0]))
        shape: tuple[int, ...] = (question["height"], question["width"])
        if question["depth"]:
            shape = question["depth"], *shape
        cells = np.frombuffer(file.read(math.prod(shape)), np.uint8).reshape(shape)
        try:
            reply: dict[str, Any] = {"numbers": self._numbers(cells, question["generation"])}
        except Exception as error:
            text = " ".join((str(error) if isinstance(error, GosperError) else f"{type(error).__name__}: {error}").split())
            if (self._once or isinstance(error, InputError)) and not os.path.exists(self._wrong):
                with open(f"{self._wrong}.{threading.get_ident()}.{os.getpid()}", "w", encoding="utf-8") as note:
                    note.write(text)
                os.replace(note.name, self._wrong)
            reply = {"error": text}
        body = json.dumps(reply).encode()
        file.write(struct.pack("<I", len(body)) + body)
        file.flush()
        return True

    def _numbers(self, cells: Any, generation: int) -> list[float]:
        numbers: list[float] = []
        for function, names, timed in self._functions:
            try:
                found = function(cells, generation=generation) if timed else function(cells)
            except Exception as error:
                at = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{os.path.basename(at.filename)}, line {at.lineno}"
                raise GosperError(f"measure {', '.join(names)}: {type(error).__name__}: {error} ({place}, in {at.name})") from None
            try:
                values = list(found) if len(names) > 1 else [found]
                if len(values) != len(names) or any(isinstance(value, (str, bytes)) for value in (found, *values)):
                    raise TypeError
                floats = [float(value) for value in values]
            except (TypeError, ValueError):
                wanted = "a number is" if len(names) == 1 else f"{len(names)} numbers are"
                raise InputError(f"measure {', '.join(names)}: the function returns {_values.shown(found)}: {wanted} allowed") from None
            for name, number in zip(names, floats):
                if not math.isfinite(number):
                    raise GosperError(f"measure {name}: {number} at generation {generation}: a finite number is allowed")
                numbers.append(number)
        return numbers
