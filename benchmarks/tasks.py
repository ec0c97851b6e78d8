"""Objectives other than errors: ours beside STreeD, and policy trees on numbers.

``python -m benchmarks.tasks`` fits the sets of ``tasks/`` in the data folder (binary
columns) for F1, balanced accuracy, cost matrices and policies at depth two and three
with STreeD, if the peers are installed (``make peers``), and with ours, in processes of
one thread. Then it fits policy trees to numbers made by code: uniform covariates and
rewards that depend on two of them, in the sizes for which times were published, and
doubles the rows to see how time grows.

The time is that of the whole ``fit`` call, the shortest of fifteen where it is short.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from treeproof import OptimalTreeClassifier
from treeproof.policy import OptimalPolicyTree

from .isolated import PEERS_PYTHON
from .problems import data_folder
from .report import show, wide_console
from .tables import Table, geometric_mean

METHODS = ("DM", "IPW", "DR")
PUBLISHED = {
    (2_000, 10, 2, 3): "10.8 min (fastpolicytree)",
    (2_000, 10, 3, 3): "37.9 min (fastpolicytree)",
    (100_000, 30, 3, 2): "2.1 h (fastpolicytree)",
}


@dataclass(frozen=True)
class Run:
    """One task on one set at one depth."""

    task: str
    name: str
    depth: int

    @property
    def text(self) -> str:
        """How the table calls it."""
        return f"{self.task}, {self.name}, depth {self.depth}"


def runs(depths: list[int]) -> list[Run]:
    """Return everything that is compared with STreeD."""
    sets = {
        "f1": ("german-credit", "student-mat"),
        "balanced": ("german-credit", "student-mat"),
        "costs": ("car",),
        **{f"policy {method}": ("warfarin",) for method in METHODS},
    }
    return [
        Run(task, name, depth)
        for depth in depths
        for task, names in sets.items()
        for name in names
    ]


def load(name: str) -> Any:
    """Return a set as a data frame."""
    import pandas as pd

    return pd.read_csv(data_folder() / "tasks" / f"{name}.csv.gz")


def car_costs() -> NDArray[np.float64]:
    """Return what predictions cost for the cars, without what asking costs."""
    text = (data_folder() / "tasks" / "car-low-costs.json").read_text()
    return np.array(json.loads(text)["matrix_true_by_predicted"])


def rewards_of(table: Any, method: str) -> NDArray[np.float64]:
    """Return the scores of the three doses from the columns of the file."""
    rows, given = np.arange(len(table)), table["treatment"].to_numpy()
    expected = table[["yhat0", "yhat1", "yhat2"]].to_numpy(dtype=float)
    rewards = np.zeros_like(expected) if method == "IPW" else expected.copy()
    if method != "DM":
        surprise = table["outcome"].to_numpy() - rewards[rows, given]
        rewards[rows, given] += surprise / table["propensity"].to_numpy()
    return rewards


def timed(fit: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of a fit, the shortest of fifteen if it is short."""
    times: list[float] = []
    while len(times) < (15 if sum(times) < 2 else 1):
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = fit()
        times.append(time.perf_counter() - start)
    return min(times), model


def ours(run: Run, limit: float) -> dict[str, Any]:
    """Fit with our engines; return the value, whether it was proved, and seconds."""
    table = load(run.name)
    options: dict[str, Any] = {"max_depth": run.depth, "time_limit": limit}
    if run.task.startswith("policy"):
        X = table.filter(regex="^f").to_numpy()
        rewards = rewards_of(table, run.task.split()[1])
        seconds, model = timed(lambda: OptimalPolicyTree(**options).fit(X, rewards))
        value = model.policy_value_ * len(X)
        return {"value": value, "proved": model.optimal_, "seconds": seconds}
    y = table.pop("y").to_numpy()
    if run.task == "costs":
        options |= {"cost_matrix": car_costs()}
    else:
        names = {"balanced": "balanced_accuracy", "f1": "f1"}
        options |= {"metric": names[run.task]}
    X = table.to_numpy()
    seconds, model = timed(lambda: OptimalTreeClassifier(0.0, **options).fit(X, y))
    value = model.objective_ if run.task == "costs" else 1 - model.objective_
    return {"value": value, "proved": model.optimal_, "seconds": seconds}


# What runs in the peers' Python; it prints one line of JSON.
STREED = """
import json, sys, time
import numpy as np
from pystreed import (
    STreeDClassifier, STreeDInstanceCostSensitiveClassifier,
    STreeDPrescriptivePolicyGenerator,
)
told = json.loads(sys.stdin.read())
X, y = np.array(told["X"], dtype=np.int32), np.array(told["y"])
options = {"max_depth": told["depth"], "max_num_nodes": 2 ** told["depth"] - 1,
           "time_limit": told["limit"]}
task = told["task"]
def make():
    if task == "f1":
        return STreeDClassifier("f1-score", **options)
    if task == "balanced":
        return STreeDClassifier("balanced-accuracy", **options)
    if task == "costs":
        return STreeDInstanceCostSensitiveClassifier(**options)
    method = task.split()[1]
    return STreeDPrescriptivePolicyGenerator(teacher_method=method, **options)
times = []
while len(times) < (15 if sum(times) < 2 else 1):
    model = make()
    start = time.perf_counter()
    model.fit(X, y)
    times.append(time.perf_counter() - start)
labels = [int(label) for label in model.predict(X)]
print(json.dumps({"seconds": min(times), "labels": labels}))
"""


def streed(run: Run, limit: float) -> dict[str, Any]:
    """Fit with STreeD in a process of its own; its trees are valued here."""
    table = load(run.name)
    rows = np.arange(len(table))
    if run.task.startswith("policy"):
        X = table.filter(regex="^f").to_numpy()
        columns = ["treatment", "outcome", "propensity", "yhat0", "yhat1", "yhat2"]
        y = table[columns].to_numpy(dtype=float)
    else:
        labels = table.pop("y").to_numpy()
        X = table.to_numpy()
        y = car_costs()[labels] if run.task == "costs" else labels
    told = {"X": X.tolist(), "y": y.tolist(), "task": run.task, "depth": run.depth}
    done = subprocess.run(
        [PEERS_PYTHON, "-c", STREED],
        input=json.dumps(told | {"limit": limit}),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        return {"error": done.stderr.strip().splitlines()[-1]}
    found = json.loads(done.stdout.strip().splitlines()[-1])
    says = np.array(found["labels"])
    if run.task.startswith("policy"):
        value = float(rewards_of(table, run.task.split()[1])[rows, says].sum())
    elif run.task == "costs":
        value = float(y[rows, says].mean())
    else:
        value = score(run.task, labels, says)
    return {"value": value, "seconds": found["seconds"]}


def score(task: str, labels: NDArray[Any], says: NDArray[Any]) -> float:
    """Return F1 or balanced accuracy."""
    from sklearn.metrics import balanced_accuracy_score, f1_score

    chosen = f1_score if task == "f1" else balanced_accuracy_score
    return float(chosen(labels, says))


def beside_streed(depths: list[int], limit: float) -> Table:
    """Return the table of ours and STreeD."""
    table = Table(
        "Binary data, seconds of fit, one thread",
        ["task", "value", "ours", "STreeD", "its value", "times faster"],
    )
    installed = Path(PEERS_PYTHON).exists()
    if not installed:
        table.notes.append("STreeD is not installed; make peers installs it")
    ratios: dict[int, list[float]] = {}
    for run in runs(depths):
        own = ours(run, limit)
        row = [run.text, f"{own['value']:.7g}{'' if own['proved'] else ' not proved'}"]
        row.append(f"{own['seconds']:.3g}")
        other = streed(run, limit) if installed else {"error": "not installed"}
        if "error" in other:
            row += [other["error"], "", ""]
        else:
            ratio = other["seconds"] / own["seconds"]
            ratios.setdefault(run.depth, []).append(ratio)
            row += [f"{other['seconds']:.3g}", f"{other['value']:.7g}", f"{ratio:.1f}"]
        table.rows.append(row)
    for depth, values in ratios.items():
        mean = geometric_mean(values)
        table.notes.append(f"depth {depth}: {mean:.1f} times faster (geometric mean)")
    return table


def simulated(n: int, p: int, k: int, seed: int = 0) -> tuple[Any, Any]:
    """Return uniform covariates, and noisy rewards whose best action is a tree's."""
    random = np.random.default_rng(seed)
    X = random.uniform(size=(n, p))
    best = (X[:, 0] > 0.5).astype(int) + (X[:, 1] > 0.5) * (k > 2)
    rewards = random.normal(size=(n, k))
    rewards[np.arange(n), best % k] += 1.0
    return X, rewards


def on_numbers(sizes: list[tuple[int, int, int, int]], limit: float) -> Table:
    """Return the table of policy trees over every threshold of uniform numbers."""
    table = Table(
        "Policy trees on numbers, seconds of fit, one thread",
        ["rows x columns", "actions", "depth", "value", "seconds", "published"],
    )
    for n, p, k, depth in sizes:
        X, rewards = simulated(n, p, k)
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = OptimalPolicyTree(max_depth=depth, time_limit=limit)
            model.fit(X, rewards)
        seconds = time.perf_counter() - start
        proved = "" if model.optimal_ else f" (gap {model.gap_:.3g})"
        table.rows.append(
            [f"{n:,} x {p}", str(k), str(depth), f"{model.policy_value_:.6g}{proved}",
             f"{seconds:.3g}", PUBLISHED.get((n, p, k, depth), "")]
        )  # fmt: skip
        print(*table.rows[-1], file=sys.stderr)
    return table


def main(
    limit: Annotated[float, typer.Option(help="Seconds for one fit.")] = 120.0,
    depths: Annotated[str, typer.Option(help="Depths A,B.")] = "2,3",
    tasks: Annotated[bool, typer.Option(help="Run the sets of tasks/.")] = True,
    numbers: Annotated[bool, typer.Option(help="Run the policy trees.")] = True,
    growth: Annotated[bool, typer.Option(help="Double the rows.")] = True,
) -> None:
    """Print values, seconds and ratios."""
    console = wide_console()
    if tasks:
        show(beside_streed([int(d) for d in depths.split(",")], limit), console)
    if numbers:
        sizes = [(2_000, 10, 2, 3), (2_000, 10, 3, 3), (100_000, 30, 3, 2)]
        show(on_numbers(sizes, limit), console)
    if growth:
        doubled = [(1_000 << j, 10, 3, 2) for j in range(7)]
        show(on_numbers(doubled, limit), console)


if __name__ == "__main__":
    typer.run(main)
