r"""F1, F-beta and Jaccard: ratios of sums, solved as a sequence of weighted problems.

With TP, FN and FP the weights of true positives, false negatives and false positives,
each of these measures is a ratio

    p TP / (p TP + q FN + r FP),

with P = TP + FN the weight of the positives. A tree is above mu if and only if

    (p (1 - mu) + q mu) FN + r mu FP  <  p (1 - mu) P,

since that is p TP > mu (p TP + q FN + r FP) rearranged. The left side counts errors
with one weight for each class, so that the best tree for it is an ordinary fit. Start
with the mu of any tree, minimise the left side, set mu to that tree's ratio, and repeat
until the minimum equals the right side: then no tree is above mu (Dinkelbach 1967).
Every step is at least as good as the one before, and few are needed.

All numbers are fractions of whole numbers, so that the last step is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from numpy.typing import NDArray

from treeproof.columns import plain

__all__ = ["METRICS", "RATIOS", "Counts", "Ratio", "positive_class"]

RATIOS = {"f1": "F1", "fbeta": "F-beta", "jaccard": "Jaccard index"}
METRICS = ("accuracy", "balanced_accuracy", *RATIOS)


@dataclass(frozen=True)
class Counts:
    """Weights of true positives, false negatives and false positives, exactly."""

    tp: Fraction
    fn: Fraction
    fp: Fraction


@dataclass(frozen=True)
class Ratio:
    """One of the measures, by its three factors.

    Examples
    --------
    >>> f1 = Ratio.of("f1")
    >>> f1.value(Counts(Fraction(6), Fraction(2), Fraction(2)))
    Fraction(3, 4)
    """

    name: str
    p: Fraction
    q: Fraction
    r: Fraction
    beta: Fraction = Fraction(1)

    @classmethod
    def of(cls, metric: str, beta: float = 1.0) -> Ratio:
        """Return the measure of a metric's name; beta counts for F-beta only."""
        if metric == "jaccard":
            return cls(RATIOS[metric], Fraction(1), Fraction(1), Fraction(1))
        used = Fraction(1 if metric == "f1" else beta).limit_denominator(1000)
        square = used**2
        name = RATIOS[metric] if metric == "f1" else f"F-beta (beta={beta:g})"
        return cls(name, 1 + square, square, Fraction(1), used)

    def value(self, counts: Counts) -> Fraction:
        """Return the ratio; there is at least one positive row."""
        hits = self.p * counts.tp
        return hits / (hits + self.q * counts.fn + self.r * counts.fp)

    def class_weights(self, mu: Fraction) -> tuple[int, int]:
        """Return whole weights of a negative and of a positive row, in lowest terms."""
        positive = self.p * (1 - mu) + self.q * mu
        negative = self.r * mu
        factor = lcm(positive.denominator, negative.denominator)
        a, b = int(negative * factor), int(positive * factor)
        common = gcd(a, b) or 1
        return a // common, b // common

    def still_above(
        self, mu: Fraction, least: Fraction, positives: Fraction
    ) -> Fraction:
        """Return a bound on the ratio of every tree.

        Parameters
        ----------
        mu : Fraction
            Where errors were weighed.
        least : Fraction
            No tree's weighed errors are below this, in the weights of `class_weights`.
        positives : Fraction
            The weight of the positive rows.
        """
        _, weight = self.class_weights(mu)
        whole = self.p * (1 - mu) + self.q * mu
        least = least * whole / weight  # in the unit of the formula
        open_part = max(self.p * (1 - mu) * positives - least, Fraction(0))
        return min(mu + open_part / (min(self.p, self.q) * positives), Fraction(1))


def positive_class(classes: NDArray[Any], pos_label: Any, asked_by: str) -> int:
    """Return the number of the positive class.

    Examples
    --------
    >>> import numpy as np
    >>> positive_class(np.array([0, 1]), None, 'metric="f1"')
    1
    """
    known = [plain(label) for label in classes]
    if len(known) != 2:
        there = f'{len(known)} classes; use metric="balanced_accuracy" or a cost_matrix'
        if len(known) == 1:
            there = f"only the class {known[0]!r}"
        raise ValueError(
            f"{asked_by} needs a positive and a negative class, but y has {there}."
        )
    if pos_label is None:
        for usual in (True, 1):
            if known[1] == usual and type(known[1]) is type(usual):
                return 1
        raise ValueError(
            f"{asked_by} needs to know which class is the positive one; pass "
            f"pos_label={known[0]!r} or pos_label={known[1]!r}."
        )
    wanted = plain(pos_label)
    if wanted not in known:
        raise ValueError(
            f"pos_label={wanted!r} is not a class in y; the classes are {known!r}."
        )
    return known.index(wanted)
