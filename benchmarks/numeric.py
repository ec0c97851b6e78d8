"""Numeric tables: ours against ConTree (`pycontree`), and growth with table size.

`python -m benchmarks.numeric` fits each set of ``continuous/`` at each depth, every fit
in a process of its own, one thread. Timed is the whole `fit` call, input checks
included, in CPU seconds (on a shared machine the clock on the wall times the
neighbours); of depth two, the best of a few fits in the process counts, for all alike.
ConTree's environment is made by ``make peers``; without it only ours runs.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import subprocess
import sys
import time
import warnings
from typing import Annotated, Any

import numpy as np

from .isolated import OWN_PYTHON, PEERS_PYTHON
from .problems import ROOT, data_folder

SETS = ("bank", "fault", "magic", "occupancy", "page", "raisin", "rice", "wilt")
GROWTH_ROWS = (10_000, 31_623, 100_000, 316_228, 1_000_000)
GROWTH_FEATURES = (5, 10, 20, 40)
START_UP_SECONDS = 60.0


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Read a set of ``continuous/``, or make ``made-ROWS-FEATURES``."""
    if name.startswith("made-"):
        n, f = map(int, name.split("-")[1:])
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, f))
        return X, ((X[:, 0] > 0.3) ^ (X[:, 1] > -0.2) ^ (rng.random(n) < 0.1)).astype(
            int
        )
    with gzip.open(data_folder() / "continuous" / f"{name}.csv.gz", "rt") as file:
        names = file.readline().strip().split(",")
        table = np.loadtxt(file, delimiter=",", dtype=np.float64)
    label = names.index("y")
    y = np.unique(table[:, label], return_inverse=True)[1]
    return np.delete(table, label, axis=1), y


def measure(request: dict[str, Any]) -> dict[str, Any]:
    """Fit in this process and return CPU seconds, wall seconds, errors and status."""
    X, y = load(request["set"])
    depth, limit = request["depth"], request["limit"]

    def ours() -> Any:
        from treeproof import OptimalTreeClassifier

        return OptimalTreeClassifier(0.0, max_depth=depth, time_limit=limit)

    def contree() -> Any:
        from pycontree import ConTree

        return ConTree(max_depth=depth, time_limit=limit)

    make = {"treeproof": ours, "contree": contree}[request["solver"]]
    few = np.random.default_rng(0).normal(size=(60, 3))
    make().fit(few, (few[:, 0] > 0).astype(int))  # has everything loaded
    row: dict[str, Any] = {"cpu": math.inf, "wall": math.inf}
    for _ in range(request["repeats"]):
        model = make()
        wall, cpu = time.perf_counter(), time.process_time()
        model.fit(X, y)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        row = {"cpu": min(cpu, row["cpu"]), "wall": min(wall, row["wall"])}
        if cpu > 1.0:
            break
    row["errors"] = int(np.sum(np.asarray(model.predict(X)) != y))
    proved = getattr(model, "optimal_", row["wall"] < 0.98 * limit)
    return row | {"status": "optimal" if proved else "open"}


def run(solver: str, name: str, depth: int, limit: float) -> dict[str, Any]:
    """Run one fit in a process of its own; it is killed when it overruns."""
    python = PEERS_PYTHON if solver == "contree" else OWN_PYTHON
    request = {
        "solver": solver,
        "set": name,
        "depth": depth,
        "limit": limit,
        "repeats": 5 if depth == 2 else 1,
    }
    try:
        done = subprocess.run(
            [str(python), "-m", "benchmarks.numeric", "--worker"],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            input=json.dumps(request),
            capture_output=True,
            text=True,
            timeout=1.1 * limit + START_UP_SECONDS,
            check=True,
        )
    except subprocess.TimeoutExpired:
        return {"cpu": limit, "wall": limit, "errors": None, "status": "time"}
    except subprocess.CalledProcessError as fault:
        return {"cpu": math.nan, "wall": math.nan, "errors": None,
                "status": f"error: {fault.stderr.strip()[-120:]}"}  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


def slope(sizes: tuple[int, ...], seconds: list[float]) -> float:
    """Return the exponent of the power law through the measurements."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def compare(sets: list[str], depth: int, limit: float, peer: bool) -> None:
    """Print one row per set, and the geometric mean of the ratios."""
    print(f"\ndepth {depth} (CPU seconds; a run stopped at {limit:g} s counts as that)")
    ratios = []
    for name in sets:
        ours = run("treeproof", name, depth, limit)
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


def main(
    depths: Annotated[str, "depths to run"] = "2,3",
    sets: str = ",".join(SETS),
    limit: float = 120.0,
    grow: bool = True,
    worker: bool = False,
) -> None:
    """Measure ours beside ConTree."""
    if worker:
        warnings.simplefilter("ignore")
        print(json.dumps(measure(json.load(sys.stdin))))
        return
    peer = PEERS_PYTHON.exists()
    if not peer:
        print("ConTree is not installed; `make peers` does that.")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for depth in map(int, depths.split(",")):
        compare(sets.split(","), depth, limit, peer and depth < 4)
    if grow:
        growth(limit)


if __name__ == "__main__":
    if "--worker" in sys.argv:  # peers' environments have no typer
        main(worker=True)
    else:
        import typer

        typer.run(main)
