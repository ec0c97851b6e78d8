"""The meeting point with River: its protocol if it is installed, a stand-in if not.

The learners have River's methods either way; only where River itself looks at base
classes (pipelines, ensembles, its estimator checks) does it have to be there. They take
cloning and parameters from River's `Base` and are registered as mini-batch classifiers;
inheriting from that class is not possible for a scikit-learn estimator, because River's
estimators define the method `_more_tags`, which scikit-learn refuses.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

__all__ = ["RIVER_INSTALLED", "RiverClassifier", "default_detector", "register"]

RIVER_INSTALLED = find_spec("river") is not None

if TYPE_CHECKING or not RIVER_INSTALLED:

    class _Base:
        """What the learners need of River's base class."""

        def clone(self, new_params: dict[str, Any] | None = None) -> Any:
            """Return an untrained learner with the same parameters."""
            return type(self)(**(self.get_params(deep=False) | (new_params or {})))  # type: ignore[attr-defined]

else:
    from river.base import Base as _Base


class RiverClassifier(_Base):
    """A classifier as River expects it: supervised, any number of classes."""

    @property
    def _supervised(self) -> bool:
        return True

    @property
    def _multiclass(self) -> bool:
        return True

    @property
    def _tags(self) -> set[str]:
        return set()

    def _unit_test_skips(self) -> set[str]:
        return set()

    def __or__(self, other: Any) -> Any:
        from river import compose

        return compose.Pipeline(self, other)

    def __ror__(self, other: Any) -> Any:
        from river import compose

        return compose.Pipeline(other, self)


def register(learner: type) -> None:
    """Make River take a class for one of its mini-batch classifiers."""
    if RIVER_INSTALLED:
        from river.base import MiniBatchClassifier

        MiniBatchClassifier.register(learner)


def default_detector() -> Any:
    """Return a new ADWIN detector, or None without River."""
    if not RIVER_INSTALLED:
        return None
    from river.drift import ADWIN

    return ADWIN()
