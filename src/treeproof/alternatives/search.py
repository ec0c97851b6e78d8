"""Finds the trees that are nearly as good as a fitted one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from treeproof.alternatives.counts import Counted
from treeproof.alternatives.engine import FEWER, Family, LimitReachedError
from treeproof.alternatives.margins import growing_margins
from treeproof.alternatives.near_tree import NearTree
from treeproof.alternatives.problems import ClassProblem, NumberProblem, Problem
from treeproof.notices import warn_user
from treeproof.solving.solvers import Task

__all__ = ["Found", "Question", "best_trees"]

_FLAT = 3  # near-optimal trees of this depth are counted fast on most tables


@dataclass(frozen=True)
class Found:
    """The trees within a margin, counted.

    Attributes
    ----------
    family, count : Family and Counted
        The trees, and their number.
    margin : int
        All trees within this margin are known.
    max_depth : int or None
        The trees have at most this depth; None for any depth.
    at_least, at_most : int or None
        Bounds on the number of trees that were asked for; None if there is no bound.
    limit : str or None
        The limit that ended the counting early.
    """

    family: Family
    count: Counted
    margin: int
    max_depth: int | None
    at_least: int
    at_most: int | None
    limit: str | None


@dataclass
class Question:
    """The request for a set of near-optimal trees.

    Attributes
    ----------
    problem : Problem
        The fitted estimator.
    within : float
        The margin, as the user states it.
    limit : int or None
        The number of trees that are wanted; None for all.
    columns : pair of sequences of int
        The columns that trees must test, and those that they must not test.
    distinct : {"trees", "predictions", "functions"}
        Whether trees with the same predictions count once.
    """

    problem: Problem
    within: float
    limit: int | None
    columns: tuple[Sequence[int], Sequence[int]]
    distinct: str = "trees"

    @property
    def margin(self) -> int:
        """The margin in the engine's unit."""
        return self.problem.margin(self.within)

    def answer(self) -> Found:
        """Count the trees; if time is short, those of a smaller depth or margin."""
        task = self.problem.task
        budget = _budget(task.time_limit)
        found: Found | None = None
        levels = self._levels()
        alone = len(levels) == 1  # no other depth is tried
        for max_depth, part in levels:
            try:
                found = self._largest(max_depth, budget.share(part), alone)
            except LimitReachedError as reached:
                if reached.status == "interrupted":
                    raise
                if part < 1.0:
                    continue  # flatter trees are next
                if found is None:
                    raise
                break
            if max_depth == task.max_depth:
                break
        assert found is not None
        self._warn_of_the_rest(found)
        if found.max_depth != task.max_depth:  # deeper trees were not counted
            found = replace(found, at_most=None)
        found.family.renew(task.time_limit)
        return found

    def _levels(self) -> list[tuple[int | None, float]]:
        """Return the depths to count, and the share of the time left for each.

        Trees of any depth come first if it was proved that none is better, since they
        can be counted then. Otherwise depths rise up to that of the tree, or the
        deepest that was proved: each takes a small part of the time of the next one.
        """
        model, task = self.problem.model, self.problem.task
        whole = task.max_depth
        if whole is not None and whole <= _FLAT:
            return [(whole, 1.0)]
        known = [_FLAT] + [model.proved_depth_] * math.isfinite(model.proved_depth_)
        if task.time_limit is not None:
            known += [_FLAT + 1, model.tree_.depth]
        deepest = int(max(known))
        if whole is not None:
            deepest = min(deepest, whole - 1)
        flatter: list[tuple[int | None, float]]
        flatter = [(depth, 1.0) for depth in range(1, deepest + 1)]
        if isinstance(self.problem, NumberProblem) and whole is None:
            return flatter  # lower bounds for regression need a limited depth
        if model.optimal_ or task.time_limit is None:
            return [(whole, 0.5), *flatter]
        return [*flatter, (whole, 1.0)]

    def trees(self) -> Iterator[NearTree]:
        """Visit the trees from the best one on, without counting all of them first.

        The margin grows step by step, so that the first tree comes after about the time
        of a fit, and there are never many more trees counted than are asked for.
        """
        task = self.problem.task
        depth = task.max_depth
        if isinstance(self.problem, NumberProblem) and depth is None:
            depth = _FLAT
        search = self.problem.search(max_depth=depth)
        budget, given = _budget(task.time_limit), 0

        def counted() -> int:
            return given

        for margin in self._margins(counted):
            family = self._family(search, margin, budget.share(1.0))
            count = family.count(*self.columns, distinct=self.distinct)
            while given < count.total:
                if given == self.limit:
                    return
                yield self.problem.grow(*count.tree(given))
                given += 1

    def _family(self, search: Any, margin: int, time_limit: float | None) -> Family:
        within = self.problem.stated_margin(margin)
        budget = self.problem.best + margin
        family: Family = search.family(budget, within, time_limit)
        return family

    def _margins(self, counted: Callable[[], int]) -> Iterator[int]:
        return growing_margins(self.margin, self.problem.step, counted, self.limit)

    def _largest(
        self, max_depth: int | None, seconds: float | None, alone: bool
    ) -> Found:
        """Return the trees within the largest margin that can be counted.

        If the number of trees is limited, margins grow from 0 until there are enough
        trees. Otherwise, if no smaller depth can be tried, smaller margins are counted
        first, in case the full one takes too long.
        """
        search = self.problem.search(max_depth=max_depth)
        budget, margin = _budget(seconds), self.margin
        found: Found | None = None
        margins: Any = [margin]
        if self.limit is not None:
            margins = self._margins(lambda: found.count.total if found else 0)
        elif alone and seconds is not None:
            margins = [*(margin >> k for k in (3, 2, 1) if margin >> k), margin]
        for each in margins:
            family = self._family(search, each, budget.share(1.0))
            try:
                count = family.count(*self.columns, distinct=self.distinct)
            except LimitReachedError as reached:
                if found is None or reached.status == "interrupted":
                    raise
                return self._range(found, family, each, reached.status)
            exact = count.total if each == margin else None
            found = Found(family, count, each, max_depth, count.total, exact, None)
            if self.limit is not None and count.total >= self.limit:
                break
        assert found is not None
        return found

    def _range(self, found: Found, family: Family, margin: int, limit: str) -> Found:
        """Return the trees within a smaller margin, and bounds for the full one."""
        at_least, at_most = found.at_least, None
        try:
            known = family.count(
                *self.columns, distinct=self.distinct, partial=True
            ).total
            at_least = max(at_least, known)
        except LimitReachedError:
            pass
        if margin == self.margin:
            at_most = family.at_most(*self.columns)
        return Found(
            found.family, found.count, found.margin, found.max_depth,
            at_least, at_most, limit,
        )  # fmt: skip

    def _warn_of_the_rest(self, found: Found) -> None:
        """Warn if a limit has stopped the count: say which trees are known."""
        advice = f"{FEWER[0].upper()}{FEWER[1:]}; or raise time_limit."
        asked = self.problem.task.max_depth
        text = ""
        if found.max_depth != asked:
            text = f"these are those of depth {found.max_depth} or less"
        elif found.limit is not None:
            most = "" if found.at_most is None else f" and at most {found.at_most}"
            text = (
                f"there are at least {found.at_least}{most}, and {found.count.total} "
                f"within {self.problem.stated_margin(found.margin):g} are known"
            )
        if text:
            warn_user(
                f"The trees within {self.within:g} of the best one could not all be "
                f"counted before a limit: {text}. {advice}",
                ConvergenceWarning,
            )


def _budget(seconds: float | None) -> Any:
    from treeproof.path.budget import Budget  # paths are made of estimators

    return Budget(seconds)


def best_trees(model: Any, task: Task, k: int) -> tuple[list[NearTree], str | None]:
    """Return the k best trees; if there are fewer, also the limit that was reached."""
    problem = ClassProblem(model, task)
    most = problem.unit + problem.split_cost * task.table.n_rows  # no tree costs more
    question = Question(problem, problem.stated_margin(most), k, ((), ()))
    try:
        found = question._largest(task.max_depth, task.time_limit, True)
    except LimitReachedError as reached:
        return [problem.own_tree()], reached.status
    trees = [
        problem.grow(*found.count.tree(i)) for i in range(min(k, found.count.total))
    ]
    return trees, found.limit
