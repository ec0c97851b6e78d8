"""Numeric tables: ours against ConTree (`pycontree`), and growth with table size.

`python -m benchmarks.numeric` fits each set of ``continuous/`` at each depth, every fit
in a process of its own, one thread. Timed is the whole `fit` call, input checks
included, in CPU seconds (on a shared machine the clock on the wall times the
neighbours); of depth two, the best of a few fits counts, for all alike.
ConTree's environment is made by ``make peers``; without it only ours runs. ConTree has
no penalty, so with ``--penalty`` ours runs alone. ``--large`` adds planted trees of a
million and of ten million rows, with the memory of the whole process.
"""

from __future__ import annotations

import gzip
import math
import os
from typing import Annotated, Any

import numpy as np
import typer

from treeproof.bench.isolated import Caps, run_fit
from treeproof.bench.problem import Problem

from . import isolated
from .problems import data_folder

SETS = ("bank", "fault", "magic", "occupancy", "page", "raisin", "rice", "wilt")
GROWTH_ROWS = (10_000, 31_623, 100_000, 316_228, 1_000_000)
GROWTH_FEATURES = (5, 10, 20, 40)
# Depth of the trees, and of what the labels follow: a tree, or an exclusive or.
LARGE = (
    ("planted-1000000-10", 2),
    ("xor-1000000-10", 2),
    ("planted-1000000-10", 3),
    ("planted-10000000-10", 2),
)
REPEATS = 3  # at depth two, where a fit takes milliseconds; the best counts


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Read a set of ``continuous/``, or make one: ``made-``, ``planted-``, ``xor-``."""
    if name.startswith("made-"):
        n, f = map(int, name.split("-")[1:])
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, f))
        return X, ((X[:, 0] > 0.3) ^ (X[:, 1] > -0.2) ^ (rng.random(n) < 0.1)).astype(
            int
        )
    if name.startswith(("planted-", "xor-")):
        kind, *sizes = name.split("-")
        n, f = map(int, sizes)
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, f))
        a, b, c = (X[:, :3] > 0).T
        rule = np.where(a, b, c) if kind == "planted" else a ^ (b & c)
        return X, (rule ^ (rng.random(n) < 0.1)).astype(int)
    with gzip.open(data_folder() / "continuous" / f"{name}.csv.gz", "rt") as file:
        names = file.readline().strip().split(",")
        table = np.loadtxt(file, delimiter=",", dtype=np.float64)
    label = names.index("y")
    y = np.unique(table[:, label], return_inverse=True)[1]
    return np.delete(table, label, axis=1), y


def run(
    solver: str, name: str, depth: int, limit: float, penalty: float = 0.0
) -> dict[str, Any]:
    """Run one fit in a process of its own; it is killed when it overruns."""
    X, y = load(name)
    problem = Problem(name, X, y, False, penalty)
    row: dict[str, Any] = {"cpu": math.inf}
    for _ in range(REPEATS if depth == 2 else 1):
        found = run_fit(
            solver, problem, penalty, depth, Caps(limit), isolated.interpreter(solver)
        )
        if found.get("cpu") is None:
            ended = limit if found["status"] in ("time", "memory") else math.nan
            return {"cpu": ended, "errors": None, "status": found["status"]}
        if found["cpu"] < row["cpu"]:
            row = found
        if found["cpu"] > 1.0:
            break
    return row | {"errors": round(row["objective"] * len(y))}


def slope(sizes: tuple[int, ...], seconds: list[float]) -> float:
    """Return the exponent of the power law through the measurements."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def compare(
    sets: list[str], depth: int, limit: float, peer: bool, penalty: float
) -> None:
    """Print one row per set, and the geometric mean of the ratios."""
    print(
        f"\ndepth {depth}, penalty {penalty:g} (CPU seconds; a run stopped at "
        f"{limit:g} s counts as that)"
    )
    ratios = []
    for name in sets:
        ours = run("treeproof", name, depth, limit, penalty)
        line = (
            f"{name:10} ours {ours['cpu']:9.4f} {ours['errors']!s:>5} {ours['status']}"
        )
        if peer:
            theirs = run("contree", name, depth, limit)
            ratios.append(min(theirs["cpu"], limit) / ours["cpu"])
            line += f"   ConTree {theirs['cpu']:9.4f} {theirs['errors']!s:>5}"
            line += f" {theirs['status']}   {ratios[-1]:7.1f} x"
        print(line, flush=True)
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"geometric mean {mean:.1f} x, least {min(ratios):.1f} x")


def growth(limit: float) -> None:
    """Print seconds at depth two for more and more rows, then features."""
    for what, sizes, name in (
        ("rows", GROWTH_ROWS, "made-{}-10"),
        ("features", GROWTH_FEATURES, "made-20000-{}"),
    ):
        seconds = [run("treeproof", name.format(n), 2, limit)["cpu"] for n in sizes]
        table = ", ".join(f"{n}: {s:.3f}" for n, s in zip(sizes, seconds, strict=True))
        print(f"\ndepth 2 by {what}: {table}; exponent {slope(sizes, seconds):.2f}")


def large(limit: float, penalty: float) -> None:
    """Print seconds and memory for tables of a million rows and more."""
    print(f"\nlarge tables, penalty {penalty:g}")
    for name, depth in LARGE:
        row = run("treeproof", name, depth, limit, penalty)
        print(
            f"{name}, depth {depth}: {row['cpu']:.2f} s, {row['status']}, "
            f"{row.get('peak_mb', 0) / 1000:.2f} GB",
            flush=True,
        )


def main(
    depths: Annotated[str, "depths to run"] = "2,3",
    sets: str = ",".join(SETS),
    limit: float = 120.0,
    penalty: float = 0.0,
    grow: bool = True,
    rows: Annotated[bool, typer.Option("--large", help="Also large tables.")] = False,
) -> None:
    """Measure ours beside ConTree."""
    peer = isolated.available("contree")
    if not peer:
        print("ConTree is not installed; `make peers` does that.")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for depth in map(int, depths.split(",")):
        compare(sets.split(","), depth, limit, peer and penalty == 0, penalty)
    if grow:
        growth(limit)
    if rows:
        large(limit, penalty or 0.001)


if __name__ == "__main__":
    typer.run(main)
