"""Fitting a classifier for F1, F-beta or Jaccard; see `treeproof.objectives.ratios`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from treeproof.limits import Deadline
from treeproof.objectives.labels import Labels
from treeproof.objectives.ratios import Counts, Ratio, positive_class
from treeproof.observers import observing
from treeproof.solvers import Task, solve
from treeproof.tree import LEAF, Tree

if TYPE_CHECKING:
    from treeproof.border import ClassificationData

__all__ = ["fit_ratio"]

_UNIT = 1 << 20  # the engine's cost of one unit of weight
_MOST_WEIGHT = 1 << 30  # the engine's total weight is below this
_MOST_STEPS = 100  # far more than are ever needed; a limit against endless rounding


def fit_ratio(
    model: Any, data: ClassificationData, reading: Mapping[str, Any], proof: Any
) -> None:
    """Find the tree of the greatest ratio, and keep it with its certificate."""
    if proof is not None:
        raise ValueError(
            f'metric="{model.metric}" writes no proof file yet; fit without proof, or '
            "use a cost_matrix."
        )
    _RatioSearch(model, data).run(reading)


class _RatioSearch:
    """One weighted search after another, until the ratio cannot rise."""

    def __init__(self, model: Any, data: ClassificationData) -> None:
        self.model, self.data = model, data
        self.ratio = Ratio.of(model.metric, float(model.beta))
        self.positive = positive_class(data.classes, model.pos_label, model.metric)
        own = np.bincount(data.labels, data.weights, minlength=2)
        self.positives = Fraction(float(own[self.positive]))
        self.negatives = Fraction(float(own[1 - self.positive]))
        self.begun = time.perf_counter()

    def run(self, reading: Mapping[str, Any]) -> None:
        """Search, and store the best tree with its certificate."""
        model = self.model
        # A single leaf that says "positive" is where every search starts.
        value = self.ratio.value(Counts(self.positives, Fraction(0), self.negatives))
        best: tuple[Fraction, Tree, Mapping[str, Any], str] | None = None
        above = Fraction(1)
        with observing(bool(model.verbose)) as (history, observer):
            for _ in range(_MOST_STEPS):
                task, objective = self._weighed(value)
                name, found = solve(model.solver, task)
                tree = objective.grow(found["tree"])
                reached = self.ratio.value(self._counts(tree))
                if best is None or reached >= value:
                    best = (max(reached, value), tree, found, name)
                above = min(above, self._bound(value, task, found))
                improved = reached > value
                value = max(value, reached)
                seconds = time.perf_counter() - self.begun
                observer(0, seconds, float(1 - above), float(1 - value), 0)
                if found["status"] != "optimal" or not improved:
                    break
        assert best is not None
        _, tree, found, name = best
        model._set_statistics(name, found, objective, reading)
        seconds = time.perf_counter() - self.begun
        model.stats_["seconds"] = seconds
        model._set_certificate(
            self._with_choices(tree),
            objective=float(1 - value),
            lower=float(1 - max(above, value)),
            proved=above <= value,
            status="optimal" if above <= value else found["status"],
            found=None,
        )
        if model.status_ == "optimal" and not model.optimal_:
            model.status_ = "rounded"
        history.finish(seconds, model.lower_bound_, model.objective_)
        model.history_ = history
        model._remember(replace(task, objective=objective), found, 1)

    def _weighed(self, mu: Fraction) -> tuple[Task, Labels]:
        """Return the search for a tree above mu, with errors weighed for it."""
        negative, positive = self.ratio.class_weights(mu)
        factor = np.array([float(negative), float(positive)])
        if self.positive == 0:
            factor = factor[::-1].copy()
        data = self.data
        weighed = replace(
            data, weights=data.weights * factor[data.labels], class_factors=factor
        )
        objective = Labels(weighed)
        task = self.model._task_for(objective, Deadline(self.model.time_limit))
        total = float(weighed.weights.sum())
        # Among trees of equal errors the one of fewest leaves: all penalties together
        # are less than the least difference between two sums of whole weights.
        tie_break = max(_UNIT // len(data.labels), 1) if total < _MOST_WEIGHT / 2 else 0
        left = None
        if task.time_limit is not None:
            left = max(task.time_limit - (time.perf_counter() - self.begun), 1e-3)
        return replace(
            task, split_penalty=tie_break / (total * _UNIT), time_limit=left
        ), objective

    def _counts(self, tree: Tree) -> Counts:
        """Return true positives, false negatives and false positives of a tree.

        The tree's values are class weights times the weights of the last step, so the
        rows themselves are counted, by the original weights.
        """
        leaves = tree.apply(self.data.table.rows)
        says = tree.action[leaves] == self.positive
        is_positive = self.data.labels == self.positive
        weights = self.data.weights

        def total(rows: Any) -> Fraction:
            return Fraction(float(weights[rows].sum()))

        return Counts(
            total(says & is_positive),
            total(~says & is_positive),
            total(says & ~is_positive),
        )

    def _bound(self, mu: Fraction, task: Task, found: Mapping[str, Any]) -> Fraction:
        """Return a ratio that no tree is above, by the search at mu."""
        weights = task.weights
        total = float(weights.sum())
        whole = bool((weights == np.floor(weights)).all())
        if whole and total < _MOST_WEIGHT - len(weights) - 1:
            # Sums of whole weights, so what is left after the tie-break rounds up.
            splits = len(self.data.labels) * int(found["split_cost"])
            least = Fraction(-(-max(int(found["lower"]) - splits, 0) // _UNIT))
            least *= Fraction(int(total) * _UNIT, int(found["unit"]))
        else:
            share = found["lower"] / found["unit"] - len(weights) / _MOST_WEIGHT
            least = Fraction(max(share, 0.0) * total)
        return max(self.ratio.still_above(mu, least, self.positives), mu)

    def _with_choices(self, tree: Tree) -> Tree:
        """Return the tree with the weights of its classes as they were given."""
        leaves = tree.apply(self.data.table.rows)
        value = np.zeros_like(tree.value)
        np.add.at(value, (leaves, self.data.labels), self.data.weights)
        for node in reversed(range(tree.node_count)):
            for child in set(tree.node_children(node).tolist()):
                value[node] += value[child]
        tree.value = value
        tree.weighted_n_node_samples = value.sum(axis=1)
        # What a leaf says maximises the ratio; it need not be its heaviest class.
        tree.cost = None
        assert (tree.kind[np.unique(leaves)] == LEAF).all()
        return tree
