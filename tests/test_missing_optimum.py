"""Trees on tables with missing values, orders and subsets cost what brute force says.

``make fuzz-tables`` tries many more tables.
"""

import numpy as np
import pytest
from effort import rounds
from oracle import optimal_cost
from regression_oracle import optimal_loss
from table_oracle import random_problem

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor

BLOCKS = 20
SOLVERS = ("sparse", "threshold", "auto", "branches", "dt-miner")


def options(problem, seed):
    random = np.random.default_rng(10_000 + seed)
    return {
        "split_penalty": float(random.choice([0.0, 0.02, 0.05, 0.11])),
        "max_depth": [None, 1, 2, 3][int(random.integers(4))],
        "min_samples_leaf": int(random.choice([1, 1, 2])),
        "penalize": str(random.choice(["leaves", "splits"])),
    }


def limits(chosen):
    depth = chosen["max_depth"]
    return {
        "max_depth": -1 if depth is None else depth,
        "min_samples_leaf": chosen["min_samples_leaf"],
        "penalize": chosen["penalize"],
    }


@pytest.mark.parametrize("block", range(BLOCKS))
def test_classification(block):
    for seed in range(block, rounds(600, 40_000), BLOCKS):
        problem = random_problem(seed)
        chosen = options(problem, seed)
        solver = SOLVERS[seed // BLOCKS % len(SOLVERS)]
        if solver in ("branches", "dt-miner"):
            chosen |= {"min_samples_leaf": 1, "penalize": "splits"}
            if solver == "dt-miner":
                chosen["max_depth"] = None
        model = OptimalTreeClassifier(
            missing=problem.missing,
            categorical_split=problem.categorical_split,
            solver=solver,
            **chosen,
        ).fit(problem.frame, problem.labels, problem.weights)
        table = problem.for_classes()
        cost = optimal_cost(table, chosen["split_penalty"], **limits(chosen))
        expected = cost / (1 << 20) / table.total_weight
        assert model.optimal_, seed
        assert abs(model.objective_ - expected) < 1e-5, seed
        wrong = model.predict(problem.frame) != problem.labels
        share = problem.weights[wrong].sum() / table.total_weight
        penalties = model.tree_.n_penalties(chosen["penalize"])
        paid = share + chosen["split_penalty"] * penalties
        assert abs(paid - model.objective_) < 1e-9, seed


@pytest.mark.parametrize("block", range(BLOCKS))
def test_regression(block):
    for seed in range(block, rounds(600, 40_000), BLOCKS):
        problem = random_problem(seed)
        chosen = options(problem, seed)
        criterion = ("squared_error", "absolute_error")[seed // BLOCKS % 2]
        model = OptimalTreeRegressor(
            missing=problem.missing,
            categorical_split=problem.categorical_split,
            criterion=criterion,
            **chosen,
        ).fit(problem.frame, problem.targets, problem.weights)
        table = problem.for_numbers(criterion)
        expected = optimal_loss(table, chosen["split_penalty"], **limits(chosen))
        assert model.optimal_, seed
        assert abs(model.objective_ - expected) < 1e-9, seed
        n = len(problem.targets)
        off = problem.targets - model.predict(problem.frame)
        each = off**2 if criterion == "squared_error" else np.abs(off)
        single = table.loss(np.arange(n))
        if single > 0:
            paid = float((problem.weights * each).sum()) / single
            penalties = model.tree_.n_penalties(chosen["penalize"])
            paid += chosen["split_penalty"] * penalties
            assert abs(paid - model.objective_) < 1e-9, seed


@pytest.mark.parametrize("mode", ["best-side", "branch"])
def test_one_split_of_many_categories(mode, monkeypatch):
    """The order by target gives what all subsets give, where it is used at all."""
    from treeproof.border import engine_columns, table

    random = np.random.default_rng(0)
    for seed in range(rounds(60, 2000)):
        n, k = int(random.integers(8, 40)), int(random.integers(5, 9))
        words = random.choice(list("abcdefgh")[:k], n).tolist()
        for row in np.flatnonzero(random.random(n) < random.choice([0, 0.2])):
            words[row] = None
        y = random.integers(0, 2, n)
        weights = random.integers(1, 4, n)
        options = {"missing": mode, "categorical_split": "subset", "max_depth": 1}
        for kind, target in (
            (OptimalTreeClassifier, y),
            (OptimalTreeRegressor, y + random.normal(size=n)),
        ):
            model = kind(0.001, **options)
            found = []
            for most in (12, 3):
                monkeypatch.setattr(engine_columns, "MAX_SUBSET_VALUES", most)
                monkeypatch.setattr(table, "MAX_SUBSET_VALUES", most)
                found.append(model.fit({"w": words}, target, weights).objective_)
            assert abs(found[0] - found[1]) < 1e-9, seed


def test_many_categories_in_one_split():
    random = np.random.default_rng(1)
    words = [f"w{v:03}" for v in random.integers(0, 300, 3000)]
    y = np.array([int(w[1:]) % 7 < 3 for w in words]).astype(int)
    for limit in ({"max_depth": 1}, {"max_splits": 1}):
        model = OptimalTreeClassifier(categorical_split="subset", **limit)
        assert model.fit({"w": words}, y).score({"w": words}, y) == 1
    for other in ({"max_depth": 2}, {"max_depth": 1, "min_samples_leaf": 2}):
        with pytest.raises(ValueError, match="Column 'w' has 300 categories"):
            OptimalTreeClassifier(categorical_split="subset", **other).fit(
                {"w": words}, y
            )
    with pytest.raises(ValueError, match="has 300 categories"):
        OptimalTreeRegressor(
            categorical_split="subset", max_depth=1, criterion="absolute_error"
        ).fit({"w": words}, y)
