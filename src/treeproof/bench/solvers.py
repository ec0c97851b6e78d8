"""One adapter per solver: the same question put in each one's own words.

An adapter builds the estimator and returns two functions: `fit()`, the only thing
that is timed, and `report()`, which reads the outcome. Reports hold the predictions
on the training rows and the number of splits, from which the objective of every
solver is recomputed in one way; claims (proved or not, bounds) are passed on as made.

Imports happen inside the adapters, since peers live in an environment of their own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from .engine import with_engine_options, with_observer
from .problem import Problem

STREED_MAX_DEPTH = 20  # the deepest STreeD accepts: "no limit" for these problems


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


def treeproof(
    problem: Problem,
    question: Question,
    *,
    kernel: str | None = None,
    trace: bool = False,
    **options: Any,
) -> tuple[Fit, Callable[[], Report]]:
    """Ours; `options` go to the estimator, a kernel or a trace to the engine below."""
    from treeproof import OptimalTreeClassifier

    events: list[tuple[float, float, float]] = []  # seconds, lower, upper
    if kernel is not None:
        with_engine_options(kernel=kernel)
    if trace:
        with_observer(lambda _kind, *event: events.append(event[:3]))
    categorical = list(range(problem.X.shape[1])) if problem.categorical else None
    model = OptimalTreeClassifier(
        split_penalty=question.penalty,
        max_depth=question.max_depth,
        time_limit=question.time_limit,
        categorical_features=categorical,
        **options,
    )

    def report() -> Report:
        stats = dict(model.stats_)
        return Report(
            predictions=model.predict(problem.X),
            splits=int(model.n_splits_),
            proved=bool(model.optimal_),
            lower_bound=float(model.lower_bound_),
            claimed=float(model.objective_),
            steps=stats.get("expansions", stats.get("iterations")),
            extra={"status": model.status_} | ({"events": events} if trace else {}),
        )

    return partial(model.fit, problem.X, problem.y), report


def streed(problem: Problem, question: Question) -> tuple[Fit, Callable[[], Report]]:
    """STreeD (van der Linden et al., NeurIPS 2023): dynamic programming."""
    from pystreed import STreeDClassifier

    model = STreeDClassifier(
        optimization_task="cost-complex-accuracy" if question.penalty else "accuracy",
        cost_complexity=question.penalty,
        max_depth=question.max_depth or STREED_MAX_DEPTH,
        time_limit=question.time_limit,
    )

    def report() -> Report:
        return Report(
            predictions=model.predict(problem.X),
            splits=model.get_n_leaves() - 1,
            proved=bool(model.fit_result.is_optimal()),
        )

    return partial(model.fit, problem.X, problem.y), report


def gosdt(problem: Problem, question: Question) -> tuple[Fit, Callable[[], Report]]:
    """GOSDT (Lin et al., ICML 2020): one penalty per leaf, so ours plus one penalty.

    Its `predict` fails on current scikit-learn; the tree under it does not.
    """
    from gosdt import GOSDTClassifier
    from gosdt._libgosdt import Status

    model = GOSDTClassifier(
        regularization=question.penalty,
        allow_small_reg=True,
        depth_budget=question.max_depth,
        time_limit=max(1, round(question.time_limit)),
    )

    def splits(node: Any) -> int:
        if not hasattr(node, "feature"):
            return 0
        return 1 + splits(node.left_child) + splits(node.right_child)

    def report() -> Report:
        tree, result = model.trees_[0], model.result_
        return Report(
            predictions=tree.predict(problem.X),
            splits=splits(tree.tree),
            proved=result.status == Status.CONVERGED,
            lower_bound=float(result.lowerbound) - question.penalty,
            claimed=float(result.upperbound) - question.penalty,
            steps=int(result.n_iterations),
        )

    return partial(model.fit, problem.X, problem.y), report


def dl85(problem: Problem, question: Question) -> tuple[Fit, Callable[[], Report]]:
    """DL8.5 (Aglin et al., AAAI 2020): fewest errors at a depth, no penalty."""
    if question.penalty or question.max_depth is None:
        raise ValueError("DL8.5 solves depth-limited problems without a penalty.")
    from pydl85 import DL85Classifier

    model = DL85Classifier(
        max_depth=question.max_depth, time_limit=max(1, round(question.time_limit))
    )

    def splits(node: dict[str, Any]) -> int:
        if "feat" not in node:
            return 0
        return 1 + splits(node["left"]) + splits(node["right"])

    def report() -> Report:
        return Report(
            predictions=np.asarray(model.predict(problem.X)),
            splits=splits(model.tree_),
            proved=not model.timeout_,
            claimed=model.error_ / len(problem.y),
            steps=model.lattice_size_,
        )

    return partial(model.fit, problem.X, problem.y), report


def cart(problem: Problem, question: Question) -> tuple[Fit, Callable[[], Report]]:
    """scikit-learn's greedy tree, given its best case.

    Of all trees on the cost-complexity pruning path (both criteria), the one with the
    least of *our* objective is kept: no choice of ccp_alpha could do better.
    """
    from sklearn.tree import DecisionTreeClassifier

    best: dict[str, Any] = {"cost": np.inf}

    def fit() -> None:
        for criterion in ("gini", "entropy"):
            common = {
                "criterion": criterion,
                "max_depth": question.max_depth,
                "random_state": 0,
            }
            path = DecisionTreeClassifier(**common).cost_complexity_pruning_path(
                problem.X, problem.y
            )
            for alpha in np.unique(np.maximum(path.ccp_alphas, 0.0)):
                tree = DecisionTreeClassifier(**common, ccp_alpha=alpha)
                tree.fit(problem.X, problem.y)
                splits = tree.get_n_leaves() - 1
                errors = np.mean(tree.predict(problem.X) != problem.y)
                cost = errors + question.penalty * splits
                if cost < best["cost"]:
                    best.update(cost=cost, tree=tree, splits=splits)

    def report() -> Report:
        tree = best["tree"]
        return Report(tree.predict(problem.X), int(best["splits"]), proved=False)

    return fit, report


def contree(problem: Problem, question: Question) -> tuple[Fit, Callable[[], Report]]:
    """ConTree (Brita et al., AAAI 2025): every threshold at a depth, no penalty."""
    if question.penalty or question.max_depth is None:
        raise ValueError("ConTree solves depth-limited problems without a penalty.")
    from pycontree import ConTree

    model = ConTree(max_depth=question.max_depth, time_limit=question.time_limit)
    begun = [0.0, 0.0]

    def fit() -> None:
        begun[0] = time.perf_counter()
        model.fit(problem.X, problem.y)
        begun[1] = time.perf_counter()

    def report() -> Report:
        # It does not tell whether it finished; within the limit it has.
        proved = begun[1] - begun[0] < 0.98 * question.time_limit
        return Report(np.asarray(model.predict(problem.X)), 0, proved)

    return fit, report


BINARY, NUMBERS, CATEGORIES = "binary", "numbers", "categories"


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
    """

    adapt: Adapter
    package: str
    title: str
    peer: bool = False
    forms: tuple[str, ...] = (BINARY,)
    accuracy_only: bool = False
    exact: bool = True

    def can_answer(self, form: str, penalty: float, max_depth: int | None) -> bool:
        """Say whether the solver solves such problems."""
        if form not in self.forms:
            return False
        return not self.accuracy_only or (penalty == 0 and max_depth is not None)

    def installed_version(self) -> str:
        """Return the version of the package in this environment."""
        return version(self.package)


def _ours(title: str, **options: Any) -> Solver:
    every = (BINARY, NUMBERS, CATEGORIES)
    return Solver(partial(treeproof, **options), "treeproof", title, forms=every)


# The engine picks the best kernel of the machine by itself; these force one.
KERNELS = ("portable", "avx2", "avx512")

SOLVERS: dict[str, Solver] = {
    "treeproof": _ours("treeproof"),
    "treeproof-traced": _ours("treeproof", trace=True),
    "branches": _ours("BRANCHES (ours)", solver="branches"),
    "streed": Solver(streed, "pystreed", "STreeD", peer=True),
    "gosdt": Solver(gosdt, "gosdt", "GOSDT", peer=True),
    "dl85": Solver(dl85, "pydl8.5", "DL8.5", peer=True, accuracy_only=True),
    "contree": Solver(
        contree, "pycontree", "ConTree", peer=True, forms=(NUMBERS,), accuracy_only=True
    ),
    "cart": Solver(cart, "scikit-learn", "CART", forms=(BINARY, NUMBERS), exact=False),
    **{
        f"treeproof-{kernel}": _ours(f"treeproof ({kernel})", kernel=kernel)
        for kernel in KERNELS
    },
}
