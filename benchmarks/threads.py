"""Threads: the sets of Table 4.2, and numeric sets.

`python -m benchmarks.threads` solves each problem with one and with more
threads: CPU time in all, the share of the leading thread, the speed-up by the clock,
and the one that follows from the busiest thread's CPU time, which also holds on a
machine that others use. Numeric problems are written as set@depth, from
``continuous/`` and ``regression/``, or set@penalty for a penalty and no depth limit;
breast-cancer is scikit-learn's. The means are over problems that take one thread over
a second.
"""

from __future__ import annotations

import gzip
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from .problems import data_folder

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))


@dataclass
class Run:
    """An answer, the CPU time of all threads and of the first, and the clock's."""

    answer: dict[str, Any]
    cpu: float
    lead: float
    wall: float


def _timed(solve: Callable[..., dict[str, Any]], **arguments: Any) -> Run:
    cpu, lead, wall = time.process_time(), time.thread_time(), time.perf_counter()
    answer = solve(**arguments)
    return Run(
        answer,
        time.process_time() - cpu,
        time.thread_time() - lead,
        time.perf_counter() - wall,
    )


def _solve(name: str, **options: Any) -> Run:
    """Solve a set of Table 4.2."""
    import native
    import table42
    from oracle import engine_arguments

    return _timed(
        native.solve,
        solver="sparse",
        split_penalty=table42.penalty(name),
        **options,
        **engine_arguments(table42.load(name)),
    )


def _numbers(name: str) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return features, what to predict, and whether that is a number."""
    if name == "breast-cancer":
        from sklearn.datasets import load_breast_cancer

        return *load_breast_cancer(return_X_y=True), False
    folder = data_folder()
    regression = (folder / "regression" / f"{name}.csv.gz").exists()
    path = folder / ("regression" if regression else "continuous") / f"{name}.csv.gz"
    with gzip.open(path, "rt") as file:
        names = file.readline().strip().split(",")
        table = np.loadtxt(file, delimiter=",", dtype=np.float64)
    label = names.index("y")
    return np.delete(table, label, axis=1), table[:, label], regression


def _solve_numbers(name: str, **options: Any) -> Run:
    """Solve a numeric problem, set@depth or set@penalty."""
    import native

    from treeproof.border.ranks import rank_columns

    name, limit = name.split("@")
    X, y, regression = _numbers(name)
    codes, distinct = rank_columns(X)
    arguments = {
        "kinds": np.zeros(len(distinct), dtype=np.int32),
        "n_values": np.array([len(d) for d in distinct], dtype=np.int32),
        "codes": codes.reshape(-1),
        "weights": np.ones(len(y)),
        "split_penalty": float(limit) if "." in limit else 0.0,
        "max_depth": -1 if "." in limit else int(limit),
    }
    if regression:
        targets = np.ascontiguousarray(y)
        return _timed(native.solve_targets, targets=targets, **options, **arguments)
    labels = np.unique(y, return_inverse=True)[1].astype(np.int32)
    classes = int(labels.max()) + 1
    return _timed(
        native.solve_threshold,
        labels=labels,
        n_classes=classes,
        **options,
        **arguments,
    )


def _compare(
    solve: Callable[..., Run], name: str, n: int, alone: Run
) -> tuple[float, float]:
    """Print one line; return the speed-ups by busiest thread and by the clock."""
    run = solve(name, n_jobs=n)
    wanted, found = alone.answer["upper"], run.answer["upper"]
    assert math.isclose(found, wanted, rel_tol=1e-9), (name, found, wanted)
    busiest = max(run.lead, (run.cpu - run.lead) / (n - 1))
    print(
        f"{name:18} {n} threads: CPU {alone.cpu:.2f} -> {run.cpu:.2f} s "
        f"(x {run.cpu / alone.cpu:.2f}), lead {run.lead / run.cpu:.0%}, "
        f"clock {alone.wall:.2f} -> {run.wall:.2f} s, "
        f"not running {max(0.0, 1 - run.cpu / (n * run.wall)):.0%}, "
        f"speed-up {alone.wall / run.wall:.2f}, "
        f"with a processor each {alone.cpu / busiest:.2f}",
        flush=True,
    )
    return alone.cpu / busiest, alone.wall / run.wall


def _mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def main(
    names: Annotated[
        str, typer.Option(help="Sets of Table 4.2.")
    ] = "lymph,lymph-f,balance,balance-f",
    numbers: Annotated[
        str, typer.Option(help="Numeric problems, set@depth.")
    ] = "fault@3,magic@3,rice@3,grid@3",
    deeper: Annotated[
        str, typer.Option(help="More of them, which the mean of all leaves out.")
    ] = "raisin@4,occupancy@4,breast-cancer@0.01",
    most: Annotated[int, typer.Option(help="Threads at most.")] = 2,
    least: Annotated[float, typer.Option(help="CPU seconds of one thread.")] = 1.0,
) -> None:
    """One thread against several."""
    together: dict[int, list[tuple[float, float]]] = {}
    for title, problems, solve in (
        ("Table 4.2", names, _solve),
        ("numeric, depth three", numbers, _solve_numbers),
        ("numeric, deeper", deeper, _solve_numbers),
    ):
        means: dict[int, list[tuple[float, float]]] = {}
        for name in filter(None, problems.split(",")):
            alone = solve(name)
            for n in range(2, most + 1):
                speed_ups = _compare(solve, name, n, alone)
                if alone.cpu > least:
                    means.setdefault(n, []).append(speed_ups)
                    if problems is not deeper:
                        together.setdefault(n, []).append(speed_ups)
        _print_means(title, means, least)
    _print_means("Table 4.2 and numeric at depth three", together, least)


def _print_means(
    title: str, means: dict[int, list[tuple[float, float]]], least: float
) -> None:
    for n, speed_ups in means.items():
        busiest, clock = (
            _mean(list(column)) for column in zip(*speed_ups, strict=True)
        )
        print(
            f"{title}, {n} threads, {len(speed_ups)} problems over {least:g} s: "
            f"geometric mean {clock:.2f} by the clock, "
            f"{busiest:.2f} with a processor each",
            flush=True,
        )


if __name__ == "__main__":
    typer.run(main)
