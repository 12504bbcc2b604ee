"""Studies: what the command line reports."""

import subprocess

import pytest

import gosper


def test_lists():
    assert any(r["rule"] == "B36/S23" for r in gosper.rules("HighLife"))
    assert any(p["name"] == "gosper-gun" for p in gosper.patterns("gun"))
    assert gosper.explain("B3/S23")
    assert any(e for e in gosper.engines())
    assert gosper.version().startswith("gosper")


def test_identify(tmp_path):
    assert gosper.identify("xp2_7")["period"] == 2
    assert gosper.identify("glider")["speed"] == "c/4 diagonal"


def test_census():
    found = gosper.census(soups=20, seed="n_python", threads=1)
    assert found["soups"] == 20 and found["census"][0]["count"] > 0
    assert found["census"] == gosper.census(soups=20, seed="n_python")["census"]


def test_ensemble(tmp_path):
    pandas = pytest.importorskip("pandas")
    e = gosper.ensemble(
        ["B3/S23", "B36/S23"], size=64, density=[0.3, 0.5], universes=10, generations=50, every=25, measure=["clusters"], root="7", out=tmp_path / "e"
    )
    summary = e.table()
    assert isinstance(summary, pandas.DataFrame) and set(summary["rule"]) == {"B3/S23", "B36/S23"}
    assert "summary" in e.tables and "averages" not in e.tables
    with pytest.raises(gosper.InputError, match="summary"):
        e.table("nothing")
    with pytest.raises(gosper.InputError):
        gosper.ensemble(universes=0)


def test_a_folder_of_the_command_line(tmp_path):
    pandas = pytest.importorskip("pandas")
    for form in ("csv", "parquet"):
        folder = tmp_path / form
        command = [gosper.binary(), "ensemble", "run", "--rule=life", "--size=8", "-n2", "-g4", "--dump=0..4/2", f"--format={form}", f"--out={folder}", "-q"]
        subprocess.run(command, check=True, capture_output=True)
        e = gosper.Ensemble(folder)
        assert repr(e) == f"<Ensemble in {folder}: cells, samples, summary, universes>"
        if form == "csv":
            assert set(e.table().quantity) == {"density", "population"}
            continue
        try:
            pandas.io.parquet.get_engine("auto")
        except ImportError:
            with pytest.raises(gosper.GosperError, match="pip install pyarrow, or write CSV: gosper ensemble run … --format csv"):
                e.table()
        else:
            assert set(e.table().quantity) == {"density", "population"}


def test_cells_as_netcdf(tmp_path):
    """A file that others read as xarray does, which uses scipy for this format."""
    netcdf = pytest.importorskip("scipy.io").netcdf_file
    gosper.ensemble("/2/3", size="9x5", universes=3, generations=4, dump="0..4/2", dump_as="netcdf", root="7", out=tmp_path / "e")
    with netcdf(tmp_path / "e" / "cells-1.nc", mmap=False) as f:
        cells = f.variables["cells"]
        assert cells.dimensions == ("universe", "generation", "y", "x") and f.rule == b"/2/3"
        assert list(f.variables["generation"][:]) == [0, 2, 4]
        for i in range(3):
            with gosper.Universe("/2/3", (5, 9), density=0.5, seed=int(f.variables["seed"][i].tobytes())) as u:
                u.step(4)
                assert (u.cells == cells[i, 2]).all()


def test_arguments_of_an_ensemble(tmp_path):
    np = pytest.importorskip("numpy")
    e = gosper.ensemble(size=np.int64(16), universes=2, generations=4, start=["cell", "exact~1=9"], root="7", out=tmp_path / "e")
    assert repr(e) == f"<Ensemble of 4 universes in {tmp_path / 'e'}: samples, summary, universes>"
    pair = gosper.ensemble(size=16, density=np.array([0.25, 0.5]), universes=3, generations=4, measure="patterns", count=["block", "blinker"])
    assert pair.report["universes"] == 6
    with pytest.raises(gosper.InputError, match='^unknown argument evry, did you mean "every"\\?$'):
        gosper.ensemble(universes=2, evry=3)
    with pytest.raises(gosper.InputError, match="^until_error: unknown quantity"):
        gosper.ensemble(universes=2, until_error="nothing=1")


def test_averages_of_an_ensemble():
    pytest.importorskip("pandas")
    e = gosper.ensemble(
        "Ising~T=0.5", size=8, density=1, universes=4, generations=20, times=[5, 10, 15, 20], warmup=10, measure="energy", root="7", samples="none"
    )
    assert e.tables == ["averages", "summary", "universes"]
    assert sorted(e.table().generation.unique()) == [5, 10, 15, 20]
    averages = e.table("averages").set_index("quantity")
    assert list(averages.loc["energy", ["first", "last", "samples", "universes"]]) == [10, 20, 3, 4]
    assert averages.loc["energy", "mean"] == pytest.approx(-2, abs=0.01)  # almost all spins stay up, each with half of four bonds


def test_parameters_are_columns():
    pytest.importorskip("pandas")
    e = gosper.ensemble(["Ising~T=2.2..2.4/0.1", "B3/S23~flip=0.01"], size=[8, 12], universes=3, generations=4, measure="magnetisation")
    summary = e.table()
    assert set(summary["model"]) == {"Ising", "B3/S23"}
    ising = summary[(summary.model == "Ising") & (summary.quantity == "abs_magnetisation")].pivot(index="T", columns="width", values="mean")
    assert list(ising.index) == [2.2, 2.3, 2.4] and list(ising.columns) == [8, 12]
    assert summary[summary.model == "B3/S23"]["flip"].unique().tolist() == [0.01]
