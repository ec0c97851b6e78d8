"""What a proof speaks of, recomputed from its header and the table.

Part of the checker: the standard library and NumPy only.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

UNIT = 1 << 20  # cost of one unit of weight
INFINITE = 1 << 60
MAX_WEIGHT = 1 << 30
MAX_COST = 1 << 52  # sums of many of these stay within 64 bits
SPLITS = ("threshold", "multiway", "one-vs-rest")
LOSSES = ("misclassification", "squared_error", "absolute_error")
MAX_NUMBER = 1e300  # whole numbers in JSON can be too large for a double
TOLERANCE = 1e-9  # of the root's loss, in regression


class Rejected(Exception):
    """The proof does not hold."""


def read_object(line: bytes | None, what: str) -> dict[str, Any]:
    """Read a line that must be a JSON object."""
    try:
        value = json.loads(line or b"")
    except (ValueError, RecursionError):
        raise Rejected(f"{what} is not valid JSON.") from None
    if not isinstance(value, dict):
        raise Rejected(f"{what} is not a JSON object.")
    return value


def read_whole(value: Any, what: str, least: int = -INFINITE) -> int:
    """Read a whole number that must not be below `least`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise Rejected(f"{what} is {value!r}, not a whole number.")
    if not least <= value <= INFINITE:
        raise Rejected(f"{what} is {value}, which is out of range.")
    return value


def read_number(value: Any, what: str, least: float = -math.inf) -> float:
    """Read a finite number that must not be below `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Rejected(f"{what} is {value!r}, not a number.")
    if not abs(value) < math.inf or abs(value) > MAX_NUMBER or value < least:
        raise Rejected(f"{what} is out of range.")
    return value


def read_limit(value: Any, what: str) -> int | None:
    """Read a limit: a whole number from 0 on, or None."""
    return None if value is None else read_whole(value, what, 0)


def covers(limit: int | None, needed: int | None) -> bool:
    """Whether a claim for trees within `limit` covers trees within `needed`."""
    return limit is None or (needed is not None and limit >= needed)


class Header:
    """The first line: the problem, the tree, and what is claimed."""

    def __init__(self, line: bytes | None) -> None:
        h = self.raw = read_object(line, "the header")
        if h.get("format") != "treeproof-proof" or h.get("version") != 1:
            raise Rejected("this is not a treeproof proof of version 1.")
        if h.get("loss") not in LOSSES:
            raise Rejected(f"the loss {h.get('loss')!r} is unknown.")
        self.exact = h["loss"] == "misclassification"
        features = h.get("features")
        if not isinstance(features, list):
            raise Rejected("the header has no list of features.")
        self.features: list[Any] = features
        for feature in self.features:
            if not isinstance(feature, dict) or feature.get("split") not in SPLITS:
                raise Rejected("a feature in the header has no known kind of split.")
        self.max_depth = read_limit(h.get("max_depth"), "max_depth")
        self.max_splits = read_limit(h.get("max_splits"), "max_splits")
        self.min_leaf = read_whole(h.get("min_samples_leaf"), "min_samples_leaf", 1)
        self.lookahead = h.get("lookahead") is True
        self.split_penalty = read_number(h.get("split_penalty"), "split_penalty", 0)
        if self.split_penalty > 1:
            raise Rejected("split_penalty is above 1.")
        cost = read_whole if self.exact else read_number
        self.lower: Any = cost(h.get("lower"), "lower", 0)
        self.upper: Any = cost(h.get("upper"), "upper", 0)
        self.split_cost: Any = cost(h.get("split_cost"), "split_cost", 0)
        self.search_cost: Any = cost(h.get("search_split_cost"), "search_split_cost", 0)
        if self.search_cost < self.split_cost:
            raise Rejected("search_split_cost is below split_cost.")
        if self.search_cost > MAX_COST:
            raise Rejected("search_split_cost is out of range.")
        if self.search_cost > self.split_cost and self.max_splits is None:
            raise Rejected("dearer splits prove nothing without max_splits.")


class Problem:
    """The training data as numbers, recomputed from the table.

    Every child of every test is an interval of one column's codes, or the complement of
    one. `start` is where each column's codes begin on a common axis of values, so that
    the counts of all children come from one cumulative sum along that axis.
    """

    def __init__(self, header: Header, X: Any, y: Any, sample_weight: Any) -> None:
        self.header = header
        columns = _columns(X, header.features)
        y = np.asarray(y)
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        weight = np.asarray(weight, dtype=np.float64)
        if any(len(c) != len(y) for c in columns) or weight.shape != (len(y),):
            raise Rejected("the table, the labels and the weights differ in length.")
        target: NDArray[Any]
        if header.exact:
            target, factor = _labels(header, y)
            weight = weight * factor[target]
        else:
            target = np.asarray(y, dtype=np.float64) + 0.0  # -0.0 is 0.0
        kept = weight > 0
        if not np.all(np.isfinite(weight)) or not kept.any():
            raise Rejected("the weights are not finite, or all are zero.")
        weight, target = weight[kept], target[kept]
        digest = hashlib.sha256()
        codes = []
        sizes = []
        for feature, column in zip(header.features, columns, strict=True):
            code, size = _encode(feature, column[kept], digest)
            codes.append(code)
            sizes.append(size)
        digest.update(target.astype("<i4" if header.exact else "<f8").tobytes())
        digest.update(weight.astype("<f8").tobytes())
        if header.raw.get("fingerprint") != "sha256:" + digest.hexdigest():
            raise Rejected("the proof is about other data: the fingerprint differs.")
        table = np.stack(codes, axis=1) if codes else np.zeros((len(target), 0), int)
        self._make_tests(sizes)
        if header.exact:
            self._merge(table, target, weight, len(header.raw["classes"]))
        else:
            self._centre(table, target, weight)
        self._check_split_cost()

    def _make_tests(self, sizes: list[int]) -> None:
        """List tests and their children as intervals on the axis of values."""
        self.start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.multiway = False
        self.ordered = []  # first and last child of each column of thresholds
        blocks = [np.zeros((5, 0), np.int64)]
        n_children = 0
        self.first_test = []  # of each column, and the end
        n_tests = 0
        for f, feature in enumerate(self.header.features):
            first, size = int(self.start[f]), sizes[f]
            self.first_test.append(n_tests)
            if size < 2:
                continue
            value = first + np.arange(size)
            if feature["split"] == "multiway":
                self.multiway |= size > 2
                low, high, flip, test = value, value + 1, 0 * value, 0 * value
            else:
                ordered = feature["split"] == "threshold"
                tests = np.arange(size - 1 if ordered or size == 2 else size)
                test, flip = np.repeat(tests, 2), np.tile([0, 1], len(tests))
                low = np.full(len(test), first) if ordered else first + test
                high = first + test + 1
                if ordered and size > 2:
                    self.ordered.append((n_children, n_children + len(test)))
            blocks.append(np.stack([low, high, flip, test + n_tests, 0 * test + f]))
            n_children += len(test)
            n_tests += int(test[-1]) + 1
        self.first_test.append(n_tests)
        self.low, self.high, flipped, self.test, self.feature = np.hstack(blocks)
        self.flip = flipped.astype(bool)
        self.first = np.searchsorted(self.test, np.arange(n_tests + 1))  # child of test
        self.n_children = np.diff(self.first)
        self.n_tests = n_tests
        self.number = np.arange(n_tests)  # of each test in the proof
        self.seen: list[NDArray[Any]] = []  # values of a part in each column

    def part(self, rows: NDArray[Any]) -> Problem:
        """Return the problem on some rows, with one test for each cut of them.

        A column of thresholds then has the values of these rows only, and what counting
        costs depends on how many rows there are, not on the size of the table.
        """
        part = copy.copy(self)
        part.channels = self.channels[rows]
        seen, columns, sizes = [], [], []
        for f, feature in enumerate(self.header.features):
            code = self.codes[rows, f] - self.start[f]
            values = np.arange(self.start[f + 1] - self.start[f])
            if feature["split"] == "threshold":
                values, code = np.unique(code, return_inverse=True)
            seen.append(values)
            columns.append(code.reshape(-1))
            sizes.append(len(values))
        part._make_tests(sizes)
        part.codes = np.stack(columns, axis=1) + part.start[:-1]
        part.seen = seen
        for f, values in enumerate(seen):
            begin, end = part.first_test[f], part.first_test[f + 1]
            part.number[begin:end] = self.first_test[f] + values[: end - begin]
        return part

    def here(self, test: int, whole: Problem) -> int | None:
        """Return the number of the whole problem's test, None if it splits nothing."""
        f = int(whole.feature[whole.first[test]])
        code = test - whole.first_test[f]
        if self is not whole and self.header.features[f]["split"] == "threshold":
            code = int(np.searchsorted(self.seen[f], code, side="right")) - 1
        last = self.first_test[f + 1] - self.first_test[f]
        return self.first_test[f] + code if 0 <= code < last else None

    def _merge(
        self,
        table: NDArray[Any],
        label: NDArray[Any],
        weight: NDArray[Any],
        n_classes: int,
    ) -> None:
        """Merge equal rows, round their weights, and find what groups force."""
        n = len(label)
        total = _ordered_sum(weight)
        cap = MAX_WEIGHT - n - 1.0
        whole = bool(np.all(weight == np.floor(weight)))
        scale = (
            1.0 if whole and total < cap else 2.0 ** math.floor(math.log2(cap / total))
        )
        _, group = np.unique(table, axis=0, return_inverse=True)
        if not table.shape[1]:
            group = np.zeros(n, int)
        group = group.reshape(-1)
        _, sample, merged = np.unique(
            group * n_classes + label, return_index=True, return_inverse=True
        )
        merged = merged.reshape(-1)
        rounded = np.floor(np.bincount(merged, weight) * scale + 0.5).astype(np.int64)
        kept = rounded > 0
        self.codes = (table[sample] + self.start[:-1])[kept]
        self.label = label[sample][kept]
        group = group[sample][kept]
        own = np.zeros((len(group), n_classes + 2), np.int64)
        own[np.arange(len(group)), self.label] = rounded[kept]
        own[:, n_classes] = np.bincount(merged)[kept]
        by_group = np.zeros((int(group.max()) + 1, n_classes), np.int64)
        np.add.at(by_group, group, own[:, :n_classes])
        _, representative = np.unique(group, return_index=True)
        by_group = by_group[group[representative]]
        own[representative, n_classes + 1] = by_group.sum(axis=1) - by_group.max(axis=1)
        self.channels = own  # weight by class, samples, forced errors
        self.n_classes = n_classes
        self.unit: Any = int(rounded.sum()) * UNIT
        self.tolerance: Any = 0

    def _centre(
        self, table: NDArray[Any], target: NDArray[Any], weight: NDArray[Any]
    ) -> None:
        """Make channels whose sums over a set tell its loss.

        Squared error: weighted targets and squares. Absolute error: the distances to
        each target of the table, one of which is the best constant of any set.
        """
        target = target.reshape(len(weight), -1)
        self.mean = np.average(target, axis=0, weights=weight)
        target = target - self.mean
        self.codes = table + self.start[:-1]
        self.target, self.row_weight = target, weight
        self.squared = self.header.raw["loss"] == "squared_error"
        if self.squared:
            squares = weight * (target**2).sum(axis=1)
            middle = [weight[:, None] * target, squares]
        else:
            points = [np.unique(t) for t in target.T]
            sizes = [len(p) for p in points]
            self.output = np.concatenate([[0], np.cumsum(sizes)])[:-1]
            middle = [
                weight[:, None] * np.abs(t[:, None] - p)
                for t, p in zip(target.T, points, strict=True)
            ]
        self.channels = np.column_stack([weight, *middle, np.ones(len(weight))])
        self.unit = float(self.leaf(self.channels.sum(axis=0)))
        self.tolerance = TOLERANCE * self.unit

    def _check_split_cost(self) -> None:
        h = self.header
        if h.raw.get("n_rows") != int(self.samples(self.channels.sum(axis=0))):
            raise Rejected("the number of rows differs from the proof's.")
        cost = h.split_penalty * self.unit
        error = abs(cost - h.split_cost)
        if error > (0.5 + 1e-6 * cost / UNIT if h.exact else self.tolerance):
            raise Rejected(
                f"split_cost is {h.split_cost}, but the penalty says {cost}."
            )

    # What a set of rows costs, from the sums of its channels (any leading axes).

    def weight(self, c: NDArray[Any]) -> Any:
        """Return the weight of a set."""
        return c[..., : self.n_classes].sum(axis=-1) if self.header.exact else c[..., 0]

    def most(self, c: NDArray[Any]) -> Any:
        """Return the weight of its heaviest class."""
        return c[..., : self.n_classes].max(axis=-1)

    def samples(self, c: NDArray[Any]) -> Any:
        """Return how many rows of the table it has."""
        return c[..., self.n_classes] if self.header.exact else c[..., -1]

    def forced(self, c: NDArray[Any]) -> Any:
        """Return what rows that no test tells apart cost at least."""
        return c[..., -1] * UNIT if self.header.exact else 0.0 * c[..., 0]

    def leaf(self, c: NDArray[Any]) -> Any:
        """Return the cost of the best constant prediction."""
        if self.header.exact:
            return (self.weight(c) - self.most(c)) * UNIT
        if not self.squared:
            nearest = np.minimum.reduceat(c[..., 1:-1], self.output, axis=-1)
            return nearest.sum(axis=-1)
        sums = (c[..., 1:-2] ** 2).sum(axis=-1)
        weight = np.where(c[..., 0] > 0, c[..., 0], 1.0)
        return np.maximum(c[..., -2] - sums / weight, 0.0)

    def children(self, by_value: NDArray[Any]) -> NDArray[Any]:
        """Return sums of each child's channels, from those of each value (axis -2)."""
        shape = (*by_value.shape[:-2], by_value.shape[-2] + 1, by_value.shape[-1])
        along = np.zeros(shape, by_value.dtype)
        np.cumsum(by_value, axis=-2, out=along[..., 1:, :])
        inside = along[..., self.high, :] - along[..., self.low, :]
        total = along[..., self.start[1], :]
        return np.where(self.flip[:, None], total[..., None, :] - inside, inside)

    def by_value(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return sums of the rows' channels for every value of every column."""
        out = np.empty(
            (int(self.start[-1]), self.channels.shape[1]), self.channels.dtype
        )
        place = self.codes[rows].ravel()
        for k in range(out.shape[1]):
            own = np.repeat(self.channels[rows, k], self.codes.shape[1])
            out[:, k] = np.bincount(place, own, minlength=len(out))
        return out

    def within(self, rows: NDArray[Any], child: int) -> NDArray[Any]:
        """Return those of the rows that are in a child."""
        code = self.codes[rows, self.feature[child]]
        inside = (code >= self.low[child]) & (code < self.high[child])
        return rows[inside != self.flip[child]]

    def child(self, test: Any, outcome: Any) -> int:
        """Return the number of a child, which must exist."""
        if read_whole(test, "a test", 0) >= self.n_tests:
            raise Rejected(f"there is no test {test}.")
        if read_whole(outcome, "an outcome", 0) >= self.n_children[test]:
            raise Rejected(f"test {test} has no outcome {outcome}.")
        return int(self.first[test]) + outcome

    def check_tree(self) -> Any:
        """Recompute the cost of the tree in the header, and see that it is allowed."""
        h = self.header
        rows = np.arange(len(self.codes))
        loss: Any = 0
        splits = depth = 0
        stack = [(h.raw.get("tree"), rows, 0)]
        while stack:
            node, rows, level = stack.pop()
            depth = max(depth, level)
            if not isinstance(node, dict):
                raise Rejected("the tree has a node that is no object.")
            if "test" not in node:
                few = self.samples(self.channels[rows].sum(axis=0)) < h.min_leaf
                if few and level > 0:
                    raise Rejected("the tree has a leaf with too few rows.")
                loss += self._leaf_loss(node.get("predict"), rows)
                continue
            splits += 1
            children = node.get("children")
            if not isinstance(children, list) or len(children) < 2:
                raise Rejected("the tree has a split with fewer than two children.")
            seen = 0
            outcomes = set()
            for pair in children:
                if not isinstance(pair, list) or len(pair) != 2:
                    raise Rejected("a child in the tree is not [outcome, tree].")
                part = self.within(rows, self.child(node["test"], pair[0]))
                outcomes.add(pair[0])
                seen += len(part)
                stack.append((pair[1], part, level + 1))
            if seen != len(rows) or len(outcomes) != len(children):
                raise Rejected("the children of a split do not share out its rows.")
        if not covers(h.max_depth, depth) or not covers(h.max_splits, splits):
            raise Rejected("the tree is deeper or larger than allowed.")
        cost = loss + splits * h.split_cost
        if abs(cost - h.upper) > self.tolerance:
            raise Rejected(f"the tree costs {cost}, not {h.upper}.")
        self.objective = float(loss / (self.unit or 1) + splits * h.split_penalty)
        return cost

    def _leaf_loss(self, predict: Any, rows: NDArray[Any]) -> Any:
        if self.header.exact:
            total = self.channels[rows].sum(axis=0)
            if read_whole(predict, "a predicted class", 0) >= self.n_classes:
                raise Rejected(f"there is no class {predict}.")
            return int(self.weight(total) - total[predict]) * UNIT
        values = predict if isinstance(predict, list) else [predict]
        if len(values) != len(self.mean):
            raise Rejected("a leaf does not predict one number for each target.")
        constant = np.array([read_number(v, "a prediction") for v in values])
        off = self.target[rows] - (constant - self.mean)
        loss = (off**2 if self.squared else np.abs(off)).sum(axis=1)
        return float(self.row_weight[rows] @ loss)


def _ordered_sum(values: NDArray[Any]) -> float:
    """Sum from left to right, as a plain loop does."""
    return float(np.cumsum(values)[-1])


def _columns(X: Any, features: list[Any]) -> list[NDArray[Any]]:
    named = X if isinstance(X, Mapping) else getattr(X, "columns", None)
    if named is not None:
        names = [f.get("name") for f in features]
        for name in names:
            if name not in named:
                raise Rejected(f"the table has no column {name!r}.")
        for name in named:
            if name not in names:
                raise Rejected(f"the proof says nothing of the column {name!r}.")
        return [np.asarray(X[name]) for name in names]
    table = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
    if table.ndim != 2 or table.shape[1] != len(features):
        raise Rejected(f"the table does not have {len(features)} columns.")
    return [table[:, j] for j in range(len(features))]


def _plain(values: NDArray[Any]) -> list[Any]:
    return [v.item() if isinstance(v, np.generic) else v for v in values]


def _labels(header: Header, y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    classes = header.raw.get("classes")
    factor = header.raw.get("class_weight")
    if not isinstance(classes, list) or not isinstance(factor, list):
        raise Rejected("the header has no lists of classes and their weights.")
    if len(classes) != len(factor) or not classes:
        raise Rejected("the header has not one weight for each class.")
    try:
        code = {c: k for k, c in enumerate(classes)}
        return (
            np.array([code[v] for v in _plain(y)], dtype=np.int64),
            np.array([float(w) for w in factor]),
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        raise Rejected("the labels are not those of the proof.") from None


def _encode(feature: dict[str, Any], column: NDArray[Any], digest: Any) -> Any:
    """Codes of a column and their number; the digest learns of both."""
    if feature["split"] == "threshold":
        try:
            values, code = np.unique(
                np.asarray(column, dtype=np.float64), return_inverse=True
            )
        except (TypeError, ValueError):
            raise Rejected(f"column {feature.get('name')!r} is not numeric.") from None
        if not np.all(np.isfinite(values)):
            raise Rejected(f"column {feature.get('name')!r} is not finite.")
        digest.update((values + 0.0).astype("<f8").tobytes())  # -0.0 is 0.0
        size = len(values)
    else:
        listed = feature.get("values")
        if not isinstance(listed, list):
            raise Rejected(f"column {feature.get('name')!r} has no list of values.")
        try:
            position = {v: k for k, v in enumerate(listed)}
            code = np.array([position[v] for v in _plain(column)], dtype=np.int64)
        except (KeyError, TypeError):
            raise Rejected(
                f"column {feature.get('name')!r} has a category the proof lacks."
            ) from None
        if len(position) != len(listed):
            raise Rejected(f"column {feature.get('name')!r} lists a category twice.")
        digest.update(json.dumps(listed).encode())
        size = len(listed)
    code = code.reshape(-1)
    digest.update(code.astype("<i4").tobytes())
    return code, size
