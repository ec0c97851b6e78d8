"""Unit tests of single parts of the engine: cpp/tests/unit, built with the module."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def program():
    found = sorted(ROOT.glob("build/*/units"), key=lambda path: path.stat().st_mtime)
    if not found:
        pytest.skip("build/*/units is not there; `make build` compiles it")
    return found[-1]


@pytest.mark.parametrize(
    "name",
    [
        "covering",
        "depth_two_kernels",
        "kernels",
        "memo",
        "merged_targets",
        "multiway",
        "policy",
        "prices",
        "rows",
        "slices",
        "trim",
    ],
)
def test_unit(name, tmp_path):
    done = subprocess.run(
        [program(), name], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    said, expectations = done.stdout.split()
    assert said == name and int(expectations) > 10
