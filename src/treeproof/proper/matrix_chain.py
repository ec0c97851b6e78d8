"""The matrix chain: in which order to multiply matrices of different shapes.

A tree whose leaves are the matrices and whose nodes carry nothing, so not a decision
tree at all (it breaks the first axiom), and yet the same recursion solves it with
another `splits` function (Section 6.3). Here subproblems do repeat, and a memo makes
the difference between exponential and cubic time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from treeproof.proper.objective import Objective
from treeproof.proper.recursion import Solution, keep_data
from treeproof.proper.sodt import sodt
from treeproof.proper.splits import chain_splits
from treeproof.proper.tree import Leaf, fold

MAX_DIMENSIONS = 200


@dataclass(frozen=True)
class MatrixChain(Solution):
    """An order of multiplication; leaves hold the positions of the matrices."""

    def __str__(self) -> str:
        return fold(self.tree, _matrix_name, lambda u, rule, v: f"({u}{v})")

    def plot(self, ax: Any = None) -> Any:
        """Draw the tree, with a matrix at every leaf."""
        from treeproof.proper.plot import draw_tree

        return draw_tree(
            self.tree, ax, rule_text=lambda rule: "", leaf_text=_matrix_name
        )


def matrix_chain(dimensions: Sequence[int]) -> MatrixChain:
    """Find the cheapest order in which to multiply a chain of matrices.

    Parameters
    ----------
    dimensions : sequence of int
        Matrix i has ``dimensions[i]`` rows and ``dimensions[i + 1]`` columns.

    Returns
    -------
    MatrixChain
        Its `cost` is the number of scalar multiplications.

    Raises
    ------
    ValueError
        If there is no matrix, there are too many, or a dimension is not a positive
        whole number.

    Examples
    --------
    >>> best = matrix_chain([30, 35, 15, 5, 10, 20, 25])
    >>> best.cost, str(best)
    (15125, '((A(BC))((DE)F))')
    """
    if len(dimensions) < 2:
        raise ValueError(
            f"a chain of matrices needs at least 2 dimensions, got {len(dimensions)}"
        )
    if len(dimensions) > MAX_DIMENSIONS:
        raise ValueError(
            f"{len(dimensions)} dimensions take about {len(dimensions) ** 3 // 6:,} "
            f"steps; the programme takes at most {MAX_DIMENSIONS}, so cut the chain"
        )
    for i, size in enumerate(dimensions):
        if not isinstance(size, Real) or size != int(size) or size < 1:
            raise ValueError(
                f"dimensions[{i}] is {size}; a matrix has a positive whole number of "
                "rows and columns"
            )
    sizes = [int(size) for size in dimensions]

    def multiply(a: tuple[int, int, int], rule: None, b: tuple[int, int, int]) -> Any:
        return a[0] + b[0] + a[1] * a[2] * b[2], a[1], b[2]

    multiplications = Objective(
        "multiplications", lambda i: (0, sizes[i], sizes[i + 1]), multiply
    )
    found = sodt(
        range(len(sizes) - 1),
        None,
        multiplications,
        splits=chain_splits,
        leaf=lambda chain, data: Leaf(chain[0]) if len(chain) == 1 else None,
        divide=keep_data,
        memo_key=lambda chain, data, level: (chain[0], len(chain)),
    )
    assert found is not None
    return MatrixChain(found.value, found.tree)


def _matrix_name(position: int) -> str:
    return chr(ord("A") + position) if position < 26 else f"M{position}"
