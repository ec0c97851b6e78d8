"""Trees that keep constraints are the cheapest ones that do, as brute force says.

``make fuzz-constraints`` tries many more tables.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from effort import rounds
from oracle import _BruteForce, n_penalties
from table_oracle import random_problem

from treeproof import OptimalTreeClassifier, penalty_path
from treeproof.constraints import (
    Budget,
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    FalsePositiveRateAtMost,
    InfeasibleError,
    Linear,
    RecallAtLeast,
)
from treeproof.constraints.search import ConstrainedSearch
from treeproof.policy import OptimalPolicyTree

BLOCKS = 10
SOLVERS = ("sparse", "threshold", "auto")
CLASSIFIED = (
    DemographicParity,
    EqualOpportunity,
    EqualizedOdds,
    RecallAtLeast,
    FalsePositiveRateAtMost,
    "recall and alarms",
    "parity and recall",
)


def trees_by_sums(table, adds, penalty, options):
    """The least cost of all trees and leaves' actions, for each value of the sums.

    `adds[row][action]` is a tuple: a cost, then numbers that are summed up.
    """
    n, k = len(adds), len(adds[0])
    width = len(adds[0][0])
    search = _BruteForce(table, 0, options["min_samples_leaf"], "splits")
    memo = {}

    def keep(found, point):
        cost, *sums = point
        sums = tuple(sums)
        if sums not in found or cost < found[sums]:
            found[sums] = cost

    def of(mask, depth):
        if (mask, depth) in memo:
            return memo[mask, depth]
        found = {}
        rows = [r for r in range(n) if mask >> r & 1]
        for a in range(k):
            keep(found, [sum(adds[r][a][j] for r in rows) for j in range(width)])
        if depth > 0:
            for children in search.splits(mask):
                paid = penalty * n_penalties(len(children), options["penalize"])
                joint = {(0,) * (width - 1): paid}
                for child in children:
                    own, wider = of(child, depth - 1), {}
                    for sums, cost in joint.items():
                        for more, extra in own.items():
                            pairs = zip(sums, more, strict=True)
                            keep(wider, [cost + extra, *(a + b for a, b in pairs)])
                    joint = wider
                for sums, cost in joint.items():
                    keep(found, [cost, *sums])
        memo[mask, depth] = found
        return found

    depth = n if options["max_depth"] is None else min(options["max_depth"], n)
    return of((1 << n) - 1, depth)


def random_options(random):
    return {
        "split_penalty": float(random.choice([0.0, 0.0, 0.03, 0.2])),
        "max_depth": [1, 2, 3, None][int(random.integers(4))],
        "min_samples_leaf": int(random.choice([1, 1, 2])),
        "penalize": str(random.choice(["leaves", "splits"])),
    }


def random_constraints(kind, random):
    eps = float(random.choice([0.0, 0.01, 0.1, 0.25, 0.5]))
    recall, rate = (float(random.choice([0.0, 0.3, 0.5, 0.9, 1.0])) for _ in range(2))
    return {
        RecallAtLeast: [RecallAtLeast(recall)],
        FalsePositiveRateAtMost: [FalsePositiveRateAtMost(rate)],
        "recall and alarms": [RecallAtLeast(recall), FalsePositiveRateAtMost(rate)],
        "parity and recall": [DemographicParity(eps), RecallAtLeast(recall)],
    }.get(kind) or [kind(difference_bound=eps)]


def excess_of(constraint, said, sizes):
    """By how much a tree is beyond a constraint.

    `said` and `sizes` have the weights of rows that the tree calls positive, and of all
    rows, for each group and class.
    """
    n_groups = len(sizes) // 2

    def rate(group, labels):
        cells = [2 * group + label for label in labels]
        size = sum(sizes[c] for c in cells)
        return Fraction(sum(said[c] for c in cells), size) if size else None

    def spread(labels):
        rates = [r for g in range(n_groups) if (r := rate(g, labels)) is not None]
        pairs = [abs(a - b) for a, b in combinations(rates, 2)]
        return max(pairs, default=Fraction(0))

    def overall(label):
        cells = [2 * g + label for g in range(n_groups)]
        size = sum(sizes[c] for c in cells)
        return Fraction(sum(said[c] for c in cells), size) if size else None

    if isinstance(constraint, RecallAtLeast):
        own = overall(1)
        return Fraction(0) if own is None else Fraction(str(constraint.recall)) - own
    if isinstance(constraint, FalsePositiveRateAtMost):
        own = overall(0)
        return Fraction(0) if own is None else own - Fraction(str(constraint.rate))
    bound = Fraction(str(constraint.difference_bound))
    if isinstance(constraint, DemographicParity):
        return spread((0, 1)) - bound
    if isinstance(constraint, EqualOpportunity):
        return spread((1,)) - bound
    return max(spread((1,)), spread((0,))) - bound


def sums_of_rows(weights, labels, cell, width):
    """For each row and each label it may get: the error, and what each cell selects."""
    return [
        [
            (int(w) * (y != a), *(int(w) * (a == 1 and c == own) for c in range(width)))
            for a in (0, 1)
        ]
        for w, y, own in zip(weights, labels, cell, strict=True)
    ]


@pytest.mark.parametrize("block", range(BLOCKS))
def test_classifiers_equal_brute_force(block):
    tried = infeasible = 0
    for seed in range(block, rounds(300, 7_500), BLOCKS):
        problem, random = random_problem(seed), np.random.default_rng(90_000 + seed)
        labels = (problem.labels > 0).astype(int)
        weights = problem.weights.astype(int)
        table = problem.for_classes()
        if len(set(labels[weights > 0])) < 2:
            continue
        constraints = random_constraints(CLASSIFIED[seed // BLOCKS % 7], random)
        options = random_options(random)
        groups = random.integers(0, int(random.choice([2, 2, 3])), len(labels))
        cell = 2 * groups + labels
        width = 2 * (int(groups.max()) + 1)
        sizes = [int(weights[cell == c].sum()) for c in range(width)]
        adds = sums_of_rows(weights, labels, cell, width)
        rows = np.flatnonzero(weights > 0)
        total = Fraction(int(weights.sum()))
        penalty = Fraction(options["split_penalty"]) * total
        points = trees_by_sums(table, [adds[r] for r in rows], penalty, options)
        beyond = {
            said: max(excess_of(c, said, sizes) for c in constraints) for said in points
        }
        kept = [points[said] for said in points if beyond[said] <= 0]
        model = OptimalTreeClassifier(
            constraints=constraints,
            solver=SOLVERS[seed % len(SOLVERS)],
            missing=problem.missing,
            categorical_split=problem.categorical_split,
            time_limit=None,
            **options,
        )
        tried += 1
        given = (problem.frame, labels, weights)
        if not kept:
            infeasible += 1
            with pytest.raises(InfeasibleError) as told:
                model.fit(*given, sensitive_features=groups)
            assert told.value.proved, seed
            expected = float(min(beyond.values()))
            assert told.value.excess == pytest.approx(expected, abs=1e-9), seed
            continue
        model.fit(*given, sensitive_features=groups)
        assert model.optimal_, seed
        expected = float(min(kept) / total)
        assert model.objective_ == pytest.approx(expected, abs=1e-6), seed
        said = model.predict(problem.frame)
        own = [int(weights[(said == 1) & (cell == c)].sum()) for c in range(width)]
        assert all(excess_of(c, own, sizes) <= 0 for c in constraints), seed
        wrong = int(weights[said != labels].sum()) / float(total)
        paid = options["split_penalty"] * model.tree_.n_penalties(options["penalize"])
        assert model.objective_ == pytest.approx(wrong + paid), seed
        assert all(k.value <= k.at_most + 1e-12 for k in model.constraints_), seed
    assert tried > 0 and infeasible >= 0


@pytest.mark.parametrize("block", range(BLOCKS))
def test_policies_equal_brute_force(block):
    for seed in range(block, rounds(200, 3_000), BLOCKS):
        problem, random = random_problem(seed), np.random.default_rng(95_000 + seed)
        n, k = len(problem.labels), int(random.integers(2, 4))
        weights = problem.weights.astype(int)
        if not weights.any():
            continue
        rewards = random.integers(-5, 6, (n, k))
        prices = random.integers(0, 4, (n, k))
        options = random_options(random)
        bound = int(random.integers(-2, 3 * n))
        which = ["amount", "share", "linear"][int(random.integers(3))]
        if which == "share":
            bound = float(random.choice([0.0, 0.2, 0.5, 0.9]))
            prices = np.tile((np.arange(k) > 0).astype(int), (n, 1))
            constraint = Budget(share=bound)
            most = Fraction(str(bound)) * int(weights.sum())
        elif which == "amount":
            constraint, most = Budget(amount=bound, prices=prices), bound
        else:
            prices = prices - 1
            constraint, most = Linear(prices, bound), bound
        rows = np.flatnonzero(weights > 0)
        adds = [
            [
                (int(-weights[r] * rewards[r, a]), int(weights[r] * prices[r, a]))
                for a in range(k)
            ]
            for r in rows
        ]
        total = Fraction(int(weights.sum()))
        penalty = Fraction(options["split_penalty"]) * total
        points = trees_by_sums(problem.for_classes(), adds, penalty, options)
        kept = [cost for (spent,), cost in points.items() if spent <= most]
        model = OptimalPolicyTree(
            constraints=[constraint],
            solver=SOLVERS[seed % len(SOLVERS)],
            missing=problem.missing,
            categorical_split=problem.categorical_split,
            time_limit=None,
            **options,
        )
        if not kept:
            with pytest.raises(InfeasibleError) as told:
                model.fit(problem.frame, rewards, weights)
            least = min(spent for (spent,) in points) - most
            least = float(least / total) if which == "share" else float(least)
            assert told.value.proved, seed
            assert told.value.excess == pytest.approx(least, abs=1e-9), seed
            continue
        model.fit(problem.frame, rewards, weights)
        assert model.optimal_, seed
        expected = float(min(kept) / total)
        assert model.objective_ == pytest.approx(expected, abs=1e-6), seed
        action = model.predict(problem.frame)
        spent = int((weights * prices[np.arange(n), action]).sum())
        assert spent <= most, seed


X = [[0], [1], [2], [3]]
Y = [0, 1, 0, 1]


def refused(words, error=ValueError, y=Y, fit=None, **parameters):
    with pytest.raises(error, match=words) as told:
        OptimalTreeClassifier(**parameters).fit(X, y, **(fit or {}))
    text = str(told.value)
    assert "\n" not in text and text.endswith(".")


def test_what_is_refused(tmp_path):
    parity, recall = [DemographicParity(0.1)], [RecallAtLeast(0.5)]
    refused("DemographicParity compares groups of rows; pass", constraints=parity)
    refused(
        "sensitive_features has 2 values, but X has 4 rows", constraints=parity,
        fit={"sensitive_features": [1, 2]},
    )  # fmt: skip
    refused(
        "sensitive_features has no value in row 1", constraints=parity,
        fit={"sensitive_features": ["a", None, "b", "a"]},
    )  # fmt: skip
    refused("takes objects such as", TypeError, constraints=["fair"])
    refused("recall=1.5 is not a share", constraints=[RecallAtLeast(1.5)])
    refused(
        "recall='all' is not a number", TypeError, constraints=[RecallAtLeast("all")]
    )
    refused(
        "constraints cannot be combined with max_splits",
        constraints=recall,
        max_splits=2,
    )
    refused(
        "constraints cannot be combined with first_split",
        constraints=recall,
        first_split=0,
    )
    refused("constraints cannot be combined with n_best", constraints=recall, n_best=3)
    refused(
        "constraints cannot be combined with metric",
        constraints=recall,
        metric="f1",
        max_depth=1,
    )
    refused(
        "needs a positive and a negative class, but y has 3", y=[0, 1, 2, 0],
        constraints=recall,
    )  # fmt: skip
    refused("takes either share or amount", constraints=[Budget()])
    refused("h has the shape", constraints=[Linear([1, 2, 3], 1)])
    refused("h has nan in row 0, column 1", constraints=[Linear([0, np.nan], 1)])
    refused(
        "prices has 'x', which is not among", constraints=[Budget(0.5, prices={"x": 1})]
    )
    with pytest.raises(ValueError, match="is about classes, which treatments"):
        OptimalPolicyTree(constraints=recall).fit(X, [[0, 1]] * 4)


def test_what_other_trees_do_not_keep():
    model = OptimalTreeClassifier(constraints=[RecallAtLeast(1.0)]).fit(X, Y)
    with pytest.raises(ValueError, match="A path cannot be combined with constraints"):
        penalty_path(X, Y, estimator=model)
    assert "that keeps the constraints costs less than" in model.certificate()


def test_impossible_constraints_name_the_closest_tree():
    constraints = [RecallAtLeast(1.0), FalsePositiveRateAtMost(0.0)]
    model = OptimalTreeClassifier(0.0, max_depth=1, constraints=constraints)
    with pytest.raises(InfeasibleError, match="No tree keeps the constraints") as told:
        model.fit(X, Y)
    assert told.value.proved and told.value.excess == 0.5
    closest = told.value.model
    assert closest.status_ == "infeasible" and not closest.optimal_
    assert len(closest.predict(X)) == 4


def test_a_limit_leaves_a_true_bound():
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (400, 25))
    y = (random.random(400) < 0.3 + 0.4 * X[:, 0] * X[:, 1]).astype(int)
    groups = (random.random(400) < 0.3 + 0.4 * X[:, 1]).astype(int)
    fair = OptimalTreeClassifier(
        0.0, max_depth=2, constraints=[DemographicParity(0.02)], time_limit=None
    ).fit(X, y, sensitive_features=groups)
    assert fair.optimal_
    hurried = OptimalTreeClassifier(**fair.get_params() | {"time_limit": 1e-3})
    with pytest.warns(UserWarning):
        hurried.fit(X, y, sensitive_features=groups)
    assert not hurried.optimal_
    assert hurried.lower_bound_ <= fair.objective_ <= hurried.objective_
    assert hurried.constraints_[0].value <= 0.02


def best_of_depth_two(X, y, groups, bound):
    """The fewest errors of all trees of two levels that keep parity, by trying all."""
    sizes = [int((groups == g).sum()) for g in (0, 1)]

    def halves(rows):
        points = set()
        for column in X.T:
            sides = [rows & (column == v) for v in (0, 1)]
            for says in ((0, 0), (0, 1), (1, 0), (1, 1)):
                pairs = list(zip(sides, says, strict=True))
                wrong = sum(int((s & (y != a)).sum()) for s, a in pairs)
                called = [
                    sum(int((s & (groups == g)).sum()) for s, a in pairs if a)
                    for g in (0, 1)
                ]
                points.add((wrong, *called))
        return points

    best = len(y)
    for column in X.T:
        for a in halves(column == 0):
            for b in halves(column == 1):
                rates = [Fraction(a[1 + g] + b[1 + g], sizes[g]) for g in (0, 1)]
                if abs(rates[0] - rates[1]) <= bound:
                    best = min(best, a[0] + b[0])
    return best


def test_larger_tables_need_the_list():
    listed = 0
    for seed in range(8):
        random = np.random.default_rng(seed)
        X = random.integers(0, 2, (120, 5))
        y = (random.random(120) < 0.2 + 0.3 * X[:, 0] + 0.3 * X[:, 1]).astype(int)
        groups = (random.random(120) < 0.3 + 0.4 * X[:, 0]).astype(int)
        fair = OptimalTreeClassifier(
            0.0, max_depth=2, constraints=[DemographicParity(0.02)], time_limit=None
        ).fit(X, y, sensitive_features=groups)
        listed += fair.stats_["lists"] > 0
        assert fair.optimal_
        expected = best_of_depth_two(X, y, groups, Fraction(1, 50))
        assert round(fair.objective_ * 120) == expected, seed
    assert listed > 0


def test_a_budget_beyond_the_integers_of_the_engine(monkeypatch):
    """Where prices leave next to nothing to choose, every tree is within the budget."""
    listed = []
    run = ConstrainedSearch.run

    def list_everything_first(search):
        prices = np.zeros(len(search.sums.limits))
        listed.append(search._list(prices, 1.0, 1e30))
        assert search.counted["lists"] == 1 and search.counted["points"] > 1
        return run(search)

    monkeypatch.setattr(ConstrainedSearch, "run", list_everything_first)
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 3, [0, 1, 1, 1] * 3
    model = OptimalTreeClassifier(
        0.0, max_depth=2, constraints=[RecallAtLeast(1.0)]
    ).fit(X, y)
    assert listed == [True] and model.optimal_


def test_rates_at_their_limit_with_weights_of_two_decimals():
    """All rows predicted positive are equal rates, whatever the weights."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        X, groups = random.integers(0, 2, (30, 2)), random.integers(0, 2, 30)
        weights = random.integers(1, 200, 30) / 100
        model = OptimalTreeClassifier(
            0.5, max_depth=1, time_limit=None, constraints=[DemographicParity(0.0)]
        ).fit(X, np.arange(30) > 2, weights, sensitive_features=groups)
        assert model.optimal_ and model.predict(X).all(), seed
        assert model.constraints_[0].value == 0, seed
