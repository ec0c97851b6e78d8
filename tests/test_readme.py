"""The examples in the README run and print what it says."""

import doctest
import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def test_examples():
    failed, tried = doctest.testfile(str(README), module_relative=False)
    assert tried > 8 and failed == 0


@pytest.mark.parametrize("target", ["demo", "test"])
def test_the_two_commands_exist(target):
    makefile = (README.parent / "Makefile").read_text()
    assert f"make {target}" in README.read_text()
    assert re.search(rf"^{target}:", makefile, re.MULTILINE)
