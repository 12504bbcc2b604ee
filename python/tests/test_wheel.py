"""The wheel: what is in it, and that the README's code runs from it."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]


def bare():
    """An environment in which Go finds no history, as in an archive of the source."""
    return {**os.environ, "GOFLAGS": f"{os.environ.get('GOFLAGS', '')} -buildvcs=false".strip()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if shutil.which("go") is None:
        pytest.skip("no Go here: no wheel is built")
    out = tmp_path_factory.mktemp("wheel")
    printed = subprocess.run([sys.executable, PACKAGE / "wheel.py", "--out", out], check=True, capture_output=True, text=True, env=bare())
    return Path(printed.stdout.strip())


def test_same_bytes_again(wheel, tmp_path):
    subprocess.run([sys.executable, PACKAGE / "wheel.py", "--out", tmp_path], check=True, capture_output=True, env=bare())
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


def test_installs_and_runs_the_readme(wheel, tmp_path):
    site = tmp_path / "site"
    pip = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site, wheel], capture_output=True, text=True
    )
    if "No module named pip" in pip.stderr:  # then as any tool does it: a wheel is a zip file
        with zipfile.ZipFile(wheel) as z:
            z.extractall(site)
        os.chmod(site / "gosper" / "bin" / "gosper", 0o755)
    else:
        assert pip.returncode == 0, pip.stderr
    code = re.search(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(), re.DOTALL).group(1)
    env = {name: value for name, value in os.environ.items() if name != "GOSPER_BINARY"}
    env["PYTHONPATH"] = str(site)
    script = code + "\nprint(gosper.__file__, gosper.binary())\nassert f' v{gosper.__version__} ' in gosper.version(), gosper.version()\n"
    run = subprocess.run([sys.executable, "-c", script], env=env, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count(str(site)) == 2
    assert (tmp_path / "gun.rle").exists()
