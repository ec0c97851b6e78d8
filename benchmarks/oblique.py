"""Exact trees with hyperplane splits: time to proof, and against the plain programme.

Run with ``python benchmarks/oblique.py``; ``--quick`` leaves out what takes minutes.
Times are CPU seconds of one thread, apart from iris, whose limit is in wall seconds.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.datasets import load_iris

from treeproof import ObliqueTreeClassifier, OptimalTreeClassifier, proper


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


def report(name, clf, seconds, n_rows):
    print(
        f"{name:<44} {clf.status_:<11} errors {clf.objective_ * n_rows:5.0f}  "
        f"bound {clf.lower_bound_ * n_rows:5.0f}  {seconds:8.2f} s",
        flush=True,
    )


def proofs(quick):
    print("time to proof, one thread")
    sizes = [(150, 2, 2), (60, 2, 3), (150, 2, 3), (60, 3, 2), (500, 2, 2)]
    if not quick:
        sizes += [(150, 3, 2), (100, 2, 4), (1000, 2, 2)]
    for make in (noisy, labels_at_random):
        for n, d, k in sizes:
            X, y = make(n, d)
            clf, seconds = fit(X, y, max_splits=k, time_limit=600)
            kind = make.__name__.replace("_", " ")
            report(f"N = {n}, D = {d}, {k} splits, {kind}", clf, seconds, n)


def iris():
    print("iris, four features, limit 60 s")
    X, y = load_iris(return_X_y=True)
    for k in (1, 2, 3):
        start = time.perf_counter()
        clf, _ = fit(X, y, max_splits=k, time_limit=60, random_state=0)
        report(f"{k} splits", clf, time.perf_counter() - start, 150)


def against_plain_odt():
    print("against the plain programme, hyperplanes, 2 splits")
    for n in (8, 10, 12, 14):
        X, y = labels_at_random(n, 2)
        start = time.process_time()
        rules = proper.hyperplane_rules(X.round(3))
        errors = proper.misclassification(y.tolist())
        plain = proper.odt(2, rules, (1 << n) - 1, errors)
        slow = time.process_time() - start
        clf, fast = fit(X.round(3), y, max_splits=2)
        assert clf.optimal_ and round(clf.objective_ * n) <= plain.cost
        print(
            f"N = {n:<3} plain {slow:8.2f} s   engine {fast:7.4f} s   "
            f"{slow / fast:8.0f} times",
            flush=True,
        )


def against_thresholds():
    print("mixed rules against OptimalTreeClassifier, same number of splits")
    for seed in range(4):
        X, y = noisy(80, 2, seed)
        mixed, _ = fit(X, y, rules="mixed", degree=1, max_splits=2)
        axis = OptimalTreeClassifier(split_penalty=0, max_splits=2).fit(X, y)
        print(
            f"seed {seed}: mixed {mixed.objective_ * 80:3.0f} errors, "
            f"thresholds {axis.objective_ * 80:3.0f} errors",
            flush=True,
        )
        assert mixed.objective_ <= axis.objective_ + 1e-12


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    proofs(quick)
    against_plain_odt()
    against_thresholds()
    iris()
