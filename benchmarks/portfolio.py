"""`solver="auto"` beside each engine alone: the price of not having to choose.

`python -m benchmarks.portfolio` fits every set in this process and takes the best CPU
time of a few fits. Ordinary tables are fitted without a limit on the depth and with
three levels. A set that neither engine proves alone has no ratio.
"""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import typer

from . import prices, real_tables
from .tables import Table

ENGINES = ("sparse", "threshold")
ANY_DEPTH = [
    "TitanicSurvival", "biopsy", "penguins", "CreditCard", "Default", "iris",
    "two_class_dat", "HMDA",
]  # fmt: skip
ORDINARY = [*ANY_DEPTH, *(f"{name}:3" for name in real_tables.CLASSES)]
LONG = 1.0  # seconds; a longer fit is not repeated


def load(name: str) -> tuple[Any, Any, dict[str, Any]]:
    """Return rows, labels and the parameters of the fit."""
    table, _, depth = name.partition(":")
    if table not in real_tables.CLASSES:
        return prices.load(name)
    data = real_tables.load(table)
    return data.X, data.y, {"max_depth": int(depth)} if depth else {}


def measure(
    X: Any, y: Any, parameters: dict[str, Any], solver: str, limit: float
) -> tuple[float, bool]:
    """Return the CPU seconds of the fastest fit and whether it proved its tree."""
    options = {"time_limit": limit, "solver": solver, **parameters}
    cpu, tree = prices.fastest(X, y, options, LONG)
    return cpu, tree.optimal_


def main(
    sets: Annotated[str, typer.Option(help="Names of sets, or all.")] = "all",
    limit: Annotated[float, typer.Option(help="Seconds for a fit.")] = 30.0,
) -> None:
    """Fits by the portfolio and by each engine alone."""
    warnings.simplefilter("ignore")
    every = [*prices.CLEAN, *prices.NUMERIC, *ORDINARY]
    names = every if sets == "all" else sets.split(",")
    columns = ["set", "auto", *(f"{engine} alone" for engine in ENGINES), "ratio"]
    table = Table('solver="auto" and its engines, CPU time', columns)
    ratios = []
    for name in names:
        X, y, parameters = load(name)
        auto = measure(X, y, parameters, "auto", limit)
        # An engine five times slower than the portfolio is not the better one.
        most = max(0.2, 5 * auto[0]) if auto[1] else limit
        alone = [measure(X, y, parameters, engine, most) for engine in ENGINES]
        best = min((cpu for cpu, proved in alone if proved), default=None)
        ratio = "" if best is None else f"x {auto[0] / best:.2f}"
        if best is not None and auto[1]:
            ratios.append(auto[0] / best)
        times = [prices.seconds(*measured) for measured in [auto, *alone]]
        table.rows.append([name, *times, ratio])
        print(*table.rows[-1], flush=True)
    prices.show_ratios(table, ratios, "the ratios")


if __name__ == "__main__":
    typer.run(main)
