"""One adapter per solver: the same question put in each one's own words.

What an adapter is, `question` says. Imports happen inside the adapters, since peers
live in an environment of their own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .engine import with_engine_options, with_observer
from .learners import stream_learner
from .problem import AMOUNTS, CLASSES, STREAM, Problem
from .question import (
    BINARY,
    CATEGORIES,
    NUMBERS,
    Fit,
    Question,
    Report,
    Solver,
)

STREED_MAX_DEPTH = 20  # the deepest STreeD accepts: "no limit" for these problems


def treeproof(
    problem: Problem,
    question: Question,
    *,
    kernel: str | None = None,
    trace: bool = False,
    **options: Any,
) -> tuple[Fit, Callable[[], Report]]:
    """Ours; `options` go to the estimator, a kernel or a trace to the engine below."""
    from treeproof import OptimalTreeClassifier, OptimalTreeRegressor

    events: list[tuple[float, float, float]] = []  # seconds, lower, upper
    if kernel is not None:
        with_engine_options(kernel=kernel)
    if trace:
        with_observer(lambda _kind, *event: events.append(event[:3]))
    categorical = list(range(problem.X.shape[1])) if problem.categorical else None
    kind = OptimalTreeRegressor if problem.task == AMOUNTS else OptimalTreeClassifier
    model = kind(
        split_penalty=question.penalty,
        max_depth=question.max_depth,
        time_limit=question.time_limit,
        categorical_features=categorical,
        **({"penalize": "splits"} | options),  # what a benchmark's costs count
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
    from pystreed import STreeDClassifier, STreeDRegressor

    amounts = problem.task == AMOUNTS
    measure = "regression" if amounts else "accuracy"
    model = (STreeDRegressor if amounts else STreeDClassifier)(
        optimization_task=f"cost-complex-{measure}" if question.penalty else measure,
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
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    amounts = problem.task == AMOUNTS
    kind = DecisionTreeRegressor if amounts else DecisionTreeClassifier
    best: dict[str, Any] = {"cost": np.inf}

    def fit() -> None:
        for criterion in ("squared_error",) if amounts else ("gini", "entropy"):
            common = {
                "criterion": criterion,
                "max_depth": question.max_depth,
                "random_state": 0,
            }
            path = kind(**common).cost_complexity_pruning_path(problem.X, problem.y)
            for alpha in np.unique(np.maximum(path.ccp_alphas, 0.0)):
                tree = kind(**common, ccp_alpha=alpha)
                tree.fit(problem.X, problem.y)
                splits = tree.get_n_leaves() - 1
                predictions = tree.predict(problem.X)
                cost = problem.objective(predictions, splits, question.penalty)
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


_EVERY_FORM = (BINARY, NUMBERS, CATEGORIES)
_TREES = (CLASSES, AMOUNTS)


def _ours(title: str, **options: Any) -> Solver:
    adapter = partial(treeproof, **options)
    return Solver(adapter, "treeproof", title, forms=_EVERY_FORM, tasks=_TREES)


def _learner(name: str, package: str = "treeproof") -> Solver:
    adapter = partial(stream_learner, learner=name)
    return Solver(
        adapter, package, name, forms=_EVERY_FORM, exact=False, tasks=(STREAM,)
    )


# The engine picks the best kernel of the machine by itself; these force one.
KERNELS = ("portable", "avx2", "avx512")

SOLVERS: dict[str, Solver] = {
    "treeproof": _ours("treeproof"),
    "treeproof-traced": _ours("treeproof", trace=True),
    "branches": _ours("BRANCHES (ours)", solver="branches"),
    "quant-bnb": Solver(
        partial(treeproof, solver="quant-bnb"), "treeproof", "Quant-BnB (ours)",
        forms=(NUMBERS,), accuracy_only=True, tasks=_TREES,
    ),
    "streed": Solver(streed, "pystreed", "STreeD", peer=True, tasks=_TREES),
    "gosdt": Solver(gosdt, "gosdt", "GOSDT", peer=True),
    "dl85": Solver(dl85, "pydl8.5", "DL8.5", peer=True, accuracy_only=True),
    "contree": Solver(
        contree, "pycontree", "ConTree", peer=True, forms=(NUMBERS,), accuracy_only=True
    ),
    "cart": Solver(
        cart, "scikit-learn", "CART", forms=(BINARY, NUMBERS), exact=False, tasks=_TREES
    ),
    "online-branches": _learner("Online-BRANCHES"),
    "ucdt": _learner("UCDT"),
    "egdt": _learner("EGDT"),
    "tsdt": _learner("TSDT"),
    "vfdt": _learner("VFDT", "river"),
    "efdt": _learner("EFDT", "river"),
    "hat": _learner("HAT", "river"),
    "sgt": _learner("SGT", "river"),
    **{
        f"treeproof-{kernel}": _ours(f"treeproof ({kernel})", kernel=kernel)
        for kernel in KERNELS
    },
}  # fmt: skip
