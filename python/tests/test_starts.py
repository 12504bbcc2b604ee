"""First cells: starts by name, densities of regions, pictures, one dimension, and errors that say what exists."""

import inspect

import numpy as np
import pytest

import gosper


def test_start():
    with gosper.Universe("Potts~q=3,T=1", 32, start="exact~1=100,2=20", seed=1) as u:
        assert np.bincount(u.cells.ravel(), minlength=3).tolist() == [904, 100, 20]
    with gosper.Universe("B3/S23", 9, start="cell") as u:
        assert u.population == 1 and u[4, 4] == 1
    with pytest.raises(gosper.InputError, match="cells alone"):
        gosper.Universe("B3/S23", 4, start="cell", cells=np.zeros((4, 4), int))


def test_densities_of_regions():
    with gosper.Universe("B3/S23", (60, 90), density=[[0, 1, 0.5], [1, 0, 0.5]], seed=3) as u, gosper.Universe(
        "B3/S23", (60, 90), density=np.array([[0, 1, 0.5], [1, 0, 0.5]]), seed=3
    ) as v:
        cells = u.cells
        assert np.array_equal(cells, v.cells) and u.seed == 3 and "regions~1=0:1:0.5,2=1:0:0.5" in u.command
        with u.copy() as other, gosper.Universe("B3/S23", (60, 90), start="regions~1=0:1:0.5,2=1:0:0.5", seed=3) as named:
            assert np.array_equal(cells, other.cells) and np.array_equal(cells, named.cells)
    assert cells[:30, :30].sum() == 0 and cells[:30, 30:60].all() and cells[30:, :30].all() and cells[30:, 30:60].sum() == 0
    assert 0.45 < cells[:, 60:].mean() < 0.55
    picture = np.linspace(0, 1, 64).reshape(1, 64).repeat(64, axis=0)  # as a grey picture divided by 255
    with gosper.Universe("B3/S23", (64, 64), density=picture, seed=1) as u:
        assert u.cells[:, :16].mean() < 0.25 < 0.75 < u.cells[:, -16:].mean()
    for wrong in ([[0, 2]], [0.5], np.zeros((2, 2, 2))):
        with pytest.raises(gosper.InputError, match="rows of numbers"):
            gosper.Universe("B3/S23", 8, density=wrong)
    with pytest.raises(gosper.InputError, match="one of them is allowed"):
        gosper.Universe("B3/S23", 8, density=[[0.5]], start="cell")
    with pytest.raises(gosper.InputError, match="at most 262144 regions"):
        gosper.Universe("B3/S23", 8, density=np.full((600, 600), 0.5))


def test_one_dimension():
    rule = gosper.rule(lambda cell, n: int(n[0] ^ (cell | n[1])), neighbourhood="line")  # rule 30
    with gosper.Universe(rule, (64,), start="cell") as u:
        assert u.shape == (1, 64)
        before = u.cells[0].astype(int)
        u.step(1)
        assert np.array_equal(u.cells[0], np.roll(before, 1) ^ (before | np.roll(before, -1)))


@pytest.mark.parametrize("number", [30, 110, 105])
def test_wolframs_rules_on_a_row(number):
    def after(cells):
        return number >> (4 * np.roll(cells, 1) + 2 * cells + np.roll(cells, -1)) & 1

    with gosper.Universe(f"W{number}", (64,), density=0.5, seed=1) as u, gosper.Universes(f"w{number}", (1, 64), n=3, seeds=1, density=0.5) as many:
        expected = u.cells[0].astype(int)
        for _ in range(20):
            expected = after(expected)
        u.step(20)
        many.step(20)
        assert np.array_equal(u.cells[0], expected) and np.array_equal(many[0, 0], expected)
    with gosper.Universe("W30", (9, 9), start="cell") as u:  # draws its history
        u.step(2)
        assert u.population == 1 + 3 + 3


def test_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gosper.rule(lambda cell, near: int(near.sum()) % 2, name="parity").save("parity.rule")
    cells = np.random.default_rng(1).integers(0, 2, (20, 30), dtype=np.uint8)
    np.save("cells.npy", cells)
    with gosper.Universe(cells=cells) as u:
        u.save("cells.png")
    for rule in ("parity.rule", tmp_path / "parity.rule"):
        for start in ("cells.png", tmp_path / "cells.npy"):
            with gosper.Universe(rule, (20, 30), start=start) as u, gosper.Universes(rule, cells=cells, n=2) as many:
                assert np.array_equal(u.cells, cells)
                u.step(3)
                many.step(3)
                assert np.array_equal(u.cells, many[1]) and u.rule == many.rule
    with gosper.Universe("B36/S23", (60, 90), start="cells.png") as u:
        assert u.rule == "B36/S23" and np.array_equal(u[20:40, 30:60], cells) and u.population == cells.sum()
    with pytest.raises(gosper.InputError, match="a density and a file"):
        gosper.Universe("B3/S23", 64, density=0.5, start="cells.png")
    with pytest.raises(gosper.InputError, match="no.such"):
        gosper.Universe("B3/S23", 64, start=tmp_path / "no.such")


def test_errors_say_what_exists():
    with pytest.raises(gosper.InputError, match="states are discrete"):
        gosper.Universe("Lenia", 8)


def test_every_public_name_has_help():
    for name in gosper.__all__:
        of = getattr(gosper, name)
        assert inspect.getdoc(of), name
        if inspect.isclass(of):
            for method, function in inspect.getmembers(of, inspect.isfunction):
                assert method.startswith("_") or inspect.getdoc(function), f"{name}.{method}"
