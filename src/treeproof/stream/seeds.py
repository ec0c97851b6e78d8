"""Seeds of the searches."""

from __future__ import annotations

import numpy as np

__all__ = ["seed_or_random"]


def seed_or_random(seed: int | None) -> int:
    """Return the seed, or a fresh one from the operating system.

    Examples
    --------
    >>> seed_or_random(7)
    7
    """
    if seed is not None:
        return int(seed) % 2**64
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
