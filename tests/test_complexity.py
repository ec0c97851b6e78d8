"""The papers' complexity bounds: their printed figures, and the searches they bound."""

from fractions import Fraction
from itertools import product
from math import comb, log10, perm

import native
import numpy as np
import pytest
from oracle import MULTIWAY, ONE_VS_REST, engine_arguments, random_table, tree_facts

from treeproof.complexity import (
    complexity_bound,
    empty_branches,
    osdt_complexity_bound,
    unnecessary_branches,
)

# Table 1 of the article, Table 4.1 of the thesis: mantissa and exponent, some rounded
# and some truncated. None is printed as INF.
TABLE = {
    (0.1, 10): ((5.70, 4), (5.61, 13)),
    (0.1, 15): ((5.80, 5), (6.86, 16)),
    (0.1, 20): ((2.82, 6), (8.35, 18)),
    (0.05, 10): ((3.94, 5), (7.52, 271)),
    (0.05, 15): ((7.53, 7), (1.53, 473)),
    (0.05, 20): ((3.01, 9), (5.69, 576)),
    (0.01, 10): ((3.94, 5), (1.64, 392)),
    (0.01, 15): ((1.43, 8), None),
    (0.01, 20): ((4.65, 10), None),
}


@pytest.mark.parametrize(("penalty", "q"), TABLE)
def test_printed_figures(penalty, q):
    (mantissa, exponent), osdt = TABLE[penalty, q]
    assert complexity_bound(q, penalty) / 10**exponent == pytest.approx(
        mantissa, abs=0.01
    )
    if osdt is not None:
        exact = osdt_complexity_bound(q, penalty)
        assert exact // 10 ** (osdt[1] - 3) / 1000 == pytest.approx(osdt[0], abs=0.01)
        logarithm = osdt_complexity_bound(q, penalty, logarithm=True)
        assert logarithm == pytest.approx(osdt[1] + log10(osdt[0]), abs=0.003)


def trees_of_depth(q, depth):
    """Count them by the nested sum of Hu, Rudin and Seltzer: level by level."""

    def below(level, nodes):
        if level == depth:
            return 1
        return sum(
            comb(2 * nodes, n) * (q - level) ** n * below(level + 1, n)
            for n in range(1, 2 * nodes + 1)
        )

    return q * below(1, 1)


@pytest.mark.parametrize("q", [2, 3, 4, 6])
def test_osdt_bound_is_the_sum_of_the_theorem(q):
    for penalty in (Fraction(1, 4), Fraction(1, 6), Fraction(1, 8)):
        deepest = min(int(1 / (2 * penalty)) - 1, q)
        expected = 1 + sum(
            trees_of_depth(q, h) + comb(q, h) - perm(q, h)
            for h in range(1, deepest + 1)
        )
        assert osdt_complexity_bound(q, penalty) == expected
        assert osdt_complexity_bound(q, penalty, logarithm=True) == pytest.approx(
            log10(expected)
        )


def test_osdt_bound_that_cannot_be_written_down():
    with pytest.raises(OverflowError, match="logarithm=True"):
        osdt_complexity_bound(40, 0.001)
    assert osdt_complexity_bound(40, 0.001, logarithm=True) > 1e10
    assert osdt_complexity_bound(5, 0.5) == 1
    assert osdt_complexity_bound(5, 0.5, logarithm=True) == 0.0


def test_logarithm_agrees_with_the_number():
    exact = osdt_complexity_bound(12, 0)
    digits = len(str(exact // 10**200)) + 200
    assert int(osdt_complexity_bound(12, 0, logarithm=True)) + 1 == digits


def test_a_penalty_no_tree_can_earn_leaves_nothing_to_evaluate():
    assert complexity_bound(10, 0.6) == 0
    assert complexity_bound(10, 0.6, optimum=(0, 0.5)) == 0


def test_no_penalty_counts_every_branch():
    everything = sum((7 - h) * 2 ** (h + 1) * comb(7, h) for h in range(8))
    assert complexity_bound(7, 0) == complexity_bound(7, 0.001) == everything
    assert complexity_bound(7, 0, tight=True) <= everything


@pytest.mark.parametrize("c", [2, 3, 5])
def test_the_sharper_bounds_are_sharper(c):
    for penalty in (0.05, 0.1, 0.2):  # at most nine splits pay for themselves
        plain = complexity_bound(12, penalty, n_categories=c)
        tight = complexity_bound(12, penalty, n_categories=c, tight=True)
        assert 0 < tight < plain
        known = complexity_bound(12, penalty, n_categories=c, optimum=(1, 0.95))
        assert known <= plain


@pytest.mark.parametrize(("q", "c"), [(1, 2), (1, 3), (1, 4), (2, 2), (2, 3), (3, 2)])
@pytest.mark.parametrize("drop_last", [False, True])
def test_branches_of_one_hot_encodings_by_enumeration(q, c, drop_last):
    m = c - 1 if drop_last else c
    rows = [
        [int(value == column) for value in values for column in range(m)]
        for values in product(range(c), repeat=q)
    ]
    empty = several = 0
    for branch in product((None, 0, 1), repeat=q * m):
        holds = any(
            all(
                want is None or want == have
                for want, have in zip(branch, row, strict=True)
            )
            for row in rows
        )
        empty += not holds
        groups = [branch[f * m : (f + 1) * m] for f in range(q)]
        several += any(sum(lit is not None for lit in g) > 1 for g in groups)
    assert empty_branches(q, c, drop_last=drop_last) == empty
    assert unnecessary_branches(q, c, drop_last=drop_last) == several
    assert empty <= several


@pytest.mark.parametrize("kind", [ONE_VS_REST, MULTIWAY])
@pytest.mark.parametrize("seed", range(3))
def test_branches_stays_within_its_bounds(kind, seed):
    """The number of evaluations of the search, against Theorems 4.4 and C.3."""
    rng = np.random.default_rng(seed)
    checked = 0
    while checked < 40:
        c = 2 if kind == ONE_VS_REST else 3
        table = random_table(rng, max_rows=60, max_features=6, kinds=[kind])
        q = table.codes.shape[1]
        table.n_values[:] = c
        table.codes = rng.integers(0, c, size=table.codes.shape)
        table.weights[:] = 1
        penalty = float(rng.choice([0.02, 0.05, 0.1]))
        result = native.solve(
            solver="branches", split_penalty=penalty, **engine_arguments(table)
        )
        facts = tree_facts(table, result["tree"], penalty)
        errors = Fraction(facts.cost - facts.splits * table.split_cost(penalty), 2**20)
        optimum = (facts.splits, 1 - errors / len(table.labels))
        evaluations = (
            result["statistics"]["evaluations"] - 1
        )  # the root's is not counted
        assert evaluations <= complexity_bound(
            q, penalty, n_categories=c, optimum=optimum
        )
        assert evaluations <= complexity_bound(
            q, penalty, n_categories=c, n_classes=table.n_classes
        )
        if kind == MULTIWAY:
            assert evaluations <= complexity_bound(
                q, penalty, n_categories=c, optimum=optimum, tight=True
            )
        checked += 1


def test_the_root_is_counted_in_full():
    """Theorem C.3 as printed gives 4 here: (q - h)(h - kappa_-) with kappa_- = -2."""
    codes = np.array(
        [[a, b] for a in range(3) for b in range(3)] * 2 + [[0, 0], [1, 1]]
    )
    labels = np.zeros(20, dtype=int)
    labels[[0, 4, 8]] = 1  # three errors in twenty, one in each category
    table = random_table(np.random.default_rng(0))
    table.kinds = np.array([MULTIWAY, MULTIWAY])
    table.n_values = np.array([3, 3])
    table.codes, table.labels, table.n_classes = codes, labels, 2
    table.weights = np.ones(20, dtype=np.int64)
    result = native.solve(
        solver="branches", split_penalty=0.1, **engine_arguments(table)
    )
    assert len(result["tree"]["kind"]) == 1
    assert result["upper"] / result["unit"] == 0.15
    assert result["statistics"]["evaluations"] - 1 == 6
    bound = complexity_bound(2, 0.1, n_categories=3, optimum=(0, 0.85), tight=True)
    assert bound == 6


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0, 0.1), {}, "n_features must be a whole number of at least 1, not 0"),
        ((2.5, 0.1), {}, "n_features must be a whole number"),
        ((3, -0.1), {}, "split_penalty must be a number between 0 and 1, not -0.1"),
        ((3, float("nan")), {}, "split_penalty must be a number between 0 and 1"),
        ((3, "much"), {}, "split_penalty must be a number between 0 and 1"),
        ((3, 0.1), {"n_categories": 1}, "n_categories must be a whole number"),
        ((3, 0.1), {"optimum": (-1, 0.9)}, "the splits of the optimum"),
        ((3, 0.1), {"optimum": (1, 1.9)}, "the accuracy of the optimum"),
    ],
)
def test_bad_input_gets_one_sentence(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        complexity_bound(*arguments, **options)
