"""Speed of the bounds and of pruning by them: ``python -m benchmarks.generalization``.

Three questions, all answered in one process and in processor time, so that a busy
machine changes the ratios little:

1. How long does the growth function of a 40-leaf tree take at m = 100,000 with 10
   classes, from nothing?
2. How much faster is pruning by bound than scikit-learn's cost-complexity pruning with
   10-fold cross-validation? The latter is the recipe of its manual: the effective
   alphas of ``cost_complexity_pruning_path``, tried by ``GridSearchCV(cv=10)``.
3. The same against our own CART, which grows each fold once and walks down its
sequence.

Trees are grown to at most 40 leaves. On clean data they are pure long before that, so a
quarter of the labels is also replaced at random to get trees of full size.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from treeproof.generalization import (
    BoundPruner,
    CostComplexityPruner,
    TreeStructure,
    growth_function_bound,
    partitioning_function_bound,
    risk_bound,
)
from treeproof.generalization.partitioning import shared_functions


def random_shape(n_leaves: int, seed: int) -> TreeStructure:
    """A shape made by splitting random leaves."""
    rng = np.random.default_rng(seed)
    parts = [TreeStructure()] * n_leaves
    while len(parts) > 1:
        i, j = rng.choice(len(parts), 2, replace=False)
        pair = TreeStructure((parts[i], parts[j]))
        parts = [part for k, part in enumerate(parts) if k not in (i, j)] + [pair]
    return parts[0]


def best_of(repeats: int, action: Callable[[], object]) -> float:
    """Least processor time of several runs, in seconds; nothing is remembered."""
    times = []
    for _ in range(repeats):
        shared_functions.cache_clear()
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def bench_bounds(repeats: int) -> dict[str, float]:
    """Milliseconds for one evaluation on shapes that were not seen before."""
    shapes = iter([random_shape(40, seed) for seed in range(4 * repeats)])
    m, ell, n = 100_000, 30, 10
    fast = {"method": "fast", "log": True}
    actions = {
        "partitioning function, c = 10": lambda: partitioning_function_bound(
            next(shapes), 10, m, ell, **fast
        ),
        "growth function": lambda: growth_function_bound(
            next(shapes), m, ell, n, **fast
        ),
        "growth function, 100 classes": lambda: growth_function_bound(
            next(shapes), m, ell, 100, **fast
        ),
        "risk bound": lambda: risk_bound(100, m // 2, next(shapes), ell, n),
    }
    return {name: 1e3 * best_of(repeats, action) for name, action in actions.items()}


def sklearn_pruning(tree, X, y):
    """Cost-complexity pruning by 10-fold cross-validation, as in its manual."""
    alphas = tree.cost_complexity_pruning_path(X, y).ccp_alphas
    grid = {"ccp_alpha": np.unique(np.maximum(alphas, 0))}
    return GridSearchCV(clone(tree), grid, cv=10).fit(X, y).best_estimator_


def bench_pruning(repeats: int, noise: float) -> list[dict[str, object]]:
    """Times and ratios on two data sets."""
    rows = []
    for name, load in [("wine", load_wine), ("breast cancer", load_breast_cancer)]:
        X, y = load(return_X_y=True)
        rng = np.random.default_rng(0)
        flip = rng.random(len(y)) < noise
        y = np.where(flip, rng.integers(0, y.max() + 1, len(y)), y)
        tree = DecisionTreeClassifier(max_leaf_nodes=40, random_state=0).fit(X, y)
        ours = best_of(repeats, lambda: BoundPruner().prune(tree, X, y).tree)  # noqa: B023
        cart = best_of(2, lambda: CostComplexityPruner().prune(tree, X, y).tree)  # noqa: B023
        theirs = best_of(1, lambda: sklearn_pruning(tree, X, y))  # noqa: B023
        rows.append(
            {
                "data": name,
                "noise": noise,
                "leaves": int(tree.get_n_leaves()),
                "bound_ms": 1e3 * ours,
                "own_cart_ms": 1e3 * cart,
                "sklearn_cv_ms": 1e3 * theirs,
                "times_faster": theirs / ours,
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    bounds = bench_bounds(options.repeats)
    pruning = [
        row for noise in (0.0, 0.25) for row in bench_pruning(options.repeats, noise)
    ]
    if options.json:
        print(json.dumps({"bounds_ms": bounds, "pruning": pruning}))
        return
    print("40 leaves, m = 100,000, 30 features, 10 classes; milliseconds:")
    for name, value in bounds.items():
        print(f"  {name:32s} {value:8.2f}")
    print()
    print(
        "data           noise  leaves  bound ms  own CART ms  sklearn 10-fold ms  ratio"
    )
    for row in pruning:
        print(
            f"{row['data']:14s} {row['noise']:5.2f}  {row['leaves']:6d}"
            f"  {row['bound_ms']:8.2f}  {row['own_cart_ms']:11.1f}"
            f"  {row['sklearn_cv_ms']:18.0f}  {row['times_faster']:5.0f}"
        )


if __name__ == "__main__":
    main()
