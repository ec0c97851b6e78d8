"""Growth functions, VC dimension and the risk bound."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from partition_oracle import partitions, real_samples, stump_partitions
from test_generalization_partitioning import SMALL_SHAPES, STUMP, random_sample, shapes

from treeproof.generalization import (
    FeatureSpace,
    RiskBound,
    TreeStructure,
    growth_function_bound,
    partitioning_function_bound,
    risk_bound,
    rows_needed,
    vc_dimension_asymptotic,
    vc_dimension_bound,
    vc_dimension_stump,
)
from treeproof.generalization.counting import multiway_shapes, wedderburn_etherington
from treeproof.generalization.growth import GrowthFunctions
from treeproof.generalization.risk import log_structure_prior

# ------------------------------------------------------------ growth function


def test_growth_function_is_equation_4():
    shape = TreeStructure.of((STUMP, ((), STUMP)))
    for m, ell, n, method in itertools.product(
        (3, 7, 20), (1, 4), (1, 2, 3, 7), ("sum", "fast")
    ):
        total = sum(
            math.perm(n, a)
            * partitioning_function_bound(shape, a, m, ell, method=method)
            for a in range(1, shape.n_leaves + 1)
        )
        value = growth_function_bound(shape, m, ell, n, method=method)
        assert value == min(total, n**m)


@pytest.mark.parametrize("shape", SMALL_SHAPES, ids=repr)
def test_growth_function_bounds_the_labelings_of_real_samples(shape):
    rng = np.random.default_rng(4)
    for m, ell, n in itertools.product((4, 6), (1, 2), (2, 3, 4)):
        found = partitions(shape.to_tuple(), random_sample(rng, m, ell), m, n)
        labelings = sum(math.perm(n, len(partition)) for partition in found)
        assert labelings <= growth_function_bound(shape, m, ell, n)


@settings(max_examples=200, deadline=None)
@given(
    shapes(14),
    st.integers(1, 400),
    st.integers(1, 30),
    st.integers(1, 20),
)
def test_short_recursion_and_logarithms_give_the_exact_value(shape, m, ell, n):
    exact = growth_function_bound(shape, m, ell, n, method="fast")
    log = growth_function_bound(shape, m, ell, n, method="fast", log=True)
    assert abs(log - math.log(exact)) < 1e-9


def test_all_ways_to_evaluate_are_used():
    shape = TreeStructure.of((STUMP, (STUMP, ((), STUMP))))
    growth = GrowthFunctions(10, 3)
    growth.log(shape, 1000)
    assert (growth.n_short, growth.n_capped, growth.n_vector) == (1, 0, 0)
    growth.log(shape, 20)
    assert (growth.n_short, growth.n_capped, growth.n_vector) == (1, 1, 0)
    many = GrowthFunctions(10, 30)
    many.log(shape, 20)
    mixed = GrowthFunctions(FeatureSpace(real=9, binary=1), 3)
    mixed.log(shape, 20)
    for growth in (many, mixed):
        assert (growth.n_short, growth.n_capped, growth.n_vector) == (0, 0, 1)


def test_hundred_classes_are_no_burden():
    shape = TreeStructure()
    for _ in range(6):
        shape = TreeStructure((shape, shape))
    exact = growth_function_bound(shape, 10**6, 50, 100, method="fast")
    log = growth_function_bound(shape, 10**6, 50, 100, method="fast", log=True)
    assert abs(log - math.log(exact)) < 1e-9
    # and with caps in force, where the vectors are needed
    exact = growth_function_bound(shape, 300, 50, 100, method="fast")
    log = growth_function_bound(shape, 300, 50, 100, method="fast", log=True)
    assert abs(log - math.log(exact)) < 1e-9


def test_sum_in_logarithms():
    shape = TreeStructure.of((STUMP, (STUMP, ((), STUMP))))
    exact = growth_function_bound(shape, 60, 5, 4)
    log = growth_function_bound(shape, 60, 5, 4, log=True)
    assert abs(log - math.log(exact)) < 1e-9
    assert GrowthFunctions(5, 4, "sum").log(shape, 60) == pytest.approx(log, rel=1e-14)


# --------------------------------------------------------------- VC dimension


def test_vc_dimension_of_stumps():
    features = [1, 2, 3, 5, 10, 18, 35]
    assert [vc_dimension_stump(n) for n in features] == [2, 3, 4, 5, 6, 7, 8]
    for n in range(1, 200):
        assert vc_dimension_stump(n) == vc_dimension_bound(STUMP, n)


def test_vc_dimension_of_stumps_by_brute_force():
    """Some sample of d rows is shattered, none of d + 1."""
    for n_features, d in [(1, 2), (2, 3), (3, 4)]:
        for m in (d, d + 1):
            shattered = any(
                stump_partitions(sample, m) == 2 ** (m - 1) - 1
                for sample in real_samples(m, n_features)
            )
            assert shattered == (m == d)


def test_vc_dimension_bound_of_trees():
    # (stump, leaf) with 10 features: the program of the authors also gives 16
    assert vc_dimension_bound((), 10) == 1
    assert vc_dimension_bound(((), STUMP), 10) == 16
    for shape in TreeStructure.all_binary(5):
        values = [vc_dimension_bound(shape, ell) for ell in (1, 2, 5, 10)]
        assert values == sorted(values)
        larger = TreeStructure((shape, TreeStructure()))
        assert vc_dimension_bound(larger, 5) > values[2]


def test_vc_dimension_bound_is_the_exact_comparison():
    for shape, ell in [((STUMP, STUMP), 4), (((), ((), STUMP)), 30), (STUMP, 1000)]:
        d = vc_dimension_bound(shape, ell)
        for m, full in [(d, True), (d + 1, False)]:
            count = partitioning_function_bound(shape, 2, m, ell)
            assert (count == 2 ** (m - 1) - 1) == full


def test_asymptotic_form_is_above_the_bound():
    for n_leaves, ell in itertools.product((2, 3, 5, 7), (1, 10)):
        for shape in itertools.islice(TreeStructure.all_binary(n_leaves), 3):
            exact = vc_dimension_bound(shape, ell)
            assert exact <= vc_dimension_asymptotic(shape.n_nodes, ell)
    # N log(N ell): doubling N slightly more than doubles it
    ratio = vc_dimension_asymptotic(2000, 10) / vc_dimension_asymptotic(1000, 10)
    assert 2 < ratio < 2.2


# ----------------------------------------------------------------- risk bound


def test_risk_bound_is_equation_8():
    shape = TreeStructure.of(((), STUMP))
    m, k, ell, n, delta, r = 200, 7, 4, 3, 0.1, 0.01
    growth = growth_function_bound(shape, 2 * m, ell, n, method="fast")
    p = 6 / math.pi**2 / 3**2 / 1
    q = (1 - r) * r**k
    expected = (2 * k + 4 * math.log(4 * growth / (delta * q * p))) / m
    assert risk_bound(k, m, shape, ell, n, delta, r) == pytest.approx(expected, 1e-12)
    tighter = risk_bound(k, m, shape, ell, n, delta, r, method="sum")
    assert tighter < risk_bound(k, m, shape, ell, n, delta, r)


def test_structure_priors_sum_to_one_at_most():
    for any_arity, count in [(False, wedderburn_etherington), (True, multiway_shapes)]:
        total = sum(
            count(n) * math.exp(log_structure_prior(n, any_arity=any_arity))
            for n in range(1, 300)
        )
        assert 0.99 < total < 1


@pytest.mark.parametrize("seed", range(3))
def test_risk_bound_moves_the_right_way(seed):
    rng = np.random.default_rng(seed)
    shape = TreeStructure.of((STUMP, ((), STUMP)))
    m = int(rng.integers(50, 5000))
    base = risk_bound(3, m, shape, 5, 3)
    assert risk_bound(4, m, shape, 5, 3) > base
    assert risk_bound(3, 2 * m, shape, 5, 3) < base
    assert risk_bound(3, m, shape, 6, 3) > base
    assert risk_bound(3, m, shape, 5, 4) > base
    assert risk_bound(3, m, shape, 5, 3, delta=0.01) > base
    assert risk_bound(3, m, TreeStructure((shape, TreeStructure())), 5, 3) > base


def test_the_bound_holds_where_it_can_be_checked():
    """True risk of the best stump on noise-free and noisy data, against the bound."""
    rng = np.random.default_rng(0)
    m, r = 2000, 0.5
    for noise in (0.0, 0.1):
        x = rng.random(m)
        y = (x > 0.3) ^ (rng.random(m) < noise)
        thresholds = np.linspace(0, 1, 101)
        errors = [int(np.sum((x > t) != y)) for t in thresholds]
        best = int(np.argmin(errors))
        true_risk = noise + (1 - 2 * noise) * abs(thresholds[best] - 0.3)
        assert true_risk <= risk_bound(errors[best], m, STUMP, 1, 2, r=r) < 1


def test_large_problems_are_finite():
    shape = TreeStructure()
    for _ in range(7):
        shape = TreeStructure((shape, shape))
    assert 0 < risk_bound(1000, 10**7, shape, 1000, 100) < 1
    deep = TreeStructure()
    for _ in range(600):
        deep = TreeStructure((deep, TreeStructure()))
    assert math.isfinite(risk_bound(1000, 10**6, deep, 1000, 100))
    assert math.isfinite(risk_bound(0, 50, deep, 10, 3))


def test_one_class_is_learned_from_nothing_but_the_prior():
    assert risk_bound(0, 100, (), 4, 1) > 0
    assert growth_function_bound(STUMP, 10, 3, 1) == 1


def test_rows_needed_is_the_turning_point():
    for target in (1.0, 0.1):
        n = rows_needed(((), STUMP), 4, 3, target=target)
        assert risk_bound(0, n, ((), STUMP), 4, 3) < target
        assert risk_bound(0, n - 1, ((), STUMP), 4, 3) >= target
    assert rows_needed(((), STUMP), 4, 3, error_rate=0.3) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"m": 0}, "m must be a whole number >= 1, not 0"),
        ({"errors": -1}, "errors must be a whole number >= 0"),
        ({"errors": 101}, "errors=101 is more than the number of rows, m=100"),
        ({"delta": 0}, "delta is the probability"),
        ({"delta": 1.0}, "delta is the probability"),
        ({"delta": "low"}, "delta is the probability"),
        ({"r": 1}, "r is the ratio"),
        ({"n_classes": 0}, "n_classes must be a whole number"),
        ({"structure": ((), (), ())}, "a node with 3 children"),
        ({"structure": object()}, "cannot read the shape of a object"),
    ],
)
def test_bad_input_gets_one_sentence(change, words):
    arguments = {
        "errors": 1,
        "m": 100,
        "structure": STUMP,
        "n_features": 2,
        "n_classes": 2,
    } | change
    with pytest.raises((ValueError, TypeError), match=words) as failure:
        risk_bound(**arguments)
    assert "\n" not in str(failure.value)


def test_risk_bound_object_equals_the_function():
    bound = RiskBound(300, FeatureSpace(real=2, binary=3), 2, r=0.1)
    expected = risk_bound(5, 300, STUMP, FeatureSpace(real=2, binary=3), 2, r=0.1)
    assert bound(5, STUMP) == expected
