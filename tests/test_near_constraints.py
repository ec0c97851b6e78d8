"""All trees within a margin that keep constraints: equal to what brute force lists."""

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from effort import rounds
from kept_trees_oracle import (
    TooManyError,
    as_listed,
    columns_of,
    labelled_trees,
    said_by,
    size_of,
)
from table_oracle import random_problem
from test_constraints import (
    CLASSIFIED,
    SOLVERS,
    excess_of,
    random_constraints,
    trees_by_sums,
)

from treeproof import OptimalTreeClassifier
from treeproof.constraints import Budget, InfeasibleError, Linear
from treeproof.policy import OptimalPolicyTree

BLOCKS = 10
MOST = 3_000  # trees, for brute force


def random_options(random):
    penalty = float(random.choice([0.0, 0.03, 0.03, 0.2]))
    return {
        "split_penalty": penalty,
        "max_depth": [1, 2, 2, 3, None if penalty == 0.2 else 2][random.integers(5)],
        "min_samples_leaf": int(random.choice([1, 1, 2])),
        "penalize": str(random.choice(["leaves", "splits"])),
    }


def within_margin(problem, rows, adds, penalty, options, best, margins, keeps):
    """The greatest of these margins with few trees, and its trees that keep limits."""
    for margin, beyond in margins:
        budget = best + beyond + Fraction(1, 10_000)
        try:
            found = labelled_trees(problem, rows, adds, penalty, budget, options)
        except TooManyError:
            continue
        found = sorted((t for t in found if keeps(t[1])), key=lambda t: t[0])
        if len(found) <= MOST:
            return margin, found
    return None, []


class Case:
    """A random classifier under constraints, and every tree that keeps them."""

    def __init__(self, seed):
        problem, random = random_problem(seed), np.random.default_rng(96_000 + seed)
        self.labels = labels = (problem.labels > 0).astype(int)
        self.weights = weights = problem.weights.astype(int)
        self.problem, self.random = problem, random
        self.kind = CLASSIFIED[seed // BLOCKS % len(CLASSIFIED)]
        self.options = options = random_options(random)
        self.constraints = random_constraints(self.kind, random)
        groups = random.integers(0, int(random.choice([2, 2, 3])), len(labels))
        self.groups, self.cell = groups, 2 * groups + labels
        width = 2 * (int(groups.max()) + 1)
        self.sizes = [int(weights[self.cell == c].sum()) for c in range(width)]
        self.rows = [int(r) for r in np.flatnonzero(weights > 0)]
        self.adds = {
            r: [
                (
                    int(weights[r]) * int(labels[r] != a),
                    *(int(weights[r]) * (a == 1 and self.cell[r] == c)
                      for c in range(width)),
                )
                for a in (0, 1)
            ]
            for r in self.rows
        }  # fmt: skip
        self.total = Fraction(int(weights.sum()))
        self.penalty = Fraction(options["split_penalty"]) * self.total
        self.model = OptimalTreeClassifier(
            constraints=self.constraints,
            solver=SOLVERS[seed % len(SOLVERS)],
            missing=problem.missing,
            categorical_split=problem.categorical_split,
            time_limit=None,
            **options,
        )

    @property
    def usable(self):
        return len(set(self.labels[self.weights > 0])) == 2

    def keeps(self, said):
        return all(excess_of(c, said, self.sizes) <= 0 for c in self.constraints)

    def fit(self):
        return self.model.fit(
            self.problem.frame, self.labels, self.weights,
            sensitive_features=self.groups,
        )  # fmt: skip

    def listed(self):
        """A margin, and every tree within it."""
        points = trees_by_sums(
            self.problem.for_classes(),
            [self.adds[r] for r in self.rows],
            self.penalty,
            self.options,
        )
        best = min(cost for said, cost in points.items() if self.keeps(said))
        margins = [(m, Fraction(m) * self.total) for m in (0.5, 0.25, 0.1, 0.05, 0.0)]
        first = int(self.random.integers(len(margins)))
        return within_margin(
            self.problem, self.rows, self.adds, self.penalty, self.options, best,
            margins[first:], self.keeps,
        )  # fmt: skip


def check_set(trees, expected, total, frame, rows):
    """The set is what brute force lists, tree by tree."""
    assert trees.complete and trees.count == len(expected)
    assert trees.at_least == trees.at_most == len(expected)
    costs = [float(cost / total) for cost, _, _ in expected]
    listed = trees.to_list(MOST)
    assert [t.objective for t in listed] == pytest.approx(costs, abs=1e-6)
    own = {as_listed(near, frame, rows) for near in listed[:400]}
    assert len(own) == min(len(listed), 400)
    assert own <= {tree for _, _, tree in expected}
    assert sum(n for _, n in trees.objectives()) == trees.count


def check_first(model, margin, expected, total):
    """The first trees come without counting the others."""
    costs = [float(cost / total) for cost, _, _ in expected]
    for limit in (1, 3, len(expected), len(expected) + 1):
        some = model.near_optimal(margin, limit=limit)
        assert some.count == min(limit, len(expected))
        assert [t.objective for t in some] == pytest.approx(costs[:limit], abs=1e-6)
    waiting = model.near_optimal(margin, count=False)
    assert [t.objective for t in waiting] == pytest.approx(costs, abs=1e-6)


def check_columns(trees, expected, names):
    """Trees with and without columns are counted."""
    use = trees.feature_use()
    for column, name in enumerate(names):
        having = sum(column in columns_of(tree) for _, _, tree in expected)
        assert use[name] == having
        assert trees.filter(using=name).count == having
        assert trees.filter(without=name).count == len(expected) - having


def check_predictions(model, margin, trees, expected, total, rows):
    """Trees that predict alike count once, and the cheapest stands for them."""
    cheapest = {}
    for cost, _, tree in expected:
        said = said_by(tree, rows)
        cheapest.setdefault(tuple(said[r] for r in rows), cost)
    assert trees.counts()["predictions"] == len(cheapest)
    distinct = model.near_optimal(margin, distinct="predictions")
    assert distinct.count == len(cheapest)
    costs = sorted(float(cost / total) for cost in cheapest.values())
    assert [t.objective for t in distinct] == pytest.approx(costs, abs=1e-6)
    least = trees.disagreement().objectives
    where = {r: i for i, r in enumerate(rows)}
    for r, i in where.items():
        for action in range(least.shape[1]):
            own = [c for said, c in cheapest.items() if said[i] == action]
            wanted = float(min(own) / total) if own else np.inf
            assert least[i, action] == pytest.approx(wanted, abs=1e-6), r


def check_functions(model, margin, problem):
    """Trees that predict alike for all values of the columns count once."""
    try:
        distinct = model.near_optimal(margin, distinct="functions")
    except ValueError as refused:
        assert "missing values" in str(refused) or "subsets of" in str(refused)
        return
    columns = problem.frame[problem.weights > 0]
    values = [list(dict.fromkeys(columns[name])) for name in columns]
    grid = pd.DataFrame(list(product(*values)), columns=list(columns))
    for name in columns:
        grid[name] = grid[name].astype(columns[name].dtype)
    cheapest = {}
    for near in model.near_optimal(margin):
        said = tuple(near.model.predict(grid).tolist())
        cheapest.setdefault(said, near.objective)
    assert distinct.count == len(cheapest)
    assert sorted(cheapest.values()) == pytest.approx(
        [t.objective for t in distinct], abs=1e-9
    )
    assert {tuple(t.model.predict(grid).tolist()) for t in distinct} == set(cheapest)


def check_paths(trees, case):
    """What a tree pays for columns, and how much it relies on them, for each tree."""
    frame = case.problem.frame[case.weights > 0].reset_index(drop=True)
    weights, labels = case.weights[case.rows], case.labels[case.rows]
    prices = {name: float(k + 1) for k, name in enumerate(frame.columns)}
    names = list(frame.columns)
    listed, paid = trees.to_list(MOST), []
    for near in listed:
        path = near.model.decision_path(frame).toarray()
        total = 0.0
        for i, own in enumerate(weights):
            used = {int(near.tree.feature[k]) for k in np.flatnonzero(path[i])}
            total += own * sum(prices[names[f]] for f in used if f >= 0)
        paid.append(total / weights.sum())
    asked = trees.cheapest_to_ask(prices)
    assert asked.cost == pytest.approx(min(paid))
    try:
        found = trees.reliance()
    except ValueError as refused:
        assert "missing values" in str(refused) or "subsets of" in str(refused)
        return
    n = len(frame)
    rows, others = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
    both = weights[rows] * weights[others]
    for name in names:
        mixed = frame.iloc[rows].reset_index(drop=True)
        mixed[name] = frame[name].iloc[others].reset_index(drop=True)
        losses = [
            np.average(near.model.predict(mixed) != labels[rows], weights=both)
            for near in listed
        ]
        assert found[name].least == pytest.approx(min(losses), abs=1e-9)
        assert found[name].most == pytest.approx(max(losses), abs=1e-9)


def check_questions(trees, expected, total, rows, values, weights):
    """The smallest tree and sums of any numbers are those of the whole list."""
    small = min((size_of(tree), cost) for cost, _, tree in expected)
    own = trees.smallest()
    assert own.n_splits == small[0]
    assert own.objective == pytest.approx(float(small[1] / total), abs=1e-6)
    sums = []
    for cost, _, tree in expected:
        said = said_by(tree, rows)
        sums.append((sum(int(values[i, said[r]]) for i, r in enumerate(rows)), cost))
    found = trees.extremes(values)
    assert (found.least, found.most) == (min(sums)[0], max(sums)[0])
    cost = min(cost for own, cost in sums if own == found.least)
    assert found.least_tree.objective == pytest.approx(float(cost / total), abs=1e-6)
    wanted = values.argmax(axis=1)
    agreed = []
    for _, _, tree in expected:
        said = said_by(tree, rows)
        same = [weights[r] for i, r in enumerate(rows) if said[r] == wanted[i]]
        agreed.append(sum(same) / float(total))
    agreement = trees.agreement(wanted)
    assert agreement.least == pytest.approx(min(agreed))
    assert agreement.most == pytest.approx(max(agreed))


def check_fairest(trees, case, expected, groups):
    """The fairest tree between two groups has the least difference of all."""
    own = groups[case.rows]
    if len(set(own.tolist())) != 2:
        return
    weights = case.weights[case.rows]
    differences = []
    for _, _, tree in expected:
        said = said_by(tree, case.rows)
        called = np.array([said[r] for r in case.rows]) == 1
        rates = [
            Fraction(int(weights[called & (own == g)].sum()),
                     int(weights[own == g].sum()))
            for g in set(own.tolist())
        ]  # fmt: skip
        differences.append(abs(rates[0] - rates[1]))
    found = trees.fairest(own, positive=1)
    assert found.difference == pytest.approx(float(min(differences)), abs=1e-9)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_sets_equal_brute_force(block):
    tried = 0
    for seed in range(block, rounds(100, 1_800), BLOCKS):
        case = Case(seed)
        if not case.usable:
            continue
        try:
            model = case.fit()
        except InfeasibleError as error:
            assert error.proved
            with pytest.raises(ValueError, match="there are none to list"):
                error.model.near_optimal()
            continue
        margin, expected = case.listed()
        if margin is None:
            continue
        tried += 1
        trees = model.near_optimal(margin)
        frame, rows = case.problem.frame, case.rows
        check_set(trees, expected, case.total, frame, rows)
        check_first(model, margin, expected, case.total)
        check_columns(trees, expected, list(case.problem.columns))
        if not expected:
            continue
        check_predictions(model, margin, trees, expected, case.total, rows)
        if len(expected) <= 300:
            check_functions(model, margin, case.problem)
        if len(expected) <= 60:
            check_paths(trees, case)
        values = case.random.integers(-4, 5, (len(rows), 2)).astype(float)
        if sum(map(len, trees._question.problem.kept.sums.columns)) < 8 * len(rows):
            check_questions(trees, expected, case.total, rows, values, case.weights)
            check_fairest(trees, case, expected, case.groups)
    assert tried > 0


@pytest.mark.parametrize("block", range(4))
def test_policies_equal_brute_force(block):
    tried = 0
    for seed in range(block, rounds(40, 800), 4):
        problem, random = random_problem(seed), np.random.default_rng(97_000 + seed)
        n, k = len(problem.labels), int(random.integers(2, 4))
        weights = problem.weights.astype(int)
        rows = [int(r) for r in np.flatnonzero(weights > 0)]
        if not rows:
            continue
        rewards = random.integers(-5, 6, (n, k)) * int(random.random() < 0.95)
        prices = random.integers(-1, 4, (n, k))
        bound = int(random.integers(-2, 3 * n))
        linear = random.random() < 0.5
        prices = prices if linear else np.maximum(prices, 0)
        constraint = Linear(prices, bound) if linear else Budget(None, bound, prices)
        options = random_options(random)
        best_of = rewards.max(axis=1)
        adds = {
            r: [
                (
                    int(weights[r] * (best_of[r] - rewards[r, a])),
                    int(weights[r] * prices[r, a]),
                )
                for a in range(k)
            ]
            for r in rows
        }
        total = Fraction(int(weights.sum()))
        penalty = Fraction(options["split_penalty"]) * total
        listed = [adds[r] for r in rows]
        points = trees_by_sums(problem.for_classes(), listed, penalty, options)
        kept = [cost for (spent,), cost in points.items() if spent <= bound]
        if not kept:
            continue
        model = OptimalPolicyTree(
            constraints=[constraint],
            missing=problem.missing,
            categorical_split=problem.categorical_split,
            time_limit=None,
            **options,
        ).fit(problem.frame, rewards, weights)
        margins = [(m, Fraction(m) * total) for m in (1.0, 0.3, 0.0)]
        margin, expected = within_margin(
            problem, rows, adds, penalty, options, min(kept), margins,
            lambda spent, bound=bound: spent[0] <= bound,
        )  # fmt: skip
        if margin is None:
            continue
        tried += 1
        first = sum(int(w * b) for w, b in zip(weights, best_of, strict=True))
        moved = [(cost - first, sums, tree) for cost, sums, tree in expected]
        trees = model.near_optimal(margin)
        check_set(trees, moved, total, problem.frame, rows)
        check_predictions(model, margin, trees, moved, total, rows)
        values = random.integers(-4, 5, (len(rows), k)).astype(float)
        check_questions(trees, moved, total, rows, values, weights)
    assert tried > 0
