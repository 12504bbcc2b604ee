"""Digests of functions. They differ if the functions may return other numbers."""

from __future__ import annotations

import copyreg
import dis
import functools
import hashlib
import importlib
import importlib.util
import os
import sys
import sysconfig
import types
from typing import Any

from . import _values
from ._errors import InputError

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), type(NotImplemented))
_PARTS = {
    types.MethodType: ("__func__", "__self__"), staticmethod: ("__func__",), classmethod: ("__func__",), property: ("fget", "fset", "fdel"),
    functools.cached_property: ("func",), types.MemberDescriptorType: ("__name__",), types.GetSetDescriptorType: ("__name__",),
    types.CodeType: (
        "co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_flags", "co_argcount", "co_posonlyargcount",
        "co_kwonlyargcount", "co_exceptiontable",
    ),
    types.FunctionType: ("__code__", "__defaults__", "__kwdefaults__", "__dict__"),
}  # fmt: skip
_SKIPPED = {
    "__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__annotate_func__", "__annotations_cache__", "_abc_impl",
    "__firstlineno__", "__static_attributes__",
}  # fmt: skip  # of classes
_FIND = {"eval", "exec", "globals", "__import__", "open", "input"}  # what these find is not in the function


def digest(what: str, value: Any) -> str:
    """A digest of a function or another value. what names it in errors.

    It covers the compiled code, default values, attributes, and the values that the code takes from around it, which may be functions and
    classes. Installed modules and what they define count by name and version. Raises InputError for values that cannot be told apart.
    """
    of = _Digest(what)
    try:
        of.add(value)
    except RecursionError:
        raise of.refused(value) from None
    return of.hash.hexdigest()[:16]


class _Digest:
    def __init__(self, what: str) -> None:
        self.what = what
        self.hash = hashlib.sha256()
        self.seen: dict[int, tuple[int, Any]] = {}  # by id: a number, and the value, which keeps its id from being used again

    def refused(self, value: Any) -> InputError:
        return InputError(
            f"{self.what} uses {_values.shown(value)}, whose changes cannot be noticed: leave out the folder out=, or use numbers, text, "
            "arrays, functions and classes"
        )

    def put(self, *texts: Any) -> None:
        self.hash.update(repr(texts).encode("utf-8", "surrogatepass"))

    def add(self, value: Any) -> None:
        kind: Any = type(value)
        if kind in _PLAIN:
            self.put(kind.__name__, value)
            return
        if kind not in (tuple, frozenset, types.CodeType):  # those cannot hold themselves
            if id(value) in self.seen:
                self.put("again", self.seen[id(value)][0])
                return
            self.seen[id(value)] = len(self.seen), value
        if kind in (tuple, list):
            self.put(kind.__name__, len(value))
            for item in value:
                self.add(item)
        elif kind in (dict, types.MappingProxyType):
            self.add(tuple(value.items()))
        elif kind in (set, frozenset):  # their order differs from process to process
            self.put(kind.__name__, sorted(digest(self.what, item) for item in value))
        elif kind is types.ModuleType:
            if not _installed(value.__name__):
                raise self.refused(value)
            self.named(value.__name__, "")
        elif isinstance(value, (type, types.FunctionType)) and _by_name(value):
            self.named(value.__module__, value.__qualname__)
        elif isinstance(value, type):
            self.add((value.__qualname__, type(value), value.__bases__))
            self.add(tuple(item for item in sorted(vars(value).items()) if item[0] not in _SKIPPED))
        elif kind in _PARTS:
            self.add((kind.__name__, *(getattr(value, part, None) for part in _PARTS[kind])))
            if kind is types.FunctionType:
                self.around(value)
        else:
            self.reduced(value)

    def named(self, module: str, name: str) -> None:
        root = module.partition(".")[0]
        version = getattr(sys.modules.get(root), "__version__", None)
        if version is None:
            import importlib.metadata  # here, because it brings 33 modules that few programs need

            try:
                version = importlib.metadata.version(root)
            except (importlib.metadata.PackageNotFoundError, ValueError):  # Python's own
                version = ""
        self.put("named", module, name, str(version))

    def reduced(self, value: Any) -> None:
        """Adds what pickle would keep of a value."""
        kind: Any = type(value)
        try:
            reduce: Any = copyreg.dispatch_table.get(kind)
            kept = value.__reduce_ex__(4) if reduce is None else reduce(value)
            if not isinstance(kept, str):
                kept = tuple(tuple(part) if i > 2 and part is not None else part for i, part in enumerate(kept[:5])) + kept[5:]
        except Exception:  # all that an object's own method may raise
            raise self.refused(value) from None
        if isinstance(kept, str):  # a name, by which pickle would find it
            module = getattr(value, "__module__", None) or kind.__module__
            wrapped = getattr(value, "__wrapped__", None)  # the function in functools.lru_cache
            if wrapped is None and not _installed(module):
                raise self.refused(value)
            self.named(module, kept)
            self.add(wrapped)
            return
        self.add(kept)

    def around(self, function: types.FunctionType) -> None:
        """Adds the values that the code of a function takes from around it."""
        for cell in function.__closure__ or ():
            try:
                held: tuple[Any, ...] = (cell.cell_contents,)
            except ValueError:  # nothing yet
                held = ()
            self.add(held)
        for module in sorted(_loads(function.__code__, ("IMPORT_NAME",))):
            if not _installed(module[0]):
                raise self.refused(module[0])
            importlib.import_module(module[0].partition(".")[0])
            self.named(module[0], "")
        for name, *attributes in sorted(_loads(function.__code__, ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"))):
            self.put(name, attributes)
            if name not in function.__globals__:
                if name in _FIND:
                    raise self.refused(name)
                continue
            value = function.__globals__[name]
            for attribute in attributes:  # of a module that may change, count those that are used
                if type(value) is not types.ModuleType or _installed(value.__name__) or not hasattr(value, attribute):
                    break
                value = getattr(value, attribute)
            self.add(value)


def _loads(code: types.CodeType, loads: tuple[str, ...]) -> set[tuple[str, ...]]:
    """The names that a code loads in some ways, each with the attributes that follow it."""
    found: set[tuple[str, ...]] = set()
    path: tuple[str, ...] = ()
    for step in dis.get_instructions(code):
        if path and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            path += (step.argval,)
        elif step.opname not in ("CACHE", "EXTENDED_ARG"):
            found.add(path)
            path = (step.argval,) if step.opname in loads else ()
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _loads(constant, loads)
    return found - {()}


def _installed(name: str) -> bool:
    """Whether a module belongs to Python or to an installed package, which change only with their versions."""
    root = name.partition(".")[0]
    if root in (__package__, *sys.builtin_module_names):
        return True
    found: Any = sys.modules.get(name)
    try:
        spec: Any = None if root in ("", "__main__") else found.__spec__ if found else importlib.util.find_spec(root)
    except (AttributeError, ImportError, ValueError):
        spec = None
    origin = str(getattr(spec, "origin", None))
    folders = [f"{os.sep}{folder}{os.sep}" for folder in ("site-packages", "dist-packages")]
    inside = os.path.realpath(origin).startswith(os.path.realpath(sysconfig.get_path("stdlib")) + os.sep)
    return origin in ("built-in", "frozen") or inside or any(folder in origin for folder in folders)


def _by_name(value: Any) -> bool:
    """Whether an installed module has a function or class under its name."""
    found: Any = sys.modules.get(value.__module__) if value.__module__ and _installed(value.__module__) else None
    for name in value.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is value
