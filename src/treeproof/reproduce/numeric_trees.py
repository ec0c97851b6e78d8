"""Shallow trees on numbers: Tables 2, 3, 6 and 7 of the Quant-BnB paper."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from treeproof.estimators.classifier import OptimalTreeClassifier
from treeproof.estimators.regressor import OptimalTreeRegressor
from treeproof.reproduce.data import DataSet, load_numbers
from treeproof.reproduce.discretise import binarise
from treeproof.reproduce.figures import quantbnb
from treeproof.reproduce.fitting import MEMORY, fit
from treeproof.reproduce.plots import ours_and_theirs
from treeproof.reproduce.target import Column, Record, Request, Target
from treeproof.solving.quant_bnb import QuantBnB

__all__ = ["REGRESSION_SETS", "TARGETS", "optimal_tree"]

REGRESSION_SETS = (*quantbnb.REGRESSION, "diabetes")

_NOTES = (
    "The sets are the paper's training sets; its limits are four hours and 25 GB (ten "
    "minutes in Table 3), on one core. Seconds here are of the processor.",
)


def optimal_tree(name: str, depth: int, **options: Any) -> Any:
    """Return an untrained optimal tree of the kind a set needs, without a penalty."""
    kind = OptimalTreeRegressor if name in REGRESSION_SETS else OptimalTreeClassifier
    return kind(
        0.0,
        max_depth=depth,
        categorical_features=None,
        time_limit=None,
        memory_limit=MEMORY,
        **options,
    )


def _measure_time(name: str, case: str, request: Request) -> Record:
    """Return the time of a fit.

    A case is either "depth D, PROGRAM", or the name of a lower bound for Quant-BnB at
    depth 2.
    """
    data = load_numbers(name, request.data)
    options: dict[str, Any] = {"solver": "quant-bnb"}
    depth = 2
    if case.startswith("depth"):
        depth, program = int(case[6]), case[9:]
        if program == "treeproof":
            options = {}
    else:
        options["quant_bnb"] = QuantBnB(lower_bound=case)
    model = optimal_tree(name, depth, **options)
    seconds = fit(model, data, request.time_limit)
    return {
        "rows": int(data.X.shape[0]),
        "seconds": round(seconds, 6),
        "loss": float(model.objective_),
        "proved": bool(model.optimal_),
        "gap": float(model.gap_),
    }


def _cases(*programs: str) -> tuple[str, ...]:
    return tuple(f"depth {d}, {program}" for d in (2, 3) for program in programs)


def _measure_accuracy(name: str, case: str, request: Request) -> Record:
    """Return training accuracies in percent: optimal, optimal after MDLP, CART."""
    data = load_numbers(name, request.data)
    depth = int(case.removeprefix("depth "))
    binary = DataSet(binarise(data.X, data.y), data.y)
    best = optimal_tree(name, depth)
    approximate = optimal_tree(name, depth)
    cart = DecisionTreeClassifier(max_depth=depth, random_state=request.seed)
    limit = request.time_limit
    seconds = [fit(best, data, limit), fit(approximate, binary, limit)]
    cart.fit(data.X, data.y)
    thresholds = sum(len(np.unique(x)) - 1 for x in data.X.T)
    return {
        "thresholds": thresholds,
        "MDLP": int(binary.X.shape[1]),
        "optimal": 100 * float(best.score(data.X, data.y)),
        "approximate": 100 * float(approximate.score(binary.X, data.y)),
        "CART": 100 * float(cart.score(data.X, data.y)),
        "seconds": round(seconds[0], 6),
        "proved": bool(best.optimal_ and approximate.optimal_),
    }


_TIMES = (
    Column("seconds", digits=3),
    Column("loss", digits=4),
    Column("proved"),
    Column("gap", digits=4),
)

TARGETS = (
    Target(
        name="quantbnb-2",
        title="Optimal classification trees of depth 2 and 3 on numbers: seconds",
        source=f"{quantbnb.SOURCE}, Table 2",
        columns=_TIMES,
        sets=quantbnb.CLASSIFICATION,
        extra_sets=("iris", "wine", "breast-cancer"),
        cases=_cases("Quant-BnB", "treeproof"),
        published=quantbnb.TABLE_2,
        heads=("data set", "program"),
        measure=_measure_time,
        notes=(*_NOTES, "Loss is the share of training rows that are misclassified."),
        plot=partial(ours_and_theirs, keys=["seconds"], label="seconds", log=True),
    ),
    Target(
        name="quantbnb-3",
        title="Quant-BnB at depth 2 with each of its lower bounds: seconds",
        source=f"{quantbnb.SOURCE}, Table 3",
        columns=_TIMES,
        sets=tuple(dict.fromkeys(name for name, _ in quantbnb.TABLE_3)),
        extra_sets=(
            "iris", "wine", "breast-cancer", "bank", "raisin", "rice", "wilt",
            "occupancy", "page", "fault", "diabetes", "fish", "concrete", "query1",
            "grid",
        ),
        cases=("W0", "W1", "W2", "L2"),
        published=quantbnb.TABLE_3,
        heads=("data set", "bound"),
        measure=_measure_time,
        notes=_NOTES,
        plot=partial(ours_and_theirs, keys=["seconds"], label="seconds", log=True),
    ),
    Target(
        name="quantbnb-6",
        title="Training accuracy: optimal, optimal after discretising, CART (percent)",
        source=f"{quantbnb.SOURCE}, Table 6",
        columns=(
            Column("thresholds", better=0),
            Column("MDLP", "MDLP columns"),
            Column("optimal", digits=1, better=1),
            Column("approximate", digits=1, better=0),
            Column("CART", digits=1, better=0),
            Column("proved"),
        ),
        sets=quantbnb.CLASSIFICATION,
        extra_sets=("iris", "wine", "breast-cancer"),
        cases=("depth 2", "depth 3"),
        published=quantbnb.TABLE_6,
        heads=("data set", "depth"),
        measure=_measure_accuracy,
        notes=(
            "MDLP makes one column for each cut; the number in the paper is ours, or "
            "exactly twice ours.",
            *_NOTES,
        ),
        plot=partial(
            ours_and_theirs,
            keys=["optimal", "approximate", "CART"],
            label="training accuracy (%)",
        ),
    ),
    Target(
        name="quantbnb-7",
        title="Optimal regression trees of depth 2 and 3 on numbers: seconds",
        source=f"{quantbnb.SOURCE}, Table 7",
        columns=_TIMES,
        sets=quantbnb.REGRESSION,
        extra_sets=("diabetes",),
        cases=_cases("Quant-BnB", "treeproof"),
        published=quantbnb.TABLE_7,
        heads=("data set", "program"),
        measure=_measure_time,
        notes=(*_NOTES, "Loss is the share of the variance that is left."),
        plot=partial(ours_and_theirs, keys=["seconds"], label="seconds", log=True),
    ),
)  # fmt: skip
