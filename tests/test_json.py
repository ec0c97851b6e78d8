"""Model files: the same model is read back, and malicious files do no harm."""

import copy
import json
import warnings

import numpy as np
import pandas as pd
import pytest

from treeproof import (
    ObliqueTreeClassifier,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    from_json,
)
from treeproof.persistence import load, save


@pytest.fixture(scope="module")
def document():
    frame = pd.DataFrame(
        {"size": [1.0, 2, 3, 4] * 3, "kind": list("abc") * 4, "new": [True, False] * 6}
    )
    y = np.where((frame["kind"] == "a") | (frame["size"] > 2.5), "u", "v")
    model = OptimalTreeClassifier(0.01, categorical_split="multiway").fit(frame, y)
    assert set(model.tree_.kind) == {0, 1, 3}
    return json.loads(model.to_json(target="y"))


def node(content, kind):
    """The first node with such an entry."""
    return next(n for n in content["tree"]["nodes"] if kind in n)


def change(content, what):
    """Apply one of the changes below to a document."""
    what(content)
    return content


CHANGES = {
    "another format": (lambda d: d.update(format="x"), "is not a model of treeproof"),
    "another version": (lambda d: d.update(format_version=1),
                        "version 1 of the format; this treeproof reads version 3"),
    "unknown estimator": (lambda d: d.update(estimator="os.system"),
                          "a 'os.system', which treeproof does not know"),
    "estimator of another kind": (lambda d: d.update(estimator=["a"]), "does not know"),
    "unknown parameter": (lambda d: d["parameters"].update(shell="rm"),
                          "the parameter 'shell', which this version of"),
    "bad parameter": (lambda d: d["parameters"].update(max_depth=-4), "max_depth"),
    "bad pairs": (lambda d: d["parameters"].update(class_weight={"pairs": 3}),
                  "parameter 'class_weight' of the model cannot be read"),
    "no parameters": (lambda d: d.pop("parameters"), "has no parameters"),
    "no certificate": (lambda d: d.pop("certificate"), "has no certificate"),
    "bound as text": (lambda d: d["certificate"].update(objective="0"), "no bounds"),
    "bound above objective": (lambda d: d["certificate"].update(lower_bound=9),
                              "contradicts itself"),
    "unknown status": (lambda d: d["certificate"].update(status="fine"),
                       "contradicts itself"),
    "no statistics": (lambda d: d.update(statistics=[]), "no statistics"),
    "target that is no name": (lambda d: d.update(target=3), "target of the model"),
    "no tree": (lambda d: d.pop("tree"), "The tree is not an object"),
    "no nodes": (lambda d: d["tree"].update(nodes=[]), "The tree has no nodes"),
    "no columns": (lambda d: d["tree"].update(columns=[]), "has no columns"),
    "column without a name": (lambda d: d["tree"]["columns"][1].pop("name"),
                              "Column 1 of the tree has no name"),
    "two columns of one name": (
        lambda d: d["tree"]["columns"][1].update(name="size"), "two columns named"),
    "mixed categories": (lambda d: d["tree"]["columns"][1].update(categories=["a", 1]),
                         "categories of 'kind' are not all text"),
    "unsorted categories": (
        lambda d: d["tree"]["columns"][1].update(categories=["b", "a", "c"]),
        "categories of 'kind' are not sorted"),
    "no categories": (lambda d: d["tree"]["columns"][1].update(categories=[]),
                      "categories of 'kind' are not a list"),
    "unknown type": (lambda d: d["tree"]["columns"][1].update(type="object"),
                     "have the unknown type 'object'"),
    "categories of another type": (
        lambda d: d["tree"]["columns"][2].update(type="int8", categories=[1, 300]),
        "categories of 'new' are not all of the type int8"),
    "equal classes": (lambda d: d["tree"].update(classes=["u", "u"]), "Two classes"),
    "regression": (lambda d: d["tree"].update(classes=None), "is not that of a"),
    "node that is a list": (lambda d: d["tree"]["nodes"].__setitem__(1, []),
                            "Node 1 is not an object"),
    "value of text": (lambda d: d["tree"]["nodes"][1].update(value=["a", 1]),
                      "value of node 1 is not a list of finite numbers"),
    "value too long": (lambda d: d["tree"]["nodes"][1].update(value=[1, 2, 3]),
                       "value of node 1 has 3 numbers, not 2"),
    "huge value": (lambda d: d["tree"]["nodes"][1].update(value=[10**400, 1]),
                   "value of node 1 is not a list of finite"),
    "negative value": (lambda d: d["tree"]["nodes"][1].update(value=[-1, 2]),
                       "class weights of node 1 are not positive"),
    "no samples": (lambda d: d["tree"]["nodes"][1].pop("samples"), "how many samples"),
    "bad weight": (lambda d: d["tree"]["nodes"][1].update(weight=None), "its weight"),
    "unknown column": (lambda d: d["tree"]["nodes"][0].update(feature="z"),
                       "Node 0 tests 'z', which is not a column"),
    "threshold of text": (lambda d: node(d, "threshold").update(threshold="3"),
                          "has no number to compare"),
    "unknown category": (
        lambda d: node(d, "children")["children"][0].update(categories=["z"]),
        "speaks of 'z', which is no category of 'kind'"),
    "category of a list": (
        lambda d: node(d, "children")["children"][0].update(categories=[[]]),
        "which is no category of 'kind'"),
    "category twice": (
        lambda d: node(d, "children")["children"][0].update(categories=["a", "b"]),
        "two children for one category"),
    "a cycle": (lambda d: node(d, "threshold").update(yes=0), "has the child 0"),
    "a child twice": (
        lambda d: node(d, "threshold").update(yes=node(d, "threshold")["no"]),
        "which cannot be"),
    "child out of range": (lambda d: node(d, "threshold").update(yes=10**6),
                           "has the child 1000000"),
    "child of text": (lambda d: node(d, "threshold").update(yes="2"), "the child '2'"),
    "no children": (lambda d: node(d, "threshold").update(yes=None, no=None),
                    "has no children"),
    "half an impurity": (lambda d: d["tree"]["nodes"][1].update(impurity=1),
                         "impurity of node 0 is not a number"),
    "an orphan": (
        lambda d: d["tree"]["nodes"].append(copy.deepcopy(d["tree"]["nodes"][-1])),
        "is nobody's child"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(CHANGES))
def test_a_changed_document_is_refused(document, name):
    what, words = CHANGES[name]
    text = json.dumps(change(copy.deepcopy(document), what))
    with pytest.raises(ValueError, match=words):
        from_json(text)


@pytest.mark.parametrize(
    "text", ["", "nonsense", "[" * 100_000, b"\x80\x04\x95", '{"a": NaN}', "3", "[]"]
)
def test_what_is_no_document(text):
    with pytest.raises(ValueError, match=r"not a (JSON document|model of treeproof)"):
        from_json(text)


def test_random_damage_is_refused_or_harmless(document):
    """Whatever value replaces any other, a model is read or ValueError is raised."""
    places = []

    def walk(value, path):
        if path:
            places.append(path)
        if isinstance(value, dict | list):
            keys = value if isinstance(value, dict) else range(len(value))
            for key in keys:
                walk(value[key], [*path, key])

    # Nothing reads the figures about the search, so that they may be anything.
    document = {**document, "statistics": {}}
    walk(document, [])
    rows = pd.DataFrame({"size": [2.5], "kind": ["z"], "new": [True]})
    accepted = 0
    for path in places:
        for value in (
            None,
            -1,
            10**30,
            0.5,
            "",
            [],
            {},
            True,
            [1],
            {"pairs": [[1, 2]]},
        ):
            damaged = copy.deepcopy(document)
            inner = damaged
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = value
            try:
                model = from_json(json.dumps(damaged))
            except ValueError:
                continue
            accepted += 1
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if hasattr(model, "feature_names_in_") and list(rows) == [
                    *model.feature_names_in_
                ]:
                    model.predict(rows)
    assert accepted < 0.35 * 10 * len(places)


@pytest.mark.parametrize(
    "labels",
    [["a", "b"], [0, 1], np.array([3, 7], dtype=np.int8), [True, False], [1.0, 2.0]],
)
def test_labels_keep_their_type(labels):
    model = OptimalTreeClassifier().fit([[0.5], [1.5]], labels)
    again = from_json(model.to_json())
    assert again.classes_.dtype == model.classes_.dtype
    assert again.predict([[0.5], [1.5]]).tolist() == list(labels)
    assert again.tree_ == model.tree_


@pytest.mark.parametrize("outputs", [1, 2])
def test_regressors(outputs):
    random = np.random.default_rng(0)
    X = pd.DataFrame({"a": random.normal(size=40), "b": list("pqrs") * 10})
    y = random.normal(size=(40, outputs)).squeeze() + 1 / 3
    model = OptimalTreeRegressor(0.05, max_depth=1, criterion="absolute_error").fit(
        X, y
    )
    again = from_json(model.to_json())
    assert np.array_equal(again.predict(X), model.predict(X))
    assert again.certificate() == model.certificate()
    assert again.get_params() == model.get_params()
    rows = model.encode(X)
    assert np.allclose(again.to_sklearn().predict(rows), again.predict(X))
    ours, theirs = again.to_sklearn().tree_, model.to_sklearn().tree_
    assert np.array_equal(ours.impurity, theirs.impurity)


def test_unnamed_tables_stay_unnamed():
    again = from_json(OptimalTreeClassifier().fit([[0], [1]], [0, 1]).to_json())
    assert not hasattr(again, "feature_names_in_") and again.n_features_in_ == 1


def test_what_cannot_be_written(tmp_path):
    model = ObliqueTreeClassifier(max_splits=1).fit(np.eye(2), [0, 1])
    with pytest.raises(TypeError, match="A ObliqueTreeClassifier cannot be written"):
        save(model, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_pickles_are_not_opened(tmp_path):
    import pickle

    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "trap"), "w"))

    path = tmp_path / "model"
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ValueError, match="is not a model saved by treeproof"):
        load(path)
    assert not (tmp_path / "trap").exists()


def test_an_old_name_of_a_role_is_read(document):
    """Earlier files call the search of any depth "question"."""
    old = copy.deepcopy(document)
    roles = [share["role"] for share in old["statistics"]["shares"]]
    assert "whole" in roles
    for share in old["statistics"]["shares"]:
        share["role"] = share["role"].replace("whole", "question")
    model = from_json(json.dumps(old))
    assert [share["role"] for share in model.stats_["shares"]] == roles
