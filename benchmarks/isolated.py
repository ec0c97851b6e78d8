"""Runs one fit in a process of its own, under limits on time and memory.

Time is capped twice: CPU seconds of the fit by the kernel inside the worker, wall
seconds here. On a quiet machine both say the same; on a shared one CPU time is what
the solver was given. Resident memory is watched here, 20 times a second, and a
process above the cap is killed. What a killed process had found is lost: the row says
"time" or "memory". A solver that comes back by itself without a proof is "open". Both
count as not proved.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .problems import ROOT
from .solvers import SOLVERS
from .worker import resident_megabytes

POLL_SECONDS = 0.05
START_UP_SECONDS = 60.0  # imports, data, the warm-up fit and the final prediction
OWN_PYTHON = Path(sys.executable)
PEERS_PYTHON = ROOT / ".peers" / "bin" / "python"


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


def interpreter(solver: str) -> Path:
    """Return the Python that has this solver installed."""
    return PEERS_PYTHON if SOLVERS[solver].peer else OWN_PYTHON


def available(solver: str) -> bool:
    """Say whether the environment of a solver exists."""
    return interpreter(solver).exists()


def run(
    solver: str, problem: str, penalty: float, max_depth: int | None, caps: Caps
) -> dict[str, Any]:
    """Fit once and return the row; never raises for what the solver does."""
    request = {
        "solver": solver,
        "problem": problem,
        "penalty": penalty,
        "max_depth": max_depth,
        # With patience, a solver's own wall limit must not stop it before its share
        # of CPU time is used; the CPU cap then ends it.
        "time_limit": caps.seconds * caps.patience,
        "cpu_cap": caps.seconds + caps.grace,
        "core": caps.core,
    }
    started = time.perf_counter()
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [str(interpreter(solver)), "-m", "benchmarks.worker"],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        process.stdin.write(json.dumps(request))
        process.stdin.close()
        cut, peak = _watch(process, caps)
        output = process.stdout.read()
        process.stdout.close()
        errors.seek(0)
        tail = errors.read()[-2000:]
    row = _outcome(process.returncode, cut, output, tail)
    row.setdefault("peak_mb", peak)
    row.setdefault("total_wall", time.perf_counter() - started)
    return row


def _watch(process: subprocess.Popen, caps: Caps) -> tuple[str | None, float]:
    """Wait for the end, or bring it about; return why, and the peak memory seen."""
    deadline = (
        time.perf_counter()
        + caps.seconds * caps.patience
        + caps.grace
        + START_UP_SECONDS
    )
    peak, cut = 0.0, None
    while process.poll() is None:
        peak = max(peak, resident_megabytes("VmHWM", process.pid) or 0.0)
        if peak > caps.memory_mb:
            cut = "memory"
        elif time.perf_counter() > deadline:
            cut = "time"
        if cut:
            process.kill()
            process.wait()
            break
        time.sleep(POLL_SECONDS)
    return cut, peak


def _outcome(code: int, cut: str | None, output: str, tail: str) -> dict[str, Any]:
    if cut:
        return {"status": cut, "detail": f"killed at the {cut} cap"}
    if code == -signal.SIGXCPU:
        return {"status": "time", "detail": "killed at the CPU cap"}
    if "bad_alloc" in tail:
        return {"status": "memory", "detail": "std::bad_alloc"}
    if code != 0 or not output.strip():
        return {"status": "error", "detail": f"exit status {code}: {tail[-300:]}"}
    return json.loads(output.strip().splitlines()[-1])
