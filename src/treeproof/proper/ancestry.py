"""Ancestry relations: which rule may stand below which, and on which side.

Definition 3.3 of He and Little: K[i, j] is 1 if rule j can be generated from the
positive side of rule i, -1 if from the negative side, and 0 if from neither. "Can be
generated" means that all sites of rule j lie there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treeproof.proper.rule import Rule


def relation(ancestor: Rule, descendant: Rule) -> int:
    """Tell on which side of `ancestor` the rule `descendant` may stand: 1, -1 or 0.

    Examples
    --------
    >>> root = Rule("root", positive=0b0011, negative=0b1100, sites=0b0010)
    >>> relation(root, Rule("a", positive=0b0001, negative=0b1110, sites=0b0001))
    1
    >>> relation(root, Rule("b", positive=0b0100, negative=0b1011, sites=0b1100))
    -1
    >>> relation(root, Rule("c", positive=0b0100, negative=0b1011, sites=0b0110))
    0
    """
    if ancestor is descendant:
        return 0
    if descendant.sites & ~ancestor.positive == 0:
        return 1
    return -1 if descendant.sites & ~ancestor.negative == 0 else 0


def ancestry_matrix(rules: Sequence[Rule]) -> NDArray[np.int8]:
    """Tabulate the relations between all pairs of rules.

    Parameters
    ----------
    rules : sequence of Rule

    Returns
    -------
    matrix of shape (K, K)
        With values -1, 0 and 1, and zeros on the diagonal.

    Examples
    --------
    >>> from treeproof.proper import axis_parallel_rules
    >>> ancestry_matrix(axis_parallel_rules([[0.0], [1.0], [2.0], [3.0]]))
    array([[ 0,  1,  1],
           [-1,  0,  1],
           [-1, -1,  0]], dtype=int8)
    """
    n = len(rules)
    matrix = np.zeros((n, n), dtype=np.int8)
    for i, ancestor in enumerate(rules):
        for j, descendant in enumerate(rules):
            if i != j:
                matrix[i, j] = relation(ancestor, descendant)
    return matrix
