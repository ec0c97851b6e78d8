"""The state of one browser tab: a table, a question, and the work under way.

Everything the page shows is read from here, and everything a user does is a method, so
that tests need no browser.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from treeproof.border.row_names import RowNames
from treeproof.explorer.aim import Aim
from treeproof.explorer.alternatives import Alternatives, alternatives
from treeproof.explorer.comparison import Comparison, compare
from treeproof.explorer.downloads import make_download
from treeproof.explorer.fitting import Fitted, fit
from treeproof.explorer.job import Job
from treeproof.explorer.levels import LevelState, level_states
from treeproof.explorer.path import PathPoint, trees_of_all_sizes
from treeproof.explorer.question import Question, first_question, left_out
from treeproof.explorer.tables import Table
from treeproof.tree import Tree

__all__ = ["Session"]

_MOST_UNDONE = 20  # trees that are kept to go back to


class Session:
    """One tab.

    Attributes
    ----------
    table : Table or None
        What was loaded.
    question : Question or None
        What is asked of it; replaced, never changed.
    fitted : Fitted or None
        The tree that is shown.
    jobs : dict of Job
        The last work of each kind: "fit", "compare", "path", "alternatives",
        "download".

    Examples
    --------
    >>> from treeproof.explorer.tables import bundled_table
    >>> session = Session()
    >>> session.use(bundled_table("monks"))
    >>> session.start_fit()
    >>> session.jobs["fit"].wait()
    >>> session.fitted.model.certificate()
    'Optimal: no tree with multiway and one-vs-rest splits of categories costs less than 0.06.'
    """  # noqa: E501

    def __init__(self) -> None:
        self.table: Table | None = None
        self.question: Question | None = None
        self.jobs: dict[str, Job] = {}
        self._naming: list[RowNames] | None = None
        self._fitted: Fitted | None = None
        self._chosen: Fitted | None = None  # a tree of the path, or an alternative
        self._shown: int | None = None  # which tree of the path it is
        self._before: list[Fitted] = []  # earlier trees, the last one last

    # ------------------------------------------------------------------- data

    def use(self, table: Table, target: str | None = None) -> None:
        """Load a table and discard everything about the previous one."""
        question = first_question(table, target)
        self.close()
        self.jobs = {}
        self.table, self.question = table, question
        self._naming = None
        self._fitted = self._chosen = self._shown = None
        self._before = []

    def ask(self, **changes: Any) -> None:
        """Change the question; a new target brings its own kind and columns."""
        if self.table is None or self.question is None:
            raise ValueError("Load a table first.")
        if changes.get("target", self.question.target) != self.question.target:
            fresh = first_question(self.table, changes["target"])
            self._naming = None
            changes = {
                "columns": fresh.columns, "numeric": fresh.numeric, "first": None,
                "prefix": None, "aim": Aim(),
                **changes,
            }  # fmt: skip
        self.question = replace(self.question, **changes)

    @property
    def left_out(self) -> list[RowNames]:
        """The columns that identify the rows and are not selected."""
        if self.table is None or self.question is None:
            return []
        chosen = {self.question.target, *self.question.columns}
        if self._naming is None:
            self._naming = left_out(self.table, self.question.target)
        return [found for found in self._naming if found.name not in chosen]

    # ------------------------------------------------------------------- work

    def start_fit(self) -> None:
        """Begin the search that the question asks for."""
        if self.table is None or self.question is None:
            raise ValueError("Load a table first.")
        table, question = self.table, self.question
        question.check(table)
        self.close()
        if self.fitted is not None and self._fitted is not None:
            self._before = [*self._before, self._fitted][-_MOST_UNDONE:]
        for kind in ("compare", "path", "alternatives", "download"):
            self.jobs.pop(kind, None)
        self._chosen = self._shown = None
        self._start("fit", lambda job: fit(table, question))

    @property
    def can_undo(self) -> bool:
        """Whether there is an earlier tree to go back to."""
        return bool(self._before)

    def undo(self) -> None:
        """Go back to the tree before the last search, and to its question."""
        if not self._before:
            raise ValueError("There is no earlier tree to go back to.")
        self.close()
        self.jobs = {}
        *self._before, self._fitted = self._before
        self.question = self._fitted.question
        self._chosen = self._shown = None

    def start_comparison(self) -> None:
        """Begin the comparison of the fitted tree with CART."""
        fitted = self._need_tree()
        self._start("compare", lambda job: compare(fitted))

    def start_path(self) -> None:
        """Begin to look for the trees of all penalties."""
        self._need_tree()
        fitted = self._fitted
        assert fitted is not None
        self._start(
            "path", lambda job: trees_of_all_sizes(fitted.table, fitted.question)
        )

    def start_alternatives(self, within: float, without: Sequence[str] = ()) -> None:
        """Begin to count and list the trees within a margin of the fitted one.

        Parameters
        ----------
        within : float
            The margin.
        without : sequence of str, default=()
            Columns that the trees must not test.
        """
        self._need_tree()
        fitted = self._fitted
        assert fitted is not None
        self._start("alternatives", lambda job: alternatives(fitted, within, without))

    def start_download(self, kind: str) -> None:
        """Begin to make a file of the tree that is shown."""
        fitted = self._need_tree()
        self._start("download", lambda job: make_download(fitted, kind))

    def stop(self, kind: str = "fit") -> None:
        """Ask work to stop and to return its best result."""
        if kind in self.jobs:
            self.jobs[kind].stop()

    def close(self) -> None:
        """Stop everything."""
        for job in self.jobs.values():
            job.stop()

    def _start(self, kind: str, work: Callable[[Job], Any]) -> None:
        if kind in self.jobs:
            self.jobs[kind].stop()
        self.jobs[kind] = Job(work)

    def _need_tree(self) -> Fitted:
        fitted = self.fitted
        if fitted is None:
            raise ValueError("Fit a tree first.")
        return fitted

    # ---------------------------------------------------------------- answers

    def running(self, kind: str = "fit") -> bool:
        """Whether work of a kind is under way."""
        return kind in self.jobs and self.jobs[kind].running

    def result(self, kind: str) -> Any:
        """Return the result of a kind of work; None if there is none yet."""
        job = self.jobs.get(kind)
        return job.result if job is not None and job.state == "done" else None

    @property
    def fitted(self) -> Fitted | None:
        """The tree that is shown: the last one fitted, or one chosen since."""
        done = self.result("fit")
        if done is not None:
            self._fitted = done
        return self._fitted if self._chosen is None else self._chosen

    @property
    def preview(self) -> Tree | None:
        """The best tree of the search that is under way; equal siblings are one."""
        job = self.jobs.get("fit")
        if job is None or not job.running or job.tree is None:
            return None
        return job.tree.collapse()

    @property
    def levels(self) -> list[LevelState]:
        """What is proved about each depth, of the search under way or of the tree."""
        job = self.jobs.get("fit")
        if job is not None and job.running:
            best = job.events[-1][2] if job.events else math.inf
            return level_states(job.levels, best)
        fitted = self.fitted
        if fitted is None or self._chosen is not None:
            return []
        return level_states(fitted.model.certificates_, fitted.model.objective_)

    @property
    def comparison(self) -> Comparison | None:
        """Optimal and greedy tree side by side, once compared."""
        found: Comparison | None = self.result("compare")
        return found

    @property
    def path(self) -> list[PathPoint]:
        """The trees of all penalties, once they are found."""
        return self.result("path") or []

    @property
    def shown(self) -> int | None:
        """Which tree of the path is shown; None for the one that was fitted."""
        return self._shown

    def show(self, place: int | None) -> None:
        """Move the slider to a tree of the path; None goes back to the fitted one."""
        if place is not None and not 0 <= place < len(self.path):
            raise ValueError(f"The path has no tree {place}.")
        self._shown = place
        self._chosen = None if place is None else self.path[place].fitted

    @property
    def alternatives(self) -> Alternatives | None:
        """The trees within a margin of the best one, once they are counted."""
        found: Alternatives | None = self.result("alternatives")
        return found

    def show_alternative(self, place: int) -> None:
        """Show one of the alternatives."""
        found = self.alternatives
        if found is None or not 0 <= place < len(found.listed):
            raise ValueError(f"There is no alternative {place + 1}.")
        self._shown = None
        self._chosen = found.listed[place].fitted
