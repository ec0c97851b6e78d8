"""The search for rows, described by few outcomes, that weigh more than a given number.

Part of the checker: section 9 of docs/proof-format.md. The search goes from a set of
rows to its subsets with one more outcome of a test, many sets at a time. The loss of an
outcome is the positive weight that it removes from a set, and its gain is the negative
weight that it removes. Among the outcomes that are added to a set, let one be the
outcome with the largest loss (of several such outcomes, the last in a fixed order); all
others come before it. The rows that remain weigh at most the positive weight that this
outcome leaves, less the negative weight that is not removed; and the other outcomes
remove at most the sum of their gains. An outcome without a gain is of no use, and
neither is one that leaves no more positive weight than the given number.

Sums of weights stay below 2^53, so that doubles represent them exactly.
"""

from __future__ import annotations

import numpy as np

from treeproof.proof.rejected import Array

CELLS = 1 << 20  # about as many rows are examined at a time


class ConjunctionSearch:
    """The search for a set of more than `most`, given the weights of rows.

    `keeps` has a row for each outcome of each test, and says which rows of the table
    have this outcome.
    """

    def __init__(self, keeps: Array, weight: Array, most: int) -> None:
        counts = weight != 0
        self.keeps = np.unique(keeps[:, counts], axis=0)
        self.weight, self.most = weight[counts].astype(np.float64), most
        self.positive = self._by_outcome(np.maximum(self.weight, 0))
        self.negative = self._by_outcome(np.minimum(self.weight, 0))

    def _by_outcome(self, weight: Array) -> Array:
        """Return a matrix that adds up weights, of all rows and by outcome."""
        return np.vstack([weight, self.keeps * weight]).T

    def finds_one(self, most_outcomes: int) -> bool:
        """Return whether at most this many outcomes leave more than `most`."""
        if self.weight.sum() > self.most:
            return True
        if not len(self.keeps) or not len(self.weight) or most_outcomes < 1:
            return False
        inside = np.ones((1, len(self.weight)), bool)
        usable = np.ones((1, len(self.keeps)), bool)
        open_sets = [(most_outcomes, inside, usable)]
        size = max(1, CELLS // len(self.weight))
        while open_sets:
            left, inside, usable = open_sets.pop()
            if len(inside) > size:
                open_sets.append((left, inside[size:], usable[size:]))
            heavy, parts = self._extend(left, inside[:size], usable[:size])
            if heavy:
                return True
            if parts is not None:
                open_sets.append((left - 1, *parts))
        return False

    def _extend(
        self, left: int, inside: Array, usable: Array
    ) -> tuple[bool, tuple[Array, Array] | None]:
        """Add one outcome to each set; return the new sets that may be too heavy."""
        own = inside.astype(np.float64)
        positive, negative = own @ self.positive, own @ self.negative
        loss = positive[:, :1] - positive[:, 1:]
        gain = negative[:, 1:] - negative[:, :1]
        candidate = usable & (positive[:, 1:] > self.most) & (gain > 0)
        weight = positive[:, 1:] + negative[:, 1:]
        if (weight[candidate] > self.most).any():
            return True, None
        if left < 2 or not candidate.any():
            return False, None
        order = np.argsort(np.where(candidate, loss, np.inf), axis=1, kind="stable")
        loss = np.take_along_axis(loss, order, axis=1)
        gain = np.take_along_axis(gain, order, axis=1)
        others = _largest_before(gain, left - 1)
        untaken = np.minimum(0, negative[:, :1] + gain + others)
        bound = positive[:, :1] - loss + untaken
        sorted_candidate = np.take_along_axis(candidate, order, axis=1)
        of_set, place = np.nonzero(sorted_candidate & (bound > self.most))
        if not len(of_set):
            return False, None
        rank = np.argsort(order, axis=1, kind="stable")
        before = candidate[of_set] & (rank[of_set] < place[:, None])
        return False, (inside[of_set] & self.keeps[order[of_set, place]], before)


def _largest_before(gain: Array, number: int) -> Array:
    """Return the sum of the `number` largest gains before each position of a row."""
    largest = np.zeros((len(gain), number))  # in ascending order
    sums = np.zeros_like(gain)
    for place in range(1, gain.shape[1]):
        # a larger gain replaces the least of them
        largest[:, 0] = np.maximum(largest[:, 0], gain[:, place - 1])
        largest.sort(axis=1)
        sums[:, place] = largest.sum(axis=1)
    return sums
