"""The native searches with keyword arguments, for tests and benchmarks.

The core takes a table and a record of options; here both are made of the names that the
caller gives, and what is left over goes to the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treeproof import _core

COLUMNS = ("kinds", "n_values", "codes", "weights")
LABELS = (*COLUMNS, "labels", "n_classes")
TARGETS = (*COLUMNS, "targets", "n_outputs", "criterion", "smoothing", "quantiles",
           "lines", "ridge")  # fmt: skip
OPTIONS = ("split_penalty", "penalize", "max_depth", "max_splits", "min_samples_leaf",
           "list", "time_limit", "memory_limit", "observer", "n_jobs")  # fmt: skip
SPARSE = ("switches", "kernel", "fault", "helpers_at_once", "proof_log", "checkpoint",
          "checkpoint_pause", "key_seed")  # fmt: skip


def take(arguments: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Remove the arguments of these names, and return them."""
    return {name: arguments.pop(name) for name in names if name in arguments}


def table_of(arguments: dict[str, Any]) -> Any:
    """Make the table from the arguments that describe it, and remove these."""
    if "targets" in arguments:
        return _core.EncodedTable.with_targets(**take(arguments, TARGETS))
    return _core.EncodedTable.with_labels(**take(arguments, LABELS))


def _caller(name: str, *, sparse: bool = False) -> Callable[..., Any]:
    function = getattr(_core, name)

    def call(**arguments: Any) -> Any:
        table = table_of(arguments)
        options = _core.SearchOptions(**take(arguments, OPTIONS))
        if sparse:
            own = take(arguments, SPARSE)
            arguments["sparse_options"] = _core.SparseOptions(**own)
        return function(table, options, **arguments)

    return call


def solve_rules(store: Any, *, points: Any, **arguments: Any) -> Any:
    """Search the rules of a store, for rows that are at these points."""
    table = table_of({
        "kinds": np.zeros(1, np.int32), "codes": points,
        "n_values": np.array([store.n_points], np.int32), **take(arguments, LABELS),
    })  # fmt: skip
    options = {"max_splits": 2, **take(arguments, OPTIONS)}
    return _core.solve_rules(store, table, _core.SearchOptions(**options), **arguments)


def table_alone(
    *, kinds: Any, n_values: Any, codes: Any, n_rows: int | None = None
) -> Any:
    """Make a table whose labels and weights do not matter."""
    n = len(codes) // len(kinds) if n_rows is None else n_rows
    return _core.EncodedTable.with_labels(
        kinds=kinds, n_values=n_values, codes=codes, weights=np.ones(n),
        labels=np.zeros(n, np.int32), n_classes=1,
    )  # fmt: skip


def heaviest_box(*, weights: Any, **arguments: Any) -> Any:
    columns = take(arguments, COLUMNS)
    table = table_alone(**columns, n_rows=len(weights))
    return _core.heaviest_box(table, weights, **arguments)


def price_axes(**columns: Any) -> Any:
    return _core.price_axes(table_alone(**columns))


def _price_maker(name: str) -> Callable[..., Any]:
    call = _caller(name)
    return lambda **arguments: call(**{"penalize": "leaves"} | arguments)


prices = _price_maker("prices")
shallow_prices = _price_maker("shallow_prices")
NearSearch = _caller("NearSearch")
solve = _caller("solve", sparse=True)
climb_labels = _caller("climb_labels", sparse=True)
climb_targets = _caller("climb_targets")
solve_threshold = _caller("solve_threshold")
solve_targets = _caller("solve_targets")
quant_labels = _caller("quant_labels")
quant_targets = _caller("quant_targets")
solve_path_labels = _caller("solve_path_labels")
solve_path_targets = _caller("solve_path_targets")
PathSearch = _caller("PathSearch")
