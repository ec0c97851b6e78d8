"""The shape of a tree, without its tests and labels.

Two trees that differ only in which child stands left have the same shape: a rule may be
negated, so the classes of trees they span are the same. A `TreeStructure` is therefore
kept in one *canonical* form (children sorted by size) and there is exactly one object
for each shape, so that equality is identity and every quantity computed for a shape is
computed once, wherever in whatever tree the shape occurs.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from treeproof.kinds import MULTIWAY, SUBSET

__all__ = ["TreeStructure"]

_known: dict[tuple[int, ...], weakref.ref[TreeStructure]] = {}
_serial = iter(range(1 << 62))
_lock = threading.RLock()


class TreeStructure:
    """A rooted tree in which order of children does not matter.

    Use `TreeStructure.of` to take the shape of a tree; `TreeStructure(children)` puts
    shapes together under a new root and ``TreeStructure()`` is a single leaf.

    Parameters
    ----------
    children : sequence of TreeStructure
        The shapes below the root: none for a leaf, otherwise at least two.

    Attributes
    ----------
    children : tuple of TreeStructure
        In canonical order: by leaves, then depth, then the children's own children.
    n_leaves, n_nodes, depth : int
        Leaves, internal nodes, and tests on the longest path.
    arity : int
        The greatest number of children of any node; 0 for a leaf.

    Examples
    --------
    >>> stump = TreeStructure.of(((), ()))
    >>> tree = TreeStructure.of(((), ((), ())))
    >>> tree, tree.n_leaves, tree.depth
    (TreeStructure.of(((), ((), ()))), 3, 2)
    >>> tree is TreeStructure([stump, TreeStructure()])
    True

    A fitted scikit-learn tree has a shape too:

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> clf = DecisionTreeClassifier().fit([[0], [1], [2]], [0, 1, 0])
    >>> TreeStructure.of(clf) is tree
    True
    """

    __slots__ = (
        "__weakref__",
        "_serial",
        "arity",
        "children",
        "depth",
        "n_leaves",
        "n_nodes",
    )

    children: tuple[TreeStructure, ...]
    n_leaves: int
    n_nodes: int
    depth: int
    arity: int
    _serial: int

    def __new__(cls, children: Sequence[TreeStructure] = ()) -> TreeStructure:
        """Return the only object with this shape."""
        # Pruning puts thousands of pairs together, so those come first and are cheap.
        if len(children) == 2:
            a, b = children
            if a.n_leaves > b.n_leaves or (
                a.n_leaves == b.n_leaves and a is not b and _precedes(b, a)
            ):
                a, b = b, a
            ordered: tuple[TreeStructure, ...] = (a, b)
            key: tuple[int, ...] = (a._serial, b._serial)
        elif len(children) == 1:
            raise ValueError(
                "a node with a single child is no split; give it two or more children "
                "or write the child in its place"
            )
        else:
            ordered = tuple(_sorted_by_shape(children))
            key = tuple(child._serial for child in ordered)
        reference = _known.get(key)
        self = None if reference is None else reference()
        return cls._make(key, ordered) if self is None else self

    @classmethod
    def _make(
        cls, key: tuple[int, ...], ordered: tuple[TreeStructure, ...]
    ) -> TreeStructure:
        with _lock:
            reference = _known.get(key)
            self = None if reference is None else reference()
            if self is not None:  # another thread was faster
                return self
            self = object.__new__(cls)
            self.children = ordered
            n_leaves, n_nodes, depth, arity = 0, 1, 0, len(ordered)
            for child in ordered:
                n_leaves += child.n_leaves
                n_nodes += child.n_nodes
                depth = max(depth, child.depth)
                arity = max(arity, child.arity)
            self.n_leaves = n_leaves if ordered else 1
            self.n_nodes = n_nodes if ordered else 0
            self.depth = depth + 1 if ordered else 0
            self.arity = arity
            self._serial = next(_serial)
            _known[key] = weakref.ref(self, lambda dead: _forget(key, dead))
        return self

    @classmethod
    def of(cls, tree: Any) -> TreeStructure:
        """Take the shape of a tree.

        Parameters
        ----------
        tree : TreeStructure, nested tuples, scikit-learn tree or treeproof tree
            In nested tuples ``()`` or None is a leaf and ``(a, b)`` a node. Fitted
            estimators and their ``tree_`` are both taken. A multiway node of a
            treeproof tree gets one leaf more if it has no child for some category of
            its column, because rows with such a category end in the node itself.

        Returns
        -------
        TreeStructure
        """
        if isinstance(tree, TreeStructure):
            return tree
        if tree is None or isinstance(tree, tuple | list):
            return _from_children(tree, _tuple_children)
        table = getattr(tree, "tree_", tree)
        if hasattr(table, "child_outcome"):
            return _from_children(0, lambda node: table_children(table, node))
        if hasattr(table, "children_left") and hasattr(table, "children_right"):
            left = np.asarray(table.children_left).tolist()
            right = np.asarray(table.children_right).tolist()
            return _from_children(
                0, lambda node: () if left[node] < 0 else (left[node], right[node])
            )
        if hasattr(tree, "fit"):
            raise ValueError(
                f"this {type(tree).__name__} has no tree yet; call fit before asking "
                "for its shape"
            )
        raise TypeError(
            f"cannot read the shape of a {type(tree).__name__}; give a fitted tree of "
            "treeproof or scikit-learn, a TreeStructure, or nested tuples such as "
            "((), ((), ()))"
        )

    @property
    def is_leaf(self) -> bool:
        """Whether the tree is a single leaf."""
        return not self.children

    @property
    def is_binary(self) -> bool:
        """Whether every node has two children."""
        return all(len(s.children) in (0, 2) for s in self.substructures())

    def substructures(self) -> list[TreeStructure]:
        """Return the distinct shapes inside this one, each after its own parts."""
        done: dict[TreeStructure, None] = {}
        stack = [(self, False)]
        while stack:
            shape, parts_done = stack.pop()
            if shape in done:
                continue
            if parts_done:
                done[shape] = None
            else:
                stack.append((shape, True))
                stack.extend((child, False) for child in shape.children)
        return list(done)

    def to_tuple(self) -> tuple[Any, ...]:
        """Return the shape as nested tuples."""
        made: dict[TreeStructure, tuple[Any, ...]] = {}
        for shape in self.substructures():
            made[shape] = tuple(made[child] for child in shape.children)
        return made[self]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a list of shapes, each by the positions of its parts."""
        shapes = self.substructures()
        position = {shape: i for i, shape in enumerate(shapes)}
        return _rebuild, ([[position[c] for c in s.children] for s in shapes],)

    def __repr__(self) -> str:
        if self.depth > 50:
            return f"<TreeStructure: {self.n_leaves} leaves, depth {self.depth}>"
        return f"TreeStructure.of({self.to_tuple()!r})"

    @staticmethod
    def all_binary(n_leaves: int) -> Iterator[TreeStructure]:
        """Yield every binary shape with this number of leaves.

        Their number is the Wedderburn-Etherington number.

        Examples
        --------
        >>> [len(list(TreeStructure.all_binary(n))) for n in range(1, 8)]
        [1, 1, 1, 2, 3, 6, 11]
        """
        if n_leaves == 1:
            yield TreeStructure()
            return
        for small in range(1, n_leaves // 2 + 1):
            lefts = list(TreeStructure.all_binary(small))
            for i, left in enumerate(lefts):
                rights = (
                    lefts[i:]
                    if 2 * small == n_leaves
                    else TreeStructure.all_binary(n_leaves - small)
                )
                for right in rights:
                    yield TreeStructure((left, right))


def _forget(key: tuple[int, ...], dead: weakref.ref[TreeStructure]) -> None:
    """Remove a shape that nobody uses, unless a new one has taken its place."""
    with _lock:
        if _known.get(key) is dead:
            del _known[key]


def _precedes(a: TreeStructure, b: TreeStructure) -> bool:
    """Return whether `a` comes before `b` in the order of shapes."""
    stack = [(a, b)]
    while stack:
        a, b = stack.pop()
        if a is b:
            continue
        key_a = (a.n_leaves, a.depth, len(a.children))
        key_b = (b.n_leaves, b.depth, len(b.children))
        if key_a != key_b:
            return key_a < key_b
        stack.extend(reversed(list(zip(a.children, b.children, strict=True))))
    return False


def _sorted_by_shape(children: Sequence[TreeStructure]) -> list[TreeStructure]:
    """Return the children in order; an insertion sort, as there are few of them."""
    ordered: list[TreeStructure] = []
    for child in children:
        place = len(ordered)
        while place and _precedes(child, ordered[place - 1]):
            place -= 1
        ordered.insert(place, child)
    return ordered


def _from_children(root: Any, children_of: Any) -> TreeStructure:
    """Build a shape bottom-up without recursion, since trees may be very deep."""
    stack: list[tuple[Any, bool]] = [(root, False)]
    built: list[TreeStructure] = []
    while stack:
        node, parts_done = stack.pop()
        children = children_of(node)
        if not children:
            built.append(TreeStructure())
        elif parts_done:
            parts = built[-len(children) :]
            del built[-len(children) :]
            built.append(TreeStructure(parts))
        else:
            stack.append((node, True))
            stack.extend((child, False) for child in children)
    return built[0]


def _tuple_children(node: Any) -> Sequence[Any]:
    if node is None:
        return ()
    if isinstance(node, TreeStructure):
        return node.children
    if isinstance(node, tuple | list):
        return node
    raise TypeError(
        f"a tree of nested tuples has () or None for its leaves, not {node!r}"
    )


def table_children(table: Any, node: int | None) -> Sequence[int | None]:
    """Return a node's children in a `treeproof.tree.Tree`, one per outcome.

    None is the leaf of a multiway node for categories without a child.

    A child that several categories share (`Tree.collapse`) is counted once for each, as
    in the tree before collapsing: that is the class of trees it was chosen from. The
    children of a split by subsets were one from the start.
    """
    if node is None or table.kind[node] == 0:
        return ()
    children: list[int | None] = table.node_children(node).tolist()
    if int(table.kind[node]) == SUBSET:
        return list(dict.fromkeys(children))
    categories = table.columns[table.feature[node]].categories
    is_multiway = int(table.kind[node]) == MULTIWAY
    if len(children) == 1 or (
        is_multiway
        and categories is not None
        and np.count_nonzero(table.child_outcome[table.slots(node)] < len(categories))
        < len(categories)
    ):
        children.append(None)
    return children


def _rebuild(parts: list[list[int]]) -> TreeStructure:
    shapes: list[TreeStructure] = []
    for positions in parts:
        shapes.append(TreeStructure([shapes[i] for i in positions]))
    return shapes[-1]
