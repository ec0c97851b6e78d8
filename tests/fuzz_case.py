"""A random problem for all solvers: how it is drawn, kept as JSON, and read.

A case is a dictionary of plain numbers and text, so that a failing one can be kept as a
small JSON file. Cells come from one string of bytes, which is quick to draw and which
hypothesis shrinks well: zeros mean "the first value, the first class, no noise".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from oracle import MULTIWAY, ONE_VS_REST, ORDERED, Table
from regression_oracle import TargetTable

Case = dict[str, Any]

PENALTIES = [0.0, 0.01, 0.03, 0.06, 0.1, 1 / 3, 1.0]
SWITCHES = [
    "lookahead", "admissible", "equal_tests", "covering", "rounding", "merging",
    "similarity", "similarity_leaf", "two_splits", "three_splits", "easy_first",
    "discrepancy", "prices", "triples",
]  # fmt: skip
STOPS = ["time", "memory", "interrupt", "error", "condition"]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a problem, the trees to search, and how the search is disturbed."""
    regression = draw(st.integers(0, 3)) == 3
    wide = not regression and draw(st.booleans())  # many rows, columns of two values
    n = draw(st.integers(1, 40 if wide else 11))
    q = draw(st.integers(1, 5 if wide else 4))
    n_values = [draw(st.integers(1, 2 if wide else 5)) for _ in range(q)]
    split = draw(st.sampled_from(["multiway", "one-vs-rest", "mixed"]))
    kinds = draw(st.lists(st.sampled_from(_kinds(split)), min_size=q, max_size=q))
    cells = draw(st.binary(min_size=n * (q + 3), max_size=n * (q + 3)))
    cell = np.frombuffer(cells, dtype=np.uint8).reshape(n, q + 3).astype(int)
    codes = cell[:, :q] % np.array(n_values)
    case = {
        "split": split,
        "kinds": kinds,
        "n_values": n_values,
        "codes": codes.tolist(),
        "weights": _weights(draw, cell[:, q]),
        "split_penalty": draw(st.sampled_from(PENALTIES)),
        "penalize": draw(st.sampled_from(["splits", "leaves"])),
        "max_depth": draw(st.sampled_from([None, 0, 1, 2, 2, 3, 3, 4, None])),
        "max_splits": draw(st.sampled_from([None, None, None, 0, 1, 2, 3])),
        "min_samples_leaf": draw(st.sampled_from([1, 1, 1, 2, 3])),
        "n_jobs": draw(st.sampled_from([1, 1, 2])),
        "stop": draw(st.sampled_from([None] * 10 + STOPS)),
        "after": draw(st.integers(0, 4)),
        "switches": draw(_switches()),
    }
    if regression:
        return case | _targets(draw, codes, cell[:, q + 1 :])
    return case | _labels(draw, codes, cell[:, q + 1 :])


def _kinds(split: str) -> list[int]:
    categories = {"multiway": [MULTIWAY], "one-vs-rest": [ONE_VS_REST]}
    return [ORDERED, *categories.get(split, [MULTIWAY, ONE_VS_REST])]


def _weights(draw: st.DrawFn, byte: np.ndarray) -> list[float] | None:
    style = draw(st.sampled_from(["none", "none", "whole", "zeros", "halves"]))
    if style == "none":
        return None
    weights = byte % 4 + (0.0 if style == "zeros" else 1.0)
    weights = weights / 2 if style == "halves" else weights
    weights[0] = weights[0] or 1.0
    return weights.tolist()


def _labels(draw: st.DrawFn, codes: np.ndarray, cell: np.ndarray) -> Case:
    n_classes = draw(st.integers(1, 4))
    rule = codes[:, 0] + codes[:, -1] * (codes[:, 0] > 0)
    often = draw(st.sampled_from([1, 2, 8]))  # every row, or every second or eighth
    noise = np.where(cell[:, 0] % often == 0, cell[:, 1], 0)
    factors = st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=4, max_size=4)
    return {
        "labels": ((rule + noise) % n_classes).tolist(),
        "class_weight": draw(st.one_of(st.none(), st.none(), factors)),
    }


def _targets(draw: st.DrawFn, codes: np.ndarray, cell: np.ndarray) -> Case:
    outputs = draw(st.sampled_from([1, 1, 2]))
    offset = draw(st.sampled_from([0.0, 0.0, 1000.0]))
    y = codes[:, :1] * draw(st.sampled_from([0.0, 2.0])) + cell % 9 / 4 + offset
    return {
        "targets": y[:, :outputs].tolist(),
        "criterion": draw(st.sampled_from(["squared_error", "absolute_error"])),
    }


@st.composite
def _switches(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the switches of all engines; each engine takes those it knows."""
    off = draw(st.lists(st.sampled_from(SWITCHES), max_size=4, unique=True))
    flags = st.sampled_from([None, None, True, False])
    sizes = st.sampled_from([None, 1, 2, 3, 5])
    threshold = {
        **{name: draw(flags) for name in ("unit_step", "inheritance", "partitions")},
        **{name: draw(sizes) for name in ("coarse_cuts", "most_bins")},
        "fine_bins_from": draw(st.sampled_from([None, 0])),
        "portable_kernels": draw(flags),
    }
    return {
        "sparse_off": off,
        "climb": draw(st.integers(0, 11)),  # see `fuzz_levels.ways`
        "threshold": {k: v for k, v in threshold.items() if v is not None},
        "quant": [
            draw(st.sampled_from(["W0", "W1", "W2", "L2"])),
            draw(st.integers(2, 4)),
            draw(st.sampled_from([None, 1, 2, 4])),
        ],
    }


def penalized(case: Case) -> str:
    """Return how the penalty is charged; older cases do not state it."""
    return str(case.get("penalize", "splits"))


def is_regression(case: Case) -> bool:
    return "targets" in case


def whole_weights(case: Case) -> np.ndarray:
    """Weights with class factors, doubled where there are halves: whole numbers."""
    n = len(case["codes"])
    weights = np.ones(n) if case["weights"] is None else np.array(case["weights"])
    if not is_regression(case) and case["class_weight"] is not None:
        weights = weights * np.array(case["class_weight"])[case["labels"]]
    return (weights * (1 if exact(case) else 2)).astype(int)


def exact(case: Case) -> bool:
    """Whether the weights are whole, so that costs can be compared as whole numbers."""
    return case["weights"] is None or all(w == int(w) for w in case["weights"])


def table_of(case: Case) -> Table:
    """The problem for brute force and for the engines, without rows of no weight."""
    weights = whole_weights(case)
    kept = weights > 0
    shared: dict[str, Any] = {
        "kinds": np.array(case["kinds"]),
        "n_values": np.array(case["n_values"]),
        "codes": np.array(case["codes"])[kept],
        "weights": weights[kept],
    }
    if is_regression(case):
        return TargetTable(
            **shared,
            labels=np.zeros(int(kept.sum()), dtype=int),
            n_classes=1,
            targets=np.array(case["targets"])[kept],
            criterion=case["criterion"],
        )
    labels = np.array(case["labels"])[kept]
    return Table(**shared, labels=labels, n_classes=int(labels.max()) + 1)


def limits_of(case: Case) -> dict[str, int]:
    """Return depth, splits and leaf size in the form that brute force needs."""
    return {
        "max_depth": -1 if case["max_depth"] is None else case["max_depth"],
        "max_splits": -1 if case["max_splits"] is None else case["max_splits"],
        "min_samples_leaf": case["min_samples_leaf"],
    }


def columns_of(case: Case) -> dict[str, list[Any]]:
    """The table as a user would give it: numbers and text."""
    columns = zip(case["kinds"], zip(*case["codes"], strict=True), strict=True)
    return {
        f"x{j}": [c - 1.5 if kind == ORDERED else f"v{c}" for c in codes]
        for j, (kind, codes) in enumerate(columns)
    }
