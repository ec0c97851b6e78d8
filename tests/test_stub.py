"""`_core.pyi` agrees with the native module; `make stubs` writes it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import treeproof

TOOL = Path(__file__).parents[1] / "tools" / "make_stub.py"
STORED = Path(treeproof.__file__).with_name("_core.pyi")


def signatures(text):
    """Return every function with the names of its arguments, and every other name."""
    found = {}
    for node in ast.parse(text).body:
        members = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for member in members:
            if isinstance(member, ast.FunctionDef):
                taken = member.args
                names = [a.arg for a in (*taken.args, *taken.kwonlyargs)]
                found[prefix + member.name] = names
            elif isinstance(member, ast.AnnAssign):
                found[prefix + ast.unparse(member.target)] = []
    return found


def test_the_stub_is_up_to_date(tmp_path):
    pytest.importorskip("nanobind", reason="nanobind writes the stub")
    fresh = tmp_path / "_core.pyi"
    subprocess.run([sys.executable, TOOL, fresh], check=True)
    stored = signatures(STORED.read_text())
    assert len(stored) > 30
    message = "run `make stubs`: the native module has changed"
    assert signatures(fresh.read_text()) == stored, message


def test_the_stub_names_what_modules_use():
    """Nothing in the stub is left open: no name stands for anything at all."""
    assert "__getattr__" not in STORED.read_text()


def test_the_stub_says_what_is_in_containers():
    """A dictionary, list or tuple is declared with what it holds."""
    for node in ast.walk(ast.parse(STORED.read_text())):
        if isinstance(node, ast.FunctionDef) and node.returns is not None:
            declared = ast.unparse(node.returns)
            message = f"{node.name}: add it to RETURNS in tools/make_stub.py"
            assert declared not in {"dict", "list", "object", "tuple"}, message
