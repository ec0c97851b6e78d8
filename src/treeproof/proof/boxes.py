"""The search for a box that weighs more than a given number.

Part of the checker: section 9 of docs/proof-format.md. A box is given by one choice for
each axis: on some axes an interval of codes, on others one code or all codes. A point
is in the box if the choice of every axis keeps its code. The search works on sets of
boxes, many at a time, and divides them in two until none of their boxes can be too
heavy. The *outer* points of a set are the points of any of its boxes. The *zone* of an
axis consists of the outer points that some of its choices keep and others do not. There
are two bounds on the weight of a box:

- One axis. Suppose that the other axes keep all outer points of positive weight and
  remove all negative points of their zones. Then the best choice of this axis bounds
  the weight of a box.
- All axes. The weight of a positive point is divided, in integers, among the axes whose
  zones contain it, and each part counts only if its axis keeps the point. This never
  underestimates a box, which contains a point only if all axes keep it. Negative points
  in several zones are left out. Then every axis has a best choice of its own.

A choice is removed if one of these bounds shows that all boxes with this choice are
light enough. And if any box is too heavy, so is its hull, the smallest box around its
positive points; so an end that can be moved only needs to be tried at codes of positive
points.

Sums of weights stay below 2^53, so that doubles represent them exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treeproof.proof.rejected import Array

ROUNDS = 3  # of removing choices
CELLS = 1 << 17  # about as many points are examined at a time
NOTHING = -float(1 << 60)


@dataclass(frozen=True)
class Axis:
    """The codes of the points on one axis, and the kind of its choices.

    If only one end can be moved, the other end is the first or the last code.
    """

    code: Array
    one: bool = False  # the choices are one code or all; otherwise intervals
    low_moves: bool = True
    high_moves: bool = True

    @property
    def n(self) -> int:
        """Return the number of codes."""
        return int(self.code.max(initial=-1)) + 1


class Sets:
    """Sets of boxes, and their points one after the other.

    `ends[c]` has four rows for axis c: the range of the lower end of a box, then that
    of the upper end. For an axis of one code or all codes, `may[c]` says which choices
    are left; the last one is all codes.
    """

    def __init__(
        self, ends: list[Array], may: list[Array], of_set: Array, point: Array
    ) -> None:
        self.ends, self.may, self.of_set, self.point = ends, may, of_set, point

    @property
    def size(self) -> int:
        """Return the number of sets."""
        return int(self.ends[0].shape[1]) if self.ends else 1

    def take(self, kept: Array) -> Sets:
        """Return some of the sets."""
        new = np.cumsum(kept) - 1
        has = kept[self.of_set]
        ends = [e[:, kept] for e in self.ends]
        may = [m[kept] for m in self.may]
        return Sets(ends, may, new[self.of_set[has]], self.point[has])

    def part(self, has: Array) -> None:
        """Keep some of the points."""
        if not has.all():
            self.of_set, self.point = self.of_set[has], self.point[has]


class BoxSearch:
    """The search for a box of more than `most`, given the weights of points."""

    def __init__(self, axes: list[Axis], weight: Array, most: int) -> None:
        self.axes, self.weight, self.most = axes, weight.astype(np.float64), most
        self.n_sets = 0

    def finds_one(self) -> bool:
        """Return whether any box weighs more than `most`."""
        point = np.flatnonzero(self.weight)
        ends, may = [], []
        for axis in self.axes:
            last = axis.n - 1
            low, high = last * axis.low_moves, last * (not axis.high_moves)
            ends.append(np.array([[0], [low], [high], [last]]))
            may.append(np.ones((1, axis.n + 1 if axis.one else 0), bool))
        open_sets = [Sets(ends, may, np.zeros(len(point), int), point)]
        while open_sets:
            some = self._next(open_sets)
            self.n_sets += some.size
            left = self._heavy(some)
            if not left.size:
                continue
            parts, single = self._cut(left)
            if single.any():
                weights = np.bincount(left.of_set, self.weight[left.point], left.size)
                if (weights[single] > self.most).any():
                    return True
            open_sets += parts
        return False

    def _next(self, open_sets: list[Sets]) -> Sets:
        """Take sets from the end of the list, as many as are examined at a time."""
        some = [open_sets.pop()]
        points = len(some[0].point)
        while open_sets and points + len(open_sets[-1].point) <= CELLS:
            some.append(open_sets.pop())
            points += len(some[-1].point)
        if len(some) > 1:
            return _joined(some)
        if points > CELLS and some[0].size > 1:  # too many at a time
            first = np.arange(some[0].size) < some[0].size // 2
            open_sets.append(some[0].take(~first))
            return some[0].take(first)
        return some[0]

    def _heavy(self, sets: Sets) -> Sets:
        """Return the sets in which a box could be too heavy, with the choices left."""
        done: list[Sets] = []
        for _ in range(ROUNDS):
            sets = self._shrink(sets)
            if not sets.size:
                break
            kept, changed = self._strike(sets)
            done.append(sets.take(kept & ~changed))
            sets = sets.take(kept & changed)
        done.append(self._shrink(sets))
        return _joined([d for d in done if d.size] or [done[-1]])

    def _outer(self, sets: Sets) -> None:
        for axis, ends, may in zip(self.axes, sets.ends, sets.may, strict=True):
            x, at = axis.code[sets.point], sets.of_set
            if axis.one:
                sets.part(may[at, x] | may[at, -1])
            else:
                sets.part((x >= ends[0][at]) & (x <= ends[3][at]))

    def _shrink(self, sets: Sets) -> Sets:
        """Reduce the points to outer ones, and the ends to codes of positive ones."""
        self._outer(sets)
        positive = np.maximum(self.weight[sets.point], 0)
        sets = sets.take(np.bincount(sets.of_set, positive, sets.size) > self.most)
        if not sets.size:
            return sets
        right = self.weight[sets.point] > 0
        at, point = sets.of_set[right], sets.point[right]
        begin = np.searchsorted(at, np.arange(sets.size))
        fine = np.ones(sets.size, bool)
        for axis, ends in zip(self.axes, sets.ends, strict=True):
            if axis.one:
                continue
            x = axis.code[point]
            if axis.low_moves:
                ends[0] = np.maximum(ends[0], np.minimum.reduceat(x, begin))
            if axis.high_moves:
                ends[3] = np.minimum(ends[3], np.maximum.reduceat(x, begin))
            fine &= _consistent(ends)
        sets = sets.take(fine)
        self._outer(sets)
        return sets

    def _zone(self, c: int, sets: Sets, at: Array, x: Array) -> Array:
        axis, ends, may = self.axes[c], sets.ends[c], sets.may[c]
        if not axis.one:
            inside: Array = (x < ends[1][at]) | (x > ends[2][at])
            return inside
        several, both = may.sum(axis=1), may[:, -1] & (may.sum(axis=1) == 2)
        free: Array = (several > 1)[at] & ~(both[at] & may[at, x])
        return free

    def _strike(self, sets: Sets) -> tuple[Array, Array]:
        """Remove choices; return where a box could be too heavy, and what changed."""
        at, n = sets.of_set, sets.size
        w = self.weight[sets.point]
        zones = []
        count, last = np.zeros(len(at), np.int16), np.zeros(len(at), np.int16)
        for c, axis in enumerate(self.axes):
            zones.append(self._zone(c, sets, at, axis.code[sets.point]))
            count += zones[c]
            last[zones[c]] = c
        positive = w > 0
        certain = np.bincount(at, w * (positive | (count == 0)), n)
        alone = ~positive & (count == 1)
        claim = np.zeros((len(self.axes), n))
        np.add.at(claim, (last[alone], at[alone]), -w[alone])
        claims = np.zeros(len(at))
        for c, zone in enumerate(zones):
            claims += np.where(zone & positive, claim[c][at], 0)
        total = certain - np.bincount(at, w * (claims > 0), n)
        rest, bound, tables = w.copy(), certain.copy(), []
        for c, zone in enumerate(zones):
            used = claim[c] > 0
            table = _Table(self.axes[c], sets, c, used)
            own = zone & used[at]
            mine = own & positive
            i, k = at[mine], np.flatnonzero(mine)
            # The last axis gets all that is left.
            share = np.floor(rest[k] * (claim[c][i] / claims[k]))
            rest[k] -= share
            claims[k] -= claim[c][i]
            inside = np.bincount(i, w[k], n)
            below = own & alone
            code = self.axes[c].code[sets.point]
            lost = table.at_codes(at[below], code[below], w[below])
            table.add(
                table.at_codes(i, code[mine], w[k]) + lost,
                table.at_codes(i, code[mine], share) + lost,
            )
            one, both = table.best()
            bound = np.where(used, np.minimum(bound, certain - inside + one), bound)
            total += np.where(used, both, 0)
            tables.append((table, certain - inside, both))
        kept = np.minimum(bound, total) > self.most
        changed = np.zeros(n, bool)
        for c, (table, one, both) in enumerate(tables):
            strike = table.strike_codes if self.axes[c].one else table.strike_ends
            fine, new = strike(self.most - one, self.most - total + both)
            kept &= fine
            changed |= new
        return kept, changed

    def _cut(self, sets: Sets) -> tuple[list[Sets], Array]:
        """Divide each set on an axis whose zone has much weight of both signs.

        Also return which sets have only one box.
        """
        at, n, w = sets.of_set, sets.size, self.weight[sets.point]
        best, where = np.full(n, -1.0), np.zeros(n, int)
        for c, axis in enumerate(self.axes):
            x, ends = axis.code[sets.point], sets.ends[c]
            if axis.one:
                sides = [(sets.may[c].sum(axis=1) > 1, np.ones(len(x), bool))]
            else:
                sides = [
                    (ends[0] < ends[1], x < ends[1][at]),
                    (ends[2] < ends[3], x > ends[2][at]),
                ]
            for side, (possible, zone) in enumerate(sides):
                gain = np.bincount(at[zone], np.maximum(w[zone], 0), n)
                loss = np.bincount(at[zone], np.maximum(-w[zone], 0), n)
                score = np.where(possible, np.sqrt(gain * loss), -1.0)
                where[score > best] = 2 * c + side
                best = np.maximum(best, score)
        parts = []
        for place in np.unique(where[best >= 0]).tolist():
            chosen = (where == place) & (best >= 0)
            for upper in (False, True):
                part = sets.take(chosen)
                c, high = divmod(place, 2)
                if self.axes[c].one:
                    self._half_codes(part.may[c], upper)
                    parts.append(part)
                else:
                    parts.append(part.take(self._half_range(part, c, high, upper)))
        return [p for p in parts if p.size], best < 0

    def _half_range(self, sets: Sets, c: int, high: int, upper: bool) -> Array:
        """Halve the range of an end, by positive weight."""
        ends, n = sets.ends[c], sets.size
        first, last = ends[2 * high], ends[2 * high + 1]
        x, w = self.axes[c].code[sets.point], self.weight[sets.point]
        low, top = (first + high)[sets.of_set], (last - 1 + high)[sets.of_set]
        inside = (w > 0) & (x >= low) & (x <= top)
        codes = self.axes[c].n
        place = sets.of_set[inside] * codes + x[inside]
        at = np.bincount(place, w[inside], n * codes).reshape(n, codes)
        sums = np.cumsum(at, axis=1)
        middle = np.argmax(2 * sums >= sums[:, -1:], axis=1)
        middle = np.clip(middle, first, last - 1)
        if upper:
            ends[2 * high] = middle + 1
        else:
            ends[2 * high + 1] = middle
        return _consistent(ends)

    @staticmethod
    def _half_codes(may: Array, upper: bool) -> None:
        """Separate "all codes" from single codes; if that is done, halve these."""
        rank = np.cumsum(may, axis=1)
        later = 2 * rank > rank[:, -1:]
        apart = np.zeros_like(may)
        apart[:, -1] = True
        may &= np.where(may[:, -1:], apart, later) == upper


class _Table:
    """The weight of the zone that each choice keeps, for every set and bound."""

    def __init__(self, axis: Axis, sets: Sets, c: int, used: Array) -> None:
        self.n, self.used = axis.n, used
        self.may = sets.may[c]
        self.ends = sets.ends[c]
        self.code = np.arange(axis.n)
        self.one = axis.one

    def at_codes(self, of_set: Array, code: Array, weight: Array) -> Array:
        """Sum weights at each code."""
        size = len(self.used)
        sums = np.bincount(of_set * self.n + code, weight, size * self.n)
        return sums.reshape(size, self.n)

    def add(self, *at: Array) -> None:
        """Set the weights at each code, for the first and the second bound."""
        if self.one:
            whole = [a.sum(axis=1, keepdims=True) for a in at]
            self.choices = [np.hstack(pair) for pair in zip(at, whole, strict=True)]
            return
        a0, a1, b0, b1 = (e[:, None] for e in self.ends)
        self.low = (self.code >= a0) & (self.code <= a1)
        self.high = (self.code >= b0) & (self.code <= b1)
        self.choices, self.sums = [], []
        for each in at:
            upto = np.cumsum(each, axis=1)
            top = np.where(self.high, upto, NOTHING)[:, ::-1]
            top = np.maximum.accumulate(top, axis=1)[:, ::-1]
            self.sums.append((upto, upto - each))
            self.choices.append(np.where(self.low, top - (upto - each), NOTHING))

    def best(self) -> list[Array]:
        """Return the largest weight that a choice keeps, for both bounds."""
        allowed = self.may if self.one else self.low
        return [np.where(allowed, own, NOTHING).max(axis=1) for own in self.choices]

    def strike_codes(self, *needed: Array) -> tuple[Array, Array]:
        """Remove choices that keep no more than needed, for one of the bounds."""
        fine = self._more_than(self.choices, needed)
        new = np.logical_or.reduce(self.may & ~fine, axis=1)
        self.may &= fine
        return np.logical_or.reduce(self.may, axis=1), new

    def strike_ends(self, *needed: Array) -> tuple[Array, Array]:
        """Move ends inward past codes that keep no more than needed, for a bound."""
        before = self.ends.copy()
        fine = self.low & self._more_than(self.choices, needed)
        some = self._move(0, fine)
        a0, a1 = self.ends[0][:, None], self.ends[1][:, None]
        low = (self.code >= a0) & (self.code <= a1)
        kept = []
        for upto, under in self.sums:
            least = np.minimum.accumulate(np.where(low, under, -NOTHING), axis=1)
            kept.append(upto - least)
        some &= self._move(2, self.high & self._more_than(kept, needed))
        some &= _consistent(self.ends)
        new: Array = (self.ends != before).any(axis=0)
        return some, new

    def _more_than(self, kept: list[Array], needed: tuple[Array, ...]) -> Array:
        fine = [k > least[:, None] for k, least in zip(kept, needed, strict=True)]
        both: Array = (fine[0] & fine[1]) | ~self.used[:, None]
        return both

    def _move(self, end: int, fine: Array) -> Array:
        some: Array = np.logical_or.reduce(fine, axis=1)
        self.ends[end] = np.where(some, fine.argmax(axis=1), self.ends[end])
        last = self.n - 1 - fine[:, ::-1].argmax(axis=1)
        self.ends[end + 1] = np.where(some, last, self.ends[end + 1])
        return some


def _consistent(ends: Array) -> Array:
    ends[1] = np.minimum(ends[1], ends[3])
    ends[2] = np.maximum(ends[2], ends[0])
    fine: Array = (ends[0] <= ends[1]) & (ends[2] <= ends[3])
    return fine


def _joined(sets: list[Sets]) -> Sets:
    if len(sets) == 1:
        return sets[0]
    sizes = np.cumsum([0] + [s.size for s in sets])
    axes = range(len(sets[0].ends))
    return Sets(
        [np.hstack([s.ends[c] for s in sets]) for c in axes],
        [np.vstack([s.may[c] for s in sets]) for c in axes],
        np.concatenate([s.of_set + k for s, k in zip(sets, sizes, strict=False)]),
        np.concatenate([s.point for s in sets]),
    )
