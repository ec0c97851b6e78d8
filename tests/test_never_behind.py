"""A fit with the defaults is never behind what is easier to have, on noisy tables.

What the fit without a limit must not cost more than: CART grown to the end (Gini and
entropy) and pruned exactly for the same cost, TAO from CART, its own fits with a depth
limit, and either engine alone. The small tables are so small that all of these end with
proof; on the larger ones the search without a limit is ended as soon as its first
levels are settled, which bring trees that the others do not beat. Nothing depends on
the machine's speed.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor, stop_when
from treeproof.solving.certificates import Certificate
from treeproof.solving.observers import watch_ladder

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.greedy import OneHot, Rows, cart, tao

PENALTY = 0.03
CLOSE = 1e-9
SMALL, LARGER, LARGE = 32, 80, 200  # rows


def numbers(seed, n):
    """Return three columns of numbers, two of which matter, and a fifth of noise."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)).round(1), columns=list("abc"))
    y = ((X.a > 0.2) & (X.b < 0.5)).to_numpy() != (rng.random(n) < 0.2)
    return X, np.where(y, "yes", "no")


def mixed(seed, n):
    """Return numbers and a column of categories; some numbers are missing."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 12, (n, 2)), columns=list("ab")).astype(float)
    X["kind"] = rng.choice(["p", "q"], n)
    y = ((X.a > 6) == (X.kind == "p")).to_numpy() != (rng.random(n) < 0.2)
    X.loc[rng.random(n) < 0.08, "b"] = np.nan
    return X, y.astype(int)


def three_classes(seed, n):
    """Return two columns of numbers and three classes that overlap."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = pd.DataFrame({"a": y + rng.normal(size=n), "b": rng.normal(size=n)})
    return X.round(1), y


def amounts(seed, n):
    """Return numbers to predict: steps of two columns, with noise."""
    X, _ = numbers(seed, n)
    rng = np.random.default_rng(seed + 1000)
    return X, 2.0 * (X.a > 0.2) + 1.0 * (X.b < 0.5) + rng.normal(size=len(X))


TABLES = {"numbers": numbers, "mixed": mixed, "three classes": three_classes}
SEEDS = range(4)


def greedy_costs(X, y, numeric=False):
    """Return what CART and TAO cost, both given their best case."""
    codes = np.asarray(y, float) if numeric else np.unique(y, return_inverse=True)[1]
    rows = Rows(OneHot(X, PENALTY)(X), codes, numeric, PENALTY)
    return {"CART": cart(rows).cost, "TAO from CART": tao(rows).cost}


def alone_costs(kind, X, y, depths, engines=()):
    """Return the costs of fits with a depth limit, and of engines by themselves."""
    fits = {f"max_depth={d}": {"max_depth": d} for d in depths}
    fits |= {engine: {"solver": engine} for engine in engines}
    costs = {}
    for who, options in fits.items():
        alone = kind(PENALTY, time_limit=None, **options).fit(X, y)
        assert alone.optimal_
        costs[who] = alone.objective_
    return costs


def assert_never_behind(ours, others):
    behind = {who: cost for who, cost in others.items() if ours > cost + CLOSE}
    assert not behind, f"ours costs {ours}"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("table", TABLES)
def test_classes(table, seed):
    X, y = TABLES[table](seed, SMALL)
    ours = OptimalTreeClassifier(PENALTY, time_limit=None).fit(X, y)
    others = alone_costs(
        OptimalTreeClassifier, X, y, (1, 2, 3, 4), ("sparse", "threshold")
    )
    assert_never_behind(ours.objective_, greedy_costs(X, y) | others)


def settled(kind, X, y, level, **options):
    """Fit without a limit, ended as soon as trees of a depth are settled."""
    known = []

    def climb(news):
        if isinstance(news, Certificate) and news.max_depth >= level:
            known.append(news)

    with warnings.catch_warnings(), watch_ladder(climb), stop_when(lambda: bool(known)):
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = kind(PENALTY, time_limit=None, **options).fit(X, y)
    assert model.proved_depth_ >= level
    return model


@pytest.mark.parametrize("solver", ["auto", "sparse", "threshold"])
@pytest.mark.parametrize("n", [LARGER, LARGE])
@pytest.mark.parametrize("table", TABLES)
def test_classes_without_proof(table, n, solver):
    """No engine has to be a part of a portfolio to be as good as what is easier."""
    X, y = TABLES[table](1, n)
    ours = settled(OptimalTreeClassifier, X, y, level=4, solver=solver)
    others = alone_costs(OptimalTreeClassifier, X, y, (1, 2, 3, 4))
    assert_never_behind(ours.objective_, greedy_costs(X, y) | others)


@pytest.mark.parametrize("table", TABLES)
def test_the_portfolio_is_not_behind_its_engines(table):
    X, y = TABLES[table](2, LARGE)
    ours = settled(OptimalTreeClassifier, X, y, level=4)
    others = {}
    for solver, depth in (("sparse", 4), ("threshold", 3)):
        alone = OptimalTreeClassifier(
            PENALTY, max_depth=depth, solver=solver, time_limit=None
        )
        others[solver] = alone.fit(X, y).objective_
    assert_never_behind(ours.objective_, others)


@pytest.mark.parametrize("seed", SEEDS[:2])
@pytest.mark.parametrize("n", [SMALL, LARGER, LARGE])
def test_amounts_without_proof(n, seed):
    X, y = amounts(seed, n)
    ours = settled(OptimalTreeRegressor, X, y, level=3)
    others = alone_costs(OptimalTreeRegressor, X, y, (1, 2, 3))
    assert_never_behind(ours.objective_, greedy_costs(X, y, numeric=True) | others)
