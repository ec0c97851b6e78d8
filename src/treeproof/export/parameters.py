"""Parameters of estimators as JSON, and back.

Numbers, text and lists are written as they are. What JSON lacks becomes an object with
a name of its own: ``{"pairs": [[key, value], ...]}`` is a dictionary (whose keys need
not be text), ``{"fraction": "1/3"}`` a fraction, and ``{"record": "RecallAtLeast",
"fields": {"pairs": ...}}`` one of the classes listed here. No other class is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np

from treeproof.columns import plain

__all__ = ["parameters_of", "read_parameters"]

_CONSTRAINTS = "treeproof.constraints.kinds"
_RECORDS = {
    "Budget": _CONSTRAINTS,
    "DemographicParity": _CONSTRAINTS,
    "EqualOpportunity": _CONSTRAINTS,
    "EqualizedOdds": _CONSTRAINTS,
    "FalsePositiveRateAtMost": _CONSTRAINTS,
    "Linear": _CONSTRAINTS,
    "RecallAtLeast": _CONSTRAINTS,
    "QuantBnB": "treeproof.solving.quant_bnb",
}


def parameters_of(model: Any) -> dict[str, Any]:
    """Return the parameters of an estimator as plain values.

    Other estimators, and how rows were parted for them, are left out: they are no part
    of the fitted tree, and a model that is loaded has the defaults in their place.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.constraints import RecallAtLeast
    >>> careful = OptimalTreeClassifier(constraints=[RecallAtLeast(0.9)])
    >>> parameters_of(careful)["constraints"]
    [{'record': 'RecallAtLeast', 'fields': {'pairs': [['recall', 0.9]]}}]
    """
    return {
        name: _written(value)
        for name, value in model.get_params(deep=False).items()
        if not (hasattr(value, "get_params") or hasattr(value, "split"))
        or isinstance(value, str)
    }


def _written(value: Any) -> Any:
    """Return a parameter as plain values."""
    name = type(value).__name__
    if type(value).__module__ == _RECORDS.get(name):
        held = {part.name: getattr(value, part.name) for part in fields(value)}
        return {"record": name, "fields": _written(held)}
    if hasattr(value, "index") and hasattr(value, "columns"):  # a pandas data frame
        value = {true: dict(value.loc[true]) for true in value.index}
    if isinstance(value, Mapping):
        pairs = [[_written(plain(k)), _written(v)] for k, v in value.items()]
        return {"pairs": pairs}
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return None  # its state is not part of the fitted model
    if isinstance(value, set | frozenset):
        return sorted(map(_written, value), key=repr)
    return [*map(_written, value)] if isinstance(value, list | tuple) else value


def read_parameters(content: Any, kind: Any) -> dict[str, Any]:
    """Return the parameters of a document for an estimator of a class.

    Raises
    ------
    ValueError
        If the class does not have one of them, or if it cannot be read.
    """
    if not isinstance(content, Mapping):
        raise ValueError("The model has no parameters.")
    known = set(kind._get_param_names())
    # Older models charged every split once, and do not say so.
    result: dict[str, Any] = {"penalize": "splits"} if "penalize" in known else {}
    for name, value in content.items():
        if name not in known:
            raise ValueError(
                f"The model has the parameter {name!r}, which this version of "
                f"{kind.__name__} does not have."
            )
        try:
            result[name] = _read(value)
        except (KeyError, TypeError, ValueError, ZeroDivisionError):
            raise ValueError(
                f"The parameter {name!r} of the model cannot be read."
            ) from None
    return result


def _read(value: Any) -> Any:
    """Return a parameter from its plain values."""
    if isinstance(value, list):
        return [*map(_read, value)]
    if not isinstance(value, Mapping):
        return value
    if "fraction" in value:
        return Fraction(value["fraction"])
    if "record" in value:
        name = value["record"]
        return getattr(import_module(_RECORDS[name]), name)(**_read(value["fields"]))
    return {_key(k): _read(v) for k, v in value["pairs"]}


def _key(key: Any) -> Any:
    """Return the key of a dictionary; JSON writes tuples as lists."""
    return tuple(map(_key, key)) if isinstance(key, list) else _read(key)
