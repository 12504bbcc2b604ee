"""The module golly of gosper script: Golly's functions for scripts in Python.

It is not imported from a file. gosper script passes it to Python, and answers the calls that it writes to the
standard output. Each call is a line, a JSON array of the function's name and its arguments; so is each answer:
[results] or [null, message, kind].
"""

import json
import os
import sys
import types


class error(Exception):
    """The exception that functions of Golly raise."""


def _main():
    setting = json.loads(sys.argv[1])
    source, sink = sys.stdin.buffer, sys.stdout.buffer

    def call(name, *args):
        sink.write(json.dumps([name, list(args)]).encode() + b"\n")
        sink.flush()
        line = source.readline()
        if not line:
            os._exit(1)
        answer = json.loads(line)
        if len(answer) > 1:
            if answer[2] == "exit":
                raise SystemExit(0)
            raise error(answer[1])
        results = answer[0]
        if not results:
            return None
        return results[0] if len(results) == 1 else tuple(results)

    class Printer:
        """Text that the script prints. It goes the same way as the calls."""

        encoding, errors = "utf-8", "replace"

        def write(self, text):
            if text:
                call("print", str(text))
            return len(text)

        def flush(self):
            pass

        def isatty(self):
            return False

    sys.stdout = Printer()
    sys.stdin = None
    golly = types.ModuleType("golly", __doc__)
    for name in setting["functions"]:
        setattr(golly, name, lambda *args, _name=name: call(_name, *args))
    sys.modules["golly"] = golly
    script = setting["script"]
    sys.argv = [script]
    sys.path[:0] = [os.path.dirname(script)] + setting["path"]
    sys.dont_write_bytecode = True
    if setting["memory"]:
        try:
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (setting["memory"], setting["memory"]))
        except (ImportError, ValueError, OSError):
            pass
    with open(script, "rb") as f:
        code = compile(f.read(), script, "exec")
    _guard(setting)
    space = {"__name__": "__main__", "__file__": script, "__builtins__": __builtins__}
    exec(code, space)


def _guard(setting):
    """Refuses what a script may not do. It protects from mistakes, not from a script that means harm."""
    roots = [sys.prefix, sys.base_prefix, *sys.path, *setting["read"], *setting["write"]]
    readable = [os.path.realpath(p) for p in roots if p]
    writable = [os.path.realpath(p) for p in setting["write"]]
    parts = os.path
    closed = ("subprocess.", "socket.", "shutil.", "ctypes.", "tempfile.", "ftplib.", "http.", "smtplib.", "urllib.")
    refused = {
        "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "os.startfile", "os.kill",
        "os.killpg", "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.link",
        "os.symlink", "os.truncate", "os.putenv", "pty.spawn", "resource.setrlimit", "sys.addaudithook",
    }

    def within(path, roots):
        path = parts.realpath(path)
        return any(path == root or path.startswith(root.rstrip(parts.sep) + parts.sep) for root in roots)

    def hook(event, args):
        if event in refused or event.startswith(closed):
            raise PermissionError("a script may not use " + event)
        if event == "open" and not isinstance(args[0], int):
            path, mode, flags = os.fsdecode(args[0]), args[1], args[2]
            writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
            if mode and any(c in mode for c in "wax+"):
                writes = True
            if writes and not within(path, writable):
                raise PermissionError(path + ": a script writes only files that --write names")
            if not writes and not within(path, readable):
                raise PermissionError(
                    path + ": a script reads files in its own folder, in Golly's, and those that --read names")
        if event in ("os.listdir", "os.scandir") and args[0] is not None and not isinstance(args[0], int):
            if not within(os.fsdecode(args[0]), readable):
                raise PermissionError("a script may not list " + os.fsdecode(args[0]))

    sys.addaudithook(hook)


_main()
