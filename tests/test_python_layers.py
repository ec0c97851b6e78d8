"""The layers of the Python package import only lower ones."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "treeproof"


def imports(path):
    """The modules of treeproof that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.startswith("treeproof"))
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in names if name.startswith("treeproof"))


# Each entry: these modules must not import any module whose name begins so.
FORBIDDEN = {
    "columns.py": ["treeproof."],
    "tree.py": ["treeproof.border", "treeproof.solvers", "treeproof._core"],
    "border": ["treeproof.tree", "treeproof.solvers", "treeproof.base",
               "treeproof.classifier", "treeproof._core", "treeproof.cli"],
    "collapse.py": ["treeproof.border", "treeproof.solvers", "treeproof._core"],
    "drawing.py": ["treeproof.border", "treeproof.solvers", "treeproof._core"],
    "picture": ["treeproof.border", "treeproof._core", "treeproof.base"],
    "export": ["treeproof.border", "treeproof._core", "treeproof.base"],
    "solvers.py": ["treeproof.base", "treeproof.classifier", "treeproof.cli"],
    "base.py": ["treeproof.classifier", "treeproof.cli", "treeproof._core"],
    "classifier.py": ["treeproof.cli", "treeproof._core"],
    "regressor.py": ["treeproof.cli", "treeproof._core", "treeproof.classifier"],
    "leaf_fit.py": ["treeproof."],
    "merged_rows.py": ["treeproof."],
    "quant_bnb.py": ["treeproof.border", "treeproof.base", "treeproof._core"],
    "checks": ["treeproof.border", "treeproof.solvers", "treeproof.base",
               "treeproof.classifier", "treeproof.regressor", "treeproof._core"],
    "cluster": ["treeproof.base", "treeproof.classifier", "treeproof.cli",
                "treeproof.sources"],
    "sources": ["treeproof.tree", "treeproof.solvers", "treeproof.base",
                "treeproof.classifier", "treeproof._core", "treeproof.cli"],
    "datasets": ["treeproof.border", "treeproof.solvers", "treeproof.cli"],
}  # fmt: skip


@pytest.mark.parametrize("name", list(FORBIDDEN))
def test_python_imports_point_downwards(name):
    place = PACKAGE / name
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    for path in files:
        for module in imports(path):
            for forbidden in FORBIDDEN[name]:
                assert not module.startswith(forbidden), f"{path} imports {module}"
