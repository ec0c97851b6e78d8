"""Fixtures that several test files share."""

from __future__ import annotations

import signal
import subprocess
import sys

import cpp_checker
import pytest
from hypothesis import HealthCheck, settings

# No test may depend on how fast the machine is.
settings.register_profile(
    "any-speed", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any-speed")

# A shell lets its background jobs ignore Ctrl-C, which some tests send to themselves.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def program():
    """Return the compiled checker in C++."""
    program = cpp_checker.compiled()
    if program is None:
        pytest.skip(f"no compiler {cpp_checker.COMPILER}")
    return program


@pytest.fixture
def treeproof(monkeypatch, capsys):
    """Run the command line in this process; return exit status, stdout, stderr."""
    from treeproof.cli import main

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["treeproof", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        captured = capsys.readouterr()
        return stopped.value.code or 0, captured.out, captured.err

    return run


@pytest.fixture
def judge(program, tmp_path):
    """Return for each checker whether it accepts a proof."""

    def verdicts(problem, proof):
        table = tmp_path / "data.csv"
        table.write_text(problem.csv())
        done = subprocess.run(
            [program, "-", table, "--target", "y", "--weight", "w"],
            input=proof, capture_output=True, timeout=60,
        )  # fmt: skip
        assert done.returncode in (0, 1, 2), done.stdout
        return {
            problem.numpy_verdict(proof).accepted,
            problem.exact_accepts(proof),
            done.returncode == 0,
        }

    return verdicts
