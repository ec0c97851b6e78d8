"""The examples of the page for contributors compile, satisfy the concepts and run."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_the_loss_and_the_bound_compile_and_run(tmp_path):
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    program = tmp_path / "try_them"
    extend = ROOT / "examples" / "extend"
    flags = ["-std=c++20", "-O0", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    subprocess.run(
        [compiler, *flags, "-I", str(ROOT / "cpp"), str(extend / "try_them.cpp"),
         "-o", str(program)],
        check=True,
    )  # fmt: skip
    done = subprocess.run([program], check=True, capture_output=True, text=True)
    # Predicting 1 costs three rows of class 0; a pure set nothing; one split, one lost.
    assert done.stdout.split() == ["3", "0", "3"]
