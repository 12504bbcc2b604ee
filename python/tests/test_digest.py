"""The digest of a measure differs if the function can differ, and is the same in another process if it cannot."""

import enum
import functools
import os
import subprocess
import sys
import threading
import types
from dataclasses import dataclass

import numpy as np
import pytest

import gosper
from gosper._digest import digest

OWN = types.ModuleType("own")  # a module that is not installed
OWN.k = 1


def of(function):
    return digest("measure f", function)


class Above:
    scale = 1

    def __init__(self, limit):
        self.limit = limit

    def __call__(self, cells):
        return cells.sum() * self.scale > self.limit

    def method(self, cells):
        return helper(cells) > self.limit


class Slots:
    __slots__ = ("k",)

    def __init__(self, k):
        self.k = k

    def __call__(self, cells):
        return self.k


@dataclass(frozen=True)
class Frozen:
    k: int

    def __call__(self, cells):
        return self.k


class Kind(enum.Enum):
    ONE = 1
    TWO = 2


def helper(cells, k=1):
    return cells.sum() * k


def of_global(value):
    exec("def f(cells):\n return K", scope := {"K": value})
    return scope["f"]


def closure(value):
    return lambda cells: value


def default(value):
    return lambda cells, *, k=value: k


def attribute(value):
    def f(cells):
        return f.k

    f.k = value
    return f


def nested(step):
    def f(n):
        return n and f(n - step)

    return lambda cells: f(4)


def source(k):
    return eval(f"lambda cells: {k}")


def several(k):
    first, second = lambda cells: 1, lambda cells: 2  # of one line
    return first if k == 1 else second


def f_of_an_own_module(value):
    exec("def f(cells):\n return OWN.k", scope := {"OWN": types.ModuleType("own")})
    scope["OWN"].k = value
    return scope["f"]


def cached(value):
    return functools.lru_cache()(lambda cells: value)


def imports(cells):
    from test_values import WRONG

    return len(WRONG)


def made_class(value):
    class C:
        k = value

        @property
        def limit(self):
            return self.k

        def __call__(self, cells):
            return self.limit

    return C()


MAKERS = {
    "partial": lambda k: functools.partial(helper, k=k), "object": Above, "method": lambda k: Above(k).method, "slots": Slots, "frozen": Frozen,
    "global": of_global, "default": default, "attribute": attribute, "recursive": nested, "source": source, "line": several, "cached": cached,
    "class": made_class, "vectorize": lambda k: np.vectorize(closure(k)), "own module": f_of_an_own_module, "closure": closure,
    "list": lambda k: closure([1, [k]]), "dict": lambda k: closure({"a": {k: 2}}), "set": lambda k: closure({"a", "b", k}),
    "array": lambda k: closure(np.arange(4) == k), "enum": lambda k: closure(Kind(k)), "function": lambda k: closure(closure(k)),
    "object of numpy": lambda k: closure(np.random.default_rng(k)), "global function": lambda k: of_global(closure(k)),
    "nested list": lambda k: of_global([of_global(k)]),
}  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
def test_differs_if_the_function_does(name):
    make = MAKERS[name]
    assert of(make(1)) == of(make(1)) and of(make(1)) != of(make(2))


def test_types_differ():
    assert len({of(closure(value)) for value in (1, 1.0, True, "1", b"1", (1,), [1], {1}, {1: None}, None, 1j, Kind.ONE)}) == 12


def test_values_that_hold_themselves():
    def around(k):
        found = [k]
        found.append(found)
        return closure(found)

    assert of(around(1)) == of(around(1)) != of(around(2))
    assert of(closure([[1], [1]])) != of(closure([[1], 1]))


def test_is_the_same_in_other_processes():
    program = f"import sys; sys.path[:0] = {sys.path!r}; import test_digest as t; print(*[t.of(make(1)) for make in t.MAKERS.values()])"
    found = [
        subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True).stdout
        for seed in ("1", "2")
    ]
    assert found[0] == found[1] and len(set(found[0].split())) > 20


def test_installed_functions_count_by_name():
    assert of(np.count_nonzero) == of(np.count_nonzero) != of(np.sum)
    assert of(lambda cells: np.fft.fft(cells)) and of(gosper.rule) and of(len) != of(abs)


@pytest.mark.parametrize(
    "function, text",
    [
        (closure(threading.Lock()), "lock"),
        (closure(i for i in ()), "generator"),
        (closure(OWN), "<module 'own'>"),
        (lambda cells: dir(OWN), "<module 'own'>"),
        (lambda cells: eval("1"), "'eval'"),
        (lambda cells: open("f").read(), "'open'"),
        (imports, "'test_values'"),
    ],
)
def test_refuses_what_it_cannot_tell_apart(function, text, tmp_path):
    with pytest.raises(gosper.InputError) as error:
        gosper.ensemble(size=8, universes=1, generations=1, measure={"f": function}, out=tmp_path / "e")
    message = str(error.value)
    assert message.startswith("measure f uses ") and ", whose changes cannot be noticed: leave out the folder out=, or use numbers" in message
    assert text in message and "\n" not in message


def test_needs_no_digest_without_a_folder():
    lock = threading.Lock()

    def f(cells):
        with lock:
            return 3

    assert set(gosper.ensemble(size=8, universes=1, generations=1, measure=f).report)
