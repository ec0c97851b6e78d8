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
    "date_parts.py": ["treeproof."],
    "columns.py": ["treeproof.border", "treeproof.tree", "treeproof.solving",
                   "treeproof.estimators", "treeproof.export", "treeproof._core"],
    "kinds.py": ["treeproof."],
    "notices.py": ["treeproof."],
    "border": ["treeproof.tree", "treeproof.solving", "treeproof.estimators",
               "treeproof._core", "treeproof.cli"],
    "tree": ["treeproof.border", "treeproof.solving", "treeproof.estimators",
             "treeproof._core", "treeproof.cli"],
    "picture": ["treeproof.border", "treeproof._core", "treeproof.estimators"],
    "export": ["treeproof.border", "treeproof._core", "treeproof.estimators"],
    "solving": ["treeproof.estimators", "treeproof.cli"],
    "solving/leaf_fit.py": ["treeproof."],
    "solving/quant_bnb.py": ["treeproof.border", "treeproof._core"],
    "estimators": ["treeproof.cli", "treeproof._core"],
    "estimators/base.py": ["treeproof.estimators"],
    "estimators/regressor.py": ["treeproof.estimators.classifier"],
    "checks": ["treeproof.border", "treeproof.solving", "treeproof.estimators",
               "treeproof._core"],
    "cluster": ["treeproof.estimators", "treeproof.cli", "treeproof.sources"],
    "sources": ["treeproof.tree", "treeproof.solving", "treeproof.estimators",
                "treeproof._core", "treeproof.cli"],
    "datasets": ["treeproof.border", "treeproof.solving", "treeproof.cli"],
}  # fmt: skip


@pytest.mark.parametrize("name", list(FORBIDDEN))
def test_python_imports_point_downwards(name):
    place = PACKAGE / name
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    for path in files:
        for module in imports(path):
            for forbidden in FORBIDDEN[name]:
                assert not module.startswith(forbidden), f"{path} imports {module}"
