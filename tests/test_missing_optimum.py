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
    }


def limits(chosen):
    depth = chosen["max_depth"]
    return {
        "max_depth": -1 if depth is None else depth,
        "min_samples_leaf": chosen["min_samples_leaf"],
    }


@pytest.mark.parametrize("block", range(BLOCKS))
def test_classification(block):
    for seed in range(block, rounds(600, 40_000), BLOCKS):
        problem = random_problem(seed)
        chosen = options(problem, seed)
        solver = SOLVERS[seed // BLOCKS % len(SOLVERS)]
        if solver in ("branches", "dt-miner"):
            chosen["min_samples_leaf"] = 1
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
        paid = share + chosen["split_penalty"] * model.n_splits_
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
            paid += chosen["split_penalty"] * model.n_splits_
            assert abs(paid - model.objective_) < 1e-9, seed
