"""Theorems 7 and 9 against brute force, and laws that the bounds satisfy."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from partition_oracle import (
    Real,
    count_by_parts,
    partitions,
    real_samples,
    stump_partitions,
)

from treeproof.generalization import (
    FeatureSpace,
    TreeStructure,
    partitioning_function_bound,
)
from treeproof.generalization.counting import (
    log_multiway_shapes,
    log_wedderburn_etherington,
    merges,
    multiway_shapes,
    stirling2,
    wedderburn_etherington,
)
from treeproof.generalization.partitioning import PartitioningFunctions

STUMP = ((), ())
SMALL_SHAPES = [s for n in range(2, 5) for s in TreeStructure.all_binary(n)]


@st.composite
def shapes(draw, max_leaves=12):
    """A random binary shape."""
    n_leaves = draw(st.integers(1, max_leaves))
    parts = [TreeStructure()] * n_leaves
    while len(parts) > 1:
        i = draw(st.integers(0, len(parts) - 1))
        a = parts.pop(i)
        j = draw(st.integers(0, len(parts) - 1))
        parts.append(TreeStructure((a, parts.pop(j))))
    return parts[0]


def with_one_node_more(shape):
    if shape.is_leaf:
        return {TreeStructure((shape, shape))}
    return {
        TreeStructure((*shape.children[:i], grown, *shape.children[i + 1 :]))
        for i, child in enumerate(shape.children)
        for grown in with_one_node_more(child)
    }


def all_shapes(n_leaves):
    """Every shape of any arity: a node is a multiset of at least two shapes."""
    if n_leaves == 1:
        return {TreeStructure()}
    found = set()
    for first in range(1, n_leaves):
        for a, b in itertools.product(all_shapes(first), all_shapes(n_leaves - first)):
            found.add(TreeStructure((a, b)))
            if b.children:
                found.add(TreeStructure((a, *b.children)))
    return found


def random_sample(rng, n_rows, n_features):
    return [Real(tuple(rng.permutation(n_rows).tolist())) for _ in range(n_features)]


def assert_bounded(counts, bound):
    for count, limit in itertools.zip_longest(counts, bound, fillvalue=0):
        assert count <= limit


# ------------------------------------------------------------------ Theorem 7


@pytest.mark.parametrize(
    ("m", "n_features"),
    [(m, ell) for m in range(1, 6) for ell in (1, 2, 3)] + [(6, 1), (6, 2)],
)
def test_theorem_7_is_reached_by_some_sample(m, n_features):
    most = max(stump_partitions(s, m) for s in real_samples(m, n_features))
    assert most == partitioning_function_bound(STUMP, 2, m, n_features)


@pytest.mark.parametrize("m", range(2, 10))
def test_theorem_7_is_never_exceeded(m):
    rng = np.random.default_rng(m)
    for n_features in (1, 2, 3, 5, 10, 40):
        bound = partitioning_function_bound(STUMP, 2, m, n_features)
        for _ in range(200):
            sample = random_sample(rng, m, n_features)
            assert stump_partitions(sample, m) <= bound


def test_theorem_7_by_its_formula():
    for m, ell in itertools.product(range(1, 30), (1, 2, 7, 100)):
        total = sum(min(2 * ell, math.comb(m, k)) for k in range(1, m))
        assert partitioning_function_bound(STUMP, 2, m, ell) == total // 2


# ------------------------------------------------------------------ Theorem 9


@pytest.mark.parametrize("shape", SMALL_SHAPES, ids=repr)
def test_theorem_9_bounds_every_sample_of_few_rows(shape):
    for m, n_features in [(2, 2), (3, 2), (4, 1), (4, 2), (5, 1), (5, 2)]:
        bound = PartitioningFunctions(n_features, 4).vector(shape, m)
        for sample in real_samples(m, n_features):
            found = partitions(shape.to_tuple(), sample, m, 4)
            assert_bounded(count_by_parts(found, 4), bound)


@pytest.mark.parametrize("shape", SMALL_SHAPES, ids=repr)
def test_theorem_9_bounds_random_samples(shape):
    rng = np.random.default_rng(9)
    for m, n_features in itertools.product((6, 7, 8), (1, 2, 3)):
        bound = PartitioningFunctions(n_features, 4).vector(shape, m)
        for _ in range(2):
            sample = random_sample(rng, m, n_features)
            found = partitions(shape.to_tuple(), sample, m, 4)
            assert_bounded(count_by_parts(found, 4), bound)


@pytest.mark.parametrize("method", ["sum", "fast"])
@pytest.mark.parametrize("shape", SMALL_SHAPES, ids=repr)
def test_with_as_many_leaves_as_rows_every_partition_is_counted(shape, method):
    for m in range(1, shape.n_leaves + 1):
        for c in range(1, 6):
            value = partitioning_function_bound(shape, c, m, 1, method=method)
            assert value == stirling2(m, c)
    # and a real sample makes them all
    m = shape.n_leaves
    found = partitions(shape.to_tuple(), [Real(tuple(range(m)))], m, m)
    assert len(found) == sum(stirling2(m, c) for c in range(1, m + 1))


def test_theorem_9_written_out_for_three_leaves():
    for m, ell in itertools.product(range(4, 15), (1, 2, 5)):
        total = sum(
            min(2 * ell, math.comb(m, k))
            * partitioning_function_bound(STUMP, 2, m - k, ell)
            for k in range(1, m - 1)
        )
        value = partitioning_function_bound(((), STUMP), 3, m, ell)
        assert value == min(total, stirling2(m, 3))


def test_the_fast_form_needs_the_last_term():
    """With m - L terms, as printed in the paper, a real sample would exceed it."""
    for m, ell in [(6, 1), (6, 2), (9, 3)]:
        printed = ell * (m - 2)
        most = max(
            stump_partitions(random_sample(np.random.default_rng(i), m, ell), m)
            for i in range(300)
        )
        assert most > printed
        assert most <= partitioning_function_bound(STUMP, 2, m, ell, method="fast")


# ----------------------------------------------------------------- properties


@settings(max_examples=150, deadline=None)
@given(
    shapes(8),
    st.integers(1, 30),
    st.integers(1, 12),
    st.integers(1, 6),
    st.sampled_from(["sum", "fast"]),
)
def test_monotone_in_rows_features_and_nodes(shape, m, ell, c, method):
    def value(shape=shape, m=m, ell=ell):
        return partitioning_function_bound(shape, c, m, ell, method=method)

    assert value() <= value(m=m + 1)
    assert value() <= value(ell=ell + 1)
    for larger in with_one_node_more(shape):
        assert value() <= value(shape=larger)


@settings(max_examples=100, deadline=None)
@given(shapes(10), st.integers(1, 60), st.integers(1, 20), st.integers(1, 8))
def test_fast_is_above_the_sum(shape, m, ell, c):
    tight = partitioning_function_bound(shape, c, m, ell)
    loose = partitioning_function_bound(shape, c, m, ell, method="fast")
    assert tight <= loose <= stirling2(m, c)


@settings(max_examples=150, deadline=None)
@given(
    shapes(12),
    st.integers(1, 60),
    st.integers(1, 40),
    st.integers(1, 8),
    st.sampled_from(["sum", "fast"]),
)
def test_logarithms_agree_with_integers(shape, m, ell, c, method):
    exact = partitioning_function_bound(shape, c, m, ell, method=method)
    log = partitioning_function_bound(shape, c, m, ell, method=method, log=True)
    if exact == 0:
        assert log == -math.inf
    else:
        # 1e-9 relative in the number itself, not only in its logarithm
        assert abs(math.expm1(log - math.log(exact))) < 1e-9


@pytest.mark.parametrize("m", [1000, 10**5, 10**6])
def test_logarithms_agree_for_large_trees(m):
    rng = np.random.default_rng(0)
    parts = [TreeStructure()] * 100
    while len(parts) > 1:
        i, j = rng.choice(len(parts), 2, replace=False)
        pair = TreeStructure((parts[i], parts[j]))
        parts = [p for k, p in enumerate(parts) if k not in (i, j)] + [pair]
    for c in (1, 2, 10, 50, 100):
        exact = partitioning_function_bound(parts[0], c, m, 30, method="fast")
        log = partitioning_function_bound(parts[0], c, m, 30, method="fast", log=True)
        assert abs(math.expm1(log - math.log(exact))) < 1e-9


def test_deep_trees_need_no_recursion():
    shape = TreeStructure()
    for _ in range(3000):
        shape = TreeStructure((shape, TreeStructure()))
    log = partitioning_function_bound(shape, 2, 10**5, 3, method="fast", log=True)
    assert 0 < log < math.inf


# -------------------------------------------------------------------- numbers


def test_stirling_numbers_follow_their_recurrence():
    for m, c in itertools.product(range(1, 25), range(1, 25)):
        assert stirling2(m, c) == c * stirling2(m - 1, c) + stirling2(m - 1, c - 1)


def test_merges_multiply_falling_factorials():
    for a, b, x in itertools.product(range(1, 7), range(1, 7), range(10)):
        product = math.perm(x, a) * math.perm(x, b)
        assert product == sum(
            merges(a, b, c) * math.perm(x, c) for c in range(1, a + b + 1)
        )


def test_shapes_are_counted():
    for n in range(1, 12):
        assert len(set(TreeStructure.all_binary(n))) == wedderburn_etherington(n)
    for n in range(1, 9):
        assert len(all_shapes(n)) == multiway_shapes(n)
    # OEIS A001190 and A000669
    assert wedderburn_etherington(20) == 293547
    assert multiway_shapes(12) == 21965
    for n in (257, 300, 500):
        exact = math.log(wedderburn_etherington(n))
        assert abs(log_wedderburn_etherington(n) - exact) < 1e-9
    exact = math.log(multiway_shapes(600))
    assert exact <= log_multiway_shapes(600) < exact + 20


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"m": 0}, "m must be a whole number >= 1, not 0"),
        ({"m": 2.5}, "m must be a whole number"),
        ({"c": 0}, "c must be a whole number >= 1"),
        ({"n_features": 0}, "at least 1, not 0"),
        ({"n_features": "four"}, "number of real-valued features"),
        ({"method": "slow"}, "method must be 'sum' or 'fast', not 'slow'"),
        ({"structure": ((), (), ())}, "a node with 3 children"),
        ({"structure": ((),)}, "a single child is no split"),
        ({"structure": 3}, "cannot read the shape of a int"),
        ({"structure": ("a", "b")}, r"\(\) or None for its leaves, not 'b'"),
    ],
)
def test_bad_input_gets_one_sentence(change, words):
    arguments = {"structure": STUMP, "c": 2, "m": 10, "n_features": 2} | change
    with pytest.raises((ValueError, TypeError), match=words) as failure:
        partitioning_function_bound(**arguments)
    assert "\n" not in str(failure.value)


def test_a_hopeless_sum_is_refused():
    with pytest.raises(ValueError, match="use method='fast'"):
        partitioning_function_bound(((), STUMP), 3, 10**7, 5)


def test_feature_space_rejects_nonsense():
    with pytest.raises(ValueError, match="at least one feature"):
        FeatureSpace()
    with pytest.raises(ValueError, match="at least 2 each"):
        FeatureSpace(multiway=[1])
    with pytest.raises(ValueError, match="at least 2 each, not 3"):
        FeatureSpace(one_vs_rest=3)
    with pytest.raises(ValueError, match="real is a number of features"):
        FeatureSpace(real=-1)
