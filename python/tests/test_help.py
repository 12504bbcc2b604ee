"""Annotations and docstrings agree with the functions, and mypy agrees with the annotations."""

import inspect
import os
import re
import subprocess
import sys
import typing
from pathlib import Path

import pytest

import gosper

HERE = Path(__file__).resolve().parent


def calls():
    """Names of public functions and methods, the functions, and their docstrings."""
    for name in gosper.__all__:
        of = getattr(gosper, name)
        if not inspect.isclass(of):
            yield name, of, inspect.getdoc(of)
            continue
        if "__init__" in vars(of) and not issubclass(of, Exception):
            yield name, of.__init__, inspect.getdoc(of)
        for method, function in inspect.getmembers(of, inspect.isfunction):
            if not method.startswith("_") or method in ("__getitem__", "__setitem__"):
                yield f"{name}.{method}", function, inspect.getdoc(function)
        for attribute, value in inspect.getmembers(of, lambda value: isinstance(value, property)):
            yield f"{name}.{attribute}", value.fget, inspect.getdoc(value)


CALLS = list(calls())


@pytest.mark.parametrize("name, function, text", CALLS, ids=[name for name, _, _ in CALLS])
def test_help(name, function, text):
    assert text, "no docstring"
    hints = typing.get_type_hints(function)
    parameters = [p for p in inspect.signature(function).parameters if p not in ("self", "cls")]
    assert {*parameters, "return"} <= set(hints), "a type is missing"
    missing = [p for p in parameters if not re.search(rf"\b{p}\b", text)]
    assert not missing, f"help does not mention {missing}"
    section = re.search(r"^Parameters\n-+\n(.*?)(?=\n\w+\n-+\n|\Z)", text, re.DOTALL | re.MULTILINE)
    if section:
        documented = re.findall(r"^(\S[^:\n]*?)(?: :|$)", section[1], re.MULTILINE)
        names = [name.lstrip("*") for line in documented for name in line.split(", ")]
        assert [p for p in names if p not in parameters] == [], "help names parameters that do not exist"


SCRIPT = '''
"""The types that an editor sees."""

import copy
from pathlib import Path
from typing import Callable

import numpy as np
import numpy.typing as npt

import gosper

Cells = npt.NDArray[np.uint8]


@gosper.rule(states=3)
def excitable(cell: int, near: npt.NDArray[np.int64]) -> int:
    return int(1 in near) if cell == 0 else (cell + 1) % 3


def holes(cells: Cells) -> float:
    return float((cells == 0).mean())


made: gosper.Rule = gosper.rule(lambda cell, n: int(n[1] > 4), counts=True)
table: gosper.Rule = gosper.rule(np.zeros((2,) * 9, np.uint8), name="nothing")
made.save(Path("made.rule"), force=True)
with gosper.Universe(excitable, shape=(64, 64), density=[[0.3, 0.1]], seed=1) as u:
    done: gosper.Step = u.step(10, until="stable")
    lifespan = done.lifespan
    if lifespan is not None:
        print(lifespan + 1)
    cells: Cells = u.cells
    u.cells = np.zeros((64, 64), np.uint8)
    u[3:5, 4] = 1
    twin: gosper.Universe = copy.copy(u.copy())
    largest: int = u.clusters().largest
    on_gpu: Callable[[], gosper.DeviceCells] = u.device_cells
    picture: bytes = u.image(largest=64)
    u.film(3).save("film.png")
with gosper.Universes("B3/S23", 64, n=20, seeds=np.arange(20), density=np.linspace(0, 1, 20)) as many:
    many.step(3)
    population: npt.NDArray[np.int64] = many.population
    first: gosper.Universes = many.copy()
    packed: Cells = many.bits
study: gosper.Ensemble = gosper.ensemble(
    ["B3/S23"], size=[16, 32], density=np.linspace(0.1, 0.5, 3), universes=4, generations=4, times=range(3), measure=["clusters", holes],
    connectivity=4,
)
folder: Path = study.folder
for line in gosper.crossing([study], "density", value=0.2, generation=0):
    print(line["critical"])
files: list[Path] = gosper.plot(study, out=folder / "figures")
'''

WRONG = '''
import gosper

u = gosper.Universe("B3/S23", shape="64")
u.step("3")
u.population = 3
gosper.ensemble(size=8, universes=None)
made: str = gosper.Universes(n=3).population
'''


def mypy(script, folder):
    (folder / "script.py").write_text(script)
    env = {**os.environ, "MYPYPATH": str(HERE.parent), "MYPY_CACHE_DIR": str(folder / "cache")}
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "script.py", str(HERE.parent / "gosper")], cwd=folder, env=env, capture_output=True, text=True
    )
    assert not run.stderr, run.stderr
    return run.stdout.strip().splitlines()


def test_mypy(tmp_path, monkeypatch):
    pytest.importorskip("mypy")
    assert mypy(SCRIPT, tmp_path)[-1].startswith("Success"), mypy(SCRIPT, tmp_path)
    lines = {int(line.split(":")[1]) for line in mypy(WRONG, tmp_path) if line.startswith("script.py:") and ": error:" in line}
    assert lines == {4, 5, 6, 7, 8}


def test_the_script_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(SCRIPT, "script.py", "exec"), {"__name__": "script"})
