"""One fit, alone in a process: a request as JSON on standard input, the outcome out.

The process pins itself, caps its own CPU time for the fit (the kernel kills it on
overrun), and moves file descriptor 1 away, since some peers print. A small problem is
solved first, untimed, so that no solver pays for its lazy imports in the measured
call; that holds for all of them alike.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import platform
import resource
import sys
import time
import traceback
import warnings
from typing import Any

import numpy as np

from .engine import NotOnThisMachineError
from .problems import Problem, load, tiny
from .solvers import SOLVERS, Question, Solver


def resident_megabytes(field: str = "VmHWM", pid: int | str = "self") -> float | None:
    """Return the peak (VmHWM) or present (VmRSS) resident memory of a process."""
    try:
        with open(f"/proc/{pid}/status") as status:
            for line in status:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return None


@contextlib.contextmanager
def cpu_cap(seconds: float | None):
    """Let the kernel end this process once the block has used `seconds` of CPU."""
    if seconds is None:
        yield
        return
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    used = math.ceil(time.process_time() + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (used, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, hard))


def warm_up(solver: Solver, question: Question) -> None:
    """Solve a small problem at depth two, to have everything loaded."""
    X, y = tiny(0)
    small = Problem("tiny-0", X, y, False, question.penalty)
    fit, report = solver.adapt(small, Question(question.penalty, 2, time_limit=5.0))
    fit()
    report()


def measure(request: dict[str, Any]) -> dict[str, Any]:
    """Do what the request asks and return the row."""
    if request.get("core") is not None:
        os.sched_setaffinity(0, {request["core"]})
    solver = SOLVERS[request["solver"]]
    problem = load(request["problem"])
    question = Question(
        request["penalty"], request.get("max_depth"), request["time_limit"]
    )
    warm_up(solver, question)
    before = resident_megabytes()
    fit, report = solver.adapt(problem, question)
    with cpu_cap(request.get("cpu_cap")):
        wall, cpu = time.perf_counter(), time.process_time()
        fit()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak = resident_megabytes()
    outcome = report()
    errors = int(np.sum(np.asarray(outcome.predictions) != problem.y))
    return {
        "status": "optimal" if outcome.proved else "open",
        "cpu": cpu,
        "wall": wall,
        "objective": errors / len(problem.y) + question.penalty * outcome.splits,
        "claimed": outcome.claimed,
        "lower_bound": outcome.lower_bound,
        "splits": outcome.splits,
        "steps": outcome.steps,
        "rows": problem.X.shape[0],
        "features": problem.X.shape[1],
        "peak_mb": peak,
        "start_mb": before,
        "version": solver.installed_version(),
        "python": platform.python_version(),
        "detail": json.dumps(outcome.extra) if outcome.extra else "",
    }


def main() -> None:
    """Read the request, keep standard output clean, write one line of JSON."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    request = json.load(sys.stdin)
    try:
        row = measure(request)
    except NotOnThisMachineError as fault:
        row = {"status": "absent", "detail": str(fault)}
    except MemoryError:
        row = {"status": "memory", "detail": "MemoryError"}
    except Exception as fault:
        traceback.print_exc()
        row = {"status": "error", "detail": f"{type(fault).__name__}: {fault}"}
    out.write(json.dumps(row) + "\n")
    out.flush()


if __name__ == "__main__":
    main()
