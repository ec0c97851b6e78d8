"""All end positions of tic-tac-toe in which x moved first."""

from __future__ import annotations

from typing import Any

import numpy as np

from treeproof.datasets.bundle import bundle

__all__ = ["load_tic_tac_toe"]

_SQUARES = [
    f"{row}_{column}"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
]
_LINES = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8),
    (0, 3, 6), (1, 4, 7), (2, 5, 8),
    (0, 4, 8), (2, 4, 6),
)  # fmt: skip


def _wins(board: str, player: str) -> bool:
    return any(all(board[k] == player for k in line) for line in _LINES)


def _end_boards() -> list[str]:
    """Play every game; a board is a string of nine characters."""
    ends, seen, stack = set(), set(), ["b" * 9]
    while stack:
        board = stack.pop()
        if board in seen:
            continue
        seen.add(board)
        if _wins(board, "x") or _wins(board, "o") or "b" not in board:
            ends.add(board)
            continue
        player = "x" if board.count("x") == board.count("o") else "o"
        stack.extend(
            board[:k] + player + board[k + 1 :] for k in range(9) if board[k] == "b"
        )
    return sorted(ends, reverse=True)


def load_tic_tac_toe(*, as_frame: bool = False, return_X_y: bool = False) -> Any:
    """Return the 958 end positions of tic-tac-toe, and whether x has won.

    The nine features are the squares, each "x", "o" or "b" (blank); the class is
    "positive" where x has three in a row and "negative" otherwise. The boards are found
    by playing every game, x first. The same set is known as Tic-Tac-Toe Endgame in the
    UCI repository.

    Parameters
    ----------
    as_frame : bool, default=False
        Return pandas objects.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    Bunch or tuple
        The data.

    Examples
    --------
    >>> from treeproof.datasets import load_tic_tac_toe
    >>> X, y = load_tic_tac_toe(return_X_y=True)
    >>> X.shape, int((y == "positive").sum())
    ((958, 9), 626)
    """
    boards = _end_boards()
    data = np.array([list(board) for board in boards], dtype=object)
    target = np.array(
        ["positive" if _wins(board, "x") else "negative" for board in boards],
        dtype=object,
    )
    return bundle(
        data,
        target,
        list(_SQUARES),
        "End positions of tic-tac-toe; positive: x has won.",
        as_frame=as_frame,
        return_X_y=return_X_y,
    )
