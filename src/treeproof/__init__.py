"""Optimal decision trees with a proof that no better tree exists."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treeproof.estimators.classifier import OptimalTreeClassifier
    from treeproof.estimators.oblique import ObliqueTreeClassifier
    from treeproof.estimators.regressor import OptimalTreeRegressor
    from treeproof.export.json import from_json
    from treeproof.path import (
        OptimalTreeClassifierCV,
        OptimalTreeRegressorCV,
        penalty_path,
    )
    from treeproof.solving.observers import watch
    from treeproof.solving.quant_bnb import QuantBnB
    from treeproof.solving.stopping import stop_when
    from treeproof.tree import Tree

__version__ = "0.1.0"

__all__ = [
    "ObliqueTreeClassifier",
    "OptimalTreeClassifier",
    "OptimalTreeClassifierCV",
    "OptimalTreeRegressor",
    "OptimalTreeRegressorCV",
    "QuantBnB",
    "Tree",
    "__version__",
    "from_json",
    "penalty_path",
    "stop_when",
    "watch",
]

# Where each public name is defined. It is imported when it is first asked for, so that
# the command line and those who need one estimator do not wait for all the others.
_HOMES = {
    "ObliqueTreeClassifier": "treeproof.estimators.oblique",
    "OptimalTreeClassifier": "treeproof.estimators.classifier",
    "OptimalTreeClassifierCV": "treeproof.path",
    "OptimalTreeRegressor": "treeproof.estimators.regressor",
    "OptimalTreeRegressorCV": "treeproof.path",
    "QuantBnB": "treeproof.solving.quant_bnb",
    "Tree": "treeproof.tree",
    "from_json": "treeproof.export.json",
    "penalty_path": "treeproof.path",
    "stop_when": "treeproof.solving.stopping",
    "watch": "treeproof.solving.observers",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif not name.startswith("_") and find_spec(f"treeproof.{name}") is not None:
        value = import_module(f"treeproof.{name}")
    else:
        raise AttributeError(f"module 'treeproof' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
