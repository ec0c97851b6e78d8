"""The problem of a proof, recomputed from its header and the table.

Part of the checker: the standard library and NumPy only.
"""

from __future__ import annotations

import hashlib
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np

from treeproof.proof.deviances import Deviances
from treeproof.proof.encoding import columns_of, encode_column, read_labels, views
from treeproof.proof.gains import Gains
from treeproof.proof.header import (
    TOLERANCE,
    UNIT,
    Header,
    covers,
    read_whole,
)
from treeproof.proof.lifetimes import exposures
from treeproof.proof.limits import Limits
from treeproof.proof.line_leaves import LineLeaves
from treeproof.proof.ratio import Ratio
from treeproof.proof.rejected import Array, require
from treeproof.proof.targets import Distances, Squares, Targets

MAX_WEIGHT = 1 << 30
MAX_SCALE = 2.0**1000
MAX_SUM = 1 << 53  # up to this, sums of integers in doubles are exact


class Problem:
    """The training data as numbers, recomputed from the table.

    A column of the table has one or several views; tests ask about views. The codes of
    all views are numbered consecutively, those of a view from its entry of `start` on.
    A child of a test has the codes from `ends[0]` to `ends[1]` - 1 and from `ends[2]`
    to `ends[3]` - 1; `test` and `view` give the test and the view of each child, and
    `splits` says how each view is split. `channels` are numbers of a row whose sums
    over a set of rows determine the cost of a leaf; the last one counts rows.
    """

    def __init__(
        self,
        header: Header,
        X: Any,
        y: Any,
        sample_weight: Any,
        costs: Any = None,
        groups: Any = None,
    ) -> None:
        self.header = header
        columns = columns_of(X, header.features)
        self.limits: Limits | None = None
        if header.raw.get("constraints") is not None:
            require(header.costly, "constraints need costs.")
            plain = all(header.raw.get(k) is None for k in ("classes", "cost_matrix"))
            plain = plain and header.raw.get("measure") == "cost"
            require(plain, "constraints need plain errors.")
            n = len(np.asarray(y))
            weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight)
            same = weight.shape == (n,) and bool(np.all(np.isfinite(weight)))
            require(same and bool(np.all(weight >= 0)), "the weights are not usable.")
            self.limits = Limits(header.raw, np.asarray(y), weight, groups)
            y = costs = self.limits.costs
            sample_weight = self.limits.kept.astype(np.float64)
        costs = y if costs is None else costs
        y = np.asarray(y if "classes" in header.raw or not header.costly else costs)
        require(y.ndim > 0, "neither labels nor costs are given.")
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        weight = np.asarray(weight, dtype=np.float64)
        same = {len(c) for c in columns} <= {len(y)} and weight.shape == (len(y),)
        require(same, "the table, the labels and the weights differ in length.")
        fine = np.all(np.isfinite(weight)) and np.all(weight >= 0)
        require(fine, "a weight is negative or not finite.")
        target: Any = None
        self.ratio: Ratio | None = None
        if header.labelled or (header.costly and "classes" in header.raw):
            target, factor = read_labels(header.raw, y)
            if header.raw.get("metric") is not None:
                require(header.exact and not header.costly, "this has no metric.")
                self.ratio = Ratio(header.raw, target, weight)
            weight = weight * factor[target]
        elif header.raw["loss"] == "survival":
            target, weight = exposures(y, weight)
        elif not header.exact:
            target = y.astype(np.float64) + 0.0  # -0.0 is 0.0
        self.gains: Any = None
        if header.costly:
            self.gains = Gains(header.raw, costs, target, weight)
        self._keep_rows(columns, target, weight)

    def _keep_rows(self, columns: list[Array], target: Any, weight: Array) -> None:
        """Leave out rows without weight, encode the others, and merge equal ones."""
        header = self.header
        kept = weight > 0
        fine = np.all(np.isfinite(weight)) and kept.any()
        require(fine, "the weights are not finite, or all are zero.")
        self.left_out = int((~kept).sum())
        self.whole_table = kept
        self.prices: Any = None  # set when they have been read
        # The same if they hold for the step, otherwise None.
        self.step_prices: Any = None
        weight, target = weight[kept], None if target is None else target[kept]
        self.weights = weight
        digest = hashlib.sha256()
        pairs = zip(header.features, columns, strict=True)
        coded = [encode_column(f, c[kept], digest, header.text) for f, c in pairs]
        self.lines = {
            k: columns[k][kept].astype(np.float64) for k in header.line_columns
        }
        if target is not None:
            coded_as = "<i4" if target.dtype.kind == "i" else "<f8"
            digest.update(target.astype(coded_as).tobytes())
        if self.gains is not None:
            named = json.dumps(self.gains.actions)
            require(named in header.text, "the actions are not written as by Python.")
            digest.update(named.encode())
            costs = self.gains.costs + 0.0  # -0.0 is 0.0
            digest.update(costs.astype("<f8").tobytes())
        digest.update(weight.astype("<f8").tobytes())
        same = header.raw.get("fingerprint") == "sha256:" + digest.hexdigest()
        require(same, "the proof is about other data: the fingerprint differs.")
        self._see(coded)
        self.tolerance: Any = 0
        if header.costly:
            self._merge_gains()
        else:
            (self._merge if header.exact else self._centre)(target, weight)
        same = read_whole(header.raw.get("n_rows"), "n_rows") == len(weight)
        require(same, "the number of rows differs from the proof's.")
        self._check_penalty()

    def _see(self, coded: list[tuple[Array, int]]) -> None:
        """List the views of all columns, and the tests on them."""
        header = self.header
        n_rows = len(self.weights)
        sizes, self.splits, seen = [], [], [np.zeros((n_rows, 0), int)]
        self.directions: list[int] = []  # of each view
        self.column: list[int] = []  # of each view, its column of the table
        named = zip(header.features, header.directions, coded, strict=True)
        for column, (feature, direction, (code, n)) in enumerate(named):
            for split, place in views(feature["split"], n, feature.get("missing")):
                fine = direction == 0 or split == "threshold"
                require(fine, "a directed column is not split by thresholds.")
                self.directions.append(direction)
                self.column.append(column)
                self.splits.append(split)
                sizes.append(int(place.max(initial=-1)) + 1)
                seen.append(place[code][:, None])
        self.start = np.cumsum([0, *sizes])
        self.codes = np.hstack(seen) + self.start[:-1]
        self._make_tests(sizes)

    def _check_penalty(self) -> None:
        """Check that the cost of a split follows from the penalty."""
        header = self.header
        penalty, claimed = header.split_penalty, header.split_cost
        if self.gains is not None:
            penalty = self.gains.fraction(penalty)
        cost = penalty * self.unit
        if header.exact:
            cost = math.floor(cost + 0.5)
        right = abs(cost - claimed) <= self.tolerance
        require(right, f"split_cost is {claimed}, but the penalty says {cost}.")

    def _make_tests(self, sizes: list[int]) -> None:
        blocks = [np.zeros((6, 0), np.int64)]
        self.n_tests = 0
        for v, (split, size) in enumerate(zip(self.splits, sizes, strict=True)):
            if size < 2:
                continue
            value, start, end = np.arange(size), self.start[v], self.start[v + 1]
            if split == "multiway":
                test = 0 * value
                ends = [start + value, start + value + 1, test, test]
            else:
                ordered = split == "threshold"
                test = np.repeat(value[: size - 1 if ordered or size == 2 else size], 2)
                low, high = start + (0 if ordered else test), start + test + 1
                # The second child has all other codes.
                rest = np.arange(len(test)) % 2 == 1
                ends = [
                    np.where(rest, start, low),
                    np.where(rest, low, high),
                    np.where(rest, high, end),
                    0 * test + end,
                ]
            blocks.append(np.stack([*ends, test + self.n_tests, 0 * test + v]))
            self.n_tests += int(test[-1]) + 1
        self.ends, (self.test, self.view) = np.split(np.hstack(blocks), [4])
        self.first = np.searchsorted(self.test, np.arange(self.n_tests + 1))  # child
        self.n_children = np.diff(self.first)
        self.multiway = bool((self.n_children > 2).any())
        header = self.header
        require(not (header.is_list and self.multiway), "a list has two-way tests.")
        if any(header.directions):
            named = header.raw.get("actions" if header.costly else "classes")
            two = header.exact and isinstance(named, list) and len(named) == 2
            require(two, "only predictions of two classes can be monotone.")
        # The class that a child must predict if it is a leaf beside the other child.
        along = np.array(self.directions, dtype=int)[self.view]
        second = np.arange(len(self.test)) - self.first[self.test]
        self.says = np.where(along == 0, -1, (along > 0) == (second > 0)).astype(int)
        self.one_leaf = header.is_list | (along[self.first[:-1]] != 0)  # for each test

    def _merge(self, label: Array, weight: Array) -> None:
        """Merge equal rows, round their weights, and compute forced errors.

        Channels: weight by class, forced errors, rows of the table.
        """
        n_classes = len(self.header.raw["classes"])
        total, cap = float(np.cumsum(weight)[-1]), MAX_WEIGHT - len(label) - 1.0
        scale = 1.0
        fits = cap > 0 and math.isfinite(total)
        require(fits, "there are too many rows, or too large weights.")
        if not np.all(weight == np.floor(weight)) or total >= cap:
            scale = 2.0 ** (math.frexp(min(cap / total, MAX_SCALE))[1] - 1)
        group = self._groups()
        pair = group * n_classes + label
        _, sample, merged = np.unique(pair, return_index=True, return_inverse=True)
        summed = np.bincount(merged, weight)
        rounded = np.floor(summed * scale + 0.5).astype(np.int64)
        rounded = np.maximum(rounded, 1)  # no weight is rounded to 0
        self.place, self.exponent = merged.reshape(-1), math.frexp(scale)[1] - 1
        self.first_row = sample
        self.summed, self.rounded = summed, rounded
        self.codes, label, group = self.codes[sample], label[sample], group[sample]
        self.channels = np.zeros((len(sample), n_classes + 2), np.int64)
        self.channels[np.arange(len(sample)), label] = rounded
        self.channels[:, -1] = np.bincount(merged)
        # The first row of each group.
        first = np.flatnonzero(np.diff(group, prepend=-1))
        by_group = np.add.reduceat(self.channels[:, :-2], first)
        self.channels[first, -2] = by_group.sum(axis=1) - by_group.max(axis=1)
        self.unit: Any = int(rounded.sum()) * UNIT

    def _groups(self) -> Array:
        """Return a number for each row, the same if no test tells rows apart."""
        if not self.codes.shape[1]:
            return np.zeros(len(self.codes), int)
        return np.unique(self.codes, axis=0, return_inverse=True)[1].reshape(-1)

    def _merge_gains(self) -> None:
        """Merge rows that no test tells apart; channels as for labels, by action."""
        gains = self.gains
        self.place = group = self._groups()
        sample = np.unique(group, return_index=True)[1]
        self.codes, self.first_row = self.codes[sample], sample
        own = np.zeros((len(sample), len(gains.actions)), np.int64)
        np.add.at(own, group, gains.whole)
        forced = own.sum(axis=1) - own.max(axis=1)
        self.channels = np.column_stack([own, forced, np.bincount(group)])
        self.unit = gains.total * UNIT

    def _centre(self, target: Array, weight: Array) -> None:
        """Make the channels of a regression."""
        header, loss = self.header, self.header.raw["loss"]
        self.targets: Targets | LineLeaves
        if header.of_shares:
            target = np.eye(len(header.raw["classes"]))[target]
        if loss in ("squared_error", "gini"):
            self.targets = Squares(target, weight, header.smoothing)
        elif loss in ("absolute_error", "quantile"):
            twice = 2.0 if loss == "absolute_error" else 1.0
            self.targets = Distances(target, weight, header.levels, twice)
        elif loss == "linear":
            self.targets = LineLeaves(target, weight, self.lines, header.ridge)
        else:
            self.targets = Deviances(target, weight, header.smoothing)
        self.channels = self.targets.channels
        self.unit = self.targets.root_loss
        self.tolerance = TOLERANCE * self.unit
        if header.of_shares:  # costs are stated as means
            self.unit = float(weight.sum())

    # The costs of a set of rows, from the sums of its channels (the first axis).

    def weight(self, c: Array) -> Any:
        """Return the weight of a set (classification)."""
        return c[:-2].sum(axis=0)

    def most(self, c: Array) -> Any:
        """Return the weight of its heaviest class."""
        return c[:-2].max(axis=0)

    def forced(self, c: Array) -> Any:
        """Return what rows cost in every tree because no test tells them apart."""
        return c[-2] * UNIT if self.header.exact else 0.0 * c[-1]

    def rounded_worth(self, worth: Any, c: Array) -> Any:
        """Round up the bound that prices give for trees that are not a leaf."""
        return self.header.rounded(worth, self.forced(c), 1, self.multiway)

    def leaf(self, c: Array) -> Any:
        """Return the cost of the best constant prediction."""
        if self.header.exact:
            return (self.weight(c) - self.most(c)) * UNIT
        return self.targets.leaf(c)

    def leaf_saying(self, c: Array, says: Array) -> Any:
        """Return the cost of leaves that must predict a class (-1 for any class)."""
        leaf = self.leaf(c)
        if not self.header.exact or not (says >= 0).any():
            return leaf
        own = np.where(says == 1, c[1], c[0])  # there are two classes
        return np.where(says < 0, leaf, (self.weight(c) - own) * UNIT)

    def child(self, test: Any, outcome: Any) -> int:
        """Return the number of a child, which must exist."""
        known = read_whole(test, "a test") < self.n_tests
        require(known, f"there is no test {test}.")
        known = read_whole(outcome, "an outcome") < self.n_children[test]
        require(known, f"test {test} has no outcome {outcome}.")
        return int(self.first[test]) + outcome

    def within(self, rows: Array, child: int) -> Array:
        """Return the rows among these that are in a child."""
        return rows[between(self.codes[rows, self.view[child]], self.ends[:, child])]

    def check_tree(self) -> Any:
        """Recompute the cost of the tree in the header; require that it is allowed."""
        h = self.header
        loss, penalties = self._walk(h.raw.get("tree"))
        cost = loss + penalties * h.split_cost
        right = abs(cost - h.upper) <= self.tolerance
        require(right, f"the tree costs {cost}, not {h.upper}.")
        self.objective = self._stated(loss) + penalties * h.split_penalty
        return cost

    def tree_parts(self) -> tuple[Any, int]:
        """Return loss and penalties of the tree in the header."""
        return self._walk(self.header.raw.get("tree"))

    def check_limits(self) -> tuple[int, int, Fraction]:
        """Return errors and penalties of the tree that keeps the limits, and a bound.

        The bound is a lower bound on the cost of all trees that keep the limits.
        """
        assert self.limits is not None
        _, penalties = self._walk(self.limits.tree)
        wrong = self.limits.check_tree(self._said_of_rows())
        least = self.priced_base() + Fraction(self.header.lower, UNIT)
        return wrong, penalties, self.limits.bound(least)

    def priced_base(self) -> Fraction:
        """Return the part of every tree's priced cost that the steps do not count."""
        gains = self.gains
        require(gains.exponent == 0 and not gains.rounded, "the costs were rounded.")
        worst = sum(map(Fraction, gains.worst.tolist()))
        return Fraction(worst - (gains.total - gains.raised))

    def _said_of_rows(self) -> Array:
        """Return the tree's prediction for every row of the table."""
        says = np.zeros(len(self.whole_table), int)
        says[self.whole_table] = self.said[self.place]
        return says

    def _walk(self, tree: Any) -> tuple[Any, int]:
        """Return loss and penalties of a tree; require that it is allowed."""
        h = self.header
        loss: Any = 0
        splits = leaves = depth = 0
        self.said = np.zeros(len(self.codes), int)  # the prediction for each row
        directed: list[Any] = []  # what the sides of a split must predict, one of them
        stack: list[Any] = [(tree, np.arange(len(self.codes)), 0)]
        while stack:
            node, rows, level = stack.pop()
            depth = max(depth, level)
            require(isinstance(node, dict), "the tree has a node that is no object.")
            both = "test" in node and "predict" in node
            require(not both, "the tree has a node with a test and a prediction.")
            if "test" not in node:
                enough = self.channels[rows, -1].sum() >= h.min_leaf or level == 0
                require(enough, "the tree has a leaf with too few rows.")
                loss += self._leaf_loss(node.get("predict"), rows)
                if h.exact:
                    self.said[rows] = node["predict"]
                leaves += 1
                continue
            splits += 1
            children = node.get("children")
            split = isinstance(children, list) and len(children) > 1
            require(split, "the tree has a split with fewer than two children.")
            for pair in children:
                proper = isinstance(pair, list) and len(pair) == 2
                require(proper, "a child in the tree is not [outcome, tree].")
                part = self.within(rows, self.child(node["test"], pair[0]))
                stack.append((pair[1], part, level + 1))
            parts = stack[-len(children) :]
            inner = [isinstance(c, dict) and "test" in c for _, c in children]
            some = not (h.is_list and all(inner))
            require(some, "the tree is no list: both children of a split are split.")
            says = [self.says[self.child(node["test"], v)] for v, _ in children]
            if says[0] >= 0:
                directed.append([(c, p[1]) for c, p in zip(says, parts, strict=True)])
            whole = sum(len(part) for _, part, _ in parts)
            once = len({outcome for outcome, _ in children}) == len(children)
            shared = once and whole == len(rows)
            require(shared, "the children of a split do not share out its rows.")
        for sides in directed:
            kept = any((self.said[rows] == says).all() for says, rows in sides)
            require(kept, "the tree is not monotone in a column that must be.")
        allowed = covers(h.max_depth, depth) and covers(h.max_splits, splits)
        require(allowed, "the tree is deeper or larger than allowed.")
        return loss, leaves - 1 if h.penalize == "leaves" else splits

    def _stated(self, loss: Any) -> float:
        """Return the tree's cost without penalties, in the user's unit."""
        if self.ratio is not None:
            self.ratio.check_tree(self._said_of_rows())
        if self.gains is None:
            return float(loss / (self.unit or 1))
        return float(self.gains.objective(self.said[self.place]))

    def stated_bound(self, lower: Any) -> float:
        """Return the lower bound in the user's unit."""
        if self.gains is None:
            return float(lower / (self.unit or 1))
        # Errors and penalties together are the gains that a tree misses.
        return float(self.gains.bound(self.gains.total - lower / UNIT))

    def check_ratio(self) -> None:
        """Check that the bound on errors proves the claims about the ratio."""
        if self.ratio is None:
            return
        exact = self.exponent <= 0 and self.summed.sum() < MAX_SUM
        require(exact, "the weights are too large.")
        # A tree has at most as many leaves as there are rows, and errors are integers.
        penalties = (len(self.weights) - 1) * self.header.split_cost
        wrong = -(-max(self.header.lower - penalties, 0) // UNIT)
        scale = Fraction(2) ** self.exponent
        pairs = zip(self.rounded.tolist(), self.summed.tolist(), strict=True)
        off = sum(max(r / scale - Fraction(w), Fraction(0)) for r, w in pairs)
        self.ratio.check_bound(wrong / scale - off)

    def _leaf_loss(self, predict: Any, rows: Array) -> Any:
        if self.header.exact:
            total = self.channels[rows].sum(axis=0)
            known = read_whole(predict, "a predicted class") < len(total) - 2
            require(known, f"there is no class {predict}.")
            return int(self.weight(total) - total[predict]) * UNIT
        values = predict if isinstance(predict, list) else [predict]
        return self.targets.loss(rows, self.targets.read(values))


def between(code: Array, ends: Array) -> Any:
    """Return which codes are in one of two intervals."""
    first = (code >= ends[0]) & (code < ends[1])
    return first | ((code >= ends[2]) & (code < ends[3]))
