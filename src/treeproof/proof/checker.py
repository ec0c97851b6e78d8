"""A checker of proofs that trusts nothing but the data.

This file imports the standard library and NumPy only: none of the search, the estimators
or the input border. It recomputes the problem from the table, every set of rows from its
branch and every count from those rows, and accepts a proof or names the first step that
does not hold. The rules, and why they are sound, are on the page "The proof format"
(docs/proof-format.md); names here are those of that page.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

__all__ = ["Verdict", "check"]

UNIT = 1 << 20  # cost of one unit of weight
INFINITE = 1 << 60
MAX_WEIGHT = 1 << 30
LOOK = -1  # in the place of a cited step: look at the child
TOLERANCE = 1e-9  # of the root's loss, in regression
DENSE = 1 << 26  # bits of all values of all rows that are worth a matrix
BATCH = 1 << 22  # numbers in a temporary array, about


@dataclass(frozen=True)
class Verdict:
    """What a checker says about a proof.

    Attributes
    ----------
    accepted : bool
        Whether every step holds and the tree costs what the proof says.
    step : int or None
        The first step that does not hold; None if the fault is in the header.
    reason : str
        Why the proof is not accepted, as a sentence; empty if it is.
    lower_bound, objective : float
        What is proved, as fractions of the total weight (or of the root's loss).
    optimal : bool
        Whether the two are equal: no tree is better than the one in the proof.
    n_steps : int
        Number of steps checked.
    """

    accepted: bool
    step: int | None = None
    reason: str = ""
    lower_bound: float = 0.0
    objective: float = math.inf
    optimal: bool = False
    n_steps: int = 0


class Rejected(Exception):
    """The proof does not hold."""


def check(
    proof: str | os.PathLike[str] | BinaryIO, X: Any, y: Any, sample_weight: Any = None
) -> Verdict:
    """Check a proof against the data it speaks of.

    Parameters
    ----------
    proof : path or binary file
        The proof, compressed with gzip or not.
    X : table of shape (n_samples, n_features)
        The training table: an array, a list of rows, or a data frame.
    y : array-like of shape (n_samples,)
        The training labels or targets.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        The training weights.

    Returns
    -------
    Verdict
        Accepted, or the first step that does not hold and the reason.

    Examples
    --------
    >>> import os, tempfile
    >>> from treeproof import OptimalTreeClassifier, datasets
    >>> from treeproof.proof import check
    >>> X, y = datasets.load_monks(1, return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "tree.proof.gz")
    ...     clf = OptimalTreeClassifier().fit(X, y, proof=path)
    ...     verdict = check(path, X, y)
    >>> verdict.accepted, verdict.optimal, round(verdict.lower_bound, 4)
    (True, True, 0.1)
    """
    step: int | None = None
    try:
        lines = _lines(proof)
        header = Header(next(lines, None))
        problem = Problem(header, X, y, sample_weight)
        upper = problem.check_tree()
        book = Book(header, problem)
        step = 0
        for line in lines:
            book.add(line)
            step += 1
        step = None
        lower = book.conclusion()
        if lower < header.lower - problem.tolerance:
            raise Rejected(f"the steps prove {lower}, not the claimed {header.lower}.")
    except Rejected as error:
        return Verdict(False, step, str(error), n_steps=step or 0)
    unit = problem.unit or 1
    return Verdict(
        accepted=True,
        lower_bound=header.lower / unit,
        objective=upper / unit,
        optimal=header.lower >= upper - problem.tolerance,
        n_steps=len(book.facts),
    )


def _lines(proof: str | os.PathLike[str] | BinaryIO) -> Iterator[bytes]:
    try:
        raw = open(proof, "rb") if isinstance(proof, (str, os.PathLike)) else proof
    except OSError as error:
        raise Rejected(f"the proof cannot be read: {error}.") from None
    with raw:
        packed = io.BufferedReader(raw) if not hasattr(raw, "peek") else raw  # type: ignore[type-var, arg-type]
        try:
            magic = packed.peek(2)[:2] == b"\x1f\x8b"
            yield from gzip.open(packed) if magic else packed
        except (OSError, EOFError) as error:
            raise Rejected(f"the proof cannot be read: {error}.") from None


def _json(line: bytes | None, what: str) -> dict[str, Any]:
    try:
        value = json.loads(line or b"")
    except (ValueError, RecursionError):
        raise Rejected(f"{what} is not valid JSON.") from None
    if not isinstance(value, dict):
        raise Rejected(f"{what} is not a JSON object.")
    return value


def _whole(value: Any, what: str, least: int = -INFINITE) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Rejected(f"{what} is {value!r}, not a whole number.")
    if not least <= value <= INFINITE:
        raise Rejected(f"{what} is {value}, which is out of range.")
    return value


def _limit(value: Any, what: str) -> int | None:
    return None if value is None else _whole(value, what, 0)


def _at_least(limit: int | None, needed: int | None) -> bool:
    """Whether a claim for trees within `limit` covers trees within `needed`."""
    return limit is None or (needed is not None and limit >= needed)


class Header:
    """The first line: the problem, the tree, and what is claimed."""

    def __init__(self, line: bytes | None) -> None:
        h = self.raw = _json(line, "the header")
        if h.get("format") != "treeproof-proof" or h.get("version") != 1:
            raise Rejected("this is not a treeproof proof of version 1.")
        self.loss = h.get("loss")
        if self.loss not in ("misclassification", "squared_error"):
            raise Rejected(f"the loss {self.loss!r} is unknown.")
        self.exact = self.loss == "misclassification"
        self.features = h.get("features")
        if not isinstance(self.features, list):
            raise Rejected("the header has no list of features.")
        self.max_depth = _limit(h.get("max_depth"), "max_depth")
        self.max_splits = _limit(h.get("max_splits"), "max_splits")
        self.min_samples_leaf = _whole(h.get("min_samples_leaf"), "min_samples_leaf", 1)
        self.lookahead = h.get("lookahead") is True
        self.split_penalty = self._number("split_penalty")
        self.lower = self._cost("lower")
        self.upper = self._cost("upper")
        self.split_cost = self._cost("split_cost")
        self.search_cost = self._cost("search_split_cost")
        if self.search_cost < self.split_cost:
            raise Rejected("search_split_cost is below split_cost.")
        if self.search_cost > self.split_cost and self.max_splits is None:
            raise Rejected("dearer splits prove nothing without max_splits.")

    def _number(self, key: str) -> float:
        value = self.raw.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise Rejected(f"{key} is {value!r}, not a number.")
        if not math.isfinite(value) or value < 0:
            raise Rejected(f"{key} is {value}, which is out of range.")
        return value

    def _cost(self, key: str) -> Any:
        if self.exact:
            return _whole(self.raw.get(key), key, 0)
        return float(self._number(key))


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
            target = np.asarray(y, dtype=np.float64)
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
        self._make_tests(header, sizes)
        if header.exact:
            self._merge(table, target, weight, len(header.raw["classes"]))
        else:
            self._centre(table, target, weight)
        self._check_split_cost()

    def _make_tests(self, header: Header, sizes: list[int]) -> None:
        self.start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        splits = [f["split"] for f in header.features]
        self.multiway = any(
            s == "multiway" and n > 1 for s, n in zip(splits, sizes, strict=True)
        )
        low, high, flip, of_test, of_feature, self.ordered = [], [], [], [], [], []
        n_tests = 0
        for f, (split, size) in enumerate(zip(splits, sizes, strict=True)):
            first = int(self.start[f])
            if size < 2:
                continue
            if split == "multiway":
                spans = [[(first + v, first + v + 1, False) for v in range(size)]]
            elif split == "threshold":
                spans = [
                    [(first, first + c + 1, False), (first, first + c + 1, True)]
                    for c in range(size - 1)
                ]
                self.ordered.append((len(low), len(low) + 2 * (size - 1)))
            else:
                spans = [
                    [
                        (first + c, first + c + 1, False),
                        (first + c, first + c + 1, True),
                    ]
                    for c in range(1 if size == 2 else size)
                ]
            for span in spans:
                for a, b, complement in span:
                    low.append(a)
                    high.append(b)
                    flip.append(complement)
                    of_test.append(n_tests)
                    of_feature.append(f)
                n_tests += 1
        self.low, self.high = np.array(low, int), np.array(high, int)
        self.flip = np.array(flip, bool)
        self.test = np.array(of_test, int)  # of each child
        self.feature = np.array(of_feature, int)
        self.first = np.searchsorted(self.test, np.arange(n_tests + 1))  # child of test
        self.n_children = np.diff(self.first)
        self.n_tests = n_tests

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
        """Weights, weighted targets and squares: what the loss of a set needs."""
        target = target.reshape(len(weight), -1)
        target = target - np.average(target, axis=0, weights=weight)
        self.codes = table + self.start[:-1]
        self.n_outputs = target.shape[1]
        self.target = target
        self.channels = np.column_stack(
            [
                weight,
                weight[:, None] * target,
                weight * (target**2).sum(axis=1),
                np.ones(len(weight)),
            ]
        )
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
        return c[..., : self.n_classes].sum(axis=-1) if self.header.exact else c[..., 0]

    def most(self, c: NDArray[Any]) -> Any:
        return c[..., : self.n_classes].max(axis=-1)

    def samples(self, c: NDArray[Any]) -> Any:
        return c[..., self.n_classes] if self.header.exact else c[..., -1]

    def forced(self, c: NDArray[Any]) -> Any:
        return c[..., -1] * UNIT if self.header.exact else 0.0 * c[..., 0]

    def leaf(self, c: NDArray[Any]) -> Any:
        if self.header.exact:
            return (self.weight(c) - self.most(c)) * UNIT
        sums = (c[..., 1 : 1 + self.n_outputs] ** 2).sum(axis=-1)
        weight = np.where(c[..., 0] > 0, c[..., 0], 1.0)
        return np.maximum(c[..., -2] - sums / weight, 0.0)

    def children(self, by_value: NDArray[Any]) -> NDArray[Any]:
        """Sums of every child's channels, from those of every value (axis -2)."""
        pad = [(0, 0)] * (by_value.ndim - 2) + [(1, 0), (0, 0)]
        along = np.cumsum(np.pad(by_value, pad), axis=-2)
        inside = along[..., self.high, :] - along[..., self.low, :]
        if not self.header.features:
            return inside
        total = along[..., self.start[1], :] - along[..., 0, :]
        return np.where(self.flip[:, None], total[..., None, :] - inside, inside)

    def by_value(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Sums of the rows' channels for every value of every column."""
        out = np.empty(
            (int(self.start[-1]), self.channels.shape[1]), self.channels.dtype
        )
        place = self.codes[rows].ravel()
        for k in range(out.shape[1]):
            own = np.repeat(self.channels[rows, k], self.codes.shape[1])
            out[:, k] = np.bincount(place, own, minlength=len(out))
        return out

    def within(self, rows: NDArray[Any], child: int) -> NDArray[Any]:
        """Those of the rows that are in a child."""
        code = self.codes[rows, self.feature[child]]
        inside = (code >= self.low[child]) & (code < self.high[child])
        return rows[inside != self.flip[child]]

    def child(self, test: Any, outcome: Any) -> int:
        if _whole(test, "a test", 0) >= self.n_tests:
            raise Rejected(f"there is no test {test}.")
        if _whole(outcome, "an outcome", 0) >= self.n_children[test]:
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
                if self.samples(self.channels[rows].sum(axis=0)) < h.min_samples_leaf:
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
        if not _at_least(h.max_depth, depth) or not _at_least(h.max_splits, splits):
            raise Rejected("the tree is deeper or larger than allowed.")
        cost = loss + splits * h.split_cost
        if abs(cost - h.upper) > self.tolerance:
            raise Rejected(f"the tree costs {cost}, not {h.upper}.")
        return cost

    def _leaf_loss(self, predict: Any, rows: NDArray[Any]) -> Any:
        total = self.channels[rows].sum(axis=0)
        if not self.header.exact:
            return float(self.leaf(total))
        if _whole(predict, "a predicted class", 0) >= self.n_classes:
            raise Rejected(f"there is no class {predict}.")
        return int(self.weight(total) - total[predict]) * UNIT


def _ordered_sum(values: NDArray[Any]) -> float:
    """Sum from left to right, as a plain loop does."""
    return float(np.cumsum(values)[-1])


def _columns(X: Any, features: list[Any]) -> list[NDArray[Any]]:
    for feature in features:
        if not isinstance(feature, dict) or feature.get("split") not in (
            "threshold",
            "multiway",
            "one-vs-rest",
        ):
            raise Rejected("a feature in the header has no known kind of split.")
    if hasattr(X, "columns"):
        missing = [f.get("name") for f in features if f.get("name") not in X.columns]
        if missing:
            raise Rejected(f"the table has no column {missing[0]!r}.")
        return [np.asarray(X[f["name"]]) for f in features]
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
    except (KeyError, TypeError, ValueError):
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
        digest.update(values.astype("<f8").tobytes())
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


class Book:
    """The steps that hold so far, and the rules by which a further one does."""

    def __init__(self, header: Header, problem: Problem) -> None:
        self.h, self.p, self.L = header, problem, header.search_cost
        self.facts: list[tuple[bytes, int | None, int | None, Any]] = []
        self.start = problem.first[:-1]
        least = header.min_samples_leaf
        self.by_lemmas = header.exact and (least == 1 or not problem.multiway)
        self.comparable = header.exact and least == 1
        n, n_values = problem.codes.shape[0], int(problem.start[-1])
        self.values: NDArray[Any] | None = None  # a column of bits for each value
        if n * n_values <= DENSE:
            self.values = np.zeros((n, n_values))
            np.put_along_axis(self.values, problem.codes, 1.0, axis=1)

    def add(self, line: bytes) -> None:
        """Check a step against the data and the steps before it."""
        step = _json(line, "the step")
        branch, uses = step.get("branch"), step.get("uses")
        if (
            not isinstance(branch, list)
            or len(branch) % 2
            or not isinstance(uses, list)
        ):
            raise Rejected("its branch or its uses are no proper lists.")
        rows = np.arange(len(self.p.codes))
        for test, outcome in zip(branch[::2], branch[1::2], strict=True):
            rows = self.p.within(rows, self.p.child(test, outcome))
        depth, splits = (
            _limit(step.get("depth"), "depth"),
            _limit(step.get("splits"), "splits"),
        )
        if self.h.exact:
            bound: Any = _whole(step.get("bound"), "bound")
        else:
            bound = step.get("bound")
            if (
                isinstance(bound, bool)
                or not isinstance(bound, (int, float))
                or bound != bound
            ):
                raise Rejected(f"its bound is {bound!r}, not a number.")
        self._verify(rows, depth, splits, bound - self.p.tolerance, uses)
        self.facts.append((_digest(rows), depth, splits, bound))

    def conclusion(self) -> Any:
        """Return the bound that the root step proves for the problem in the header."""
        root = _whole(self.h.raw.get("root"), "root", 0)
        if root >= len(self.facts):
            raise Rejected(f"the root step {root} is missing.")
        rows, depth, splits, bound = self.facts[root]
        if rows != _digest(np.arange(len(self.p.codes))):
            raise Rejected(f"step {root} does not speak of all rows.")
        if not _at_least(depth, self.h.max_depth) or not _at_least(
            splits, self.h.max_splits
        ):
            raise Rejected(f"step {root} covers smaller trees only.")
        return bound - (self.L - self.h.split_cost) * (self.h.max_splits or 0)

    def _verify(
        self,
        rows: NDArray[Any],
        depth: int | None,
        splits: int | None,
        bound: Any,
        uses: list[Any],
    ) -> None:
        p = self.p
        if bound <= 0:
            return
        total = p.channels[rows].sum(axis=0)
        if bound > p.leaf(total):
            raise Rejected("a leaf costs less than its bound.")
        if depth == 0 or splits == 0 or not p.n_tests:
            return
        node = Node(self, rows, None if depth is None else depth - 1, splits)
        named = [node.read_use(use) for use in uses]
        if self.h.lookahead:
            short = node.open_tests(bound)
            short[[test for test, _ in named]] = True
            node.look(np.flatnonzero(short[p.test]))
        for test, cited in named:
            for child, ids in cited:
                node.raise_by(child, ids)
            if self.h.lookahead and self.comparable and splits is None:
                node.similarity(test, depth is None)
        if self.h.min_samples_leaf == 1 and splits is None:
            node.order()
        for test in np.flatnonzero(node.open_tests(bound, merging=self.by_lemmas)):
            raise Rejected(
                f"test {test} is not shown to cost its bound: only {node.costs()[test]}."
            )


class Node:
    """The children of one set of rows and what they cost at least.

    `lower[child, j]` bounds trees of at most j splits; where the number of splits is not
    limited there is one column, for any number.
    """

    def __init__(
        self, book: Book, rows: NDArray[Any], below: int | None, splits: int | None
    ) -> None:
        self.book, self.p, self.h, self.L = book, book.p, book.h, book.L
        self.rows, self.below, self.splits = rows, below, splits
        self.shares: list[int | None] = (
            [None] if splits is None else list(range(splits))
        )
        self.sums = self.p.children(self.p.by_value(rows))
        self.leaf = self.p.leaf(self.sums)
        self.allowed = self._allowed(self.sums)
        simple = np.minimum(self.leaf, self.L + self.p.forced(self.sums))
        self.lower = np.stack(
            [self.leaf if below == 0 or j == 0 else simple for j in self.shares], axis=1
        )
        self.looked = np.zeros(len(self.leaf), dtype=bool)

    def _per_test(self, how: np.ufunc, children: NDArray[Any]) -> NDArray[Any]:
        return how.reduceat(children, self.book.start, axis=-1)  # type: ignore[no-any-return]

    def _allowed(
        self, sums: NDArray[Any], lemmas: bool | None = None
    ) -> NDArray[np.bool_]:
        """Which tests can be the first of an optimal tree with the fewest splits."""
        p, least = self.p, self.h.min_samples_leaf
        samples = p.samples(sums)
        occupied = samples > 0
        good = self._per_test(np.add, occupied.astype(np.int64)) >= 2
        if least > 1:
            good &= ~self._per_test(np.logical_or, occupied & (samples < least))
        if self.book.by_lemmas if lemmas is None else lemmas:
            weight = p.weight(sums)
            light = p.most(sums) * UNIT <= self.L
            if p.multiway:
                light &= weight * UNIT <= 2 * self.L
            two_way = p.n_children[p.test] == 2
            good &= ~self._per_test(np.logical_or, light & two_way)
            rest = self._per_test(np.add, weight) - self._per_test(np.maximum, weight)
            good &= rest * UNIT > self.L
        return good

    def costs(self) -> NDArray[Any]:
        """What a tree that starts with each test costs at least."""
        shared = self.lower[self.book.start]
        for k in range(1, int(self.p.n_children.max())):
            has = self.p.n_children > k
            child, before = self.lower[self.book.start[has] + k], shared[has]
            best = np.full_like(before, INFINITE)
            for j in range(len(self.shares)):
                for a in range(j + 1):
                    best[:, j] = np.minimum(best[:, j], before[:, a] + child[:, j - a])
            shared[has] = best
        return self.L + shared[:, -1]  # type: ignore[no-any-return]

    def open_tests(self, bound: Any, merging: bool = False) -> NDArray[np.bool_]:
        """Tests that are neither ruled out nor dear enough."""
        left = self.allowed & (self.costs() < bound)
        if merging:
            most = self.lower[:, -1]
            others = self.L + self._per_test(np.add, most)[self.p.test] - most
            weight = self.p.weight(self.sums)
            outside = self._per_test(np.add, weight)[self.p.test] - weight
            left &= ~self._per_test(np.logical_or, outside * UNIT <= others)
        return left

    def read_use(self, use: Any) -> tuple[int, list[tuple[int, list[int]]]]:
        if not isinstance(use, list) or not use:
            raise Rejected("a use is not [test, steps, ...].")
        test = self.p.test[self.p.child(use[0], 0)]
        if len(use) != 1 + self.p.n_children[test] or not all(
            isinstance(ids, list) for ids in use[1:]
        ):
            raise Rejected(f"the use of test {test} has not one list for each outcome.")
        first = int(self.book.start[test])
        return int(test), [(first + k, ids) for k, ids in enumerate(use[1:])]

    def raise_by(self, child: int, ids: list[int]) -> None:
        """Raise a child's bound by steps that speak of the same rows."""
        mine = None
        for i in ids:
            if i == LOOK:
                self.look(np.array([child]))
                continue
            if _whole(i, "a cited step", 0) >= len(self.book.facts):
                raise Rejected(f"it cites step {i}, which does not come before it.")
            rows, depth, splits, bound = self.book.facts[i]
            if mine is None:
                mine = _digest(self.p.within(self.rows, child))
            if rows != mine:
                raise Rejected(f"it cites step {i}, which speaks of other rows.")
            if not _at_least(depth, self.below):
                raise Rejected(f"it cites step {i}, which covers shallower trees only.")
            for column, j in enumerate(self.shares):
                if _at_least(splits, j):
                    self.lower[child, column] = max(self.lower[child, column], bound)

    def _tables(self, chosen: NDArray[Any]) -> NDArray[Any]:
        """Sums of every child's channels within each of the chosen children."""
        p = self.p
        if self.book.values is None:
            parts = [p.by_value(p.within(self.rows, c)) for c in chosen]
            return p.children(np.stack(parts))
        code = p.codes[self.rows][:, p.feature[chosen]].T
        inside = (code >= p.low[chosen][:, None]) & (code < p.high[chosen][:, None])
        inside ^= p.flip[chosen][:, None]
        channels = p.channels[self.rows].astype(np.float64)
        own = inside[:, :, None] * channels
        sums = (
            own.transpose(0, 2, 1).reshape(-1, len(self.rows))
            @ self.book.values[self.rows]
        )
        sums = sums.reshape(len(chosen), channels.shape[1], -1).transpose(0, 2, 1)
        return p.children(sums.astype(p.channels.dtype))

    def look(self, chosen: NDArray[Any]) -> None:
        """Raise children to what leaf, one split, and two or more splits cost."""
        chosen = chosen[~self.looked[chosen]]
        self.looked[chosen] = True
        if self.below == 0:
            return
        width = self.p.channels.shape[1] * max(len(self.rows), len(self.leaf), 1)
        step = max(1, BATCH // width)
        for k in range(0, len(chosen), step):
            self._look(chosen[k : k + step])

    def _look(self, chosen: NDArray[Any]) -> None:
        parts = self._tables(chosen)
        leaves = self._per_test(np.add, self.p.leaf(parts))
        possible = self._allowed(parts, lemmas=False)
        one = self.L + np.where(possible, leaves, INFINITE).min(axis=1)
        low = np.minimum(self.leaf[chosen], one)
        if self.below != 1 and self.shares[-1] != 1:
            more = np.minimum(low, self._more(chosen, parts))
        for column, j in enumerate(self.shares):
            if j == 0:
                continue
            bound = low if self.below == 1 or j == 1 else more
            self.lower[chosen, column] = np.maximum(self.lower[chosen, column], bound)

    def _more(self, chosen: NDArray[Any], parts: NDArray[Any]) -> NDArray[Any]:
        """Bound trees of two or more splits: forced errors, covering, rounding."""
        p, L = self.p, self.L
        forced = p.forced(self.sums[chosen])
        bound = 2 * L + forced
        if not self.h.exact or L == 0:
            return bound  # type: ignore[no-any-return]
        if not p.multiway:
            good = self._allowed(parts, lemmas=self.book.by_lemmas)[:, p.test]
            cover = np.full(len(chosen), -L)
            for c in range(p.n_classes):
                largest = np.where(good, parts[..., c], 0).max(axis=1)
                n = self.sums[chosen, c]
                j = n // np.maximum(largest, 1)
                few = np.minimum(L * j + (n - j * largest) * UNIT, L * (j + 1))
                cover += np.where(largest > 0, np.minimum(n * UNIT, few), n * UNIT)
            bound = np.maximum(bound, cover)
        least = np.maximum(bound, 34 * L + forced)
        for j in range(2, 34):
            errors = -(-np.maximum(bound - L * j, 0) // UNIT) * UNIT
            least = np.minimum(least, L * j + np.maximum(forced, errors))
        return least

    def similarity(self, test: int, any_depth: bool) -> None:
        """Bound children of other tests by those of a test that was used."""
        p = self.p
        own = np.arange(p.first[test], p.first[test + 1])
        parts = self._tables(own)
        weight, most = p.weight(parts), p.most(parts)
        whole = p.weight(self.sums)[own][:, None]
        reach = self.lower[own, :1] - (whole - weight) * UNIT
        if any_depth:
            minority = weight - most
            others = self._per_test(np.add, minority)[:, p.test] - minority
            reach = np.maximum(reach, self.lower[own, :1] - self.L - others * UNIT)
        best = reach.max(axis=0)
        best[own] = 0
        self.lower[:, 0] = np.maximum(self.lower[:, 0], best)

    def order(self) -> None:
        """Along a column of thresholds: a tree for more rows does for fewer."""
        upward, back = np.maximum.accumulate, slice(None, None, -1)
        for first, last in self.p.ordered:
            left, right = (
                self.lower[first:last:2, 0],
                self.lower[first + 1 : last : 2, 0],
            )
            left[:] = upward(left)
            right[:] = upward(right[back])[back]
            if self.book.comparable:
                weight = self.p.weight(self.sums) * UNIT
                w_left, w_right = weight[first:last:2], weight[first + 1 : last : 2]
                left[:] = upward((left - w_left)[back])[back] + w_left
                right[:] = upward(right - w_right) + w_right


def _digest(rows: NDArray[Any]) -> bytes:
    return hashlib.blake2b(rows.astype(np.int64).tobytes(), digest_size=20).digest()
