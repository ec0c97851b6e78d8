"""Trees and fitted estimators as JSON: the one format in which models are kept.

A document holds the tree, the estimator's name and parameters and its certificate; no
training data and no code. Loading one runs nothing of what it says: the estimator is
chosen from a fixed list, and everything else is checked
(`treeproof.export.tree_reader`). The format has a version number of its own; documents
of other versions are refused with a sentence that says so.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from importlib import import_module
from typing import Any

import numpy as np

from treeproof.export.parameters import parameters_of, read_parameters
from treeproof.export.tree_dict import tree_to_dict
from treeproof.export.tree_reader import is_number, tree_from_dict
from treeproof.kinds import LEAF, REFUSED
from treeproof.solving.certificates import Certificate, proved_depth
from treeproof.solving.statuses import STATUSES
from treeproof.tree import Tree

__all__ = ["VERSION", "from_document", "from_json", "to_document", "to_json"]

FORMAT = "treeproof model"
VERSION = 3

# Two characters, which JSON writes in the same way as the one that they would make.
_TWO_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")

_ESTIMATORS = {
    "OptimalTreeClassifier": "treeproof.estimators.classifier",
    "OptimalTreeRegressor": "treeproof.estimators.regressor",
    "OptimalSurvivalTree": "treeproof.survival.tree",
    "OptimalPolicyTree": "treeproof.policy.tree",
    "OptimalDRPolicyTree": "treeproof.policy.estimated",
}
_PREDICTS = {
    "OptimalTreeClassifier": "classes",
    "OptimalTreeRegressor": "numbers",
    "OptimalSurvivalTree": "risks",
}


def to_json(model: Any, *, target: str | None = None, indent: int | None = None) -> str:
    """Return a tree or a fitted estimator as a JSON document.

    Parameters
    ----------
    model : Tree or estimator
        What to write.
    target : str or None, default=None
        The name of the predicted column, to be remembered.
    indent : int or None, default=None
        Spaces for each level; None for one line.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> clf = OptimalTreeClassifier().fit([[1], [2], [7], [8]], [0, 0, 1, 1])
    >>> text = to_json(clf)
    >>> from_json(text).predict([[5]])
    array([1])
    """
    document = to_document(model, target=target)
    for text in _texts(document):
        if _TWO_HALVES.search(text):
            raise ValueError(
                f"JSON would join the two halves of a surrogate pair in {text!r} into "
                "one character; rename the column, category or label."
            )
    return json.dumps(document, indent=indent, allow_nan=False, default=_plain)


def _texts(value: Any) -> Iterator[str]:
    """Return all text in a document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, held in value.items():
            yield from _texts(key)
            yield from _texts(held)
    elif isinstance(value, list | tuple | np.ndarray):
        for held in value:
            yield from _texts(held)


def from_json(text: str | bytes) -> Any:
    """Return the tree or estimator that `to_json` wrote; ValueError if it is not one.

    Parameters
    ----------
    text : str or bytes
        The document; it may come from anybody.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier, from_json
    >>> clf = OptimalTreeClassifier().fit([[0], [1]], ["no", "yes"])
    >>> text = clf.to_json()
    >>> from_json(text).predict([[1]])
    array(['yes'], dtype='<U3')
    """
    return from_document(parse(text))[0]


def parse(text: str | bytes) -> Any:
    """Return what a JSON text says; ValueError if it is none."""
    try:
        return json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"This is not a JSON document: {error}") from None


def to_document(model: Any, *, target: str | None = None) -> dict[str, Any]:
    """Return what `to_json` writes, as dictionaries and lists."""
    from treeproof import __version__

    document: dict[str, Any] = {
        "format": FORMAT,
        "format_version": VERSION,
        "written_by": f"treeproof {__version__}",
        "target": target,
    }
    if isinstance(model, Tree):
        return document | {"tree": tree_to_dict(model)}
    name = type(model).__name__
    if name not in _ESTIMATORS:
        raise TypeError(
            f"A {name} cannot be written as JSON; only trees and "
            f"{', '.join(_ESTIMATORS)} can."
        )
    if hasattr(model, "_extra_state"):
        document["state"] = model._extra_state()
    if hasattr(model, "constraints_"):
        document["constraints"] = [asdict(kept) for kept in model.constraints_]
    return document | {
        "estimator": name,
        "parameters": parameters_of(model),
        "certificate": {
            "objective": model.objective_,
            "lower_bound": model.lower_bound_,
            "status": model.status_,
            "levels": [known.to_dict() for known in model.certificates_],
        },
        "statistics": dict(model.stats_),
        "named_columns": hasattr(model, "feature_names_in_"),
        "tree": tree_to_dict(model.tree_),
    }


def from_document(document: Any) -> tuple[Any, str | None]:
    """Return the tree or estimator of a document, and the name of its target."""
    if not isinstance(document, Mapping) or document.get("format") != FORMAT:
        raise ValueError("This is not a model of treeproof.")
    if document.get("format_version") != VERSION:
        raise ValueError(
            f"The model is written in version {document.get('format_version')!r} of "
            f"the format; this treeproof reads version {VERSION}. Fit the model again."
        )
    target = document.get("target")
    if target is not None and not isinstance(target, str):
        raise ValueError("The target of the model is not a name.")
    tree = tree_from_dict(document.get("tree"))
    if "estimator" not in document:
        return tree, target
    return _read_estimator(document, tree), target


def _read_estimator(document: Mapping[str, Any], tree: Tree) -> Any:
    name = document["estimator"]
    if not isinstance(name, str) or name not in _ESTIMATORS:
        raise ValueError(f"The model is a {name!r}, which treeproof does not know.")
    try:
        kind = getattr(import_module(_ESTIMATORS[name]), name)
    except ImportError:
        raise ValueError(
            f"The model is a {name!r}, which this version of treeproof does not have."
        ) from None
    if _predicted(tree) != _PREDICTS.get(name, "treatments"):
        raise ValueError(f"The tree in the document is not that of a {name}.")
    model = kind(**read_parameters(document.get("parameters"), kind))
    model._validate_params()
    inner = tree.kind != LEAF
    if model.missing != "error" and np.any(tree.missing[inner] == REFUSED):
        raise ValueError("The tree does not say where missing values go.")
    objective, lower, status = _read_certificate(document.get("certificate"))
    statistics = document.get("statistics")
    if not isinstance(statistics, dict):
        raise ValueError("The model has no statistics.")
    _check_shares(statistics.get("shares", []))
    model.stats_ = statistics
    model.tree_ = tree
    model.n_splits_ = tree.n_splits
    model.objective_ = objective
    model.lower_bound_ = lower
    model.gap_ = model.objective_ - model.lower_bound_
    model.optimal_ = model.lower_bound_ == model.objective_
    model.status_ = status
    model.certificates_ = _read_levels(document.get("certificate"), model)
    model.proved_depth_ = proved_depth(model.certificates_, exact=not model._real_costs)
    if "constraints" in document:
        model.constraints_ = _read_kept(document["constraints"])
    model.n_features_in_ = len(tree.given_columns)
    if document.get("named_columns") is True:
        names = [column.name for column in tree.given_columns]
        model.feature_names_in_ = np.array(names, dtype=object)
    if tree.classes is not None:
        model.classes_ = tree.classes
    elif hasattr(model, "_read_extra_state"):
        try:
            model._read_extra_state(document["state"])
        except (AttributeError, KeyError, TypeError, ValueError):
            raise ValueError(f"The state of the {name} cannot be read.") from None
    elif tree.actions is None:
        model.n_outputs_ = model._outputs_of(tree)
    return model


def _predicted(tree: Tree) -> str:
    """Return what a tree predicts."""
    if tree.classes is not None:
        return "classes"
    if tree.measure == "risk":
        return "risks"
    return "numbers" if tree.actions is None else "treatments"


def _check_shares(shares: Any) -> None:
    """Refuse an invalid account of which engine worked on what; rename old roles."""
    if not isinstance(shares, list) or not all(
        isinstance(share, Mapping)
        and isinstance(share.get("engine"), str)
        and share.get("role") in ("whole", "question", "depth", "trees", "prices")
        and (share.get("max_depth") is None or type(share["max_depth"]) is int)
        and is_number(share.get("seconds"))
        for share in shares
    ):
        raise ValueError("The statistics of the model do not say who did what.")
    for share in shares:
        if share["role"] == "question":  # what older files call the search of any depth
            share["role"] = "whole"


def _read_kept(content: Any) -> list[Any]:
    """Return how the tree keeps its constraints."""
    from treeproof.constraints.kept import Kept

    numbers = ("value", "at_most", "price")
    if not isinstance(content, list) or not all(
        isinstance(kept, Mapping)
        and set(kept) == {"name", *numbers}
        and isinstance(kept["name"], str)
        and all(is_number(kept[number]) for number in numbers)
        for kept in content
    ):
        raise ValueError("The model does not say how its constraints are kept.")
    return [Kept(**kept) for kept in content]


def _read_levels(content: Any, model: Any) -> list[Certificate]:
    """Return what is said about every depth; files of older versions say nothing."""
    last = Certificate(
        model.max_depth, model.objective_, model.lower_bound_, model.optimal_, 0.0
    )
    levels = content.get("levels")
    if levels is None:
        return [last]
    if not isinstance(levels, list) or not levels:
        raise ValueError("The certificate of the model has no levels.")
    read = []
    for level in levels:
        if not isinstance(level, Mapping):
            raise ValueError("A level of the certificate of the model is not complete.")
        numbers: list[Any] = [
            level.get(k) for k in ("objective", "lower_bound", "seconds")
        ]
        depth = level.get("max_depth")
        if not all(map(is_number, numbers)) or not (
            depth is None or type(depth) is int
        ):
            raise ValueError("A level of the certificate of the model is not complete.")
        objective, lower, seconds = map(float, numbers)
        if lower > objective:
            raise ValueError("A level of the certificate has a bound above its cost.")
        read.append(Certificate(depth, objective, lower, lower == objective, seconds))
    if (read[-1].max_depth, read[-1].objective, read[-1].lower_bound) != (
        last.max_depth, last.objective, last.lower_bound,
    ):  # fmt: skip
        raise ValueError(
            "The levels of the certificate do not end with the model's own."
        )
    return read


def _read_certificate(content: Any) -> tuple[float, float, str]:
    if not isinstance(content, Mapping):
        raise ValueError("The model has no certificate.")
    bounds: list[Any] = [content.get("objective"), content.get("lower_bound")]
    if not all(map(is_number, bounds)):
        raise ValueError("The certificate of the model has no bounds.")
    objective, lower = map(float, bounds)
    status = content.get("status")
    if status not in STATUSES or lower > objective:
        raise ValueError("The certificate of the model contradicts itself.")
    return objective, lower, status


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is out of range")
    return number


def _plain(value: Any) -> Any:
    """Write NumPy's numbers as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"A {type(value).__name__} cannot be written as JSON.")
