"""Values that JSON does not know: each raises, and numpy scalars are numbers."""

import threading

import numpy as np
import pytest

import gosper

WRONG = [lambda: 0, object(), [1.5], {"a": 1}, b"x", 1j, float("nan"), float("inf")]


def within(f):
    """What f raises, which must happen within a minute; None: nothing."""
    result = []

    def run():
        try:
            f()
            result.append(None)
        except Exception as error:
            result.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(60)
    assert result, "it hangs"
    return result[0]


def refused(call, *others):
    """The call must raise an error of the package, or one of some others, with one line."""
    error = within(call)
    assert isinstance(error, (gosper.GosperError, *others)), repr(error)
    assert str(error) and "\n" not in str(error)
    return str(error)


@pytest.mark.parametrize("value", WRONG, ids=repr)
@pytest.mark.parametrize("name", ["rule", "shape", "topology", "density", "seed", "engine", "threads", "memory"])
def test_wrong_value_of_open_is_refused(name, value):
    given = {"rule": "B3/S23", "shape": 8, "density": 0.5, "seed": 1, name: value}
    refused(lambda: gosper.Universe(**given))


@pytest.mark.parametrize("value", WRONG + ["x", -1, (1, 2, 3, 4), (1, 2, 3), (1, -1), np.arange(3), np.zeros((40, 40))], ids=repr)
def test_wrong_value_of_a_call_is_refused_and_the_universe_goes_on(value):
    with gosper.Universe("B3/S23", 8) as u:
        for call in (
            lambda: u.step(value),
            lambda: u.step(1, until=value),
            lambda: u.clusters(value),
            lambda: u.fill(value if not isinstance(value, str) else None),
            lambda: u.fill(0.5, value),
            lambda: u.fill(0.5, 1, value),
            lambda: u.image(largest=value),
            lambda: u.film(value),
            lambda: u.film(2, value),
            lambda: u.film(2, rate=value),
            lambda: u.film(2, largest=value),
            lambda: gosper.open("glider", shape=value),
            lambda: gosper.census(soups=value),
            lambda: gosper.census(soups=1, first=value),
            lambda: gosper.census(soups=1, threads=value),
        ):
            refused(call)
        assert within(lambda: u.step(1)) is None and u.generation == 1


def test_messages():
    """Wrong values are named, with what is allowed."""
    with gosper.Universe("B3/S23", 8) as u:
        for call, text in (
            (lambda: u.fill(seed=float("nan")), "seed nan: a whole number from 0 to 2^64 - 1 is allowed"),
            (lambda: u.fill(seed=float("inf")), "seed inf: a whole number from 0 to 2^64 - 1 is allowed"),
            (lambda: u.fill(float("nan")), "density nan: a finite number is allowed"),
            (lambda: u.fill(shape=[1, 2, 3, 4]), "shape [1, 2, 3, 4]: two whole numbers from 1 to 2000000000 are allowed, rows and columns, or three, layers, rows and columns, or one for all"),
            (lambda: gosper.Universe("B3/S23", [1, 2, 3, 4]), "shape [1, 2, 3, 4]: two whole numbers from 1 to 2000000000 are allowed, rows and columns, or three, layers, rows and columns, or one for all"),
            (lambda: u.step(np.zeros((40, 40))), "generations a value of type ndarray: a whole number from 0 to 2^64 - 1 is allowed"),
            (lambda: u.save(3), "path 3: a path is allowed"),
            (lambda: u.__setitem__((slice(0, 2), slice(0, 2)), np.zeros((3, 3), int)), "cells of shape (3, 3): the shape of the window is allowed, (2, 2), or one state for all"),
            (lambda: u["a":3], "index 'a': whole numbers and ranges of them are allowed"),
            (lambda: u.film(1, rate=100), "rate 100.0: 0.001 to 65.535 pictures a second are allowed"),
        ):
            assert refused(call) == text
    with gosper.Universe() as u:
        assert refused(lambda: u[: 1 << 62, : 1 << 62].size) == f"cells of shape {(1 << 62, 1 << 62)}: no memory for so many"


@pytest.mark.parametrize("shape", [(0, 8), (8, 0), 0, (0,), (2, 0, 3), (1 << 40, 8), [8, -1], np.int64(0)], ids=repr)
def test_a_shape_is_named_as_it_was_typed(shape):
    with gosper.Universe() as u:
        for call in (
            lambda: gosper.Universe(shape=shape),
            lambda: gosper.Universe(shape=shape, density=[[0.5]]),
            lambda: gosper.Universes(shape=shape, n=2),
            lambda: gosper.open("glider", shape=shape),
            lambda: u.fill(shape=shape),
        ):
            assert refused(call).startswith(f"shape {shape!r}: two whole numbers from 1 to 2000000000 are allowed, rows and columns, or three")


def test_numpy_scalars(tmp_path):
    rule = np.str_("B3/S23")
    with gosper.Universe(rule, np.int64(8), density=np.float32(0.5), seed=np.uint64(5), threads=np.int8(1)) as u:
        u.step(np.int64(3), until=np.str_("stable"), progress=np.bool_(False))
        u.clusters(np.int32(4))
        u.fill(np.float32(0.25), np.uint64(1 << 63), (np.uint8(8), np.int16(8)))
        assert u.generation == 3 and u.seed == 5 and u[np.int64(1), np.uint8(2)] in (0, 1)
        assert u[np.int64(1) : np.uint8(3)].shape == (2, 8)
    with gosper.Universe(rule, memory=np.str_("100M"), engine=np.str_("cpu")) as u:
        assert u.step(np.uint64(2)).generation == 2
    e = gosper.ensemble(
        rule, size=np.array([8, 9]), density=np.array([0.25, 0.5], np.float32), universes=np.int64(1), generations=np.uint16(2),
        times=np.arange(1, 2), root=np.str_("a"), paired=np.bool_(True), threads=np.int8(1), out=tmp_path,
    )  # fmt: skip
    assert e.report["universes"] == 4
    assert gosper.census(rule, np.int64(1), seed=np.str_("a"), first=np.uint8(3), threads=np.int8(1))["soups"] == 1
