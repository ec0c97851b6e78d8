"""Runs one fit in a process of its own, under limits on time and memory.

A watcher looks 20 times a second. It kills the process when the fit has used up its CPU
seconds, when it takes too many wall seconds, and when it occupies too much memory. On a
quiet machine the two clocks agree; on a shared one, CPU time is what the solver was
really given. What a killed process had found is lost: the row says
"time" or "memory". A solver that comes back by itself without a proof is "open". Both
count as not proved.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treeproof.bench.problem import Problem
from treeproof.bench.usage import cpu_seconds, resident_megabytes

POLL_SECONDS = 0.05
START_UP_SECONDS = 60.0  # imports, data, the warm-up fit and the final prediction
_LAUNCH = Path(__file__).with_name("launch.py")


@dataclass(frozen=True)
class Caps:
    """What a fit may use; `patience` is wall seconds allowed per CPU second."""

    seconds: float = 60.0
    memory_mb: float = 8000.0
    core: int | None = None
    patience: float = 1.0

    @property
    def grace(self) -> float:
        """Seconds a solver may overrun before it is killed, to hand over its tree."""
        return 1.0 + 0.05 * self.seconds


def run_fit(
    solver: str,
    problem: Problem,
    penalty: float,
    max_depth: int | None,
    caps: Caps,
    python: Path | None = None,
) -> dict[str, Any]:
    """Fit once and return the row; never raises for what the solver does.

    Parameters
    ----------
    solver : str
        One of `treeproof.bench.solvers.SOLVERS`.
    problem : Problem
        What to fit on.
    penalty : float
        What a split costs, as a fraction of the rows.
    max_depth : int or None
        The maximum depth of the tree.
    caps : Caps
        What the fit may use.
    python : Path or None
        The interpreter that has the solver installed; None for this one.
    """
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="treeproof-") as name:
        folder = Path(name)
        file = folder / "problem.npz"
        problem.save(file)
        request = {
            "solver": solver,
            "problem": str(file),
            "penalty": penalty,
            "max_depth": max_depth,
            # With patience, a solver's own wall limit must not stop it before its
            # share of CPU time is used; the CPU cap then ends it.
            "time_limit": caps.seconds * caps.patience,
            "core": caps.core,
        }
        process = _start(python or Path(sys.executable), request, folder)
        cut, peak = _watch(process, folder / "out", caps)
        said = _messages(folder / "out")
        tail = _text(folder / "errors")[-2000:]
    row = _outcome(process.returncode, cut, said, tail)
    row.setdefault("peak_mb", peak)
    row["total_wall"] = time.perf_counter() - started
    return row


def _start(
    python: Path, request: dict[str, Any], folder: Path
) -> subprocess.Popen[bytes]:
    """Start the worker; what it says goes to files of the folder."""
    with (folder / "out").open("wb") as out, (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(
            [str(python), str(_LAUNCH)],
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=errors,
        )
    assert process.stdin is not None
    process.stdin.write(json.dumps(request).encode())
    process.stdin.close()
    return process


def _text(file: Path) -> str:
    return file.read_bytes().decode(errors="replace")


def _messages(file: Path) -> list[dict[str, Any]]:
    """Return the complete lines that the worker has written."""
    return [
        json.loads(line)
        for line in _text(file).splitlines(keepends=True)
        if line.endswith("\n")
    ]


def _watch(
    process: subprocess.Popen[bytes], out: Path, caps: Caps
) -> tuple[str | None, float]:
    """Wait for the end, or bring it about; return why, and the peak memory seen."""
    wall_seconds = caps.seconds * caps.patience + caps.grace + START_UP_SECONDS
    deadline = time.perf_counter() + wall_seconds
    peak, cut, begun = 0.0, None, None
    while cut is None and process.poll() is None:
        now, said = time.perf_counter(), _messages(out)
        peak = max(peak, resident_megabytes(process.pid) or 0.0)
        if len(said) == 1 and "begun" in said[0]:  # the fit is running
            begun = now if begun is None else begun
            cpu = cpu_seconds(process.pid)
            if cpu is None:  # by the wall clock, with its patience
                used = (now - begun) / caps.patience
            else:
                used = cpu - said[0]["begun"]
            if used > caps.seconds + caps.grace:
                cut = "time"
        if now > deadline:
            cut = "time"
        if peak > caps.memory_mb:
            cut = "memory"
        if cut:
            process.kill()
            process.wait()
        else:
            time.sleep(POLL_SECONDS)
    return cut, peak


def _outcome(
    code: int, cut: str | None, said: list[dict[str, Any]], tail: str
) -> dict[str, Any]:
    if cut:
        return {"status": cut, "detail": f"killed at the {cut} cap"}
    if "bad_alloc" in tail:
        return {"status": "memory", "detail": "std::bad_alloc"}
    if code != 0 or not said or "status" not in said[-1]:
        return {"status": "error", "detail": f"exit status {code}: {tail[-300:]}"}
    return said[-1]
