"""How the values of a stream are read: as numbers, as categories, or as missing.

As in `fit`, a feature is numeric if its first value is a number, whole or not; text and
booleans are categories, and so are the features named in `categorical_features`. If
`numeric_features` names the numeric ones, all others are categories. ``None``, NaN and
absent keys are missing. A category beyond `max_categories` is read as *other*, together
with all that follow. The native encoder asks here only about what it sees for the first
time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from treeproof.columns import is_missing
from treeproof.notices import warn_user

__all__ = ["Other", "Reading"]

_NUMBERS = (int, float, np.integer, np.floating, Decimal, Fraction)


class Other:
    """The category of all values beyond `max_categories`; equal to no value."""

    def __repr__(self) -> str:
        return "other"


class Reading:
    """Decides how features are read.

    Parameters
    ----------
    numeric_features : "auto" or collection
        Names of the features to read as numbers; "auto" goes by the first value.
    categorical_features : collection
        Names of features that are categories although they hold numbers.
    max_categories : int
        The maximum number of categories of a feature.
    max_features : int
        The maximum number of features; names that show up later are not read.

    Examples
    --------
    >>> reading = Reading("auto", ["zip"], 50, 1000)
    >>> reading.is_numeric("a", 1), reading.is_numeric("a", True)
    (True, False)
    >>> reading.is_numeric("zip", 8001)
    False
    >>> reading.order(["b", 10, "a", 9])
    [9, 10, 'a', 'b']
    """

    def __init__(
        self,
        numeric_features: str | Collection[Any],
        categorical_features: Collection[Any],
        max_categories: int,
        max_features: int,
    ) -> None:
        self.numeric = (
            None if isinstance(numeric_features, str) else set(numeric_features)
        )
        self.categorical = set(categorical_features)
        both = self.categorical & (self.numeric or set())
        if both:
            raise ValueError(
                f"Feature {min(both, key=repr)!r} is in numeric_features and in "
                "categorical_features; name it in one of them."
            )
        self.max_categories = max_categories
        self.max_features = max_features
        self.n_features = 0
        self.refused = False

    def order(self, names: Iterable[Any]) -> list[Any]:
        """Return new names in an order that does not depend on the row's."""
        try:
            found = sorted(names, key=lambda name: (type(name).__name__, name))
        except TypeError:
            found = sorted(names, key=lambda name: (type(name).__name__, repr(name)))
        room = max(0, self.max_features - self.n_features)
        if len(found) > room and not self.refused:
            self.refused = True
            warn_user(
                f"There are more than {self.max_features} features; {found[room]!r} "
                "and others that appear from now on are not read. Raise max_features "
                "to read them."
            )
        self.n_features += min(room, len(found))
        return found[:room]

    def is_numeric(self, name: Any, value: Any) -> bool:
        """Whether to read a new feature as numbers, going by its first value."""
        if hasattr(value, "year") or isinstance(value, np.datetime64):
            raise TypeError(
                f"Feature {name!r} has the value {value!r}, a date or time. Turn it "
                "into numbers first, such as the year or the days since a start date."
            )
        if self.numeric is not None:
            return name in self.numeric
        if name in self.categorical or isinstance(value, (bool, np.bool_)):
            return False
        return isinstance(value, _NUMBERS)

    def is_missing(self, value: Any) -> bool:
        """Whether an object stands for a missing value (NA, NaT and the like)."""
        return is_missing(value)

    def other(self, name: Any, value: Any) -> Other:
        """Announce that a feature has too many categories."""
        warn_user(
            f"Feature {name!r} has more than {self.max_categories} categories; "
            f"{value!r} and others that appear from now on are read alike, as 'other'. "
            f"Raise max_categories, or leave {name!r} out."
        )
        return Other()

    def unreadable(self, name: Any, value: Any) -> None:
        """Refuse a value that cannot be a category."""
        raise TypeError(
            f"Feature {name!r} has the value {value!r}, a {type(value).__name__}; "
            "values must be numbers, text or booleans, or None where one is missing."
        )

    def not_a_number(self, name: Any, value: Any) -> None:
        """Refuse a value that a numeric feature cannot have."""
        raise ValueError(
            f"Feature {name!r} is numeric, but this row has {value!r}. Make all its "
            f"values numbers, or read it as categories with "
            f"categorical_features=[{name!r}]."
        )
