"""Bounds on the work of BRANCHES and OSDT, and the branches one-hot encoding adds.

Table 1 of the article is Table 4.1 of the thesis; Figure 4.2 draws the same bounds
over the penalty, Figure 4.11 the count of Theorem 14.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log10
from typing import Any

from treeproof.complexity import (
    complexity_bound,
    empty_branches,
    osdt_complexity_bound,
    unnecessary_branches,
)
from treeproof.palette import class_colour
from treeproof.reproduce.figures import branches, thesis
from treeproof.reproduce.plots import new_axes
from treeproof.reproduce.target import Column, Record, Request, Row, Target

__all__ = ["TARGETS"]

_LONGEST = 300  # digits that a float has; longer numbers are written by hand


def _bounds(name: str, case: str, request: Request) -> Record:
    q, penalty = int(name.removeprefix("q=")), float(case)
    record: Record = {"branches": float(complexity_bound(q, penalty))}
    record["tight"] = float(complexity_bound(q, penalty, tight=True))
    exponent = float(osdt_complexity_bound(q, penalty, logarithm=True))
    if exponent < _LONGEST:
        record["osdt"] = float(osdt_complexity_bound(q, penalty))
    else:
        whole = int(exponent)
        record["osdt"] = f"{10 ** (exponent - whole):.2f}e{whole}"
    return record | {"log10 osdt": exponent, "proved": True}


def _plot_bounds(target: Target, rows: Sequence[Row]) -> Any:
    """Draw both bounds over the penalty for the numbers of features asked for."""
    figure, ax = new_axes(6.5, 4)
    penalties = [0.25 * 0.97**k for k in range(128)]
    for k, name in enumerate(dict.fromkeys(row.set for row in rows)):
        q = int(name.removeprefix("q="))
        ours = [log10(complexity_bound(q, p)) for p in penalties]
        osdt = [osdt_complexity_bound(q, p, logarithm=True) for p in penalties]
        ax.plot(penalties, ours, color=class_colour(k), label=f"BRANCHES, {name}")
        ax.plot(penalties, osdt, "--", color=class_colour(k), label=f"OSDT, {name}")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("penalty of a split")
    ax.set_ylabel("digits of the bound (log10)")
    ax.legend(frameon=False, fontsize=8)
    return figure


def _unnecessary(name: str, case: str, request: Request) -> Record:
    q, c = int(name.removeprefix("q=")), int(case.removeprefix("C="))
    return {
        "unnecessary": float(unnecessary_branches(q, c)),
        "empty": float(empty_branches(q, c)),
        "log10": log10(unnecessary_branches(q, c)),
        "proved": True,
    }


def _plot_contour(target: Target, rows: Sequence[Row]) -> Any:
    """Draw the contour of Figure 4.11."""
    figure, ax = new_axes(5.5, 4)
    features, categories = range(2, 21), range(2, 11)
    heights = [
        [log10(unnecessary_branches(q, c)) for q in features] for c in categories
    ]
    drawn = ax.contourf(list(features), list(categories), heights, levels=14)
    figure.colorbar(drawn, label="unnecessary branches (log10)")
    ax.set_xlabel("features q")
    ax.set_ylabel("categories of each, C")
    return figure


def _table(name: str, source: str) -> Target:
    return Target(
        name=name,
        title="Bounds on the evaluations of BRANCHES and OSDT, binary features",
        source=source,
        columns=(
            Column("branches", "BRANCHES", better=0),
            Column("osdt", "OSDT", better=0),
            Column("tight", "BRANCHES, sharper bound"),
        ),
        sets=("q=10", "q=15", "q=20"),
        cases=branches.PENALTIES,
        published=branches.TABLE_1,
        heads=("features", "penalty"),
        measure=_bounds,
        notes=("INF is a number too long for the authors' program.",),
        plot=_plot_bounds,
    )


TARGETS = (
    _table("branches-1", f"{branches.SOURCE}, Table 1"),
    _table("thesis-4.1", f"{thesis.SOURCE}, Table 4.1 and Figure 4.2"),
    Target(
        name="thesis-theorem-14",
        title="Branches that one-hot encoding adds in vain",
        source=f"{thesis.SOURCE}, Theorem 14 and Figure 4.11",
        columns=(
            Column("unnecessary", "as Theorem 14 counts"),
            Column("empty", "never true"),
            Column("log10", digits=1),
        ),
        sets=tuple(f"q={q}" for q in (2, 5, 10, 15, 20)),
        cases=tuple(f"C={c}" for c in (2, 4, 6, 8, 10)),
        heads=("features", "categories"),
        measure=_unnecessary,
        notes=(
            "The theorem counts all branches with two literals or more on one feature; "
            '"neither red nor green" is among them, though it may hold.',
        ),
        plot=_plot_contour,
    ),
)
