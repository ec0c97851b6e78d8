"""Facts about leaves in every format: rows per class, smoothed shares, intervals."""

import json
import math

import numpy as np
import pytest

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor, from_json
from treeproof.tree.leaf_facts import mean_interval, wilson
from treeproof.words import counted, number


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = {"a": rng.normal(size=200), "b": rng.choice(list("xyz"), 200)}
    y = (X["a"] > 0.8) ^ (rng.random(200) < 0.1)
    return X, y


@pytest.fixture(scope="module")
def balanced(data):
    return OptimalTreeClassifier(max_depth=2, class_weight="balanced").fit(*data)


def test_rows_are_counted_whatever_their_weight(data, balanced):
    X, y = data
    leaf = balanced.apply(X)
    facts = balanced.leaf_facts()
    assert sum(f.rows for f in facts) == 200
    for f in facts:
        inside = y[leaf == f.node]
        assert f.rows == len(inside)
        assert f.rows_per_class == {False: (~inside).sum(), True: inside.sum()}
    wrong = (balanced.predict(X) != y).sum()
    shown = [line for line in balanced.export_text().splitlines() if "wrong" in line]
    assert sum(int(line.split()[-2]) for line in shown) == wrong
    assert "weight" not in balanced.export_text()


def test_weights_of_rows_leave_the_counts_alone(data):
    X, y = data
    weights = np.random.default_rng(1).uniform(0.5, 2, 200)
    clf = OptimalTreeClassifier(max_depth=1).fit(X, y, weights)
    assert sum(sum(f.rows_per_class.values()) for f in clf.leaf_facts()) == 200


def test_smoothing(data, balanced):
    X, _ = data
    plain = balanced.predict_proba(X)
    smooth = balanced.predict_proba(X, smoothing=1.0)
    weight = balanced.tree_.value[balanced.apply(X)]
    assert np.allclose(smooth, (weight + 1) / (weight.sum(axis=1, keepdims=True) + 2))
    assert np.array_equal(plain, balanced.predict_proba(X, smoothing=0.0))
    by_leaf = {f.node: f for f in balanced.leaf_facts(smoothing=1.0)}
    for row, node in enumerate(balanced.apply(X)[:20]):
        assert list(by_leaf[node].probabilities.values()) == pytest.approx(smooth[row])
    with pytest.raises(ValueError, match="smoothing is a number >= 0"):
        balanced.predict_proba(X, smoothing=-1.0)


def test_wilson_covers_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    for share, n in ((0.02, 40), (0.3, 15), (0.5, 200)):
        found = rng.binomial(n, share, size=2000)
        inside = [low <= share <= high for low, high in (wilson(k, n) for k in found)]
        assert 0.9 < np.mean(inside) < 0.99
    assert wilson(0, 5)[0] == 0.0 and wilson(5, 5)[1] == 1.0 and wilson(0, 0) is None


def test_the_mean_s_interval_is_student_s():
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(2000):
        sample = rng.normal(3.0, 2.0, size=6)
        low, high = mean_interval(sample.mean(), sample.var(), 6)
        inside += low <= 3.0 <= high
    assert 0.93 < inside / 2000 < 0.97
    assert mean_interval(1.0, 0.0, 1) is None


def test_regression(data):
    X, _ = data
    y = 1e5 * (X["a"] > 0) + np.random.default_rng(2).normal(size=200)
    tree = OptimalTreeRegressor(max_depth=1).fit(X, y)
    for f in tree.leaf_facts():
        inside = y[tree.apply(X) == f.node]
        half = (f.interval[1] - f.interval[0]) / 2
        assert f.prediction == pytest.approx(inside.mean())
        error = inside.std(ddof=1) / math.sqrt(len(inside))
        assert 1.9 * error < half < 2.1 * error
        assert f.rows_per_class is None and f.probabilities is None
    assert "mean between" in tree.export_text(details=True)
    medians = OptimalTreeRegressor(max_depth=1, criterion="absolute_error").fit(X, y)
    assert medians.leaf_facts()[0].interval is None
    assert "mean between" not in from_json(medians.to_json()).export_text(details=True)


def test_every_format_says_it(balanced):
    text = balanced.export_text(details=True)
    for rule, f in zip(balanced.to_rules(), balanced.leaf_facts(), strict=True):
        assert rule.rows_per_class == f.rows_per_class and rule.interval == f.interval
        assert str(rule).startswith("If ") and str(rule).endswith(").")
        line = ", ".join(f"{c}: {n}" for c, n in f.rows_per_class.items() if n)
        assert line in text and line in balanced.to_svg(details=True)
        assert line not in balanced.to_svg()
    again = from_json(balanced.to_json())
    assert again.export_text(details=True) == text
    node = balanced.tree_.to_dict()["nodes"][0]
    assert sum(node["class_counts"]) == node["samples"]
    spoilt = json.loads(balanced.to_json())
    spoilt["tree"]["nodes"][0]["class_counts"] = [-1, 3]
    with pytest.raises(ValueError, match="class counts of node 0"):
        from_json(json.dumps(spoilt))


def test_rules_of_no_rows_are_given_on_request(data):
    X = {"colour": ["red", "blue", "green"] * 8}
    clf = OptimalTreeClassifier(categorical_split="multiway").fit(X, [1, 0, 2] * 8)
    assert [rule.samples for rule in clf.to_rules()] == [8, 8, 8]
    assert [rule.samples for rule in clf.to_rules(unseen=True)] == [8, 8, 8, 0]
    single = OptimalTreeClassifier(max_depth=0).fit(X, [1, 0, 1] * 8)
    assert str(single.to_rules()[0]) == "Always predict 1 (24 rows, 67%)."


@pytest.mark.parametrize(
    "value, digits, text",
    [
        (11338.84, 6, "11,338.8"), (192800.0, 4, "192,800"), (0.5, 6, "0.5"),
        (-1234567.0, 6, "-1,234,567"), (0.0, 6, "0"), (-0.0, 6, "0"),
        (99999.96, 4, "100,000"), (1e20, 6, "1e+20"), (2.5e-9, 6, "2.5e-09"),
        (0.000123456789, 4, "0.0001235"), (math.inf, 6, "inf"), (1972.5, 6, "1972.5"),
    ],
)  # fmt: skip
def test_numbers_as_people_write_them(value, digits, text):
    assert number(value, digits) == text


def test_counts():
    assert (
        counted(1, "split") == "1 split" and counted(0, "leaf", "leaves") == "0 leaves"
    )


def test_smoothed_shares_in_text_rules_and_pictures(data):
    X, y = data
    clf = OptimalTreeClassifier(max_depth=2).fit(X, y)
    for smoothing in (1.0, 20.0):
        shares = [
            f.probabilities[f.prediction] for f in clf.leaf_facts(smoothing=smoothing)
        ]
        ends = [f"probability {share:.3g}" for share in shares]
        for text in (clf.export_text(smoothing=smoothing),
                     clf.export_text(details=True, smoothing=smoothing)):  # fmt: skip
            told = [line for line in text.splitlines() if "probability" in line]
            assert [line.split(", ")[-1] for line in told] == ends
        rules = clf.to_rules(smoothing=smoothing)
        assert [r.probabilities[r.prediction] for r in rules] == pytest.approx(shares)
        drawn = clf.to_svg(smoothing=smoothing)
        for rule, share in zip(rules, shares, strict=True):
            shown = str(rule).split(", ")[-1].removesuffix(").")
            assert float(shown.removesuffix("%")) == pytest.approx(100 * share, abs=1)
            assert f"{rule.samples} rows, {shown}" in drawn
    assert clf.export_text(smoothing=0.0) == clf.export_text()
    assert str(clf.to_rules(smoothing=1.0)[0]) != str(clf.to_rules()[0])


def test_smoothed_shares_of_leaves_with_costs_and_probabilities(data):
    X, y = data
    asks = OptimalTreeClassifier(max_depth=2, abstain_cost=0.05).fit(X, y)
    text = asks.export_text(smoothing=1.0).splitlines()
    assert sum("probability" in line for line in text) == sum(
        f.prediction is not None for f in asks.leaf_facts()
    )
    likely = OptimalTreeClassifier(max_depth=1, criterion="gini").fit(X, y)
    chosen = likely.tree_.action[likely.apply(X)]
    share = likely.predict_proba(X, smoothing=2.0)[np.arange(200), chosen]
    for value in np.unique(share):
        assert f"probability {value:.3g}" in likely.export_text(smoothing=2.0)


def test_smoothing_is_for_classes(data):
    model = OptimalTreeRegressor(max_depth=1).fit(data[0], data[1].astype(float))
    for say in (model.export_text, model.to_rules, model.to_svg):
        with pytest.raises(ValueError, match="for trees that predict classes"):
            say(smoothing=1.0)
    with pytest.raises(ValueError, match="a number >= 0"):
        OptimalTreeClassifier(max_depth=1).fit(*data).export_text(smoothing=-1.0)


def test_json_tells_what_a_leaf_says_and_does_not_read_it(data):
    X, y = data
    clf = OptimalTreeClassifier(max_depth=2).fit(X, y)
    content = json.loads(clf.to_json())
    nodes = content["tree"]["nodes"]
    leaves = {f.node: f for f in clf.leaf_facts()}
    for number_of, node in enumerate(nodes):
        assert ("probabilities" in node) == (number_of in leaves)
    for number_of, facts in leaves.items():
        told = nodes[number_of]
        assert told["probabilities"] == pytest.approx(
            list(facts.probabilities.values())
        )
        assert told["interval"] == pytest.approx(facts.interval)
        told["probabilities"], told["interval"] = "other", None
    assert from_json(json.dumps(content)).tree_ == clf.tree_
    means = OptimalTreeRegressor(max_depth=1).fit(X, y.astype(float))
    for node in json.loads(means.to_json())["tree"]["nodes"][1:]:
        assert node["interval"][0] < node["value"][0] < node["interval"][1]
