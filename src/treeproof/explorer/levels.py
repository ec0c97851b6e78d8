"""The certificates of the levels of depth as the page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treeproof.solving.certificates import Certificate

__all__ = ["LevelState", "level_states"]

_CLOSE = 1e-9  # relative tolerance for real-valued costs


@dataclass(frozen=True)
class LevelState:
    """One level: whether it is proved, a few words, and a sentence."""

    proved: bool
    words: str
    sentence: str


def level_states(levels: Sequence[Certificate], cost: float) -> list[LevelState]:
    """Describe for each level whether one of its trees could be better.

    Parameters
    ----------
    levels : sequence of Certificate
        What is known about each depth.
    cost : float
        The cost of the best tree that was found.

    Examples
    --------
    >>> levels = [Certificate(3, 0.3, 0.3, True, 0.2), Certificate(4, 0.2, 0.1, False, 9.0)]
    >>> [level.words for level in level_states(levels, 0.2)]
    ['depth 3 ✓', 'depth 4 ≥ 0.1']
    """  # noqa: E501
    return [_state(level, cost) for level in levels]


def _state(level: Certificate, cost: float) -> LevelState:
    any_depth = level.max_depth is None
    depth = "any depth" if any_depth else f"depth {level.max_depth}"
    trees = "tree" if any_depth else f"tree of depth {level.max_depth} or less"
    if level.lower_bound >= cost * (1 - _CLOSE):
        return LevelState(
            True,
            f"{depth} ✓",
            f"No {trees} costs less than {cost:.5g} (proved in {level.seconds:.1f} s).",
        )
    bound = f"{level.lower_bound:.3g}"
    return LevelState(
        False, f"{depth} ≥ {bound}", f"No {trees} costs less than {bound}."
    )
