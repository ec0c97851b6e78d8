"""What a process uses is known without /proc, and limits hold without anything."""

import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from treeproof.bench import isolated, usage
from treeproof.bench.isolated import Caps, run_fit
from treeproof.bench.problem import Problem


@pytest.fixture
def no_proc(monkeypatch, tmp_path):
    """Imitate a system that has no files below /proc."""
    monkeypatch.setattr(usage, "_PROC", tmp_path)


@pytest.fixture
def nothing(monkeypatch, no_proc):
    """Imitate a system that tells nothing about its processes."""
    monkeypatch.setattr(usage, "_ps", lambda pid, field: "")


def test_own_cpu_time_by_proc_and_by_ps(monkeypatch, tmp_path):
    by_files = usage.cpu_seconds(os.getpid())
    monkeypatch.setattr(usage, "_PROC", tmp_path)
    by_command = usage.cpu_seconds(os.getpid())
    if by_command is None:
        pytest.skip("this machine has no command ps")
    used = time.process_time()
    assert by_files == pytest.approx(used, abs=1.1)  # ps reports whole seconds
    assert by_command == pytest.approx(used, abs=1.1)


def test_own_memory_without_proc(no_proc):
    assert usage.peak_megabytes() > 10
    told = usage.resident_megabytes(os.getpid())
    assert told is None or 10 < told <= 2 * usage.peak_megabytes()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("00:00:07", 7.0), ("0:01.53", 1.53), ("1-02:03:04", 93784.0), ("", None)],
)
def test_clocks_of_ps(text, seconds):
    assert usage._clock(text) == seconds


def test_nothing_is_known(nothing):
    assert usage.cpu_seconds(os.getpid()) is None
    assert usage.resident_megabytes(os.getpid()) is None


def test_the_wall_clock_ends_a_fit_where_nothing_is_known(
    nothing, monkeypatch, tmp_path
):
    endless = tmp_path / "endless.py"
    endless.write_text(
        "import time\nprint('{\"begun\": 0}', flush=True)\ntime.sleep(600)\n"
    )
    monkeypatch.setattr(isolated, "_LAUNCH", endless)
    problem = Problem("p", np.zeros((2, 1)), np.array([0, 1]), False, 0.1)
    caps = Caps(seconds=0.1)
    row = run_fit("treeproof", problem, 0.1, None, caps, Path(sys.executable))
    assert row["status"] == "time" and row["peak_mb"] == 0.0
