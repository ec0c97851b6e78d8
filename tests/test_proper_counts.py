"""The search spaces have the sizes of the paper, and the axioms separate them."""

import math
from dataclasses import replace

import numpy as np
import pytest

from treeproof import proper
from treeproof.proper import Leaf, Node, Rule
from treeproof.proper.example import FOUR_LINES, four_lines, region_of, same_partition


@pytest.mark.parametrize(
    ("n_rules", "catalan", "murtree", "binary"), [(3, 5, 27, 30), (5, 42, 2830, 5040)]
)
def test_generators_have_the_sizes_of_the_paper(n_rules, catalan, murtree, binary):
    rules = [f"r{i}" for i in range(n_rules)]
    assert len(proper.catalan_trees(rules)) == catalan
    assert len(proper.murtree_trees(rules)) == murtree
    assert len(proper.binary_feature_trees(rules)) == binary


@pytest.mark.parametrize("n_rules", range(5))
def test_binary_feature_trees_number_factorial_times_catalan(n_rules):
    catalan = math.comb(2 * n_rules, n_rules) // (n_rules + 1)
    found = proper.binary_feature_trees(range(n_rules))
    assert len(found) == math.factorial(n_rules) * catalan
    assert len(set(found)) == len(found)


def test_smaller_search_spaces_are_contained_in_larger_ones():
    rules = range(4)
    catalan = set(proper.catalan_trees(rules))
    murtree = set(proper.murtree_trees(rules))
    assert catalan < murtree < set(proper.binary_feature_trees(rules))


@pytest.mark.parametrize("n_rules", range(1, 6))
def test_mutually_compatible_rules_give_at_most_factorial_many_trees(n_rules):
    rng = np.random.default_rng(n_rules)
    for _ in range(20):
        ancestry = rng.choice([-1, 1], size=(n_rules, n_rules))
        np.fill_diagonal(ancestry, 0)
        found = proper.proper_trees(range(n_rules), ancestry=ancestry)
        assert 1 <= len(found) <= math.factorial(n_rules)
        assert len({tuple(proper.level_order(t)) for t in found}) == len(found)
    chain = np.ones((n_rules, n_rules)) - np.eye(n_rules)
    found = proper.proper_trees(range(n_rules), ancestry=chain)
    assert len(found) == math.factorial(n_rules)


def test_four_lines_make_three_trees_and_two_partitions():
    rules = four_lines()
    everything = (1 << len(FOUR_LINES)) - 1
    trees = proper.proper_trees(rules, everything)
    assert len(trees) == 3
    assert all(proper.is_proper(tree, everything) for tree in trees)
    assert {tuple(proper.level_order(t)) for t in trees} == {
        tuple(proper.level_order(t)) for t in proper.permutation_trees(rules)
    }
    ticks = np.linspace(-30, 40, 181) + 0.0123
    plane = np.stack(np.meshgrid(ticks, ticks + 0.005), axis=-1).reshape(-1, 2)
    regions = [region_of(tree, plane) for tree in trees]
    different = []
    for region in regions:
        if not any(same_partition(region, other) for other in different):
            different.append(region)
    assert len(different) == 2


def test_ancestry_matrix_has_the_stated_values():
    matrix = proper.ancestry_matrix(four_lines())
    assert set(np.unique(matrix)) <= {-1, 0, 1}
    assert not matrix.diagonal().any()
    assert matrix[0, 2] == 0  # so rule 0 cannot be the root
    roots = {proper.level_order(t)[0].name for t in proper.proper_trees(four_lines())}
    assert roots == {"r1", "r2"}


def test_each_axiom_can_be_broken():
    a = Rule("a", positive=0b0011, negative=0b1100, sites=0b0001)
    b = Rule("b", positive=0b0001, negative=0b1110, sites=0b0010)
    tree = Node(Node(Leaf(0b0001), b, Leaf(0b0010)), a, Leaf(0b1100))
    assert proper.is_proper(tree, 0b1111)

    def broken(t):
        return {v.axiom for v in proper.violations(t, 0b1111)}

    overlapping = replace(a, negative=0b1110)
    assert 1 in broken(Node(Leaf(0b0011), overlapping, Leaf(0b1110)))
    partial = replace(a, negative=0b0100)
    assert 1 in broken(Node(Leaf(0b0011), partial, Leaf(0b0100)))
    assert broken(Node(tree.left, a, Leaf(0b1000))) == {2}
    misplaced = Node(Leaf(0b0011), a, Node(Leaf(0), b, Leaf(0b1100)))
    assert broken(misplaced) == {3}
    twice = Node(Node(Leaf(0b0001), b, Leaf(0b0010)), a, Node(Leaf(0), b, Leaf(0b1100)))
    assert 4 in broken(twice)
    below_itself = Node(Node(Leaf(0b0011), a, Leaf(0)), a, Leaf(0b1100))
    assert 4 in broken(below_itself)


def test_downward_accumulation_fills_the_leaves():
    rules = four_lines()
    everything = (1 << 8) - 1
    bare = proper.proper_trees(rules)
    full = proper.proper_trees(rules, everything)
    assert [proper.accumulate(t, everything, proper.divide) for t in bare] == full
