"""The path of penalties beside separate fits at 50 penalties of the same range.

Times are CPU seconds of the whole call, reading the table included.
"""

import argparse
import time

import numpy as np

from benchmarks.problems import load
from treeproof import OptimalTreeClassifier, penalty_path

TABLES = ("careval", "nursery", "mushroom")


def measure(name: str, low: float, high: float, n_penalties: int) -> dict:
    problem = load(name)
    X, y = problem.X, problem.y
    penalties = np.geomspace(low, high, n_penalties)
    start = time.process_time()
    path = penalty_path(
        X,
        y,
        low=low,
        high=high,
        estimator=OptimalTreeClassifier(penalize="splits", time_limit=None),
    )
    path_seconds = time.process_time() - start
    start = time.process_time()
    fits = [
        OptimalTreeClassifier(penalty, penalize="splits", time_limit=None).fit(X, y)
        for penalty in penalties
    ]
    fit_seconds = time.process_time() - start
    for penalty, fit in zip(penalties, fits, strict=True):
        cost = path.at(penalty).objective(penalty)
        assert abs(cost - fit.objective_) < 1e-12, (name, penalty)
    return {
        "table": name,
        "trees": len(path),
        "searches": path.n_searches,
        "path": path_seconds,
        "fits": fit_seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--low", type=float, default=0.005)
    parser.add_argument("--high", type=float, default=0.1)
    parser.add_argument("--penalties", type=int, default=50)
    options = parser.parse_args()
    print("table       trees  searches   path s  50 fits s  times faster")
    for name in options.tables:
        row = measure(name, options.low, options.high, options.penalties)
        faster = row["fits"] / row["path"]
        print(
            f"{row['table']:10}  {row['trees']:5d}  {row['searches']:8d}  "
            f"{row['path']:7.2f}  {row['fits']:9.2f}  {faster:12.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
