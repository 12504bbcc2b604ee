"""Runs the notebooks, and the Python code of the pages for beginners."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
NOTEBOOKS = sorted((HERE.parent / "notebooks").glob("*.ipynb"))
PAGES = [HERE.parent / "README.md", HERE.parents[1] / "docs" / "tutorial.md", HERE.parents[1] / "docs" / "faq.md", HERE.parents[1] / "docs" / "three-dimensions.md"]


def test_the_page_lists_all():
    page = (HERE.parent / "notebooks" / "README.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| \[.+?\]\((.+?)\)", page, re.M)) == [path.name for path in NOTEBOOKS]


@pytest.fixture(scope="module")
def runs():
    """Runs all notebooks, two at a time: most of it is the start of Python. The values have the kinds of outputs that were kept, and those that come."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    for module in ["ipykernel", "matplotlib", "pandas"]:
        pytest.importorskip(module)

    def run(path):
        book = nbformat.read(path, as_version=4)
        nbformat.validate(book)
        kept = [kinds(cell) for cell in book.cells if cell.cell_type == "code"]
        nbclient.NotebookClient(book, timeout=None, startup_timeout=600, iopub_timeout=600, resources={"metadata": {"path": str(path.parent)}}).execute()
        return kept, [kinds(cell) for cell in book.cells if cell.cell_type == "code"]

    with pytest.MonkeyPatch.context() as m, ThreadPoolExecutor(2) as pool:
        m.setenv("PYTHONPATH", os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")]))
        m.setenv("GOSPER_TABLES", "300")  # of 10,000 in langton.ipynb
        m.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
        yield {path: pool.submit(run, path) for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook(path, runs):
    kept, come = runs[path].result()
    assert come == kept  # text, tables and pictures in the same cells
    assert any("image/png" in kind for kind in kept)


def kinds(cell):
    """Kinds of a cell's outputs."""
    return sorted({kind for o in cell.outputs for kind in (o.data if "data" in o else [o.output_type])})


@pytest.mark.parametrize("page", PAGES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_page(page, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, str(page), "exec"), {})
