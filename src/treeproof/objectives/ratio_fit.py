"""Fitting a classifier for F1, F-beta or Jaccard; see `treeproof.objectives.ratios`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treeproof.arithmetic import (
    MAX_TOTAL_WEIGHT,
    UNIT_COST,
    merged_weights,
    rounded_weights,
)
from treeproof.limits import Deadline
from treeproof.objectives.labels import Labels
from treeproof.objectives.ratios import Counts, Ratio, positive_class
from treeproof.proof.writer import ProofFile
from treeproof.solving.levels import climb, levels_of
from treeproof.solving.observers import climbing, observing
from treeproof.solving.progress import say_result
from treeproof.solving.proving import highest_level, solve_for_proof
from treeproof.solving.solvers import Task, solve
from treeproof.tree import LEAF, Tree

if TYPE_CHECKING:
    from treeproof.border import ClassificationData
    from treeproof.solving.answer import Answer, LevelAnswer
    from treeproof.tree.split_table import SplitTable

__all__ = ["fit_ratio"]

_MOST_BETA = 1 << 10  # numerator and denominator in a proof
_MOST_SUM = 1 << 53  # of weighed rows in a proof
_MOST_PART = 1 << 40  # of a bound's denominator in a proof
_ROUGHLY = 1 << 30  # the denominator of a bound that has to be rounded

_MOST_STEPS = 100  # far more than are ever needed; a limit against endless rounding


def fit_ratio(
    model: Any, data: ClassificationData, reading: Mapping[str, Any], proof: Any
) -> None:
    """Find the tree of the greatest ratio, and keep it with its certificate."""
    model._check_provable(proof, reading, data.table)
    search = _RatioSearch(model, data)
    if proof is None:
        search.run(reading)
        return
    search.check_provable()
    with ProofFile(proof) as writer:
        search.run(reading, writer)


@dataclass(frozen=True)
class _Reached:
    """A tree, its ratio, and the search that found it."""

    value: Fraction
    tree: Tree
    answer: Answer
    solver: str
    task: Task
    objective: Labels


class _RatioSearch:
    """One weighted search after another, until the ratio cannot rise."""

    def __init__(self, model: Any, data: ClassificationData) -> None:
        self.model, self.data = model, data
        self.ratio = Ratio.of(model.metric, float(model.beta))
        asked_by = f'metric="{model.metric}"'
        self.positive = positive_class(data.classes, model.pos_label, asked_by)
        own = np.bincount(data.labels, data.weights, minlength=2)
        self.positives = Fraction(float(own[self.positive]))
        self.negatives = Fraction(float(own[1 - self.positive]))
        self.begun = time.perf_counter()

    def check_provable(self) -> None:
        """Refuse a proof of what checkers do not compute in whole numbers."""
        if (self.data.weights != np.floor(self.data.weights)).any():
            raise ValueError(
                f'A proof for metric="{self.model.metric}" takes weights that are '
                "whole numbers; multiply sample_weight, or fit without proof."
            )
        beta = self.ratio.beta
        if max(beta.numerator, beta.denominator) > _MOST_BETA:
            raise ValueError(
                f"A proof takes a beta between 1/{_MOST_BETA} and {_MOST_BETA}; fit "
                "without proof."
            )
        total = int(self.positives + self.negatives)
        if (beta.numerator**2 + beta.denominator**2) ** 2 * total**2 >= _MOST_SUM:
            raise ValueError(
                f"The weights add up to {total}, too much for a proof for metric="
                f'"{self.model.metric}"; fit without proof.'
            )

    def run(self, reading: Mapping[str, Any], writer: ProofFile | None = None) -> None:
        """Search, and store the best tree with its certificate."""
        model = self.model
        with observing(bool(model.verbose)) as (history, observer):
            self._observer = observer
            first, _ = self._weighed(Fraction(1, 2), None)
            found = climb(
                self._best_ratio,
                max_depth=model.max_depth,
                levels=levels_of(first),
                time_limit=first.time_limit,
                told=climbing(lambda _: self._newest),
            )
        kept: _Reached = found["reached"]  # type: ignore[typeddict-item]
        value, above = kept.value, 1 - found["lower"]
        tree, objective = kept.tree, kept.objective
        proved = above <= value
        figures: dict[str, Any] = {}
        if writer is not None:
            level = None if proved else highest_level(first, found)
            shown, figures = self._prove(writer, value, proved, level)
            tree = tree if shown is None else shown
        model._set_statistics(kept.solver, found, objective, reading)
        model.stats_ |= figures
        seconds = time.perf_counter() - self.begun
        model.stats_["seconds"] = seconds
        model._set_certificate(
            tree,
            objective=float(1 - value),
            lower=float(1 - max(above, value)),
            proved=proved,
            status="optimal" if proved else found["status"],
            found=found,
            penalty=0.0,
        )
        if model.status_ == "optimal" and not model.optimal_:
            model.status_ = "rounded"
        history.finish(seconds, model.lower_bound_, model.objective_)
        model.history_ = history
        model._remember(replace(kept.task, objective=objective), kept.answer, 1)
        say_result(model)

    def _best_ratio(
        self, max_depth: int | None, seconds: float | None, best: Answer | None
    ) -> Answer:
        """Find the tree of the greatest ratio among those of a maximum depth.

        The answer's costs are one minus the ratio.
        """
        begun, until = time.perf_counter(), None
        if seconds is not None:
            until = begun + seconds
        whole = max_depth == self.model.max_depth
        kept: _Reached | None = None
        # A single leaf that predicts "positive" is where every search starts.
        value = self.ratio.value(Counts(self.positives, Fraction(0), self.negatives))
        if best is not None:
            kept = best["reached"]  # type: ignore[typeddict-item]
            assert kept is not None
            value = kept.value
        above = Fraction(1)
        for _ in range(_MOST_STEPS):
            task, objective = self._weighed(value, until)
            task = replace(task, max_depth=max_depth)
            name, found = solve(self.model.solver, task, levels=False)
            tree = self._grown(found["tree"], objective)
            reached = self.ratio.value(self._counts(tree))
            if kept is None or reached >= value:
                known = max(reached, value)
                kept = _Reached(known, tree, found, name, task, objective)
                self._newest = tree
            above = min(above, self._bound(value, task, found))
            improved = reached > value
            value = max(value, reached)
            passed = time.perf_counter() - self.begun
            bound = float(1 - above) if whole else 0.0
            self._observer(0, passed, bound, float(1 - value), 0)
            if found["status"] != "optimal" or not improved:
                break
        assert kept is not None
        status = "optimal" if above <= value else found["status"]
        answer: Any = {
            "tree": kept.answer["tree"],
            "n_merged_rows": kept.answer["n_merged_rows"],
            "lower": 1 - max(above, value),
            "upper": 1 - value,
            "unit": 1,
            "split_cost": 0,
            "status": "rounded" if status == "optimal" and above > value else status,
            "seconds": time.perf_counter() - begun,
            "statistics": found["statistics"],
            "reached": kept,
        }
        return answer  # type: ignore[no-any-return]

    def _weighed(self, mu: Fraction, until: float | None) -> tuple[Task, Labels]:
        """Return the search for a tree above mu, with errors weighed for it.

        It ends at the time `until`, or at the time limit of the fit.
        """
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
        tie_break = (
            max(UNIT_COST // len(data.labels), 1) if total < MAX_TOTAL_WEIGHT / 2 else 0
        )
        left = None
        if task.time_limit is not None:
            end = self.begun + task.time_limit if until is None else until
            left = max(end - time.perf_counter(), 1e-3)
        return replace(
            task, split_penalty=tie_break / (total * UNIT_COST), time_limit=left
        ), objective

    def _prove(
        self,
        writer: ProofFile,
        value: Fraction,
        proved: bool,
        level: LevelAnswer | None,
    ) -> tuple[Tree | None, dict[str, Any]]:
        """Search once more at the best ratio and write the proof.

        The tree is returned if it has that ratio, as it has if nothing stopped the
        search. One that was not stopped before (`proved`), and one for a level of depth
        that was settled (`level`), has as long as it takes.
        """
        task, objective = self._weighed(value, None)
        if level is not None:
            task = replace(task, max_depth=level["max_depth"])
        limit = None if proved or level is not None else task.time_limit
        provable = solve_for_proof(
            self.model.solver, replace(task, proof_log=writer.log, time_limit=limit)
        )
        found = provable.proved
        tree = self._grown(found["tree"], objective)
        reached = self.ratio.value(self._counts(tree))

        def header(lower: int) -> dict[str, Any]:
            bound = self._shown(value, objective, lower, int(found["split_cost"]))
            return {
                "metric": {
                    "name": self.model.metric,
                    "beta": _pair(self.ratio.beta),
                    "positive": self.positive,
                    "weighed_at": _pair(value),
                    "value": _pair(reached),
                    "bound": _pair(_short(max(bound, reached))),
                }
            }

        figures = self.model._write_proof(writer, provable, objective, header)
        return tree if reached == value else None, figures

    def _grown(self, splits: SplitTable, objective: Labels) -> Tree:
        """Return a tree whose leaves predict what was best with weighed errors.

        That need not be a leaf's heaviest class; the classes' weights are the given
        ones.
        """
        tree = Labels(self.data)._grow(splits, _Choice(objective))
        tree.cost = None
        return tree

    def _counts(self, tree: Tree) -> Counts:
        """Return true positives, false negatives and false positives of a tree."""
        leaves = tree.kind == LEAF
        says = tree.action[leaves] == self.positive
        yes, no = tree.value[leaves][:, [self.positive, 1 - self.positive]].T

        def total(weights: Any) -> Fraction:
            return Fraction(float(weights.sum()))

        return Counts(total(yes[says]), total(yes[~says]), total(no[says]))

    def _bound(self, mu: Fraction, task: Task, found: Answer) -> Fraction:
        """Return a ratio that no tree is above, by the search at mu."""
        weights = task.weights
        total = float(weights.sum())
        whole = bool((weights == np.floor(weights)).all())
        if whole and total < MAX_TOTAL_WEIGHT - len(weights) - 1:
            # Sums of whole weights, so what is left after the tie-break rounds up.
            # A tree has at most one penalty less than it has rows.
            splits = (len(self.data.labels) - 1) * int(found["split_cost"])
            least = Fraction(-(-max(int(found["lower"]) - splits, 0) // UNIT_COST))
            least *= Fraction(int(total) * UNIT_COST, int(found["unit"]))
        else:
            share = found["lower"] / found["unit"] - len(weights) / MAX_TOTAL_WEIGHT
            least = Fraction(max(share, 0.0) * total)
        return max(self.ratio.still_above(mu, least, self.positives), mu)

    def _shown(
        self, mu: Fraction, objective: Labels, lower: int, split_cost: int
    ) -> Fraction:
        """Return a ratio that no tree is above, as a checker of the proof finds it."""
        weights, n = objective.weights, len(objective.weights)
        codes, labels = objective.table.codes, objective.labels
        whole = rounded_weights(codes, labels, weights)
        wrong = Fraction(-(-max(lower - (n - 1) * split_cost, 0) // UNIT_COST))
        if whole is not weights:  # rounded: what rounding has added is taken off
            scale, sums = merged_weights(codes, labels, weights)
            pairs = zip(
                whole[whole > 0].tolist(), sums[whole > 0].tolist(), strict=True
            )
            added = (Fraction(r) / Fraction(scale) - Fraction(w) for r, w in pairs)
            wrong = wrong / Fraction(scale) - sum(max(a, Fraction(0)) for a in added)
        return max(self.ratio.still_above(mu, wrong, self.positives), mu)


class _Choice:
    """What leaves predict with weighed errors, in whole numbers as in a proof."""

    measure = "errors"

    def __init__(self, objective: Labels) -> None:
        self.actions, self.labels = objective.actions, objective.labels
        self.weights = rounded_weights(
            objective.table.codes, objective.labels, objective.weights
        )

    def choose(self, rows: NDArray[np.intp]) -> tuple[int, float]:
        """Return the class of the greatest weight."""
        own = np.bincount(self.labels[rows], self.weights[rows], len(self.actions))
        return int(np.argmax(own)), 0.0


def _pair(fraction: Fraction) -> list[int]:
    return [fraction.numerator, fraction.denominator]


def _short(bound: Fraction) -> Fraction:
    """Return a bound on a ratio, raised a little if it takes many digits."""
    if bound.denominator <= _MOST_PART:
        return bound
    return min(Fraction(int(bound * _ROUGHLY) + 1, _ROUGHLY), Fraction(1))
