"""What a tree costs: a value for each leaf, and a way to join those of two subtrees.

An objective is the fold of Definition 4.12. The dynamic programme is exact if the join
is

- *monotone*: cheaper subtrees never increase the cost (this is what lets the minimum
  move inside the recursion, Theorem 4.13), and
- *inflationary*: ``join(a, r, b) >= max(a, b)``, so that a subtree's cost bounds the
  tree's from below.

An objective states both; `check_join` tests the statement on given values. A value may
be a tuple whose first entry is the cost and whose other entries are the same for all
trees of a subproblem (the dimensions of a matrix product, the weight of the keys).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from treeproof.proper.rule import bits
from treeproof.proper.tree import Tree, fold

Value = Any


@dataclass(frozen=True)
class Objective:
    """A cost for trees.

    Parameters
    ----------
    name : str
    leaf : callable
        Value of a leaf from its data.
    join : callable
        ``join(left value, rule, right value)``.
    monotone, inflationary : bool
        What the author declares of `join`; see the module's text.

    Examples
    --------
    >>> from treeproof.proper import Leaf, Node
    >>> n_leaves = Objective("leaves", lambda data: 1, lambda a, rule, b: a + b)
    >>> n_leaves(Node(Leaf(), "r", Leaf()))
    2
    """

    name: str
    leaf: Callable[[Any], Value]
    join: Callable[[Value, Any, Value], Value]
    monotone: bool = True
    inflationary: bool = True

    def __call__(self, tree: Tree) -> Value:
        """Evaluate a tree."""
        return fold(tree, self.leaf, self.join)


def cost(value: Value) -> Any:
    """Read the cost from a value: the value itself, or its first entry.

    Examples
    --------
    >>> cost(3), cost((15125, 30, 25))
    (3, 15125)
    """
    return value[0] if isinstance(value, tuple) else value


def check_join(objective: Objective, values: Sequence[Value], rule: Any = None) -> None:
    """Test the declared laws on all combinations of `values`.

    Raises
    ------
    ValueError
        Naming the law and the values that break it.

    Examples
    --------
    >>> check_join(tree_size(), [1, 2, 3])
    >>> mean = Objective("mean", len, lambda a, r, b: (a + b) / 2)
    >>> check_join(mean, [1, 3])
    Traceback (most recent call last):
    ValueError: objective 'mean' is not inflationary: join(1, 3) = 2.0 is less than 3
    """
    for a, b in product(values, repeat=2):
        joined = cost(objective.join(a, rule, b))
        largest = max(cost(a), cost(b))
        if objective.inflationary and joined < largest:
            raise ValueError(
                f"objective '{objective.name}' is not inflationary: "
                f"join({cost(a)}, {cost(b)}) = {joined} is less than {largest}"
            )
        for c in values:
            if not objective.monotone or cost(c) > cost(a):
                continue
            if cost(objective.join(c, rule, b)) > joined:
                raise ValueError(
                    f"objective '{objective.name}' is not monotone: "
                    f"join({cost(c)}, {cost(b)}) exceeds join({cost(a)}, {cost(b)})"
                )
            if cost(objective.join(b, rule, c)) > cost(objective.join(b, rule, a)):
                raise ValueError(
                    f"objective '{objective.name}' is not monotone: "
                    f"join({cost(b)}, {cost(c)}) exceeds join({cost(b)}, {cost(a)})"
                )


def misclassification(y: Iterable[Any], split_penalty: float = 0) -> Objective:
    """Count the rows that are not of their leaf's majority class (Equation 22).

    Parameters
    ----------
    y : iterable of labels
        Label of row 0, 1, 2, ...
    split_penalty : float
        Added for each rule, in rows.

    Examples
    --------
    >>> errors = misclassification(["a", "a", "b"])
    >>> errors.leaf(0b111), errors.leaf(0b011)
    (1, 0)
    """
    labels = list(y)
    classes = [
        bits(row for row, label in enumerate(labels) if label == c)
        for c in dict.fromkeys(labels)
    ]

    def errors(data: int) -> int:
        return data.bit_count() - max((data & c).bit_count() for c in classes)

    return Objective("misclassification", errors, lambda a, r, b: a + b + split_penalty)


def squared_error(y: Sequence[float], split_penalty: float = 0) -> Objective:
    """Sum the squared distances to the mean of the leaf.

    Examples
    --------
    >>> float(squared_error([1.0, 3.0, 9.0]).leaf(0b011))
    2.0
    """
    from treeproof.proper.rule import rows_of

    def spread(data: int) -> float:
        values = [y[row] for row in rows_of(data)]
        mean = sum(values) / len(values) if values else 0.0
        return sum((v - mean) ** 2 for v in values)

    return Objective("squared error", spread, lambda a, r, b: a + b + split_penalty)


def tree_size() -> Objective:
    """Count leaves and rules together (Equation 28).

    Examples
    --------
    >>> from treeproof.proper import Leaf, Node
    >>> tree_size()(Node(Leaf(), "r", Leaf()))
    3
    """
    return Objective("size", lambda data: 1, lambda a, r, b: a + b + 1)


def tree_height() -> Objective:
    """Count the rules on the longest path.

    Examples
    --------
    >>> from treeproof.proper import Leaf, Node
    >>> tree_height()(Node(Leaf(), "r", Node(Leaf(), "s", Leaf())))
    2
    """
    return Objective("height", lambda data: 0, lambda a, r, b: 1 + max(a, b))
