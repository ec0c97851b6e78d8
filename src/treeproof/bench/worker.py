"""One fit, alone in a process: a request as JSON on standard input, the outcome out.

The process pins itself to a core, where the system can do that, and moves file
descriptor 1 away, since some peers print. A small problem is solved first, untimed, so
that no solver pays for its lazy imports in the measured call; that holds for all of
them alike. Lines of JSON go out: the CPU time at the start of the fit, that at its end,
and the row. Whoever started the process reads them and ends it on overrun. (A kernel
limit on CPU time would do the same, but while one is set Linux reads the CPU clock by
ticks of milliseconds, too coarse for us.)
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .engine import NotOnThisMachineError
from .problem import Problem, tiny
from .solvers import SOLVERS, Question, Solver
from .usage import peak_megabytes


def warm_up(solver: Solver, question: Question, problem: Problem) -> None:
    """Solve a small problem of the kind at depth two, to have everything loaded."""
    X, y = tiny(0)
    X, y = X.astype(problem.X.dtype), y.astype(problem.y.dtype)
    small = Problem("tiny-0", X, y, False, question.penalty, problem.task)
    fit, report = solver.adapt(small, Question(question.penalty, 2, time_limit=5.0))
    fit()
    report()


def measure(
    request: dict[str, Any], tell: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """Do what the request asks, tell when the fit begins and ends, return the row."""
    if request.get("core") is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {request["core"]})
    solver = SOLVERS[request["solver"]]
    problem = Problem.load(Path(request["problem"]))
    question = Question(
        request["penalty"], request.get("max_depth"), request["time_limit"]
    )
    warm_up(solver, question, problem)
    before = peak_megabytes()
    fit, report = solver.adapt(problem, question)
    tell({"begun": time.process_time()})
    wall, cpu = time.perf_counter(), time.process_time()
    fit()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    tell({"ended": time.process_time()})
    peak = peak_megabytes()
    outcome = report()
    predictions = np.asarray(outcome.predictions)
    return {
        "status": "optimal" if outcome.proved else "open",
        "cpu": cpu,
        "wall": wall,
        "objective": problem.objective(predictions, outcome.splits, question.penalty),
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
    """Read the request, keep standard output clean, write lines of JSON."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def tell(message: dict[str, Any]) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    warnings.simplefilter("ignore")
    request = json.load(sys.stdin)
    try:
        row = measure(request, tell)
    except NotOnThisMachineError as fault:
        row = {"status": "absent", "detail": str(fault)}
    except MemoryError:
        row = {"status": "memory", "detail": "MemoryError"}
    except Exception as fault:
        traceback.print_exc()
        row = {"status": "error", "detail": f"{type(fault).__name__}: {fault}"}
    tell(row)
