"""Known answers for F1, balanced accuracy and costs on data of other papers."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from treeproof import OptimalTreeClassifier
from treeproof.constraints import DemographicParity

TASKS = Path(__file__).parents[2] / "shared" / "data" / "tasks"
pytestmark = pytest.mark.skipif(not TASKS.exists(), reason="needs the data of tasks")

KNOWN = {
    ("f1", "german-credit", 2): 0.8305810397553517,
    ("f1", "german-credit", 3): 0.8397318708104814,
    ("f1", "student-mat", 2): 0.9420849420849421,
    ("f1", "student-mat", 3): 0.9501915708812261,
    ("balanced_accuracy", "german-credit", 2): 0.699047619047619,
    ("balanced_accuracy", "german-credit", 3): 0.7302380952380952,
    ("balanced_accuracy", "student-mat", 2): 0.9277213352685051,
    ("balanced_accuracy", "student-mat", 3): 0.9391872278664732,
}


def load(name):
    table = pd.read_csv(TASKS / f"{name}.csv.gz")
    return table, table.pop("y").to_numpy()


@pytest.mark.parametrize(("metric", "name", "depth"), list(KNOWN))
def test_metrics(metric, name, depth):
    X, y = load(name)
    model = OptimalTreeClassifier(0.0, metric=metric, max_depth=depth).fit(X, y)
    assert model.optimal_
    assert 1 - model.objective_ == pytest.approx(KNOWN[metric, name, depth], abs=1e-9)


# Errors of the best trees whose rates for the groups of the first column differ by at
# most the bound. STreeD reports 48 and 33 for student-mat at .01; trees of 45 and 30
# errors keep that bound.
PARITY = {
    ("german-credit", 2, 0.01): 277,
    ("german-credit", 2, 0.05): 270,
    ("german-credit", 3, 0.01): 253,
    ("german-credit", 3, 0.05): 247,
    ("student-mat", 2, 0.01): 45,
    ("student-mat", 2, 0.05): 32,
    ("student-mat", 3, 0.01): 30,
    ("student-mat", 3, 0.05): 26,
}


@pytest.mark.parametrize(("name", "depth", "bound"), list(PARITY))
def test_parity(name, depth, bound):
    X, y = load(name)
    groups = X.iloc[:, 0]
    parity = DemographicParity(difference_bound=bound)
    model = OptimalTreeClassifier(0.0, max_depth=depth, constraints=[parity])
    model.fit(X, y, sensitive_features=groups)
    assert model.optimal_
    says = np.asarray(model.predict(X))
    assert (says != y).sum() == PARITY[name, depth, bound]
    rates = [np.mean(says[groups == g]) for g in (0, 1)]
    assert abs(rates[0] - rates[1]) <= bound


@pytest.mark.parametrize("depth", [2, 3])
def test_cars_equal_trying_all_trees(depth):
    X, y = load("car")
    text = (TASKS / "car-low-costs.json").read_text()
    matrix = np.array(json.loads(text)["matrix_true_by_predicted"])
    columns = X.to_numpy(dtype=bool).T
    costs = matrix[y]

    def least(rows, levels):
        best = costs[rows].sum(axis=0).min()
        if levels == 0 or best == 0:
            return best
        if levels == 1:  # all columns at once
            inside = columns[:, rows].astype(float) @ costs[rows]
            outside = costs[rows].sum(axis=0) - inside
            return min(best, (inside.min(axis=1) + outside.min(axis=1)).min())
        for column in columns:
            yes, no = rows[column[rows]], rows[~column[rows]]
            if len(yes) and len(no):
                best = min(best, least(yes, levels - 1) + least(no, levels - 1))
        return best

    model = OptimalTreeClassifier(0.0, cost_matrix=matrix, max_depth=depth).fit(X, y)
    assert model.optimal_
    expected = least(np.arange(len(y)), depth) / len(y)
    assert model.objective_ == pytest.approx(expected)
