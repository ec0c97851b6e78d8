"""Which solver is asked which question: the suites of `python -m benchmarks`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from treeproof.bench.solvers import KERNELS

from .problems import ONE_HOT, ORDINAL, penalty_of


@dataclass(frozen=True)
class Task:
    """One row to measure."""

    suite: str
    problem: str
    solver: str
    penalty: float
    max_depth: int | None = None


@dataclass(frozen=True)
class Suite:
    """A family of tasks: every problem with every depth and every solver."""

    title: str
    problems: tuple[str, ...]
    solvers: tuple[str, ...]
    depths: tuple[int | None, ...] = (None,)
    penalised: bool = True


SUITES: dict[str, Suite] = {
    "onehot": Suite(
        "Sparse trees on one-hot encodings (Table 4.2 of the thesis)",
        tuple(ONE_HOT),
        ("treeproof", "branches", "streed", "gosdt"),
    ),
    "ordinal": Suite(
        "Sparse trees on categories, multiway splits (no peer has these)",
        tuple(ORDINAL),
        ("treeproof", "branches"),
    ),
    "depth": Suite(
        "Sparse trees with a depth limit",
        tuple(ONE_HOT),
        ("treeproof", "streed"),
        depths=(4, 5),
    ),
    "accuracy": Suite(
        "Fewest errors at depth 4, no penalty: the home ground of DL8.5",
        tuple(ONE_HOT),
        ("treeproof", "streed", "dl85"),
        depths=(4,),
        penalised=False,
    ),
    "kernels": Suite(
        "Counting kernels of treeproof",
        tuple(ONE_HOT),
        tuple(f"treeproof-{kernel}" for kernel in KERNELS),
    ),
}


def tasks(
    suites: list[str], problems: list[str] | None, solvers: list[str] | None
) -> Iterator[Task]:
    """Yield the tasks, one problem after the other, within the chosen names.

    Problems that a suite does not list by itself (generated ones) join every chosen
    suite, so that any set can be measured.
    """
    for name in suites:
        suite = SUITES[name]
        chosen = suite.problems
        if problems is not None:
            known = set(ONE_HOT) | set(ORDINAL)
            chosen = tuple(p for p in problems if p in chosen or p not in known)
        for problem in chosen:
            penalty = penalty_of(problem) if suite.penalised else 0.0
            for depth in suite.depths:
                for solver in suite.solvers:
                    if solvers is None or solver in solvers:
                        yield Task(name, problem, solver, penalty, depth)
