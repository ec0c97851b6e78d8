"""Tidy trees: no two nodes overlap, parents stand over the middle of their children.

The method is that of Reingold and Tilford for nodes of unequal breadth: the subtrees
of a node are moved together, from the first to the last, until they touch anywhere;
what is compared are their contours, the outermost extent at each level. The work is
proportional to the shared levels, for a whole tree at most its nodes times its depth.

References
----------
E. M. Reingold, J. S. Tilford. "Tidier drawings of trees." IEEE Transactions on Software
Engineering, 1981.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["arrange"]


def arrange(
    children: Sequence[Sequence[int]], breadth: Sequence[float], gap: float
) -> list[float]:
    """Return the position of each node across the direction of growth.

    Parameters
    ----------
    children : sequence of sequence of int
        The children of each node; the root is node 0, children have higher numbers.
    breadth : sequence of float
        How much room each node takes.
    gap : float
        Room between neighbours.

    Returns
    -------
    list of float
        Positions of the nodes' middles; the least extent is zero.

    Examples
    --------
    >>> arrange([[1, 2], [], []], [10, 10, 30], gap=5)
    [17.5, 5.0, 30.0]
    """
    offset = [0.0] * len(children)  # of a node from its parent
    contours: dict[int, tuple[list[float], list[float]]] = {}
    for node in reversed(range(len(children))):
        half = breadth[node] / 2
        own = children[node]
        if not own:
            contours[node] = ([-half], [half])
            continue
        low, high = contours.pop(own[0])
        places = [0.0]
        for child in own[1:]:
            left, right = contours.pop(child)
            shift = gap + max(
                h - le for h, le in zip(high, left, strict=False)
            )  # the contours overlap nowhere
            places.append(shift)
            low = low + [le + shift for le in left[len(low) :]]
            high = [r + shift for r in right] + high[len(right) :]
        middle = (places[0] + places[-1]) / 2
        for child, place in zip(own, places, strict=True):
            offset[child] = place - middle
        contours[node] = (
            [-half, *(v - middle for v in low)],
            [half, *(v - middle for v in high)],
        )
    least = min(contours[0][0])
    position = [0.0] * len(children)
    position[0] = -least
    for node, own in enumerate(children):
        for child in own:
            position[child] = position[node] + offset[child]
    return position
