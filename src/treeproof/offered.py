"""What only some estimators offer, and the sentence that the others have for it.

An estimator that does not know a parameter, an argument of `fit` or a method of another
one says so, and where it is to be found, instead of a bare `TypeError` or
`AttributeError`.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import cache, wraps
from importlib import import_module
from inspect import Parameter, signature
from typing import Any

__all__ = ["Offers"]

# Where the estimators are, imported only for a message.
_HOMES = {
    "OptimalTreeClassifier": "treeproof.estimators.classifier",
    "OptimalTreeRegressor": "treeproof.estimators.regressor",
    "OptimalPolicyTree": "treeproof.policy",
    "OptimalDRPolicyTree": "treeproof.policy",
    "OptimalSurvivalTree": "treeproof.survival",
}
# Why some estimators do not have it, or what they have instead.
_WHY = {
    ("OptimalTreeRegressor", "n_best"): "near_optimal(limit=...) of the fitted "
    "regressor lists the best trees",
    ("OptimalTreeRegressor", "checkpoint"): "checkpoints hold costs that are whole "
    "numbers, and losses of numbers are not",
    ("OptimalTreeRegressor", "distributed"): "parts of a search are sent with costs "
    "that are whole numbers, and losses of numbers are not; use n_jobs",
    ("OptimalSurvivalTree", "n_best"): "trees are listed by costs that are whole "
    "numbers, and losses of lifetimes are not",
    ("OptimalSurvivalTree", "checkpoint"): "checkpoints hold costs that are whole "
    "numbers, and losses of lifetimes are not",
    ("OptimalSurvivalTree", "distributed"): "parts of a search are sent with costs "
    "that are whole numbers, and losses of lifetimes are not; use n_jobs",
    ("OptimalSurvivalTree", "near_optimal"): "trees are listed by costs that are whole "
    "numbers, and losses of lifetimes are not",
    ("OptimalTreeRegressor", "predict_proba"): "it predicts numbers, not classes",
    ("OptimalSurvivalTree", "predict_proba"): "it predicts risks, and "
    "predict_survival_function() gives probabilities of surviving",
    ("OptimalPolicyTree", "to_sklearn"): "scikit-learn's trees predict classes or "
    "numbers, not treatments with rewards; use to_python(), to_sql() or to_onnx()",
    ("OptimalDRPolicyTree", "to_sklearn"): "scikit-learn's trees predict classes or "
    "numbers, not treatments with rewards; use to_python(), to_sql() or to_onnx()",
}
_METHODS = (
    "mean_cost",
    "near_optimal",
    "plot_curves",
    "predict_cumulative_hazard_function",
    "predict_proba",
    "predict_survival_function",
    "predict_value",
    "to_sklearn",
)


class Offers:
    """Gives an estimator a sentence for what it does not offer.

    Examples
    --------
    >>> from treeproof import OptimalTreeRegressor
    >>> OptimalTreeRegressor(metric="f1")
    Traceback (most recent call last):
      ...
    TypeError: OptimalTreeRegressor has no parameter 'metric'; OptimalTreeClass...
    """

    def __new__(cls, *args: Any, **given: Any) -> Any:
        """Make an estimator; refuse parameters that it does not have."""
        known = _parameters(cls.__init__)
        for name in given:
            if known and name not in known:
                raise TypeError(_sentence(cls, name, known, "__init__", "parameter"))
        return super().__new__(cls)

    def __init_subclass__(cls, **options: Any) -> None:
        """Let ``fit`` refuse arguments that it does not have."""
        super().__init_subclass__(**options)
        own = cls.__dict__.get("fit")
        if own is not None:
            cls.fit = _checked(own)  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> Any:
        """Refuse methods that only other estimators have."""
        if name not in _METHODS:
            return object.__getattribute__(self, name)  # raises what it did before
        kind = type(self)
        raise AttributeError(_sentence(kind, name, (), name, "method"))


@cache
def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names that may be given to a method; none if it takes any name."""
    parameters = list(signature(function).parameters.values())[1:]
    if any(p.kind is Parameter.VAR_KEYWORD for p in parameters):
        return ()
    return tuple(p.name for p in parameters)


def _checked(fit: Callable[..., Any]) -> Callable[..., Any]:
    known = _parameters(fit)

    @wraps(fit)
    def checked(self: Any, *args: Any, **given: Any) -> Any:
        for name in given:
            if known and name not in known:
                kind = type(self)
                raise TypeError(_sentence(kind, name, known, "fit", "argument"))
        return fit(self, *args, **given)

    return checked


def _sentence(kind: type, name: str, known: Any, where: str, what: str) -> str:
    """Return what to say about a name that an estimator does not have."""
    begin = f"{kind.__name__} has no {what} {name!r}"
    if where == "fit":
        begin = f"fit of {kind.__name__} has no argument {name!r}"
    for base in kind.__mro__:
        why = _WHY.get((base.__name__, name))
        if why is not None:
            return f"{begin}: {why}."
    owners = []
    for owner, home in _HOMES.items():
        other = getattr(import_module(home), owner)
        has = hasattr(other, name)
        if where in ("__init__", "fit"):
            has = name in _parameters(getattr(other, where))
        if has:
            owners.append(owner)
    if owners:
        listed = " and ".join([", ".join(owners[:-1]), owners[-1]][len(owners) < 2 :])
        if where == "fit":
            return f"{begin}; that of {listed} has it."
        return f"{begin}; {listed} {'has' if len(owners) == 1 else 'have'} it."
    near = get_close_matches(name, known, n=1)
    if near:
        return f"{begin}; did you mean {near[0]!r}?"
    return f"{begin}; it has {', '.join(known)}."
