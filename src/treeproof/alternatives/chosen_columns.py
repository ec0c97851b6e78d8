"""The columns that near-optimal trees must test, or must not test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["choose_columns"]

MOST_REQUIRED = 8  # kMostRequired in cpp/search/near/filter.hpp


def choose_columns(
    names: Sequence[str],
    using: Any,
    without: Any,
    used: Sequence[int] = (),
    left_out: Sequence[int] = (),
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the sorted numbers of the columns that must, and must not, be tested.

    Parameters
    ----------
    names : sequence of str
        All columns.
    using, without : column or list of columns
        Names or numbers.
    used, left_out : sequence of int
        Columns that were chosen before, to which the new ones are added.
    """
    all_used = {*used, *_columns(names, using)}
    all_left_out = {*left_out, *_columns(names, without)}
    if all_used & all_left_out:
        name = names[min(all_used & all_left_out)]
        raise ValueError(
            f"Column {name!r} is in both using and without; take it out of one."
        )
    if len(all_used) > MOST_REQUIRED:
        raise ValueError(
            f"using names {len(all_used)} columns; at most {MOST_REQUIRED} can be "
            "required at once."
        )
    return tuple(sorted(all_used)), tuple(sorted(all_left_out))


def _columns(names: Sequence[str], wanted: Any) -> list[int]:
    one = isinstance(wanted, str | int)
    return [_column(names, each) for each in ([wanted] if one else wanted or ())]


def _column(names: Sequence[str], wanted: Any) -> int:
    if isinstance(wanted, str) and wanted in names:
        return list(names).index(wanted)
    if not isinstance(wanted, str) and 0 <= int(wanted) < len(names):
        return int(wanted)
    raise ValueError(
        f"There is no column {wanted!r}; the columns are {', '.join(names)}."
    )
