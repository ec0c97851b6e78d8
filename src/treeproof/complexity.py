"""How much work the papers promise: bounds on the searches, counted exactly.

BRANCHES evaluates a branch when it counts its rows; OSDT evaluates a tree. The papers
bound the number of these evaluations by the number of branches, or trees, that the
penalty leaves worth a look. The numbers are whole and can be astronomical: they come
back as Python integers, or as their decimal logarithm where those are too long.

References
----------
The article: Chaouki, Read, Bifet, "BRANCHES: a fast dynamic programming and branch &
bound algorithm for optimal decision trees", 2024.

The thesis: Chaouki, "Optimal Decision Trees via Search", 2024, chapter 4.

The original bound of OSDT: Hu, Rudin, Seltzer, "Optimal sparse decision trees", NeurIPS
2019, Theorem E.2.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, floor, log10, perm

__all__ = [
    "complexity_bound",
    "empty_branches",
    "osdt_complexity_bound",
    "unnecessary_branches",
]

# The trees of depth 20 over 20 features are a number of 400,000 digits, which takes a
# twentieth of a second; each level doubles the digits and triples the time.
_DEEPEST_EXACT = 21


def complexity_bound(
    n_features: int,
    split_penalty: float | Fraction,
    *,
    n_categories: int = 2,
    n_classes: int = 2,
    optimum: tuple[int, float | Fraction] | None = None,
    tight: bool = False,
) -> int:
    r"""Bound the number of branches that BRANCHES evaluates.

    Parameters
    ----------
    n_features : int
        Number of features :math:`q`.
    split_penalty : float or Fraction
        Cost of one split, between 0 and 1. A float stands for the decimal number it is
        printed as, so that 0.1 is one tenth. Zero means that all branches count.
    n_categories : int, default=2
        Number of categories :math:`C` of every feature.
    n_classes : int, default=2
        Number of classes :math:`K`; it matters only without an `optimum`.
    optimum : (int, float), default=None
        Number of splits and accuracy of an optimal tree, where they are known
        (Theorem 4.4 of the article, 10 of the thesis). Without it the bound holds for
        every problem of this size (Corollary 4.5, Corollary 11).
    tight : bool, default=False
        Use the sharper count of the article's Appendix C (Theorem C.3 and Corollary
        C.4; Theorem 12 and Corollary 13 of the thesis).

    Returns
    -------
    int
        The bound.

    Notes
    -----
    The plain bound is :math:`\sum_{h=0}^{\kappa} (q - h) C^{h+1} \binom{q}{h}` with
    :math:`\kappa = \lfloor S - 1 + (1 - H) / \lambda \rfloor` for an optimal tree of
    :math:`S` splits and accuracy :math:`H`, and :math:`\kappa = \lfloor (K - 1) / (K
    \lambda) \rfloor - 1` without one, at most :math:`q` either way. (The thesis prints
    :math:`1 / (K \lambda)`, which is the same for two classes only; its proof has
    :math:`(K - 1) / (K \lambda)`, and so does the article.)

    The sharper bound counts the depths :math:`h` above :math:`\kappa_- = \kappa + 1 -
    C` with :math:`(q - h)(h - \kappa_-) C^h \binom{q}{h}`, as printed. For more than
    two categories the proof supports the factors :math:`h - \kappa_-` in the opposite
    order, :math:`\kappa_- + C - h`; the larger of the two sums is returned, and for two
    categories they are equal. The root, which has no siblings, is always counted in
    full: as printed, the bound can be too small when :math:`\kappa_- < 0`.

    Examples
    --------
    The figures of Table 4.1 of the thesis, for binary features and two classes:

    >>> [f"{complexity_bound(q, 0.1):.2e}" for q in (10, 15, 20)]
    ['5.70e+04', '5.80e+05', '2.82e+06']
    >>> f"{complexity_bound(20, 0.01):.2e}"
    '4.65e+10'

    Knowing an optimal tree (monk1-l: 7 splits, no errors) sharpens the bound, and so
    does the more careful count:

    >>> complexity_bound(11, 0.01, optimum=(7, 1.0))
    572550
    >>> complexity_bound(11, 0.01, optimum=(7, 1.0), tight=True)
    424710
    """
    q, c = _count("n_features", n_features, 1), _count("n_categories", n_categories, 2)
    penalty = _fraction("split_penalty", split_penalty)
    if penalty == 0:
        deepest = q
    elif optimum is None:
        k = _count("n_classes", n_classes, 1)
        deepest = floor(Fraction(k - 1, k) / penalty) - 1
    else:
        splits, accuracy = optimum
        errors = 1 - _fraction("the accuracy of the optimum", accuracy)
        deepest = _count("the splits of the optimum", splits, 0) - 1
        deepest += floor(errors / penalty)
    last_full = deepest - (c - 1) if tight else deepest
    depths = range(min(deepest, q) + 1)
    full = sum(_evaluations_at(q, c, h) * c for h in depths if h <= max(last_full, 0))
    rest = [h for h in depths if h > max(last_full, 0)]
    printed = sum(_evaluations_at(q, c, h) * (h - last_full) for h in rest)
    proved = sum(_evaluations_at(q, c, h) * (last_full + c - h) for h in rest)
    return full + max(printed, proved)


def _evaluations_at(q: int, c: int, depth: int) -> int:
    """Count evaluations at one depth, for one value in `c` of the last feature."""
    return (q - depth) * c**depth * comb(q, depth)


def osdt_complexity_bound(
    n_features: int, split_penalty: float | Fraction, *, logarithm: bool = False
) -> int | float:
    r"""Bound the number of trees that OSDT evaluates, as the thesis corrects it.

    Parameters
    ----------
    n_features : int
        Number of binary features :math:`q`.
    split_penalty : float or Fraction
        Penalty of one leaf, as a fraction of the data; a float stands for the decimal
        number it is printed as. Zero means that all trees count.
    logarithm : bool, default=False
        Return the decimal logarithm of the bound instead, as a float. Needed from depth
        22 on, where the number itself may have millions of digits.

    Returns
    -------
    int or float
        The bound of Theorem 9 of the thesis, or its decimal logarithm.

    Raises
    ------
    OverflowError
        If the number is too long to be written down and `logarithm` is false.

    Notes
    -----
    The bound is :math:`1 + \sum_{h=1}^{\kappa} \{N_h + \binom{q}{h} - P(q, h)\}` with
    :math:`\kappa = \min\{\lfloor 1 / (2 \lambda) \rfloor - 1, q\}`, where :math:`N_h`
    is the number of trees of depth :math:`h` and :math:`P(q, h)` counts permutations.
    The original theorem sums to the number of leaves instead of the depth. The
    number :math:`T_h(q)` of trees of depth at most :math:`h` follows from its root:
    :math:`T_h(q) = 1 + q\, T_{h-1}(q - 1)^2`, and :math:`\sum_{h=1}^{\kappa} N_h =
    T_\kappa(q) - 1`.

    Examples
    --------
    >>> f"{osdt_complexity_bound(10, 0.1):.2e}"  # Table 4.1
    '5.61e+13'
    >>> round(osdt_complexity_bound(20, 0.05, logarithm=True), 2)  # 5.69e576
    576.76
    """
    q = _count("n_features", n_features, 1)
    penalty = _fraction("split_penalty", split_penalty)
    deepest = q if penalty == 0 else min(floor(1 / (2 * penalty)) - 1, q)
    if deepest < 1:
        return 0.0 if logarithm else 1
    if logarithm:
        # The other terms vanish beside the trees once those have hundreds of digits.
        if deepest > 8:
            return _log10_trees(q, deepest)
        return log10(_osdt_exact(q, deepest))
    if deepest > _DEEPEST_EXACT:
        msg = (
            f"the bound counts trees of depth {deepest} and may have millions of "
            "digits: ask for its decimal logarithm with logarithm=True"
        )
        raise OverflowError(msg)
    return _osdt_exact(q, deepest)


def _osdt_exact(q: int, deepest: int) -> int:
    shared = sum(comb(q, h) - perm(q, h) for h in range(1, deepest + 1))
    return _trees(q, deepest) + shared


def _trees(q: int, depth: int) -> int:
    """Trees of at most this depth over `q` binary features, each used once a path."""
    trees = 1
    for h in range(1, depth + 1):
        trees = 1 + (q - depth + h) * trees**2
    return trees


def _log10_trees(q: int, depth: int) -> float:
    exact = _trees(q - depth + 8, 8)
    logarithm = log10(exact)
    for h in range(9, depth + 1):
        logarithm = log10(q - depth + h) + 2 * logarithm
    return logarithm


def unnecessary_branches(
    n_features: int, n_categories: int, *, drop_last: bool = False
) -> int:
    r"""Count the unnecessary branches of a one-hot encoding as the papers do.

    Parameters
    ----------
    n_features : int
        Number :math:`q` of categorical features.
    n_categories : int
        Number :math:`C` of categories of every feature.
    drop_last : bool, default=False
        Whether one category of each feature is left out of the encoding.

    Returns
    -------
    int
        :math:`3^{qC} - (2C + 1)^q` (Theorem 14 of the thesis), with :math:`C - 1` in
        the place of :math:`C` where a category is left out (Theorem B.1 of the
        article).

    See Also
    --------
    empty_branches : The branches that no row can be in.

    Notes
    -----
    The theorems call a branch unnecessary if it is false for every input, but what they
    count is larger: all branches with two literals or more on one original feature. Of
    those, "neither red nor green" may well hold.

    Examples
    --------
    >>> unnecessary_branches(2, 3)
    680
    >>> unnecessary_branches(2, 3, drop_last=True)
    56
    >>> f"{unnecessary_branches(10, 4):.2e}"
    '1.22e+19'
    """
    q, c = _count("n_features", n_features, 1), _count("n_categories", n_categories, 2)
    columns = c - 1 if drop_last else c
    return int(3 ** (q * columns) - (2 * columns + 1) ** q)


def empty_branches(
    n_features: int, n_categories: int, *, drop_last: bool = False
) -> int:
    r"""Count the branches of a one-hot encoding that are false for every input.

    Parameters
    ----------
    n_features : int
        Number :math:`q` of categorical features.
    n_categories : int
        Number :math:`C` of categories of every feature.
    drop_last : bool, default=False
        Whether one category of each feature is left out of the encoding.

    Returns
    -------
    int
        :math:`3^{qm} - (m 2^{m-1} + z)^q` for :math:`m` columns per feature: a branch
        can hold if, on each feature, it asks for exactly one category (and denies any
        of the others) or only denies some. All may be denied if a category has no
        column (:math:`m = C - 1`, :math:`z = 2^m`), else not (:math:`m = C`,
        :math:`z = 2^m - 1`).

    See Also
    --------
    unnecessary_branches : The count of the papers.

    Examples
    --------
    >>> empty_branches(1, 2)  # a and b, not a and not b
    2
    >>> empty_branches(2, 3), unnecessary_branches(2, 3)
    (368, 680)
    """
    q, c = _count("n_features", n_features, 1), _count("n_categories", n_categories, 2)
    m = c - 1 if drop_last else c
    only_denials = 2**m if drop_last else 2**m - 1
    return int(3 ** (q * m) - (m * 2 ** (m - 1) + only_denials) ** q)


def _count(name: str, value: int, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        msg = f"{name} must be a whole number of at least {least}, not {value!r}"
        raise ValueError(msg)
    return value


def _fraction(name: str, value: float | Fraction) -> Fraction:
    """Read a float as the decimal number it prints as, so that 0.1 means 1/10."""
    try:
        exact = value if isinstance(value, Fraction) else Fraction(repr(float(value)))
    except (TypeError, ValueError):
        exact = Fraction(-1)
    if not 0 <= exact <= 1:
        msg = f"{name} must be a number between 0 and 1, not {value!r}"
        raise ValueError(msg)
    return exact
