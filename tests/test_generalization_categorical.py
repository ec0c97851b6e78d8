"""Bounds for categorical and mixed features against brute force."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from partition_oracle import Multiway, OneVsRest, Real, count_by_parts, partitions
from test_generalization_partitioning import assert_bounded

from treeproof import OptimalTreeClassifier
from treeproof.generalization import (
    FeatureSpace,
    TreeStructure,
    growth_function_bound,
    partitioning_function_bound,
    risk_bound,
    vc_dimension_bound,
)
from treeproof.generalization.partitioning import PartitioningFunctions

STUMP = ((), ())
STAR = ((), (), ())


def columns(rng, m, space):
    """A random sample of m rows over the given features."""
    sample = [Real(tuple(rng.permutation(m).tolist())) for _ in range(space.real)]
    for s in (2,) * space.binary + space.one_vs_rest:
        sample.append(OneVsRest(tuple(rng.integers(0, s, m).tolist()), s))
    for s in space.multiway:
        sample.append(Multiway(tuple(rng.integers(0, s, m).tolist()), s))
    return sample


CASES = [
    (FeatureSpace(binary=3), [STUMP, ((), STUMP), (STUMP, STUMP)]),
    (FeatureSpace(one_vs_rest=[3, 4]), [STUMP, ((), STUMP), ((), ((), STUMP))]),
    (FeatureSpace(one_vs_rest=[2, 3]), [STUMP, (STUMP, STUMP)]),
    (FeatureSpace(real=1, one_vs_rest=[3]), [STUMP, ((), STUMP), (STUMP, STUMP)]),
    (FeatureSpace(real=2, binary=2), [((), STUMP), (STUMP, STUMP)]),
    (FeatureSpace(multiway=[3, 3]), [STAR, ((), (), STAR), (STAR, STAR, ())]),
    (FeatureSpace(multiway=[2, 3]), [STUMP, STAR, ((), STAR), (STUMP, (), STUMP)]),
    (FeatureSpace(multiway=[4]), [STAR, ((), STUMP), ((), (), STAR)]),
    (FeatureSpace(real=1, multiway=[3]), [STUMP, (STUMP, (), ()), (STAR, STUMP)]),
    (FeatureSpace(real=1, one_vs_rest=[3], multiway=[3]), [(STAR, STUMP), STAR]),
]


@pytest.mark.parametrize(("space", "shapes"), CASES, ids=lambda v: repr(v)[:70])
@pytest.mark.parametrize("method", ["sum", "fast"])
def test_no_sample_exceeds_the_bound(space, shapes, method):
    rng = np.random.default_rng(1)
    functions = PartitioningFunctions(space, 4, method)
    for nested, m in itertools.product(shapes, (1, 2, 3, 4, 5, 6)):
        bound = functions.vector(TreeStructure.of(nested), m)
        for _ in range(12):
            found = partitions(nested, columns(rng, m, space), m, 4)
            assert_bounded(count_by_parts(found, 4), bound)


@pytest.mark.parametrize("n_binary", [1, 2, 3])
def test_binary_stumps_exhaustively(n_binary):
    """Over all samples of m rows, the bound n_binary is reached, never exceeded."""
    space = FeatureSpace(binary=n_binary)
    for m in (2, 3, 4):
        codes = list(itertools.product((0, 1), repeat=m))
        most = 0
        for chosen in itertools.combinations_with_replacement(codes, n_binary):
            sample = [OneVsRest(c, 2) for c in chosen]
            found = count_by_parts(partitions(STUMP, sample, m, 2), 2)
            most = max(most, found[1])
        bound = partitioning_function_bound(STUMP, 2, m, space)
        assert most == bound == min(n_binary, 2 ** (m - 1) - 1)


def test_mixed_trees_exhaustively():
    """Three-leaf trees on one real and one ternary column, all samples of four rows."""
    space = FeatureSpace(real=1, one_vs_rest=[3])
    bound = PartitioningFunctions(space, 3).vector(TreeStructure.of(((), STUMP)), 4)
    for codes in itertools.product(range(3), repeat=4):
        sample = [Real((0, 1, 2, 3)), OneVsRest(codes, 3)]
        assert_bounded(count_by_parts(partitions(((), STUMP), sample, 4, 3), 3), bound)


def test_one_way_per_multiway_feature_and_support():
    """A node whose children are all leaves: one partition per feature, exactly."""
    rng = np.random.default_rng(3)
    for n_features, s in itertools.product((1, 2, 5), (2, 3, 4)):
        space = FeatureSpace(multiway=[s] * n_features)
        shape = TreeStructure.of(((),) * s)
        assert space.ways_without_threshold(shape) == n_features
        bound = partitioning_function_bound(shape, s, 12, space)
        assert bound == n_features
        found = partitions(shape.to_tuple(), columns(rng, 6, space), 6, s)
        assert count_by_parts(found, s)[-1] <= n_features
    # one feature with s categories labels rows in n^s ways, no more, and shatters s
    assert growth_function_bound(STAR, 50, FeatureSpace(multiway=[3]), 2) == 2**3
    assert growth_function_bound(STAR, 50, FeatureSpace(multiway=[3]), 5) == 5**3
    assert vc_dimension_bound(STAR, FeatureSpace(multiway=[3])) == 3


def test_bound_does_not_grow_with_rows_without_thresholds():
    space = FeatureSpace(binary=10)
    few = growth_function_bound((STUMP, STUMP), 1000, space, 2, method="fast")
    many = growth_function_bound((STUMP, STUMP), 10**6, space, 2, method="fast")
    real = growth_function_bound((STUMP, STUMP), 1000, 10, 2, method="fast")
    assert few == many < real


def test_declaring_columns_binary_pays():
    assert risk_bound(5, 1000, STUMP, FeatureSpace(binary=20), 2) < risk_bound(
        5, 1000, STUMP, 20, 2
    )


@pytest.mark.parametrize("method", ["sum", "fast"])
def test_logarithms_agree_with_integers(method):
    for space, shapes in CASES:
        for nested, m, n in itertools.product(shapes, (2, 5, 9, 30), (2, 6)):
            exact = growth_function_bound(nested, m, space, n, method=method)
            log = growth_function_bound(nested, m, space, n, method=method, log=True)
            assert abs(log - math.log(exact)) < 1e-9


def test_growing_spaces_and_samples_never_lower_the_bound():
    for space, shapes in CASES:
        more = FeatureSpace(
            space.real, space.binary + 1, space.one_vs_rest, space.multiway
        )
        for nested, m, method in itertools.product(
            shapes, range(1, 12), ("sum", "fast")
        ):
            value = growth_function_bound(nested, m, space, 3, method=method)
            assert value <= growth_function_bound(
                nested, m + 1, space, 3, method=method
            )
            assert value <= growth_function_bound(nested, m, more, 3, method=method)


def test_impossible_nodes_are_named():
    with pytest.raises(ValueError, match="features have 2 or 3 categories"):
        partitioning_function_bound(((),) * 4, 2, 9, FeatureSpace(multiway=[2, 3]))
    with pytest.raises(ValueError, match=r"FeatureSpace\(multiway="):
        partitioning_function_bound(STAR, 2, 9, FeatureSpace(binary=2))
    with pytest.raises(ValueError, match="into 2 children of these shapes"):
        partitioning_function_bound((STAR, STAR), 2, 9, FeatureSpace(multiway=[3]))


def test_missing_values_orders_and_subsets_are_counted():
    """A class of trees with more splits to choose from has more features."""
    sizes = pd.Categorical(["s", "m", "l", "s"] * 3, ["s", "m", "l"], ordered=True)
    X = pd.DataFrame({
        "number": [1.0, 2.0, None, 4.0] * 3, "word": ["a", "b", "c", None] * 3,
        "size": sizes,
    })  # fmt: skip
    y = [0, 1, 1, 0] * 3

    def space(**options):
        return FeatureSpace.of(OptimalTreeClassifier(**options).fit(X, y))

    assert space() == FeatureSpace(real=3, multiway=[4], one_vs_rest=[4])
    assert space(penalize="splits") == FeatureSpace(real=3, multiway=[4])
    assert space(categorical_split="one-vs-rest") == FeatureSpace(
        real=3, binary=3, one_vs_rest=[4]
    )
    assert space(categorical_split="subset") == FeatureSpace(real=3, binary=7)
    words = OptimalTreeClassifier(missing="branch", categorical_split="subset")
    found = FeatureSpace.of(words.fit(X[["word", "size"]], y))
    assert found == FeatureSpace(real=1, binary=1, multiway=[3, 3, 3])
    with pytest.raises(ValueError, match="'number' has them; fit with missing="):
        space(missing="branch")
