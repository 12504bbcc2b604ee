"""Critical points, exponents and figures of ensembles."""

import pytest

import gosper

PERCOLATION = dict(universes=60, generations=0, measure="percolation", connectivity=4, samples="none", root="7")


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """Site percolation on two sizes, with points near the threshold in a study of their own."""
    folder = tmp_path_factory.mktemp("percolation")
    coarse = gosper.ensemble("life", size=[16, 32], density=[0.54, 0.56, 0.63], out=folder / "coarse", **PERCOLATION)
    fine = gosper.ensemble("life", size=[16, 32], density=[0.58, 0.6, 0.61], out=folder / "fine", **PERCOLATION)
    return coarse, fine


def test_crossing(studies):
    coarse, fine = studies
    (both,) = gosper.crossing([coarse, fine.folder], "percolating")
    assert both["critical"] == pytest.approx(0.593, abs=0.04) and len(both["curves"]) == 2
    assert gosper.crossing(studies, "percolating", value=0.5, degree=2, generation=0)[0]["degree"] == 2
    with pytest.raises(gosper.InputError, match="generation 5 was not sampled"):
        gosper.crossing(coarse, "percolating", generation=5)
    with pytest.raises(gosper.InputError, match="both have"):
        gosper.crossing([coarse, coarse.folder], "percolating")
    with pytest.raises(gosper.InputError, match="studies"):
        gosper.crossing([], "percolating")


def test_collapse(studies, tmp_path):
    (found,) = gosper.collapse(studies, "percolating", critical=0.592746, beta_over_nu=0, least=0.5, most=0.7, out=tmp_path / "c.svg")
    assert found["critical"] == 0.592746 and found["points"] == 12 - found["points_left_out"]
    assert 0.3 < found["inverse_nu"] < 1.3 and (tmp_path / "c.svg").read_text().startswith("<")


def test_exponent():
    e = gosper.ensemble("life", size=32, universes=20, generations=64, times=[16, 32, 48, 64], measure="clusters", root="7")
    (power,) = gosper.exponent(e, first=16)
    assert -1 < power["exponent"] < 0 and power["exponent_error"] > 0
    (sizes,) = gosper.exponent(e, "n_s", first=1, last=20)
    (early,) = gosper.exponent(e, "n_s", first=1, last=20, generation=16)
    assert sizes["exponent"] != early["exponent"]
    with pytest.raises(gosper.InputError, match="power of time, in a range of generations"):
        gosper.exponent(e, generation=16)
    with pytest.raises(gosper.InputError, match="has no binder of each universe in this range"):
        gosper.exponent(e, "binder", first=16, last=32)


def test_exponent_of_avalanches():
    pile = gosper.ensemble(
        "Sandpile~p=0.001", size=16, topology="plane", density=1, universes=8, generations=6000, every=200, warmup=3000, measure="avalanches", root="7"
    )
    (found,) = gosper.exponent(pile, "avalanche_size_from", first=1, last=16)
    assert (found["smallest_size"], found["largest_size"]) == (1, 15) and found["ks_distance"] < 0.05
    assert 0.9 < found["tau"] < 1.5 and 0 < found["tau_error"] < 0.1
    (chosen,) = gosper.exponent(pile, "avalanche_size_from", last=64)
    assert chosen["smallest_size"] in (1, 2, 4) and chosen["largest_size"] == 63
    assert "tau" not in gosper.exponent(pile, "population")[0]


def test_plot(studies, tmp_path):
    files = gosper.plot(studies, against="density", format="svg", out=tmp_path / "figures")
    assert tmp_path / "figures" / "percolating.svg" in files
    assert all(file.exists() for file in files)
    with pytest.raises(gosper.InputError, match="png"):
        gosper.plot(studies, format="bmp", out=tmp_path)
