"""The Python examples of the documentation run as pasted, and compute what they say."""

import csv
import math
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import gosper

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    page: re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    for page in ["README.md", "python/README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
}
# Commands that a page gives before its examples, for smaller studies.
COMMANDS = {
    "life/": "--rule B3/S23 --size 16 -n 8 -g 20 --every 10 --out life",
    "ising/": "--rule Ising~T=2.2..2.3/0.1 --size 8 --size 16 -n 8 -g 20 --every 5 --warmup 5 --measure magnetisation --out ising",
}
# Modules that an example needs besides numpy, by the text that shows it.
NEEDS = {r"pandas|\.table\(": "pandas", "parquet": "pyarrow", r"\.plot\(": "matplotlib"}


def test_pages():
    """No example is missed because its fence is written in another way."""
    assert sum(1 for blocks in PAGES.values() if blocks) >= 8
    for page, blocks in PAGES.items():
        assert len(re.findall(r"^\W*```[ ]*[Pp]y", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)) == len(blocks), page


@pytest.mark.parametrize("page, block", [pytest.param(page, block, id=f"{page}-{i}") for page, blocks in PAGES.items() for i, block in enumerate(blocks)])
def test_runs(page, block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    for use, module in NEEDS.items():
        if re.search(use, block):
            pytest.importorskip(module)
    for folder, flags in COMMANDS.items():
        if folder in block:
            subprocess.run([gosper.binary(), "ensemble", "run", "--quiet", *flags.split()], check=True)
    exec(block, {})


def test_examples_of_cellpylib():
    """Rule 30 and code 126, cell by cell."""
    names = {}
    exec(PAGES["docs/faq.md"][0], names)
    row = np.zeros(200, int)
    row[100] = 1
    history = names["evolve"](gosper.Universe("W30", (200,), start="cell"), 100)[:, 0]
    for shown in history:
        assert np.array_equal(shown, row)
        row = np.roll(row, 1) ^ (row | np.roll(row, -1))
    cells = np.zeros((60, 60), int)
    cells[30, 30] = 1
    for shown in names["evolve"](gosper.Universe(names["code126"], (60, 60), start="cell"), 30):
        assert np.array_equal(shown, cells)
        cells = 126 >> sum(np.roll(cells, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1)) & 1


def test_fits_of_ensembles(tmp_path):
    """The functions for relaxation times give those of exact curves back."""
    names = {}
    exec(PAGES["docs/ensembles.md"][2], names)
    points = []
    for size in (10, 20, 40):
        tau = 0.5 * size**1.6
        (tmp_path / str(size)).mkdir()
        with open(tmp_path / str(size) / "summary.csv", "w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(("quantity", "generation", "mean"))
            rows.writerows(("density", t, 0.03 * (1 + 9 * math.exp(-t / tau))) for t in range(0, int(30 * tau)))
        found = names["relaxation"](str(tmp_path / str(size)))
        assert abs(found / tau - 1) < 1e-6
        points.append((size, found, 0.01 * found))
    assert abs(names["exponent"](points) - 1.6) < 1e-6
