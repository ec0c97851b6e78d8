"""Many fits in one process from several threads, with limits and interruptions.

Usage: python tests/load.py [--fits 1000] [--threads 8] [--seed K]

Every fit has a random problem, solver and disturbance. Its bounds are compared with the
optimum, and the memory of the process is followed: after a warm-up it must stay flat.
"""

from __future__ import annotations

import argparse
import gc
import random
import secrets
import sys
import threading
import time
import warnings
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor, stop_when, watch
from treeproof.limits import resident_bytes

WARM_UP = 0.3  # share of the fits after which memory must stay flat
GROWTH = 0.05  # by which it may still grow: arenas of threads, caches of modules


@dataclass
class Report:
    """The results of the fits."""

    fits: int = 0
    proved: int = 0
    stopped: int = 0
    wrong: list[str] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)  # bytes, after each fit

    @property
    def growth(self) -> float:
        """How many times larger the process is at the end than after the warm-up."""
        n = len(self.memory)
        middle = self.memory[int(WARM_UP * n) : int((WARM_UP + 0.2) * n)]
        return max(self.memory[-n // 5 :]) / max(middle) - 1


@cache
def problem(k: int) -> tuple[Any, Any, bool]:
    """Return a table; every third is for regression, every fifth is hard."""
    rng = np.random.default_rng(k)
    n, q = (600, 40) if k % 5 == 4 else (60, 5)
    X = rng.integers(0, 3, (n, q)).astype(float)
    noise = rng.integers(0, 2, n)
    regression = k % 3 == 2
    y: Any = (X[:, 0] + X[:, 1] * (X[:, 2] > 0) + noise).astype(int)
    return X, y / 2 if regression else y, regression


@cache
def optimum(k: int) -> float | None:
    """Return the least cost of a small problem's trees; None for the hard ones."""
    X, y, regression = problem(k)
    if k % 5 == 4:
        return None
    model = _model(regression, solver="auto", time_limit=None)
    return model.fit(X, y).objective_


def _model(regression: bool, **parameters: Any) -> Any:
    kind = OptimalTreeRegressor if regression else OptimalTreeClassifier
    return kind(split_penalty=0.01, max_depth=3, **parameters)


def _one_fit(rng: random.Random, report: Report, lock: threading.Lock) -> None:
    k = rng.randrange(30)
    X, y, regression = problem(k)
    solvers = ["threshold"] if regression else ["sparse", "threshold", "branches"]
    model = _model(
        regression,
        solver=rng.choice(solvers),
        time_limit=rng.choice([1e-6, 0.01, 0.05, 0.3]),
        memory_limit=rng.choice([None, None, "50MB", 1000]),
        n_jobs=rng.choice([1, 1, 2]),
    )
    after = rng.choice([1, 3, 1000, 1000])
    events = [0]

    def interrupt(*_: Any) -> None:
        events[0] += 1
        if events[0] >= after:
            raise KeyboardInterrupt

    pressed = rng.random() < 0.1
    with watch(interrupt), stop_when(lambda: pressed):
        model.fit(X, y)
    best = optimum(k)
    wrong = best is not None and not (
        model.lower_bound_ - 1e-6 <= best <= model.objective_ + 1e-6
    )
    wrong |= model.optimal_ != (model.status_ == "optimal")
    with lock:
        report.fits += 1
        report.proved += model.optimal_
        report.stopped += not model.optimal_
        if wrong:
            report.wrong.append(f"problem {k}: {model.certificate()}, not {best}")
        report.memory.append(resident_bytes())


def put_under_load(n_fits: int, n_threads: int, seed: int) -> Report:
    """Run fits from several threads; return their results."""
    report, lock = Report(), threading.Lock()
    left = iter(range(n_fits))
    for k in range(30):
        optimum(k)

    def work(number: int) -> None:
        rng = random.Random(seed * 1000 + number)
        while True:
            with lock:
                if next(left, None) is None:
                    return
            try:
                _one_fit(rng, report, lock)
            except Exception as error:
                with lock:
                    report.wrong.append(repr(error))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(n_threads)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    gc.collect()
    return report


def main() -> int:
    """Run the fits and print a report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fits", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--seed", type=int, default=secrets.randbits(16))
    options = parser.parse_args()
    start = time.monotonic()
    report = put_under_load(options.fits, options.threads, options.seed)
    for line in report.wrong:
        print(line)
    warm, end = report.memory[int(WARM_UP * len(report.memory))], report.memory[-1]
    print(
        f"{report.fits} fits from {options.threads} threads in "
        f"{time.monotonic() - start:.0f} s (seed {options.seed}): "
        f"{report.proved} proved, {report.stopped} stopped, {len(report.wrong)} wrong; "
        f"{warm / 1e6:.0f} MB after the warm-up, {end / 1e6:.0f} MB at the end, "
        f"growth {report.growth:.1%}"
    )
    return int(bool(report.wrong) or report.growth > GROWTH)


if __name__ == "__main__":
    sys.exit(main())
