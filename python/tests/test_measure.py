"""Functions of Python as measures of ensembles."""

import tempfile

import numpy as np
import pytest

import gosper

pandas = pytest.importorskip("pandas")


def rows(cells):
    return np.count_nonzero(cells.any(axis=1))


def fails(cells):
    return 1 / 0


def means(e, quantity):
    table = e.table()
    return table[table.quantity == quantity].sort_values(["width", "generation"])


def test_equals_a_measure_of_the_program(tmp_path):
    def population(cells):
        return np.count_nonzero(cells)

    e = gosper.ensemble(
        "/2/3", size=[16, 24], density=0.4, universes=20, generations=20, every=5, root="7", warmup=10, out=tmp_path / "e",
        measure=["states", rows, {"live": population, ("first", "when"): lambda cells, generation: (cells[0, 0], generation)}],
    )  # fmt: skip
    for column in ("mean", "error", "low", "high", "universes"):
        assert means(e, "live")[column].tolist() == means(e, "population")[column].tolist()
    assert (means(e, "when")["mean"] == means(e, "when")["generation"]).all()
    averages = e.table("averages").set_index(["width", "quantity"])
    assert averages.loc[(16, "live"), "mean"] == averages.loc[(16, "population"), "mean"]
    samples = e.table("samples")
    values = e.table("values")
    with gosper.Universe("/2/3", 16, density=0.4, seed=int(samples.seed[3])) as u:
        u.step(int(samples.generation[3]))
        at = values[(values.seed == samples.seed[3]) & (values.generation == samples.generation[3]) & (values.width == 16)].set_index("quantity").value
        assert at["rows"] == rows(u.cells) and at["live"] == u.population and at["first"] == u[0, 0]


def test_goes_on_and_tells_functions_apart(tmp_path):
    def study(limit, universes):
        return gosper.ensemble(size=8, universes=universes, generations=4, measure={"many": lambda cells: int(cells.sum() > limit)}, out=tmp_path / "e")

    first = study(20, 4)
    assert study(20, 8).report["universes"] == 8 and first.table is not None
    with pytest.raises(gosper.GosperError, match="holds another ensemble"):
        study(30, 8)


def test_volumes_and_unbounded():
    e = gosper.ensemble("3D4,5/5", size="6x5x4", density=0.2, universes=3, generations=2, measure={"deep": lambda cells: cells.shape[0] * 100 + cells.shape[2]})
    assert means(e, "deep")["mean"].tolist() == [406]
    with pytest.raises(gosper.InputError, match="measure call: on the unbounded plane"):
        gosper.ensemble(topology="unbounded", universes=2, measure=rows)


@pytest.mark.parametrize(
    "measure, text",
    [
        ({"population": rows}, 'measure population: there is another quantity of this name: use {"another_name": function}'),
        ({"a b": rows}, 'calls "a b": a name has letters, digits and _'),
        ([rows, rows], 'measure rows: there is another quantity of this name: use {"another_name": function}'),
        ([3], "measure 3: the name of a measure, a function"),
        ({3: rows}, "measure "),
        ({"a": 3}, "measure 3 of "),
    ],
)
def test_errors(measure, text):
    with pytest.raises(gosper.GosperError) as error:
        gosper.ensemble(size=8, universes=2, generations=1, measure=measure)
    assert text in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "measure, text",
    [
        ({"a": lambda cells: "seven"}, "measure a: the function returns 'seven': a number is allowed"),
        ({"a": lambda cells: "7"}, "measure a: the function returns '7': a number is allowed"),
        ({"a": lambda cells: None}, "measure a: the function returns None: a number is allowed"),
        ({"a": lambda cells: cells}, "measure a: the function returns a value of type ndarray: a number is allowed"),
        ({("a", "b"): lambda cells: (1, 2, 3)}, "measure a, b: the function returns (1, 2, 3): 2 numbers are allowed"),
        ({("a", "b"): lambda cells: "12"}, "measure a, b: the function returns '12': 2 numbers are allowed"),
        (fails, "measure fails: ZeroDivisionError: division by zero (test_measure.py, line 18, in fails)"),
        ({"a": lambda cells: float("nan")}, "measure a: nan at generation 1: a finite number is allowed"),
    ],
)
def test_a_function_that_fails_ends_the_ensemble(measure, text, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(gosper.InputError) as error:
        gosper.ensemble(size=8, universes=4, generations=1, measure=measure)
    assert str(error.value) == text
    assert not list(tmp_path.glob("gosper-ensemble-*")) and not list(tmp_path.glob("gosper-measure-*"))


def test_folders_that_a_message_names_remain(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(gosper.InputError):
        gosper.ensemble(universes=0)
    with pytest.raises(gosper.GosperError, match="1 of 1 jobs failed.*measure fails: ZeroDivisionError") as error:
        gosper.ensemble(size=8, universes=1, generations=1, measure=fails, out=tmp_path / "e")
    assert str(tmp_path / "e" / "failed") in str(error.value)
