"""Exact trees with hyperplane splits: time to proof, against plain `odt`, and stops.

`python -m benchmarks.oblique` (or `make bench-oblique`); `--quick` leaves out what
takes minutes. Times are CPU seconds of one thread, apart from iris, whose limit is in
wall seconds. What is asked of a figure stands beside it; the exit status is 1 if one of
them is missed.
"""

import argparse
import os
import signal
import sys
import threading
import time
import warnings

import numpy as np
from sklearn.datasets import load_iris

from treeproof import ObliqueTreeClassifier, OptimalTreeClassifier, proper

REPEATS = 3  # of which the best counts: a busy machine only ever adds delay
missed = []


def ask(holds, what):
    """Say what is asked; remember it if it does not hold."""
    if not holds:
        missed.append(what)
    return f"asked {what}: {'yes' if holds else 'MISSED'}"


def noisy(n_rows, n_features, seed=0):
    """Two classes cut by two surfaces, with 15% of the labels turned."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    wave = X[:, 0] + 0.5 * np.sin(2 * X[:, -1]) > 0
    y = (wave ^ (0.3 * X[:, 0] + X[:, -1] > 0.8)).astype(int)
    turned = rng.random(n_rows) < 0.15
    return X, np.where(turned, 1 - y, y)


def labels_at_random(n_rows, n_features, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, n_features)), rng.integers(0, 2, n_rows)


def fit(X, y, **options):
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = ObliqueTreeClassifier(**options).fit(X, y)
    return clf, time.process_time() - start


def report(name, clf, seconds, n_rows, asked=""):
    print(
        f"{name:<44} {clf.status_:<11} errors {clf.objective_ * n_rows:5.0f}  "
        f"bound {clf.lower_bound_ * n_rows:5.0f}  {seconds:8.2f} s  {asked}",
        flush=True,
    )


def proofs(quick):
    print("time to proof, one thread")
    sizes = [(150, 2, 2), (60, 2, 3), (150, 2, 3), (60, 3, 2), (500, 2, 2)]
    limits = {(150, 2, 2): 10, (60, 2, 3): 60}
    if not quick:
        sizes += [(150, 3, 2), (100, 2, 4), (1000, 2, 2)]
    for make in (noisy, labels_at_random):
        for n, d, k in sizes:
            X, y = make(n, d)
            clf, seconds = fit(X, y, max_splits=k, time_limit=600)
            kind = make.__name__.replace("_", " ")
            asked = ""
            if (n, d, k) in limits:
                limit = limits[n, d, k]
                asked = ask(clf.optimal_ and seconds < limit, f"< {limit} s")
            report(f"N = {n}, D = {d}, {k} splits, {kind}", clf, seconds, n, asked)


def iris():
    print("iris, four features, limit 60 s")
    X, y = load_iris(return_X_y=True)
    for k in (1, 2, 3):
        start = time.perf_counter()
        clf, _ = fit(X, y, max_splits=k, time_limit=60, random_state=0)
        report(f"{k} splits", clf, time.perf_counter() - start, 150)


def against_plain_odt(quick):
    print("against the plain programme, hyperplanes, 2 splits")
    sizes = (8, 12, 16) if quick else (8, 12, 16, 20)
    for n in sizes:
        X, y = labels_at_random(n, 2)
        start = time.process_time()
        rules = proper.hyperplane_rules(X.round(3))
        errors = proper.misclassification(y.tolist())
        plain = proper.odt(2, rules, (1 << n) - 1, errors)
        slow = time.process_time() - start
        fits = [fit(X.round(3), y, max_splits=2) for _ in range(REPEATS)]
        clf, fast = min(fits, key=lambda f: f[1])
        assert clf.optimal_ and round(clf.objective_ * n) <= plain.cost
        asked = ask(slow >= 50 * fast, ">= 50 times") if n == sizes[-1] else ""
        print(
            f"N = {n:<3} plain {slow:8.2f} s   engine {fast:7.4f} s   "
            f"{slow / fast:8.0f} times  {asked}",
            flush=True,
        )


def against_thresholds():
    print("mixed rules against OptimalTreeClassifier, same number of splits")
    for seed in range(4):
        X, y = noisy(80, 2, seed)
        mixed, _ = fit(X, y, rules="mixed", degree=1, max_splits=2)
        axis = OptimalTreeClassifier(split_penalty=0, max_splits=2).fit(X, y)
        asked = ask(mixed.objective_ <= axis.objective_ + 1e-12, "never worse")
        print(
            f"seed {seed}: mixed {mixed.objective_ * 80:3.0f} errors, "
            f"thresholds {axis.objective_ * 80:3.0f} errors  {asked}",
            flush=True,
        )


def lateness(X, y, moment, *, interrupt, **options):
    """Fit until a moment; the wall and CPU seconds that pass after it."""
    clocks = []

    def at_the_moment():
        clocks.append((time.perf_counter(), time.process_time()))
        if interrupt:
            os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(moment, at_the_moment)
    start = time.perf_counter()
    timer.start()
    clf, _ = fit(X, y, time_limit=100.0 if interrupt else moment, **options)
    end = time.perf_counter(), time.process_time()
    timer.join()
    asked = clocks[0][0] if interrupt else start + moment
    return clf, max(end[0] - asked, 0.0), max(end[1] - clocks[0][1], 0.0)


def stops():
    print("how late a fit ends: time limit 0.01 s and 1 s, Ctrl-C after 1 s")
    for n, d, k in [(150, 4, 2), (300, 6, 3), (1400, 2, 3), (60, 2, 6), (2000, 20, 2)]:
        X, y = labels_at_random(n, d)
        for moment, interrupt in ((0.01, False), (1.0, False), (1.0, True)):
            tries = [
                lateness(X, y, moment, interrupt=interrupt, max_splits=k)
                for _ in range(REPEATS)
            ]
            clf, wall, cpu = min(tries, key=lambda t: t[1])
            allowed = 0.2 if interrupt else 0.1 + 0.02 * moment
            kind = "Ctrl-C" if interrupt else f"limit {moment:g} s"
            print(
                f"N = {n}, D = {d}, {k} splits, {kind:<12} {clf.status_:<11} "
                f"late {wall:.3f} s ({cpu:.3f} s CPU)  "
                f"{ask(wall <= allowed, f'<= {allowed:.2f} s')}",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    proofs(quick)
    against_plain_odt(quick)
    against_thresholds()
    iris()
    stops()
    sys.exit(1 if missed else 0)
