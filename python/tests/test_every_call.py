"""Starts every public call with every wrong type for every parameter, under a time limit. No call may hang."""

import inspect
import shutil
import tempfile

import numpy as np
import pytest

import gosper
from test_values import WRONG, within

VALUES = [*WRONG, None, True, "", "no such thing", -1, 1e300, 1 << 70, np.arange(3), np.array("x"), np.float32("nan"), np.uint8(3)]

# A small study with a curve for each of two sizes.
STUDY = tempfile.mkdtemp(prefix="gosper-every-call-")

# Arguments that make each call small and let it succeed. A parameter that is not here has its default.
NEEDED = {
    "Universe": {"shape": 8, "density": 0.5, "seed": 1},
    "Universes": {"shape": 8, "n": 3},
    "open": {"name": "glider"},
    "resume": {"path": "there.ckpt"},
    "explain": {"rule": "B3/S23"},
    "identify": {"pattern": "glider"},
    "census": {"soups": 1},
    "ensemble": {"size": 8, "universes": 1, "generations": 1},
    "crossing": {"studies": STUDY, "quantity": "density", "value": 0.35, "generation": 0},
    "exponent": {"studies": STUDY, "quantity": "density"},
    "collapse": {"studies": STUDY, "quantity": "density", "critical": 0.5, "inverse_nu": 1, "beta_over_nu": 0},
    "plot": {"studies": STUDY},
    "Universe.film": {"frames": 1},
    "Universe.save": {"path": "a.rle", "force": True},
    "Universe.checkpoint": {"path": "a.ckpt"},
    "Universe.__getitem__": {"window": 0},
    "Universe.__setitem__": {"window": 0, "states": 1},
    "Universes.__getitem__": {"window": 0},
    "Universes.__setitem__": {"window": 0, "states": 1},
    "Rule.save": {"path": "a.rule", "force": True},
    "Film.save": {"path": "a.png"},
    "Ensemble.table": {"name": "summary"},
}

RECORDS = {"Step", "Clusters", "DeviceCells", "UniversesClusters"}  # results: nobody makes them, and they check nothing


def public(kind):
    """Names of the methods of a class that people call."""
    for name, _ in inspect.getmembers(kind, inspect.isfunction):
        if not name.startswith("_") or name in ("__getitem__", "__setitem__"):
            yield name


def parameters(call):
    return [p for p in inspect.signature(call).parameters.values() if p.name != "self" and p.kind is not p.VAR_KEYWORD]


def start(call, needed, parameter, value):
    """Calls with a value for one parameter."""
    given = dict(needed)
    given[parameter.name] = value
    if parameter.kind is parameter.VAR_POSITIONAL:
        return call(*given.pop(parameter.name) if isinstance(value, (list, tuple)) else [given.pop(parameter.name)], **given)
    made = call(**given)
    if isinstance(made, (gosper.Universe, gosper.Universes)):
        made.close()


def ends(what, parameter, value, call):
    """The call returns, or raises an error of the package or one that Python has for files and indices, of one line."""
    error = within(call)
    where = f"{what}({parameter.name}={value!r}): {error!r}"
    assert error is None or isinstance(error, (gosper.GosperError, OSError, IndexError)), where
    assert error is None or "\n" not in str(error), where


def calls():
    for name in gosper.__all__:
        of = getattr(gosper, name)
        if name not in RECORDS and callable(of) and not (inspect.isclass(of) and issubclass(of, Exception)):
            for parameter in parameters(of):
                yield name, of, parameter


@pytest.fixture(autouse=True, scope="session")
def study():
    densities = [0.25, 0.3, 0.35, 0.4, 0.45]
    gosper.ensemble("life", size=[8, 12], density=densities, universes=8, generations=4, times=[0, 1, 2, 4], root="7", out=STUDY)
    yield
    shutil.rmtree(STUDY)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with gosper.Universe("B3/S23", 8) as u:
        u.checkpoint("there.ckpt")


@pytest.mark.parametrize("name, call, parameter", [pytest.param(*c, id=f"{c[0]}-{c[2].name}") for c in calls()])
def test_function(name, call, parameter, tmp_path):
    if name in ("Ensemble", "Film", "Rule"):
        pytest.skip("a result, made by calls that are tested")
    needed = NEEDED.get(name, {})
    if name == "ensemble" and parameter.name != "out":
        needed = {**needed, "out": "results"}
    for value in VALUES:
        ends(name, parameter, value, lambda: start(call, needed, parameter, value))


def objects():
    u = gosper.Universe("B3/S23", 8, density=0.5, seed=1)
    return u.film(1), gosper.ensemble(size=8, universes=1, generations=1, out="results"), gosper.Universes(shape=8, n=3), u


def test_methods():
    for of in objects():
        for name in public(type(of)):
            if name == "close":
                continue
            what = f"{type(of).__name__}.{name}"
            for parameter in parameters(getattr(of, name)):
                for value in VALUES:
                    if parameter.name in ("frames", "generations", "every") and isinstance(value, float) and value > 1e6:
                        continue  # a whole number of generations that nobody waits for
                    ends(what, parameter, value, lambda: start(getattr(of, name), NEEDED.get(what, {}), parameter, value))
        if isinstance(of, (gosper.Universe, gosper.Universes)):
            assert within(lambda: of.step(1)) is None
            of.close()


def test_every_method_needs_no_more():
    """The calls that NEEDED describes succeed, so that each value above is the only one that can be wrong."""
    for name, needed in NEEDED.items():
        if "." not in name:
            call = getattr(gosper, name)
            given = {**needed, "out": "results"} if name == "ensemble" else needed
            made = call(**given)
            if isinstance(made, (gosper.Universe, gosper.Universes)):
                made.close()
    for of in objects():
        for name in public(type(of)):
            if name not in ("close", "census", "device_cells"):  # the second needs the unbounded plane, the third a GPU
                getattr(of, name)(**NEEDED.get(f"{type(of).__name__}.{name}", {}))
