"""Other leaves, for the exact checker: shares, quantiles, counts, lifetimes.

Section 5 of docs/proof-format.md. Deviances are sums of logarithms, which are not
fractions. They are enclosed between two fractions that differ by less than 2^-140, and
losses are rounded down by that. Only for proofs of these losses does anything depend on
this module.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from itertools import accumulate
from typing import Any

from treeproof.proof.exact_data import Problem, Rows, number, require

BITS = 192
ONE = 1 << BITS
ENOUGH = ONE >> 150  # exceeds the rounding error of a hundred terms


SHARES = ("log_loss", "gini")
OTHERS = (*SHARES, "quantile", "poisson", "survival")


class LeafProblem(Problem):
    """The losses of other leaves: shares of classes, quantiles, counts, lifetimes.

    With smoothing, every leaf has imaginary rows: one of this weight for each class.
    """

    def __init__(self, h: Any, columns: Any, target: Any, weight: Any, costs: Any):
        self.levels, self.smoothing = [Fraction(1, 2)], Fraction(0)
        self.of_shares = h["loss"] in SHARES
        if h["loss"] == "survival":
            rows = [list(y) if isinstance(y, (list, tuple)) else [y] for y in target]
            target, weight = exposures(rows, weight)
        if h["loss"] == "quantile":
            self.levels = [Fraction(number(q)) for q in h["quantiles"]]
            require(self.levels and all(0 < q < 1 for q in self.levels), "quantiles")
        if self.of_shares:
            self.smoothing = Fraction(number(h["smoothing"]))
            require(self.smoothing >= 0, "smoothing is negative")
        super().__init__(h, columns, target, weight, costs)
        if self.of_shares:  # the unit of penalties, as the mean is minimised
            self.root = sum(self.heft)

    @property
    def n_outputs(self) -> int:
        """Return the number of values that a leaf predicts."""
        each = self.n_actions if self.of_shares else len(self.target[0])
        return each * len(self.levels)

    @n_outputs.setter
    def n_outputs(self, given: int) -> None:
        pass  # the number is not that of the targets

    def loss(self, rows: Rows, o: int, p: Any) -> Any:
        """Return the loss of a constant on an output; None for the best one."""
        o, k = divmod(o, len(self.levels))
        if self.of_shares:
            pairs = [(Fraction(self.target[i] == [o]), self.heft[i]) for i in rows]
            every = range(self.n_actions if self.smoothing else 0)
            pairs += [(Fraction(c == o), self.smoothing) for c in every]
        else:
            pairs = [(self.target[i][o], self.heft[i]) for i in rows]
        if self.loss_name == "quantile":
            q, points = self.levels[k], {y for y, _ in pairs} if p is None else {p}
            return min(
                sum(w * max(q * (y - at), (q - 1) * (y - at)) for y, w in pairs)
                for at in points
            )
        require(all(y >= 0 for y, _ in pairs), "a target is negative")
        mean = sum(w * y for y, w in pairs) / sum(w for _, w in pairs)
        near = max(abs(y) for y, _ in pairs) / 2**50
        best = p is None or abs(p - mean) <= near
        if self.loss_name == "gini":
            return sum(w * (y - (mean if best else p)) ** 2 for y, w in pairs)
        require(p is None or p >= 0, "a leaf predicts a negative number")
        return deviance(pairs) if best else deviance_from(pairs, p)


@cache
def log(x: Fraction) -> tuple[Fraction, Fraction]:
    """Return a fraction below the logarithm of a positive one, and a fraction above."""
    twos, low = 0, 0
    while x > Fraction(4, 3):
        steps = max(x.numerator.bit_length() - x.denominator.bit_length() - 1, 1)
        twos, x = twos + steps, x / 2**steps
    while x < Fraction(2, 3):
        steps = max(x.denominator.bit_length() - x.numerator.bit_length() - 1, 1)
        twos, x = twos - steps, x * 2**steps
    low = twice_artanh((x - 1) / (x + 1)) + twos * twice_artanh(Fraction(1, 3))
    room = (1 + abs(twos)) * ENOUGH
    return Fraction(low - room, ONE), Fraction(low + room, ONE)


def twice_artanh(t: Fraction) -> int:
    """Return 2 artanh t = 2 (t + t^3 / 3 + t^5 / 5 + ...), times about 2^192.

    |t| is at most a third: after 70 terms the rest is below 2^-220.
    """
    power = t.numerator * ONE // t.denominator
    square, total = power * power >> BITS, 0
    for k in range(1, 141, 2):
        total += power // k
        power = power * square >> BITS
    return 2 * total


def deviance(pairs: list[Any]) -> Fraction:
    """Return the loss of the mean of some targets with weights, rounded down.

    That is the sum of w y log y less S log(S / W), with W the sum of w, S of w y.
    """
    total = sum(w * y for y, w in pairs)
    if not total:
        return Fraction(0)
    own = sum(w * y * log(y)[0] for y, w in pairs if y)
    loss = own - total * (log(total)[1] - log(Fraction(sum(w for _, w in pairs)))[0])
    return max(loss, Fraction(0))


def deviance_from(pairs: list[Any], p: Fraction) -> Fraction:
    """Return the loss of a constant: the sum of w (y log(y / p) - y + p)."""
    require(p > 0 or not any(y for y, _ in pairs), "a leaf predicts zero")
    if p <= 0:
        return Fraction(0)
    logs = ((y, w, log(y)[0] - log(p)[0] if y else Fraction(0)) for y, w in pairs)
    return Fraction(sum(w * (y * of - y + p) for y, w, of in logs))


def exposures(target: list[list[Any]], weight: list[float]) -> tuple[Any, list[float]]:
    """Return events by exposure and exposures as weights, in doubles as on the page."""
    if {len(y) for y in target} == {1}:
        target = [[1.0, *y] for y in target]
    rows = [(*map(float, y), float("-inf")) for y in target]
    for event, time, late, *_ in rows:
        require(event in (0, 1) and time >= 0 and late < time, "a lifetime")
    kept = [i for i, w in enumerate(weight) if w > 0]
    moments = sorted({rows[i][1] for i in kept if rows[i][0]})
    events = dict.fromkeys(moments, 0.0)
    for i in kept:
        if rows[i][0]:
            events[rows[i][1]] += weight[i]

    def still(column: int) -> Iterable[float]:
        order = sorted(kept, key=lambda i: rows[i][column])
        total = [0.0, *accumulate(weight[i] for i in order)]
        at, before = 0, []
        for moment in moments:
            while at < len(order) and rows[order[at]][column] < moment:
                at += 1
            before.append(total[-1] - total[at])
        return before

    hazard, known = 0.0, [(float("-inf"), 0.0)]
    for moment, stayed, to_come in zip(moments, still(1), still(2), strict=True):
        hazard += events[moment] / (stayed - to_come)
        known.append((moment, hazard))

    def upto(time: float) -> float:
        return max(h for moment, h in known if moment <= time)

    exposed = [upto(time) - upto(late) for _, time, late, *_ in rows]
    some = [e > 0 and w > 0 for e, w in zip(exposed, weight, strict=True)]
    given = zip(rows, exposed, some, strict=True)
    events_by = [[row[0] / e if has else 0.0] for row, e, has in given]
    return events_by, [w * e for w, e in zip(weight, exposed, strict=True)]
