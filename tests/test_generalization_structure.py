"""Shapes of trees: canonical form, sources, bad input."""

import pickle
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from treeproof import OptimalTreeClassifier
from treeproof.generalization import TreeStructure

nested = st.recursive(
    st.just(()), lambda inner: st.lists(inner, min_size=2, max_size=4).map(tuple)
)


def mirrored(shape):
    return tuple(mirrored(child) for child in reversed(shape))


def leaves(shape):
    return sum(map(leaves, shape)) if shape else 1


def depth(shape):
    return 1 + max(map(depth, shape)) if shape else 0


@given(nested)
def test_mirror_images_are_one_object(shape):
    structure = TreeStructure.of(shape)
    assert TreeStructure.of(mirrored(shape)) is structure
    assert TreeStructure.of(structure.to_tuple()) is structure
    assert structure.n_leaves == leaves(shape)
    assert structure.depth == depth(shape)
    assert pickle.loads(pickle.dumps(structure)) is structure
    assert eval(repr(structure)) is structure if structure.depth <= 50 else True


def test_canonical_form_does_not_depend_on_history():
    """Shapes of equal size and depth are ordered by what is in them."""
    a = ((((), ()), ()), ((), ()))
    b = ((((), ()), ()), ())
    for shape in [(a, b), (b, a)]:
        assert TreeStructure.of(shape).to_tuple() == TreeStructure.of((b, a)).to_tuple()


def test_all_sources_agree():
    X, y = load_iris(return_X_y=True)
    sk = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    ours = OptimalTreeClassifier(0.01, max_depth=2).fit(X, y)
    for model in (sk, ours):
        shape = TreeStructure.of(model)
        assert shape is TreeStructure.of(model.tree_)
        assert shape.n_leaves == model.get_n_leaves()
        assert shape.depth == model.get_depth()
        assert shape.is_binary
    assert TreeStructure.of(None) is TreeStructure() is TreeStructure.of(())


def test_collapsed_trees_have_the_shape_they_had():
    rng = np.random.default_rng(0)
    x = rng.choice(list("abcd"), 100)
    model = OptimalTreeClassifier(categorical_split="multiway")
    model.fit({"x": x}, np.isin(x, ["a", "b"]).astype(int))
    assert TreeStructure.of(model.tree_.collapse()) is TreeStructure.of(model)
    assert not TreeStructure.of(model).is_binary


def test_threads_share_shapes():
    found = []

    def build():
        shape = TreeStructure()
        for _ in range(200):
            shape = TreeStructure((shape, TreeStructure()))
        found.append(shape)

    threads = [threading.Thread(target=build) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(id, found))) == 1


def test_deep_trees():
    shape = TreeStructure()
    for _ in range(5000):
        shape = TreeStructure((shape, TreeStructure()))
    assert shape.n_nodes == shape.depth == 5000
    assert repr(shape) == "<TreeStructure: 5001 leaves, depth 5000>"
    assert pickle.loads(pickle.dumps(shape)) is shape
    assert len(shape.substructures()) == 5001


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (3, "cannot read the shape of a int"),
        ("tree", "cannot read the shape of a str"),
        (DecisionTreeClassifier(), "has no tree yet; call fit"),
        (OptimalTreeClassifier(), "has no tree yet; call fit"),
        (((), 1), r"\(\) or None for its leaves, not 1"),
        (((), ((),)), "a single child is no split"),
    ],
)
def test_bad_input_gets_one_sentence(given, words):
    with pytest.raises((TypeError, ValueError), match=words) as failure:
        TreeStructure.of(given)
    assert "\n" not in str(failure.value)
