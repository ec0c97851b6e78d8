"""Limits on rates: what a bound on priced costs proves for trees that keep them.

Part of the checker: section 10 of docs/proof-format.md. The standard library and NumPy
only. All numbers are integers or fractions.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from treeproof.proof.encoding import positions
from treeproof.proof.header import UNIT, read_number, read_whole
from treeproof.proof.rejected import Array, require

AMONG = ("all", "positives", "negatives")
MAX_WEIGHT = 1 << 30  # the largest weight of all rows
MAX_PART = 1 << 60  # the largest numerator and denominator of a bound
MAX_PAID = 1 << 32  # the largest price of a limit times its bound
MAX_LIMITS = 1000
MAX_AMOUNTS = 1 << 58  # the largest sum of a limit's amounts times weights
MAX_COST = 1 << 52  # the largest cost of a row


@dataclass(frozen=True)
class Rate:
    """A limited sum over rows: a rate, a difference of two, or amounts."""

    shares: dict[int, Array]  # for each class, what each row adds, times `whole`
    whole: int
    at_most: Fraction
    price: int
    words: str

    def allows(self, total: int) -> bool:
        """Return whether the limit allows a sum of shares."""
        return Fraction(total, self.whole) <= self.at_most


class Limits:
    """The costs of errors and of rates at their prices, and conclusions from a bound.

    Parameters
    ----------
    raw : dict
        The header.
    y, weight, groups : array-like
        Labels, weights and groups of all rows; groups may be None.
    """

    def __init__(self, raw: dict[str, Any], y: Any, weight: Array, groups: Any) -> None:
        given: Any = raw["constraints"]
        require(isinstance(given, dict), "its constraints are no object.")
        classes: Any = raw.get("actions")
        require(isinstance(classes, list), "the header has no list of actions.")
        label = positions(y, classes, "the labels are not those of the proof.")
        n_classes = len(classes)
        factors: Any = given.get("class_weight")
        right = isinstance(factors, list) and len(factors) == n_classes
        require(right, "the constraints have not one weight for each class.")
        factor = np.array([read_whole(f, "a class weight") for f in factors])
        whole = np.all(weight == np.floor(weight)) and weight.sum() < MAX_WEIGHT
        require(bool(whole), "a proof with constraints takes whole weights.")
        require(max(factor) < MAX_WEIGHT, "a class weight is too large.")
        self.weight = weight.astype(np.int64)
        self.errors = self.weight * factor[label]
        require(int(self.errors.sum()) < MAX_WEIGHT, "the weights are too large.")
        self.kept = self.errors > 0
        require(bool((self.kept == (weight > 0)).all()), "a class has no weight.")
        self.label, self.tree = label, given.get("tree")
        self.n_classes = n_classes
        self.positive = read_whole(given.get("positive"), "the positive class")
        require(self.positive < n_classes, "there is no such positive class.")
        self.unit = read_whole(given.get("unit"), "the unit of the constraints", 1)
        require(self.unit < MAX_WEIGHT, "the unit of the constraints is too large.")
        penalty = read_number(given.get("split_penalty"), "split_penalty", 0)
        self.penalty = Fraction(penalty) * int(self.errors.sum())  # of a split
        stated = penalty * float(self.errors.sum()) * self.unit / int(self.kept.sum())
        same = raw.get("split_penalty") == stated
        require(same, "split_penalty is not that of the constraints.")
        self.group = self._groups(given.get("groups"), groups)
        listed: Any = given.get("limits")
        some = isinstance(listed, list) and len(listed) <= MAX_LIMITS
        require(some, "the limits are no list, or too many.")
        self.rates = [self._read_rate(limit) for limit in listed]
        self.listed: Any = given.get("listed")
        known = self.listed is None or isinstance(self.listed, bool)
        require(known, "listed is neither true nor false.")
        self.costs = self._costs(n_classes)

    def _groups(self, names: Any, groups: Any) -> Array:
        if names is None:
            return np.zeros(len(self.label), np.int64)
        self.names = names
        given = np.asarray(groups)
        fits = given.ndim == 1 and len(given) == len(self.label)
        require(fits, "the groups of the rows are not given.")
        return positions(given, names, "the groups are not those of the proof.")

    def _read_rate(self, given: Any) -> Rate:
        require(isinstance(given, dict), "a limit is no object.")
        parts = given.get("at_most")
        pair = isinstance(parts, list) and len(parts) == 2
        pair = pair and all(type(part) is int for part in parts)
        fine = pair and abs(parts[0]) <= MAX_PART and 0 < parts[1] <= MAX_PART
        require(bool(fine), "a limit has no bound that is a fraction.")
        price = read_whole(given.get("price"), "the price of a limit")
        at_most = Fraction(*parts)
        fine = price < MAX_WEIGHT * UNIT and abs(price * at_most) < MAX_PAID
        require(fine, "the price of a limit is too large.")
        own = given.get("amounts")
        if own is None:
            shares, whole, words = self._read_shares(given, price)
        else:
            shares, whole, words = self._read_amounts(own)
        words = f"{words} at most {float(at_most):.12g}"
        return Rate(shares, whole, at_most, price, words)

    def _read_shares(
        self, given: dict[str, Any], price: int
    ) -> tuple[dict[int, Array], int, str]:
        """Read a rate of positive predictions, or a difference of two."""
        among: Any = given.get("among")
        sign: Any = given.get("sign")
        known = among in AMONG and type(sign) is int and sign in (1, -1)
        require(known, "a limit is of no known kind.")
        sides, words = [], []
        for key in ("group", "minus"):
            name = given.get(key)
            rows = self.kept.copy()
            if among != "all":
                rows &= (self.label == self.positive) == (among == "positives")
            if name is not None:
                names = getattr(self, "names", [])
                known = type(name) is int and 0 <= name < len(names)
                require(known, "a limit is about a group that is not there.")
                rows &= self.group == name
                words.append(f" in group {name}")
            if key == "group" or name is not None:
                require(bool(rows.any()), "a limit is about no rows.")
                sides.append((rows, int(self.weight[rows].sum())))
        even = all(price % total == 0 for _, total in sides)
        require(even, "the price of a limit is not a multiple of its rows' weight.")
        whole = math.lcm(*(total for _, total in sides))
        own = np.zeros(len(self.weight), np.int64)
        for side, (rows, total) in zip((sign, -sign), sides, strict=False):
            own[rows] += side * (whole // total) * self.weight[rows]
        shown = f"{'-' if sign < 0 else ''}positive rate among {among}"
        return {self.positive: own}, whole, shown + " minus that".join(words)

    def _read_amounts(self, given: Any) -> tuple[dict[int, Array], int, str]:
        """Read one amount for each class, or such a list for each row that counts."""
        n, n_classes = int(self.kept.sum()), self.n_classes
        require(
            isinstance(given, list) and given, "the amounts of a limit are no list."
        )
        each = isinstance(given[0], list)
        table = given if each else [given] * n
        fits = len(table) == n and all(
            isinstance(row, list) and len(row) == n_classes for row in table
        )
        require(fits, "a limit has not one amount for each class.")
        plain = all(
            type(v) is int and -MAX_WEIGHT <= v < MAX_WEIGHT
            for row in table
            for v in row
        )
        require(plain, "an amount is out of range.")
        own = np.zeros((len(self.weight), n_classes), np.int64)
        own[self.kept] = np.array(table) * self.weight[self.kept, None]
        size = np.abs(own.astype(np.float64)).sum()
        require(bool(size < MAX_AMOUNTS), "the amounts of a limit are too large.")
        words = "of each row in the file" if each else json.dumps(given)
        return {c: own[:, c] for c in range(n_classes)}, 1, f"amounts {words}"

    def _costs(self, n_classes: int) -> Array:
        """Return the cost of each class for each row: integers, stored as doubles."""
        costs = np.zeros((len(self.label), n_classes), np.int64)
        costs += (self.errors * self.unit)[:, None]
        costs[np.arange(len(costs)), self.label] = 0
        for rate in self.rates:
            each = rate.price // rate.whole
            for c, share in rate.shares.items():
                paid = float(each) * np.abs(share.astype(np.float64)).max()
                require(bool(paid < MAX_COST), "the prices are too large.")
                costs[:, c] += each * share
                fine = int(np.abs(costs).max()) < MAX_COST
                require(fine, "the prices are too large.")
        require(int(np.abs(costs).max()) < MAX_COST, "the prices are too large.")
        return costs.astype(np.float64)

    def check_tree(self, said: Array) -> int:
        """Check that a tree keeps every limit; return its errors."""
        for rate in self.rates:
            own = (int(share[said == c].sum()) for c, share in rate.shares.items())
            kept = rate.allows(sum(own))
            require(kept, f"the tree does not keep the limit: {rate.words}.")
        return int(self.errors[said != self.label].sum())

    def bound(self, least: Fraction) -> Fraction:
        """Return a bound on trees that keep the limits if `least` bounds priced costs.

        Errors are integers, and a tree has fewer splits than rows.
        """
        paid = sum((rate.price * rate.at_most for rate in self.rates), Fraction(0))
        n = int(self.kept.sum())
        # For the rounding of penalties.
        low = (least - paid - Fraction(n, UNIT)) / self.unit
        if self.penalty == 0:
            return Fraction(max(math.ceil(low), 0))
        most = min(n, max(math.ceil(low / self.penalty), 0) + 1)
        ways = (k * self.penalty for k in range(most + 1))
        return min(own + max(math.ceil(low - own), 0) for own in ways)

    def words(self) -> list[str]:
        """Return what is minimised and what is limited, in words."""
        each = ", ".join(rate.words for rate in self.rates)
        names = getattr(self, "names", None)
        groups = "" if names is None else f"; groups {json.dumps(names)}"
        return [f"misclassification with limits ({each}{groups})"]
