"""Model cards, and tools that store models: MLflow and skops."""

import hashlib

import numpy as np
import pytest

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.proof.checker import read_header


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = {"age": rng.integers(20, 80, 60), "plan": rng.choice(["basic", "pro"], 60)}
    return X, np.where(X["age"] > 40, "left", "stayed")


def test_the_card_has_the_certificate_and_the_proof(data, tmp_path):
    X, y = data
    path = tmp_path / "churn.proof.gz"
    clf = OptimalTreeClassifier(max_depth=2).fit(X, y, proof=path)
    card = clf.to_model_card(
        title="Churn", target="outcome", scores={"held-out accuracy": 0.91}, proof=path
    )
    assert card.startswith("# Churn\n") and clf.certificate() in card
    assert clf.export_text(details=True) in card and "`max_depth=2`" in card
    assert read_header(path).raw["fingerprint"] in card
    assert hashlib.sha256(path.read_bytes()).hexdigest() in card
    assert "- held-out accuracy: 0.91" in card and "`age`" in card


def test_a_card_of_a_regression(data):
    X, _ = data
    card = OptimalTreeRegressor(max_depth=1).fit(X, X["age"] * 1.5).to_model_card()
    assert "OptimalTreeRegressor" in card and "Score the tree on held-out" in card


def test_mlflow_keeps_the_model(data, tmp_path):
    mlflow = pytest.importorskip("mlflow.sklearn", reason="MLflow is not installed")
    X, y = np.column_stack([data[0]["age"]]), data[1]
    clf = OptimalTreeClassifier(max_depth=1).fit(X, y)
    mlflow.save_model(clf, tmp_path / "model", serialization_format="cloudpickle")
    again = mlflow.load_model(str(tmp_path / "model"))
    assert again.certificate() == clf.certificate()
    assert again.predict(X).tolist() == clf.predict(X).tolist()


def test_skops_keeps_the_model(data):
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    X, y = np.column_stack([data[0]["age"]]), data[1]
    clf = OptimalTreeClassifier(max_depth=1).fit(X, y)
    packed = skops.dumps(clf)
    needed = skops.get_untrusted_types(data=packed)
    again = skops.loads(packed, trusted=needed)
    assert again.predict(X).tolist() == clf.predict(X).tolist()
