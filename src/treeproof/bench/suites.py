"""The suites of ``treeproof bench``: which problems, which solvers, what counts.

A suite turns tables into problems, names those who can be asked, and says when a
problem counts as solved: with a proof, or, where nobody proves anything, with a result
close to the best. To add one, write a function that makes problems and an entry here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from treeproof.bench.problem import STREAM, Problem
from treeproof.bench.tables import amounts_problem, binary_problem, numeric_problem

__all__ = ["SUITES", "Making", "Suite"]


@dataclass(frozen=True)
class Making:
    """How tables become problems.

    Attributes
    ----------
    penalty : float
        What a split costs.
    cuts : int
        The maximum number of 0/1 tests made of a column of numbers.
    rows : int
        The maximum number of rows of a stream.
    target : str or None
        The column to predict in a file; None for the likely one.
    """

    penalty: float = 0.01
    cuts: int = 8
    rows: int = 50_000
    target: str | None = None


@dataclass(frozen=True, kw_only=True)
class Suite:
    """A kind of question, and who can answer it.

    Attributes
    ----------
    title : str
        One line about it.
    solvers : sequence of str
        Names of `treeproof.bench.solvers.SOLVERS`.
    data : sequence of str
        Sets that need no file.
    make : callable
        Turns the name of a set or file into problems.
    penalty : float
        What a split costs if the user says nothing.
    max_depth : int or None
        The maximum depth of the tree if the user says nothing.
    close : float or None
        How far from the least objective a result may be to count as solved; None where
        only a proof counts.
    """

    title: str
    solvers: Sequence[str]
    data: Sequence[str]
    make: Callable[[str, Making], list[Problem]]
    penalty: float = 0.0
    max_depth: int | None = None
    close: float | None = None


def _read(name: str, making: Making) -> tuple[str, dict[str, Any], Any, bool]:
    """Return a table's name, columns and target, and whether that holds amounts."""
    from treeproof.datasets.bundled import BUNDLED
    from treeproof.explorer.question import first_question
    from treeproof.explorer.tables import bundled_table, read_path

    own = name not in BUNDLED
    table = read_path(name) if own else bundled_table(name)
    question = first_question(table, making.target if own else None)
    columns = table.take(question.columns)
    return table.stem, columns, table.columns[question.target], question.numeric


def _classes(name: str, making: Making) -> tuple[str, dict[str, Any], Any]:
    stem, X, y, amounts = _read(name, making)
    if amounts:
        raise ValueError(
            f"The target of {name!r} holds amounts, and this suite predicts classes. "
            "Name another one with --target, or take --suite regression."
        )
    return stem, X, y


def _tests_and_numbers(name: str, making: Making) -> list[Problem]:
    """Return a table as 0/1 tests and, if all of it is numbers, as it is."""
    stem, X, y = _classes(name, making)
    binary = binary_problem(stem, X, y, penalty=making.penalty, cuts=making.cuts)
    numbers = numeric_problem(stem, X, y, penalty=making.penalty)
    return [binary] if numbers is None else [binary, numbers]


def _numbers(name: str, making: Making) -> list[Problem]:
    """Return a table of numbers as it is."""
    stem, X, y = _classes(name, making)
    numbers = numeric_problem(stem, X, y, penalty=making.penalty)
    if numbers is None:
        raise ValueError(
            f"{name!r} has columns that are not numbers to cut, and this suite is for "
            "tables of numbers alone. Take --suite classification."
        )
    return [numbers]


def _amounts(name: str, making: Making) -> list[Problem]:
    """Return a table with amounts to predict, as 0/1 tests and as it is."""
    if name == _FRIEDMAN:
        stem, (X, y), amounts = name, _friedman(), True
    else:
        stem, X, y, amounts = _read(name, making)
    if not amounts:
        raise ValueError(
            f"The target of {name!r} holds classes, and this suite predicts amounts. "
            "Name another one with --target, or take --suite classification."
        )
    rows = np.arange(len(y)) % 2  # labels that are about to be replaced
    binary = binary_problem(stem, X, rows, penalty=making.penalty, cuts=making.cuts)
    numbers = numeric_problem(stem, X, rows, penalty=making.penalty)
    return [amounts_problem(p, y) for p in (binary, numbers) if p is not None]


_FRIEDMAN = "friedman"


def _friedman() -> tuple[dict[str, Any], Any]:
    """Return Friedman's first function with noise: five columns matter, five do not."""
    from sklearn.datasets import make_friedman1

    X, y = make_friedman1(400, noise=1.0, random_state=0)
    return {f"x{j}": column for j, column in enumerate(X.T)}, y


def _stream(name: str, making: Making) -> list[Problem]:
    """Return rows in their order: one of the thesis' streams, or a table's 0/1 tests.

    Thresholds are chosen from the whole table, so the tests are the same for all.
    """
    from treeproof.stream.datasets import STREAMS, stream

    if name in STREAMS:
        penalty = STREAMS[name].split_penalty
        rows = list(islice(stream(name), making.rows))
        values = [list(x.values()) for x, _ in rows]
        codes = [
            np.unique(c, return_inverse=True)[1] for c in zip(*values, strict=True)
        ]
        X, y = np.column_stack(codes), np.array([label for _, label in rows])
    else:
        stem, columns, labels = _classes(name, making)
        penalty = making.penalty
        table = binary_problem(stem, columns, labels, penalty=penalty, cuts=making.cuts)
        X, y = table.X[: making.rows], table.y[: making.rows]
    return [
        Problem(name, X.astype(np.int64), y.astype(np.int64), True, penalty, STREAM)
    ]


SUITES: dict[str, Suite] = {
    "classification": Suite(
        title="Least errors plus penalties: 0/1 tests, and numbers",
        solvers=("treeproof", "streed", "gosdt", "dl85", "contree", "cart"),
        data=("monks", "tic-tac-toe", "balance", "iris", "wine", "breast-cancer"),
        make=_tests_and_numbers,
        penalty=0.01,
    ),
    "numbers": Suite(
        title="Least errors at a depth: every threshold of every column of numbers",
        solvers=("treeproof", "quant-bnb", "contree", "cart"),
        data=("iris", "wine", "breast-cancer"),
        make=_numbers,
        max_depth=3,
    ),
    "regression": Suite(
        title="Least squares at a depth: 0/1 tests, and every threshold of numbers",
        solvers=("treeproof", "quant-bnb", "streed", "cart"),
        data=("diabetes", _FRIEDMAN),
        make=_amounts,
        max_depth=3,
    ),
    "streams": Suite(
        title="Row after row: errors of the last tree on rows that come later",
        solvers=(
            "online-branches", "ucdt", "egdt", "tsdt", "vfdt", "efdt", "hat", "sgt",
        ),
        data=("stagger", "led", "random-tree-1", "xor-1"),
        make=_stream,
        penalty=0.001,
        close=0.01,
    ),
}  # fmt: skip
"""Every suite by its name."""
