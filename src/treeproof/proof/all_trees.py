"""A checker of the claim that no tree within a budget is missing.

Part of the checkers: the standard library and NumPy only. The file states a problem, as
the header of every proof does, a budget, and the number of trees of each cost within
the budget. The checker counts the trees itself: for every set of rows that can occur in
such a tree it tries every test. It leaves out a test only if a verified lower bound
proves that every tree which starts with the test costs more than can be spent there.
The file suggests bounds to verify; a bound that does not hold, or a count that differs,
is rejected. The rules are on the page "The proof format" (docs/proof-format.md).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from treeproof.proof.checker import read_lines
from treeproof.proof.header import Header, read_object, read_whole
from treeproof.proof.problem import Problem
from treeproof.proof.rejected import Rejected, require
from treeproof.proof.statement import statement
from treeproof.proof.tree_counts import Bounds, Depth, Family

__all__ = ["FORMAT", "AllTreesVerdict", "all_trees_header", "check_all_trees"]

FORMAT = "treeproof-all-trees"
PROBLEM = (
    "format", "version", "loss", "classes", "class_weight", "measure", "actions",
    "cost_matrix", "abstain_cost", "scale", "split_cost", "search_split_cost", "tree",
    "upper", "lower", "root", "features", "n_rows", "fingerprint", "split_penalty",
    "penalize", "max_depth", "max_splits", "min_samples_leaf",
)  # fmt: skip
FEATURE = ("name", "split", "values", "missing")


@dataclass(frozen=True)
class AllTreesVerdict:
    """The result of checking a claim that all trees have been counted.

    Attributes
    ----------
    accepted : bool
        Whether the number of trees of each cost within the budget is as claimed.
    reason : str
        Why it is not accepted, as a sentence; empty if it is.
    count : int
        The number of trees.
    objective : float
        The cost of the best tree, as in the verdict of a proof. No tree costs less.
    within : float
        The margin within which all trees were counted, in the same unit.
    n_sets : int
        The number of sets of rows that were checked.
    statement : str
        The statement that is claimed, as far as it was read.

    Examples
    --------
    >>> AllTreesVerdict(accepted=False, reason="There are more trees.").count
    0
    """

    accepted: bool
    reason: str = ""
    count: int = 0
    objective: float = 0.0
    within: float = 0.0
    n_sets: int = 0
    statement: str = ""

    def __str__(self) -> str:
        if not self.accepted:
            return f"rejected: {self.reason}"
        trees = "is 1 tree" if self.count == 1 else f"are {self.count} trees"
        return (
            f"accepted: there {trees} within {self.within:.6g} of the best one, which "
            f"costs {self.objective:.6g}; none is missing ({self.n_sets} sets of rows "
            f"checked)\nwhat was proved: {self.statement}"
        )


def check_all_trees(
    proof: str | os.PathLike[str] | BinaryIO,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    costs: Any = None,
    max_bytes: int | None = None,
) -> AllTreesVerdict:
    """Check that no tree within a margin is missing; parameters as in `check`.

    Examples
    --------
    >>> import os, tempfile
    >>> from treeproof import OptimalTreeClassifier, datasets
    >>> from treeproof.proof import check_all_trees
    >>> X, y = datasets.load_monks(1, as_frame=True, return_X_y=True)
    >>> trees = OptimalTreeClassifier(max_depth=2).fit(X, y).near_optimal(0.02)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "trees.proof.gz")
    ...     trees.write_proof(path)
    ...     verdict = check_all_trees(path, X, y)
    >>> verdict.accepted, verdict.count == trees.count
    (True, True)
    """
    about = ""
    try:
        lines = read_lines(proof, max_bytes)
        claim = Claim(next(lines, None))
        header = read_problem(next(lines, None))
        problem = Problem(header, X, y, sample_weight, costs)
        require(problem.ratio is None, "trees are counted by costs, not by ratios.")
        about = statement(header, problem)
        best = int(problem.check_tree())
        bounds = Bounds(problem, read_hints(lines))
        family = Family(problem, bounds, claim.budget)
        found = family.by_cost()
        require(found == claim.by_cost, "there are not as many trees as claimed.")
        require(found[0][0] == best, "the tree of the header is not the best one.")
    except Rejected as error:
        return AllTreesVerdict(False, str(error), statement=about)
    within = problem.stated_bound(claim.budget) - problem.stated_bound(best)
    count = sum(n for _, n in found)
    own = problem.objective
    n_sets = len(family.budgets)
    return AllTreesVerdict(True, "", count, own, within, n_sets, about)


class Claim:
    """The first line: the budget, and the number of trees of each cost."""

    def __init__(self, line: bytes | None) -> None:
        raw = read_object(line, "the first line")
        known = raw.get("format") == FORMAT and raw.get("version") == 1
        require(known, "this is not a claim about all trees, of version 1.")
        self.budget = read_whole(raw.get("budget"), "the budget")
        pairs = raw.get("by_cost")
        require(isinstance(pairs, list) and pairs, "by_cost is no list of costs.")
        self.by_cost: list[tuple[int, int]] = []
        for pair in pairs or ():
            proper = isinstance(pair, list) and len(pair) == 2
            require(proper, "by_cost has an entry that is not [cost, number].")
            number = pair[1]
            whole = isinstance(number, int) and not isinstance(number, bool)
            require(whole and number > 0, "by_cost has a number that is no count.")
            self.by_cost.append((read_whole(pair[0], "a cost"), number))


def read_problem(line: bytes | None) -> Header:
    """Read the problem; require that the header states nothing else."""
    header = Header(line)
    require(header.exact, "regressions cannot be counted exactly.")
    same = header.search_cost == header.split_cost
    require(same, "search_split_cost differs from split_cost.")
    for given, known in (
        (header.raw, PROBLEM),
        *((feature, FEATURE) for feature in header.features),
    ):
        for name in given:
            require(name in known, f"the header has {name!r}, which is not known here.")
    return header


def all_trees_header(proof: str | os.PathLike[str] | BinaryIO) -> Header | None:
    """Return the problem of a claim about all trees; None for other files."""
    try:
        lines = read_lines(proof)
        if read_object(next(lines, None), "the first line").get("format") != FORMAT:
            return None
        return read_problem(next(lines, None))
    except Rejected as error:
        raise ValueError(f"{proof!r} is not a proof: {error}") from None


def read_hints(lines: Iterator[bytes]) -> dict[tuple[str, Depth], int]:
    """Read the bounds to be verified, by the name of the rows and the depth."""
    hints: dict[tuple[str, Depth], int] = {}
    for line in lines:
        raw = read_object(line, "a bound")
        rows, depth = raw.get("rows"), raw.get("depth")
        require(isinstance(rows, str), "the rows of a bound have no name.")
        depth = None if depth is None else read_whole(depth, "a depth")
        hints[str(rows), depth] = read_whole(raw.get("bound"), "a bound")
    return hints
