"""Rules made from data: axis-parallel, hyperplanes, curved surfaces and mixtures.

Every rule of a family that a table can tell apart is equivalent to one pinned by data:
an axis-parallel one by a single row, a hyperplane by D rows, a surface of degree M by G
= C(D + M, D) - 1 rows, being a hyperplane among monomials (Section 5.2). Rows on the
pinned surface may go to either side, as far as a nearby surface can send them there;
see `treeproof.proper.dichotomies`.

Where few rows are left they span less than the whole space and no D of them pin a
hyperplane. Their flat has hyperplanes of its own, pinned by fewer rows, and rules made
from those are listed too; with them `odt` is exact over all dichotomies, in every
region.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import comb, gcd, lcm

from numpy.typing import ArrayLike

from treeproof.proper.dichotomies import Arrangement, Cut
from treeproof.proper.exact import Point, exact_points
from treeproof.proper.rule import Bits, Rule, bits, merge_rules, rows_of
from treeproof.proper.surface import Monomial, Surface, monomials, n_monomials

MAX_CANDIDATES = 200_000


def axis_parallel_rules(
    X: ArrayLike, *, names: Sequence[str] | None = None, merge: bool = True
) -> list[Rule]:
    """Make the rules ``column > threshold`` for all thresholds that matter.

    A rule passes through a row's value, which goes to either side; two rows with
    neighbouring values generate the same partition, so the threshold is shown between.

    Parameters
    ----------
    X : table of shape (n_rows, n_features)
    names : sequence of str, optional
        Names of the columns.
    merge : bool
        Whether rules with the same partition of the rows become one.

    Returns
    -------
    list of Rule

    Examples
    --------
    >>> [str(rule) for rule in axis_parallel_rules([[1.0], [2.0], [4.0]])]
    ['x0 > 1.5', 'x0 > 3']
    """
    points = exact_points(X)
    everything = (1 << len(points)) - 1
    rules = []
    for column in range(len(points[0])):
        values = sorted({p[column] for p in points})
        for below, above in pairwise(values):
            positive = bits(i for i, p in enumerate(points) if p[column] >= above)
            surface = Surface(((column,),), (1.0,), float((below + above) / 2))
            name = surface.describe(names)
            for site, point in enumerate(points):
                if point[column] in (below, above):
                    negative = everything ^ positive
                    rules.append(Rule(name, positive, negative, 1 << site, surface))
    return merge_rules(rules) if merge else rules


def hyperplane_rules(
    X: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    merge: bool = True,
    max_candidates: int = MAX_CANDIDATES,
) -> list[Rule]:
    """Make a rule for every dichotomy of the rows by a hyperplane.

    Parameters
    ----------
    X : table of shape (n_rows, n_features)
    names : sequence of str, optional
        Names of the columns.
    merge : bool
        Whether rules with the same partition of the rows become one.
    max_candidates : int
        Refuse to compute more surfaces than this.

    Returns
    -------
    list of Rule

    Raises
    ------
    ValueError
        If there are fewer rows than a hyperplane needs, or too many candidates.

    Examples
    --------
    >>> rules = hyperplane_rules([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> len(rules)
    6
    >>> print(rules[0])
    2*x0 > 1
    """
    return hypersurface_rules(
        X, degree=1, names=names, merge=merge, max_candidates=max_candidates
    )


def hypersurface_rules(
    X: ArrayLike,
    degree: int,
    *,
    names: Sequence[str] | None = None,
    merge: bool = True,
    max_candidates: int = MAX_CANDIDATES,
) -> list[Rule]:
    """Make a rule for every dichotomy of the rows by a polynomial surface.

    Parameters
    ----------
    X : table of shape (n_rows, n_features)
    degree : int
        Largest degree of the polynomial; 1 gives hyperplanes.
    names, merge, max_candidates
        As for `hyperplane_rules`.

    Returns
    -------
    list of Rule

    Examples
    --------
    >>> X = [[-2.0], [-1.0], [0.0], [1.0], [2.0]]
    >>> len(hypersurface_rules(X, degree=1)), len(hypersurface_rules(X, degree=2))
    (4, 10)
    """
    if degree < 1:
        raise ValueError(f"degree must be at least 1, got {degree}")
    rows = exact_points(X)
    terms = monomials(len(rows[0]), degree)
    where: dict[Point, Bits] = {}
    for i, row in enumerate(rows):
        where[row] = where.get(row, 0) | 1 << i
    _check_candidates(len(where), len(rows[0]), degree, max_candidates)
    arrangement = Arrangement([_lift(p, terms) for p in where])
    groups = list(where.values())
    everything = (1 << len(rows)) - 1
    # A cut of a flat divides the points of the flat only. Where the points beside it go
    # is taken from a cut of all points that divides the flat in the same way.
    whole = (1 << len(groups)) - 1
    full_cuts = arrangement.cuts(whole)
    rules = []
    for flat in [whole, *(f for f in arrangement.flats() if f != whole)]:
        traces: dict[Bits, tuple[Bits, Cut]] = {}
        if flat != whole:
            for cut in full_cuts:
                for side in (cut.positive, whole ^ cut.positive):
                    traces.setdefault(side & flat, (side, cut))
        for cut in arrangement.cuts(flat):
            side, surface_cut = traces.get(cut.positive, (cut.positive, cut))
            surface = _surface(surface_cut, terms, negate=side != surface_cut.positive)
            positive, sites = _spread(side, groups), _spread(cut.sites, groups)
            rules.append(
                Rule(
                    surface.describe(names),
                    positive,
                    everything ^ positive,
                    sites,
                    surface,
                )
            )
    return merge_rules(_distinct(rules)) if merge else _distinct(rules)


def mixed_rules(*families: Iterable[Rule]) -> list[Rule]:
    """Unite families; of rules with the same partition the first family's is shown.

    Examples
    --------
    >>> X = [[0, 0], [0, 1], [1, 0]]
    >>> rules = mixed_rules(axis_parallel_rules(X), hyperplane_rules(X))
    >>> [str(rule) for rule in rules]
    ['x0 > 0.5', 'x1 > 0.5', '2*x0 + 2*x1 > 1']
    """
    return merge_rules(rule for family in families for rule in family)


def n_candidate_surfaces(n_points: int, n_features: int, degree: int = 1) -> int:
    """Return the number of surfaces through as many points as they need: C(N, G).

    Examples
    --------
    >>> n_candidate_surfaces(150, 4)
    20260275
    """
    return comb(n_points, n_monomials(n_features, degree))


def _check_candidates(n_points: int, n_features: int, degree: int, limit: int) -> None:
    needed = n_monomials(n_features, degree)
    kind = "a hyperplane" if degree == 1 else f"a surface of degree {degree}"
    if n_points < needed:
        raise ValueError(
            f"{kind} in {n_features} features passes through {needed} points, but X "
            f"has only {n_points} different rows; use fewer features"
            + (", a lower degree" if degree > 1 else "")
            + " or more rows"
        )
    count = n_candidate_surfaces(n_points, n_features, degree)
    if count > limit:
        raise ValueError(
            f"there are {count:,} surfaces through {needed} of {n_points} points, "
            f"more than max_candidates={limit:,}; use fewer rows, fewer features"
            + (", a lower degree" if degree > 1 else "")
            + ", or ObliqueTreeClassifier, which keeps its best tree and a bound "
            "at any time"
        )


def _lift(point: Point, terms: Sequence[Monomial]) -> Point:
    lifted = []
    for term in terms:
        value = point[term[0]]
        for column in term[1:]:
            value *= point[column]
        lifted.append(value)
    return tuple(lifted)


def _surface(cut: Cut, terms: Sequence[Monomial], *, negate: bool) -> Surface:
    """Return a separator as a surface with the smallest whole coefficients."""
    numbers = [*cut.normal, cut.offset]
    scale = Fraction(lcm(*(v.denominator for v in numbers)))
    scale /= gcd(*(int(v * scale) for v in numbers))
    if negate:
        scale = -scale
    used = [j for j, w in enumerate(cut.normal) if w]
    return Surface(
        tuple(terms[j] for j in used),
        tuple(float(scale * cut.normal[j]) for j in used),
        float(scale * cut.offset),
    )


def _spread(points: Bits, groups: Sequence[Bits]) -> Bits:
    """Return the set of rows that lie at a set of different points."""
    rows = 0
    for point in rows_of(points):
        rows |= groups[point]
    return rows


def _distinct(rules: Iterable[Rule]) -> list[Rule]:
    """Return the rules without those that repeat the sites and partition of another."""
    first: dict[tuple[frozenset[Bits], Bits], Rule] = {}
    for rule in rules:
        first.setdefault((rule.partition, rule.sites), rule)
    return list(first.values())
