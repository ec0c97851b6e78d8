"""Plain tables as mappings: one line for each data set, one group for each program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Printed", "only", "read_groups"]

Printed = dict[tuple[str, str], dict[str, str]]
"""What a paper prints: by set and case, then by column, as text."""


def read_groups(table: str, cases: Sequence[str], columns: Sequence[str]) -> Printed:
    """Read a table of the form ``set | a b c | a b c``, one group for each case.

    Parameters
    ----------
    table : str
        The table; a dash stands for nothing.
    cases : sequence of str
        What the groups are.
    columns : sequence of str
        What the figures of a group are.

    Examples
    --------
    >>> read_groups("monk1 | 0.94 6 | -", ["ours", "theirs"], ["objective", "splits"])
    {('monk1', 'ours'): {'objective': '0.94', 'splits': '6'}}
    """
    found: Printed = {}
    for name, groups in _lines(table):
        for case, group in zip(cases, groups, strict=True):
            cells = group.split()
            if cells != ["-"]:
                pairs = zip(columns, cells, strict=True)
                found[name, case] = {k: v for k, v in pairs if v != "-"}
    return found


def _lines(table: str) -> Iterator[tuple[str, list[str]]]:
    for line in table.strip().splitlines():
        name, *groups = line.split("|")
        yield name.strip(), groups


def only(printed: Mapping[tuple[str, str], dict[str, str]], *columns: str) -> Printed:
    """Return a table without its other columns.

    Examples
    --------
    >>> only({("monk1", ""): {"splits": "6", "seconds": "2"}}, "splits")
    {('monk1', ''): {'splits': '6'}}
    """
    return {
        place: {key: cells[key] for key in columns if key in cells}
        for place, cells in printed.items()
    }
