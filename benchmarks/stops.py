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
from sklearn.base import clone

from treeproof.bench.solvers import Question, cart
from treeproof.bench.usage import peak_megabytes

from .problems import Problem, load
from .report import show, wide_console
from .tables import Table

HARD = "random-0"
MEMORY_LIMIT_MB = 500
MEMORY_SECONDS = 40.0  # long enough to need more without the limit
STOP_AT = 2.0
REPEATS = 3  # of which the best counts: a busy machine only ever adds delay


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


@dataclass
class Stopped:
    """A fit that was to end at a given moment, and what it did after that."""

    model: Any
    wall_after: float
    cpu_after: float

    @property
    def text(self) -> str:
        """Return the delay; CPU time is the part that is not the machine's load."""
        return f"{self.wall_after:.3f} s ({self.cpu_after:.3f} s CPU)"


def fitted(problem: Problem, **options: Any) -> Any:
    """Fit ours, after a small fit that has everything loaded."""
    from treeproof import OptimalTreeClassifier

    warnings.simplefilter("ignore")
    model = OptimalTreeClassifier(split_penalty=problem.penalty, **options)
    few = slice(0, 50)
    clone(model).set_params(time_limit=1.0).fit(problem.X[few, :3], problem.y[few])
    return model.fit(problem.X, problem.y)


def stopped(problem: Problem, end: Callable[[], None], time_limit: float) -> Stopped:
    """Fit ours; two seconds on, read the clocks and call `end`."""
    from treeproof import OptimalTreeClassifier

    fitted(problem, max_depth=1)
    clocks: list[tuple[float, float]] = []

    def at_the_moment() -> None:
        clocks.append((time.perf_counter(), time.process_time()))
        end()

    model = OptimalTreeClassifier(split_penalty=problem.penalty, time_limit=time_limit)
    timer = threading.Timer(STOP_AT, at_the_moment)
    start = time.perf_counter()
    timer.start()
    model.fit(problem.X, problem.y)
    wall, cpu = time.perf_counter(), time.process_time()
    timer.join()
    asked = clocks[0][0] if time_limit > STOP_AT else start + STOP_AT
    return Stopped(model, wall - asked, cpu - clocks[0][1])


def time_limit(name: str) -> list[Finding]:
    """Two seconds are two seconds, and the tree beats every pruned CART tree."""
    problem = load(name)
    tries = [stopped(problem, lambda: None, STOP_AT) for _ in range(REPEATS)]
    best_try = min(tries, key=lambda t: t.wall_after)
    model = best_try.model
    ours = objective_of(problem, model.predict(problem.X), model.n_splits_)
    fit, report = cart(problem, Question(problem.penalty, None, 0.0))
    fit()
    best = report()
    theirs = objective_of(problem, best.predictions, best.splits)
    return [
        Finding(
            f"late at a time limit of {STOP_AT:g} s",
            best_try.text,
            "<= 0.1 s",
            best_try.wall_after <= 0.1,
        ),
        Finding("gap", f"{model.gap_:.4f}", "> 0", model.gap_ > 0),
        Finding(
            "objective then",
            f"{ours:.4f} ({model.n_splits_} splits)",
            f"<= {theirs:.4f}, CART's best ({best.splits} splits)",
            ours <= theirs + 1e-12,
        ),
    ]


def interrupt(name: str) -> list[Finding]:
    """Ctrl-C ends the fit at once and keeps the tree."""
    problem = load(name)

    def press() -> None:
        os.kill(os.getpid(), signal.SIGINT)

    try:
        tries = [stopped(problem, press, 30.0) for _ in range(REPEATS)]
    except KeyboardInterrupt:
        return [Finding("Ctrl-C", "KeyboardInterrupt, tree lost", "kept", False)]
    best_try = min(tries, key=lambda t: t.wall_after)
    model = best_try.model
    usable = len(model.predict(problem.X[:5])) == 5
    return [
        Finding(
            "late after Ctrl-C", best_try.text, "<= 0.2 s", best_try.wall_after <= 0.2
        ),
        Finding(
            "status after Ctrl-C",
            f"{model.status_}, {model.n_splits_} splits",
            "interrupted, tree kept",
            model.status_ == "interrupted" and usable,
        ),
    ]


def memory_limit(name: str) -> list[Finding]:
    """The whole process keeps to 500 MB."""
    model = fitted(
        load(name), time_limit=MEMORY_SECONDS, memory_limit=f"{MEMORY_LIMIT_MB}MB"
    )
    peak = (peak_megabytes() or 0.0) * 1024 * 1024 / 1e6
    return [
        Finding(
            f"memory limit {MEMORY_LIMIT_MB} MB",
            f"peak {peak:.0f} MB ({model.status_})",
            f"<= {MEMORY_LIMIT_MB} MB",
            0 < peak <= MEMORY_LIMIT_MB,
        )
    ]


def no_memory_limit(name: str) -> list[Finding]:
    """The same without the limit, to see that the limit was needed."""
    model = fitted(load(name), time_limit=MEMORY_SECONDS)
    peak = (peak_megabytes() or 0.0) * 1024 * 1024 / 1e6
    measured = f"peak {peak:.0f} MB ({model.status_})"
    return [Finding("the same without limit", measured, "", True)]


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
    load_average, cores = os.getloadavg()[0], os.cpu_count()
    table.notes.append(
        f"Best of {REPEATS} for delays. Load average {load_average:.1f} on {cores} "
        "cores: above the number of cores, wall times say more about the machine."
    )
    show(table, wide_console())
    raise typer.Exit(int(missed))


if __name__ == "__main__":
    typer.run(main)
