"""Importing the package and showing help load no module that is not needed."""

import importlib
import subprocess
import sys

import pytest

import treeproof
from treeproof.cli import COMMANDS

HEAVY = ("numpy", "pandas", "scipy", "sklearn", "treeproof._core")


def loaded(code):
    """Return which of the heavy modules a new interpreter has loaded after the code."""
    show = f"import sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{show}"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout.splitlines()[-1]


def test_an_import_loads_no_estimator():
    assert loaded("import treeproof") == "[]"


def test_help_loads_no_estimator():
    code = """
from treeproof.cli import app
try:
    app(["--help"])
except SystemExit as end:
    assert not end.code
"""
    assert loaded(code) == "[]"


def test_every_public_name_is_found():
    for name in treeproof.__all__:
        assert getattr(treeproof, name) is not None
        assert name in dir(treeproof)
    assert treeproof.policy.OptimalPolicyTree
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        treeproof.nothing  # noqa: B018


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_each_says(name):
    module = importlib.import_module(f"treeproof.cli.{name}")
    first = (getattr(module, name).__doc__ or "").split("\n\n")[0]
    assert " ".join(first.split()) == COMMANDS[name]
