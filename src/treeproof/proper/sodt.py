"""The optimal tree for K given rules, and for the best K of many (Theorem 1.1)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Any

from treeproof.proper.filters import Filter
from treeproof.proper.objective import Objective
from treeproof.proper.recursion import Keep, Solution, cheapest, grow
from treeproof.proper.rule import Bits, Rule, unfold
from treeproof.proper.splits import Splits, proper_splits

MAX_COMBINATIONS = 5_000_000


def sodt(
    rules: Sequence[Any],
    data: Any,
    objective: Objective,
    *,
    splits: Splits = proper_splits,
    filters: Sequence[Filter] = (),
    keep: Keep = cheapest,
    **plug_ins: Any,
) -> Solution | None:
    """Find the cheapest tree that uses each of the rules once.

    The dynamic programme of Theorem 4.13: the minimum is taken in every subproblem, so
    only one tree for each is ever built further.

    Parameters
    ----------
    rules : sequence of Rule
    data : int
        The rows to classify, as bits.
    objective : Objective
    splits : callable
        The ancestral constraint; see `treeproof.proper.splits`.
    filters : sequence of callables
        Constraints such as ``min_leaf_size(5)`` and ``max_depth(2)``.
    keep : callable
        ``thin(dominates)`` to keep several trees for each subproblem, for objectives
        whose join is not monotone.
    **plug_ins
        `leaf`, `divide` and `memo_key` of `treeproof.proper.recursion.grow`.

    Returns
    -------
    Solution or None
        None if no tree satisfies the ancestral constraint and the filters.

    Examples
    --------
    >>> from treeproof.proper import axis_parallel_rules, misclassification
    >>> X, y = [[0.0], [1.0], [2.0]], ["a", "b", "a"]
    >>> best = sodt(axis_parallel_rules(X), 0b111, misclassification(y))
    >>> best.cost
    0
    """
    if keep is cheapest and not objective.monotone:
        raise ValueError(
            f"objective '{objective.name}' does not declare its join monotone, so "
            "keeping one tree for each subproblem may lose the optimum; pass "
            "keep=thin(dominates)"
        )
    found = grow(
        rules,
        data,
        splits=splits,
        keep=keep,
        objective=objective,
        filters=filters,
        **plug_ins,
    )
    return min(found, key=lambda s: s.cost, default=None)


def odt(
    n_rules: int,
    rules: Sequence[Rule],
    data: Bits,
    objective: Objective,
    *,
    max_combinations: int = MAX_COMBINATIONS,
    **options: Any,
) -> Solution | None:
    """Find the cheapest tree with exactly `n_rules` of the given rules.

    The minimum of `sodt` over all combinations (Theorem 4.3). Exact and slow, by
    design: `ObliqueTreeClassifier` is the fast one.

    Parameters
    ----------
    n_rules : int
        K, the size of the tree.
    rules : sequence of Rule
        The candidates. A rule that stands for several with the same partition is
        unfolded: where a rule may stand depends on the sites that generate it, and
        those differ.
    data : int
        The rows to classify, as bits.
    objective : Objective
    max_combinations : int
        Refuse to try more combinations of rules than this.
    **options
        As for `sodt`.

    Returns
    -------
    Solution or None
        None if no tree of that size exists.

    Raises
    ------
    ValueError
        If there are fewer rules than `n_rules`, or too many combinations of them.

    Examples
    --------
    >>> from treeproof.proper import hyperplane_rules, misclassification
    >>> xor = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> rules = hyperplane_rules(xor)
    >>> [odt(k, rules, 0b1111, misclassification([0, 1, 1, 0])).cost for k in (1, 2)]
    [1, 0]
    """
    if n_rules < 0:
        raise ValueError(f"n_rules must be at least 0, got {n_rules}")
    unfolded = [member for rule in rules for member in unfold(rule)]
    if n_rules > len(unfolded):
        raise ValueError(
            f"a tree with {n_rules} rules needs {n_rules} candidates, got "
            f"{len(unfolded)}: ask for fewer rules"
        )
    count = comb(len(unfolded), n_rules)
    if count > max_combinations:
        raise ValueError(
            f"there are {count:,} combinations of {n_rules} of {len(unfolded):,} "
            f"candidates, more than max_combinations={max_combinations:,}; ask for "
            "fewer rules, make candidates from fewer rows or features, or use "
            "ObliqueTreeClassifier, which keeps its best tree and a bound at any time"
        )
    best: Solution | None = None
    for chosen in combinations(unfolded, n_rules):
        found = sodt(chosen, data, objective, **options)
        if found is not None and (best is None or found.cost < best.cost):
            best = found
    return best
