"""From a finished search to a proof file.

While a search runs, it streams its steps to a log beside the file to be written.
Afterwards `ProofFile.write` picks the search with the best bound, keeps the steps that
bound needs, puts the header before them, and compresses. The file appears under its
name complete or not at all. The format is described in docs/proof-format.md.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof import _core
from treeproof.border import ClassificationData, TrainingTable
from treeproof.columns import plain

__all__ = ["ProofFile"]

_SPLITS = ("threshold", "multiway", "one-vs-rest")
_MAX_WEIGHT = 1 << 30


class ProofFile:
    """A proof being made: a folder for the log while the search runs, then the file.

    Parameters
    ----------
    path : str or PathLike
        Where the proof goes; compressed whatever its name.
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
        """Where the search streams its steps to."""
        return str(self._folder / "steps.log")

    def write(
        self,
        found: Mapping[str, Any],
        data: ClassificationData,
        *,
        split_penalty: float,
        max_depth: int | None,
        max_splits: int | None,
        min_samples_leaf: int,
    ) -> dict[str, Any]:
        """Write the proof of what a search found; return its figures."""
        split_cost, limit = int(found["split_cost"]), max_splits or 0
        sections = [
            (bound - (cost - split_cost) * limit, cost, begin, end, bound)
            for cost, begin, end, bound in found["log_sections"]
        ]
        _, cost, begin, end, bound = max(sections)
        steps = self._folder / "steps"
        complete = found["log_complete"]
        n_steps = root = 0
        if complete:
            n_steps, root, complete = _core.trim_proof(
                self.log, begin, end, bound, str(steps)
            )
        if not complete:
            raise OSError(
                f"{self.path} could not be written: the disk is full or has failed. "
                "The tree was found and is kept; free some space and fit again for "
                "its proof."
            )
        if n_steps == 0:  # nothing was shown but that no tree costs less than nothing
            trivial: dict[str, Any] = {
                "branch": [],
                "depth": None,
                "splits": None,
                "bound": 0,
            }
            steps.write_text(json.dumps({**trivial, "uses": []}) + "\n")
            n_steps, root = 1, 0
        features = _features(data.table)
        header = {
            "format": "treeproof-proof",
            "version": 1,
            "loss": "misclassification",
            "features": features,
            "classes": [plain(c) for c in data.classes],
            "class_weight": data.class_factors.tolist(),
            "n_rows": data.table.n_rows,
            "fingerprint": _fingerprint(data, features),
            "split_penalty": split_penalty,
            "split_cost": split_cost,
            "search_split_cost": int(cost),
            "max_depth": max_depth,
            "max_splits": max_splits,
            "min_samples_leaf": min_samples_leaf,
            "lookahead": True,
            "tree": _nested(found["tree"], data),
            "upper": int(found["upper"]),
            "lower": int(found["lower"]),
            "root": root,
        }
        packed = self._folder / "packed"
        try:
            with gzip.open(packed, "wb", compresslevel=4) as out:
                out.write(json.dumps(header).encode() + b"\n")
                with steps.open("rb") as lines:
                    shutil.copyfileobj(lines, out, 1 << 20)
            os.replace(packed, self.path)
        except OSError as error:
            raise OSError(
                f"{self.path} could not be written: {error.strerror}. The tree was "
                "found and is kept; fit again for its proof."
            ) from None
        return {"proof_steps": n_steps, "proof_bytes": self.path.stat().st_size}


def _features(table: TrainingTable) -> list[dict[str, Any]]:
    return [
        {
            "name": column.name,
            "split": _SPLITS[kind],
            "values": None if kind == 0 else [plain(v) for v in distinct],
        }
        for column, kind, distinct in zip(
            table.columns, table.kinds, table.distinct, strict=True
        )
    ]


def _fingerprint(data: ClassificationData, features: list[dict[str, Any]]) -> str:
    digest = hashlib.sha256()
    for feature, codes, distinct in zip(
        features, data.table.codes, data.table.distinct, strict=True
    ):
        if feature["values"] is None:
            digest.update((np.asarray(distinct, dtype="<f8") + 0.0).tobytes())
        else:
            digest.update(json.dumps(feature["values"]).encode())
        digest.update(codes.astype("<i4").tobytes())
    digest.update(data.labels.astype("<i4").tobytes())
    digest.update(data.weights.astype("<f8").tobytes())
    return "sha256:" + digest.hexdigest()


def _nested(splits: Mapping[str, Any], data: ClassificationData) -> dict[str, Any]:
    """Return the tree as nested objects, each leaf with its heaviest class."""
    table = data.table
    weights = _rounded(data)
    first_test = np.concatenate(
        [
            [0],
            np.cumsum(
                [_n_tests(*f) for f in zip(table.kinds, table.n_values, strict=True)]
            ),
        ]
    )
    root: dict[str, Any] = {}
    stack = [(root, 0, np.arange(table.n_rows))]
    while stack:
        node, k, rows = stack.pop()
        feature, kind = int(splits["feature"][k]), int(splits["kind"][k])
        if kind == 0:
            totals = np.bincount(
                data.labels[rows], weights[rows], minlength=len(data.classes)
            )
            node["predict"] = int(np.argmax(totals))
            continue
        code = int(splits["code"][k])
        values = table.codes[feature][rows]
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
            node["children"].append([which, child])
            stack.append(
                (child, int(splits["children"][place]), rows[outcome == which])
            )
    return root


def _n_tests(kind: int, n_values: int) -> int:
    if n_values < 2:
        return 0
    return (n_values - 1, 1, 1 if n_values == 2 else n_values)[kind]


def _rounded(data: ClassificationData) -> NDArray[np.float64]:
    """Return weights as the engine rounds them, on the first of merged rows."""
    weights = data.weights
    n, total = len(weights), float(np.cumsum(weights)[-1])
    cap = _MAX_WEIGHT - n - 1.0
    if np.all(weights == np.floor(weights)) and total < cap:
        return weights
    scale = 2.0 ** math.floor(math.log2(cap / total))
    rows = np.vstack([data.table.codes, data.labels]).T
    _, first, merged = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    rounded = np.zeros(n)
    rounded[first] = np.floor(np.bincount(merged.reshape(-1), weights) * scale + 0.5)
    return rounded
