"""The dynamic programme equals brute force over all permutations, filters included."""

import numpy as np
import pytest
from effort import rounds

from treeproof import proper
from treeproof.proper import Objective

# How to draw points, and the rules they generate. Coordinates are small whole numbers,
# so that duplicates and points in line are common.
FAMILIES = {
    "axis": (2, 6, lambda X: proper.axis_parallel_rules(X, merge=False)),
    "hyperplane": (2, 6, lambda X: proper.hyperplane_rules(X, merge=False)),
    "space": (3, 6, lambda X: proper.hyperplane_rules(X, merge=False)),
    "parabolas": (1, 7, lambda X: proper.hypersurface_rules(X, 2, merge=False)),
    "conics": (2, 6, lambda X: proper.hypersurface_rules(X, 2, merge=False)),
    "mixed": (
        2,
        5,
        lambda X: [
            *proper.axis_parallel_rules(X, merge=False),
            *proper.hyperplane_rules(X, merge=False),
        ],
    ),
}
N_INSTANCES = rounds(250, 1000)
INSTANCES_PER_TABLE = 50


def instances(family, seed=0, n_instances=N_INSTANCES):
    """Yield (rules, data, labels): a few rules of a random table, not all of them."""
    n_features, n_rows, make_rules = FAMILIES[family]
    rng = np.random.default_rng([seed, *map(ord, family)])
    made = 0
    while made < n_instances:
        X = rng.integers(0, 4, size=(n_rows, n_features))
        try:
            rules = make_rules(X)
        except ValueError:  # fewer different rows than the surface needs
            continue
        if len(rules) < 2:
            continue
        for _ in range(INSTANCES_PER_TABLE):
            size = min(len(rules), int(rng.integers(1, 5)))
            chosen = [rules[i] for i in rng.choice(len(rules), size, replace=False)]
            labels = rng.integers(0, 3, size=n_rows).tolist()
            made += 1
            yield chosen, (1 << n_rows) - 1, labels


@pytest.mark.parametrize("family", FAMILIES)
def test_sodt_equals_brute_force_over_permutations(family):
    n_feasible = 0
    for rules, data, labels in instances(family):
        objective = proper.misclassification(labels)
        brute = list(proper.permutation_trees(rules, data))
        found = proper.sodt(rules, data, objective)
        assert all(proper.is_proper(tree, data) for tree in brute)
        if found is None:
            assert not brute
            continue
        n_feasible += 1
        assert found.cost == min(map(objective, brute))
        assert found.cost == objective(found.tree)
        assert proper.is_proper(found.tree, data)
        assert len(proper.proper_trees(rules)) == len(brute)
    assert n_feasible > N_INSTANCES / 10


@pytest.mark.parametrize("family", ["axis", "hyperplane"])
def test_filters_equal_filtering_all_trees(family):
    n_cut = 0
    for seed, (rules, data, labels) in enumerate(instances(family, 1, 300)):
        least, deepest = seed % 3, 1 + seed % 3
        objective = proper.misclassification(labels)
        allowed = [
            tree
            for tree in proper.permutation_trees(rules, data)
            if min(leaf.bit_count() for leaf in proper.leaves(tree)) >= least
            and proper.depth(tree) <= deepest
        ]
        filters = [proper.min_leaf_size(least), proper.max_depth(deepest)]
        found = proper.sodt(rules, data, objective, filters=filters)
        assert (found.cost if found else None) == min(
            map(objective, allowed), default=None
        )
        n_cut += found is None
    assert n_cut


def test_thinning_is_exact_where_the_minimum_is_not():
    """Errors times depth: the best subtree need not be part of the best tree."""

    def errors_times_depth(labels):
        plain = proper.misclassification(labels)
        return Objective(
            "errors times (1 + depth)",
            lambda data: (plain.leaf(data), plain.leaf(data), 0),
            lambda a, r, b: (
                (a[1] + b[1]) * (2 + max(a[2], b[2])),
                a[1] + b[1],
                1 + max(a[2], b[2]),
            ),
            monotone=False,
        )

    def no_worse(a, b):
        return a.value[1] <= b.value[1] and a.value[2] <= b.value[2]

    for rules, data, labels in instances("axis", 2, 300):
        objective = errors_times_depth(labels)
        brute = [objective(t)[0] for t in proper.permutation_trees(rules, data)]
        found = proper.sodt(rules, data, objective, keep=proper.thin(no_worse))
        assert (found.cost if found else None) == min(brute, default=None)
        with pytest.raises(ValueError, match="does not declare its join monotone"):
            proper.sodt(rules, data, objective)


def test_thinning_drops_trees():
    rules = proper.axis_parallel_rules([[0.0], [1.0], [2.0], [3.0], [4.0]])
    everything = proper.grow(
        rules, 31, splits=proper.proper_splits, keep=proper.everything
    )
    objective = proper.misclassification([0, 1, 0, 1, 0])
    thinned = proper.grow(
        rules,
        31,
        splits=proper.proper_splits,
        objective=objective,
        keep=proper.thin(lambda a, b: a.cost <= b.cost),
    )
    assert len(everything) == 14
    assert len(thinned) == 1


def test_odt_is_the_minimum_over_combinations():
    rng = np.random.default_rng(5)
    for _ in range(5):
        X = rng.integers(0, 4, size=(6, 2))
        labels = rng.integers(0, 2, size=6).tolist()
        rules = proper.hyperplane_rules(X)
        objective = proper.misclassification(labels)
        costs = [proper.odt(k, rules, 63, objective).cost for k in range(3)]
        assert costs == sorted(costs, reverse=True)


def test_odt_says_when_there_are_too_few_rules():
    rules = proper.axis_parallel_rules([[0.0], [1.0]])
    objective = proper.misclassification([0, 1])
    with pytest.raises(ValueError, match="ask for fewer rules"):
        proper.odt(5, rules, 3, objective)


def test_odt_counts_the_combinations_before_it_starts():
    rules = proper.axis_parallel_rules([[float(i)] for i in range(40)])
    objective = proper.misclassification([0, 1] * 20)
    with pytest.raises(
        ValueError, match=r"2,641,902,120 combinations of 7 of 78 .*any"
    ):
        proper.odt(7, rules, (1 << 40) - 1, objective)


def test_objectives_declare_what_they_are():
    for objective in (proper.tree_size(), proper.tree_height()):
        proper.check_join(objective, range(5))
    proper.check_join(proper.misclassification([0, 1]), range(5))
    falling = Objective("falling", len, lambda a, r, b: max(a, b) + (a == 1) * 9)
    with pytest.raises(ValueError, match="not monotone"):
        proper.check_join(falling, range(5))


def test_regression_uses_the_same_programme():
    X = [[0.0], [1.0], [2.0], [3.0]]
    objective = proper.squared_error([1.0, 1.0, 5.0, 6.0])
    rules = proper.axis_parallel_rules(X)
    assert proper.odt(1, rules, 15, objective).cost == pytest.approx(0.5)
