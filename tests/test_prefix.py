"""A tree whose top is given is the best of those that begin so."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from brute_prefix import Brute
from effort import rounds
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.cli import app

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

MANY = 10**6


def random_table(rng, gaps=False):
    n = int(rng.integers(6, 11))
    numbers = rng.integers(0, 4, n).astype(float)
    other = rng.integers(0, 3, n).astype(float)
    words = rng.choice(list("abc"), n).astype(object)
    pair = rng.choice(["u", "v"], n).astype(object)
    if gaps:
        numbers[rng.random(n) < 0.2] = np.nan
        words[rng.random(n) < 0.2] = None
    return pd.DataFrame({"num": numbers, "oth": other, "word": words, "pair": pair})


def columns_of(frame):
    return [[None if pd.isna(v) else v for v in frame[c]] for c in frame]


def random_top(rng, frame, levels):
    """Return a random partial tree; columns by number."""
    kind = rng.random()
    if levels == 0 or kind < 0.25:
        return rng.choice(np.array([None, None, "leaf", "few"], dtype=object))
    column = int(rng.integers(0, frame.shape[1]))
    top = {"feature": column}
    values = frame.iloc[:, column].dropna().unique().tolist()
    ask = rng.random()
    if column < 2 and ask < 0.6 and len(values) > 1:
        low, *_, high = sorted(values)
        cut = float(rng.choice([v for v in sorted(values) if v < high] or [low]))
        top["threshold"] = cut + 0.3 * column  # one threshold for each gap
    elif column >= 2 and ask < 0.4:
        top["category"] = str(rng.choice(values))
    elif column == 2 and ask < 0.7:
        top["children"] = {v: random_top(rng, frame, levels - 1) for v in values[:2]}
        return top
    for side in ("yes", "no"):
        if rng.random() < 0.7:
            top[side] = random_top(rng, frame, levels - 1)
    return top


def written(top):
    """Return a partial tree as users write it, and with sets of columns spelt out."""
    if isinstance(top, dict):
        made = {k: written(v) if k in ("yes", "no") else v for k, v in top.items()}
        if "children" in top:
            made["children"] = {k: written(v) for k, v in top["children"].items()}
        return made
    return {"allowed_features": [0, 3]} if top == "few" else top


def check(model, cost, X, y, weights=None, tolerance=1e-9):
    if math.isinf(cost):
        with pytest.raises(ValueError, match=r"prefix|No tree that begins"):
            model.fit(X, y, weights)
        return False
    model.fit(X, y, weights)
    assert model.optimal_
    assert model.objective_ == pytest.approx(cost, abs=tolerance)
    assert model.lower_bound_ == model.objective_
    return True


def errors(y, weights):
    """Return the loss of a leaf: the share of the weight that is misclassified."""

    def loss(rows):
        inside = [sum(weights[r] for r in rows if y[r] == c) for c in np.unique(y)]
        return (sum(inside) - max(inside)) / weights.sum()

    return loss


def drawn(rng, gaps, levels=2):
    """Return a table and a partial tree with at least one split."""
    while True:
        X = random_table(rng, gaps)
        top = written(random_top(rng, X, levels))
        if isinstance(top, dict) and "feature" in top:
            return X, top


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("block", range(rounds(4, 150)))
def test_classes_equal_brute_force(block, gaps):
    rng = np.random.default_rng([block, gaps])
    possible = 0
    for _ in range(15):
        X, top = drawn(rng, gaps)
        n = len(X)
        y = rng.integers(0, int(rng.choice([2, 3])), n)
        even = rng.random() < 0.6
        weights = np.ones(n) if even else rng.integers(1, 4, n).astype(float)
        penalty = float(rng.choice([0.0, 0.02, 0.1]))
        depth = int(rng.choice([2, 3]))
        splits = rng.choice(np.array([None, 2, 3, 4], dtype=object))
        least = int(rng.choice([1, 1, 2])) if even else 1
        allowed = [None, None, [0, 2, 3]][int(rng.integers(0, 3))]
        brute = Brute(columns_of(X), errors(y, weights), penalty, min_leaf=least)
        free = None if allowed is None else frozenset(allowed)
        cost = brute.best(top, range(n), depth, splits, free)
        if allowed is not None and not keeps_to(top, allowed):
            cost = math.inf
        model = OptimalTreeClassifier(
            penalty, prefix=top, max_depth=depth, max_splits=splits, time_limit=None,
            min_samples_leaf=least, allowed_features=allowed,
        )  # fmt: skip
        possible += check(model, cost, X, y, weights)
    assert possible >= 1


def keeps_to(top, allowed):
    """Whether a partial tree tests no column but the allowed ones."""
    if not isinstance(top, dict):
        return True
    inside = [*top.get("children", {}).values(), top.get("yes"), top.get("no")]
    own = "feature" not in top or top["feature"] in allowed
    return own and all(keeps_to(child, allowed) for child in inside)


@pytest.mark.parametrize("block", range(rounds(2, 60)))
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "quantile"])
def test_numbers_equal_brute_force(block, criterion):
    rng = np.random.default_rng([block, 7])
    for _ in range(8):
        X, top = drawn(rng, gaps=bool(rng.random() < 0.5))
        y = rng.integers(0, 6, len(X)).astype(float)
        if np.ptp(y) == 0:
            continue
        q = 0.8 if criterion == "quantile" else 0.5

        def raw(rows, y=y, q=q):
            inside = y[list(rows)]
            if criterion == "squared_error":
                return float(((inside - inside.mean()) ** 2).sum())
            off = [inside - c for c in inside]
            return min(float(np.where(d > 0, q * d, (q - 1) * d).sum()) for d in off)

        whole = raw(range(len(X)))
        if whole == 0:
            continue
        depth, splits = 3, rng.choice(np.array([None, 3], dtype=object))
        brute = Brute(columns_of(X), lambda rows, whole=whole: raw(rows) / whole, 0.03)
        cost = brute.best(top, range(len(X)), depth, splits)
        model = OptimalTreeRegressor(
            0.03, criterion=criterion, quantile=0.8, prefix=top, max_depth=depth,
            max_splits=splits, time_limit=None,
        )  # fmt: skip
        check(model, cost, X, y, tolerance=1e-8)


@pytest.mark.parametrize("criterion", ["log_loss", "gini"])
@pytest.mark.parametrize("first", [False, True])
def test_probabilities_with_smoothing_equal_brute_force(criterion, first):
    rng = np.random.default_rng(3)
    for _ in range(rounds(8, 200)):
        X = random_table(rng)
        y = rng.integers(0, 2, len(X))
        if len(np.unique(y)) < 2 or X.oth.nunique() < 2:
            continue

        def loss(rows, y=y):
            weights = np.bincount(y[list(rows)], minlength=2) + 0.5
            share = weights / weights.sum()
            each = -np.log(share) if criterion == "log_loss" else 1 - share
            return float(weights @ each) / len(y)

        brute = Brute(columns_of(X), loss, 0.02)
        top = {"feature": 1}
        cost = brute.best(top, range(len(X)), 2, None)
        given = {"first_split": 1} if first else {"prefix": top}
        model = OptimalTreeClassifier(
            0.02, criterion=criterion, smoothing=0.5, max_depth=2, time_limit=None,
            **given,
        )  # fmt: skip
        check(model, cost, X, y, tolerance=1e-8)


@pytest.mark.parametrize("block", range(rounds(2, 40)))
def test_first_split_with_a_number_of_splits(block):
    rng = np.random.default_rng([block, 11])
    for _ in range(10):
        X = random_table(rng)
        y = rng.integers(0, 2, len(X))
        if X.num.nunique() < 2:
            continue
        splits = int(rng.integers(1, 5))
        brute = Brute(columns_of(X), errors(y, np.ones(len(X))), 0.01)
        cost = brute.best({"feature": 0}, range(len(X)), 4, splits)
        model = OptimalTreeClassifier(
            0.01, first_split="num", max_splits=splits, max_depth=4, time_limit=None
        )
        check(model, cost, X, y)
        assert model.n_splits_ <= splits and model.tree_.feature[0] == 0


@pytest.fixture
def people():
    rng = np.random.default_rng(5)
    X = pd.DataFrame(
        {"age": rng.integers(18, 80, 200), "income": rng.normal(30, 10, 200),
         "sex": rng.choice(["f", "m"], 200), "town": rng.choice(list("abcd"), 200)}
    )  # fmt: skip
    y = ((X.age > 40) & (X.sex == "f")) ^ (rng.random(200) < 0.1)
    return X, y.astype(int)


def test_the_tree_has_the_top_as_it_was_written(people):
    X, y = people
    top = {
        "feature": "age", "threshold": 30.25,
        "yes": {"feature": "sex", "category": "m", "yes": "leaf"},
        "no": {"allowed_features": ["income"]},
    }  # fmt: skip
    model = OptimalTreeClassifier(0.005, prefix=top, max_depth=3).fit(X, y)
    tree = model.tree_
    assert (tree.feature[0], tree.threshold[0]) == (0, 30.25)
    assert tree.columns[tree.feature[1]].name == "sex"
    assert model.to_prefix(max_depth=1) == {"feature": "age", "threshold": 30.25}
    below = [
        c.name for c in (tree.columns[f] for f in tree.feature) if c.name == "town"
    ]
    assert not below
    assert model.certificate() == (
        "Optimal: no tree of depth 3 or less with multiway and one-vs-rest splits of "
        "categories that begins with age <= 30.25 (yes: sex = m (yes: a leaf); no: "
        f"only income) costs less than {model.objective_:.6g}."
    )


def test_the_whole_tree_given_is_the_tree(people):
    X, y = people
    free = OptimalTreeClassifier(0.005, max_depth=3).fit(X, y)
    again = OptimalTreeClassifier(0.005, prefix=free.to_prefix(), max_depth=3).fit(X, y)
    assert again.objective_ == free.objective_ and again.optimal_
    assert again.export_text() == free.export_text()
    worse = OptimalTreeClassifier(
        0.005, prefix={"feature": "town"} , max_depth=3
    ).fit(X, y)  # fmt: skip
    assert worse.objective_ > free.objective_


def test_allowed_features(people):
    X, y = people
    only = ["income", "town"]
    model = OptimalTreeClassifier(0.002, allowed_features=only, max_depth=3).fit(X, y)
    alone = OptimalTreeClassifier(0.002, max_depth=3).fit(X[only], y)
    assert model.objective_ == alone.objective_ and model.optimal_
    assert "that splits on 'income' and 'town' only" in model.certificate()
    assert (model.predict(X) == alone.predict(X[only])).all()
    number = OptimalTreeRegressor(0.002, allowed_features=[1], max_depth=2)
    number.fit(X, 2.0 * X.age)
    assert set(number.tree_.feature) <= {1, -2}
    none = OptimalTreeClassifier(allowed_features=[]).fit(X, y)
    assert none.n_splits_ == 0 and none.optimal_
    assert "no column only" in none.certificate()


def test_alternatives_and_paths_keep_to_the_allowed_columns(people):
    from treeproof import penalty_path

    X, y = people
    model = OptimalTreeClassifier(0.01, allowed_features=["town"], max_depth=2)
    near = model.fit(X, y).near_optimal(0.02)
    some = near.sample(5, random_state=0)
    assert {f for found in some for f in found.tree.feature} <= {3, -2}
    path = penalty_path(X, y, estimator=model, low=0.005, high=0.1)
    assert all(set(p.model.tree_.feature) <= {3, -2} for p in path)


def test_stopping_keeps_a_tree_with_a_true_bound():
    rng = np.random.default_rng(0)
    X = rng.random((2000, 12))
    y = rng.integers(0, 2, 2000)
    top = {"feature": 0, "threshold": 0.5, "yes": {"feature": 1, "threshold": 0.5}}
    with pytest.warns(Warning, match="begins with"):
        model = OptimalTreeClassifier(0.0005, prefix=top, time_limit=0.3).fit(X, y)
    assert model.status_ == "time_limit" and model.tree_.threshold[0] == 0.5
    assert 0 < model.lower_bound_ < model.objective_


@pytest.mark.parametrize(
    ("top", "message"),
    [
        ({"threshold": 3}, "has a 'threshold' but no \"feature\""),
        ({"feature": "agee"}, "did you mean 'age'"),
        ({"feature": "age", "treshold": 3}, "has the key 'treshold'; the keys are"),
        ({"feature": "age", "threshold": 3}, "are 18 to 79, all on one side"),
        ({"feature": "age", "threshold": "x"}, "the threshold 'x'"),
        ({"feature": "sex", "threshold": 3}, "holds categories"),
        ({"feature": "age", "category": 3}, "holds numbers"),
        ({"feature": "sex", "category": "x"}, "not a category of column 'sex'"),
        ({"feature": "town", "categories": ["a", "b"]}, "which is not a split"),
        ({"feature": "town", "categories": "ab"}, "give a list"),
        ({"feature": "age", "test": "missing"}, "which is not a split"),
        ({"feature": "town", "test": "odd"}, "the only one is"),
        ({"feature": "town", "children": ["a"]}, "give a dictionary"),
        ({"feature": "town", "children": {}, "yes": None}, "use one"),
        ({"feature": "age", "threshold": 30, "category": 3}, "use one"),
        ({"feature": "age", "yes": 3}, "prefix\\[\"yes\"\\] is 3"),
        ({"feature": "age", "threshold": 40, "yes": {"feature": "age",
          "threshold": 60}}, "No tree that begins with age <= 40"),
        ({"feature": "age", "threshold": 40.1, "no": {"feature": "age",
          "threshold": 40.2}}, "between which no training row lies"),
        ({"allowed_features": ["z"]}, "not a column of X"),
        ({"allowed_features": "age"}, "give a list of columns"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked(people, top, message):
    X, y = people
    with pytest.raises((ValueError, TypeError), match=message):
        OptimalTreeClassifier(prefix=top).fit(X, y)


def test_what_it_does_not_go_with(people, tmp_path):
    X, y = people
    top = {"feature": "age"}
    for other, message in (
        ({"first_split": "age"}, "cannot be combined with first_split"),
        ({"quantiles": 5}, "cannot be combined with quantiles"),
        ({"shape": "list"}, "cannot be combined with prefix"),
        ({"metric": "f1", "max_depth": 2}, "leave out prefix"),
        ({"max_depth": 0}, "needs a max_depth of at least 1"),
        ({"max_splits": 0}, "more than max_splits=0"),
    ):
        with pytest.raises(ValueError, match=message):
            OptimalTreeClassifier(prefix=top, **other).fit(X, y)
    with pytest.raises(ValueError, match="writes no proof"):
        OptimalTreeRegressor(prefix=top).fit(X, y == y[0], proof=tmp_path / "p.gz")
    with pytest.raises(ValueError, match="allowed_features has no proof files"):
        OptimalTreeRegressor(allowed_features=[0]).fit(X, y, proof=tmp_path / "p.gz")
    with pytest.raises(ValueError, match="checkpoint cannot be combined with prefix"):
        OptimalTreeClassifier(prefix=top, solver="sparse").fit(
            X, y, checkpoint=tmp_path / "c"
        )
    with pytest.raises(ValueError, match="cannot be listed with prefix"):
        OptimalTreeClassifier(prefix=top, max_depth=2).fit(X, y).near_optimal(0.01)


def test_command_line(people, tmp_path):
    X, y = people
    X.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    top = {"feature": "age", "threshold": 40, "yes": "leaf", "no": None}
    (tmp_path / "top.json").write_text(json.dumps(top))
    base = ["fit", str(tmp_path / "t.csv"), "--target", "y", "--max-depth", "3"]
    done = CliRunner().invoke(
        app,
        [*base, "--json", "--prefix", str(tmp_path / "top.json"), "--allowed-features",
         "age,sex"],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    model = OptimalTreeClassifier(prefix=top, allowed_features=["age", "sex"])
    model.set_params(max_depth=3).fit(X, y)
    assert said["objective"] == model.objective_ and said["optimal"]
    assert "begins with age <= 40 (yes: a leaf)" in said["certificate"]
    (tmp_path / "top.json").write_text("[1]")
    done = CliRunner().invoke(app, [*base, "--prefix", str(tmp_path / "top.json")])
    assert "must hold one object" in str(done.exception)
