"""The streams of the thesis' experiments (Table 5.1), as iterables of (x, y).

XOR is made here; LED, random trees and STAGGER come from River. `stream` gives any of
them by the name the thesis uses, and `STREAMS` their settings.

The thesis states the numbers of features, categories and classes of its random trees,
not their shape. Its tables tell: with leaves from the first level on and all else as
River has it, River's Hoeffding tree makes 35, 75 and 115 splits of 200,000 rows with
seed 42, the figures printed there. That is the shape used here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "STREAMS",
    "StreamSettings",
    "led",
    "random_tree",
    "stagger",
    "stream",
    "xor",
    "xor_arrays",
]

Rows = Iterator[tuple[dict[Any, Any], int]]


@dataclass(frozen=True)
class StreamSettings:
    """One row of Tables 5.1 and 7.1.

    Attributes
    ----------
    n_features, n_categories, n_classes : int
        Size of the problem.
    split_penalty : float
        The penalty the thesis uses.
    window_size : int
        Its window for Online-BRANCHES.
    """

    n_features: int
    n_categories: int
    n_classes: int
    split_penalty: float
    window_size: int
    maker: str = field(repr=False, default="")


STREAMS = {
    "led": StreamSettings(7, 2, 10, 0.01, 1000, "led"),
    "led-irrelevant": StreamSettings(24, 2, 10, 0.01, 1000, "led"),
    "random-tree-1": StreamSettings(10, 2, 2, 0.001, 10_000, "random_tree"),
    "random-tree-2": StreamSettings(10, 4, 2, 0.001, 10_000, "random_tree"),
    "random-tree-3": StreamSettings(20, 5, 2, 0.001, 10_000, "random_tree"),
    "stagger": StreamSettings(3, 3, 2, 0.001, 1000, "stagger"),
    "xor-1": StreamSettings(50, 2, 2, 0.01, 10_000, "xor"),
    "xor-2": StreamSettings(100, 2, 2, 0.01, 10_000, "xor"),
    "xor-3": StreamSettings(200, 2, 2, 0.01, 10_000, "xor"),
    "xor-4": StreamSettings(500, 2, 2, 0.01, 10_000, "xor"),
}
"""The streams of Table 5.1 by name."""

_CHUNK = 1000


def xor_arrays(
    n_features: int, n_samples: int, seed: int = 42
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return an XOR stream as a matrix of bits and a vector of labels.

    Examples
    --------
    >>> X, y = xor_arrays(5, 3)
    >>> X.shape, bool((y == X[:, 0] ^ X[:, 1]).all())
    ((3, 5), True)
    """
    parts = list(_xor_chunks(n_features, seed, n_samples))
    X = np.concatenate([part for part in parts])
    return X, X[:, 0] ^ X[:, 1]


def _xor_chunks(
    n_features: int, seed: int, n_samples: int | None
) -> Iterator[NDArray[np.uint8]]:
    if n_features < 2:
        raise ValueError(f"XOR needs at least two features, not {n_features}.")
    rng = np.random.default_rng(seed)
    left = n_samples
    while left is None or left > 0:
        n = _CHUNK if left is None else min(left, _CHUNK)
        yield rng.integers(0, 2, (_CHUNK, n_features), dtype=np.uint8)[:n]
        left = None if left is None else left - n


def xor(n_features: int = 50, seed: int = 42, n_samples: int | None = None) -> Rows:
    """Yield rows of fair bits ``x0, x1, ...`` labelled by ``x0 XOR x1``.

    Parameters
    ----------
    n_features : int, default=50
        How many bits a row has; two of them matter.
    seed : int, default=42
        The seed of the random numbers.
    n_samples : int or None, default=None
        The number of rows; None for an endless stream.

    Examples
    --------
    >>> for x, y in xor(n_features=3, seed=1, n_samples=2):
    ...     print(x, y)
    {'x0': 1, 'x1': 1, 'x2': 0} 0
    {'x0': 0, 'x1': 1, 'x2': 1} 1
    """
    names = [f"x{i}" for i in range(n_features)]
    for chunk in _xor_chunks(n_features, seed, n_samples):
        for row in chunk.tolist():
            yield dict(zip(names, row, strict=True)), row[0] ^ row[1]


def led(seed: int = 42, *, irrelevant_features: bool = False) -> Any:
    """Return River's LED stream without noise: seven segments show a digit."""
    return _synth().LED(
        seed=seed, noise_percentage=0.0, irrelevant_features=irrelevant_features
    )


def random_tree(
    seed: int = 42, *, n_features: int = 10, n_categories: int = 2, **shape: Any
) -> Any:
    """Return River's random tree over categorical features, with two classes.

    Parameters
    ----------
    seed : int, default=42
        Of the tree and of the rows.
    n_features, n_categories : int
        How many features, and how many categories each has.
    **shape
        ``max_tree_depth``, ``first_leaf_level``, ``fraction_leaves_per_level``, and
        ``seed_tree`` for the tree alone.
    """
    shape = {"seed_tree": seed, "first_leaf_level": 1} | shape
    return _synth().RandomTree(
        seed_sample=seed,
        n_classes=2,
        n_num_features=0,
        n_cat_features=n_features,
        n_categories_per_feature=n_categories,
        **shape,
    )


def stagger(seed: int = 42, *, classification_function: int = 0) -> Any:
    """Return River's STAGGER stream: small red objects among others."""
    return _synth().STAGGER(classification_function=classification_function, seed=seed)


def stream(
    name: str, seed: int = 42, n_samples: int | None = None, **options: Any
) -> Rows:
    """Yield the rows of one of the thesis' streams.

    Parameters
    ----------
    name : str
        A name in `STREAMS`.
    seed : int, default=42
        The seed of the random numbers; the thesis uses 42.
    n_samples : int or None, default=None
        The number of rows; None for an endless stream.
    **options
        Passed on to `random_tree`.

    Examples
    --------
    >>> x, y = next(stream("xor-4"))
    >>> len(x)
    500
    """
    if name not in STREAMS:
        raise ValueError(
            f"There is no stream {name!r}; the streams are {', '.join(STREAMS)}."
        )
    settings = STREAMS[name]
    if options and settings.maker != "random_tree":
        raise TypeError(f"The stream {name!r} has no options; got {list(options)}.")
    if settings.maker == "xor":
        return xor(settings.n_features, seed, n_samples)
    if settings.maker == "led":
        rows = led(seed, irrelevant_features=name == "led-irrelevant")
    elif settings.maker == "stagger":
        rows = stagger(seed)
    else:
        rows = random_tree(
            seed,
            n_features=settings.n_features,
            n_categories=settings.n_categories,
            **options,
        )
    return islice(iter(rows), n_samples)


def _synth() -> Any:
    try:
        from river.datasets import synth
    except ImportError:
        raise ImportError(
            "This stream comes from River: install it with "
            "pip install 'treeproof[stream]'."
        ) from None
    return synth
