"""Writes the proof file of a search.

The sparse search writes its steps to a log beside the file while it runs; `trimmed`
finds the part of the log with the best bound and keeps the steps that this bound needs.
For the search over thresholds, steps are derived from its answer
(`proving.derive_steps`). `ProofFile.write` puts the header before the steps and
compresses both. The file appears under its name only when it is complete. Its format is
described in docs/proof-format.md.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treeproof import _core
from treeproof.arithmetic import rounded_weights
from treeproof.border import RegressionData, TrainingTable
from treeproof.columns import plain
from treeproof.objectives import Costs, Labels, Objective
from treeproof.objectives.probabilities import Probabilities
from treeproof.solving.leaf_fit import LeafFit
from treeproof.solving.line_fit import LineFit
from treeproof.solving.shape import Shape, said_in_order

if TYPE_CHECKING:
    from treeproof.solving.answer import Answer
    from treeproof.tree.split_table import SplitTable

__all__ = [
    "Argument",
    "ProofFile",
    "action_header",
    "derived",
    "given_table",
    "nested_tree",
    "regression_header",
    "shares_header",
    "trimmed",
]


class ProofFile:
    """A proof that is being made: a folder for the log of the search, then the file.

    Parameters
    ----------
    path : str or PathLike
        The file, which is compressed whatever its name is.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise ValueError(
                f"proof={str(self.path)!r} is a folder; name a file in it."
            )
        if not self.path.parent.is_dir():
            raise ValueError(
                f"proof={str(self.path)!r} is in a folder that does not exist; make "
                "it first."
            )

    def __enter__(self) -> ProofFile:
        try:
            self._folder = Path(
                tempfile.mkdtemp(dir=self.path.parent, prefix=f".{self.path.name}.")
            )
        except OSError as error:
            raise ValueError(
                f"proof={str(self.path)!r} cannot be written: {error.strerror}."
            ) from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def log(self) -> str:
        """The file to which a search writes its steps while it runs."""
        return str(self._folder / "steps.log")

    @property
    def steps(self) -> str:
        """The file for the steps of the proof before they are compressed."""
        return str(self._folder / "steps")

    def write(self, argument: Argument, header: dict[str, Any]) -> dict[str, Any]:
        """Put a header before the steps and compress both; return figures."""
        if not argument.complete:
            raise self._no_room("the disk is full or has failed")
        whole = header | {
            "search_split_cost": argument.split_cost,
            "lower": argument.lower,
            "root": argument.root,
        }
        packed = self._folder / "packed"
        try:
            with gzip.open(packed, "wb", compresslevel=2) as out:
                out.write(json.dumps(whole).encode() + b"\n")
                with open(self.steps, "rb") as lines:
                    shutil.copyfileobj(lines, out, 1 << 20)
            os.replace(packed, self.path)
        except OSError as error:
            raise self._no_room(str(error.strerror)) from None
        return {
            "proof_steps": argument.n_steps,
            "proof_bytes": self.path.stat().st_size,
        }

    def replace_header(self, header: dict[str, Any]) -> None:
        """Put another header before the steps of the file that was written."""
        packed = self._folder / "packed"
        with gzip.open(self.path, "rb") as old:
            old.readline()
            with gzip.open(packed, "wb", compresslevel=2) as out:
                out.write(json.dumps(header).encode() + b"\n")
                shutil.copyfileobj(old, out, 1 << 20)
        os.replace(packed, self.path)

    def trivial(self, split_cost: Any) -> Argument:
        """Write the step that needs no argument: no tree costs less than 0."""
        return self.claim(0, split_cost)

    def claim(self, bound: int, split_cost: Any, depth: int | None = None) -> Argument:
        """Write one step without citations: the header contains the argument."""
        step: dict[str, Any] = {"branch": [], "depth": depth, "bound": bound}
        Path(self.steps).write_text(json.dumps(step) + "\n")
        return Argument(1, 0, bound, split_cost)

    def _no_room(self, why: str) -> OSError:
        return OSError(
            f"{self.path} could not be written: {why}. The tree was found and is kept; "
            "make room and fit again for its proof."
        )


@dataclass(frozen=True)
class Argument:
    """Steps in a file, and what they prove."""

    n_steps: int
    root: int
    lower: Any  # the lower bound that they prove
    split_cost: Any  # the cost of a split in the steps
    complete: bool = True


def trimmed(found: Answer, max_splits: int | None, file: ProofFile) -> Argument:
    """Trim the log of a search to the steps that its best bound needs."""
    split_cost, limit = int(found["split_cost"]), max_splits or 0
    sections = [
        (bound - (cost - split_cost) * limit, cost, begin, end, bound)
        for cost, begin, end, bound in found["log_sections"]
    ]
    if not sections:  # a tree of cost 0 needs no argument
        return file.trivial(split_cost)
    shown, cost, begin, end, bound = max(sections)
    if not found["log_complete"]:
        return Argument(0, 0, 0, cost, False)
    n_steps, root, complete = _core.trim_proof(file.log, begin, end, bound, file.steps)
    if complete and n_steps == 0:
        return file.trivial(int(cost))
    return Argument(n_steps, root, min(int(found["lower"]), shown), int(cost), complete)


def derived(steps: Mapping[str, Any], split_cost: Any, unit: Any = 1) -> Argument:
    """Return the argument of steps that were derived from the answer of a search."""
    lower = max(steps["bound"], 0) * unit
    complete = steps["complete"]
    return Argument(steps["n_steps"], steps["root"], lower, split_cost, complete)


def action_header(
    objective: Objective,
    found: Answer,
    limits: Mapping[str, Any],
    shape: Shape | None = None,
) -> dict[str, Any]:
    """Return the header of a tree of actions, without the entries about steps."""
    along = None if shape is None else shape.engine_directions(objective.table)
    header = _free_header(objective, found, limits, along)
    return header if shape is None else shape.in_header(header)


def _free_header(
    objective: Objective,
    found: Answer,
    limits: Mapping[str, Any],
    along: NDArray[np.int32] | None,
) -> dict[str, Any]:
    """Return the header of a tree, of whose restrictions it knows directions only."""
    if isinstance(objective, Costs):
        return _costs_header(objective, found, limits, along)
    assert isinstance(objective, Labels)
    data = objective
    weights = rounded_weights(data.table.codes, data.labels, data.weights)
    n_classes = len(data.actions)

    said = None
    if along is not None:
        said = said_in_order(data, weights, found["tree"], along)

    def heaviest(rows: NDArray[np.intp]) -> int:
        if said is not None:
            return int(said[rows[0]])
        totals = np.bincount(data.labels[rows], weights[rows], minlength=n_classes)
        return int(np.argmax(totals))

    return {
        "format": "treeproof-proof",
        "version": 2,
        "loss": "misclassification",
        **_classes(data.actions, data.class_factors),
        "split_cost": int(found["split_cost"]),
        "tree": nested_tree(found["tree"], data.table, heaviest),
        "upper": int(found["upper"]),
        **_problem(data.table, data.weights, data.labels.astype("<i4")),
        **limits,
    }


def _costs_header(
    objective: Costs,
    found: Answer,
    limits: Mapping[str, Any],
    along: NDArray[np.int32] | None,
) -> dict[str, Any]:
    """Return the header of a tree that was fitted to costs or rewards."""
    told = objective.told
    by_class: dict[str, Any] = {}
    actions = [plain(action) for action in objective.actions]
    named = np.frombuffer(json.dumps(actions).encode(), dtype=np.uint8)
    targets: list[NDArray[Any]] = [named, objective.costs.astype("<f8") + 0.0]
    if told.class_factors is not None:
        assert objective.classes is not None and objective.labels is not None
        by_class = _classes(objective.classes, told.class_factors)
        targets.insert(0, objective.labels.astype("<i4"))
    matrix = None if told.matrix is None else (told.matrix + 0.0).tolist()
    nothing = objective.engine_total == 0  # all actions cost the same
    said = None
    if along is not None:
        said = said_in_order(objective, objective.weights, found["tree"], along)

    def choose(rows: NDArray[np.intp]) -> int:
        return objective.choose(rows)[0] if said is None else int(said[rows[0]])

    return {
        "format": "treeproof-proof",
        "version": 2,
        "loss": "costs",
        "measure": objective.measure,
        "actions": actions,
        **by_class,
        "cost_matrix": matrix,
        "abstain_cost": told.abstain_cost,
        "scale": math.frexp(objective.scale)[1] - 1,
        "split_cost": 0 if nothing else int(found["split_cost"]),
        "tree": nested_tree(found["tree"], objective.table, choose),
        "upper": 0 if nothing else int(found["upper"]),
        **_problem(objective.table, objective.weights, *targets),
        **limits,
    }


def _classes(classes: NDArray[Any], factors: NDArray[np.float64]) -> dict[str, Any]:
    return {"classes": [plain(c) for c in classes], "class_weight": factors.tolist()}


def regression_header(
    data: RegressionData,
    leaf: LeafFit,
    found: Answer,
    unit: float,
    limits: Mapping[str, Any],
    loss: str = "",
) -> dict[str, Any]:
    """Return the header of a regression, without the entries about steps.

    `loss` names the loss if it is not the criterion of the leaves.
    """

    def said(rows: NDArray[np.intp]) -> list[Any]:
        return leaf.value(rows).tolist() + _slope(leaf, rows)

    if isinstance(leaf, LineFit):
        loss = "linear"
    header = {
        "format": "treeproof-proof",
        "version": _version(loss or leaf.criterion),
        "loss": loss or leaf.criterion,
        "split_cost": limits["split_penalty"] * unit,
        "tree": nested_tree(found["tree"], data.table, said),
        # A sum of doubles can be slightly negative.
        "upper": max(found["upper"], 0.0) * unit,
        **_problem(data.table, data.weights, data.targets.astype("<f8") + 0.0),
        **limits,
    }
    if leaf.criterion == "quantile":
        header["quantiles"] = list(leaf.levels)
    if isinstance(leaf, LineFit):
        header["lines"] = {"columns": leaf.numbers, "ridge": leaf.ridge}
    return header


def _slope(leaf: LeafFit, rows: NDArray[np.intp]) -> list[Any]:
    """Return column and slope of a leaf's line; an empty list for a constant."""
    if not isinstance(leaf, LineFit):
        return []
    column, slope, _ = leaf.line(rows)
    return [int(column), slope] if column >= 0 else []


def _version(loss: str) -> int:
    """Return the version of the format that contains a loss."""
    return 2 if loss in ("squared_error", "absolute_error") else 4


def shares_header(
    objective: Probabilities, found: Answer, limits: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the header of a probability tree, without entries about steps."""
    total, unit = float(objective.weights.sum()), objective.root_loss

    def shares(rows: NDArray[np.intp]) -> list[float]:
        weights = objective.value(rows)
        return (weights / weights.sum()).tolist()  # type: ignore[no-any-return]

    return {
        "format": "treeproof-proof",
        "version": 4,
        "loss": objective.criterion,
        "smoothing": float(objective.smoothing),
        **_classes(objective.actions, objective.class_factors),
        "split_cost": limits["split_penalty"] * total,
        "tree": nested_tree(found["tree"], objective.table, shares),
        "upper": max(found["upper"], 0.0) * unit,
        **_problem(objective.table, objective.weights, objective.labels.astype("<i4")),
        **limits,
    }


def _problem(
    table: TrainingTable, weights: NDArray[np.float64], *targets: NDArray[Any]
) -> dict[str, Any]:
    """Return columns, number of rows and fingerprint."""
    features = _features(table)
    digest = hashlib.sha256()
    for feature, codes, distinct in zip(
        features, table.codes, table.distinct, strict=True
    ):
        if feature["values"] is None:
            digest.update((np.asarray(distinct, dtype="<f8") + 0.0).tobytes())
        else:
            digest.update(json.dumps(feature["values"]).encode())
        digest.update(codes.astype("<i4").tobytes())
    for target in targets:
        digest.update(np.ascontiguousarray(target).tobytes())
    digest.update(weights.astype("<f8").tobytes())
    return {
        "features": features,
        "n_rows": table.n_rows,
        "fingerprint": "sha256:" + digest.hexdigest(),
    }


def given_table(table: TrainingTable) -> dict[str, NDArray[Any]]:
    """Return the cells of a table in the form for a checker, by column name."""
    cells: dict[str, NDArray[Any]] = {}
    encoded = zip(table.columns, table.codes, table.distinct, strict=True)
    for column, codes, values in encoded:
        listed = [plain(v) for v in values] if column.is_categorical else list(values)
        own = cells[column.name] = np.empty(len(codes), dtype=object)
        own[:] = [None if c == len(listed) else listed[c] for c in codes.tolist()]
    return cells


def _features(table: TrainingTable) -> list[dict[str, Any]]:
    features = []
    for column, distinct in zip(table.columns, table.distinct, strict=True):
        listed = [plain(v) for v in distinct] if column.is_categorical else None
        split = table.split_of(column)
        features.append({"name": column.name, "split": split, "values": listed})
        if column.has_missing:
            features[-1]["missing"] = table.missing
    return features


def nested_tree(
    splits: SplitTable,
    table: TrainingTable,
    predict: Callable[[NDArray[np.intp]], Any],
) -> dict[str, Any]:
    """Return the tree as nested objects."""
    engine = table.engine
    n_tests = [_n_tests(*f) for f in zip(engine.kinds, engine.n_values, strict=True)]
    first_test = np.concatenate([[0], np.cumsum(n_tests)])
    root: dict[str, Any] = {}
    stack = [(root, 0, np.arange(table.n_rows))]
    while stack:
        node, k, rows = stack.pop()
        feature, kind = int(splits["feature"][k]), int(splits["kind"][k])
        if kind == 0:
            node["predict"] = predict(rows)
            continue
        code = int(splits["code"][k])
        values = engine.codes[feature][rows]
        swapped = kind == 2 and engine.n_values[feature] == 2 and code == 1
        if swapped:  # of two categories, only the first has a test
            code = 0
        node["test"] = int(first_test[feature]) + (code if kind != 3 else 0)
        if kind == 3:
            outcome = values
        else:
            outcome = np.where(values <= code if kind == 1 else values == code, 0, 1)
        node["children"] = []
        begin = int(splits["first_child"][k])
        for place in range(begin, begin + int(splits["n_children"][k])):
            child: dict[str, Any] = {}
            which = int(splits["child_outcome"][place])
            which = 1 - which if swapped else which
            node["children"].append([which, child])
            stack.append(
                (child, int(splits["children"][place]), rows[outcome == which])
            )
    return root


def _n_tests(kind: int, n_values: int) -> int:
    if n_values < 2:
        return 0
    return (n_values - 1, 1, 1 if n_values == 2 else n_values)[kind]
