"""F1, F-beta and Jaccard: what a bound on weighted errors proves about a ratio.

Part of the checker: section 8 of docs/proof-format.md. The standard library and NumPy
only.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np

from treeproof.proof.rejected import Array, require

NAMES = {"f1": "F1", "fbeta": "F-beta", "jaccard": "Jaccard index"}
MAX_BETA = 1 << 10  # the largest numerator and denominator
MAX_CLASS_WEIGHT = 1 << 50
MAX_PART = 1 << 53  # the largest numerator and denominator of a value


class Ratio:
    """A ratio p TP / (p TP + q FN + r FP), and the claims of the header about it.

    Parameters
    ----------
    raw : dict
        The header.
    label : ndarray
        Codes of the classes, of every row.
    weight : ndarray
        Weights of the rows, before class weights.
    """

    def __init__(self, raw: dict[str, Any], label: Array, weight: Array) -> None:
        given: Any = raw["metric"]
        fine = isinstance(given, dict) and given.get("name") in list(NAMES)
        require(fine, "the metric is unknown.")
        require(len(raw["classes"]) == 2, "a ratio needs two classes.")
        self.name = given["name"]
        beta = _fraction(given.get("beta"), "beta", MAX_BETA)
        square = beta**2 if self.name == "fbeta" else Fraction(1)
        p = Fraction(1) if self.name == "jaccard" else 1 + square
        self.p, self.q, self.r = p, square, Fraction(1)
        require(self.name == "fbeta" or beta == 1, "only fbeta has a beta.")
        require(square > 0, "beta is zero.")
        self.beta = beta
        self.positive: Any = given.get("positive")
        known = type(self.positive) is int and self.positive in (0, 1)
        require(known, "the positive class is not one of the two.")
        parts = ("weighed_at", "value", "bound")
        self.mu, self.value, self.bound = (
            _fraction(given.get(part), part, MAX_PART) for part in parts
        )
        require(0 < self.mu <= 1 and self.bound <= 1, "a ratio is not from 0 to 1.")
        whole = np.all(weight == np.floor(weight)) and weight.sum() < MAX_PART
        require(whole, "a proof of a ratio takes whole weights.")
        own = np.bincount(label, weight, minlength=2)
        self.label, self.weight = label, weight
        self.positives = Fraction(int(own[self.positive]))
        require(self.positives > 0, "no row is positive.")
        # Errors have the weights that the ratio gives them at mu.
        by_class = [Fraction(float(w)) for w in raw["class_weight"]]
        heavy, light = by_class[self.positive], by_class[1 - self.positive]
        self.miss = self.p * (1 - self.mu) + self.q * self.mu
        right = heavy > 0 and heavy * self.r * self.mu == light * self.miss
        require(right, "the class weights are not those of the ratio.")
        self.factor = heavy / self.miss
        whole = heavy.denominator == light.denominator == 1
        whole = whole and max(by_class) <= MAX_CLASS_WEIGHT
        require(whole, "the class weights of a ratio are not whole numbers in range.")

    def check_tree(self, says: Array) -> None:
        """Check from a tree's predictions that it has the claimed ratio."""
        yes, true = says == self.positive, self.label == self.positive
        hits = self.p * _sum(self.weight[yes & true])
        misses = self.q * _sum(self.weight[~yes & true])
        alarms = self.r * _sum(self.weight[yes & ~true])
        value = hits / (hits + misses + alarms)
        require(value == self.value, f"the tree's {self.name} is {value}.")

    def check_bound(self, wrong: Fraction) -> None:
        """Check that no tree exceeds the bound if all have at least these errors."""
        errors = wrong / self.factor
        open_part = max(self.p * (1 - self.mu) * self.positives - errors, Fraction(0))
        least = min(self.p, self.q) * self.positives
        above = min(self.mu + open_part / least, Fraction(1))
        require(self.bound >= above, f"no bound below {above} is shown.")
        require(self.bound >= self.value, "the bound is below the tree's value.")

    def words(self, raw: dict[str, Any]) -> str:
        """Return what is maximised, in words."""
        positive = json.dumps(raw["classes"][self.positive])
        what = f"{NAMES[self.name]} of the class {positive}"
        if self.name != "fbeta":
            return what
        return f"{what} with beta {self.beta.numerator}/{self.beta.denominator}"


def _fraction(given: Any, what: str, most: int) -> Fraction:
    """Read a fraction, given as two integers without a common factor."""
    fine = isinstance(given, list) and len(given) == 2
    fine = fine and all(type(part) is int and 0 <= part <= most for part in given)
    require(fine and given[1] > 0, f"{what} is not a fraction of whole numbers.")
    require(math.gcd(*given) == 1, f"{what} is not in lowest terms.")
    return Fraction(*given)


def _sum(weights: Array) -> Fraction:
    return Fraction(int(weights.sum()))
