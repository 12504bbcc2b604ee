"""The Python examples of the documentation run as pasted, and compute what they say."""

import re
from pathlib import Path

import numpy as np
import pytest

import gosper

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCKS = [
    pytest.param(block, id=f"{name}-{i}")
    for name in ("faq.md", "rules.md", "measures.md")
    for i, block in enumerate(re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(encoding="utf-8"), re.DOTALL))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_runs(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(block, {})


def test_examples_of_cellpylib():
    """Rule 30 and code 126, cell by cell."""
    names = {}
    exec(BLOCKS[0].values[0], names)
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
