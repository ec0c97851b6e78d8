"""One function that runs any of the checkers of proofs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, BinaryIO

import numpy as np

from treeproof.proof.checker import Verdict, read_lines
from treeproof.proof.checker import check as check_in_python

__all__ = ["check"]

CHECKERS = ("c++", "python", "exact")


def check(
    proof: str | os.PathLike[str] | BinaryIO,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    costs: Any = None,
    entry: Any = None,
    sensitive_features: Any = None,
    max_bytes: int | None = None,
    checker: str = "c++",
    progress: Callable[[int], None] | None = None,
) -> Verdict:
    """Check a proof against the data that it is about.

    Parameters
    ----------
    proof : path or binary file
        The proof, compressed with gzip or not.
    X : table of shape (n_samples, n_features)
        The training table: an array, a list of rows, or a data frame.
    y : array-like of shape (n_samples,) or None
        The training labels or targets; the rewards, if the proof is about treatments;
        lifetimes as a structured array of event and time, or as times alone.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        The training weights.
    costs : array-like of shape (n_samples, n_actions) or None, default=None
        The costs of each row, if the tree was fitted with them.
    entry : array-like of shape (n_samples,) or None, default=None
        The time from which each row was observed, if lifetimes were fitted with it.
    sensitive_features : array-like of shape (n_samples,) or None, default=None
        The group of each row, if constraints were fitted that compare groups.
    max_bytes : int or None, default=None
        The highest number of bytes to which a compressed proof may be unpacked, since a
        file of a megabyte can contain gigabytes. None for 16 MiB and 64 times the size
        of the file. No line may be longer than 16 MiB.
    checker : {"c++", "python", "exact"}, default="c++"
        Which checker to use. None of the three shares code with the search or with
        another checker. "c++" is the fastest. "python" is made to be read. "exact" runs
        "c++" and, if that accepts, checks once more in fractions, which takes long.
    progress : callable or None, default=None
        Called from time to time with the number of steps checked so far.

    Returns
    -------
    Verdict
        Whether the proof is accepted; if not, the first step that fails and the reason.

    Examples
    --------
    >>> import os, tempfile
    >>> from treeproof import OptimalTreeClassifier, datasets
    >>> from treeproof.proof import check
    >>> X, y = datasets.load_monks(1, return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "tree.proof.gz")
    ...     clf = OptimalTreeClassifier().fit(X, y, proof=path)
    ...     verdict = check(path, X, y)
    ...     readable = check(path, X, y, checker="python")
    >>> verdict.accepted, verdict.optimal, round(verdict.lower_bound, 4)
    (True, True, 0.06)
    >>> print(verdict.statement)  # doctest: +NORMALIZE_WHITESPACE
    misclassification, 432 rows, weights all 1, 6 columns (2 multiway, 4 either),
    19 tests, split_penalty 0.01 for leaves, max_depth none, max_splits none,
    min_samples_leaf 1, exact
    >>> readable == verdict
    True
    """
    if checker not in CHECKERS:
        raise ValueError(f"checker is {checker!r}, not one of {', '.join(CHECKERS)}.")
    y = _lifetimes(y, entry)
    settings = {
        "costs": costs,
        "sensitive_features": sensitive_features,
        "max_bytes": max_bytes,
        "progress": progress,
    }
    if checker == "python":
        return check_in_python(proof, X, y, sample_weight, **settings)
    from treeproof.proof.native import check_natively

    verdict = check_natively(proof, X, y, sample_weight, **settings)
    if checker == "exact" and verdict.accepted:
        lines = _told(read_lines(proof, max_bytes), progress)
        rows = y, sample_weight, costs, sensitive_features
        return _exactly(lines, X, rows, verdict)
    return verdict


def _lifetimes(y: Any, entry: Any) -> Any:
    """Return lifetimes as columns: event, time and entry; other labels as they are."""
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names is None and entry is None:
        return y
    if names is None:
        columns = [np.ones(len(y)), np.asarray(y, dtype=np.float64)]
    else:
        columns = [np.asarray(y[name], dtype=np.float64) for name in names]
    if entry is not None:
        columns.append(np.asarray(entry, dtype=np.float64))
    return np.column_stack(columns)


def _told(
    lines: Iterable[bytes], progress: Callable[[int], None] | None
) -> Iterator[bytes]:
    """Yield lines; report the number of steps before each of them."""
    for count, line in enumerate(lines):
        if progress is not None:
            progress(max(count - 1, 0))
        yield line


def _exactly(
    lines: Iterator[bytes], X: Any, rows: tuple[Any, Any, Any, Any], verdict: Verdict
) -> Verdict:
    """Check a proof that was accepted once more, in fractions.

    `rows` are labels, weights, costs and groups.
    """
    y, weight, costs, groups = rows
    from treeproof.proof.exact import Refuted, check_exactly
    from treeproof.proof.exact_data import object_of

    def plain(values: Any) -> list[Any]:
        cells = np.asarray(values).tolist()
        return [None if _is_missing(cell) else cell for cell in cells]

    first = next(lines)
    try:
        names = [feature["name"] for feature in object_of(first)["features"]]
        if not hasattr(X, "columns") and not hasattr(X, "keys"):
            table = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
            X = dict(zip(names, table.T, strict=True))
        columns = {name: plain(X[name]) for name in names}
        heavy = None if weight is None else plain(weight)
        told = None if y is None else plain(y)
        paid = None if costs is None else np.asarray(costs).tolist()
        if groups is not None:
            paid = plain(groups)
        check_exactly(chain([first], lines), columns, told, heavy, paid)
    except Refuted as error:
        return replace(verdict, accepted=False, reason=f"checked exactly, {error}.")
    return verdict


def _is_missing(cell: Any) -> bool:
    if isinstance(cell, list):
        return False
    return type(cell).__name__ in ("NAType", "NaTType") or bool(cell != cell)
