"""Many universes against single ones and numpy."""

import copy
import pickle

import numpy as np
import pytest

import gosper
from test_universe import life
from test_values import WRONG, refused, within


@pytest.mark.parametrize("shape", [(64, 64), (7, 13), (1, 9)])
@pytest.mark.parametrize("topology", ["torus", "plane", "klein"])
def test_each_is_the_single_universe_of_its_seed(shape, topology):
    with gosper.Universes("B36/S23", shape, n=70, seeds=5, density=0.4, topology=topology, threads=2) as u:
        assert len(u) == 70 and u.shape == (70, *shape) and u.generation == 0
        u.step(7)
        assert u.generation == 7 and u.cells.shape == u.shape
        for i in (0, 33, 69):
            with gosper.Universe("B36/S23", shape, density=0.4, seed=5 + i, topology=topology) as one:
                one.step(7)
                assert np.array_equal(u[i], one.cells)
                found = one.clusters(4)
                assert u.clusters(4).largest[i] == found.largest and u.clusters(4).count[i] == found.count
                assert u.clusters(4).second_moment[i] == (found.sizes**2 * found.numbers).sum()
                assert np.array_equal(one.bits, np.packbits(one.cells, axis=-1))
        assert np.array_equal(u.population, u.cells.sum((1, 2)))
        assert np.array_equal(u.counts[:, 1], u.population) and (u.counts.sum(1) == shape[0] * shape[1]).all()
        assert np.array_equal(u.bits, np.packbits(u.cells, axis=-1))


def test_cells():
    cells = np.random.default_rng(1).integers(0, 2, (6, 10, 12), dtype=np.uint8)
    with gosper.Universes(cells=cells) as u:
        assert np.array_equal(u.cells, cells) and np.array_equal(u[2], cells[2]) and np.array_equal(u[-1, 3:5], cells[-1, 3:5])
        assert np.array_equal(u[4:1:-2], cells[4:1:-2]) and np.array_equal(u[[0, 5]], cells[[0, 5]]) and np.array_equal(u[..., 3], cells[..., 3])
        assert u[3:3].shape == (0, 10, 12) and u[1, 2, 3] == cells[1, 2, 3]
        u[1:3, 2:4] = cells[0, 2:4] = 1
        cells[1:3, 2:4] = 1
        u[0, 2:4] = 1
        u.step()
        assert np.array_equal(u.cells, [life(c, {3}, {2, 3}) for c in cells])
        u.cells = cells[0]
        assert np.array_equal(u.cells, [cells[0]] * 6)
        for index in (6, -7, (0, 10)):
            with pytest.raises(IndexError):
                u[index]
    with gosper.Universes("/2/3", cells=cells * 2) as u:
        assert u.states == 3 and np.array_equal(u.counts[:, 2], cells.sum((1, 2)))
        assert refused(lambda: u.bits) == "bits: the rule has 3 states; cells of two states fit into bits"


def test_densities_and_starts():
    with gosper.Universes("B3/S23", 32, density=[0, 0.25, 1], seeds=[1, 2, 1 << 63]) as u:
        assert u.population[0] == 0 and u.population[2] == 1024 and list(u.seeds) == [1, 2, 1 << 63]
        u.fill(0.5, [7, 8, 9])
        with gosper.Universe("B3/S23", 32, density=0.5, seed=8) as one:
            assert np.array_equal(u[1], one.cells)
    with gosper.Universes("B3/S23", 32, n=5, seeds=3, start="exact~1=100") as u:
        assert (u.population == 100).all()
        with gosper.Universe("B3/S23", 32, seed=7, start="exact~1=100") as one:
            assert np.array_equal(u[4], one.cells)


def test_chance_follows_the_seeds():
    with gosper.Universes("Ising~T=2.3", 16, n=40, seeds=100, density=0.5) as u:
        u.step(5)
        with gosper.Universe("Ising~T=2.3", 16, density=0.5, seed=117) as one:
            one.step(5)
            assert np.array_equal(u[17], one.cells)
        others = [copy.copy(u), pickle.loads(pickle.dumps(u))]
        u.step(3)
        for other in others:
            assert other.generation == 5
            other.step(3)
            assert np.array_equal(other.cells, u.cells)
            other.close()


def test_copies_and_pickles_keep_what_opened_them():
    kept = {"start": "exact~1=100", "engine": "cpu", "threads": 1}
    for of in (
        {"shape": (12, 20), "topology": "klein", "n": 4}, {"shape": 16, "n": 4}, {"rule": "B36/S23:K12,20*", "n": 4},
        {"rule": gosper.rule(lambda cell, near: int(near.sum()) % 2), "shape": 16, "seeds": [4, 5, 6, 7]},
    ):  # fmt: skip
        with gosper.Universes(**{"seeds": 3, **of, **kept}) as u:
            u.step(3)
            for other in (copy.copy(u), copy.deepcopy(u), pickle.loads(pickle.dumps(u)), u.copy().copy()):
                for attribute in ("rule", "topology", "shape", "engine", "plan", "generation", "_given"):
                    assert getattr(other, attribute) == getattr(u, attribute), attribute
                assert np.array_equal(other.cells, u.cells) and np.array_equal(other.seeds, u.seeds)
                other.fill()
                assert (other.population == 100).all() and other.generation == 0
                other.close()
    for engine in ("reference", "cpu"):
        with gosper.Universe("B3/S23", 32, density=0.5, seed=1, engine=engine, threads=1) as one:
            one.step(3)
            for copied in (one.copy(), pickle.loads(pickle.dumps(one))):
                assert copied.engine == one.engine == engine and copied._given["threads"] == 1 and copied.hash == one.hash
                copied.close()


def test_a_function():
    @gosper.rule(states=3)
    def excitable(cell, neighbours):
        return int(1 in neighbours) if cell == 0 else (cell + 1) % 3

    with gosper.Universes(excitable, (20, 30), n=9, seeds=1, density=0.1, topology="plane") as u, u.copy() as other:
        u.step(4)
        other.step(4)
        with gosper.Universe(excitable, (20, 30), density=0.1, seed=9, topology="plane") as one:
            one.step(4)
            assert np.array_equal(u[8], one.cells) and np.array_equal(other[8], one.cells)


@pytest.mark.skipif(not hasattr(np, "from_dlpack"), reason="an older numpy")
def test_dlpack():
    with gosper.Universes("B3/S23", 32, n=3, seeds=1, density=0.5) as u, gosper.Universe("B3/S23", 32, density=0.5, seed=1) as one:
        assert np.array_equal(np.from_dlpack(u), u.cells) and np.array_equal(np.from_dlpack(one), one.cells)
        assert np.array_equal(np.asarray(u, np.int64), u.cells) and u.__dlpack_device__() == (1, 0)


def test_device_cells_without_a_gpu():
    with gosper.Universes("B3/S23", 32, n=3, engine="cpu") as u, gosper.Universe("B3/S23", 32, engine="cpu") as one:
        for of in (u, one):
            with pytest.raises(gosper.InputError, match="not on a GPU, but on the engine cpu"):
                of.device_cells()


def test_bits_of_one_universe():
    with gosper.Universe("B3/S23", (50, 70), density=0.5, seed=1) as u:
        assert u.bits.shape == (50, 9) and np.array_equal(np.unpackbits(u.bits, axis=-1, count=70), u.cells)
    with gosper.Universe("B0/S8") as u:
        u[2:4, 5:20] = 1
        u.step()
        assert u.background == 1 and np.array_equal(u.bits, np.packbits(u.cells, axis=-1))
    with gosper.Universe("B3/S23") as u:
        assert u.bits.size == 0
    with gosper.Universe("3D4,5/5", (3, 5, 20), density=0.2, seed=1) as u:
        assert np.array_equal(np.unpackbits(u.bits, axis=-1, count=20), u.cells)


def test_messages():
    for given, text in (
        ({}, "no number of universes: n, or a seed, a density or cells for each, are needed"),
        ({"n": 0}, "n 0: a whole number from 1 to 2147483648 is allowed"),
        ({"n": 3, "seeds": [1, 2]}, "3 and 2 universes: n, seeds, density and cells must agree"),
        ({"n": 2, "shape": None}, "no shape: many universes have rows and columns"),
        ({"n": 2, "density": 1.5}, "fill: universe 0: soup density 1.5: must be from 0 to 1"),
        ({"n": 2, "cells": np.zeros((2, 8, 8)).astype(int), "density": 0.1}, "cells, density and start: cells alone, or the others are allowed"),
        ({"n": 2, "cells": np.full((8, 8), 2)}, "universe 0, cell (0, 0) has state 2: the rule has states 0 to 1"),
        ({"n": 1 << 31, "shape": 4096}, "open: 2147483648 universes of 4096×4096 cells do not fit in memory"),
    ):
        assert refused(lambda: gosper.Universes(**{"shape": 8, **given})) == text
    assert "two dimensions" in refused(lambda: gosper.Universes("3D4,5/5", 8, n=2))


@pytest.mark.parametrize("value", WRONG + ["x", -1, (1, 2, 3, 4)], ids=repr)
def test_wrong_values_are_refused_and_the_universes_go_on(value):
    with gosper.Universes(shape=8, n=3, seeds=1) as u:
        for call in (lambda: u.step(value), lambda: u.clusters(value), lambda: u.fill(value), lambda: u.fill(0.5, value), lambda: u[value, 0, 0, 0]):
            refused(call, IndexError)
        for name in ("rule", "shape", "n", "density", "seeds", "start", "topology", "engine", "threads", "cells"):
            if not (name == "seeds" and value == (1, 2, 3, 4)):
                refused(lambda: gosper.Universes(**{"shape": 8, "n": 3, name: value}))
        assert within(u.step) is None and u.generation == 1


def test_small_ones_share_a_process(tmp_path):
    (tmp_path / "own.rule").write_text("@RULE own\n\n@TABLE\nn_states:2\nneighborhood:Moore\nsymmetries:permute\n0,1,1,1,1,1,1,1,1,1\n")
    one, large = gosper.Universe("B3/S23", (8, 8)), gosper.Universes("B3/S23", (64, 64), n=257)
    small, others = (gosper.Universes(rule, shape, n=5, seeds=7, density=0.4) for rule, shape in (("B3/S23", (64, 64)), ("B36/S23", (16, 16))))
    own = gosper.Universes(tmp_path / "own.rule", (8, 8), n=2)
    with one, large, small, others, own:
        assert one._process.host is small._process.host is others._process.host
        assert len({u._process.host for u in (one, large, own)}) == 3
        small.step(10), others.step(20)
        for u in (small, others):
            with gosper.Universe(u.rule, u.shape[1:], seed=11, density=0.4) as alone:
                alone.step(u.generation)
                assert (u[4] == alone.cells).all()
