"""A tree from dictionaries and lists.

`tree_from_dict` trusts nothing in the dictionary: every number, name and link is
checked, so that a file from a stranger gives a working tree or one sentence about what
is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.columns import Column, plain
from treeproof.date_parts import PARTS, DatePart, day_number
from treeproof.export.tree_dict import SIDES
from treeproof.kinds import (
    ABSENT,
    EQUALS,
    LEAF,
    MULTIWAY,
    OWN,
    REFUSED,
    STAYS,
    SUBSET,
    THRESHOLD,
    YES,
)
from treeproof.tree import NO_FEATURE, PROBABILITY_MEASURES, Tree
from treeproof.tree.lines import Lines

__all__ = ["is_number", "tree_from_dict"]

_NUMBER_TYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float32", "float64",
)  # fmt: skip


def tree_from_dict(content: Any) -> Tree:
    """Return the tree that `tree_to_dict` described; ValueError if there is none.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.export.tree_dict import tree_to_dict
    >>> tree = OptimalTreeClassifier().fit([["a"], ["b"], ["b"]], [0, 1, 1]).tree_
    >>> tree_from_dict(tree_to_dict(tree)) == tree
    True
    """
    _check(isinstance(content, Mapping), "The tree is not an object.")
    columns = _read_columns(content.get("columns"))
    classes = _read_classes(content)
    actions = _read_actions(content)
    nodes = content.get("nodes")
    _check(isinstance(nodes, list) and len(nodes) > 0, "The tree has no nodes.")
    tree = _Reader(columns, classes, actions, nodes).read()
    tree.predicts_means = content.get("predicts_means") is not False
    tree.has_row_weights = content.get("has_row_weights") is True
    if actions is not None:
        measure = content.get("measure")
        known = measure in ("errors", "cost", "reward")
        _check(known, f"The tree has the unknown measure {measure!r}.")
        right = (tree.cost is None) == (measure == "errors")
        _check(right, f"The nodes of the tree do not say their {measure}.")
        tree.measure = str(measure)
    elif "measure" in content:
        measure = content["measure"]
        known = measure in (PROBABILITY_MEASURES if classes is not None else ("risk",))
        _check(known, f"The tree has the unknown measure {measure!r}.")
        tree.measure = str(measure)
    return tree


def _check(true: bool, sentence: str) -> None:
    if not true:
        raise ValueError(sentence)


def _read_columns(content: Any) -> list[Column]:
    _check(isinstance(content, list) and len(content) > 0, "The tree has no columns.")
    columns: list[Column] = []
    for j, entry in enumerate(content):
        known = isinstance(entry, Mapping) and isinstance(entry.get("name"), str)
        _check(known, f"Column {j} of the tree has no name.")
        name = entry["name"]
        values = None
        if "categories" in entry:
            values = _read_values(
                entry["categories"],
                entry.get("type"),
                f"The categories of {name!r}",
                # A column may have had nothing but missing values.
                least=0 if entry.get("has_missing") is True else 1,
            )
            if entry.get("ordered") is True:
                once = len(set(values.tolist())) == len(values)
                _check(once, f"The categories of {name!r} are not all different.")
            else:
                sorted_ones = all(a < b for a, b in pairwise(values))
                _check(sorted_ones, f"The categories of {name!r} are not sorted.")
        columns.append(
            Column(
                name,
                values,
                ordered=values is not None and entry.get("ordered") is True,
                has_missing=entry.get("has_missing") is True,
                date=_read_date(entry, columns),
            )
        )
    names = [column.name for column in columns]
    for name in names:
        _check(names.count(name) == 1, f"The tree has two columns named {name!r}.")
    return columns


def _read_date(entry: Mapping[str, Any], before: list[Column]) -> DatePart | None:
    """Read which number of which column of dates a column holds, if it is one."""
    content = entry.get("date")
    if content is None:
        if before:
            late = before[-1].date is not None
            _check(not late, "Numbers of dates come after all other columns.")
        return None
    name = entry["name"]
    sentence = f"What column {name!r} has to do with dates cannot be read."
    _check(isinstance(content, Mapping), sentence)
    _check(set(content) == {"source", "column", "part", "origin"}, sentence)
    source, part = content["source"], content["part"]
    whole = isinstance(source, int) and not isinstance(source, bool)
    _check(whole and 0 <= source < len(before) and part in PARTS, sentence)
    try:
        day_number(content["origin"])
    except (TypeError, ValueError):
        raise ValueError(sentence) from None
    found = DatePart(source, content["column"], part, content["origin"])
    given = before[source]
    _check(given.date is None and given.name == found.column, sentence)
    _check(found.name == name and "categories" not in entry, sentence)
    return found


def _read_classes(content: Mapping[str, Any]) -> NDArray[Any] | None:
    if content.get("classes") is None:
        return None
    found = _read_values(content["classes"], content.get("class_type"), "The classes")
    _check(len(set(found.tolist())) == len(found), "Two classes are equal.")
    return np.array(found.tolist()) if found.dtype == object else found


def _read_actions(content: Mapping[str, Any]) -> NDArray[Any] | None:
    """Read what the leaves may say; null stands for a leaf that abstains."""
    if content.get("actions") is None:
        return None
    listed = content["actions"]
    _check(isinstance(listed, list), "The actions are not a list.")
    named = [action for action in listed if action is not None]
    found = _read_values(named, content.get("action_type"), "The actions")
    once = len(set(found.tolist())) == len(found) and len(listed) - len(named) <= 1
    _check(once, "Two actions are equal.")
    if len(named) == len(listed):
        return np.array(found.tolist()) if found.dtype == object else found
    actions = np.empty(len(listed), dtype=object)
    values = iter(found.tolist())
    actions[:] = [None if action is None else next(values) for action in listed]
    return actions


def _read_values(content: Any, kind: Any, what: str, least: int = 1) -> NDArray[Any]:
    """Read categories or classes of a stated type, without changing any of them."""
    whole = isinstance(content, list) and len(content) >= least
    _check(whole, f"{what} are not a list.")
    if kind == "text":
        _check(all(isinstance(v, str) for v in content), f"{what} are not all text.")
        return np.array(content, dtype=object)
    _check(kind in _NUMBER_TYPES, f"{what} have the unknown type {kind!r}.")
    plain_type = bool if kind == "bool" else (int, float)
    right = all(
        isinstance(v, plain_type) and (kind == "bool" or not isinstance(v, bool))
        for v in content
    )
    try:
        values = np.array(content, dtype=kind) if right else None
    except (OverflowError, ValueError):
        values = None
    exact = values is not None and [plain(v) for v in values] == content
    _check(exact, f"{what} are not all of the type {kind}.")
    assert values is not None
    return values


class _Reader:
    """Fills the arrays of a tree from its list of nodes."""

    def __init__(
        self,
        columns: list[Column],
        classes: NDArray[Any] | None,
        actions: NDArray[Any] | None,
        nodes: list[Any],
    ) -> None:
        self.columns = columns
        self.classes = classes
        self.actions = actions
        self.nodes = nodes
        known = classes if classes is not None else actions
        self.width = len(known) if known is not None else None  # of the nodes' values
        self.place = {column.name: j for j, column in enumerate(columns)}
        self.codes = {
            column.name: {plain(v): k for k, v in enumerate(column.categories)}
            for column in columns
            if column.categories is not None
        }
        n = len(nodes)
        self.feature = np.full(n, NO_FEATURE, dtype=np.int32)
        self.kind = np.full(n, LEAF, dtype=np.int8)
        self.threshold = np.full(n, float(NO_FEATURE))
        self.category = np.full(n, -1, dtype=np.int32)
        self.missing = np.full(n, REFUSED, dtype=np.int8)
        self.edges: list[list[tuple[int, int]]] = []  # (outcome, child) of each node
        self.parent = [-1] * n

    def read(self) -> Tree:
        """Return the tree."""
        values, samples, weights = [], [], []
        for node, entry in enumerate(self.nodes):
            _check(isinstance(entry, Mapping), f"Node {node} is not an object.")
            values.append(self._value(node, entry))
            count, weight = entry.get("samples"), entry.get("weight")
            _check(
                _is_whole(count) and 0 <= count < 2**63,
                f"Node {node} does not say how many samples it has.",
            )
            _check(
                is_number(weight) and (weight > 0 or (weight == 0 and node > 0)),
                f"Node {node} does not say what its weight is.",
            )
            samples.append(count)
            weights.append(weight)
            self.edges.append(self._test(node, entry) if "feature" in entry else [])
        for node, parent in enumerate(self.parent):
            _check(node == 0 or parent >= 0, f"Node {node} is nobody's child.")
        lengths = np.array([len(edges) for edges in self.edges])
        tree = Tree(
            feature=self.feature,
            kind=self.kind,
            threshold=self.threshold,
            category=self.category,
            missing=self.missing,
            first_child=np.concatenate([[0], np.cumsum(lengths)[:-1]]),
            n_children=lengths,
            children=[child for edges in self.edges for _, child in edges],
            child_outcome=[outcome for edges in self.edges for outcome, _ in edges],
            value=values,
            n_node_samples=samples,
            weighted_n_node_samples=weights,
            columns=self.columns,
            classes=self.classes,
            actions=self.actions,
            action=None if self.actions is None else self._chosen(len(self.actions)),
            cost=None if self.actions is None else self._costs(),
        )
        tree.impurity = self._impurity()
        if self.classes is None and self.actions is None:
            tree.lines = self._lines()
        if self.classes is not None:
            tree.class_counts = self._class_counts(len(self.classes))
        return tree

    def _value(self, node: int, entry: Mapping[str, Any]) -> list[float]:
        """Return the value of a node: as many numbers as all other nodes have."""
        value = entry.get("value")
        right = isinstance(value, list) and len(value) > 0 and all(
            map(is_number, value)
        )  # fmt: skip
        _check(right, f"The value of node {node} is not a list of finite numbers.")
        assert isinstance(value, list)
        if self.width is None:
            self.width = len(value)
        _check(
            len(value) == self.width,
            f"The value of node {node} has {len(value)} numbers, not {self.width}.",
        )
        if self.classes is not None:
            _check(
                min(value) >= 0 and sum(value) > 0,
                f"The class weights of node {node} are not positive.",
            )
        return value

    def _class_counts(self, width: int) -> NDArray[np.int64] | None:
        counts = [entry.get("class_counts") for entry in self.nodes]
        if all(count is None for count in counts):
            return None
        for node, count in enumerate(counts):
            right = isinstance(count, list) and len(count) == width and all(
                _is_whole(c) and 0 <= c < 2**63 for c in count
            )  # fmt: skip
            _check(right, f"The class counts of node {node} are not whole numbers.")
        return np.array(counts, dtype=np.int64)

    def _chosen(self, n_actions: int) -> list[int]:
        chosen = [entry.get("action") for entry in self.nodes]
        for node, action in enumerate(chosen):
            right = _is_whole(action) and 0 <= action < n_actions
            _check(right, f"Node {node} does not say which action it takes.")
        return chosen

    def _costs(self) -> list[float] | None:
        costs = [entry.get("cost") for entry in self.nodes]
        if all(cost is None for cost in costs):
            return None
        for node, cost in enumerate(costs):
            _check(is_number(cost), f"Node {node} does not say what a row costs.")
        return costs

    def _lines(self) -> Lines | None:
        told = [entry.get("line") for entry in self.nodes]
        if all(line is None for line in told):
            return None
        n = len(told)
        lines = Lines(np.full(n, -1, dtype=np.int32), np.zeros(n), np.zeros(n))
        for node, line in enumerate(told):
            if line is None:
                continue
            right = isinstance(line, Mapping) and isinstance(line.get("column"), str)
            right = right and line["column"] in self.place
            right = right and line["column"] not in self.codes
            numbers = right and (line.get("slope"), line.get("intercept"))
            right = right and all(map(is_number, numbers or ()))
            single = len(self.nodes[node]["value"]) == 1
            _check(right and single, f"The line of node {node} is not one.")
            lines.column[node] = self.place[line["column"]]
            lines.slope[node], lines.intercept[node] = line["slope"], line["intercept"]
        return lines

    def _impurity(self) -> NDArray[np.float64] | None:
        found = [entry.get("impurity") for entry in self.nodes]
        if all(value is None for value in found):
            return None
        for node, value in enumerate(found):
            right = is_number(value) and value >= 0
            _check(right, f"The impurity of node {node} is not a number >= 0.")
        return np.array(found, dtype=np.float64)

    def _test(self, node: int, entry: Mapping[str, Any]) -> list[tuple[int, int]]:
        name = entry["feature"]
        known = isinstance(name, str) and name in self.place
        _check(known, f"Node {node} tests {name!r}, which is not a column.")
        self.feature[node] = self.place[name]
        categorical = name in self.codes
        if "threshold" in entry:
            self.kind[node] = THRESHOLD
            cut = entry["threshold"]
            _check(
                is_number(cut) and not categorical,
                f"Node {node} has no number to compare {name!r} with.",
            )
            self.threshold[node] = cut
        elif "category" in entry:
            self.kind[node] = EQUALS
            self.category[node] = self._code(node, name, entry["category"])
        elif entry.get("test") == "missing":
            self.kind[node], self.missing[node] = ABSENT, YES
        else:
            self.kind[node] = SUBSET if entry.get("test") == "subset" else MULTIWAY
            return self._groups(node, name, entry)
        edges = [
            (outcome, self._child(node, entry[word]))
            for outcome, word in SIDES.items()
            if entry.get(word) is not None
        ]
        _check(len(edges) > 0, f"Node {node} has no children.")
        gone = entry.get("missing")
        if gone is not None and self.kind[node] != ABSENT:
            side = {word: outcome for outcome, word in SIDES.items()}
            if isinstance(gone, str) and gone in side:
                self.missing[node] = side[gone]
                _check(
                    entry.get(gone) is not None,
                    f"Node {node} sends missing values to a child it does not have.",
                )
            else:
                self.missing[node] = OWN
                edges.append((OWN, self._child(node, gone)))
        return edges

    def _groups(
        self, node: int, name: str, entry: Mapping[str, Any]
    ) -> list[tuple[int, int]]:
        groups = entry.get("children")
        right = isinstance(groups, list) and len(groups) > 0 and name in self.codes
        _check(right, f"Node {node} has no children.")
        assert isinstance(groups, list)
        gone = entry.get("missing")
        if gone is not None:
            self.missing[node] = STAYS if gone == "stays" else OWN
        edges = []
        for group in groups:
            whole = isinstance(group, Mapping) and isinstance(
                group.get("categories"), list
            )
            _check(whole, f"Node {node} has a child without categories.")
            child = self._child(node, group.get("node"))
            some = len(group["categories"]) > 0 or gone == child
            _check(some, f"Node {node} has a child without categories.")
            edges += [(self._code(node, name, v), child) for v in group["categories"]]
            if gone == child:
                edges.append((len(self.codes[name]), child))
        codes = [code for code, _ in edges]
        _check(
            len(set(codes)) == len(codes),
            f"Node {node} has two children for one category.",
        )
        _check(
            self.missing[node] != OWN or len(self.codes[name]) in codes,
            f"Node {node} sends missing values to a child it does not have.",
        )
        return sorted(edges)

    def _code(self, node: int, name: str, value: Any) -> int:
        known = self.codes.get(name, {})
        found = isinstance(value, (str, bool, int, float)) and value in known
        _check(
            found, f"Node {node} speaks of {value!r}, which is no category of {name!r}."
        )
        return known[value]

    def _child(self, node: int, child: Any) -> int:
        right = _is_whole(child) and node < child < len(self.nodes)
        _check(
            right and self.parent[child] < 0,
            f"Node {node} has the child {child!r}, which cannot be.",
        )
        self.parent[child] = node
        return int(child)


def is_number(value: Any) -> bool:
    """Whether a value of a JSON document is a finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) < 2.0**1023 and math.isfinite(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
