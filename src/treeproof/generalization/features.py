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
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from treeproof.generalization.structure import TreeStructure

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
                getattr(features, "categorical_split", "multiway") == "multiway",
            )
        if table is not None and hasattr(features, "n_features_in_"):
            return cls(real=features.n_features_in_)
        raise TypeError(
            "n_features is a number of real-valued features, a FeatureSpace or a "
            f"fitted tree, not {features!r}"
        )

    @classmethod
    def _of_columns(cls, columns: Iterable[Any], is_multiway: bool) -> FeatureSpace:
        sizes = [
            None if column.categories is None else len(column.categories)
            for column in columns
        ]
        # A column with one category cannot split anything.
        categorical = [s for s in sizes if s is not None and s >= 2]
        real = sum(s is None for s in sizes)
        if real + len(categorical) == 0:
            return cls(binary=max(1, len(sizes)))
        if is_multiway:
            return cls(real=real, multiway=tuple(categorical))
        return cls(real=real, one_vs_rest=tuple(categorical))

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


def _is_int(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)
