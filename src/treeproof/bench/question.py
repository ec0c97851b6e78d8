"""What a solver is asked, and what it answers.

An adapter builds the estimator and returns two functions: `fit()`, the only thing that
is timed, and `report()`, which reads the outcome. Reports hold the predictions and the
number of splits, from which the objective of every solver is recomputed in one way;
claims (proved or not, bounds) are passed on as made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np

from .problem import CLASSES, Problem

__all__ = [
    "BINARY",
    "CATEGORIES",
    "NUMBERS",
    "Adapter",
    "Fit",
    "Question",
    "Report",
    "Solver",
]

BINARY, NUMBERS, CATEGORIES = "binary", "numbers", "categories"


@dataclass
class Report:
    """What a fitted solver says; None where its interface does not tell."""

    predictions: np.ndarray[Any, Any]
    splits: int
    proved: bool
    lower_bound: float | None = None
    claimed: float | None = None  # the solver's own figure for the objective
    steps: int | None = None  # expansions, iterations: the solver's own unit
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """The limits that go with a problem."""

    penalty: float
    max_depth: int | None
    time_limit: float


Fit = Callable[[], Any]
Adapter = Callable[[Problem, Question], tuple[Fit, Callable[[], Report]]]


@dataclass(frozen=True)
class Solver:
    """How a solver is called, which package it is, and what it can be asked.

    Attributes
    ----------
    adapt : callable
        The adapter.
    package : str
        The distribution that has it.
    title : str
        How tables call it.
    peer : bool
        Whether it is somebody else's.
    forms : tuple of str
        The tables it takes: "binary", "numbers", "categories".
    accuracy_only : bool
        It has no penalty for splits, and needs a depth.
    exact : bool
        Whether it proves anything, given the time.
    tasks : tuple of str
        What it can be asked for: "classes", "amounts", "stream".
    """

    adapt: Adapter
    package: str
    title: str
    peer: bool = False
    forms: tuple[str, ...] = (BINARY,)
    accuracy_only: bool = False
    exact: bool = True
    tasks: tuple[str, ...] = (CLASSES,)

    def can_answer(
        self, form: str, penalty: float, max_depth: int | None, task: str = CLASSES
    ) -> bool:
        """Say whether the solver solves such problems."""
        if form not in self.forms or task not in self.tasks:
            return False
        return not self.accuracy_only or (penalty == 0 and max_depth is not None)

    def installed_version(self) -> str:
        """Return the version of the package in this environment."""
        return version(self.package)
