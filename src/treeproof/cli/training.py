"""The training table of a command, with its columns separated by their roles.

Columns that identify the rows are left out, with a note, unless an option names them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from treeproof.border.alike import columns_like_target
from treeproof.border.amounts import MANY_AMOUNTS, count_amounts
from treeproof.border.frequencies import frequencies_of
from treeproof.border.names import known_columns
from treeproof.border.query_names import query_name
from treeproof.border.row_names import (
    RowNames,
    counted_row_names,
    repairing_query,
    row_names_of,
)
from treeproof.cli.objective import LOSSES_OF_CLASSES, LOSSES_OF_NUMBERS
from treeproof.cli.tables import (
    open_large,
    pop_column,
    read_table,
    without_unlabelled,
)
from treeproof.kinds import LEAF
from treeproof.notices import warn_user
from treeproof.sources.duck import DuckSource
from treeproof.sources.opening import ARROW, PARQUET

__all__ = [
    "Training",
    "column_roles",
    "count_training",
    "hold_out",
    "listed",
    "marks",
    "note_alike",
    "note_whole_lines",
    "predicts_numbers",
    "read_or_count",
    "read_training",
    "training_score",
]


def marks(text: str | None) -> list[str] | None:
    """Return the marks in the text of ``--na``; None if it was not given."""
    return None if text is None else listed(text)


def listed(text: str | None) -> list[str]:
    """Return the columns in text such as "A,B"."""
    return [part.strip() for part in text.split(",") if part.strip()] if text else []


_MOST_ALIKE = 3  # columns that are named


@dataclass
class Training:
    """The arguments of `fit`: a table and labels, or a source and names of columns."""

    X: Any
    y: Any
    weights: Any
    categorical: Any

    def labels(self) -> Any:
        """Return the labels in the form that `score` accepts."""
        from treeproof.border.labels import one_column, read_vector

        return (
            self.y if isinstance(self.y, str) else one_column(read_vector(self.y, "y"))
        )

    def has_numbers(self) -> bool:
        """Whether the target consists of numbers, be they amounts or classes."""
        if isinstance(self.y, str):
            return self.y in self.X.numeric()
        return self.labels().dtype.kind in "iuf"

    def n_amounts(self) -> int:
        """Return how many different amounts the target holds; 0 for classes."""
        if not isinstance(self.y, str):
            return count_amounts(self.labels())
        if self.y not in self.X.numeric():
            return 0
        _, (facts,) = self.X.facts([self.y])
        return facts.n_values if facts.n_values > MANY_AMOUNTS else 0


def training_score(model: Any, training: Training) -> float:
    """Return accuracy or R2 on the training rows.

    The leaves know it where every row counts once; predicting a large table again would
    make a stopped fit late.
    """
    tree, labels = model.tree_, training.labels()
    leaf = tree.kind == LEAF
    all_rows = not isinstance(labels, str) and tree.n_node_samples[0] == len(labels)
    if all_rows and training.weights is None:
        if tree.class_counts is not None and tree.actions is tree.classes:
            right = tree.class_counts[np.flatnonzero(leaf), tree.action[leaf]]
            return float(right.sum() / len(labels))
        squared = getattr(model, "criterion", None) == "squared_error"
        if squared and tree.impurity is not None and tree.impurity[0] > 0.0:
            lost = (tree.n_node_samples * tree.impurity)[leaf].sum()
            return float(1.0 - lost / (tree.n_node_samples * tree.impurity)[0])
    return weighted_score(model, training)


def weighted_score(model: Any, rows: Training) -> float:
    """Return accuracy or R2 on some rows, which count with their weights."""
    return float(model.score(rows.X, rows.labels(), rows.weights))


def predicts_numbers(
    training: Training,
    target: str,
    asked: bool | None,
    criterion: str | None = None,
) -> bool:
    """Decide between a number and a class: as asked for, or by the target's values.

    Parameters
    ----------
    training : Training
        The table with its target.
    target : str
        The target's name, for the note.
    asked : bool or None
        What ``--regression`` or ``--classes`` says; None without either.
    criterion : str or None
        The loss of a leaf that was asked for. A loss of numbers, such as the deviance
        of counts, says that the target is a number, however few different ones it has.
    """
    if asked is not None:
        return asked
    if criterion in LOSSES_OF_CLASSES:
        return False
    if criterion in LOSSES_OF_NUMBERS and training.has_numbers():
        return True
    n_amounts = training.n_amounts()
    if n_amounts:
        warn_user(
            f"Column {target!r} holds {n_amounts:,} different numbers, so the tree "
            "predicts a number (--regression); use --classes if each of them is a "
            "class."
        )
    return bool(n_amounts)


def hold_out(
    training: Training, test_size: float, numeric: bool
) -> tuple[Training, Training]:
    """Part the rows of a table in memory into those to fit and those to score on.

    A row with a weight is held out whole, and `test_size` is a share of the weight.
    """
    from treeproof.border.labels import read_weights
    from treeproof.report.splitting import split_rows, take

    if isinstance(training.y, str):
        raise ValueError(
            "--test-size needs a table in memory; this file is so large that its rows "
            "are counted where they are. Hold rows out with a query instead."
        )
    y = training.labels()
    weights = training.weights
    weights = None if weights is None else read_weights(weights, len(y))
    parts = [
        Training(
            take(training.X, rows),
            y[rows],
            None if weights is None else weights[rows],
            training.categorical,
        )
        for rows in split_rows(y, test_size, 0, numeric, weights)
    ]
    return parts[0], parts[1]


def note_alike(training: Training, target: str, regression: bool) -> None:
    """Note the columns of numbers that say nearly the same as a target of numbers."""
    if isinstance(training.y, str) or not regression:
        return
    for name, like in columns_like_target(training.X, training.labels())[:_MOST_ALIKE]:
        warn_user(
            f"Column {name!r} says nearly the same as {target!r} (correlation "
            f"{like:.3f}). If it is computed from the target or known only after it, "
            f"leave it out with --drop {name!r}."
        )


def note_whole_lines(training: Training, data: str, weight: str | None) -> None:
    """Note that lines with counts are held out whole, and how to hold out cases."""
    if weight is None or isinstance(training.y, str):
        return
    counts = np.asarray(training.weights, dtype=np.float64)
    if (counts != np.floor(counts)).any() or counts.max(initial=0) < 2:
        return
    place = f"'{data}'" if Path(data).exists() else f"({data})"
    name = query_name(weight).replace('"', r"\"")
    warn_user(
        "The score is about whole lines that were held out, and so about combinations "
        f"of values that the tree has not seen. If {weight!r} counts cases, hold out "
        f'cases instead: leave out --weight and read the table with the query "select '
        f't.* exclude ({name}) from {place} t, range(t.{name})".'
    )


def read_or_count(
    data: str,
    database: str | None,
    target: str,
    roles: Mapping[str, list[str]],
    keep: Sequence[str],
    na: Sequence[str] | None,
    memory_limit: str | None,
    *,
    in_memory: bool,
) -> Training:
    """Read a table, or leave a large file where it is and count its rows.

    Parameters
    ----------
    data, database, target, roles, keep, na
        As for `read_training`.
    memory_limit : str or None
        What the counting may use.
    in_memory : bool
        Whether the table is read, whatever its size.
    """
    source = None if in_memory else open_large(data, memory_limit, na)
    if source is None:
        return read_training(data, database, target, roles, keep, na)
    return count_training(source, target, roles, keep)


def column_roles(
    drop: str | None, categorical: str | None, weight: str | None
) -> dict[str, list[str]]:
    """Return the columns that the options of a command name, by option."""
    return {
        "--drop": listed(drop),
        "--categorical": listed(categorical),
        "--weight": [] if weight is None else [weight],
    }


def read_training(
    data: str,
    database: str | None,
    target: str,
    roles: Mapping[str, list[str]],
    keep: Sequence[str] = (),
    na: Sequence[str] | None = None,
) -> Training:
    """Read a table into memory and separate its columns by their roles.

    Parameters
    ----------
    data, database : str
        The table, as `read_table` wants it.
    target : str
        The column to predict.
    roles : mapping
        The columns that ``--weight``, ``--drop`` and ``--categorical`` name.
    keep : sequence of str
        Columns to use even if they identify the rows.
    na : sequence of str or None
        Marks that stand for missing values; None for the usual ones.
    """
    # a column that is not used need not be readable as numbers
    table = read_table(data, text=roles["--drop"], database=database, na=na)
    _check_roles(table, target, roles)
    if target in table:
        table = without_unlabelled(table, target)
    y = pop_column(table, target, "target")
    weights = [pop_column(table, name, "weight") for name in roles["--weight"]]
    for name in roles["--drop"]:
        pop_column(table, name, "column to drop")
    if not table:
        raise ValueError(
            "No column is left to split on, so the tree would be a single leaf."
        )
    meant = {*keep, *roles["--categorical"]}
    found = [about for about in row_names_of(table) if about.name not in meant]
    for name in _leave_out(found, table, data):
        del table[name]
    counts = None if weights else frequencies_of({**table, target: y})
    if counts is not None and counts != target and counts not in meant:
        warn_user(
            f"Column {counts!r} seems to say how many rows each line stands for, as in "
            f"a table of frequencies; if so, --weight {counts} counts them. Here "
            "it is a column like any other."
        )
    categorical = _categorical(table, roles["--categorical"])
    return Training(table, y, weights[0] if weights else None, categorical)


def count_training(
    source: DuckSource,
    target: str,
    roles: Mapping[str, list[str]],
    keep: Sequence[str] = (),
) -> Training:
    """Prepare a large file without reading it into memory."""
    _check_roles(source.names, target, roles)
    if target not in source.names:
        raise ValueError(
            f"The target {target!r} is not a column; "
            + known_columns(target, source.names)
        )
    weights = roles["--weight"]
    features = [
        name
        for name in source.names
        if name not in {target, *weights, *roles["--drop"]}
    ]
    meant = {*keep, *roles["--categorical"]}
    n_rows, facts = source.facts([name for name in features if name not in meant])
    found = list(counted_row_names(facts, n_rows))
    left_out = _leave_out(found, features, source.label)
    if left_out or roles["--drop"]:
        source = source.without([*roles["--drop"], *left_out])
    categorical: Any = "from_dtype"
    if roles["--categorical"]:
        apart = {target, *weights, *source.numeric()}
        text = [name for name in source.names if name not in apart]
        categorical = list(dict.fromkeys([*roles["--categorical"], *text]))
    return Training(source, target, weights[0] if weights else None, categorical)


def _leave_out(
    found: Sequence[RowNames], columns: Collection[str], data: str
) -> list[str]:
    """Report the columns that are left out; none is if no other column would remain."""
    if len(found) == len(columns):
        return []
    repaired = [about for about in found if about.repaired is not None]
    query = f"{repairing_query(repaired)} from {_place(data, repaired)}"
    query = '"' + query.replace('"', r"\"") + '"'
    for about in found:
        instead = f"keep it with --keep {about.name!r}"
        if repaired == [about]:
            instead = f"{about.remedy} with the query {query}{about.doubt}"
        elif about in repaired:
            instead = f"{about.remedy} with the query below{about.doubt}"
        warn_user(f"Column {about.name!r} is left out: it {about.finding}; {instead}.")
    if len(repaired) > 1:
        names = ", ".join(repr(about.name) for about in repaired)
        warn_user(f"One query repairs {names}: {query}.")
    return [about.name for about in found]


def _place(data: str, repaired: Iterable[RowNames]) -> str:
    """Return how a query names the data; dates of a CSV file remain text."""
    path = Path(data)
    if not path.exists():
        return f"({data})"
    dates = [about.name for about in repaired if about.kind == "text dates"]
    if not dates or path.suffix.lower() in ARROW | PARQUET:
        return f"'{data}'"
    quoted = [name.replace("'", "''") for name in dates]
    types = ", ".join(f"'{name}': 'VARCHAR'" for name in quoted)
    return f"read_csv('{data}', types={{{types}}})"


def _check_roles(
    table: Collection[str], target: str, roles: Mapping[str, Iterable[str]]
) -> None:
    """Refuse a column that has two roles or does not exist."""
    purpose = {target: "--target"}
    for option, names in roles.items():
        for name in names:
            if name not in table:
                raise ValueError(
                    f"{option} names {name!r}, which is not a column; "
                    + known_columns(name, table)
                )
            if name in purpose:
                raise ValueError(
                    f"The column {name!r} is named by {purpose[name]} and by {option}; "
                    "it can have one role only."
                )
            purpose[name] = option


def _categorical(table: Mapping[str, Any], listed: list[str]) -> Any:
    """Return the categorical columns: those listed and those that hold text."""
    if not listed:
        return "from_dtype"
    from treeproof.border.categorical import is_categorical
    from treeproof.border.raw import read_raw_table

    raw = read_raw_table(table, missing_advice=None, allow_dates=True)
    by_type = [n for j, n in enumerate(table) if is_categorical(raw, j)]
    return list(dict.fromkeys([*listed, *by_type]))
