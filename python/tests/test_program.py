"""How the modules of the package stand on each other."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import gosper

MODULES = {path.stem: path for path in Path(gosper.__file__).parent.glob("_*.py") if path.stem != "__init__"}


def test_no_module_imports_itself_through_others():
    imports = {}
    for name, path in MODULES.items():
        nodes = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom) and node.level == 1]
        imports[name] = {node.module or alias.name for node in nodes for alias in node.names}
    assert "_values" in imports["_rule"] and imports["_errors"] == set()
    while imports:
        lowest = [name for name, below in imports.items() if not below & set(imports)]
        assert lowest, f"modules that import each other: {sorted(imports)}"
        for name in lowest:
            del imports[name]


def test_imports_wait_until_they_are_needed():
    code = "import sys, numpy; before = set(sys.modules); import gosper; print(*(set(sys.modules) - before))"
    paths = os.pathsep.join([str(Path(gosper.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    found = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": paths}, check=True, capture_output=True, text=True)
    brought = set(found.stdout.split())
    assert "gosper._call" in brought and not brought & {"importlib.metadata", "multiprocessing", "pandas", "matplotlib"}
