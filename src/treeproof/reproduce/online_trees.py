"""Learners of trees on streams: Tables 5.2, 6.1, 7.2 and 7.3 of the thesis."""

from __future__ import annotations

from functools import partial
from statistics import median

from treeproof.reproduce.figures import thesis
from treeproof.reproduce.plots import ours_and_theirs
from treeproof.reproduce.target import Column, Record, Request, Target

__all__ = ["TARGETS"]

_SAMPLES = 200_000
_SEED = 42

_TITLES = {
    "5.2": "UCDT and EGDT on streams, beside River's trees",
    "6.1": "TSDT on streams, beside River's trees",
    "7.2": "Online-BRANCHES on streams, beside River's trees",
    "7.3": "Online-BRANCHES beside UCDT, EGDT and TSDT",
}


def _measure(name: str, case: str, request: Request) -> Record:
    from treeproof.stream.comparison import run

    outcomes = [
        run(
            case,
            name,
            seed=_SEED + request.seed + k,
            n_samples=_SAMPLES,
            time_limit=request.time_limit,
        )
        for k in range(request.repeats)
    ]
    test = float(median(o.accuracy for o in outcomes))
    first = float(median(o.first_accuracy for o in outcomes))
    return {
        "accuracy": first if case in thesis.RIVER else test,
        "test": test,
        "splits": round(median(o.n_splits for o in outcomes)),
        "samples": round(median(o.samples for o in outcomes)),
        "seconds": float(median(o.seconds for o in outcomes)),
        "in time": all(o.finished for o in outcomes),
        "proved": all(o.finished for o in outcomes),
    }


def _target(number: str) -> Target:
    learners = thesis.STREAM_TABLES[number]
    printed = thesis.STREAMS | thesis.STREAMS_OTHERWISE.get(number, {})
    sets = tuple(dict.fromkeys(name for name, _ in thesis.STREAMS))
    return Target(
        name=f"thesis-{number}",
        title=_TITLES[number],
        source=f"{thesis.SOURCE}, Table {number}",
        columns=(
            Column("accuracy", digits=3, better=1),
            Column("test", "on 2,000 rows", 3),
            Column("splits", better=0),
            Column("samples"),
            Column("seconds", digits=2),
            Column("in time"),
        ),
        sets=sets,
        cases=learners,
        published={
            place: cells for place, cells in printed.items() if place[1] in learners
        },
        heads=("stream", "learner"),
        measure=_measure,
        store="thesis-streams",  # several tables have the same learners
        notes=(
            f"At most {_SAMPLES:,} samples, and --time-limit seconds of processor time "
            "for each learner (the thesis: 300); with --repeats, medians over seeds.",
            "Accuracy of River's trees is that of the final tree on the first 100 rows "
            "of the stream, since the thesis' figures are found there; the next column "
            "is on 2,000 rows that come after those learnt. Accuracy of ours is on the "
            "latter. Seed 42, as in the thesis.",
        ),
        plot=partial(
            ours_and_theirs, keys=["accuracy"], label="accuracy of the final tree"
        ),
    )


TARGETS = tuple(map(_target, _TITLES))
