"""Questions about all trees within a margin, answered exactly without listing them.

Every answer is a sum over the leaves and splits of a tree. The engine finds the least
and the greatest value of this sum over the whole set, and a tree that has it
(cpp/search/near/fronts.hpp).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treeproof.alternatives.engine import Summed
from treeproof.alternatives.findings import (
    Agreement,
    Asking,
    Disagreement,
    Extremes,
    Fairness,
    Reliance,
)
from treeproof.alternatives.row_numbers import (
    chosen_actions,
    costs_of_paths,
    differences,
    group_rates,
    objective_of,
    rate_numbers,
    read_values,
    whole_numbers,
)
from treeproof.arithmetic import UNIT_COST
from treeproof.kinds import SUBSET

if TYPE_CHECKING:
    from treeproof.alternatives.near_tree import NearTree
    from treeproof.alternatives.problems import Problem
    from treeproof.alternatives.search import Found, Question

__all__ = ["Questions", "check_distinct"]

DISTINCT = ("trees", "predictions", "functions")


def check_distinct(problem: Problem, distinct: Any) -> None:
    """Raise if trees cannot be counted in this way."""
    if distinct not in DISTINCT:
        raise ValueError(
            f"distinct={distinct!r} is not known; use "
            f"{', '.join(map(repr, DISTINCT[:2]))} or {DISTINCT[2]!r}."
        )
    if distinct == "functions":
        _check_plain(problem, 'distinct="functions"')


class Questions:
    """Methods of a set of near-optimal trees that consider all of them at once."""

    limit: int | None
    distinct: str
    _question: Question
    _names: list[str]

    @property
    def _found(self) -> Found:
        raise NotImplementedError

    def limit_questions(self, seconds: float) -> None:
        """Set a time limit for all further questions together.

        Without it, each question may take the ``time_limit`` of the estimator. A
        question that takes longer raises `LimitReachedError`.

        Parameters
        ----------
        seconds : float
            The time, counted from now.
        """
        self._found.family.allow(seconds)

    def counts(self) -> dict[str, int]:
        """Return the number of trees, of distinct predictions and of distinct functions.

        Returns
        -------
        dict
            "trees"; "predictions": trees with the same predictions on all training rows
            count once; "functions": trees with the same predictions for every
            combination of the columns' values count once. The last one is left out if
            columns have missing values or subsets of categories.
        """  # noqa: E501
        self._check_whole()
        out = {}
        for distinct in DISTINCT:
            try:
                check_distinct(self._question.problem, distinct)
            except ValueError:
                continue
            family = self._found.family
            out[distinct] = family.count(*self._question.columns, distinct=distinct)
        return {distinct: count.total for distinct, count in out.items()}

    def smallest(self) -> NearTree:
        """Return the cheapest of the trees with the fewest splits.

        It is found exactly among all trees of the set, however large the set is.
        """
        return self._least(None, 1)[1]

    def closest(self, to: Any) -> NearTree:
        """Return the tree that agrees with given predictions on the most training rows.

        It is found exactly among all trees of the set, however large the set is.

        Parameters
        ----------
        to : array-like of shape (rows,)
            A prediction for each row of the training table: for example those of a tree
            in use, of a set of rules, or of a person.
        """
        return self._least(differences(self._question.problem, to))[1]

    def agreement(self, rules: Any) -> Agreement:
        """Return how much the trees agree with given predictions.

        Parameters
        ----------
        rules : array-like of shape (rows,)
            A prediction for each row of the training table.

        Returns
        -------
        Agreement
            The least and the greatest share of the weight on which a tree of the set
            agrees, exactly, and trees that do.
        """
        differs = differences(self._question.problem, rules)
        total = int(differs.max(axis=1).sum()) or 1
        few, near = self._least(differs)
        many, far = self._least(-differs)
        return Agreement(1 + many / total, 1 - few / total, near, far)

    def extremes(self, values: Any) -> Extremes:
        """Return the least and greatest sum of any numbers over the training rows.

        For example: what are the fewest and the most loans that a near-optimal tree
        grants, or the least and the greatest amount of money that it lends?

        Parameters
        ----------
        values : array-like of shape (rows, classes)
            What each training row adds, for each class that a tree may predict, in the
            order of the classifier's ``classes_`` (or of the actions of a policy).

        Returns
        -------
        Extremes
            Both sums, and trees that have them. Whole numbers are added exactly; other
            numbers are rounded to a billionth of the sum of their absolute values
            before trees are compared.
        """
        numbers, whole = read_values(self._question.problem, values)
        low, high = self._least(whole)[1], self._least(-whole)[1]
        rows = np.arange(len(numbers))
        sums = [
            float(numbers[rows, chosen_actions(self._question.problem, near)].sum())
            for near in (low, high)
        ]
        return Extremes(sums[0], sums[1], low, high)

    def disagreement(self) -> Disagreement:
        """Return what the trees of the set predict for each training row.

        A row for which equally good trees predict different classes is a candidate for
        a person's decision.

        Returns
        -------
        Disagreement
            For each row and class the cost of the cheapest tree in the set that
            predicts it, exactly; infinite if no tree does.
        """
        self._check_whole()
        problem = self._question.problem
        objective = objective_of(problem, "disagreement()")
        codes = objective.table.engine.codes
        costs = self._found.family.answers(self._question.columns, codes)
        stated = np.full(costs.shape, np.inf)
        for cost in np.unique(costs[costs >= 0]).tolist():
            stated[costs == cost] = problem.stated(cost)
        return Disagreement(np.asarray(objective.actions), stated)

    def reliance(self, columns: Any = None) -> dict[str, Reliance]:
        """Return how much the trees rely on each column (model class reliance).

        If the values of a column are shuffled among the rows, a tree that relies on it
        If the values of a column are shuffled among the rows, a tree that relies on it
        makes more errors. If even the least loss over the whole set rises, every
        near-optimal tree needs the column; if only the greatest does, some trees use it
        and others do without. The loss is the mean over all permutations, computed
        exactly: every row is combined with the value of every row.

        Parameters
        ----------
        columns : column or list of columns, default=None
            Names or numbers; all columns by default.

        Returns
        -------
        dict
            `Reliance` by column name.

        References
        ----------
        A. Fisher, C. Rudin, F. Dominici. "All models are wrong, but many are useful."
        Journal of Machine Learning Research 20 (2019).
        """
        from treeproof.alternatives.chosen_columns import choose_columns

        self._check_whole()
        problem = self._question.problem
        objective = objective_of(problem, "reliance()")
        _check_plain(problem, "reliance()")
        chosen = choose_columns(self._names, (), columns)[1]
        if columns is None:
            chosen = tuple(range(len(self._names)))
        weights = whole_numbers(objective.weights)
        codes, family = objective.table.engine.codes, self._found.family
        every = family.count(*self._question.columns).total
        required, banned = self._question.columns
        out = {}
        for column in chosen:
            losses, trees = [], []
            for greatest in (False, True):
                value, cost, splits = family.reliance(
                    self._question.columns, codes, weights, column, greatest=greatest
                )
                wrong = value / int(weights.sum())  # the mean weight of the errors
                losses.append(problem.stated(wrong * UNIT_COST))
                trees.append(problem.grow(splits, cost))
            if column in required or column in banned:
                use = 1.0 if column in required else 0.0
            else:
                rest = family.count(required, (*banned, column)).total
                use = (every - rest) / every
            out[self._names[column]] = Reliance(
                losses[0], losses[1], use, trees[0], trees[1]
            )
        return out

    def fairest(
        self, sensitive_features: Any, *, rate: str = "selection", positive: Any = None
    ) -> Fairness:
        """Return the tree whose rates differ least between two groups.

        Parameters
        ----------
        sensitive_features : array-like of shape (rows,)
            The group of each training row; two groups.
        rate : {"selection", "true positive", "false positive"}, default="selection"
            The share of the rows of a group that are predicted to be positive: of all
            rows, of the positive ones, or of the others.
        positive : default=None
            The positive class; by default the last one of ``classes_``.

        Returns
        -------
        Fairness
            The least difference over the whole set, exactly, the rates of the groups,
            and the cheapest tree that has it.
        """
        problem = self._question.problem
        numbers, whole, groups = rate_numbers(
            problem, sensitive_features, rate, positive
        )
        near = self._least(whole, nearest_zero=True)[1]
        rates = group_rates(problem, near, numbers, groups)
        low, high = sorted(rates.values())
        return Fairness(high - low, rates, near)

    def cheapest_to_ask(self, test_costs: dict[Any, Any]) -> Asking:
        """Return the tree whose columns are cheapest to measure.

        Parameters
        ----------
        test_costs : dict
            The cost of measuring a column, as ``test_costs`` of a classifier: every row
            pays once for each column on its path; other columns are free.

        Returns
        -------
        Asking
            The mean cost of a row, and the cheapest tree that has it. Costs are rounded
            to a millionth of the highest one before trees are compared.
        """
        problem = self._question.problem
        objective = getattr(problem.task, "objective", None)
        rows = problem.task if objective is None else objective
        rules, prices = costs_of_paths(problem, test_costs, self._found.max_depth)
        self._check_whole()
        _, cost, splits = self._found.family.least_asking(
            self._question.columns,
            rows.table.engine.codes,
            whole_numbers(rows.weights),
            rules.next,
            prices,
        )
        near = problem.grow(splits, cost)
        return Asking(rules.paid(near.tree), near)

    def _least(
        self,
        values: NDArray[np.int64] | None,
        of_split: int = 0,
        *,
        nearest_zero: bool = False,
    ) -> tuple[int, NearTree]:
        """Return the least sum over the whole set, and the tree that has it."""
        self._check_whole()
        problem = self._question.problem
        objective = getattr(problem.task, "objective", None)
        table = problem.task.table if objective is None else objective.table
        least, cost, splits = self._found.family.least_sum(
            self._question.columns,
            Summed(table.engine.codes, values, of_split, nearest_zero),
        )
        return least, problem.grow(splits, cost)

    def _check_whole(self) -> None:
        """Raise if only the best trees are known, and not all within the margin."""
        if self.limit is not None:
            raise ValueError(
                "This is a question to all trees within a margin; ask near_optimal() "
                "without limit, with a smaller margin if there are too many."
            )


def _check_plain(problem: Problem, what: str) -> None:
    """Raise if the path of an unseen value depends on the rows of a node."""
    table = problem.task.table
    for column in table.columns:
        if column.has_missing:
            raise ValueError(
                f"{what} needs columns without missing values, and {column.name!r} has "
                "some; fill them, or leave the column out."
            )
    for own in table.engine.columns or ():
        about = table.columns[own.feature]
        if not about.ordered and own.meaning(0).kind == SUBSET:
            raise ValueError(
                f"{what} does not know subsets of categories, by which {about.name!r} "
                'is split; pass categorical_split="one-vs-rest" or "multiway".'
            )
