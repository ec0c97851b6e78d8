"""What the docstrings of all stream learners say, written once.

A docstring names a part in braces on a line of its own; `documented` puts it in.
"""

from __future__ import annotations

from typing import TypeVar

__all__ = ["documented"]

Learner = TypeVar("Learner", bound=type)

_READING = """\
numeric_features : "auto" or collection of names, default="auto"
    Which features are numeric and split by ``x <= t``; all others are categories,
    with one child for each. "auto": those whose first value is a number; text and
    booleans are categories.
categorical_features : collection of names or None, default=None
    Features that are categories although their values are numbers, such as codes.
numeric_bins : int, default=16
    The maximum number of quantiles at which a numeric feature is split.
max_categories : int, default=50
    The maximum number of categories of a feature; further ones are treated as one
    category, *other*.
max_features : int, default=10000
    The maximum number of features; those that appear later are ignored.
memory_limit : int or str or None, default="128MB"
    The memory limit of the search. When it is reached, what was used least is
    dropped.
drift_detector : "auto", None or detector, default="auto"
    A drift detector with River's interface. It is updated with the errors of the
    predictions made before learning each row. "auto" is ADWIN if River is
    installed, and None otherwise.
on_drift : "restart" or "reweight", default="restart"
    What to do when the error rate rises: forget the past, or keep it at
    `drift_discount` of its weight.
drift_discount : float, default=0.1
    See `on_drift`."""

_SEED = """\
seed : int or None, default=None
    The seed of the random choices; a run with the same seed and the same stream is
    reproducible.

Attributes
----------
tree_ : Tree
    The current tree, which makes the predictions.
n_splits_ : int
    Its splits.
n_drifts_ : int
    How often a drift made the learner start again.
stats_ : dict
    Counters."""

_PARTS = {"{common parameters}": _READING, "{seed and attributes}": _SEED}


def documented(learner: Learner) -> Learner:
    """Put the common parts into the docstring of a learner."""
    if learner.__doc__ is None:  # python -OO
        return learner
    for name, part in _PARTS.items():
        indented = part.replace("\n", "\n    ").replace("\n    \n", "\n\n")
        learner.__doc__ = learner.__doc__.replace(name, indented)
    return learner
