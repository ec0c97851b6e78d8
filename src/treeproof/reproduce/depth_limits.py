"""Optimal trees under limits of depth: section 4.13 of the thesis.

Figures 4.19 to 4.40 compare BRANCHES, GOSDT and STreeD for maximum depths from 4 to 20.
Here BRANCHES as published and our own engine run on each encoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treeproof.palette import class_colour
from treeproof.reproduce.figures import thesis
from treeproof.reproduce.fitting import figures_of, fit, optimal_classifier
from treeproof.reproduce.plots import panels
from treeproof.reproduce.sparse_trees import SOLVERS, thesis_data
from treeproof.reproduce.target import Column, Record, Request, Row, Target

__all__ = ["TARGETS"]

_PROGRAMS = ("BRANCHES", "treeproof")
_DEPTHS = range(4, 21)
_PANELS = ("objective", "seconds")


def _measure(name: str, case: str, request: Request) -> Record:
    program, depth = case.rsplit(" ", 1)
    data, penalty = thesis_data(name, request)
    options = {"max_depth": int(depth), **SOLVERS[program]}
    model = optimal_classifier(penalty, data, **options)
    return figures_of(model, data, fit(model, data, request.time_limit))


def _draw(target: Target, rows: Sequence[Row]) -> Any:
    """Draw two panels for each set."""
    sets = list(dict.fromkeys(row.set for row in rows))
    figure, axes = panels(len(sets) * len(_PANELS), columns=4, width=2.6, height=1.4)
    places = ((name, key) for name in sets for key in _PANELS)
    for ax, (name, key) in zip(axes, places, strict=True):
        for k, program in enumerate(_PROGRAMS):
            own = [
                row.ours[key]
                for row in rows
                if row.set == name and row.case.startswith(program)
            ]
            ax.plot(list(_DEPTHS)[: len(own)], own, ["o-", "s--"][k], markersize=3,
                    color=class_colour(k), label=program)  # fmt: skip
        if key == "seconds":
            ax.set_yscale("log")
            ax.set_ylim(1e-3, 2 * max(row.ours[key] for row in rows))
            ax.yaxis.minorticks_off()
        else:
            ax.ticklabel_format(axis="y", useOffset=False)
        ax.set_title(f"{name}: {key}", loc="left", fontsize=8)
    figure.supxlabel("maximum depth", fontsize=9)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, fontsize=9, ncols=2, loc="upper left")
    return figure


TARGETS = (
    Target(
        name="thesis-4.13",
        title="BRANCHES and treeproof under depth limits from 4 to 20",
        source=f"{thesis.SOURCE}, section 4.13, Figures 4.19 to 4.40",
        columns=(
            Column("objective", digits=4),
            Column("accuracy", digits=4),
            Column("splits"),
            Column("depth"),
            Column("seconds", digits=3),
            Column("iterations"),
            Column("proved"),
        ),
        sets=tuple(dict.fromkeys(name for name, _ in thesis.TABLE_4_3)),
        cases=tuple(f"{p} {depth}" for p in _PROGRAMS for depth in _DEPTHS),
        heads=("data set", "maximum depth"),
        measure=_measure,
        time_limit=20.0,
        notes=(
            "The thesis draws these figures and prints no numbers. With an ordinal "
            "encoding (-o) they are its branches-o.",
        ),
        plot=_draw,
    ),
)
