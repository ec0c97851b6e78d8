"""What a fit has proved about each level of depth, and how it is put into words.

A fit without a depth limit, or with one above three, proves one level after the other:
no tree of depth 1 is better, none of depth 2, and so on, and none at all. If a limit
ends it, every level keeps what was proved about it. `Certificate` is one such
statement; `describe` puts all of them into words; `trees_in_words` names the trees they
speak of.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treeproof.solving.answer import Answer, LevelAnswer

__all__ = [
    "Certificate", "Wording", "any_depth", "certificate_of", "certificates_of",
    "depth_to_json", "describe", "proved_depth", "trees_in_words",
]  # fmt: skip

_LISTED = 8  # the most columns that a certificate names
_CLOSE = 1e-9  # relative tolerance of "proved" where costs are real numbers


@dataclass(frozen=True)
class Certificate:
    """What was proved about all trees of at most one depth.

    Attributes
    ----------
    max_depth : int or None
        The statement is about trees of this depth or less; None for any depth.
    objective : float
        The cost of the best such tree that was found.
    lower_bound : float
        No such tree costs less.
    optimal : bool
        Whether the two are equal.
    seconds : float
        When that was known, from the start of the search.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treeproof import OptimalTreeClassifier
    >>> clf = OptimalTreeClassifier(max_depth=2).fit(*load_iris(return_X_y=True))
    >>> [known] = clf.certificates_
    >>> known.max_depth, known.lower_bound == known.objective, known.optimal
    (2, True, True)
    """

    max_depth: int | None
    objective: float
    lower_bound: float
    optimal: bool
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, for JSON."""
        return asdict(self)

    def settles(self, cost: float) -> bool:
        """Whether no tree of this depth costs less than a tree of this cost.

        Costs that are real numbers count as equal within a relative 1e-9.
        """
        return self.lower_bound >= cost - _CLOSE * abs(cost)


def any_depth(max_depth: int | None) -> float:
    """Return a depth as a number; no limit is infinity."""
    return math.inf if max_depth is None else float(max_depth)


def depth_to_json(depth: float) -> int | str:
    """Return a depth for JSON, which has no infinity: "any" stands for it."""
    return "any" if math.isinf(depth) else int(depth)


def certificates_of(
    found: Answer | None,
    max_depth: int | None,
    objective: float,
    lower_bound: float,
    penalty: float = 0.0,
    penalize: str = "leaves",
) -> list[Certificate]:
    """Return a certificate for every level of depth of a search.

    Parameters
    ----------
    found : Answer or None
        The answer of a solver; ``certificates`` has the levels, if it climbed any.
    max_depth : int or None
        The depth limit of the fit.
    objective, lower_bound : float
        Cost and bound of the fitted tree, as the estimator states them. Levels whose
        costs are the same whole numbers get the same floating-point numbers.
    penalty, penalize
        The parameters of the fit: the engines round the penalty, so that the cost of a
        level's tree is its loss and the penalty as it was given.
    """
    seconds = 0.0 if found is None else found["seconds"]
    proved = lower_bound == objective
    last = Certificate(max_depth, objective, lower_bound, proved, seconds)
    if found is None:
        return [last]
    levels = list(found.get("certificates", ()))[:-1]
    offset = found.get("offset", 0.0)
    same = {found["lower"]: lower_bound, found["upper"]: objective}

    def read(level: LevelAnswer) -> Certificate:
        paid = level["n_leaves"] - 1 if penalize == "leaves" else level["n_splits"]
        loss = (level["upper"] - paid * found["split_cost"]) / found["unit"] + offset
        upper = float(same.get(level["upper"], loss + penalty * paid))
        proved = bool(level["optimal"])
        least = level["lower"] / found["unit"] + offset - found.get("slack", 0.0)
        least = float(same.get(level["lower"], least))
        if level["lower"] >= found["upper"]:  # in whole numbers
            least = max(least, objective)
        lower = upper if proved else min(least, math.nextafter(upper, -math.inf))
        seconds = float(level["seconds"])
        return Certificate(level["max_depth"], upper, lower, proved, seconds)

    return [*map(read, levels), last]


def certificate_of(level: LevelAnswer) -> Certificate:
    """Return the certificate of one level while the search goes on.

    Costs are as the engine counts them, with its rounded penalty; `certificates_of`
    states them exactly at the end.
    """
    unit, proved = level["unit"], bool(level["optimal"])
    offset = level.get("offset", 0.0)
    upper = float(level["upper"] / unit) + offset
    lower = float(level["lower"] / unit) + offset
    return Certificate(
        level["max_depth"],
        upper,
        upper if proved else lower,
        proved,
        float(level["seconds"]),
    )


def proved_depth(certificates: Sequence[Certificate], *, exact: bool) -> float:
    """Return the greatest depth up to which no tree is better than the fitted one.

    Parameters
    ----------
    certificates : sequence of Certificate
        Of all levels; the last one is about all trees that the fit allows.
    exact : bool
        Whether costs are exact; real ones are equal within a relative 1e-9.

    Returns
    -------
    float
        A whole number, 0 if nothing was proved but that no single leaf is better, or
        infinity for any depth.

    Examples
    --------
    >>> levels = [Certificate(1, 0.3, 0.3, True, 0.1), Certificate(None, 0.2, 0.1, False, 1.0)]
    >>> proved_depth(levels, exact=True)
    1.0
    """  # noqa: E501
    cost = certificates[-1].objective
    least = cost if exact else cost - _CLOSE * abs(cost)
    proved = [any_depth(c.max_depth) for c in certificates if c.lower_bound >= least]
    return max(proved, default=0.0)


def trees_in_words(
    *,
    max_depth: int | None = None,
    max_splits: int | None = None,
    min_samples_leaf: int = 1,
    first_split: str | None = None,
    begins: str | None = None,
    allowed: Sequence[str] | None = None,
    categories: str | None = None,
    coarsened: Iterable[str] = (),
    constrained: bool = False,
    restricted: Iterable[str] = (),
    lines: bool = False,
) -> str:
    """Name the trees that a statement speaks of, in the singular.

    Parameters
    ----------
    max_depth, max_splits, min_samples_leaf
        The limits of the fit.
    first_split : str or None
        Name of the column that the first split must test.
    begins : str or None
        The given top of the tree, in words.
    allowed : sequence of str or None
        The columns that splits may test; None for all.
    categories : str or None
        How columns of categories are split; None if there are none.
    coarsened : iterable of str
        Columns whose thresholds lie between quantile bins.
    constrained : bool
        Whether only trees that keep constraints are meant.
    restricted : iterable of str
        Parameters that restrict the shape of the trees.
    lines : bool
        Whether leaves hold lines.

    Examples
    --------
    >>> trees_in_words()
    'tree'
    >>> trees_in_words(max_depth=2, min_samples_leaf=5)
    'tree of depth 2 or less with at least 5 rows in every leaf'
    >>> trees_in_words(allowed=["age", "sex"], begins="age <= 30")
    "tree that splits on 'age' and 'sex' only and that begins with age <= 30"
    """
    words = "tree"
    if max_depth is not None:
        words += f" of depth {max_depth} or less" if max_depth else " of a single leaf"
    clauses = []
    if max_splits is not None:
        clauses.append(f"at most {max_splits} split{'s' if max_splits != 1 else ''}")
    if min_samples_leaf > 1:
        clauses.append(f"at least {min_samples_leaf} rows in every leaf")
    if lines:
        clauses.append("lines in its leaves")
    if first_split is not None:
        clauses.append(f"a first split on {first_split!r}")
    if categories is not None:
        kind = "multiway and one-vs-rest" if categories == "either" else categories
        clauses.append(f"{kind} splits of categories")
    bins = ", ".join(map(repr, coarsened))
    if bins:
        clauses.append(f"thresholds between quantile bins of {bins}")
    if clauses:
        *most, final = clauses
        words += " with " + (f"{', '.join(most)} and {final}" if most else final)
    if allowed is not None:
        listed = [repr(name) for name in allowed[:_LISTED]]
        more = len(allowed) - len(listed)
        listed += [f"{more} more"] if more > 0 else []
        *most, final = listed or ["no column"]
        words += " that splits on " + (f"{', '.join(most)} and " if most else "")
        words += f"{final} only"
    if begins:
        also = " and" if allowed is not None else ""
        words += f"{also} that begins with {begins}"
    kept = ["the constraints"] if constrained else []
    kept += restricted
    return words + (f" that keeps {' and '.join(kept)}" if kept else "")


@dataclass(frozen=True)
class Wording:
    """How a certificate speaks of the costs of trees.

    Searches minimise. Where users think of something that is maximised, such as a mean
    reward or F1, a cost c stands for ``most - c`` of that measure.

    Attributes
    ----------
    measure : str
        What is maximised, in words; empty where trees simply cost something.
    most : float
        The measure at a cost of zero.

    Examples
    --------
    >>> Wording().better(0.25), Wording().none(0.2)
    ('costs less than 0.25', 'none below 0.2')
    >>> f1 = Wording("F1", most=1.0)
    >>> f1.better(0.25), f1.none(0.2)
    ('has a higher F1 than 0.75', 'none above 0.8')
    """

    measure: str = ""
    most: float = 0.0

    def shown(self, cost: float) -> str:
        """Return the number that is shown for a cost."""
        return f"{(self.most - cost if self.measure else cost) or 0.0:.6g}"

    def better(self, cost: float) -> str:
        """Return in words what a tree does that is better than one of this cost."""
        if not self.measure:
            return f"costs less than {self.shown(cost)}"
        return f"has a higher {self.measure} than {self.shown(cost)}"

    def reached(self, cost: float) -> str:
        """Return in words what a tree of this cost does."""
        if not self.measure:
            return f"costs {self.shown(cost)}"
        return f"has the {self.measure} {self.shown(cost)}"

    def named(self, cost: float) -> str:
        """Return a cost with its name, as in "cost 0.25" or "F1 0.75"."""
        return f"{self.measure or 'cost'} {self.shown(cost)}"

    def none(self, bound: float) -> str:
        """Return in words that no tree is better than a bound."""
        side = "above" if self.measure else "below"
        return f"none {side} {self.shown(bound)}"


def describe(
    certificates: Sequence[Certificate],
    proved: float,
    trees: Mapping[str, Any],
    tolerance: str = "",
    wording: Wording | None = None,
) -> str:
    """Say in words what was proved about a fitted tree.

    Parameters
    ----------
    certificates : sequence of Certificate
        Of all levels; the last one is about all trees that the fit allows.
    proved : float
        See `proved_depth`.
    trees : mapping
        Arguments of `trees_in_words` for all trees that the fit allows.
    tolerance : str
        How much better another tree may still be, because costs are rounded; "" if
        they are exact.
    wording : Wording or None
        What costs are called; None for costs.

    Examples
    --------
    >>> levels = [
    ...     Certificate(3, 0.26099, 0.26099, True, 0.31),
    ...     Certificate(4, 0.26099, 0.24206, False, 29.9),
    ...     Certificate(None, 0.26099, 0.11, False, 30.0),
    ... ]
    >>> print(describe(levels, 3.0, {}))
    No tree of depth 3 or less costs less than 0.26099 (proved in 0.3 s). Depth 4: none below 0.24206. Any depth: none below 0.11.
    """  # noqa: E501
    wording = wording or Wording()
    last = certificates[-1]
    better = wording.better(last.objective)
    if tolerance:
        better += f" by more than {tolerance}"
    if last.optimal:
        return f"Optimal: no {trees_in_words(**trees)} {better}."
    said = []
    known = [c for c in certificates if any_depth(c.max_depth) == proved]
    if known:
        flat = trees_in_words(**(dict(trees) | {"max_depth": known[0].max_depth}))
        said.append(f"No {flat} {better} (proved in {known[0].seconds:.1f} s).")
    else:
        reached = wording.reached(last.objective)
        said.append(f"The best {trees_in_words(**trees)} that was found {reached}.")
    for level in certificates:
        if any_depth(level.max_depth) <= proved:
            continue
        depth = "Any depth" if level.max_depth is None else f"Depth {level.max_depth}"
        said.append(f"{depth}: {wording.none(level.lower_bound)}.")
    return " ".join(said)
