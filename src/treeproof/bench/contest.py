"""All solvers on all problems, one fit at a time; and what came out, as a table."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from treeproof.bench.isolated import Caps, run_fit
from treeproof.bench.problem import Problem
from treeproof.bench.question import BINARY, NUMBERS
from treeproof.bench.solvers import SOLVERS

__all__ = ["Contest", "Result", "installed", "run_contest"]

_TOLERANCE = 1e-6  # two figures for the objective that differ by less agree
_ASK = (
    "import json, sys; from importlib.metadata import distributions; "
    "print(json.dumps([d.metadata['Name'] for d in distributions()]))"
)


@dataclass(frozen=True)
class Result:
    """What a solver made of a problem.

    Attributes
    ----------
    problem, solver : str
        Which.
    status : str
        "optimal" (it claims a proof), "open" (a tree without one), "time" or "memory"
        (ended at a limit, its tree is lost), "error".
    seconds : float or None
        CPU seconds of the fit call; None if it did not come back.
    objective : float or None
        Errors plus penalties of its tree, counted by us.
    splits : int or None
        Its size, where it tells.
    megabytes : float or None
        The largest memory the process had.
    detail : str
        What went wrong.
    """

    problem: str
    solver: str
    status: str
    seconds: float | None
    objective: float | None
    splits: int | None
    megabytes: float | None
    detail: str = ""

    @property
    def proved(self) -> bool:
        """Whether the solver claims that no tree is better."""
        return self.status == "optimal"


@dataclass(frozen=True)
class Contest:
    """All results, the limit under which they were made, and what counts as solved.

    `close` is how far from the least objective a result may be to count, where nobody
    proves anything; None where only a proof counts.
    """

    results: list[Result]
    limit: float
    close: float | None = None

    def of(self, problem: str) -> list[Result]:
        """Return the results of one problem."""
        return [r for r in self.results if r.problem == problem]

    @property
    def problems(self) -> list[str]:
        """The problems, in the order in which they were solved."""
        return list(dict.fromkeys(r.problem for r in self.results))

    def least(self, problem: str) -> float | None:
        """Return the least objective that anybody found."""
        found = [r.objective for r in self.of(problem) if r.objective is not None]
        return min(found, default=None)

    def solved(self, result: Result) -> bool:
        """Say whether a result counts: proved, or close to the best."""
        least = self.least(result.problem)
        if self.close is None or least is None or result.objective is None:
            return result.proved
        return result.objective <= least + self.close + _TOLERANCE

    def starved(self) -> list[str]:
        """Return who gave up by the clock without having had its CPU time."""
        return [
            f"{SOLVERS[r.solver].title} on {r.problem}"
            for r in self.results
            if SOLVERS[r.solver].exact
            and r.status == "open"
            and r.seconds is not None
            and r.seconds < 0.9 * self.limit
        ]

    def contradictions(self) -> list[str]:
        """Return sentences about claims that cannot all be true."""
        found = []
        for name in self.problems:
            trees = [r for r in self.of(name) if r.objective is not None]
            for claim in trees:
                for other in trees:
                    assert claim.objective is not None and other.objective is not None
                    less = other.objective < claim.objective - _TOLERANCE
                    if claim.proved and less:
                        found.append(
                            f"{name}: {SOLVERS[claim.solver].title} proves "
                            f"{claim.objective:.6g}, but the tree of "
                            f"{SOLVERS[other.solver].title} has {other.objective:.6g}"
                        )
        return found


def installed(solver: str, peers: Path | None = None) -> bool:
    """Say whether a solver is here, or where another interpreter says it is."""
    about = SOLVERS[solver]
    if about.peer and peers is not None:
        return _plain(about.package) in _distributions(peers)
    try:
        version(about.package)
    except PackageNotFoundError:
        return False
    return True


def _distributions(python: Path) -> set[str]:
    try:
        asked = subprocess.run(
            [str(python), "-c", _ASK], capture_output=True, text=True, check=True,
            timeout=60,
        )  # fmt: skip
        return {_plain(name) for name in json.loads(asked.stdout) if name}
    except (OSError, ValueError, subprocess.SubprocessError):
        raise ValueError(f"{str(python)!r} is not a Python that runs.") from None


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def run_contest(
    problems: Iterable[Problem],
    solvers: Iterable[str],
    *,
    max_depth: int | None,
    caps: Caps,
    peers: Path | None = None,
    close: float | None = None,
    say: Callable[[Result], None] = lambda result: None,
) -> Contest:
    """Run every solver on every problem that it can be asked.

    Parameters
    ----------
    problems : iterable of Problem
        What to solve, each with its penalty.
    solvers : iterable of str
        Names of `treeproof.bench.solvers.SOLVERS`.
    max_depth : int or None
        The maximum depth of the tree.
    caps : Caps
        What a fit may use.
    peers : Path or None
        An interpreter that has the other solvers; None for this one.
    close : float or None
        How far from the best a result may be to count as solved; None for proofs only.
    say : callable
        Told every result as it comes.
    """
    results = []
    names = list(solvers)
    for problem in problems:
        form = NUMBERS if problem.X.dtype.kind == "f" else BINARY
        for name in names:
            about = SOLVERS[name]
            if not about.can_answer(form, problem.penalty, max_depth, problem.task):
                continue
            python = peers if about.peer else None
            row = run_fit(name, problem, problem.penalty, max_depth, caps, python)
            results.append(_result(problem.name, name, row))
            say(results[-1])
    return Contest(results, caps.seconds, close)


def _result(problem: str, solver: str, row: dict[str, Any]) -> Result:
    return Result(
        problem, solver, row["status"], row.get("cpu"), row.get("objective"),
        row.get("splits"), row.get("peak_mb"), str(row.get("detail", "")),
    )  # fmt: skip
