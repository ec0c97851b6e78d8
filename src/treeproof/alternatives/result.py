"""The set of near-optimal trees: counted, sampled, listed, filtered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from treeproof.alternatives.chosen_columns import choose_columns
from treeproof.alternatives.engine import root_column
from treeproof.alternatives.near_tree import NearTree
from treeproof.alternatives.problems import Problem
from treeproof.alternatives.questions import Questions, check_distinct
from treeproof.alternatives.row_numbers import objective_of
from treeproof.alternatives.search import Found, Question

__all__ = ["NearOptimalSet", "TooManyTreesError", "near_set"]


class TooManyTreesError(ValueError):
    """There are more trees than can be listed.

    Examples
    --------
    >>> from treeproof.alternatives import TooManyTreesError
    >>> issubclass(TooManyTreesError, ValueError)
    True
    """


class NearOptimalSet(Questions):
    """All trees that cost at most a margin more than the best one.

    The result of `OptimalTreeClassifier.near_optimal`. Trees are numbered from 0 in the
    order of increasing cost; ``trees[i]`` is one of them, and iteration visits all of
    them in this order. Trees are constructed only when they are requested, so that the
    set may be astronomically large.

    Attributes
    ----------
    count : int
        The number of trees in this set.
    complete : bool
        Whether these are all trees within the margin. If not, they are the best ones of
        at most ``max_depth`` levels.
    at_least, at_most : int or None
        Bounds on the number of trees within the margin. Both are ``count`` if the set
        is complete; otherwise ``at_most`` is None if no upper bound is known.
    max_depth : int or None
        The maximum depth of the trees in this set; None for any depth. It is less than
        that of the fit if a limit ended the counting of deeper trees. The fitted tree
        is then not in the set if it is deeper.
    within : float
        The margin.
    counted_within : float
        All trees within this margin are known. It is less than ``within`` if a limit
        ended the counting or fewer trees were asked for.
    limit : int or None
        The number of trees that were asked for; None for all.
    distinct : {"trees", "predictions", "functions"}
        What is counted: trees, distinct predictions on the training rows, or distinct
        functions. In the last two cases the cheapest tree stands for all trees that
        make the same predictions.
    objective : float
        The cost of the best tree.
    optimal : bool
        Whether the best tree was proved optimal. If not, the set contains all trees
        within the margin of the best tree that was found.
    using, without : tuple of str
        The columns that every tree of the set tests, or that none of them tests.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.datasets import load_monks
    >>> X, y = load_monks(1, as_frame=True, return_X_y=True)
    >>> clf = OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> trees = clf.near_optimal(within=0.02)
    >>> trees.count, trees[0].n_splits
    (14, 4)
    """

    def __init__(
        self, question: Question, names: Sequence[str], found: Found | None = None
    ) -> None:
        self._question, self._names = question, list(names)
        self._using, self._without = question.columns
        self._answer = found
        self.within, self.limit = question.within, question.limit
        self.distinct = question.distinct
        self.objective = question.problem.model.objective_
        self.optimal = question.problem.model.optimal_

    @property
    def _found(self) -> Found:
        """The result of counting, which happens now if it was put off."""
        if self._answer is None:
            self._answer = self._question.answer()
        return self._answer

    @property
    def count(self) -> int:
        """The number of trees in this set."""
        total = self._found.count.total
        return total if self.limit is None else min(total, self.limit)

    @property
    def complete(self) -> bool:
        """Whether these are all trees within the margin."""
        asked = self._question.problem.task.max_depth
        return self.max_depth == asked and self._is_complete_to_its_depth

    @property
    def _is_complete_to_its_depth(self) -> bool:
        found = self._found
        same = found.margin == self._question.margin
        return same and self.count == found.count.total

    @property
    def max_depth(self) -> int | None:
        """The maximum depth of the trees in this set; None for any depth."""
        return self._found.max_depth

    @property
    def at_least(self) -> int:
        """A lower bound on the number of trees within the margin."""
        return self._found.at_least

    @property
    def at_most(self) -> int | None:
        """An upper bound on the number of trees within the margin, or None."""
        return self._found.at_most

    @property
    def counted_within(self) -> float:
        """The margin within which all trees are known."""
        if self._found.margin == self._question.margin:
            return self.within
        return self._question.problem.stated_margin(self._found.margin)

    @property
    def using(self) -> tuple[str, ...]:
        """The columns that every tree of the set tests."""
        return tuple(self._names[f] for f in self._using)

    @property
    def without(self) -> tuple[str, ...]:
        """The columns that no tree of the set tests."""
        return tuple(self._names[f] for f in self._without)

    def filter(self, *, using: Any = (), without: Any = ()) -> NearOptimalSet:
        """Return those trees that test some columns and do not test others.

        Parameters
        ----------
        using : column or list of columns
            Names or numbers of columns that a tree must test, every one of them.
        without : column or list of columns
            Names or numbers of columns that a tree must not test.

        Returns
        -------
        NearOptimalSet
            A new set; this one is not changed.
        """
        used, left_out = choose_columns(
            self._names, using, without, self._using, self._without
        )
        found = self._found
        distinct = self._question.distinct
        count = found.family.count(used, left_out, distinct=distinct)
        exact = count.total if found.margin == self._question.margin else None
        return NearOptimalSet(
            replace(self._question, columns=(used, left_out)),
            self._names,
            replace(
                found, count=count, at_least=count.total, at_most=exact, limit=None
            ),
        )

    def objectives(self) -> list[tuple[float, int]]:
        """Return each cost that occurs, to six digits, and its number of trees."""
        out, left = [], self.count
        for cost, n in self._found.count.by_cost:
            if left > 0:
                out.append(
                    (round(self._question.problem.stated(cost), 6), min(n, left))
                )
            left -= n
        return out

    def feature_use(self) -> dict[str, int]:
        """Return how many trees test each column.

        A column that every tree tests cannot be replaced within this margin; a column
        that no tree tests is not needed. If trees that predict the same count once, the
        number is that of the predictions, or functions, that no tree without the column
        makes; with a ``limit``, the trees of the set are looked at one by one.

        Returns
        -------
        dict
            Number of trees by column name.
        """
        if self.limit is not None:
            tested = [set(near.tree.feature.tolist()) for near in self]
            return {
                name: sum(feature in columns for columns in tested)
                for feature, name in enumerate(self._names)
            }
        family, total = self._found.family, self._found.count.total
        out = {}
        for feature, name in enumerate(self._names):
            if feature in self._without:
                out[name] = 0
            elif feature in self._using:
                out[name] = total
            else:
                rest = family.count(
                    self._using,
                    (*self._without, feature),
                    distinct=self._question.distinct,
                )
                out[name] = total - rest.total
        return out

    def best(self, k: int) -> list[NearTree]:
        """Return the k cheapest trees, or all if there are fewer."""
        return [self[i] for i in range(min(k, self.count))]

    def to_list(self, most: int = 1000) -> list[NearTree]:
        """Return all trees.

        Parameters
        ----------
        most : int, default=1000
            If there are more trees than this, `TooManyTreesError` is raised.
        """
        if self.count > most:
            raise TooManyTreesError(
                f"There are {self.count} trees, more than most={most}; take some with "
                "best(k) or sample(k), choose a smaller margin, or raise most."
            )
        return self.best(self.count)

    def sample(self, k: int, random_state: Any = None) -> list[NearTree]:
        """Return random trees, each equally likely and none twice.

        Parameters
        ----------
        k : int
            The number of trees; if there are fewer, all of them are returned in random
            order.
        random_state : int, RandomState instance or None, default=None
            The seed or generator of the random numbers.
        """
        rng = check_random_state(random_state)
        drawn: dict[int, None] = {}
        if 2 * k >= self.count:
            order = rng.permutation(self.count)[:k]
            drawn = dict.fromkeys(int(i) for i in order)
        while len(drawn) < min(k, self.count):
            drawn.setdefault(_below(rng, self.count))
        return [self[i] for i in drawn]

    def votes(self, X: Any, most: int = 1000) -> NDArray[np.float64]:
        """Return the share of the trees that predict each class, row by row.

        Rows about which equally good trees disagree are candidates for a person's
        decision: ``1 - votes.max(axis=1)`` says by how much.

        Parameters
        ----------
        X : table
            Rows to predict, as for ``predict``.
        most : int, default=1000
            If there are more trees than this, only this many of the best vote.

        Returns
        -------
        ndarray of shape (rows, classes)
            Shares, in the order of the classifier's ``classes_``.
        """
        objective_of(self._question.problem, "votes()")
        shares: NDArray[np.float64] | None = None
        trees = self.best(most)
        for near in trees:
            model = near.model
            said = model.predict(X)[:, None] == model.classes_[None, :]
            shares = said * 1.0 if shares is None else shares + said
        assert shares is not None
        return shares / len(trees)

    def to_html(self, path: Any, *, most: int = 1000) -> None:
        """Write one HTML file in which a person can walk through the trees.

        The reader chooses a first test, sees which trees are left, continues with the
        next node, and keeps a tree. The file needs no server and loads nothing.

        Parameters
        ----------
        path : path
            The file.
        most : int, default=1000
            The number of the best trees that the page contains.
        """
        from treeproof.alternatives.walk import walk_page
        from treeproof.persistence import write_whole

        write_whole(path, walk_page(self, most).encode())

    def write_proof(self, path: Any) -> None:
        """Write a file which proves that no tree within the margin is missing.

        `treeproof.proof.check_all_trees` reads it together with the training table and
        counts the trees again. For every test that it leaves out, the file contains a
        lower bound, which the checker verifies.

        Parameters
        ----------
        path : path
            The file, which is compressed whatever its name is.
        """
        from treeproof.alternatives.completeness import write_proof

        write_proof(self, path)

    def plot(self, ax: Any = None) -> Any:
        """Draw in how many trees each column is used; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional
            The axes to draw into; a new figure by default.
        """
        from treeproof.alternatives.plot import plot_feature_use

        return plot_feature_use(self, ax)

    def plot_objectives(self, ax: Any = None) -> Any:
        """Draw the number of trees at each cost; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional
            The axes to draw into; a new figure by default.
        """
        from treeproof.alternatives.plot import plot_objectives

        return plot_objectives(self, ax)

    def plot_disagreement(self, X: Any, most: int = 1000, ax: Any = None) -> Any:
        """Draw a histogram of how much the trees disagree; needs matplotlib.

        Parameters
        ----------
        X : table
            Rows to predict, as for ``predict``.
        most : int, default=1000
            If there are more trees than this, only this many of the best vote.
        ax : matplotlib axes, optional
            The axes to draw into; a new figure by default.
        """
        from treeproof.alternatives.plot import plot_disagreement

        return plot_disagreement(self, X, most, ax)

    def plot_reliance(self, columns: Any = None, ax: Any = None) -> Any:
        """Draw how much the trees rely on each column; needs matplotlib.

        Parameters
        ----------
        columns : column or list of columns, default=None
            Names or numbers; all by default.
        ax : matplotlib axes, optional
            The axes to draw into; a new figure by default.
        """
        from treeproof.alternatives.plot import plot_reliance

        return plot_reliance(self, columns, ax)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[NearTree]:
        if self._answer is None:
            yield from self._question.trees()
            return
        i = 0
        while i < self.count:
            yield self[i]
            i += 1

    def __getitem__(self, i: int) -> NearTree:
        """Return the i-th tree, the cheapest first."""
        number = i + self.count if i < 0 else i
        if not 0 <= number < self.count:
            raise IndexError(f"There are {self.count} trees; there is no number {i}.")
        return self._question.problem.grow(*self._found.count.tree(number))

    def __repr__(self) -> str:
        which = ""
        if self._using:
            which += f" using {', '.join(self.using)}"
        if self._without:
            which += f" without {', '.join(self.without)}"
        best = "the optimum" if self.optimal else "the best tree found"
        if self._answer is None:
            return (
                f"<trees{which} within {self.within:g} of {best} "
                f"({self.objective:.6g}), not counted yet>"
            )
        nouns = {"trees": "tree", "predictions": "prediction", "functions": "function"}
        noun = self.distinct if self.count != 1 else nouns[self.distinct]
        if self.distinct != "trees":
            noun = f"different {noun} of trees"
        known = self._is_complete_to_its_depth
        first = "" if known else "at least " if self.limit is None else "best "
        if self.max_depth != self._question.problem.task.max_depth:
            which += f" of depth {self.max_depth} or less"
        return (
            f"<{first}{self.count} {noun}{which} within {self.within:g} of {best} "
            f"({self.objective:.6g})>"
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{i}</td><td>{t.objective:.6g}</td><td>{t.loss:.4f}</td>"
            f"<td>{t.n_splits}</td></tr>"
            for i, t in enumerate(self.best(10))
        )
        return (
            f"<table><caption>{escape(repr(self)[1:-1])}; the first of them</caption>"
            "<thead><tr><th>number</th><th>cost</th><th>loss</th><th>splits</th>"
            f"</tr></thead><tbody>{rows}</tbody></table>"
        )


def near_set(
    problem: Problem,
    within: float,
    limit: int | None,
    using: Any,
    without: Any,
    count: bool,
    distinct: str = "trees",
) -> NearOptimalSet:
    """Return the trees within a margin of a fitted estimator's, or the best of them.

    Parameters
    ----------
    problem : Problem
        The fitted estimator.
    within : float
        The margin.
    limit : int or None
        Stop when this many best trees are known; None for all.
    using, without : column or list of columns
        Only trees that test these columns, every one of them, or none of them.
    count : bool
        Whether to count them now.
    distinct : {"trees", "predictions", "functions"}, default="trees"
        Whether trees with the same predictions count once.
    """
    check_distinct(problem, distinct)
    root_column(problem.task)  # raises if several splits of the tree are given
    names = [column.name for column in problem.task.table.columns]
    columns = choose_columns(names, using, without)
    question = Question(problem, within, limit, columns, distinct)
    return NearOptimalSet(question, names, question.answer() if count else None)


def _below(rng: Any, n: int) -> int:
    """Return a random integer below n, which may have any number of digits."""
    size = n.bit_length()
    while True:
        value = int.from_bytes(rng.bytes((size + 7) // 8), "little")
        value >>= -size % 8
        if value < n:
            return value
