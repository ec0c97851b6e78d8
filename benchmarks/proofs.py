"""What proofs cost: time to write them, their size, and time to check them.

Every set is fitted without and with a proof; the proof is checked by the stand-alone
C++ checker and, where it is small, by the Python one. Times are CPU seconds. Sets of
numbers are named with a depth: bank:2, concrete:3 (a regression).

    make tools bench-proofs
    make bench-proofs BENCH="--sets monk2,careval,raisin:3 --python-kb 200"
    make bench-proofs BENCH="--sets numeric"
"""

from __future__ import annotations

import gzip
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.proof import check

from . import numeric, regression
from .problems import ONE_HOT, ORDINAL, ROOT, Problem, load
from .report import show, to_markdown, wide_console
from .tables import Table

CHECKER = ROOT / "build" / "check_proof"
HEADER = [
    "set",
    "fit s",
    "with proof s",
    "steps",
    "size KB",
    "check C++ s",
    "check Python s",
    "verdict",
]


@dataclass
class Case:
    """A table, its target, and what makes the estimator."""

    name: str
    X: np.ndarray
    y: np.ndarray
    model: Callable[[], Any]


def numeric_names() -> list[str]:
    """Return the sets of numbers, with depths."""
    return [
        f"{name}:{depth}"
        for names in (numeric.SETS, regression.SETS)
        for depth in (2, 3)
        for name in names
    ]


def read_case(name: str) -> Case:
    """Load a set by its name."""
    if ":" not in name:
        problem: Problem = load(name)
        columns = [problem.categorical] * problem.X.shape[1]
        return Case(
            name,
            problem.X,
            problem.y,
            lambda: OptimalTreeClassifier(
                problem.penalty, categorical_features=columns
            ),
        )
    short, depth = name.split(":")
    limits = {"split_penalty": 0.0, "max_depth": int(depth), "time_limit": None}
    if short in regression.SETS:
        X, y = regression.load(short)
        return Case(name, X, y, lambda: OptimalTreeRegressor(**limits))
    X, y = numeric.load(short)
    return Case(name, X, y, lambda: OptimalTreeClassifier(**limits))


def fit_seconds(case: Case, proof: Path | None) -> tuple[float, Any]:
    """Return the CPU time of a fit, and the fitted estimator."""
    model = case.model()
    start = time.process_time()
    model.fit(case.X, case.y, proof=proof)
    return time.process_time() - start, model


def check_outside(problem: Case, proof: Path, folder: Path) -> tuple[float, str]:
    """Return the CPU time and the verdict of the C++ checker."""
    plain, data = folder / "plain", folder / "data.csv"
    plain.write_bytes(gzip.decompress(proof.read_bytes()))
    names = [f"x{j}" for j in range(problem.X.shape[1])]
    with data.open("w") as out:
        out.write(",".join([*names, "y"]) + "\n")
        for row, label in zip(problem.X.tolist(), problem.y.tolist(), strict=True):
            out.write(",".join(map(repr, [*row, label])) + "\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [CHECKER, plain, data, "--target", "y"], capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, (done.stdout or done.stderr).strip()


def main(
    sets: Annotated[str, typer.Option(help="names, commas between")] = "",
    python_kb: Annotated[
        float, typer.Option(help="largest proof that Python checks")
    ] = 30.0,
    output: Annotated[Path, typer.Option(help="folder of the results")] = ROOT
    / "benchmarks"
    / "results",
) -> None:
    """Measure proofs and write a table."""
    table = Table("Proofs: writing and checking", HEADER)
    ratios = []
    names = sets.split(",") if sets else [*ONE_HOT, *ORDINAL, *numeric_names()]
    for name in numeric_names() if sets == "numeric" else names:
        problem = read_case(name)
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            proof = folder / "p.gz"
            without, _ = fit_seconds(problem, None)
            with_proof, model = fit_seconds(problem, proof)
            steps = model.stats_["proof_steps"]
            size = proof.stat().st_size / 1024
            outside, verdict = check_outside(problem, proof, folder)
            inside = ""
            if size <= python_kb:
                start = time.process_time()
                mine = check(proof, problem.X, problem.y)
                inside = f"{time.process_time() - start:.2f}"
                verdict = verdict if mine.accepted else str(mine)
            ratios.append((with_proof, without))
            table.rows.append(
                [
                    name,
                    f"{without:.3f}",
                    f"{with_proof:.3f}",
                    f"{steps}",
                    f"{size:.1f}",
                    f"{outside:.2f}",
                    inside,
                    verdict.split(":")[0],
                ]
            )
            print(table.rows[-1], flush=True)
    total = [sum(column) for column in zip(*ratios, strict=True)]
    table.notes.append(
        f"All sets together: {total[0]:.1f} s with proofs, {total[1]:.1f} s without."
    )
    show(table, wide_console())
    output.mkdir(exist_ok=True)
    (output / "proofs.md").write_text(to_markdown(table))


if __name__ == "__main__":
    typer.run(main)
