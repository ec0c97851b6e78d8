"""The path of penalties against separate fits, and what its result offers."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from effort import rounds
from oracle import UNIT, Table, engine_arguments, optimal_cost
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning
from sparse_problems import any_limits, any_table, solve

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor, penalty_path
from treeproof.path.envelope import Solution, trace
from treeproof.path.searches import Searches
from treeproof.solving.solvers import Task

N_PROBLEMS = rounds(40, 400)
N_PENALTIES = 50


def task_of(table: Table, limits: dict) -> Task:
    arguments = engine_arguments(table)
    q = len(arguments["kinds"])
    encoded = SimpleNamespace(
        kinds=arguments["kinds"],
        n_values=arguments["n_values"],
        codes=arguments["codes"].reshape(q, -1),
    )
    return Task(
        table=SimpleNamespace(engine=encoded),
        labels=arguments["labels"],
        n_classes=table.n_classes,
        weights=arguments["weights"],
        split_penalty=0.0,
        **{name: None if v == -1 else v for name, v in limits.items()},
    )


def cost_at(envelope, split_cost: int) -> int:
    return min(s.solution.at(split_cost) for s in envelope.segments)


def envelope_of(table, limits, solver, low, high):
    searches = Searches(solver, task_of(table, limits))
    assert searches.unit == table.total_weight * UNIT
    return trace(
        searches.solve,
        searches.split_cost(low),
        searches.split_cost(high),
        searches.error_unit,
    )


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_path_equals_separate_fits(seed):
    rng = np.random.default_rng([8, seed])
    table = any_table(rng)
    limits = {k: v for k, v in any_limits(rng).items() if k != "split_penalty"}
    if seed % 8 != 0:  # a limit on splits is slow: every penalty is a fit of its own
        limits["max_splits"] = -1
    low = float(rng.choice([0.0, 0.002, 0.01]))
    envelope = envelope_of(table, limits, "sparse", low, 0.5)
    assert all(envelope.gap(s)[0] == 0 for s in envelope.segments)
    unit = table.total_weight * UNIT
    ends = [s.high for s in envelope.segments] + [envelope.segments[0].low]
    wanted = {int(x) for x in ends} | {-(-x.numerator // x.denominator) for x in ends}
    while len(wanted) < N_PENALTIES:
        wanted.add(round(low * unit + (0.5 - low) * unit * rng.random() ** 3))
    for split_cost in wanted:
        found = solve(table, limits | {"split_penalty": split_cost / unit})
        assert found["split_cost"] == split_cost
        assert found["upper"] == cost_at(envelope, split_cost)


@pytest.mark.parametrize("seed", range(rounds(15, 200)))
@pytest.mark.parametrize("solver", ["sparse", "threshold"])
def test_path_equals_brute_force(seed, solver):
    rng = np.random.default_rng([9, seed])
    table = any_table(rng)
    weights = table.weights[:40] // np.gcd.reduce(table.weights[:40])
    table = replace(
        table, codes=table.codes[:40], labels=table.labels[:40], weights=weights
    )
    limits = {"max_depth": int(rng.choice([-1, 1, 2, 3])), "min_samples_leaf": 1}
    limits["penalize"] = str(rng.choice(["leaves", "splits"]))
    if rng.random() < 0.3:
        limits["min_samples_leaf"] = 3
    envelope = envelope_of(table, limits, solver, 0.01, 1.0)
    for penalty in (0.01, 0.02, 0.05, 0.1, 0.3, 1.0):
        wanted = optimal_cost(table, penalty, **limits)
        assert cost_at(envelope, table.split_cost(penalty)) == wanted


def best_line(split_cost, lines):
    cost, splits, errors = min((e + k * split_cost, k, e) for k, e in lines)
    return Solution(split_cost, errors, splits, cost, True, None)


def test_envelope_of_known_lines():
    """Lines that are best somewhere are all found, and no other lines."""
    lines = [(9, 0), (5, 40), (4, 56), (2, 100), (0, 200)]  # (splits, errors)
    hidden = [(3, 90), (7, 30)]
    asked = []

    def search(split_cost, lower):
        asked.append(split_cost)
        cost, splits, errors = min(
            (e + k * split_cost, k, e) for k, e in lines + hidden
        )
        assert lower <= cost
        return Solution(split_cost, errors, splits, cost, True, None)

    envelope = trace(search, 0, 100, 1)
    found = [(s.solution.penalties, s.solution.errors) for s in envelope.segments]
    assert found == lines
    crossings = [s.high for s in envelope.segments[:-1]]
    assert crossings == [Fraction(40, 4), Fraction(16), Fraction(22), Fraction(50)]
    assert all(envelope.gap(s)[0] == 0 for s in envelope.segments)
    assert len(asked) == len(set(asked)) <= 2 * len(lines)


def test_neighbouring_sizes_need_no_search_between():
    def search(split_cost, lower):
        cost, splits, errors = min(
            (e + k * split_cost, k, e) for k, e in [(1, 0), (0, 7)]
        )
        return Solution(split_cost, errors, splits, cost, True, None)

    assert trace(search, 6, 8, 1).n_searches == 2


def test_what_searches_share_makes_later_ones_short():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, size=(400, 14))
    labels = (codes[:, 0] ^ (codes[:, 1] & codes[:, 2])) | (rng.random(400) < 0.2)
    table = Table(
        np.zeros(14, int),
        np.full(14, 2),
        codes,
        labels.astype(int),
        2,
        np.ones(400, int),
    )
    searches = Searches("sparse", task_of(table, {}))
    at = [searches.split_cost(p) for p in (0.03, 0.008, 0.012)]
    expansions = []
    for split_cost in at:
        found = searches.solve(split_cost, 0)
        expansions.append(found.answer["statistics"]["expansions"])
    alone = solve(table, {"split_penalty": 0.012})["statistics"]["expansions"]
    assert expansions[2] < alone / 2


def test_result_speaks_of_penalties():
    X, y = load_iris(return_X_y=True)
    path = penalty_path(X, y, low=0.01)
    assert path.optimal and path.status == "optimal"
    assert [p.n_splits for p in path] == [0, 1, 2, 3]
    assert path[0].interval[1] == 1.0 and path[-1].interval[0] == 0.01
    for a, b in pairwise(path):
        assert a.exact_interval[0] == b.exact_interval[1]
    assert path.at(0.3).n_splits == 1
    assert path[1].exact_interval == (Fraction(44, 150), Fraction(1, 3))
    for penalty in np.geomspace(0.01, 1, 12):
        point = path.at(penalty)
        fit = OptimalTreeClassifier(penalty).fit(X, y)
        assert point.objective(penalty) == pytest.approx(fit.objective_, abs=1e-12)
        assert path.lower_bound(penalty) == pytest.approx(fit.objective_, abs=1e-7)
    model = path.at(0.02).model
    assert model.optimal_ and model.n_splits_ == model.tree_.n_splits == 2
    assert model.score(X, y) == pytest.approx(path.at(0.02).score)
    assert len(path.table()) == 4
    assert "<table>" in path._repr_html_() and "splits" in str(path)


def test_regression_path_equals_fits():
    X, y = load_diabetes(return_X_y=True)
    X = X[:120, :4]
    y = y[:120]
    base = OptimalTreeRegressor(max_depth=2)
    path = penalty_path(X, y, low=0.01, high=0.5, estimator=base)
    assert path.optimal
    for penalty in np.geomspace(0.01, 0.5, 20):
        fit = OptimalTreeRegressor(penalty, max_depth=2).fit(X, y)
        assert path.at(penalty).objective(penalty) == pytest.approx(
            fit.objective_, rel=1e-8
        )


def test_weights_and_categories():
    rng = np.random.default_rng(4)
    X = np.array(["a", "b", "c", "d"], dtype=object)[rng.integers(0, 4, size=(80, 4))]
    y = (X[:, 0] == "a") ^ (X[:, 1] == "b") ^ (rng.random(80) < 0.1)
    w = rng.random(80)
    path = penalty_path(X, y, w, low=0.01)
    for penalty in (0.01, 0.02, 0.04, 0.1):
        fit = OptimalTreeClassifier(penalty).fit(X, y, w)
        assert path.at(penalty).objective(penalty) == pytest.approx(fit.objective_)


@pytest.mark.parametrize(
    "parameters",
    [
        {"missing": "branch"},
        {"missing": "best-side", "categorical_split": "one-vs-rest", "max_depth": 2},
        {"missing": "best-side", "categorical_split": "subset"},
    ],
    ids=str,
)
def test_missing_values_and_subsets(parameters):
    rng = np.random.default_rng(5)
    columns = {
        "number": rng.choice([1.0, 2.0, 3.0, np.nan], 90),
        "letter": rng.choice(np.array(["p", "q", "r", None], dtype=object), 90),
        "other": rng.choice(np.array(list("uvwx"), dtype=object), 90),
    }
    y = (columns["number"] > 1) ^ (columns["other"] == "u") ^ (rng.random(90) < 0.1)
    base = OptimalTreeClassifier(**parameters)
    path = penalty_path(columns, y, low=0.01, estimator=base)
    for penalty in (0.01, 0.02, 0.05, 0.1):
        fit = OptimalTreeClassifier(penalty, **parameters).fit(columns, y)
        point = path.at(penalty)
        assert point.objective(penalty) == pytest.approx(fit.objective_, abs=1e-12)
        assert 1 - point.model.score(columns, y) == pytest.approx(point.loss)


def test_a_limit_leaves_true_gaps():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(300, 30))
    y = rng.integers(0, 2, size=300)
    base = OptimalTreeClassifier(time_limit=0.2)
    with pytest.warns(ConvergenceWarning, match="up to .* better"):
        path = penalty_path(X, y, low=0.001, estimator=base)
    assert path.status == "time_limit" and not path.optimal
    # Expensive splits come first, but their optimum is known anyway.
    known = path.at(0.2).objective(0.2)
    assert path.lower_bound(0.2) == pytest.approx(known, abs=1e-7)
    assert path[-1].gap > 0 and not path[-1].model.optimal_
    assert path[-1].model.gap_ <= path[-1].gap + 1e-12


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"low": -0.1}, "low=-0.1 is not a penalty; use a number from 0 to 1."),
        ({"high": "x"}, "high='x' is not a penalty; use a number from 0 to 1."),
        ({"low": 0.5, "high": 0.1}, "low=0.5 is above high=0.1; exchange the two."),
    ],
)
def test_bad_ranges(arguments, sentence):
    with pytest.raises(ValueError) as error:
        penalty_path([[0], [1]], [0, 1], **arguments)
    assert str(error.value) == sentence


def test_bad_estimators_and_penalties():
    with pytest.raises(TypeError, match="not int"):
        penalty_path([[0], [1]], [0, 1], estimator=3)
    path = penalty_path([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match="make a path with a wider range"):
        path.at(0.001)
