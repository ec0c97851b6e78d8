"""Regression trees: our engine beside our Quant-BnB, in one run.

``python -m benchmarks.regression`` fits the four regression sets of ``regression/`` in
the data folder at depth two and three without a penalty, with the threshold engine and
with the published Quant-BnB (lower bound W1). The time is the CPU time of the whole
`fit` call, input checks included; a run that was stopped is marked with ">".
"""

from __future__ import annotations

import time
import warnings
from typing import Annotated, Any

import numpy as np
import typer
from sklearn.exceptions import ConvergenceWarning

from treeproof import OptimalTreeRegressor, QuantBnB

from .problems import data_folder
from .report import show, wide_console
from .tables import Table, geometric_mean

SETS = ("concrete", "fish", "query1", "grid")
OURS, THEIRS = "threshold", "quant-bnb"


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and the targets of a set."""
    import pandas as pd

    frame = pd.read_csv(data_folder() / "regression" / f"{name}.csv.gz")
    y = frame.pop("y").to_numpy(dtype=float)
    return frame.to_numpy(dtype=float), y


def run(name: str, depth: int, solver: str, bound: str, limit: float) -> dict[str, Any]:
    """Fit once (short fits five times, the median counts) and say what came out."""
    X, y = load(name)
    times: list[float] = []
    model = OptimalTreeRegressor(
        0.0, max_depth=depth, solver=solver, quant_bnb=QuantBnB(bound), time_limit=limit
    )
    while len(times) < (5 if sum(times) < 0.5 else 1):
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)
        times.append(time.process_time() - start)
    squares = float(((y - model.predict(X)) ** 2).sum())
    seconds = float(np.median(times))
    return {"seconds": seconds, "squares": squares, "proved": model.optimal_}


def seconds_text(found: dict[str, Any]) -> str:
    """Return the time for the table."""
    mark = "" if found["proved"] else "> "
    return f"{mark}{found['seconds']:.3g}"


def main(
    limit: Annotated[float, typer.Option(help="Seconds for one fit.")] = 120.0,
    sets: Annotated[str, typer.Option(help="Sets A,B.")] = ",".join(SETS),
    depths: Annotated[str, typer.Option(help="Depths A,B.")] = "2,3",
    bound: Annotated[str, typer.Option(help="Quant-BnB's lower bound.")] = "W1",
) -> None:
    """Print sums of squares, CPU seconds and ratios."""
    table = Table(
        "Regression trees without a penalty, CPU seconds of fit",
        ["set, depth", "sum of squares", "ours", f"Quant-BnB {bound}", "times faster"],
    )
    ratios: dict[int, list[float]] = {}
    for depth in map(int, depths.split(",")):
        for name in sets.split(","):
            ours = run(name, depth, OURS, bound, limit)
            theirs = run(name, depth, THEIRS, bound, limit)
            if theirs["proved"] and ours["proved"]:
                assert np.isclose(ours["squares"], theirs["squares"], rtol=1e-9)
            ratio = theirs["seconds"] / ours["seconds"]
            ratios.setdefault(depth, []).append(ratio)
            table.rows.append(
                [
                    f"{name}, {depth}",
                    f"{ours['squares']:.8g}",
                    seconds_text(ours),
                    seconds_text(theirs),
                    f"{'' if theirs['proved'] else '> '}{ratio:.1f}",
                ]
            )
    for depth, values in ratios.items():
        mean = geometric_mean(values)
        table.notes.append(f"depth {depth}: {mean:.1f} times faster (geometric mean)")
    everything = [r for values in ratios.values() for r in values]
    table.notes.append(f"all: {geometric_mean(everything):.1f} times faster")
    show(table, wide_console())


if __name__ == "__main__":
    typer.run(main)
