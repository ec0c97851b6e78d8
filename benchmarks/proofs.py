"""What proofs cost: time to write them, their size, and time to check them.

Every set is fitted without and with a proof; the proof is checked by the stand-alone
C++ checker and, where it is small, by the Python one. Times are CPU seconds. Sets of
numbers are named with a depth: bank:2, concrete:3 (a regression). Rows are kept in
results/proofs.jsonl as they come: a set that is there is not measured again, and the
tables, in the form of docs/proofs.md, show all rows that are there.

    make tools bench-proofs
    make bench-proofs BENCH="--sets monk2,careval,raisin:3 --python-kb 200"
    make bench-proofs BENCH="--sets numeric --fit-seconds 60 --check-seconds 600"
    make bench-proofs BENCH="--sets lymph,balance --again"
"""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import tempfile
import time
import warnings
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
HEADER = ["set", "fit", "fit with proof", "more", "steps", "size, KB"]
HEADER += ["check in C++", "check in Python", "verdict"]
Row = dict[str, Any]
SHORT = 2.0  # seconds of a fit below which the clock needs help
TURNS = 5  # fits that take turns then


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
                problem.penalty, penalize="splits", categorical_features=columns
            ),
        )
    short, depth = name.split(":")
    limits = {"split_penalty": 0.0, "max_depth": int(depth)}
    if short in regression.SETS:
        X, y = regression.load(short)
        return Case(name, X, y, lambda: OptimalTreeRegressor(**limits))
    X, y = numeric.load(short)
    return Case(name, X, y, lambda: OptimalTreeClassifier(**limits))


def fit_seconds(
    case: Case, proof: Path | None, limit: float | None = None
) -> tuple[float, Any]:
    """Return the CPU time of a fit, and the fitted estimator."""
    model = case.model().set_params(time_limit=limit)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a limit that was hit shows in the row
        model.fit(case.X, case.y, proof=proof)
    return time.process_time() - start, model


def fits_in_turns(
    case: Case, proof: Path, limit: float | None
) -> tuple[tuple[float, Any], tuple[float, Any]]:
    """Return the fastest fits without and with a proof; one of each if long."""
    plain, proved = fit_seconds(case, None, limit), fit_seconds(case, proof, limit)
    for _ in range(TURNS - 1 if plain[0] < SHORT else 0):
        plain = min(plain, fit_seconds(case, None, limit), key=lambda done: done[0])
        proved = min(proved, fit_seconds(case, proof, limit), key=lambda done: done[0])
    return plain, proved


def check_outside(
    problem: Case, proof: Path, folder: Path, limit: float
) -> tuple[float, str]:
    """Return the CPU time and the verdict of the C++ checker."""
    plain, data = folder / "plain", folder / "data.csv"
    plain.write_bytes(gzip.decompress(proof.read_bytes()))
    names = [f"x{j}" for j in range(problem.X.shape[1])]
    with data.open("w") as out:
        out.write(",".join([*names, "y"]) + "\n")
        for row, label in zip(problem.X.tolist(), problem.y.tolist(), strict=True):
            out.write(",".join(map(repr, [*row, label])) + "\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    most = int(limit) or resource.RLIM_INFINITY
    done = subprocess.run(
        [CHECKER, plain, data, "--target", "y"],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (most, most)),
    )
    stopped = done.returncode < 0
    verdict = "check stopped" if stopped else (done.stdout or done.stderr).strip()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, verdict


def measure(name: str, fit_limit: float, check_limit: float, python_kb: float) -> Row:
    """Fit a set twice and check its proof."""
    problem = read_case(name)
    limit = fit_limit or None
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        proof = folder / "p.gz"
        (without, plain), (with_proof, model) = fits_in_turns(problem, proof, limit)
        row: Row = {"set": name, "fit": without, "with_proof": with_proof}
        row["steps"] = model.stats_["proof_steps"]
        row["kb"] = proof.stat().st_size / 1024
        row["outside"], verdict = check_outside(problem, proof, folder, check_limit)
        row["inside"] = None
        if row["kb"] <= python_kb:
            start = time.process_time()
            mine = check(proof, problem.X, problem.y)
            row["inside"] = time.process_time() - start
            verdict = verdict if mine.accepted else str(mine)
        if not plain.optimal_:
            verdict = "fit stopped; " + verdict
        elif verdict.startswith("accepted") and "optimal" not in verdict:
            verdict = "prover stopped; " + verdict
        row["verdict"] = verdict.split(":")[0]
    return row


def to_table(title: str, rows: list[Row]) -> Table:
    """Return rows as they stand in docs/proofs.md."""
    table = Table(title, HEADER)
    for row in rows:
        more = row["with_proof"] / row["fit"] - 1
        inside = "" if row["inside"] is None else f"{row['inside']:.2f}"
        table.rows.append(
            [
                row["set"].replace(":", ", depth "),
                f"{row['fit']:.3f}",
                f"{row['with_proof']:.3f}",
                f"{more:.0%}",
                f"{row['steps']:,}",
                f"{row['kb']:,.1f}",
                f"{row['outside']:.2f}",
                inside,
                row["verdict"],
            ]
        )
    before, after = (sum(row[key] for row in rows) for key in ("fit", "with_proof"))
    table.notes.append(
        f"All {len(rows)} sets together: {before:.1f} s without proofs, {after:.1f} s "
        f"with them, {after / max(before, 1e-9) - 1:.0%} more."
    )
    return table


def main(
    sets: Annotated[str, typer.Option(help="names, commas between; or numeric")] = "",
    python_kb: Annotated[
        float, typer.Option(help="largest proof that Python checks")
    ] = 30.0,
    fit_limit: Annotated[
        float, typer.Option("--fit-seconds", help="limit of a fit")
    ] = 0.0,
    check_seconds: Annotated[float, typer.Option(help="of CPU, for the check")] = 0.0,
    again: Annotated[bool, typer.Option(help="measure what is there already")] = False,
    output: Annotated[Path, typer.Option(help="folder of the results")] = ROOT
    / "benchmarks"
    / "results",
) -> None:
    """Measure proofs and write tables."""
    everything = [*ONE_HOT, *ORDINAL, *numeric_names()]
    names = sets.split(",") if sets else everything
    names = numeric_names() if sets == "numeric" else names
    output.mkdir(exist_ok=True)
    store = output / "proofs.jsonl"
    lines = store.read_text().splitlines() if store.exists() else []
    rows = {row["set"]: row for row in map(json.loads, lines)}
    for name in names:
        if name in rows and not again:
            continue
        rows[name] = measure(name, fit_limit, check_seconds, python_kb)
        print(rows[name], flush=True)
        with store.open("a") as out:
            out.write(json.dumps(rows[name]) + "\n")
    place = {name: k for k, name in enumerate(everything)}
    found = sorted(rows.values(), key=lambda row: place.get(row["set"], len(place)))
    tables = [
        to_table("Categories", [row for row in found if ":" not in row["set"]]),
        to_table("Numbers", [row for row in found if ":" in row["set"]]),
    ]
    for table in tables:
        show(table, wide_console())
    (output / "proofs.md").write_text("\n".join(map(to_markdown, tables)))


if __name__ == "__main__":
    typer.run(main)
