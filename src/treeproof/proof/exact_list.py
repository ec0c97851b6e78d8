"""The list of trees that closes the gap which prices leave, for the exact checker.

Section 10 of docs/proof-format.md, *The list*. Only for proofs whose constraints say
"listed" does anything depend on this module.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

from treeproof.proof.exact_data import UNIT, Rows, require

_NONE = Fraction(0)
Tree = tuple[int, int, int, tuple[Fraction, ...]]  # priced, errors, penalties, rates


def require_no_better(limits: Any, argument: Any, wrong: int, further: int) -> None:
    """Require that no tree that keeps the limits costs less than the given one.

    `limits` is a `Limits` of `exact_limits`. The tree has `wrong` errors and `further`
    penalties; these are compared as they are rounded in the steps.
    """
    p, h = argument.p, argument.h
    plain = h["max_splits"] is None and h.get("shape") in (None, "tree")
    plain = plain and not any(f.get("monotone") for f in h["features"])
    require(plain, "a list is of trees without splits, directions or shape limited")
    paid = sum(price * at_most for _, at_most, price in limits.rates)
    own = wrong * limits.unit * UNIT + further * argument.L
    budget = math.floor(own + UNIT * (paid - limits.base(argument)))
    trees = _lists(limits, argument)
    for _, errors, penalties, rates in trees(p.everything, argument.depth, budget):
        pairs = zip(rates, limits.rates, strict=True)
        kept = all(rate <= at_most for rate, (_, at_most, _) in pairs)
        cheaper = errors * limits.unit * UNIT + penalties * argument.L < own
        require(not kept or not cheaper, "a tree that costs less keeps the limits")


def _lists(limits: Any, argument: Any) -> Any:
    """Return a function that lists the trees on some rows."""
    p = argument.p
    by_leaves = argument.h.get("penalize", "splits") == "leaves"

    def splits(rows: Rows) -> set[frozenset[Rows]]:
        tests = [t for t in range(len(p.tests)) if p.splits(rows, t)]
        return {frozenset(p.held(rows, t)) for t in tests}

    def price(parts: frozenset[Rows]) -> Any:
        return argument.L * (len(parts) - 1 if by_leaves else 1)

    @cache
    def least(rows: Rows, depth: float) -> Any:
        """Return the least cost of a leaf, or of a test with the best trees below."""
        leaf = p.leaf(rows)
        if depth == 0 or leaf <= argument.L:
            return leaf
        ways = (
            price(parts) + sum(least(part, depth - 1) for part in parts)
            for parts in splits(rows)
        )
        return min([leaf, *ways])

    @cache
    def trees(rows: Rows, depth: float, budget: int) -> frozenset[Tree]:
        """Return all trees within the budget, with any predictions of their leaves."""
        out = {t for t in leaves(rows) if t[0] <= budget}
        for parts in splits(rows) if depth > 0 else ():
            rest = sum(least(part, depth - 1) for part in parts)
            spare, below = budget - price(parts) - rest, list(parts)
            if spare < 0:
                continue
            penalties = len(parts) - 1 if by_leaves else 1
            joint = {(price(parts), 0, penalties, (_NONE,) * len(limits.rates))}
            for part in below:
                own = least(part, depth - 1)
                rest -= own
                found = trees(part, depth - 1, spare + own)
                both = {_sum(a, b) for a in joint for b in found}
                joint = {t for t in both if t[0] + rest <= budget}
            out |= joint
        return frozenset(out)

    def leaves(rows: Rows) -> list[Tree]:
        codes = {p.codes[i] for i in rows}
        own = {k for k, code in enumerate(p.row_codes) if code in codes}
        out = []
        for c in range(p.n_actions):
            priced = p.w(rows) - p.of_class(rows, c)
            wrong = sum(limits.errors[k] for k in own if limits.label[k] != c)
            rates = (
                sum((shares[k].get(c, _NONE) for k in own), _NONE)
                for shares, _, _ in limits.rates
            )
            out.append((priced, wrong, 0, tuple(rates)))
        return out

    return trees


def _sum(a: Tree, b: Tree) -> Tree:
    rates = tuple(x + y for x, y in zip(a[3], b[3], strict=True))
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], rates
