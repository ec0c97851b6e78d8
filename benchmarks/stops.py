"""Stopping: time limit, Ctrl-C and memory limit on a problem nobody can solve.

`python -m benchmarks.stops` fits 3,000 rows of 120 random bits with random labels and
a penalty of 0.0001, each check in a fresh process, and shows measured figures beside
what is asked. It exits with status 1 if one is missed.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer

from .problems import Problem, load
from .report import show, wide_console
from .solvers import Question, cart
from .tables import Table
from .worker import resident_megabytes

HARD = "random-0"
MEMORY_LIMIT_MB = 500


@dataclass
class Finding:
    """One figure, what was asked of it, and whether it holds."""

    what: str
    measured: str
    asked: str
    holds: bool


def objective_of(problem: Problem, predictions: np.ndarray, splits: int) -> float:
    """Return error + penalty x splits."""
    return float(np.mean(predictions != problem.y)) + problem.penalty * splits


def fitted(
    problem: Problem, before: Callable[[], None] | None = None, **options: Any
) -> tuple[Any, float]:
    """Fit ours, `before()` called just ahead; return it and the seconds it took."""
    from treeproof import OptimalTreeClassifier

    warnings.simplefilter("ignore")
    small = slice(0, 50)
    warm = OptimalTreeClassifier(max_depth=1, time_limit=1.0)
    warm.fit(problem.X[small, :3], problem.y[small])
    model = OptimalTreeClassifier(split_penalty=problem.penalty, **options)
    if before is not None:
        before()
    start = time.perf_counter()
    model.fit(problem.X, problem.y)
    return model, time.perf_counter() - start


def time_limit(name: str) -> list[Finding]:
    """Two seconds are two seconds, and the tree beats every pruned CART tree."""
    problem = load(name)
    model, seconds = fitted(problem, time_limit=2.0)
    ours = objective_of(problem, model.predict(problem.X), model.n_splits_)
    fit, report = cart(problem, Question(problem.penalty, None, 0.0))
    fit()
    best = report()
    theirs = objective_of(problem, best.predictions, best.splits)
    return [
        Finding("time limit 2 s", f"{seconds:.3f} s", "<= 2.1 s", seconds <= 2.1),
        Finding("gap", f"{model.gap_:.4f}", "> 0", model.gap_ > 0),
        Finding(
            "objective after 2 s",
            f"{ours:.4f} ({model.n_splits_} splits)",
            f"<= {theirs:.4f}, CART's best ({best.splits} splits)",
            ours <= theirs + 1e-12,
        ),
    ]


def interrupt(name: str) -> list[Finding]:
    """Ctrl-C ends the fit at once and keeps the tree."""
    problem = load(name)
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(2.0, press)
    try:
        model, _ = fitted(problem, timer.start, time_limit=30.0)
    except KeyboardInterrupt:
        return [Finding("Ctrl-C", "KeyboardInterrupt, tree lost", "kept", False)]
    delay = time.perf_counter() - pressed[0]
    usable = len(model.predict(problem.X[:5])) == 5
    return [
        Finding("Ctrl-C", f"{delay:.3f} s", "<= 0.2 s", delay <= 0.2),
        Finding(
            "status after Ctrl-C",
            f"{model.status_}, {model.n_splits_} splits",
            "interrupted, tree kept",
            model.status_ == "interrupted" and usable,
        ),
    ]


def memory_limit(name: str) -> list[Finding]:
    """The whole process keeps to 500 MB."""
    model, seconds = fitted(
        load(name), time_limit=20.0, memory_limit=f"{MEMORY_LIMIT_MB}MB"
    )
    peak = (resident_megabytes() or 0.0) * 1024 * 1024 / 1e6
    return [
        Finding(
            f"memory limit {MEMORY_LIMIT_MB} MB",
            f"peak {peak:.0f} MB after {seconds:.1f} s ({model.status_})",
            f"<= {MEMORY_LIMIT_MB} MB",
            0 < peak <= MEMORY_LIMIT_MB,
        )
    ]


def no_memory_limit(name: str) -> list[Finding]:
    """The same without the limit, to see that the limit was needed."""
    _, seconds = fitted(load(name), time_limit=20.0)
    peak = (resident_megabytes() or 0.0) * 1024 * 1024 / 1e6
    return [
        Finding("the same, no limit", f"peak {peak:.0f} MB, {seconds:.1f} s", "", True)
    ]


CHECKS = (time_limit, interrupt, memory_limit, no_memory_limit)


def _send(check: Callable[[str], list[Finding]], name: str, pipe: Any) -> None:
    pipe.send(check(name))


def alone(check: Callable[[str], list[Finding]], name: str) -> list[Finding]:
    """Run a check in a fresh process."""
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe(duplex=False)
    process = spawn.Process(target=_send, args=(check, name, there))
    process.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        return [Finding(check.__name__, "the process died", "", False)]
    finally:
        process.join()


def main(
    problem: Annotated[str, typer.Option(help="name of a set")] = HARD,
) -> None:
    """Measure how a fit stops."""
    table = Table(f"Stopping, on {problem}", ["check", "measured", "asked", "holds"])
    missed = False
    for check in CHECKS:
        for f in alone(check, problem):
            table.rows.append([f.what, f.measured, f.asked, "yes" if f.holds else "NO"])
            missed |= not f.holds
    show(table, wide_console())
    raise typer.Exit(int(missed))


if __name__ == "__main__":
    typer.run(main)
