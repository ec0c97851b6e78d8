"""Invalid costs, abstention and metrics are refused with one sentence."""

import numpy as np
import pandas as pd
import pytest

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor, penalty_path

X = [[0], [1], [2], [3]]
Y = ["healthy", "ill", "healthy", "ill"]
GOOD = {"healthy": {"ill": 1}, "ill": {"healthy": 20}}


def refused(words, y=Y, costs=None, **parameters):
    with pytest.raises(ValueError, match=words) as told:
        OptimalTreeClassifier(**parameters).fit(X, y, costs=costs)
    text = str(told.value)
    assert "\n" not in text and text.endswith(".")


MATRICES = [
    ([[0, np.inf], [1, 0]], "predicting 'ill' for 'healthy' costs inf"),
    ([[0, 1], [np.nan, 0]], "predicting 'healthy' for 'ill' costs nan"),
    ([[0, 1, 2], [1, 0, 2]], r"has the shape \(2, 3\), but there are 2 classes"),
    ([0, 1], r"has the shape \(2,\), but there are 2 classes"),
    ([["a", "b"], ["c", "d"]], "cost_matrix must be a table of numbers"),
    ({"healthy": {"ill": 1}}, "no costs for rows of the class 'ill'"),
    ({"healthy": {}, "ill": {"healthy": 2}}, "what predicting 'ill' for 'healthy'"),
    (
        {"healthy": {"ill": "much"}, "ill": {"healthy": 2}},
        "predicting 'ill' for 'healthy' costs 'much', which is not a number",
    ),
    (
        pd.DataFrame([[0, 1]], index=["healthy"], columns=["healthy", "ill"]),
        "no costs for rows of the class 'ill'",
    ),
]


@pytest.mark.parametrize(("matrix", "words"), MATRICES)
def test_matrices(matrix, words):
    refused(words, cost_matrix=matrix)


ROWS = [
    ([[0, 1], [1, 0], [np.inf, 1], [0, 1]], "costs has inf in row 2, column 0"),
    ([[0, 1], [1, np.nan], [1, 1], [0, 1]], "costs has nan in row 1, column 1"),
    ([[0, 1], [1, 0]], "costs has 2 rows, but X has 4"),
    ([[0, 1, 2]] * 4, "costs has 3 columns, but there are 2 classes"),
    ([0, 1, 2, 3], "costs must be a table .* it has 1 dimension"),
    (np.zeros((4, 2, 2)), "it has 3 dimensions"),
    ([["a", "b"]] * 4, "costs must be a table of numbers"),
]


@pytest.mark.parametrize(("costs", "words"), ROWS)
def test_costs_of_rows(costs, words):
    refused(words, costs=costs)


def test_costs_of_rows_without_labels():
    refused("costs has no columns", y=None, costs=np.zeros((4, 0)))
    refused("the target y is None", y=None)


def test_negative_costs_are_gains():
    matrix = {"healthy": {"healthy": -1, "ill": 1}, "ill": {"ill": -5, "healthy": 9}}
    with pytest.warns(
        UserWarning, match="negative costs .the least is -5.; they count"
    ):
        model = OptimalTreeClassifier(cost_matrix=matrix).fit(X, Y)
    assert model.objective_ < 0 and model.optimal_
    with pytest.warns(UserWarning, match="costs has negative costs"):
        OptimalTreeClassifier().fit(X, Y, costs=[[-1, 1]] * 4)


def test_abstaining_that_decides_everything():
    refused(
        "abstain_cost=0 is not above the least cost of a prediction", abstain_cost=0
    )
    with pytest.warns(UserWarning, match="no leaf will abstain; lower it"):
        OptimalTreeClassifier(abstain_cost=30, cost_matrix=GOOD).fit(X, Y)
    refused("abstain_label='ill' is a class", abstain_cost=0.3, abstain_label="ill")


def test_two_ways_to_say_it():
    refused("cost_matrix and costs both say", costs=[[0, 1]] * 4, cost_matrix=GOOD)
    for name, value in {"cost_matrix": GOOD, "abstain_cost": 0.5}.items():
        refused(f"combined with {name}", metric="f1", max_depth=1, **{name: value})
    refused("combined with costs", metric="jaccard", costs=[[0, 1]] * 4, max_depth=1)
    refused("leave out class_weight", metric="f1", max_depth=1, class_weight="balanced")
    refused("split_penalty=2 is above 1", split_penalty=2.0)


def test_metrics():
    refused("needs to know which class is the positive one", metric="f1", max_depth=1)
    refused(
        "pos_label='dead' is not a class in y", metric="f1", max_depth=1,
        pos_label="dead",
    )  # fmt: skip
    three = ["a", "b", "c", "a"]
    refused(
        "needs a positive and a negative class, but y has 3 classes", three,
        metric="fbeta", max_depth=1, pos_label="a",
    )  # fmt: skip
    one = ["a"] * 4
    refused("but y has only the class 'a'", one, metric="f1", max_depth=1)
    refused("set max_depth or max_splits", metric="f1", pos_label="ill")


def test_ratios_are_no_sums():
    y = [0, 1, 0, 1]
    for name, value in {"n_best": 2, "first_split": 0}.items():
        refused(
            f"trees are not listed or compared part by part; leave out {name}", y,
            metric="f1", max_depth=1, **{name: value},
        )  # fmt: skip
    model = OptimalTreeClassifier(metric="f1", max_depth=1)
    with pytest.raises(ValueError, match="is a ratio, and trees are listed by costs"):
        model.fit(X, y).near_optimal()
    with pytest.raises(ValueError, match="a path of penalties needs another metric"):
        penalty_path(X, y, estimator=model)


def test_costs_of_rows_are_not_kept():
    model = OptimalTreeClassifier().fit(X, Y, costs=[[0, 1], [9, 0]] * 2)
    with pytest.raises(ValueError, match="fitted with costs=, which are not kept"):
        model.near_optimal(0.1, X=X, y=Y)


def test_cost_of_an_unknown_class():
    model = OptimalTreeClassifier(cost_matrix=GOOD).fit(X, Y)
    with pytest.raises(ValueError, match="y has the label 'dead', whose cost"):
        model.mean_cost(X, ["dead", *Y[1:]])


def test_metrics_take_several_searches(tmp_path):
    model = OptimalTreeClassifier(metric="f1", max_depth=1, pos_label="ill")
    with pytest.raises(
        ValueError, match="cannot be combined with checkpoint or distributed"
    ):
        model.fit(X, Y, checkpoint=tmp_path / "kept")


def test_what_the_certificate_says():
    y = [0, 1, 0, 1]
    f1 = OptimalTreeClassifier(metric="f1", max_depth=1).fit(X, y)
    assert "no tree of depth 1 or less has a higher F1 than 0.8." in f1.certificate()
    beta = OptimalTreeClassifier(metric="fbeta", beta=2, max_depth=1).fit(X, y)
    assert "has a higher F-beta (beta=2) than" in beta.certificate()
    costs = OptimalTreeClassifier(cost_matrix=[[0, 1], [20, 0]], max_depth=1).fit(X, y)
    assert "no tree of depth 1 or less costs less than" in costs.certificate()
    third = OptimalTreeClassifier(cost_matrix=[[0, 1 / 3], [1 / 7, 0]]).fit(X, y)
    assert " by more than " in third.certificate()  # such costs are rounded


@pytest.mark.parametrize(
    "matrix",
    [
        {"healthy": {"ill": 1, "Healthy": 7}, "ill": {"healthy": 20}},
        {"healthy": {"ill": 1}, "ill": {"healthy": 20, "Ill": 3}},
    ],
)
def test_a_typing_error_on_the_diagonal(matrix):
    refused("there is no such class; the classes are 'healthy'", cost_matrix=matrix)


def test_a_matrix_may_know_classes_that_no_row_has():
    """As in a fold of a table with a rare class."""
    more = {true: {**row, "dead": 9} for true, row in GOOD.items()}
    more["dead"] = {"healthy": 50, "ill": 10}
    model = OptimalTreeClassifier(cost_matrix=more).fit(X, Y)
    assert (
        model.objective_ == OptimalTreeClassifier(cost_matrix=GOOD).fit(X, Y).objective_
    )


def test_paths_with_costs_of_rows():
    random = np.random.default_rng(2)
    table, costs = random.integers(0, 3, (60, 3)), random.random((60, 3))
    path = penalty_path(table, None, costs=costs, low=0.01, high=2.0)
    for penalty in (0.012, 0.03, 0.5, 1.5):
        alone = OptimalTreeClassifier(penalty).fit(table, None, costs=costs)
        found = path.at(penalty).objective(penalty)
        assert found == pytest.approx(alone.objective_, abs=1e-6)
    with pytest.raises(ValueError, match="costs are those of a classifier's"):
        penalty_path(table, costs[:, 0], costs=costs, estimator=OptimalTreeRegressor())
