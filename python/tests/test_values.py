"""Values that JSON does not know: each raises, and numpy scalars are numbers."""

import threading

import numpy as np
import pytest

import gosper

WRONG = [lambda: 0, object(), [1], {"a": 1}, b"x", 1j, float("nan"), float("inf")]


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


@pytest.mark.parametrize("value", WRONG, ids=repr)
@pytest.mark.parametrize("name", ["rule", "topology", "density", "seed", "engine", "threads", "memory"])
def test_wrong_value_of_open_raises(name, value):
    given = {"rule": "B3/S23", "shape": 8, "density": 0.5, "seed": 1, name: value}
    assert within(lambda: gosper.Universe(**given)) is not None


@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_wrong_value_of_a_call_raises_and_the_universe_goes_on(value):
    with gosper.Universe("B3/S23", 8) as u:
        for call in (
            lambda: u.step(value),
            lambda: u.step(1, until=value),
            lambda: u.clusters(value),
            lambda: u.fill(value),
            lambda: u.fill(0.5, value),
            lambda: u.save("x.rle", force=value),
        ):
            assert within(call) is not None
        assert within(lambda: u.step(1)) is None and u.generation == 1


@pytest.mark.parametrize("value", WRONG + [None, "", "no such thing", -1, np.arange(3), np.array("x")], ids=repr)
def test_no_call_hangs(value, tmp_path, monkeypatch):
    """Every public call ends, with an exception or without one, and the universe still answers."""
    monkeypatch.chdir(tmp_path)
    functions = [
        lambda: gosper.rules(value), lambda: gosper.patterns(value), lambda: gosper.explain(value),
        lambda: gosper.identify(value), lambda: gosper.identify("glider", rule=value),
        lambda: gosper.census(value, soups=1), lambda: gosper.census(soups=value if value is not None else 1),
        lambda: gosper.open(value), lambda: gosper.open("glider", engine=value), lambda: gosper.open("glider", memory=value),
        lambda: gosper.resume(value), lambda: gosper.resume("nothing.ckpt", threads=value),
        lambda: gosper.ensemble(value, size=8, universes=1, generations=1, out="a"),
        lambda: gosper.ensemble("B3/S23", size=value, universes=1, generations=1, out="b"),
        lambda: gosper.ensemble("B3/S23", size=8, universes=1, generations=1, measure=value, out="c"),
        lambda: gosper.Universe("B3/S23", value), lambda: gosper.Universe("B3/S23", cells=value),
    ]
    for number, function in enumerate(functions):
        made = within(function)
        assert made is None or isinstance(made, Exception), number
    with gosper.Universe("B3/S23", 8, density=0.5) as u:
        for call in (
            lambda: u.step(value), lambda: u.step(1, progress=value), lambda: u.fill(shape=value), lambda: u.checkpoint(value),
            lambda: u.save(value), lambda: u.image(value), lambda: u.image(largest=value), lambda: u.film(value, 1),
            lambda: u[value], lambda: u.__setitem__(value, 1), lambda: u.__setitem__((0, 0), value),
        ):
            within(call)
        assert within(lambda: u.population) is None


def test_numpy_scalars():
    rule = np.str_("B3/S23")
    with gosper.Universe(rule, np.int64(8), density=np.float32(0.5), seed=np.uint64(5), threads=np.int8(1)) as u:
        u.step(np.int64(3))
        u.clusters(np.int32(4))
        assert u.generation == 3 and u.seed == 5
