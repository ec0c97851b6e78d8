"""Generated data whose best tree is known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from treeproof.datasets.bundle import bundle

__all__ = ["make_planted_tree", "make_xor"]


def make_xor(
    n_samples: int = 400,
    *,
    n_relevant: int = 2,
    n_noise: int = 8,
    label_noise: float = 0.0,
    random_state: Any = None,
    as_frame: bool = False,
    return_X_y: bool = False,
) -> Any:
    """Return the parity of a few binary features among irrelevant ones.

    No single relevant feature says anything about the class, so that trees grown
    greedily split on noise.

    Parameters
    ----------
    n_samples : int, default=400
        Rows.
    n_relevant : int, default=2
        Features whose parity is the class; they come first.
    n_noise : int, default=8
        Features that have nothing to do with it.
    label_noise : float in [0, 1], default=0.0
        The probability that a label is flipped.
    random_state : int, RandomState instance or None, default=None
        Draws features and noise.
    as_frame : bool, default=False
        Return pandas objects.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    Bunch or tuple
        The data.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.datasets import make_xor
    >>> X, y = make_xor(random_state=0, return_X_y=True)
    >>> OptimalTreeClassifier().fit(X, y).score(X, y)
    1.0
    """
    _check_noise(label_noise)
    random = check_random_state(random_state)
    data = random.randint(0, 2, (n_samples, n_relevant + n_noise)).astype(np.int64)
    target = data[:, :n_relevant].sum(axis=1) % 2
    target ^= random.random_sample(n_samples) < label_noise
    names = [f"relevant_{j}" for j in range(n_relevant)]
    names += [f"noise_{j}" for j in range(n_noise)]
    return bundle(
        data,
        target,
        names,
        f"Parity of {n_relevant} binary features among {n_noise} irrelevant ones.",
        as_frame=as_frame,
        return_X_y=return_X_y,
    )


def make_planted_tree(
    n_samples: int = 1000,
    *,
    n_features: int = 20,
    n_categories: int = 2,
    n_splits: int = 4,
    n_classes: int = 2,
    label_noise: float = 0.0,
    random_state: Any = None,
    as_frame: bool = False,
    return_X_y: bool = False,
) -> Any:
    """Return data labelled by a random tree, with some of the labels changed.

    Features are independent and uniform. Binary features hold the numbers 0 and 1;
    features with more categories hold the strings "a", "b", and so on, and the tree
    splits them one category against the rest. The tree grows by splitting its largest
    leaf on a random unused feature; leaves get classes at random, siblings different
    ones.

    Parameters
    ----------
    n_samples : int, default=1000
        Rows.
    n_features : int, default=20
        Columns.
    n_categories : int, default=2
        Values of each feature, 2 to 26.
    n_splits : int, default=4
        Splits of the planted tree (fewer where it runs out of rows or features).
    n_classes : int, default=2
        Classes.
    label_noise : float in [0, 1], default=0.0
        The share of labels that is replaced by another class.
    random_state : int, RandomState instance or None, default=None
        Draws features, tree and noise.
    as_frame : bool, default=False
        Return pandas objects.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    Bunch or tuple
        The data. The Bunch has ``clean_target``, the labels before noise, and
        ``n_splits``, the splits that were planted.

    Examples
    --------
    >>> from treeproof.datasets import make_planted_tree
    >>> planted = make_planted_tree(500, n_splits=3, label_noise=0.1, random_state=1)
    >>> planted.data.shape, planted.n_splits
    ((500, 20), 3)
    >>> float((planted.target != planted.clean_target).mean())
    0.1
    """
    _check_noise(label_noise)
    if not 2 <= n_categories <= 26:
        raise ValueError(f"n_categories must be 2 to 26, got {n_categories!r}.")
    if n_classes < 2:
        raise ValueError(f"n_classes must be at least 2, got {n_classes!r}.")
    random = check_random_state(random_state)
    codes = random.randint(0, n_categories, (n_samples, n_features)).astype(np.int64)
    clean, planted = _label_by_tree(codes, n_splits, n_classes, random)
    target = clean.copy()
    changed = random.permutation(n_samples)[: round(label_noise * n_samples)]
    shift = random.randint(1, n_classes, len(changed))
    target[changed] = (target[changed] + shift) % n_classes
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"), dtype=object)
    return bundle(
        codes if n_categories == 2 else letters[codes],
        target,
        [f"x{j}" for j in range(n_features)],
        f"Labels of a random tree with {planted} splits; "
        f"{label_noise:.0%} of them were changed.",
        as_frame=as_frame,
        return_X_y=return_X_y,
        clean_target=clean,
        n_splits=planted,
    )


def _label_by_tree(
    codes: NDArray[np.int64],
    n_splits: int,
    n_classes: int,
    random: np.random.RandomState,
) -> tuple[NDArray[np.int64], int]:
    """Grow a random tree; return the class of each row and the number of splits."""
    n_rows, n_features = codes.shape
    # A leaf: its rows, the features not yet used on the way to it, its class.
    leaves = [
        (np.arange(n_rows), list(range(n_features)), int(random.randint(n_classes)))
    ]
    planted = 0
    for _ in range(n_splits):
        leaves.sort(key=lambda leaf: len(leaf[0]))
        rows, unused, label = leaves[-1]
        if len(rows) < 2 or not unused:
            break
        feature = unused[int(random.randint(len(unused)))]
        category = codes[rows[int(random.randint(len(rows)))], feature]
        left = codes[rows, feature] == category
        if left.all():
            break
        rest = [j for j in unused if j != feature]
        other = (label + int(random.randint(1, n_classes))) % n_classes
        leaves[-1:] = [(rows[left], rest, label), (rows[~left], rest, other)]
        planted += 1
    target = np.empty(n_rows, dtype=np.int64)
    for rows, _, label in leaves:
        target[rows] = label
    return target, planted


def _check_noise(label_noise: float) -> None:
    if not 0 <= label_noise <= 1:
        raise ValueError(f"label_noise must lie between 0 and 1, got {label_noise!r}.")
