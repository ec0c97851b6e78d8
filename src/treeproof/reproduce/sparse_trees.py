"""Optimal sparse trees: Tables 2 and 3 of the BRANCHES article, 3.2 and 4.2 to 4.4 of
the thesis.

BRANCHES and DT-Miner run as published; "treeproof" is what ``solver="auto"`` gives. The
objective is the papers' accuracy minus penalty times splits.
"""  # noqa: D205

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from treeproof.reproduce.data import DataSet, load_categories
from treeproof.reproduce.figures import branches, thesis
from treeproof.reproduce.figures.reading import Printed, only
from treeproof.reproduce.fitting import figures_of, fit, optimal_classifier
from treeproof.reproduce.plots import ours_and_theirs
from treeproof.reproduce.target import Column, Record, Request, Target

__all__ = ["TARGETS", "article_data", "thesis_data", "thesis_penalty"]

SOLVERS: dict[str, dict[str, Any]] = {
    "BRANCHES": {"solver": "branches"},
    "DT-Miner": {"solver": "dt-miner"},
    "treeproof": {},
    "treeproof, depth 6": {"max_depth": 6, "max_splits": 40},
}

OBJECTIVE = Column("objective", digits=4, better=1)
ACCURACY = Column("accuracy", digits=4, better=0)
SPLITS = Column("splits", better=0)
SECONDS = Column("seconds", digits=3)
ITERATIONS = Column("iterations")
PROVED = Column("proved")


def thesis_penalty(name: str) -> float:
    """Return the penalty per split that goes with a set in the thesis' chapter 4."""
    family = name.removesuffix("-o").removesuffix("-f").removesuffix("-l")
    if name == "monk1-f" or family in ("monk2", "monk3", "zoo"):
        return 0.001
    return 0.005 if family in ("tic-tac-toe", "car-eval", "balance") else 0.01


def thesis_data(name: str, request: Request) -> tuple[DataSet, float]:
    """Return a set as chapter 4 has it, and its penalty."""
    return load_categories(name, request.data), thesis_penalty(name)


def article_data(name: str, request: Request) -> tuple[DataSet, float]:
    """Return a set as the article and chapter 3 have it, and its penalty.

    There, a name without a suffix is the encoding without first categories, and balance
    has no rows of the class "balanced". Of kr-vs-kp the folder has all categories.
    """
    whole = name[-2:] in ("-o", "-l", "-f") or name == "kr-vs-kp"
    plain = name if whole else f"{name}-f"
    data = load_categories(plain, request.data)
    if name.startswith("balance"):
        labels, counts = np.unique(data.y, return_counts=True)
        rows = data.y != labels[np.argmin(counts)]
        return DataSet(data.X[rows], data.y[rows], data.categorical), 0.01
    return data, thesis_penalty(plain)


def measure(
    get: Callable[[str, Request], tuple[DataSet, float]],
    name: str,
    case: str,
    request: Request,
) -> Record:
    """Fit one set with one solver."""
    data, penalty = get(name, request)
    model = optimal_classifier(penalty, data, **SOLVERS[case])
    return figures_of(model, data, fit(model, data, request.time_limit))


def _sets(printed: Printed) -> list[str]:
    return list(dict.fromkeys(name for name, _ in printed))


def _merged(*tables: Printed) -> Printed:
    """Return the columns of all tables together; the first one orders the rows."""
    merged: Printed = {}
    for name in _sets(tables[0]):
        for table in tables:
            merged |= {
                place: cells for place, cells in table.items() if place[0] == name
            }
    return merged


def _target(
    name: str,
    title: str,
    source: str,
    published: Printed,
    cases: Sequence[str],
    columns: Sequence[Column],
    get: Callable[[str, Request], tuple[DataSet, float]] = thesis_data,
    drawn: str = "seconds",
    **more: Any,
) -> Target:
    return Target(
        name=name,
        title=title,
        source=source,
        published=published,
        sets=_sets(published),
        cases=cases,
        columns=columns,
        measure=partial(measure, get),
        plot=partial(ours_and_theirs, keys=[drawn], label=drawn, log=True),
        # Tables on the same data share what was measured.
        store="thesis-sparse" if get is thesis_data else "article-sparse",
        **more,
    )


_ARTICLE_REMARKS = {
    "balance": "576 rows without ties, penalty 0.01, as Table 5 of the article says.",
    "balance-o": "576 rows without ties, penalty 0.01, as Table 5 of the article says; "
    "the printed 0.661, and 0.670 in the thesis, are trees on all 625 rows.",
    "tic-tac-toe-o": "the thesis prints 0.773 for the same set and penalty; 0.832 is "
    "more than the proved optimum.",
    "nursery": "the encoding without first categories has 19 columns, as the article "
    "says; the 0.820 it prints is the optimum with penalty 0.005 instead of 0.01.",
    "kr-vs-kp": "here with a column for each category, 73 of them; the paper has 37.",
}
_THESIS_REMARKS = {
    "balance": "the thesis prints 0.776 with 8 splits and accuracy 0.806, which do not "
    "fit together at penalty 0.005 (0.806 - 8 x 0.005 = 0.766, a misprint perhaps).",
}
_LONGER = (
    "The papers' limit is 300 seconds on a machine of theirs; seconds here are of the "
    "processor.",
)
_BRANCHES_4_3 = {
    place: cells for place, cells in thesis.TABLE_4_3.items() if place[1] == "BRANCHES"
}

TARGETS = (
    _target(
        "branches-2",
        "BRANCHES beside OSDT, PyGOSDT and GOSDT",
        f"{branches.SOURCE}, Table 2",
        branches.TABLE_2,
        ("BRANCHES", "treeproof"),
        (OBJECTIVE, SECONDS, ITERATIONS, PROVED),
        article_data,
        remarks=_ARTICLE_REMARKS,
        notes=_LONGER,
    ),
    _target(
        "branches-3",
        "BRANCHES beside DL8.5, MurTree and STreeD with depth 6",
        f"{branches.SOURCE}, Table 3",
        _merged(only(branches.TABLE_2, "objective", "seconds"), branches.TABLE_3),
        ("BRANCHES", "treeproof", "treeproof, depth 6"),
        (OBJECTIVE, SECONDS, PROVED),
        article_data,
        remarks=_ARTICLE_REMARKS,
        notes=(
            *_LONGER,
            "Depth 6 and at most 40 splits is what the peers were given; the row says "
            "how good a tree within those limits can be.",
        ),
    ),
    _target(
        "thesis-3.2",
        "DT-Miner beside OSDT, PyGOSDT and GOSDT",
        f"{thesis.SOURCE}, Table 3.2",
        thesis.TABLE_3_2,
        ("DT-Miner", "treeproof"),
        (OBJECTIVE, SECONDS, ITERATIONS, PROVED),
        article_data,
        remarks=_ARTICLE_REMARKS,
        notes=_LONGER,
    ),
    _target(
        "thesis-4.2",
        "Optimal sparse trees: BRANCHES beside MurTree, STreeD and GOSDT",
        f"{thesis.SOURCE}, Table 4.2",
        _merged(
            only(thesis.TABLE_4_3, "objective", "accuracy", "splits", "seconds"),
            thesis.TABLE_4_2,
        ),
        ("BRANCHES", "treeproof"),
        (OBJECTIVE, ACCURACY, SPLITS, SECONDS, PROVED),
        remarks=_THESIS_REMARKS,
        notes=_LONGER,
    ),
    _target(
        "thesis-4.3",
        "Iterations of BRANCHES and GOSDT",
        f"{thesis.SOURCE}, Table 4.3",
        thesis.TABLE_4_3,
        ("BRANCHES",),
        (OBJECTIVE, ACCURACY, SPLITS, SECONDS, ITERATIONS, PROVED),
        drawn="iterations",
        remarks=_THESIS_REMARKS,
        notes=_LONGER,
    ),
    _target(
        "thesis-4.4",
        "BRANCHES beside the Python programs OSDT and PyGOSDT",
        f"{thesis.SOURCE}, Table 4.4",
        {
            place: cells
            for place, cells in _merged(_BRANCHES_4_3, thesis.TABLE_4_4).items()
            if place[0].removesuffix("-o") in _sets(thesis.TABLE_4_4)
        },
        ("BRANCHES",),
        (OBJECTIVE, ACCURACY, SPLITS, SECONDS, ITERATIONS, PROVED),
        remarks=_THESIS_REMARKS,
        notes=_LONGER,
    ),
)
