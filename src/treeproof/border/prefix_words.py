"""The given top of a tree in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treeproof.columns import plain
from treeproof.words import number

__all__ = ["prefix_in_words"]


def prefix_in_words(given: Any, names: Sequence[str]) -> str:
    """Return a partial tree in words; empty if it is left to the search.

    Parameters
    ----------
    given : dict, "leaf" or None
        The partial tree.
    names : sequence of str
        The names of the columns, for columns that are given by number.

    Examples
    --------
    >>> top = {"feature": "age", "threshold": 30, "yes": {"feature": 1}, "no": "leaf"}
    >>> prefix_in_words(top, ["age", "sex"])
    'age <= 30 (yes: a split on sex; no: a leaf)'
    """
    if isinstance(given, str):
        return "a leaf"
    if given is None:
        return ""
    only = ""
    if "allowed_features" in given:
        listed = [_name(column, names) for column in given["allowed_features"]]
        only = f"only {' and '.join(listed)}" if listed else "a leaf"
    if "feature" not in given:
        return only
    below = [(side, given.get(side)) for side in ("yes", "no", "missing")]
    below += list((given.get("children") or {}).items())
    inside = [
        f"{side}: {words}"
        for side, child in below
        if (side != "missing" or isinstance(child, Mapping))
        and (words := prefix_in_words(child, names))
    ]
    inside += [f"below: {only}"] if only else []
    return _split(given, names) + (f" ({'; '.join(inside)})" if inside else "")


def _name(column: Any, names: Sequence[str]) -> str:
    return column if isinstance(column, str) else names[int(column)]


def _split(given: Mapping[str, Any], names: Sequence[str]) -> str:
    name = _name(given["feature"], names)
    if "threshold" in given:
        return f"{name} <= {number(float(given['threshold']))}"
    if "category" in given:
        return f"{name} = {plain(given['category'])}"
    if "categories" in given:
        return f"{name} in {{{', '.join(map(str, given['categories']))}}}"
    if "test" in given:
        return f"{name} is missing"
    kind = "a split into categories of" if "children" in given else "a split on"
    return f"{kind} {name}"
