"""What prices cost where they cannot help, and what they bring where they can.

`python -m benchmarks.prices` fits every set in this process, with prices of rows and
without, and takes the best CPU time of a few fits. Sets of Table 4.2 and numeric sets
are clean: the searches prove them alone, so that time for prices is lost there. Prices
are meant for the noisy sets and for planted trees with flipped labels.
"""

from __future__ import annotations

import gzip
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import numpy as np
import typer

from treeproof import OptimalTreeClassifier, _core

from . import numeric, problems
from .report import show, wide_console
from .tables import Table

CLEAN = [*problems.ONE_HOT, *problems.ORDINAL]
NUMERIC = [f"{name}:3" for name in numeric.SETS]
NOISY = ["diabetes", "german-credit", "yeast", *(f"planted-{k}" for k in range(3))]
ENTRY = "climb_labels"
REPEATS = 5
LONG = 2.0  # seconds; a longer fit is not repeated


@contextmanager
def without_prices() -> Iterator[None]:
    """Switch prices off in all fits inside."""
    entry = getattr(_core, ENTRY)

    def plain(*args: Any, **options: Any) -> Any:
        options["sparse_options"] = _core.SparseOptions(switches={"prices": False})
        return entry(*args, **options)

    setattr(_core, ENTRY, plain)
    try:
        yield
    finally:
        setattr(_core, ENTRY, entry)


def load(name: str) -> tuple[Any, Any, dict[str, Any]]:
    """Return rows, labels and the parameters of the fit."""
    if name in NOISY and not name.startswith("planted"):
        with gzip.open(
            problems.data_folder() / "noisy" / f"{name}.csv.gz", "rt"
        ) as file:
            table = np.loadtxt(file, delimiter=",", skiprows=1, dtype=np.int64)
        return table[:, 1:], table[:, 0], {"split_penalty": 0.01}
    family, _, depth = name.partition(":")
    if depth:
        X, y = numeric.load(family)
        return X, y, {"split_penalty": 0.0, "max_depth": int(depth)}
    problem = problems.load(name)
    categorical: dict[str, Any] = {}
    if problem.categorical:
        categorical["categorical_features"] = list(range(problem.X.shape[1]))
    options = {"split_penalty": problem.penalty, "penalize": "splits", **categorical}
    return problem.X, problem.y, options


def fastest(
    X: Any, y: Any, parameters: dict[str, Any], long: float
) -> tuple[float, OptimalTreeClassifier]:
    """Return the CPU seconds of the fastest of some fits, and the last model.

    A fit that takes more than `long` seconds is not repeated.
    """
    least = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        tree = OptimalTreeClassifier(**parameters).fit(X, y)
        cpu = time.process_time() - start
        least = min(least, cpu)
        if cpu > long:
            break
    return least, tree


def seconds(cpu: float, proved: bool) -> str:
    """Return a time in words; a sign marks a fit that was stopped."""
    return f"{cpu:.3f} s" + ("" if proved else " >")


def show_ratios(table: Table, ratios: list[float], what: str) -> None:
    """Print the table, with the geometric mean of some ratios below it."""
    if ratios:
        mean = float(np.exp(np.mean(np.log(ratios))))
        table.notes.append(f"Geometric mean of {what}: {mean:.3f}.")
    table.notes.append("A sign > marks a fit that was stopped before it had a proof.")
    show(table, wide_console())


def measure(name: str, limit: float) -> tuple[float, bool, float]:
    """Return the CPU seconds of the fastest fit, whether it proved, and its bound."""
    X, y, parameters = load(name)
    cpu, tree = fastest(X, y, {"time_limit": limit, **parameters}, LONG)
    return cpu, tree.optimal_, tree.lower_bound_


def main(
    sets: Annotated[str, typer.Option(help="Names of sets, or all.")] = "all",
    limit: Annotated[float, typer.Option(help="Seconds for a fit.")] = 60.0,
) -> None:
    """Fits with prices and without."""
    warnings.simplefilter("ignore")
    names = [*CLEAN, *NUMERIC, *NOISY] if sets == "all" else sets.split(",")
    columns = ["set", "CPU with prices", "without", "ratio", "bound with", "without"]
    table = Table("Prices of rows: cost and use", columns)
    ratios = []
    for name in names:
        cpu, proved, bound = measure(name, limit)
        with without_prices():
            plain_cpu, plain_proved, plain_bound = measure(name, limit)
        ratio = cpu / plain_cpu
        if proved and plain_proved:
            ratios.append(ratio)
        table.rows.append([
            name, seconds(cpu, proved), seconds(plain_cpu, plain_proved),
            f"x {ratio:.2f}", f"{bound:.5f}", f"{plain_bound:.5f}",
        ])  # fmt: skip
        print(*table.rows[-1], flush=True)
    show_ratios(table, ratios, "ratios where both proved")


if __name__ == "__main__":
    typer.run(main)
