"""The bundled data sets have the rows and columns of their descriptions."""

import numpy as np
import pandas as pd
import pytest

from treeproof import OptimalTreeClassifier, datasets


def test_tic_tac_toe():
    X, y = datasets.load_tic_tac_toe(return_X_y=True)
    assert X.shape == (958, 9) and len({tuple(row) for row in X}) == 958
    assert (y == "positive").sum() == 626
    counts = (X == "x").sum(axis=1) - (X == "o").sum(axis=1)
    assert set(counts) == {0, 1}


def test_balance_scale():
    X, y = datasets.load_balance_scale(return_X_y=True)
    assert X.shape == (625, 4) and X.min() == 1 and X.max() == 5
    for row, side in zip(X, y, strict=True):
        torque = row[0] * row[1] - row[2] * row[3]
        assert side == {1: "L", 0: "B", -1: "R"}[int(np.sign(torque))]


@pytest.mark.parametrize(
    "problem, members, rows", [(1, 216, 124), (2, 142, 169), (3, 228, 122)]
)
def test_monks(problem, members, rows):
    everyone = datasets.load_monks(problem, as_frame=True)
    assert everyone.data.shape == (432, 6) and everyone.target.sum() == members
    train = datasets.load_monks(problem, subset="train", as_frame=True)
    assert train.data.shape == (rows, 6)
    true = everyone.frame.merge(train.frame, on=list(train.data.columns))
    wrong = (true["class_x"] != true["class_y"]).sum()
    assert wrong == (round(0.05 * rows) if problem == 3 else 0)


def test_monks_seed():
    first = datasets.load_monks(1, subset="train", random_state=1)
    again = datasets.load_monks(1, subset="train", random_state=1)
    other = datasets.load_monks(1, subset="train", random_state=2)
    assert np.array_equal(first.data, again.data)
    assert not np.array_equal(first.data, other.data)


def test_xor():
    X, y = datasets.make_xor(
        200, n_relevant=3, n_noise=4, random_state=0, return_X_y=True
    )
    assert X.shape == (200, 7)
    assert np.array_equal(y, X[:, :3].sum(axis=1) % 2)
    noisy = datasets.make_xor(2000, label_noise=0.2, random_state=0)
    flipped = noisy.target != noisy.data[:, :2].sum(axis=1) % 2
    assert 0.15 < flipped.mean() < 0.25


@pytest.mark.parametrize("n_categories, n_classes", [(2, 2), (4, 3)])
def test_planted_tree(n_categories, n_classes):
    planted = datasets.make_planted_tree(
        400,
        n_features=8,
        n_categories=n_categories,
        n_splits=3,
        n_classes=n_classes,
        random_state=5,
    )
    assert planted.data.shape == (400, 8) and planted.n_splits == 3
    assert np.array_equal(planted.target, planted.clean_target)
    model = OptimalTreeClassifier(0.001, categorical_split="one-vs-rest", time_limit=20)
    model.fit(planted.data, planted.target)
    assert model.optimal_ and model.objective_ <= 0.001 * 3 + 1e-12


def test_planted_noise_and_seed():
    make = datasets.make_planted_tree
    planted = make(300, label_noise=0.2, n_classes=4, random_state=1)
    assert (planted.target != planted.clean_target).sum() == 60
    assert np.array_equal(
        planted.target, make(300, label_noise=0.2, n_classes=4, random_state=1).target
    )


LOADERS = [
    datasets.load_tic_tac_toe,
    datasets.load_balance_scale,
    datasets.load_monks,
    datasets.make_xor,
    datasets.make_planted_tree,
]


@pytest.mark.parametrize("loader", LOADERS)
def test_shapes_of_the_answer(loader):
    seeded = {"random_state": 0} if loader.__name__.startswith("make") else {}
    plain = loader(**seeded)
    assert isinstance(plain.data, np.ndarray) and plain.frame is None
    assert plain.DESCR and len(plain.feature_names) == plain.data.shape[1]
    framed = loader(as_frame=True, **seeded)
    assert isinstance(framed.data, pd.DataFrame)
    assert isinstance(framed.target, pd.Series) and framed.target.name == "class"
    assert framed.frame.shape == (len(plain.data), plain.data.shape[1] + 1)
    X, y = loader(return_X_y=True, **seeded)
    assert np.array_equal(X, plain.data) and np.array_equal(y, plain.target)
    assert np.array_equal(plain.target_names, np.unique(y))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: datasets.load_monks(4), "problem must be 1, 2 or 3"),
        (lambda: datasets.load_monks(subset="half"), "subset must be"),
        (lambda: datasets.make_xor(label_noise=2), "label_noise must lie"),
        (lambda: datasets.make_planted_tree(n_categories=1), "n_categories must be"),
        (lambda: datasets.make_planted_tree(n_classes=1), "n_classes must be"),
    ],
)
def test_bad_arguments(call, words):
    with pytest.raises(ValueError, match=words):
        call()
