"""Talks to ``gosper rpc``; docs/rpc.md is the protocol."""

from __future__ import annotations

import json
import math
import mmap
import os
import queue
import struct
import subprocess
import sys
import tempfile
import threading
from types import TracebackType
from typing import Any, Callable, Optional

import numpy as np

from ._binary import binary
from ._errors import Crashed, GosperError, InputError
from ._program import environment


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a request. The result says how far it came; None: nothing was done."""

    def __init__(self, result: Optional[dict[str, Any]]) -> None:
        super().__init__()
        self.result = result


def _plain(name: str, value: Any) -> Any:
    """A parameter as JSON knows it: a numpy scalar becomes the number, text or truth value that it holds.

    Raises InputError for everything else, here and not in the thread that sends requests.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (bool, int, float, str)):
        raise InputError(f"{name} of type {type(value).__name__}: numbers and text are allowed")
    try:
        json.dumps(value, allow_nan=False).encode()
    except ValueError as error:  # NaN and infinity, and whole numbers that are too long for text
        raise InputError(f"{name}: {error}") from None
    return value


class Process:
    """One ``gosper rpc``, for one universe. Calls wait for each other."""

    def __init__(self) -> None:
        options: dict[str, Any] = {}
        if os.name == "nt":  # Ctrl-C in the terminal is for Python alone
            options["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP  # type: ignore[attr-defined]
        else:
            options["start_new_session"] = True
        self._stderr = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [binary(), "rpc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr, env=environment(), **options
        )
        self._lock = threading.RLock()
        # Ctrl-C may interrupt the main thread at any place, also just before or after a line. So the pipes belong to two threads, which it does not
        # interrupt, and everything that the main thread does between a request and its answer may be done twice.
        self._requests: queue.SimpleQueue[Optional[tuple[str, int, bytes]]] = queue.SimpleQueue()  # method, number, text
        self._answer: dict[str, Any] = {}  # the last one
        self._report: Optional[int] = None  # the last generation that a request in hand has reported
        self._ended = False
        self._closed = False
        self._news: queue.SimpleQueue[None] = queue.SimpleQueue()  # something of the above has changed
        self._threads = [threading.Thread(target=f, name="gosper", daemon=True) for f in (self._speak, self._listen)]
        for thread in self._threads:
            thread.start()
        self._id = 0

    def call(self, method: str, notify: Optional[Callable[[int], None]] = None, /, **params: Any) -> dict[str, Any]:
        """One request and its answer. Ctrl-C ends the request, and then raises KeyboardInterrupt."""
        with self._lock:
            if self._closed:
                raise InputError("the universe is closed")
            self._id += 1
            params = {name: value for name, value in params.items() if value is not None}
            request = self._request(method, {name: _plain(name, value) for name, value in params.items()})
            self._report = None
            interrupted = False
            while True:
                try:
                    self._requests.put(request)
                    if interrupted:
                        self._requests.put(self._request("interrupt", {}))
                    answer = self._wait(None if interrupted else notify)
                    break
                except KeyboardInterrupt:
                    if interrupted:  # the second Ctrl-C does not wait for the answer
                        self.close()
                        raise
                    interrupted = True
            if interrupted:
                raise Interrupted(answer.get("result")) from None
            return self._result(answer)

    def _request(self, method: str, params: dict[str, Any]) -> tuple[str, int, bytes]:
        """A request as it is sent. It is made in the thread of the caller, who gets the error if JSON cannot hold it."""
        return method, self._id, json.dumps({"id": self._id, "method": method, "params": params}, allow_nan=False).encode()

    def _wait(self, notify: Optional[Callable[[int], None]]) -> dict[str, Any]:
        """The answer to the last request."""
        shown = None
        while True:
            if self._answer.get("id") == self._id:
                return self._answer
            if self._ended:
                raise self._crashed()
            if notify is not None and self._report != shown:
                shown = self._report
                if shown is not None:
                    notify(shown)
            try:  # short waits, because Ctrl-C is seen only after a wait on Windows, and anywhere if it comes just before one
                self._news.get(timeout=0.1)
            except queue.Empty:
                pass

    @staticmethod
    def _result(answer: dict[str, Any]) -> dict[str, Any]:
        error = answer.get("error")
        if error is None:
            return answer.get("result") or {}
        if error["kind"] == "interrupted":
            raise Interrupted(None)
        raise (InputError if error["kind"] == "input" else GosperError)(error["message"])

    def _speak(self) -> None:
        """Sends each request, and each interrupt of it, once."""
        stdin = self._process.stdin
        assert stdin is not None
        sent = {"interrupt": 0, "request": 0}
        try:
            while (request := self._requests.get()) is not None:
                method, number, body = request
                kind = "interrupt" if method == "interrupt" else "request"
                if number > sent[kind]:
                    sent[kind] = number
                    stdin.write(struct.pack("<I", len(body)) + body)
                    stdin.flush()
        except (OSError, ValueError):  # the process has ended: the listener says so
            pass
        except Exception:  # whoever waits for an answer must not wait for ever
            self._ended = True
            self._news.put(None)
        try:
            stdin.close()
        except OSError:
            pass

    def _listen(self) -> None:
        """Takes answers from the process."""
        stdout = self._process.stdout
        assert stdout is not None
        try:
            while True:
                head = stdout.read(4)
                if len(head) < 4:
                    break
                (length,) = struct.unpack("<I", head)
                body = stdout.read(length)
                if len(body) < length:
                    break
                message = json.loads(body)
                if "result" in message or "error" in message:
                    self._answer = message
                else:
                    self._report = message["generation"]
                self._news.put(None)
        except (OSError, ValueError):  # closed
            pass
        finally:
            self._ended = True
            self._news.put(None)

    def _crashed(self) -> Crashed:
        self._process.kill()
        code = self._process.wait()
        try:
            self._stderr.seek(0)
            text = self._stderr.read().decode(errors="replace").strip()
        except ValueError:
            text = ""
        tail = "\n".join(text.splitlines()[-20:])
        return Crashed(f"the universe's process has ended (exit code {code})" + (f":\n{tail}" if tail else ""))

    def close(self) -> None:
        """Ends the process."""
        self._closed = True
        self._requests.put(None)
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            thread.join()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._stderr.close()

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None


class SharedCells:
    """A file for cells that both processes see, mapped into memory."""

    def __init__(self, *shape: int) -> None:
        folder = "/dev/shm" if sys.platform == "linux" and os.access("/dev/shm", os.W_OK) else None
        handle, self.path = tempfile.mkstemp(prefix="gosper-", dir=folder)
        try:
            os.truncate(handle, math.prod(shape))
            self._map = mmap.mmap(handle, math.prod(shape))
        except BaseException as error:
            os.unlink(self.path)
            if isinstance(error, (OSError, OverflowError, ValueError)):
                raise GosperError(f"cells of shape {shape}: no memory for so many") from None
            raise
        finally:
            os.close(handle)
        self.cells = np.frombuffer(self._map, dtype=np.uint8).reshape(shape)

    def __enter__(self) -> "SharedCells":
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        """Removes the file's name. The cells remain as long as an array refers to them."""
        try:
            os.unlink(self.path)
        except PermissionError:  # Windows cannot remove a mapped file; the system cleans its temporary folder
            pass
