"""Talks to ``gosper rpc``; docs/rpc.md is the protocol."""

from __future__ import annotations

import json
import mmap
import os
import queue
import struct
import subprocess
import sys
import tempfile
import threading
from typing import Any, Callable, Optional

import numpy as np

from ._binary import binary
from ._errors import Crashed, GosperError, InputError


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a request. The result says how far it came; None: nothing was done."""

    def __init__(self, result: Optional[dict[str, Any]]) -> None:
        super().__init__()
        self.result = result


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
            [binary(), "rpc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr, **options
        )
        self._lock = threading.RLock()
        self._answers: queue.Queue[Optional[dict[str, Any]]] = queue.Queue()
        self._listener = threading.Thread(target=self._listen, name="gosper", daemon=True)
        self._listener.start()
        self._id = 0

    def call(self, method: str, notify: Optional[Callable[[int], None]] = None, /, **params: Any) -> dict[str, Any]:
        """One request and its answer. Ctrl-C ends the request, and then raises KeyboardInterrupt."""
        with self._lock:
            self._id += 1
            params = {name: value for name, value in params.items() if value is not None}
            self._send({"id": self._id, "method": method, "params": params})
            interrupted = None
            while True:
                try:
                    answer = self._receive()
                    if "generation" in answer and "result" not in answer and "error" not in answer:
                        if notify is not None and interrupted is None:
                            notify(answer["generation"])
                        continue
                except KeyboardInterrupt as pressed:
                    if interrupted is not None:  # the second Ctrl-C does not wait for the answer
                        self.close()
                        raise
                    interrupted = pressed
                    self._send({"id": self._id, "method": "interrupt"})
                    continue
                if interrupted is not None:
                    raise Interrupted(answer.get("result")) from None
                return self._result(answer)

    @staticmethod
    def _result(answer: dict[str, Any]) -> dict[str, Any]:
        error = answer.get("error")
        if error is None:
            return answer.get("result") or {}
        if error["kind"] == "interrupted":
            raise Interrupted(None)
        raise (InputError if error["kind"] == "input" else GosperError)(error["message"])

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(struct.pack("<I", len(body)) + body)
            self._process.stdin.flush()
        except (BrokenPipeError, OSError, ValueError):
            raise self._crashed() from None

    def _listen(self) -> None:
        """Takes answers from the process, in a thread of its own: Ctrl-C in the main thread loses no byte."""
        assert self._process.stdout is not None
        stdout = self._process.stdout
        try:
            while True:
                head = stdout.read(4)
                if len(head) < 4:
                    break
                (length,) = struct.unpack("<I", head)
                body = stdout.read(length)
                if len(body) < length:
                    break
                self._answers.put(json.loads(body))
        except (OSError, ValueError):  # closed
            pass
        self._answers.put(None)

    def _receive(self) -> dict[str, Any]:
        answer = None
        while True:
            try:  # Windows sees Ctrl-C only between waits
                answer = self._answers.get(timeout=0.1 if os.name == "nt" else None)
                break
            except queue.Empty:
                continue
        if answer is None:
            self._answers.put(None)  # for the next caller
            raise self._crashed()
        return answer

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
        try:
            if self._process.stdin is not None:
                self._process.stdin.close()
        except OSError:
            pass
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listener.join()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._stderr.close()

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None


class SharedCells:
    """A file for cells that both processes see, mapped into memory."""

    def __init__(self, height: int, width: int) -> None:
        folder = "/dev/shm" if sys.platform == "linux" and os.access("/dev/shm", os.W_OK) else None
        handle, self.path = tempfile.mkstemp(prefix="gosper-", dir=folder)
        try:
            os.truncate(handle, height * width)
            self._map = mmap.mmap(handle, height * width)
        except BaseException:
            os.close(handle)
            os.unlink(self.path)
            raise
        os.close(handle)
        self.cells = np.frombuffer(self._map, dtype=np.uint8).reshape(height, width)

    def release(self) -> None:
        """Removes the file's name. The cells remain as long as an array refers to them."""
        try:
            os.unlink(self.path)
        except PermissionError:  # Windows cannot remove a mapped file; the system cleans its temporary folder
            pass
