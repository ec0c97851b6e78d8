"""Measures a target, set by set and case by case, and stores every row at once."""

from __future__ import annotations

import datetime
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from treeproof.reproduce.data import Absent
from treeproof.reproduce.store import Store
from treeproof.reproduce.target import Record, Request, Row, Target

__all__ = ["Outcome", "run"]


@dataclass
class Outcome:
    """The rows of a target, the sets left out, and whether it was interrupted."""

    target: Target
    request: Request
    rows: list[Row] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    interrupted: bool = False


def run(target: Target, request: Request, store: Store) -> Outcome:
    """Measure what a request asks for; rows in the store are not measured again.

    Parameters
    ----------
    target : Target
        What to compute again.
    request : Request
        Which sets, under which limits.
    store : Store
        Rows known already; new ones are added.

    Returns
    -------
    Outcome
        Whatever was measured, also after Ctrl-C.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from treeproof.reproduce import TARGETS
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(Path(folder) / "rows.jsonl", "1.0")
    ...     outcome = run(TARGETS["thesis-4.1"], Request(["q=10"]), store)
    >>> row = outcome.rows[0]
    >>> f"{row.ours['branches']:.2e}", row.paper["branches"]
    ('5.70e+04', '5.70e4')
    """
    outcome = Outcome(target, request)
    chosen = _chosen(target, request.sets)
    try:
        _measure_all(chosen, outcome, store)
        if not outcome.rows and not request.sets and target.default_sets is None:
            _measure_all(target.extra_sets, outcome, store)
    except KeyboardInterrupt:
        outcome.interrupted = True
    if not outcome.rows and not outcome.interrupted:
        raise ValueError(" ".join(outcome.skipped) or "There is nothing to measure.")
    return outcome


def _measure_all(sets: Sequence[str], outcome: Outcome, store: Store) -> None:
    for name in sets:
        try:
            outcome.rows += _rows_of(name, outcome, store)
        except Absent as reason:
            outcome.skipped.append(f"{name} was left out: {reason}")
            outcome.request.say(outcome.skipped[-1])


def _rows_of(name: str, outcome: Outcome, store: Store) -> list[Row]:
    target, request = outcome.target, outcome.request.of_set(name)
    rows = []
    for case in target.cases_printed(name):
        ours = {}
        if case in target.cases:
            known = store.find(name, case, request)
            if known is None:
                request.say(f"{name} {case}".strip())
                known = _measured(target, name, case, request)
                store.put(name, case, request, known)
            ours = known
        rows.append(Row(name, case, ours, target.published.get((name, case), {})))
    return rows


def _measured(target: Target, name: str, case: str, request: Request) -> Record:
    """Return the measured figures of a row, with the date and the time it took."""
    start = time.perf_counter()
    record = target.measure(name, case, request)
    return {key: _rounded(value) for key, value in record.items()} | {
        "took": round(time.perf_counter() - start, 3),
        "measured": datetime.date.today().isoformat(),
    }


def _rounded(value: Any) -> Any:
    """Return floats rounded to ten digits, which suffice for all tables."""
    return float(f"{value:.10g}") if isinstance(value, float) else value


def _chosen(target: Target, asked: Sequence[str]) -> Sequence[str]:
    known = [*target.sets, *target.extra_sets]
    if list(asked) == ["all"]:
        return known
    for name in asked:
        if name not in known:
            raise ValueError(
                f"{target.name} has no {target.heads[0]} {name!r}; there are "
                f"{', '.join(known)}."
            )
    return asked or (
        target.sets if target.default_sets is None else target.default_sets
    )
