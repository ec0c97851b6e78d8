"""What a split can test: how many ways the features give to cut a sample.

The paper treats real-valued features only. This file says what changes with other
kinds. A *way* is a split together with the child each outcome leads to. For m rows:

* a **real** feature cuts its sorted rows after any of them: for each k there are at
  most two ways to send exactly k rows to the first child, so 2 * real over all
  features, and never more than binom(m, k);
* a **one-vs-rest** split on a column with s >= 3 categories asks ``x = v?``: s
  partitions and 2 s ways in all, whatever m is. With s = 2 both questions are the same
  one: 1 partition, 2 ways. A **binary** feature is that case;
* a **multiway** split sends each category to its own child. The column leaves nothing
  to choose but which category goes to which child, and exchanging children of equal
  shape changes nothing: s! / (product of the multiplicities' factorials) ways for a
  node with s children, hence one way where all children are leaves. A node with fewer
  children than its column has categories keeps one leaf for all others: then only the
  categories with a child of their own are chosen.

Unlike a threshold, none of the last three can be slid along: their number of ways does
not grow with m, but nothing is known about the sizes of the parts, and a part may be
empty. `partitioning` uses these counts accordingly.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from treeproof.generalization.structure import TreeStructure
from treeproof.parameters import kind_of_split

__all__ = ["FeatureSpace"]


@dataclass(frozen=True)
class FeatureSpace:
    """The features a class of trees may test.

    Parameters
    ----------
    real : int
        Number of real-valued features (split by threshold).
    binary : int
        Number of features with two values.
    one_vs_rest : iterable of int
        For each categorical feature split as ``x = v?``, its number of categories.
    multiway : iterable of int
        For each categorical feature split into one child per category, its number of
        categories.

    Notes
    -----
    The numbers must be known before the data is seen: a column is binary because it can
    hold only two values, not because only two turned up. If new categories can appear
    later, count them as one more category.

    Examples
    --------
    >>> FeatureSpace.of(4)
    FeatureSpace(real=4, binary=0, one_vs_rest=(), multiway=())
    >>> space = FeatureSpace(real=2, one_vs_rest=[3, 2], multiway=[3])
    >>> space.n_features, space.binary_ways
    (5, 8)
    """

    real: int = 0
    binary: int = 0
    one_vs_rest: tuple[int, ...] = ()
    multiway: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name in ("real", "binary"):
            count = getattr(self, name)
            if not _is_int(count) or count < 0:
                raise ValueError(f"{name} is a number of features >= 0, not {count!r}")
            object.__setattr__(self, name, int(count))
        for name in ("one_vs_rest", "multiway"):
            given = getattr(self, name)
            sizes = tuple(given) if isinstance(given, Iterable) else (None,)
            if not all(_is_int(s) and s >= 2 for s in sizes):
                raise ValueError(
                    f"{name} lists the number of categories of each feature, at least "
                    f"2 each, not {given!r}"
                )
            object.__setattr__(self, name, tuple(sorted(int(s) for s in sizes)))
        if self.n_features == 0:
            raise ValueError("a tree needs at least one feature to split on")

    @classmethod
    def of(cls, features: int | FeatureSpace | Any) -> FeatureSpace:
        """Take a number of real-valued features, a FeatureSpace, or a fitted tree.

        A fitted treeproof estimator tells its columns and how it splits categories; of
        a scikit-learn tree all features are real.
        """
        if isinstance(features, FeatureSpace):
            return features
        if _is_int(features):
            if features < 1:
                raise ValueError(
                    f"n_features is the number of features, at least 1, not {features}"
                )
            return cls(real=int(features))
        table = getattr(features, "tree_", None)
        if table is not None and hasattr(table, "columns"):
            return cls._of_columns(
                table.columns,
                kind_of_split(features),
                getattr(features, "missing", "error") == "branch",
            )
        if table is not None and hasattr(features, "n_features_in_"):
            return cls(real=features.n_features_in_)
        raise TypeError(
            "n_features is a number of real-valued features, a FeatureSpace or a "
            f"fitted tree, not {features!r}"
        )

    @classmethod
    def _of_columns(
        cls, columns: Iterable[Any], split: str, own_branch: bool
    ) -> FeatureSpace:
        """Return the features that the columns of a fitted tree make for splits."""
        columns = list(columns)
        found = _Counted()
        for column in columns:
            found.add(column, split, own_branch)
        if not (found.real or found.binary or found.one_vs_rest or found.multiway):
            return cls(binary=max(1, len(columns)))  # nothing can be split
        return cls(
            found.real, found.binary, tuple(found.one_vs_rest), tuple(found.multiway)
        )

    @property
    def n_features(self) -> int:
        """How many features there are."""
        return self.real + self.binary + len(self.one_vs_rest) + len(self.multiway)

    @cached_property
    def binary_ways(self) -> int:
        """Ways of binary and one-vs-rest features to split a node in two."""
        partitions = self.binary + sum(s if s > 2 else 1 for s in self.one_vs_rest)
        return 2 * partitions

    def ways_without_threshold(self, structure: TreeStructure) -> int:
        """Return the ways to split at the root of a shape that use no threshold.

        Children of equal shape are interchangeable, so a way and its mirror image count
        once.

        Examples
        --------
        >>> from treeproof.generalization import TreeStructure
        >>> stump = TreeStructure.of(((), ()))
        >>> star = TreeStructure.of(((), (), ()))
        >>> FeatureSpace(one_vs_rest=[4]).ways_without_threshold(stump)
        4
        >>> FeatureSpace(multiway=[3, 3, 5]).ways_without_threshold(star)
        12

        The two columns with three categories give one way each; of the column with
        five, two categories get a leaf of their own and three share one: ten ways.
        """
        if not self.multiway and not self.binary_ways:
            return 0
        shapes = Counter(structure.children)
        arity = len(structure.children)
        total = 0
        if arity == 2:
            total += self.binary_ways // (2 if len(shapes) == 1 else 1)
        symmetries = math.prod(math.factorial(count) for count in shapes.values())
        n_leaf_children = shapes.get(TreeStructure(), 0)
        for categories in self.multiway:
            if categories == arity:
                total += math.factorial(arity) // symmetries
            elif categories > arity and n_leaf_children:
                others = symmetries // n_leaf_children
                total += math.perm(categories, arity - 1) // others
        return total


@dataclass
class _Counted:
    """The features that the columns of a table make."""

    real: int = 0
    binary: int = 0
    one_vs_rest: list[int] = field(default_factory=list)
    multiway: list[int] = field(default_factory=list)

    def add(self, column: Any, split: str, own_branch: bool) -> None:
        """Add the features that one column makes.

        A threshold that missing values may pass on either side is one of two real
        features; a split with a branch for them is one of three outcomes, and comes
        with the question whether the value is missing. Ordered categories count as
        real, which they are fewer than.
        """
        gaps = bool(column.has_missing)
        size = None if column.categories is None else len(column.categories)
        if size is None and gaps and own_branch:
            raise ValueError(
                f"the bounds do not know thresholds with a branch for missing values, "
                f'as {column.name!r} has them; fit with missing="best-side"'
            )
        if size is None or (column.ordered and not (gaps and own_branch)):
            self.real += 2 if gaps else 1
            return
        if split in ("multiway", "either") and not column.ordered:
            self.multiway += [size + gaps] if size + gaps > 1 else []
            if split == "multiway" or size + gaps < 3:
                return
        if gaps and own_branch:
            three = size - 1 if column.ordered else _parts(size, split)
            self.binary += 1
            self.multiway += [3] * three
        elif split == "subset":
            self.binary += _parts(size + gaps, split)
        else:
            self.one_vs_rest += [size + gaps] if size + gaps > 1 else []
            self.binary += size if gaps and size > 2 and split != "either" else 0


def _parts(size: int, split: str) -> int:
    """Return the number of ways to divide some categories into two groups."""
    if size < 2:
        return 0
    if split == "subset":
        return int(2 ** (size - 1) - 1)
    return int(size if size > 2 else 1)


def _is_int(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)
