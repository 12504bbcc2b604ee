"""Talks to ``gosper rpc``; docs/rpc.md is the protocol."""

from __future__ import annotations

import itertools
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
    """One universe, or many of one rule and size, in a process of ``gosper rpc``. Calls wait for each other."""

    def __init__(self, together: bool) -> None:
        # Ctrl-C may interrupt the main thread at any place, also just before or after a line. Therefore everything that it does between a request and
        # its answer may be done twice.
        self._lock = threading.RLock()
        self._order = threading.RLock()  # another thread closes the universe before or after a request gets its number
        self._id = 0
        self._closed = False
        self.sent = {"interrupt": 0, "request": 0}  # the last numbers
        self.answer: dict[str, Any] = {}  # the last one
        self.report: Optional[int] = None  # the last generation that a request in hand has reported
        self.news: queue.SimpleQueue[None] = queue.SimpleQueue()  # something of the above has changed
        self.number = next(_numbers)
        self.host = _hosted(self, together)

    def call(self, method: str, notify: Optional[Callable[[int], None]] = None, /, **params: Any) -> dict[str, Any]:
        """One request and its answer. Ctrl-C ends the request, and then raises KeyboardInterrupt."""
        if self.host.owner != os.getpid():  # before the locks, which another thread may have held during the fork
            raise InputError("the universe belongs to the process that this one is a fork of: pickle it, or make another")
        with self._lock:
            with self._order:
                if self._closed:
                    raise InputError("the universe is closed")
                self._id += 1
            params = {name: value for name, value in params.items() if value is not None}
            request = self._request(method, {name: _plain(name, value) for name, value in params.items()})
            self.report = None
            interrupted = False
            while True:
                try:
                    self.host.requests.put(request)
                    if interrupted:
                        self.host.requests.put(self._request("interrupt", {}))
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

    def _request(self, method: str, params: dict[str, Any], later: int = 0) -> _Request:
        """A request as it is sent. It is made in the thread of the caller, who gets the error if JSON cannot hold it."""
        number = self._id + later
        text = json.dumps({"universe": self.number, "id": number, "method": method, "params": params}, allow_nan=False)
        return self, method, number, text.encode()

    def _wait(self, notify: Optional[Callable[[int], None]]) -> dict[str, Any]:
        """The answer to the last request."""
        shown = None
        while True:
            if self._closed:  # by another thread, which has interrupted the request
                raise InputError("the universe is closed")
            if self.answer.get("id") == self._id:
                return self.answer
            if self.host.ended:
                raise self.host.crashed()
            if notify is not None and self.report != shown:
                shown = self.report
                if shown is not None:
                    notify(shown)
            try:  # short waits, because Ctrl-C is seen only after a wait on Windows, and anywhere if it comes just before one
                self.news.get(timeout=0.1)
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

    def close(self) -> None:
        """Frees the universe. A request in hand ends. The last universe of a process ends it."""
        if self.host.owner != os.getpid():  # before the lock, which another thread may have held during the fork
            return
        with self._order:
            if self._closed:
                return
            self._closed = True
            self.host.requests.put(self._request("interrupt", {}))
            self.host.requests.put(self._request("close", {}, 1))
        self.host.leave(self.number)


_Request = tuple[Process, str, int, bytes]  # method, number and text


class _Host:
    """A process of ``gosper rpc`` with one universe or several.

    The pipes belong to two threads, which Ctrl-C does not interrupt.
    """

    def __init__(self) -> None:
        options: dict[str, Any] = {}
        if os.name == "nt":  # Ctrl-C in the terminal is for Python alone
            options["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP  # type: ignore[attr-defined]
        else:
            options["start_new_session"] = True
        self.owner = os.getpid()
        self.ended = False
        self.closed = False
        self.members: dict[int, Process] = {}
        self.requests: queue.SimpleQueue[Optional[_Request]] = queue.SimpleQueue()
        self._lock = threading.RLock()
        self._crash: Optional[str] = None
        self._stderr = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [binary(), "rpc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr, env=environment(), **options
        )
        self._threads = [threading.Thread(target=f, name="gosper", daemon=True) for f in (self._speak, self._listen)]
        for thread in self._threads:
            thread.start()

    def _speak(self) -> None:
        """Sends each request, and each interrupt of it, once."""
        stdin = self.process.stdin
        assert stdin is not None
        try:
            while (request := self.requests.get()) is not None:
                member, method, number, body = request
                kind = "interrupt" if method == "interrupt" else "request"
                if number > member.sent[kind]:
                    member.sent[kind] = number
                    stdin.write(struct.pack("<I", len(body)) + body)
                    stdin.flush()
        except (OSError, ValueError):  # the process has ended: the listener says so
            pass
        except Exception:  # callers that wait for an answer must be told
            self._end()
        try:
            stdin.close()
        except OSError:
            pass

    def _listen(self) -> None:
        """Takes answers from the process."""
        stdout = self.process.stdout
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
                member = self.members.get(message["universe"])
                if member is None:  # it has left
                    continue
                if "result" in message or "error" in message:
                    member.answer = message
                else:
                    member.report = message["generation"]
                member.news.put(None)
        except (OSError, ValueError):  # closed
            pass
        finally:
            self._end()

    def _end(self) -> None:
        self.ended = True
        for member in list(self.members.values()):
            member.news.put(None)

    def crashed(self) -> Crashed:
        """The error of each universe that was in the process."""
        with self._lock:
            if self._crash is None:
                self.process.kill()
                code = self.process.wait()
                try:
                    self._stderr.seek(0)
                    text = self._stderr.read().decode(errors="replace").strip()
                except ValueError:
                    text = ""
                tail = "\n".join(text.splitlines()[-20:])
                self._crash = f"the universe's process has ended (exit code {code})" + (f":\n{tail}" if tail else "")
            return Crashed(self._crash)

    def leave(self, number: int) -> None:
        """Forgets a universe. The process ends with the last one."""
        with _hosting:
            self.members.pop(number, None)
            if self.members or self.closed:
                return
            self.closed = True
        self.requests.put(None)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for thread in self._threads:
            thread.join()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._stderr.close()

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self.process.poll() is None


_numbers = itertools.count(1)
_hosting = threading.RLock()
_shared: dict[Any, _Host] = {}  # the process for small universes in each setting


def _hosted(member: Process, together: bool) -> _Host:
    """A process for a universe: of its own, or together with others that were made in the same folder and environment."""
    if not together:
        own = _Host()
        own.members[member.number] = member
        return own
    setting = os.getpid(), os.getcwd(), binary(), tuple(sorted(environment().items()))
    with _hosting:
        host: Optional[_Host] = _shared.get(setting)
        if host is not None:
            host.members[member.number] = member
            if host.closed or not host.alive:  # only now, because the garbage collector may close all other members at any moment
                del host.members[member.number]
                host = None
        if host is None:
            for old in [of for of, other in _shared.items() if other.closed]:
                del _shared[old]
            host = _shared[setting] = _Host()
            host.members[member.number] = member
    return host


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
