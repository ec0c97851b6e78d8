"""What a proof speaks of, recomputed from its header and the table.

Part of the checker: the standard library and NumPy only.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from treeproof.proof.gains import Gains
from treeproof.proof.ratio import Ratio
from treeproof.proof.rejected import Array, Rejected, require
from treeproof.proof.targets import Targets

UNIT = 1 << 20  # cost of one unit of weight
INFINITE = 1 << 60
MAX_WEIGHT = 1 << 30
MAX_SCALE = 2.0**1000
MAX_SUM = 1 << 53  # up to which sums of whole doubles are exact
MAX_COST = 1 << 52  # sums of many of these stay within 64 bits
MAX_NUMBER = 1e300  # whole numbers in JSON can be too large for a double
SPLITS = ("threshold", "order", "multiway", "one-vs-rest", "either", "subset")
MISSING = (None, "best-side", "branch")
MAX_SUBSET_VALUES = 16
PENALIZED = ("splits", "leaves")
EXACT = ("misclassification", "costs")
LOSSES = (*EXACT, "squared_error", "absolute_error")
TOLERANCE = 1e-9  # of the root's loss, in regression
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_object(line: bytes | None, what: str) -> dict[str, Any]:
    """Read a line that must be a JSON object, with no key twice."""
    try:
        text = (line or b"").decode("utf-8")
        value = json.loads(text, object_pairs_hook=_members, parse_constant=_no_number)
        if SURROGATE.search(text):  # half of a pair is no text: UnicodeEncodeError
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise Rejected(f"{what} is not valid JSON, or has a key twice.") from None
    require(isinstance(value, dict), f"{what} is not a JSON object.")
    return value  # type: ignore[no-any-return]


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):  # two readers could see two proofs in one file
        raise ValueError
    return members


def _no_number(word: str) -> Any:
    raise ValueError(word)


def read_number(value: Any, what: str, least: float, whole: bool = False) -> Any:
    """Read a finite number, perhaps a whole one, that must not be below `least`."""
    kind, most = (int, INFINITE) if whole else ((int, float), MAX_NUMBER)
    right = isinstance(value, kind) and not isinstance(value, bool)
    require(right, f"{what} is {value!r}, not a {'whole ' * whole}number.")
    require(least <= value <= most, f"{what} is out of range.")
    return value if whole else float(value)


def read_whole(value: Any, what: str, least: int = 0) -> int:
    """Read a whole number that must not be below `least`."""
    return read_number(value, what, least, whole=True)  # type: ignore[no-any-return]


def read_limit(value: Any, what: str) -> int | None:
    """Read a limit: a whole number from 0 on, or None."""
    return None if value is None else read_whole(value, what)


def covers(limit: int | None, needed: int | None) -> bool:
    """Whether a claim for trees within `limit` covers trees within `needed`."""
    return limit is None or (needed is not None and limit >= needed)


class Header:
    """The first line: the problem, the tree, and what is claimed."""

    def __init__(self, line: bytes | None) -> None:
        h = self.raw = read_object(line, "the header")
        self.text = (line or b"").decode()
        known = h.get("format") == "treeproof-proof" and h.get("version") in (2, 3)
        known = known and isinstance(h["version"], int)
        require(known, "this is not a treeproof proof of version 2 or 3.")
        require(h.get("loss") in LOSSES, f"the loss {h.get('loss')!r} is unknown.")
        self.exact, self.costly = h["loss"] in EXACT, h["loss"] == "costs"
        self.features: list[Any] = h.get("features")  # type: ignore[assignment]
        require(isinstance(self.features, list), "the header has no list of features.")
        for f in self.features:
            known = isinstance(f, dict) and f.get("split") in SPLITS
            known = known and f.get("missing") in MISSING
            require(known, "a feature in the header has no known kind of split.")
            require(isinstance(f.get("name"), str), "a feature's name is no text.")
        names = {f["name"] for f in self.features}
        require(len(names) == len(self.features), "two features have the same name.")
        for limit in ("max_depth", "max_splits"):
            require(limit in h, f"{limit} is missing; null stands for no limit.")
        self.max_depth = read_limit(h.get("max_depth"), "max_depth")
        self.max_splits = read_limit(h.get("max_splits"), "max_splits")
        self.min_leaf = read_whole(h.get("min_samples_leaf"), "min_samples_leaf", 1)
        self.split_penalty = read_number(h.get("split_penalty"), "split_penalty", 0)
        fine = self.split_penalty <= 1 or self.costly
        require(fine, "split_penalty is above 1.")
        self.penalize = h.get("penalize", "splits")
        known = self.penalize in PENALIZED
        require(known, f"penalize is {self.penalize!r}, not one of {PENALIZED}.")
        costs = ("lower", "upper", "split_cost", "search_split_cost")
        self.lower, self.upper, own, L = (self.cost(h.get(k), k, 0) for k in costs)
        self.split_cost, self.search_cost = own, L
        most = MAX_COST if self.exact else MAX_NUMBER
        require(own <= L <= most, "search_split_cost is out of range.")
        paid = self.max_splits is not None
        require(paid or own == L, "dearer splits prove nothing without max_splits.")

    def cost(self, value: Any, what: str, least: float | None = None) -> Any:
        """Read a cost: whole in classification, a number in regression."""
        if least is None:
            least = -INFINITE if self.exact else -MAX_NUMBER
        return read_number(value, what, least, whole=self.exact)

    @property
    def by_leaves(self) -> bool:
        """Whether each child of a split after the second costs something."""
        return bool(self.penalize == "leaves" and self.split_cost > 0)

    def price(self, n_children: Any) -> Any:
        """Return what splits cost in the steps, by the children that have rows."""
        further = np.maximum(n_children, 2) - 2
        if not self.by_leaves:
            return self.search_cost + 0 * further
        if self.exact:  # dearer than any leaf is dear enough
            further = np.minimum(further, MAX_COST // self.split_cost)
        return self.search_cost + further * self.split_cost

    def rounded(self, bound: Any, forced: Any, fewest: int, multiway: bool) -> Array:
        """Round what trees with at least this many splits cost at least.

        They cost their splits and a whole number of weight units, unless there are
        splits of other prices.
        """
        L = self.search_cost
        if L == 0 or (self.by_leaves and multiway and self.split_cost != L):
            return bound  # type: ignore[no-any-return]
        splits = L * np.arange(fewest, fewest + 32)[:, None]
        errors = -(-np.maximum(bound - splits, 0) // UNIT) * UNIT
        few = (splits + np.maximum(forced, errors)).min(axis=0)
        many = np.maximum(bound, (fewest + 32) * L + forced)
        least: Array = np.minimum(few, many)
        return least


class Problem:
    """The training data as numbers, recomputed from the table.

    A column of the table has one view or more, which is what tests ask about. Codes of
    all views lie on one axis of values, each view's from `start` on. A child of a test
    takes those from `ends[0]` to `ends[1]` - 1 and from `ends[2]` to `ends[3]` - 1;
    `test` and `view` say whose, and `splits` how each view is split. A row's
    `channels` are numbers whose sums over a set of rows tell what a leaf costs; the
    last one counts rows.
    """

    def __init__(
        self, header: Header, X: Any, y: Any, sample_weight: Any, costs: Any = None
    ) -> None:
        self.header = header
        columns = _columns(X, header.features)
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
        if header.exact and ("classes" in header.raw or not header.costly):
            target, factor = _labels(header.raw, y)
            if header.raw.get("metric") is not None:
                require(not header.costly, "costs have no metric.")
                self.ratio = Ratio(header.raw, target, weight)
            weight = weight * factor[target]
        elif not header.exact:
            target = y.astype(np.float64) + 0.0  # -0.0 is 0.0
        self.gains: Any = None
        if header.costly:
            self.gains = Gains(header.raw, costs, target, weight)
        kept = weight > 0
        fine = np.all(np.isfinite(weight)) and kept.any()
        require(fine, "the weights are not finite, or all are zero.")
        self.left_out = int((~kept).sum())
        self.whole_table = kept
        self.prices: Any = None  # once they are read
        weight, target = weight[kept], None if target is None else target[kept]
        self.weights = weight
        digest = hashlib.sha256()
        pairs = zip(header.features, columns, strict=True)
        coded = [_encode(f, column[kept], digest, header.text) for f, column in pairs]
        if target is not None:
            digest.update(target.astype("<i4" if header.exact else "<f8").tobytes())
        if self.gains is not None:
            named = json.dumps(self.gains.actions)
            require(named in header.text, "the actions are not written as by Python.")
            digest.update(named.encode())
            costs = self.gains.costs + 0.0  # -0.0 is 0.0
            digest.update(costs.astype("<f8").tobytes())
        digest.update(weight.astype("<f8").tobytes())
        same = header.raw.get("fingerprint") == "sha256:" + digest.hexdigest()
        require(same, "the proof is about other data: the fingerprint differs.")
        sizes, self.splits, seen = [], [], [np.zeros((len(weight), 0), int)]
        for feature, (code, n) in zip(header.features, coded, strict=True):
            for split, place in views(feature["split"], n, feature.get("missing")):
                self.splits.append(split)
                sizes.append(int(place.max(initial=-1)) + 1)
                seen.append(place[code][:, None])
        self.start = np.cumsum([0, *sizes])
        self.codes = np.hstack(seen) + self.start[:-1]
        self._make_tests(sizes)
        self.tolerance: Any = 0
        if header.costly:
            self._merge_gains()
        else:
            (self._merge if header.exact else self._centre)(target, weight)
        same = read_whole(header.raw.get("n_rows"), "n_rows") == len(weight)
        require(same, "the number of rows differs from the proof's.")
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
                rest = np.arange(len(test)) % 2 == 1  # the second child: all but these
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

    def _merge(self, label: Array, weight: Array) -> None:
        """Merge equal rows, round their weights, and find what groups force.

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
        rounded = np.maximum(rounded, 1)  # no weight rounds to nothing
        self.place, self.exponent = merged.reshape(-1), math.frexp(scale)[1] - 1
        self.first_row = sample
        self.summed, self.rounded = summed, rounded
        self.codes, label, group = self.codes[sample], label[sample], group[sample]
        self.channels = np.zeros((len(sample), n_classes + 2), np.int64)
        self.channels[np.arange(len(sample)), label] = rounded
        self.channels[:, -1] = np.bincount(merged)
        first = np.flatnonzero(np.diff(group, prepend=-1))  # row of each group
        by_group = np.add.reduceat(self.channels[:, :-2], first)
        self.channels[first, -2] = by_group.sum(axis=1) - by_group.max(axis=1)
        self.unit: Any = int(rounded.sum()) * UNIT

    def _groups(self) -> Array:
        """Return the same number for rows that no test tells apart."""
        if not self.codes.shape[1]:
            return np.zeros(len(self.codes), int)
        return np.unique(self.codes, axis=0, return_inverse=True)[1].reshape(-1)

    def _merge_gains(self) -> None:
        """Merge rows that no test tells apart; channels as for labels, by action."""
        gains = self.gains
        self.place = group = self._groups()
        sample = np.unique(group, return_index=True)[1]
        self.codes = self.codes[sample]
        own = np.zeros((len(sample), len(gains.actions)), np.int64)
        np.add.at(own, group, gains.whole)
        forced = own.sum(axis=1) - own.max(axis=1)
        self.channels = np.column_stack([own, forced, np.bincount(group)])
        self.unit = gains.total * UNIT

    def _centre(self, target: Array, weight: Array) -> None:
        """Make the channels of a regression."""
        squared = self.header.raw["loss"] == "squared_error"
        self.targets = Targets(target, weight, squared)
        self.channels = self.targets.channels
        self.unit = self.targets.root_loss
        self.tolerance = TOLERANCE * self.unit

    # What a set of rows costs, from the sums of its channels (the first axis).

    def weight(self, c: Array) -> Any:
        """Return the weight of a set (classification)."""
        return c[:-2].sum(axis=0)

    def most(self, c: Array) -> Any:
        """Return the weight of its heaviest class."""
        return c[:-2].max(axis=0)

    def forced(self, c: Array) -> Any:
        """Return what rows that no test tells apart cost at least."""
        return c[-2] * UNIT if self.header.exact else 0.0 * c[-1]

    def rounded_worth(self, worth: Any, c: Array) -> Any:
        """Round what prices say of trees that are no leaf."""
        return self.header.rounded(worth, self.forced(c), 1, self.multiway)

    def leaf(self, c: Array) -> Any:
        """Return the cost of the best constant prediction."""
        if self.header.exact:
            return (self.weight(c) - self.most(c)) * UNIT
        return self.targets.leaf(c)

    def child(self, test: Any, outcome: Any) -> int:
        """Return the number of a child, which must exist."""
        known = read_whole(test, "a test") < self.n_tests
        require(known, f"there is no test {test}.")
        known = read_whole(outcome, "an outcome") < self.n_children[test]
        require(known, f"test {test} has no outcome {outcome}.")
        return int(self.first[test]) + outcome

    def within(self, rows: Array, child: int) -> Array:
        """Return those of the rows that are in a child."""
        return rows[between(self.codes[rows, self.view[child]], self.ends[:, child])]

    def check_tree(self) -> Any:
        """Recompute the cost of the tree in the header, and see that it is allowed."""
        h = self.header
        loss: Any = 0
        splits = leaves = depth = 0
        self.said = np.zeros(len(self.codes), int)  # by the leaf of each row
        stack: list[Any] = [(h.raw.get("tree"), np.arange(len(self.codes)), 0)]
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
            whole = sum(len(part) for _, part, _ in stack[-len(children) :])
            once = len({outcome for outcome, _ in children}) == len(children)
            shared = once and whole == len(rows)
            require(shared, "the children of a split do not share out its rows.")
        allowed = covers(h.max_depth, depth) and covers(h.max_splits, splits)
        require(allowed, "the tree is deeper or larger than allowed.")
        penalties = leaves - 1 if h.penalize == "leaves" else splits
        cost = loss + penalties * h.split_cost
        right = abs(cost - h.upper) <= self.tolerance
        require(right, f"the tree costs {cost}, not {h.upper}.")
        self.objective = self._stated(loss) + penalties * h.split_penalty
        return cost

    def _stated(self, loss: Any) -> float:
        """Return what the tree costs the user, without its penalties."""
        if self.ratio is not None:
            says = np.zeros(len(self.whole_table), int)
            says[self.whole_table] = self.said[self.place]
            self.ratio.check_tree(says)
        if self.gains is None:
            return float(loss / (self.unit or 1))
        return float(self.gains.objective(self.said[self.place]))

    def stated_bound(self, lower: Any) -> float:
        """Return the user's cost that no tree is below."""
        if self.gains is None:
            return float(lower / (self.unit or 1))
        # Errors and penalties together are the gains that no tree has.
        return float(self.gains.bound(self.gains.total - lower / UNIT))

    def check_ratio(self) -> None:
        """See that the bound on errors proves what is claimed of the ratio."""
        if self.ratio is None:
            return
        exact = self.exponent <= 0 and self.summed.sum() < MAX_SUM
        require(exact, "the weights are too large.")
        # A tree has no more leaves than there are rows, and errors are whole numbers.
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
        one_each = len(values) == self.targets.n_outputs
        require(one_each, "a leaf does not predict one number for each target.")
        least = -MAX_NUMBER
        constants = [read_number(v, "a prediction", least) for v in values]
        return self.targets.loss(rows, constants)


def between(code: Array, ends: Array) -> Any:
    """Tell which codes lie in one of two intervals."""
    first = (code >= ends[0]) & (code < ends[1])
    return first | ((code >= ends[2]) & (code < ends[3]))


def _columns(X: Any, features: list[Any]) -> list[Array]:
    named = X if isinstance(X, Mapping) else getattr(X, "columns", None)
    if named is not None:
        names = [f.get("name") for f in features]
        for name in names:
            require(name in named, f"the table has no column {name!r}.")
        for name in named:
            require(name in names, f"the proof says nothing of the column {name!r}.")
        return [np.asarray(X[name]) for name in names]
    table = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
    fits = table.ndim == 2 and table.shape[1] == len(features)
    require(fits, f"the table does not have {len(features)} columns.")
    return list(table.T)


def _positions(values: Any, listed: Any, otherwise: str) -> Array:
    """Return where each value stands in a list of distinct ones."""
    require(isinstance(listed, list), otherwise)
    try:
        position = {v: k for k, v in enumerate(listed)}
        plain = (v.item() if isinstance(v, np.generic) else v for v in values)
        code = np.array([position[v] for v in plain], dtype=np.int64)
    except (KeyError, TypeError):
        raise Rejected(otherwise) from None
    require(len(position) == len(listed), otherwise)
    return code


def _labels(raw: dict[str, Any], y: Array) -> tuple[Array, Array]:
    """Codes of the labels, and a factor for each class."""
    code = _positions(y, raw.get("classes"), "the labels are not those of the proof.")
    given = raw.get("class_weight")
    one_each = isinstance(given, list) and len(given) == len(raw["classes"]) > 0
    require(one_each, "the header has not one weight for each class.")
    return code, np.array([read_number(w, "a class weight", 0) for w in given or []])


def _encode(
    feature: dict[str, Any], column: Array, digest: Any, header: str
) -> tuple[Array, int]:
    """Codes of a column and the number of its values; the digest learns of both."""
    name = f"column {feature.get('name')!r}"
    listed: Any = feature.get("values")
    there = np.ones(len(column), bool)
    if feature.get("missing") is not None:
        there = ~np.array([_is_missing(cell) for cell in column], bool)
    if feature["split"] == "threshold":
        try:
            numbers = np.asarray(column[there], dtype=np.float64)
        except (TypeError, ValueError):
            raise Rejected(f"{name} is not numeric.") from None
        require(np.all(np.isfinite(numbers)), f"{name} is not finite.")
        listed, found = np.unique(numbers, return_inverse=True)
        digest.update((listed + 0.0).astype("<f8").tobytes())  # -0.0 is 0.0
    else:
        problem = f"{name} has not the proof's categories."
        found = _positions(column[there], listed, problem)
        written = json.dumps(listed)
        require(written in header, f"{name}: its values are not written as by Python.")
        digest.update(written.encode())
    code = np.full(len(column), len(listed))  # the code of a missing value
    code[there] = found.reshape(-1)
    digest.update(code.astype("<i4").tobytes())
    return code, len(listed)


def _is_missing(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, (float, np.floating)) and bool(np.isnan(cell))


def views(split: str, n: int, missing: str | None) -> Iterator[tuple[str, Array]]:
    """Yield what tests can ask about a column of n values.

    A view is split by threshold, multiway or one against the rest, and has a code for
    each code of the column, of which n stands for a missing value.
    """
    code = np.arange(n + 1 if missing else n)
    gone, own, ordered = code == n, missing == "branch", split in ("threshold", "order")
    if split == "either":
        yield "multiway", code
        if not own:
            yield "one-vs-rest", code
            return
    if split == "multiway" or (not missing and split != "subset"):
        yield "threshold" if ordered else split, code
        return
    if own:
        yield "threshold", 1 - gone  # is it missing?
    elif ordered:
        yield "threshold", np.where(gone, 0, code + 1)
        if n > 1:
            yield "threshold", code
    elif split == "one-vs-rest":
        yield split, code
    chosen: Iterable[Array]
    if split == "subset":
        size = n if own else len(code)
        require(size <= MAX_SUBSET_VALUES, "a column has too many subsets.")
        chosen = ((2 * k + 1) >> code & 1 for k in range(2 ** max(size - 1, 0) - 1))
    elif ordered:
        chosen = (code <= c for c in range(n - 1 if own else 0))
    elif own:
        chosen = (code == c for c in range(n if n > 2 else n - 1))
    else:
        chosen = ((code == c) | gone for c in range(n if n > 2 else 0))
    for yes in chosen:
        side = np.where(yes, 0, 1)
        yield ("multiway", np.where(gone, 2, side)) if own else ("threshold", side)
