"""Trees as a list of if-then rules, one for each way to a prediction.

The rules of a tree exclude each other, and one of them holds for every training row.
Conditions on the same column are drawn together: two thresholds become one interval,
two sets of categories their intersection. Rules for categories that a multiway split
has never seen have no training rows and are given on request only. A missing value
meets a condition only if the condition says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from treeproof.columns import Column, is_missing, plain
from treeproof.date_parts import DatePart
from treeproof.export.branches import Among, AtMost, Branch, Nothing, branches
from treeproof.export.payload import (
    labels,
    node_predictions,
    node_rewards,
    node_shares,
)
from treeproof.tree import LEAF, Tree
from treeproof.tree.drawing import action_text
from treeproof.tree.leaf_facts import interval_of, likely, smoothed
from treeproof.words import count, counted, number, percent

__all__ = ["Interval", "Members", "Rule", "conditions_to", "to_rules"]


@dataclass(frozen=True)
class Interval:
    """A number above `low` and at most `high`; None for no end.

    With `missing` also a missing value; without `present` nothing else. `told` says
    whether the words mention missing values: only where the training table had some.
    """

    column: str
    low: float | None = None
    high: float | None = None
    missing: bool = False
    present: bool = True
    told: bool = True
    date: DatePart | None = None  # if the number is made of a column of dates

    def holds(self, value: Any) -> bool:
        """Whether a value meets the condition."""
        if is_missing(value) or (self.date and np.isnat(np.datetime64(value, "D"))):
            return self.missing
        number = float(value if self.date is None else self.date.of_value(value))
        return (
            self.present
            and (self.low is None or number > self.low)
            and (self.high is None or number <= self.high)
        )

    def __str__(self) -> str:
        if not self.present:
            return f"{self.column} is missing"
        if self.low is None and self.high is None:
            return f"{self.column} is not missing"
        end = " or missing" if self.missing and self.told else ""
        if self.low is None:
            return f"{self.column} <= {number(self.high)}{end}"
        if self.high is None:
            return f"{self.column} > {number(self.low)}{end}"
        return f"{number(self.low)} < {self.column} <= {number(self.high)}{end}"


@dataclass(frozen=True)
class Members:
    """A category that is one of `categories`, or that is none of them.

    With `missing` also a missing value; `told` says whether the words mention it.
    `order` has all categories of an ordered column, in their order.
    """

    column: str
    categories: tuple[Any, ...]
    inside: bool = True
    missing: bool = False
    told: bool = True
    order: tuple[Any, ...] = ()

    def holds(self, value: Any) -> bool:
        """Whether a value meets the condition."""
        if is_missing(value):
            return self.missing
        return (plain(value) in self.categories) == self.inside

    def __str__(self) -> str:
        if not self.categories:
            word = "is missing" if self.inside else "is not missing"
            return f"{self.column} {word}"
        end = " or missing" if self.missing and self.told else ""
        n = len(self.categories)
        if self.inside and self.categories == self.order[:n]:
            return f"{self.column} <= {self.categories[-1]}{end}"
        if self.inside and self.categories == self.order[-n:]:
            return f"{self.column} > {self.order[-n - 1]}{end}"
        if len(self.categories) == 1:
            sign = "=" if self.inside else "!="
            return f"{self.column} {sign} {self.categories[0]}{end}"
        word = "in" if self.inside else "not in"
        return f"{self.column} {word} {{{', '.join(map(str, self.categories))}}}{end}"


@dataclass(frozen=True)
class Rule:
    """If all conditions hold, then the prediction.

    Attributes
    ----------
    conditions : tuple of Interval and Members
        At most one for each column; none for a tree without splits.
    prediction : object
        A class label, None where the tree abstains, a treatment, a number, or a list of
        numbers.
    samples : int
        Training rows for which the rule holds.
    weight : float
        Their total weight.
    probabilities : dict or None
        The share of each class in the node of the prediction; None where there are no
        classes.
    rewards : dict or None
        The mean reward of each treatment in the node, of a policy tree.
    rows_per_class : dict or None
        The training rows of each class; None where there are no classes.
    interval : tuple of float or None
        A 95% confidence interval for the share of the predicted class or for the mean;
        see `treeproof.tree.leaf_facts`.
    by_weight : bool
        Whether rows of a class differ in weight, so that the words are about weights.
    risk : bool
        Whether the prediction is the risk of a survival tree.
    smoothing : float
        What was added to the weight of each class for the probabilities.
    """

    conditions: tuple[Interval | Members, ...]
    prediction: Any
    samples: int
    weight: float
    probabilities: dict[Any, float] | None = field(default=None)
    rewards: dict[Any, float] | None = field(default=None)
    rows_per_class: dict[Any, int] | None = field(default=None)
    interval: tuple[float, float] | None = field(default=None)
    by_weight: bool = field(default=False)
    risk: bool = field(default=False)
    smoothing: float = field(default=0.0)

    def holds(self, row: Mapping[str, Any]) -> bool:
        """Whether the rule speaks about a row."""
        return all(c.holds(row[_source(c)]) for c in self.conditions)

    def __str__(self) -> str:
        words = [str(condition) for condition in self.conditions]
        if len(words) > 1:
            words = [f"({w})" if w.endswith(" or missing") else w for w in words]
        value = self.prediction
        shown = number(value) if isinstance(value, float) else action_text(value)
        shown = f"risk {shown}" if self.risk else shown
        rows = counted(self.samples, "row")
        if self.by_weight and self.weight != self.samples:
            rows += f", weight {count(self.weight)}"
        if self.probabilities is not None and value in self.probabilities:
            counts, share = self.rows_per_class, self.probabilities[value]
            plain_share = not self.by_weight and not self.smoothing
            if counts is not None and self.samples and plain_share:
                share = counts[value] / self.samples
            rows += f", {percent(share)}"
        elif self.rewards is not None:
            rows += f", mean reward {number(self.rewards[value])}"
        verb = "predict" if self.rewards is None else "choose"
        says = "abstain" if value is None else f"{verb} {shown}"
        if not words:
            return f"Always {says} ({rows})."
        return f"If {' and '.join(words)}, {says} ({rows})."


def _source(condition: Interval | Members) -> str:
    """Return the column of the table that a condition looks at."""
    date = condition.date if isinstance(condition, Interval) else None
    return condition.column if date is None else date.column


def to_rules(tree: Tree, *, unseen: bool = False, smoothing: float = 0.0) -> list[Rule]:
    """Return the rules of a tree, from left to right.

    Parameters
    ----------
    tree : Tree
        Any tree.
    unseen : bool, default=False
        Whether to add the rules for categories that no training row had, so that one
        rule holds for every row; they have no training rows themselves.
    smoothing : float, default=0.0
        What Laplace smoothing adds to the weight of each class, for the probabilities.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> X = {"size": [1, 2, 7, 8, 9, 9], "colour": list("rrrrrb")}
    >>> clf = OptimalTreeClassifier().fit(X, list("nnyyyn"))
    >>> for rule in to_rules(clf.tree_):
    ...     print(rule)
    If size <= 4.5, predict n (2 rows, 100%).
    If size > 4.5 and colour = b, predict n (1 row, 100%).
    If size > 4.5 and colour = r, predict y (3 rows, 100%).
    """
    predictions = node_predictions(tree)
    shares = None if tree.classes is None else node_shares(tree).tolist()
    if smoothing:
        likely(tree, 0, smoothing)  # refuses trees without classes
        shares = smoothed(tree.value, smoothing).tolist()
    names = None if tree.classes is None else labels(tree)
    rewarded = tree.measure == "reward"
    counts = tree.rows_per_class
    rules = []

    def add(node: int, conditions: Iterable[Interval | Members], stays: bool) -> None:
        if stays and not unseen:
            return
        rules.append(
            Rule(
                tuple(conditions),
                predictions[node],
                0 if stays else int(tree.n_node_samples[node]),
                0.0 if stays else float(tree.weighted_n_node_samples[node]),
                None
                if shares is None or names is None
                else dict(zip(names, shares[node], strict=True)),
                node_rewards(tree, node) if rewarded else None,
                None
                if counts is None or names is None or stays
                else dict(zip(names, counts[node].tolist(), strict=True)),
                None if stays else interval_of(tree, node),
                tree.rows_differ_in_weight and not stays,
                tree.measure == "risk",
                smoothing,
            )
        )

    Known = dict[int, Interval | Members]
    stack: list[tuple[int, bool, Known]] = [(0, False, {})]
    while stack:
        node, stays, known = stack.pop()
        if stays or tree.kind[node] == LEAF:
            add(node, known.values(), stays)
            continue
        feature = int(tree.feature[node])
        about = tree.columns[feature]
        ways = branches(tree, node)
        for k, way in reversed(list(enumerate(ways))):
            condition = _narrowed(known.get(feature), about, way, ways[:k])
            if condition is not None:
                stack.append((way.target, way.stays, known | {feature: condition}))
    return rules


def conditions_to(tree: Tree, node: int) -> tuple[Interval | Members, ...]:
    """Return what holds for the rows of a node: at most one condition per column.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> clf = OptimalTreeClassifier().fit([[1], [2], [7], [8]], [0, 0, 1, 1])
    >>> print(*conditions_to(clf.tree_, 2))
    x0 > 4.5
    """
    parent, way_down = tree.parent, [node]
    while parent[way_down[-1]] >= 0:
        way_down.append(int(parent[way_down[-1]]))
    way_down.reverse()
    known: dict[int, Interval | Members] = {}
    for above, below in pairwise(way_down):
        feature = int(tree.feature[above])
        ways = branches(tree, above)
        k = next(k for k, way in enumerate(ways) if way.target == below)
        condition = _narrowed(
            known.get(feature), tree.columns[feature], ways[k], ways[:k]
        )
        if condition is not None:
            known[feature] = condition
    return tuple(known.values())


def _narrowed(
    known: Interval | Members | None, about: Column, way: Branch, before: list[Branch]
) -> Interval | Members | None:
    """Return what is known of a column on a branch; None if no row can get there."""
    missing = way.missing and (known is None or known.missing)
    if about.categories is None:
        assert not isinstance(known, Members)
        found = _interval(known or Interval(about.name, date=about.date), way, before)
        if found is None or not found.present:
            gone = Interval(about.name, missing=True, present=False, date=about.date)
            return gone if missing else None
        return replace(found, missing=missing, told=about.has_missing)
    if isinstance(way.condition, Among):
        inside, named = True, [plain(v) for v in way.condition.values(about)]
    elif isinstance(way.condition, Nothing):
        inside, named = True, []
    else:
        inside, named = False, []
        for earlier in before:
            if isinstance(earlier.condition, Among):
                named += [plain(v) for v in earlier.condition.values(about)]
    if isinstance(known, Members):
        inside, named = _both(known, inside, named)
    if inside and not named and not missing:
        return None
    order = tuple(plain(v) for v in about.categories) if about.ordered else ()
    return Members(about.name, tuple(named), inside, missing, about.has_missing, order)


def _interval(interval: Interval, way: Branch, before: list[Branch]) -> Interval | None:
    """Return the numbers of an interval that go some way; None if there are none."""
    if isinstance(way.condition, Nothing):
        return None
    if isinstance(way.condition, AtMost):
        cut = way.condition.threshold
        if interval.low is not None and cut <= interval.low:
            return None
        high = cut if interval.high is None else min(cut, interval.high)
        return replace(interval, high=high)
    for earlier in before:
        if isinstance(earlier.condition, AtMost):
            cut = earlier.condition.threshold
            if interval.high is not None and cut >= interval.high:
                return None
            low = cut if interval.low is None else max(cut, interval.low)
            interval = replace(interval, low=low)
    return interval


def _both(known: Members, inside: bool, named: list[Any]) -> tuple[bool, list[Any]]:
    """Return the intersection of two conditions on categories."""
    if known.inside and inside:
        return True, [v for v in known.categories if v in named]
    if known.inside:
        return True, [v for v in known.categories if v not in named]
    if inside:
        return True, [v for v in named if v not in known.categories]
    return False, list(dict.fromkeys([*known.categories, *named]))
