"""Rules from data: exactly the dichotomies that surfaces can make, in any position."""

import numpy as np
import pytest
from dichotomy_oracle import best_cost, separable_sides
from effort import rounds

from treeproof import proper
from treeproof.proper.surface import lift, monomials


def all_partitions(X):
    """Every separable partition of the rows in two non-empty sides."""
    everything = (1 << len(X)) - 1
    sides = [proper.bits(np.flatnonzero(s).tolist()) for s in separable_sides(X)]
    return {frozenset((side, everything ^ side)) for side in sides}


POSITIONS = {
    "general": lambda rng, n, d: rng.normal(size=(n, d)).round(3),
    "grid": lambda rng, n, d: rng.integers(0, 3, size=(n, d)),
    "line": lambda rng, n, d: rng.integers(0, 4, size=(n, 1)) * np.arange(1, d + 1),
    "decimals": lambda rng, n, d: rng.integers(0, 4, size=(n, d)) / 10,
}


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize(("n_rows", "n_features"), [(6, 1), (7, 2), (6, 3)])
def test_hyperplane_rules_are_all_separable_partitions(position, n_rows, n_features):
    rng = np.random.default_rng([n_rows, n_features, *map(ord, position)])
    for _ in range(rounds(1, 20)):
        X = POSITIONS[position](rng, n_rows, n_features)
        if len(np.unique(X, axis=0)) < n_features:
            continue
        rules = proper.hyperplane_rules(X)
        assert {rule.partition for rule in rules} == all_partitions(X)
        assert len({rule.partition for rule in rules}) == len(rules)


def test_hypersurface_rules_are_all_separable_partitions_of_the_lift():
    rng = np.random.default_rng(0)
    for n_rows, n_features, degree in [(6, 1, 2), (6, 1, 3), (7, 2, 2)]:
        X = rng.integers(0, 4, size=(n_rows, n_features)) * 1.0
        if len(np.unique(X, axis=0)) < len(monomials(n_features, degree)):
            continue
        rules = proper.hypersurface_rules(X, degree)
        lifted = lift(X, monomials(n_features, degree))
        assert {rule.partition for rule in rules} == all_partitions(lifted)


@pytest.mark.parametrize("n_features", [1, 2])
def test_surfaces_separate_strictly(n_features):
    rng = np.random.default_rng(n_features)
    X = rng.permutation(25)[:6, None] % [5, 7][:n_features]
    families = [
        proper.axis_parallel_rules(X),
        proper.hyperplane_rules(X),
        proper.hypersurface_rules(X, 2),
    ]
    for rule in (rule for family in families for rule in family):
        values = rule.surface.values(X)
        assert proper.bits(np.flatnonzero(values > 0).tolist()) == rule.positive
        assert (values != 0).all()


def test_axis_parallel_rules_are_the_thresholds():
    rules = proper.axis_parallel_rules([[1, 5], [2, 5], [2, 7]], names=["a", "b"])
    assert [str(rule) for rule in rules] == ["a > 1.5", "b > 6"]


def test_mixtures_merge_rules_with_the_same_partition():
    X = [[0, 0], [0, 1], [1, 0], [2, 2]]
    axis, planes = proper.axis_parallel_rules(X), proper.hyperplane_rules(X)
    mixed = proper.mixed_rules(axis, planes)
    assert {r.partition for r in mixed} == {r.partition for r in planes}
    assert [str(r) for r in mixed[: len(axis)]] == [str(r) for r in axis]
    n_members = sum(len(r.members) for r in axis) + sum(len(r.members) for r in planes)
    assert sum(len(rule.members) for rule in mixed) == n_members


def test_merging_keeps_every_way_to_generate_a_rule():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 6, size=(7, 2))
    members = proper.hyperplane_rules(X, merge=False)
    merged = proper.hyperplane_rules(X)
    assert sum(len(rule.members) for rule in merged) == len(members)


@pytest.mark.parametrize(("n_rows", "n_features"), [(6, 1), (6, 2), (5, 3)])
def test_odt_is_exact_over_all_separable_dichotomies(n_rows, n_features):
    rng = np.random.default_rng([n_rows, n_features])
    for _ in range(rounds(2, 20)):
        X = rng.integers(0, 3, size=(n_rows, n_features))
        y = rng.integers(0, 2, size=n_rows).tolist()
        if len(np.unique(X, axis=0)) < n_features:
            continue
        rules = proper.hyperplane_rules(X)
        sides = separable_sides(X)
        objective = proper.misclassification(y)
        everything = (1 << n_rows) - 1
        for k in (1, 2):
            found = [proper.odt(j, rules, everything, objective) for j in range(k + 1)]
            cost = min(s.cost for s in found if s is not None)
            assert cost == best_cost(sides, y, k)


def test_bad_tables_are_refused_with_a_sentence():
    with pytest.raises(ValueError, match="row 1, column 0 holds nan"):
        proper.hyperplane_rules([[0.0, 1.0], [np.nan, 2.0]])
    with pytest.raises(ValueError, match=r"passes through 3 points.*only 2"):
        proper.hyperplane_rules([[0, 0, 1], [1, 1, 1], [0, 0, 1]])
    with pytest.raises(ValueError, match=r"2,118,760 surfaces.*max_candidates=200,000"):
        proper.hyperplane_rules(np.random.default_rng(0).normal(size=(50, 5)))
    with pytest.raises(ValueError, match="degree must be at least 1"):
        proper.hypersurface_rules([[0.0], [1.0]], 0)
    with pytest.raises(ValueError, match=r"X\.reshape"):
        proper.axis_parallel_rules([0.0, 1.0])
    with pytest.raises(ValueError, match="row 1 holds 'red'"):
        proper.axis_parallel_rules([["1"], ["red"]])
    with pytest.raises(ValueError, match="differ in length"):
        proper.axis_parallel_rules([[0.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match=r"shape \(1, 0\)"):
        proper.axis_parallel_rules([[]])


def test_constant_columns_are_harmless():
    X = [[0.0, 7.0], [1.0, 7.0], [2.0, 7.0]]
    assert len(proper.axis_parallel_rules(X)) == 2
    assert len(proper.hyperplane_rules(X)) == 2
