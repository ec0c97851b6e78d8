"""The three MONK's problems: concepts over the robots of an artificial world."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from treeproof.datasets.bundle import bundle

__all__ = ["load_monks"]

_FEATURES = {
    "head_shape": ("round", "square", "octagon"),
    "body_shape": ("round", "square", "octagon"),
    "is_smiling": ("yes", "no"),
    "holding": ("sword", "balloon", "flag"),
    "jacket_color": ("red", "yellow", "green", "blue"),
    "has_tie": ("yes", "no"),
}
_TRAIN_ROWS = {1: 124, 2: 169, 3: 122}
_NOISE = {1: 0.0, 2: 0.0, 3: 0.05}


def _concept(codes: NDArray[np.int64], problem: int) -> NDArray[np.bool_]:
    head, body, _, holding, jacket, _ = codes.T
    if problem == 1:
        return (head == body) | (jacket == 0)
    if problem == 2:
        return (codes == 0).sum(axis=1) == 2
    return ((jacket == 2) & (holding == 0)) | ((jacket != 3) & (body != 2))


def load_monks(
    problem: int = 1,
    *,
    subset: str = "all",
    random_state: Any = 0,
    as_frame: bool = False,
    return_X_y: bool = False,
) -> Any:
    """Return one of the MONK's problems of Thrun and others (1991).

    A robot has a head and a body shape (round, square, octagon), smiles or not, holds a
    sword, a balloon or a flag, and wears a jacket of one of four colours and perhaps a
    tie: 432 robots in all. The concepts are

    1. head and body have the same shape, or the jacket is red;
    2. exactly two of the six features have their first value;
    3. the jacket is green and it holds a sword, or the jacket is not blue and the body
       is no octagon. 5% of the training labels are flipped.

    Parameters
    ----------
    problem : {1, 2, 3}, default=1
        The concept.
    subset : {"all", "train"}, default="all"
        "all" is all 432 robots with true labels, the original test set; "train" is a
        random sample of the original size (124, 169, 122), with noise for problem 3.
    random_state : int, RandomState instance or None, default=0
        Draws the sample and the noise.
    as_frame : bool, default=False
        Return pandas objects.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    Bunch or tuple
        The data; the class is 1 for members of the concept, 0 for others.

    Examples
    --------
    >>> from treeproof.datasets import load_monks
    >>> X, y = load_monks(1, return_X_y=True)
    >>> X.shape, int(y.sum())
    ((432, 6), 216)
    >>> load_monks(3, subset="train").data.shape
    (122, 6)
    """
    if problem not in _TRAIN_ROWS:
        raise ValueError(f"problem must be 1, 2 or 3, got {problem!r}.")
    if subset not in ("all", "train"):
        raise ValueError(f"subset must be 'all' or 'train', got {subset!r}.")
    codes = np.array(list(product(*(range(len(v)) for v in _FEATURES.values()))))
    target = _concept(codes, problem).astype(np.int64)
    if subset == "train":
        random = check_random_state(random_state)
        rows = np.sort(random.permutation(len(codes))[: _TRAIN_ROWS[problem]])
        codes, target = codes[rows], target[rows]
        flipped = random.permutation(len(rows))[: round(_NOISE[problem] * len(rows))]
        target[flipped] = 1 - target[flipped]
    data = np.empty(codes.shape, dtype=object)
    for j, values in enumerate(_FEATURES.values()):
        data[:, j] = np.array(values, dtype=object)[codes[:, j]]
    return bundle(
        data,
        target,
        list(_FEATURES),
        f"MONK's problem {problem}: robots that are members of the concept, or not.",
        as_frame=as_frame,
        return_X_y=return_X_y,
    )
