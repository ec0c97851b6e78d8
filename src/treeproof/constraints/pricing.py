r"""Prices of constraints: how much a unit of a limited sum should cost.

For prices mu >= 0 of the limits, every tree T has the priced cost

    cost(T) + sum over j of mu[j] * excess[j](T),

and the priced cost of a tree that keeps the limits is at most its cost. The least
priced cost of any tree, which is an ordinary problem of costs, is therefore a lower
bound on the cost of all trees that keep the limits (Lagrangian relaxation).
`best_prices` raises it by cutting planes (Kelley 1960): each tree that was found limits
what prices can prove, and the next prices are the best for the trees found so far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

__all__ = ["Cut", "best_prices"]

_MOST_ROUNDS = 60


@dataclass(frozen=True)
class Cut:
    """The cutting plane of a tree: its cost, and its excess over each limit."""

    cost: float
    excess: NDArray[np.float64]


def best_prices(
    cuts: list[Cut],
    solve: Callable[[NDArray[np.float64]], tuple[float, list[Cut]] | None],
    enough: Callable[[float], bool],
    *,
    most: float,
    together: bool,
    close: float,
) -> tuple[NDArray[np.float64], float]:
    """Return the prices with the highest bound that was found, and this bound.

    Parameters
    ----------
    cuts : list of Cut
        The trees known at the start; those that are found are added.
    solve : callable
        Takes prices; returns a lower bound on the priced cost of every tree, and
        trees; or None if time is up.
    enough : callable
        Takes a bound; returns whether it is sufficient.
    most : float
        The highest price that is allowed.
    together : bool
        Whether prices add up to one, with the costs of trees left out.
    close : float
        The search ends when the bound is this close to the best that prices can prove.
    """
    n = len(cuts[0].excess)
    best, bound = np.zeros(n), -np.inf
    if together:
        best = np.full(n, 1.0 / n)
    prices: NDArray[np.float64] = best
    for _ in range(_MOST_ROUNDS):
        found = solve(prices)
        if found is None:
            break
        lower, trees = found
        cuts.extend(trees)
        if lower > bound:
            best, bound = prices, lower
        if enough(bound):
            break
        prices, model = _next_prices(cuts, most, together)
        if model - bound <= close:
            break
    return best, bound


def _next_prices(
    cuts: list[Cut], most: float, together: bool
) -> tuple[NDArray[np.float64], float]:
    """Return the best prices for the trees found so far, and their bound."""
    n = len(cuts[0].excess)
    # Maximise t with t <= cost + prices * excess of every tree.
    rows = np.array([[*(-cut.excess), 1.0] for cut in cuts])
    costs = np.array([0.0 if together else cut.cost for cut in cuts])
    limits: dict[str, Any] = {"A_ub": rows, "b_ub": costs, "method": "highs"}
    if together:
        limits |= {"A_eq": [[1.0] * n + [0.0]], "b_eq": [1.0]}
    highest = [(0.0, 1.0 if together else most)] * n
    first = linprog([0.0] * n + [-1.0], bounds=[*highest, (None, None)], **limits)
    model = float(-first.fun)
    # Of all optimal prices, choose the lowest ones.
    nearly = model - 1e-9 * (1 + abs(model))
    lowest = linprog([1.0] * n + [0.0], bounds=[*highest, (nearly, None)], **limits)
    answer = lowest if lowest.status == 0 else first
    return np.maximum(answer.x[:n], 0.0), model
