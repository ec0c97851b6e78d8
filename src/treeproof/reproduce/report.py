"""Rows as text: our figure, that of the paper in brackets, and a mark."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from treeproof.reproduce.run import Outcome
from treeproof.reproduce.target import Column, Row

__all__ = ["as_json", "differences", "heads", "lines", "markdown", "notes", "write_csv"]

BETTER, WORSE, DIFFERENT = "▲", "▼", "≠"


def mark(column: Column, ours: Any, printed: str | None) -> str:
    """Return how our figure differs from the printed one: better, worse, different.

    Equal means within one unit of the last printed digit, since papers cut digits off
    as often as they round.

    Examples
    --------
    >>> accuracy = Column("accuracy", better=1)
    >>> [mark(accuracy, x, "0.85") for x in (0.8507, 0.93, 0.8)]
    ['', '▲', '▼']
    """
    if column.better is None or not isinstance(ours, int | float) or not printed:
        return ""
    number = as_number(printed)
    exact = 0.0 if column.digits is None else 10.0**-column.digits
    if number is None or abs(ours - number) < (unit(printed) or exact) + 1e-9:
        return ""
    if column.better == 0:
        return DIFFERENT
    return BETTER if (ours - number) * column.better > 0 else WORSE


def as_number(text: str) -> float | None:
    """Return a printed figure as a number, or None for "TO", "(34%)" and the like.

    Examples
    --------
    >>> as_number("0.85"), as_number("<0.1"), as_number("TO")
    (0.85, None, None)
    """
    try:
        return float(text)
    except ValueError:
        return None


def unit(printed: str) -> float:
    """Return the value of one unit of the last printed digit; 0 for whole numbers.

    Examples
    --------
    >>> unit("0.85"), unit("17"), unit("5.70e4")
    (0.01, 0.0, 100.0)
    """
    found = re.fullmatch(r"-?\d*(?:\.(\d*))?(?:e(-?\d+))?", printed)
    if found is None or (found[1] is None and found[2] is None):
        return 0.0
    return float(10.0 ** (int(found[2] or 0) - len(found[1] or "")))


def figure(column: Column, value: Any) -> str:
    """Return one of our figures as text.

    Examples
    --------
    >>> figure(Column("x"), 56596), figure(Column("x", digits=3), 0.5)
    ('56,596', '0.500')
    >>> figure(Column("x"), 0.012345), figure(Column("x"), True)
    ('0.01235', 'yes')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if value < 10**9 else f"{float(value):.2e}"
    if isinstance(value, float):
        text = f"{value:.4g}" if column.digits is None else f"{value:.{column.digits}f}"
        return text.removeprefix("-") if float(text) == 0 else text  # no "-0.0"
    return str(value)


def cell(column: Column, row: Row) -> str:
    """Return our figure and the paper's, as they are printed."""
    ours, printed = row.ours.get(column.key), row.paper.get(column.key)
    text = figure(column, ours)
    if column.spread in row.ours:
        text += f" ± {figure(column, row.ours[column.spread])}"
    if printed:
        sign = mark(column, ours, printed)
        text = f"{text} ({printed})".strip() + (f" {sign}" if sign else "")
    return text


def heads(outcome: Outcome) -> list[str]:
    """Return the heads of the printed columns."""
    target = outcome.target
    cases = [target.heads[1]] if _has_cases(outcome.rows) else []
    return [target.heads[0], *cases, *(c.head for c in _shown(outcome))]


def lines(outcome: Outcome) -> list[list[str]]:
    """Return the cells of all rows."""
    cases = _has_cases(outcome.rows)
    return [
        [row.set, *([row.case] if cases else []),
         *(cell(column, row) for column in _shown(outcome))]
        for row in outcome.rows
    ]  # fmt: skip


def _shown(outcome: Outcome) -> list[Column]:
    return [c for c in outcome.target.columns if c.shown]


def _has_cases(rows: Sequence[Row]) -> bool:
    return any(row.case for row in rows)


def differences(outcome: Outcome) -> tuple[int, int]:
    """Count the figures that can be compared with printed ones, and those that differ.

    A figure of ours that is not proved optimal cannot be compared with a proved one in
    either direction; it is counted all the same, and marked.
    """
    compared = differing = 0
    for row in outcome.rows:
        for column in outcome.target.columns:
            printed, ours = row.paper.get(column.key), row.ours.get(column.key)
            comparable = column.better is not None and isinstance(ours, int | float)
            if comparable and printed and as_number(printed) is not None:
                compared += 1
                differing += bool(mark(column, ours, printed))
    return compared, differing


def notes(outcome: Outcome) -> list[str]:
    """Return the sentences below the table."""
    target = outcome.target
    found = [target.source + "."]
    compared, differing = differences(outcome)
    if any(row.paper for row in outcome.rows):
        text = "In brackets the paper's figures."
        if compared:
            text += f" {compared - differing} of {compared} compared figures agree"
            text += (
                f"; {BETTER} better than printed, {WORSE} worse, {DIFFERENT} different."
                if differing
                else "."
            )
        found.append(text)
    done = {row.set for row in outcome.rows}
    remarks = [f"{k}: {v}" for k, v in target.remarks.items() if k in done]
    return [*found, *target.notes, *remarks, *outcome.skipped]


def markdown(outcome: Outcome) -> str:
    """Return the table as Markdown.

    Examples
    --------
    >>> from treeproof.reproduce import TARGETS
    >>> row = Row("monk1", "", {"splits": 6}, {"splits": "6"})
    >>> print(markdown(Outcome(TARGETS["thesis-4.2"], None, [row])).splitlines()[2])
    | data set | objective | accuracy | splits | seconds | proved |
    """
    head = heads(outcome)
    rows = [head, ["---"] * len(head), *lines(outcome)]
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    return "\n\n".join([f"**{outcome.target.title}**", table, *notes(outcome)])


def as_json(outcome: Outcome) -> dict[str, Any]:
    """Return everything as plain data, for JSON."""
    return {
        "target": outcome.target.name,
        "title": outcome.target.title,
        "rows": [
            {"set": r.set, "case": r.case, "ours": r.ours, "paper": r.paper}
            for r in outcome.rows
        ],
        "skipped": outcome.skipped,
        "interrupted": outcome.interrupted,
    }


def write_csv(outcome: Outcome, path: Path) -> None:
    """Save all figures: each column as measured, and as printed in the paper."""
    keys: dict[str, None] = {}
    for column in outcome.target.columns:
        keys[column.key] = None
    for row in outcome.rows:
        keys.update(dict.fromkeys([*row.ours, *row.paper]))
    printed = {key for row in outcome.rows for key in row.paper}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        head = [part for key in keys for part in _pair(key, key in printed)]
        writer.writerow([*outcome.target.heads, *head])
        for row in outcome.rows:
            cells = [c for key in keys for c in _values(row, key, key in printed)]
            writer.writerow([row.set, row.case, *cells])


def _pair(key: str, printed: bool) -> list[str]:
    return [key, f"{key} (paper)"] if printed else [key]


def _values(row: Row, key: str, printed: bool) -> list[Any]:
    ours: Mapping[str, Any] = row.ours
    found = [ours.get(key, "")]
    return [*found, row.paper.get(key, "")] if printed else found
