"""Random trees and rows that are difficult for exports, and their comparison."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
import pytest

from treeproof.border import read_rows
from treeproof.columns import Column, plain
from treeproof.export.json import from_json
from treeproof.export.onnx import input_arrays
from treeproof.kinds import (
    ABSENT,
    EQUALS,
    LEAF,
    MULTIWAY,
    NO,
    OWN,
    REFUSED,
    STAYS,
    SUBSET,
    THRESHOLD,
    YES,
)
from treeproof.tree import Tree

WORDS = ["red", "Red", "it's", 'a "b"', "back\\slash", "", " ", "naïve", "日本", "null"]
NAMES = ["size", "a b", 'quo"ted', "it's", "select", "naïve", "x.y", "%s", "row", "é"]
NUMBERS = [-2.0, -0.0, 0.1, 0.30000000000000004, 1 / 3, 1e-300, 2.5, 1e17, 123456.789]
CLASSES = [
    ["no", "yes"], ["it's", "b\\", "日"], [0, 1], [-1, 3, 7, 9], [False, True],
    [0.0, 2.0],
]  # fmt: skip


@dataclass
class Case:
    """A random tree; it looks like a fitted estimator to the input border."""

    tree: Tree
    kinds: list[str]
    missing: str  # what an estimator's parameter of that name would say

    @property
    def n_features_in_(self) -> int:
        return self.tree.n_features

    @property
    def feature_names_in_(self) -> list[str]:
        return [column.name for column in self.tree.columns]

    def nodes(self, rows: pd.DataFrame) -> np.ndarray:
        """Return the leaf of each row, by the code behind predict."""
        needed = range(self.n_features_in_)
        columns = read_rows(self, rows, self.tree.columns, needed, self.missing)
        return self.tree.apply(columns)


def random_case(seed: int) -> Case:
    """A tree of random tests over columns of all kinds, classes or regression."""
    random = np.random.default_rng(seed)
    n_columns = int(random.integers(1, 6))
    kinds = random.choice(
        ["double", "single", "int", "bool", "text", "code"], n_columns
    ).tolist()
    if seed % 4 == 0:  # tables of numbers take another way through ONNX
        kinds = ["double" if k in ("bool", "text", "code") else k for k in kinds]
    names = random.choice(NAMES, n_columns, replace=False).tolist()
    columns = [
        _column(name, kind, random) for name, kind in zip(names, kinds, strict=True)
    ]
    missing = "error" if seed % 5 == 1 else "best-side"
    nodes: list[dict[str, Any]] = []
    depth = int(random.integers(0, 7))
    _grow(nodes, columns, random, depth, missing != "error")
    first = np.cumsum([0] + [len(n["edges"]) for n in nodes])[:-1]
    edges = [edge for node in nodes for edge in node["edges"]]
    n = len(nodes)
    samples = random.integers(1, 99, n)
    style = seed % 3
    if style < 2:
        classes = np.array(CLASSES[int(random.integers(len(CLASSES)))])
        value = random.integers(0, 4, (n, len(classes))) * random.choice(
            [1, 0.1, 1 / 3]
        )
        value[value.sum(axis=1) == 0, 0] = 1
    else:
        classes = None
        value = random.normal(size=(n, 1 if seed % 2 else 2)) * 1e3
    tree = Tree(
        feature=[node["feature"] for node in nodes],
        kind=[node["kind"] for node in nodes],
        threshold=[node["threshold"] for node in nodes],
        category=[node["category"] for node in nodes],
        missing=[node["missing"] for node in nodes],
        first_child=first,
        n_children=[len(node["edges"]) for node in nodes],
        children=[child for _, child in edges],
        child_outcome=[outcome for outcome, _ in edges],
        value=value,
        n_node_samples=samples,
        weighted_n_node_samples=samples * 1.5,
        columns=columns,
        classes=classes,
    )
    return Case(tree, kinds, missing)


def with_actions(case: Case, says: str, seed: int) -> Case:
    """The same tests, with leaves that say something else than their heaviest class.

    "abstain": one of the classes, or None; "label": one of the classes, or a label for
    abstaining; "ratio": any class, as trees for F1 do; "policy": a treatment.
    """
    random = np.random.default_rng(seed)
    tree = case.tree
    n = tree.node_count
    names = np.array(CLASSES[seed % len(CLASSES)])
    value = random.integers(1, 5, (n, len(names))) / 3
    actions: Any = names
    if says == "abstain":
        actions = np.empty(len(names) + 1, dtype=object)
        actions[:] = [*names.tolist(), None]
    elif says == "label":
        other = {"U": "ask", "i": 99, "f": 99.0}.get(names.dtype.kind)
        if other is None:  # booleans have no third value
            names = actions = np.array([0, 1])
            other, value = 99, value[:, :2]
        actions = np.append(names, other)
    rewarded = says == "policy"
    new = Tree(
        **{
            name: getattr(tree, name)
            for name in (
                "feature", "kind", "threshold", "category", "missing", "first_child",
                "n_children", "children", "child_outcome", "n_node_samples",
                "weighted_n_node_samples", "columns",
            )
        },
        value=value - 1 if rewarded else value,
        classes=None if rewarded else names,
        actions=actions,
        action=random.integers(0, len(actions), n),
        cost=None if says == "ratio" else random.normal(size=n),
        measure={"ratio": "errors", "policy": "reward"}.get(says, "cost"),
    )  # fmt: skip
    return Case(new, case.kinds, case.missing)


def _column(name: str, kind: str, random: np.random.Generator) -> Column:
    categories = _categories(kind, random)
    ordered = categories is not None and kind != "bool" and random.random() < 0.3
    if ordered:
        categories = random.permutation(categories)
    return Column(name, categories, ordered, has_missing=bool(random.random() < 0.5))


def _categories(kind: str, random: np.random.Generator) -> np.ndarray | None:
    if kind == "bool":
        return np.array([False, True])
    if kind == "text":
        words = random.choice(WORDS, int(random.integers(1, 8)), replace=False)
        return np.array(sorted(words.tolist()), dtype=object)
    if kind == "code":
        return np.sort(random.choice(np.arange(-5, 30), 6, replace=False))
    return None


def _grow(
    nodes: list, columns: list, random: np.random.Generator, depth: int, takes: bool
) -> int:
    number = len(nodes)
    node = {"feature": -2, "kind": LEAF, "threshold": -2.0, "category": -1,
            "missing": REFUSED, "edges": []}  # fmt: skip
    nodes.append(node)
    if depth == 0 or random.random() < 0.15:
        return number
    j = int(random.integers(len(columns)))
    categories = columns[j].categories
    node["feature"] = j
    node["missing"] = int(random.integers(YES, OWN + 1)) if takes else REFUSED
    groups = None
    if takes and random.random() < 0.1:
        node["kind"], node["missing"] = ABSENT, YES
        outcomes = [YES, NO]
    elif categories is None:
        node["kind"] = THRESHOLD
        node["threshold"] = float(
            random.choice(NUMBERS) if random.random() < 0.5 else random.normal()
        )
        outcomes = [0, 1]
    elif random.random() < 0.4:
        node["kind"] = EQUALS
        node["category"] = int(random.integers(len(categories)))
        outcomes = [0, 1]
    elif random.random() < 0.6 or len(categories) < 2:
        node["kind"] = MULTIWAY
        some = random.random(len(categories)) < 0.8
        groups = [[code] for code in np.flatnonzero(some).tolist() or [0]]
    else:
        node["kind"] = SUBSET
        cut = int(random.integers(1, len(categories)))
        codes = list(range(len(categories)))
        if not columns[j].ordered:
            random.shuffle(codes)
        groups = [codes[:cut], codes[cut:]]
    if groups is None:
        own = [OWN] if node["missing"] == OWN else []
        groups = [[outcome] for outcome in outcomes + own]
    elif takes:
        _missing_group(node, groups, len(categories), random)
    for group in groups:
        child = _grow(nodes, columns, random, depth - 1, takes)
        node["edges"] += [(outcome, child) for outcome in group]
    node["edges"].sort()
    return number


def _missing_group(
    node: dict, groups: list, code: int, random: np.random.Generator
) -> None:
    """Let missing values stay, have a child of their own, or share one."""
    node["missing"] = STAYS if random.random() < 0.4 else OWN
    if node["missing"] == OWN and random.random() < 0.5:
        groups.append([code])
    elif node["missing"] == OWN:
        groups[int(random.integers(len(groups)))].append(code)


def random_rows(case: Case, seed: int, n_rows: int) -> pd.DataFrame:
    """Rows around the thresholds, with known and unknown categories."""
    random = np.random.default_rng(seed)
    table = {}
    for j, (column, kind) in enumerate(zip(case.tree.columns, case.kinds, strict=True)):
        if kind == "bool":
            table[column.name] = random.random(n_rows) < 0.5
        elif kind == "text":
            table[column.name] = random.choice(WORDS, n_rows).astype(object)
        elif kind == "code":
            table[column.name] = random.integers(-6, 31, n_rows)
        elif kind == "int":
            table[column.name] = random.integers(-3, 4, n_rows)
        else:
            cuts = case.tree.threshold[case.tree.feature == j]
            near = [np.nextafter(cuts, -np.inf), cuts, np.nextafter(cuts, np.inf)]
            pool = np.concatenate([NUMBERS, *near, random.normal(size=50)])
            values = random.choice(pool, n_rows)
            table[column.name] = values.astype(
                np.float32 if kind == "single" else np.float64
            )
        if case.missing != "error":
            table[column.name] = _with_gaps(table[column.name], random)
    return pd.DataFrame(table)


def _with_gaps(values: np.ndarray, random: np.random.Generator) -> pd.Series:
    """Take a tenth of the values away, in one of the ways tables do it."""
    gone = random.random(len(values)) < 0.1
    if values.dtype.kind == "f":
        return pd.Series(np.where(gone, np.nan, values).astype(values.dtype))
    if values.dtype.kind in "ib":
        dtype = "boolean" if values.dtype.kind == "b" else "Int64"
        return pd.Series(values).astype(dtype).mask(gone)
    return pd.Series(np.where(gone, random.choice([None, np.nan]), values))


def check_exports(case: Case, rows: pd.DataFrame) -> None:
    """Compare every export of a tree, and of the collapsed tree, with predict."""
    where = case.nodes(rows)
    value = case.tree.value[where]
    shares = None
    if case.tree.classes is not None:
        shares = value / value.sum(axis=1, keepdims=True)
    if case.tree.actions is None:
        expected = value[:, 0] if value.shape[1] == 1 else value
    else:
        expected = case.tree.actions[case.tree.action[where]]
    check_json(case, rows, where)
    for tree in (case.tree, case.tree.collapse()):
        collapsed = tree is not case.tree
        exact = None if collapsed else shares  # merged leaves add their counts up
        check_sql(tree, rows, expected, exact)
        check_onnx(tree, rows, expected, exact)
        check_python(tree, rows, expected, exact)
        check_rules(tree, rows[:200], expected[:200])
        assert tree.to_dot().count("->") == tree.node_count - 1


def check_json(case: Case, rows: pd.DataFrame, where: np.ndarray) -> None:
    again = from_json(case.tree.to_json())
    assert again == case.tree
    assert np.array_equal(Case(again, case.kinds, case.missing).nodes(rows), where)


def check_sql(tree, rows, expected, shares) -> None:
    for dialect, run in (("duckdb", run_duckdb), ("sqlite", run_sqlite)):
        query = tree.to_sql(dialect, table="rows", proba=shares is not None)
        found = run(rows, query)[:, rows.shape[1] :]
        outputs = 1 if expected.ndim == 1 else expected.shape[1]
        same(found[:, :outputs].reshape(expected.shape), expected)
        if shares is not None:
            assert np.array_equal(found[:, outputs:].astype(float), shares)


def run_duckdb(rows: pd.DataFrame, query: str) -> np.ndarray:
    with duckdb.connect() as base:
        base.register("rows", rows)
        return np.array(base.execute(query).fetchall(), dtype=object)


def run_sqlite(rows: pd.DataFrame, query: str) -> np.ndarray:
    names = ", ".join('"' + c.replace('"', '""') + '"' for c in rows)
    marks = ", ".join("?" * rows.shape[1])
    base = sqlite3.connect(":memory:")
    try:
        base.execute(f'CREATE TABLE "rows" ({names})')
        lists = [[None if pd.isna(v) else v for v in rows[c].tolist()] for c in rows]
        base.executemany(
            f'INSERT INTO "rows" VALUES ({marks})', zip(*lists, strict=True)
        )
        return np.array(base.execute(query).fetchall(), dtype=object)
    finally:
        base.close()


def check_onnx(tree, rows, expected, shares) -> None:
    said = (
        {type(plain(tree.actions[k])) for k in tree.action}
        if tree.action[0] >= 0
        else ()
    )
    if type(None) in said:
        with pytest.raises(ValueError, match="ONNX has one type for all labels"):
            tree.to_onnx()
        return
    session = onnxruntime.InferenceSession(tree.to_onnx().SerializeToString())
    found = session.run(None, input_arrays(tree, rows))
    if tree.actions is None:
        assert np.array_equal(found[0].reshape(expected.shape), expected)
        return
    same(found[0], expected)
    if tree.classes is None:
        assert found[1].shape == (len(rows), len(tree.actions))
    if shares is not None:
        assert np.array_equal(found[1], shares)


def check_python(tree, rows, expected, shares) -> None:
    place: dict[str, Any] = {}
    exec(tree.to_python(name="f"), place)
    records = rows.to_dict("records")
    same(
        np.array([place["f"](row) for row in records]).reshape(expected.shape), expected
    )
    if shares is not None:
        exec(tree.to_python(name="g", proba=True), place)
        found = [list(place["g"](row).values()) for row in records]
        assert np.array_equal(found, shares)


def check_rules(tree, rows, expected) -> None:
    rules = tree.to_rules(unseen=True)
    for row, answer in zip(rows.to_dict("records"), expected, strict=True):
        holding = [rule for rule in rules if rule.holds(row)]
        assert len(holding) == 1
        same(np.array(holding[0].prediction), np.array(answer))
    total = sum(rule.samples for rule in rules)
    leaves = tree.n_node_samples[tree.kind == LEAF].sum()
    assert total <= leaves  # a rule that contradicts itself is left out


def same(found: np.ndarray, expected: np.ndarray) -> None:
    """Equal values; SQLite has 0 and 1 for booleans."""
    found, expected = np.asarray(found), np.asarray(expected)
    if expected.dtype.kind in "USO":
        assert [plain(v) for v in found.ravel()] == expected.ravel().tolist()
    else:
        assert np.array_equal(found.astype(expected.dtype), expected)
