"""Lists and monotone trees, for the exact checker.

Section 4 of docs/proof-format.md, *Leaves beside*. Only for proofs whose headers
contain lists or monotone columns does anything depend on this module.
"""

from __future__ import annotations

from typing import Any

from treeproof.proof.exact_data import Rows, require, whole
from treeproof.proof.exact_leaves import OTHERS, LeafProblem
from treeproof.proof.exact_limits import Limits
from treeproof.proof.exact_lines import LineProblem
from treeproof.proof.exact_paths import PathArgument

PLAIN = ("misclassification", "costs", "squared_error", "absolute_error")


def argument_for(problem: Any, argument: Any, h: dict[str, Any], *data: Any) -> Any:
    """Return an argument for the loss and the restrictions of the header.

    `problem` and `argument` are the classes without restrictions.
    """
    if h.get("constraints") is not None:
        columns, *given = data
        limits = Limits(h, *given)
        plain = {**h, "constraints": None}
        priced = columns, None, limits.ones, limits.costs
        return _Limited(argument_for(problem, argument, plain, *priced), limits)
    if h.get("paths") is not None:
        plain = {**h, "paths": None}
        return PathArgument(argument_for(problem, argument, plain, *data), h)
    known = h["format"] == "treeproof-proof" and whole(h["version"]) in (2, 3, 4)
    require(known and h["loss"] in (*PLAIN, *OTHERS, "linear"), "this is no proof")
    if h["loss"] in OTHERS:
        problem = LeafProblem
    if h["loss"] == "linear":
        problem = LineProblem
    along = [whole((f.get("monotone") or 0) + 1) - 1 for f in h["features"]]
    require(h.get("shape") in (None, "tree", "list"), "the shape is unknown")
    require(max(along, default=0) <= 1, "a direction is unknown")
    if h.get("shape") != "list" and not any(along):
        return argument(h, problem(h, *data))
    return _shaped_argument(argument)(h, _shaped_problem(problem, along)(h, *data))


class _Limited:
    """An argument about priced costs, and its conclusion if rates are limited."""

    def __init__(self, argument: Any, limits: Limits) -> None:
        self.argument, self.limits = argument, limits

    def holds(self, steps: Any) -> bool:
        """Require that every step holds; return whether they prove the tree optimal."""
        self.argument.holds(steps)
        return self.limits.conclude(self.argument)


def _shaped_problem(base: Any, along: list[int]) -> Any:
    class ShapedProblem(base):  # type: ignore[misc]
        """The same rows and tests, with directions of columns."""

        def __init__(self, h: Any, *data: Any):
            super().__init__(h, *data)
            self.is_list = h.get("shape") == "list"
            self.along = [along[column] for column, _, _ in self.tests]
            two = self.exact and self.n_actions == 2
            require(two or not any(along), "only two classes can be monotone")
            require(not self.is_list or not self.multiway, "a list has two-way tests")
            for f, d in zip(h["features"], along, strict=True):
                ordered = f["split"] in ("threshold", "order")
                ordered = ordered and f.get("missing") != "branch"
                require(ordered or not d, "a directed column has other tests")

        def says(self, test: int, outcome: int) -> int:
            """Return the class that a leaf beside a directed test must predict."""
            return int((self.along[test] > 0) == (outcome > 0))

        def beside(self, rows: Rows, test: int, outcome: int) -> Any:
            """Return the cost of a child as a leaf beside the other child."""
            if not self.along[test]:
                return self.leaf(rows)
            return self.w(rows) - self.of_class(rows, self.says(test, outcome))

        def stump(self, rows: Rows, test: int) -> Any:
            """Return the loss of two leaves, which must predict different classes."""
            parts = enumerate(self.children(rows, test))
            return sum(self.beside(c, test, v) for v, c in parts if c)

    return ShapedProblem


def _shaped_argument(base: Any) -> Any:
    class ShapedArgument(base):  # type: ignore[misc]
        """The same argument if one child of a split must be a leaf."""

        def tree(self, node: Any, rows: Rows, level: int) -> tuple[Any, int, int]:
            """Return loss, splits and leaves of a tree, and check its restrictions."""
            found = super().tree(node, rows, level)
            if "test" not in node:
                return found  # type: ignore[no-any-return]
            p, t = self.p, node["test"]
            leaf = any("predict" in child for _, child in node["children"])
            require(leaf or not p.is_list, "the tree is no list")
            if p.along[t]:
                sides = enumerate(p.children(rows, t))
                kept = [{self.said[i] for i in c} <= {p.says(t, v)} for v, c in sides]
                require(any(kept), "the tree is not monotone")
            return found  # type: ignore[no-any-return]

        def cheapest(self, here: Any, child: Any, lower: Any) -> Any:
            """Return the least cost of a test's children, one of which is a leaf."""
            p = self.p
            if not p.is_list and not p.along[here[0][0]]:
                return super().cheapest(here, child, lower)
            ways = [(a, b) for a in here for b in here if a != b]
            return min(lower[a][-1] + p.beside(child[b], *b) for a, b in ways)

        def share(self, child: Any, lower: Any, pairs: Any, wide: Any, S: Any) -> None:
            """Fewer rows, order; a directed test cannot separate rows from a child."""
            along = self.p.along
            free = [(c, a) for c, a in pairs if not along[a[0]]]
            super().share(child, lower, free, wide, S)
            directed = [(c, a) for c, a in pairs if along[a[0]]]
            super().share(child, lower, directed, wide, None)

    return ShapedArgument
