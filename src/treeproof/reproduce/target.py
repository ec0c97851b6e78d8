"""What a table or figure of a paper is to us: its rows, and how to measure one again.

A `Target` names its data sets and, for each of them, cases: algorithms, depths,
penalties, whatever makes several rows of one set. `measure` computes the row of one set
and case; what the paper prints for it stands in `published`. Printing, saving, plotting
and resuming are the same for all targets, so that a target is a short file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

__all__ = ["Column", "Record", "Request", "Row", "Target"]

Record = dict[str, Any]
"""Our figures of one row, by column: numbers, texts, lists of them."""


@dataclass(frozen=True)
class Column:
    """One figure of each row.

    Attributes
    ----------
    key : str
        Where the figure stands in records and in `Target.published`.
    label : str
        Head of the column; the key by default.
    digits : int or None
        Decimals; None for as many as the number needs, at most four significant ones.
    better : int
        1 if more is better, -1 if less is, 0 if a difference is only a difference. None
        means that differences are expected (seconds, say) and not marked.
    spread : str
        Key of a deviation to write after the figure.
    shown : bool
        Whether the column is printed; all are saved.
    """

    key: str
    label: str = ""
    digits: int | None = None
    better: int | None = None
    spread: str = ""
    shown: bool = True

    @property
    def head(self) -> str:
        """The head of the column."""
        return self.label or self.key


@dataclass(frozen=True)
class Request:
    """What the user has asked for.

    Attributes
    ----------
    sets : list of str
        Only these sets; empty for the default ones.
    time_limit : float
        Processor seconds for each search.
    repeats : int
        Repetitions, where the target has any.
    seed : int
        Where random choices start.
    data : Path or None
        The folder with the papers' data sets.
    say : callable
        Takes a line about the progress.
    limits : mapping
        Another time limit for some sets.
    """

    sets: list[str] = field(default_factory=list)
    time_limit: float = 60.0
    repeats: int = 1
    seed: int = 0
    data: Path | None = None
    say: Callable[[str], None] = lambda line: None
    limits: Mapping[str, float] = field(default_factory=dict)

    def of_set(self, name: str) -> Request:
        """Return the part of the request that is about one set."""
        limit = self.limits.get(name, self.time_limit)
        return replace(self, sets=[name], time_limit=limit)


@dataclass(frozen=True)
class Row:
    """A row with our figures and those of the paper; either may be empty."""

    set: str
    case: str
    ours: Mapping[str, Any]
    paper: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Target:
    """A table or figure of a paper that can be computed again.

    Attributes
    ----------
    name : str
        What the user types: "thesis-4.2".
    title : str
        One line about it.
    source : str
        The paper, and where in it.
    columns : sequence of Column
        The figures of a row.
    sets : sequence of str
        The data sets, by the paper's names.
    measure : callable
        Computes our record of a set and a case under a request. It raises
        `treeproof.reproduce.data.Absent` if the data cannot be had.
    cases : sequence of str
        The rows of each set that we measure; one without a name by default.
    published : mapping
        The paper's figures as printed, by set and case, then by column. Cases that are
        only here (other programs, say) are shown with the paper's figures alone.
    heads : (str, str)
        What sets and cases are.
    extra_sets : sequence of str
        Sets that are not in the paper but always at hand, such as scikit-learn's.
    default_sets : sequence of str or None
        What runs if the user names no set; None for `sets`, or for `extra_sets` where
        none of the former is at hand.
    time_limit : float
        Processor seconds for each search if the user says nothing.
    repeats : int
        Repetitions if the user says nothing; the paper's number.
    remarks : mapping
        Why our figures of a set differ from those printed.
    notes : sequence of str
        Sentences below the table.
    plot : callable or None
        Draws rows on a new figure, which it returns; None for no picture.
    text : callable or None
        Returns lines to print below the table.
    store : str
        Name of the file with measured rows, for targets that share them; the target's
        own name by default.
    """

    name: str
    title: str
    source: str
    columns: Sequence[Column]
    sets: Sequence[str]
    measure: Callable[[str, str, Request], Record]
    cases: Sequence[str] = ("",)
    published: Mapping[tuple[str, str], Mapping[str, str]] = field(default_factory=dict)
    heads: tuple[str, str] = ("data set", "algorithm")
    extra_sets: Sequence[str] = ()
    default_sets: Sequence[str] | None = None
    time_limit: float = 60.0
    repeats: int = 1
    remarks: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    plot: Callable[[Target, Sequence[Row]], Any] | None = None
    text: Callable[[Sequence[Row]], str] | None = None
    store: str = ""

    def cases_printed(self, name: str) -> list[str]:
        """Return the cases of a set: ours, then those that only the paper has."""
        printed = [case for known, case in self.published if known == name]
        return [*self.cases, *(case for case in printed if case not in self.cases)]

    @property
    def rows_file(self) -> str:
        """Name of the file with measured rows."""
        return f"{self.store or self.name}.jsonl"
