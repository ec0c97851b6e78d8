"""The `splits` functions: one for each ancestral constraint.

Once a root is chosen, which of the other rules may go left and which right? The answer
is the fourth axiom, and it is all that tells one kind of tree from another (Sections
4.4 and 6). A `splits` function takes the rules of a subproblem and yields ``(left
rules, root, right rules)``; `treeproof.proper.recursion` does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from numpy.typing import ArrayLike

from treeproof.proper.ancestry import relation

Split = tuple[Any, Any, Any]
Splits = Callable[[Any], Iterable[Split]]


def proper_splits(rules: Sequence[Any]) -> Iterator[Split]:
    """Axiom 4: each rule has one place below a root, given by where its sites lie.

    A rule can be the root only if every other rule lies wholly on one of its sides.

    Examples
    --------
    >>> from treeproof.proper import Rule
    >>> a, b = Rule("a", 0b011, 0b100, 0b010), Rule("b", 0b001, 0b110, 0b001)
    >>> [(len(u), str(r), len(v)) for u, r, v in proper_splits([a, b])]
    [(1, 'a', 0), (0, 'b', 1)]
    """
    for i, root in enumerate(rules):
        left: list[Any] = []
        right: list[Any] = []
        for j, other in enumerate(rules):
            if i == j:
                continue
            side = relation(root, other)
            if side == 0:
                break
            (left if side > 0 else right).append(other)
        else:
            yield left, root, right


def matrix_splits(rules: Sequence[Any], ancestry: ArrayLike) -> Splits:
    """Axiom 4 with the relations read from a matrix, for rules that are mere labels.

    Parameters
    ----------
    rules : sequence of hashable
    ancestry : array of shape (K, K)
        Values -1, 0, 1 in the order of `rules`.

    Examples
    --------
    >>> splits = matrix_splits("ab", [[0, 1], [0, 0]])
    >>> list(splits("ab"))
    [(['b'], 'a', [])]
    """
    rows: Any = ancestry
    side = {
        (r, s): rows[i][j] for i, r in enumerate(rules) for j, s in enumerate(rules)
    }

    def splits(part: Sequence[Any]) -> Iterator[Split]:
        for i, root in enumerate(part):
            others = [r for j, r in enumerate(part) if j != i]
            if all(side[root, r] != 0 for r in others):
                left = [r for r in others if side[root, r] > 0]
                right = [r for r in others if side[root, r] < 0]
                yield left, root, right

    return splits


def catalan_splits(rules: Sequence[Any]) -> Iterator[Split]:
    """Axiom 4': earlier rules go left, later rules go right (search trees).

    Examples
    --------
    >>> list(catalan_splits("abc"))
    [('', 'a', 'bc'), ('a', 'b', 'c'), ('ab', 'c', '')]
    """
    for i, root in enumerate(rules):
        yield rules[:i], root, rules[i + 1 :]


def murtree_splits(rules: Sequence[Any]) -> Iterator[Split]:
    """Axiom 4'': any root; the other rules are cut in two without changing their order.

    One of the paper's two models of what the MurTree pseudo-code explores.

    Examples
    --------
    >>> [(u, r, v) for u, r, v in murtree_splits("abc") if r == "b"]
    [([], 'b', ['a', 'c']), (['a'], 'b', ['c']), (['a', 'c'], 'b', [])]
    """
    for i, root in enumerate(rules):
        others = [*rules[:i], *rules[i + 1 :]]
        for cut in range(len(others) + 1):
            yield others[:cut], root, others[cut:]


def binary_feature_splits(rules: Sequence[Any]) -> Iterator[Split]:
    """No ancestral constraint: any root, and any subset of the others on the left.

    Examples
    --------
    >>> [(u, v) for u, r, v in binary_feature_splits("abc") if r == "a"]
    [([], ['b', 'c']), (['b'], ['c']), (['c'], ['b']), (['b', 'c'], [])]
    """
    for i, root in enumerate(rules):
        others = [*rules[:i], *rules[i + 1 :]]
        for chosen in range(2 ** len(others)):
            left = [r for j, r in enumerate(others) if chosen >> j & 1]
            right = [r for j, r in enumerate(others) if not chosen >> j & 1]
            yield left, root, right


def chain_splits(items: Sequence[Any]) -> Iterator[Split]:
    """Cut a sequence into two non-empty parts; the root carries nothing.

    The trees of the matrix chain, which break the first axiom (Section 6.3).

    Examples
    --------
    >>> list(chain_splits("ABC"))
    [('A', None, 'BC'), ('AB', None, 'C')]
    """
    for cut in range(1, len(items)):
        yield items[:cut], None, items[cut:]
