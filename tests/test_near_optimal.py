"""`near_optimal` and ``n_best`` through the public interface."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from treeproof import OptimalTreeClassifier, penalty_path
from treeproof.alternatives import TooManyTreesError
from treeproof.alternatives.engine import Family, LimitReachedError
from treeproof.datasets import load_monks


@pytest.fixture(scope="module")
def monks():
    data = load_monks(1)
    clf = OptimalTreeClassifier(0.02, categorical_split="one-vs-rest")
    return clf.fit(data.data, data.target), data.data, data.target


@pytest.mark.parametrize("distinct", ["trees", "functions"])
def test_the_use_of_columns_by_a_limited_set_is_that_of_its_trees(distinct):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (80, 4))
    y = (X[:, 0] & X[:, 1]) ^ (rng.random(80) < 0.3)
    model = OptimalTreeClassifier(0.01, max_depth=2).fit(X, y)
    trees = model.near_optimal(0.5, limit=5, distinct=distinct)
    use = trees.feature_use()
    for name, n in use.items():
        tests = [int(name.removeprefix("x")) in t.tree.feature for t in trees]
        assert n == sum(tests) <= trees.count == 5


def test_trees_are_what_they_say(monks):
    clf, X, y = monks
    trees = clf.near_optimal(0.03)
    assert trees.optimal and trees.objective == clf.objective_
    assert sum(n for _, n in trees.objectives()) == trees.count == len(trees)
    assert trees[0].objective == pytest.approx(clf.objective_)
    for i in (0, 1, trees.count // 2, trees.count - 1, -1):
        found = trees[i]
        model = found.model
        assert 1 - model.score(X, y) == pytest.approx(found.loss)
        cost = found.loss + 0.02 * found.n_splits
        assert found.objective == pytest.approx(cost) == pytest.approx(model.objective_)
        assert cost <= clf.objective_ + 0.03 + 1e-9
        assert model.lower_bound_ == pytest.approx(clf.objective_)
    assert trees[0].model.optimal_ and not trees[-1].model.optimal_
    assert trees[-1].model.status_ == "near-optimal"
    costs = [t.objective for t in trees.best(50)]
    assert costs == sorted(costs)


def test_samples_are_uniform(monks):
    clf, _, _ = monks
    trees = clf.near_optimal(0.0)
    assert 2 <= trees.count < 1000
    everything = [t.tree.export_text() for t in trees.to_list()]
    assert len(set(everything)) == trees.count
    seen = dict.fromkeys(everything, 0)
    rng = np.random.default_rng(0)
    draws = 40 * trees.count
    for seed in rng.integers(0, 2**31, size=draws):
        seen[trees.sample(1, int(seed))[0].tree.export_text()] += 1
    # Each of them 40 times on average; a Poisson count is never below 10 or above 90.
    assert min(seen.values()) > 10 and max(seen.values()) < 90


def test_sampling_without_repetition(monks):
    clf, _, _ = monks
    trees = clf.near_optimal(0.0)
    whole = trees.sample(10 * trees.count, 1)
    assert len({t.tree.export_text() for t in whole}) == len(whole) == trees.count
    many = clf.near_optimal(0.03)
    some = many.sample(20, 1)
    assert len({t.tree.export_text() for t in some}) == 20


def test_features_and_filters(monks):
    clf, _, _ = monks
    trees = clf.near_optimal(0.03)
    use = trees.feature_use()
    name = min((n for n in use if use[n] > 0), key=use.get)
    assert clf.near_optimal(0.03, using=name).count == use[name]
    without = trees.filter(without=[name])
    assert without.count == trees.count - use[name]
    assert without.feature_use()[name] == 0 and without.without == (name,)
    columns = list(use)
    for found in trees.filter(using=name).sample(5, 0):
        assert columns.index(name) in found.tree.feature
    with pytest.raises(ValueError, match="in both using and without"):
        without.filter(using=name)
    with pytest.raises(ValueError, match="There is no column 'colour'"):
        trees.filter(using="colour")


def test_too_many_to_list(monks):
    clf, _, _ = monks
    trees = clf.near_optimal(0.03)
    with pytest.raises(TooManyTreesError, match="take some with best"):
        trees.to_list(most=3)
    with pytest.raises(IndexError, match="there is no number"):
        trees[trees.count]
    assert "<table>" in trees._repr_html_()
    assert repr(trees).startswith(f"<{trees.count} trees within 0.03 of the optimum")


def test_n_best(monks):
    _, X, y = monks
    base = OptimalTreeClassifier(0.02, categorical_split="one-vs-rest", n_best=7)
    clf = base.fit(X, y)
    assert len(clf.trees_) == 7
    assert clf.trees_[0].objective == pytest.approx(clf.objective_)
    assert len({t.tree.export_text() for t in clf.trees_}) == 7
    again = pickle.loads(pickle.dumps(clf))
    assert [t.objective for t in again.trees_] == [t.objective for t in clf.trees_]
    assert again.trees_[3].model.score(X, y) == clf.trees_[3].model.score(X, y)
    clf.set_params(n_best=1).fit(X, y)
    assert not hasattr(clf, "trees_")


def test_there_may_be_fewer_than_n_best():
    clf = OptimalTreeClassifier(n_best=50).fit([[0], [1]], [0, 1])
    assert [t.n_splits for t in clf.trees_] == [1, 0]


def test_training_data_are_not_saved(monks):
    clf, X, y = monks
    for other in (pickle.loads(pickle.dumps(clf)), copy.deepcopy(clf)):
        with pytest.raises(ValueError, match="give them as X"):
            other.near_optimal()
        wanted = clf.near_optimal(0.0).count
        assert other.near_optimal(0.0, X=X, y=y).count == wanted


def test_thresholds_by_another_engine():
    rng = np.random.default_rng(1)
    X = rng.random((60, 2)).round(2)
    y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.3)).astype(int)
    w = rng.random(60)
    a = OptimalTreeClassifier(0.03, solver="threshold", max_depth=2).fit(X, y, w)
    b = OptimalTreeClassifier(0.03, solver="sparse", max_depth=2).fit(X, y, w)
    one, two = a.near_optimal(0.02), b.near_optimal(0.02)
    assert one.count == two.count > 1
    assert one[0].objective == pytest.approx(a.objective_)


def test_a_point_of_a_path_has_alternatives(monks):
    _, X, y = monks
    base = OptimalTreeClassifier(categorical_split="one-vs-rest")
    point = penalty_path(X, y, low=0.02, estimator=base)[-1]
    fit = OptimalTreeClassifier(point.penalty, categorical_split="one-vs-rest").fit(
        X, y
    )
    assert point.model.near_optimal(0.01).count == fit.near_optimal(0.01).count


def test_limits_are_said():
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 2, size=(300, 30)), rng.integers(0, 2, 300)
    clf = OptimalTreeClassifier(0.001, time_limit=0.1, n_best=3)
    with pytest.warns(ConvergenceWarning) as caught:
        clf.fit(X, y)
    assert "Only 1 of the n_best=3 trees" in str(caught[-1].message)
    assert clf.trees_[0].tree == clf.tree_
    flat = OptimalTreeClassifier(0.001, max_depth=3).fit(X, y)
    flat._task.time_limit = 1e-3
    with pytest.raises(
        LimitReachedError, match="what helps most is a smaller max_depth"
    ):
        flat.near_optimal(0.2)


def test_the_best_so_many(monks):
    """The first trees of the whole set, without counting all of it."""
    clf, X, _ = monks
    whole = clf.near_optimal(0.03)
    assert whole.complete and whole.counted_within == 0.03
    for limit in (1, 5, whole.count, 2 * whole.count):
        some = clf.near_optimal(0.03, limit=limit)
        assert some.count == min(limit, whole.count)
        assert some.complete == (limit >= whole.count)
        assert [t.objective for t in some] == pytest.approx(
            [t.objective for t in whole.best(limit)]
        )
        assert sum(n for _, n in some.objectives()) == some.count
    few = clf.near_optimal(0.03, limit=3, using="a1" if "a1" in X else 0)
    assert few.count == 3
    assert all(0 in t.tree.feature for t in few)
    with pytest.raises(ValueError, match="whole number from 1"):
        clf.near_optimal(limit=0)


def test_votes():
    X, y = load_monks(3, as_frame=True, return_X_y=True)
    clf = OptimalTreeClassifier(0.01, categorical_split="one-vs-rest").fit(X, y)
    trees = clf.near_optimal(0.03)
    shares = trees.votes(X, most=40)
    said = np.array([t.model.predict(X) for t in trees.best(40)])
    wanted = np.stack([(said == c).mean(axis=0) for c in clf.classes_], axis=1)
    assert np.allclose(shares, wanted)
    assert (shares.max(axis=1) < 1).any()  # some rows are disputed


def test_what_was_counted_before_a_limit_is_a_range(monkeypatch):
    rng = np.random.default_rng(3)
    X, y = rng.random((80, 3)), rng.integers(0, 2, 80)
    clf = OptimalTreeClassifier(0.02, max_depth=2, time_limit=1e6).fit(X, y)
    whole = clf.near_optimal(0.04)
    assert whole.at_least == whole.at_most == whole.count
    count = Family.count

    def limited(self, required, banned, *, distinct="trees", partial=False):
        if self.within > 0.025 and not partial:
            raise LimitReachedError("time_limit", self.within)
        return count(self, required, banned, partial=partial)

    monkeypatch.setattr(Family, "count", limited)
    with pytest.warns(ConvergenceWarning, match="there are at least"):
        part = clf.near_optimal(0.04)
    assert not part.complete and part.counted_within < 0.04
    assert 0 < part.count < whole.count
    assert part.at_least == part.at_most == whole.count  # only the list is shorter
    assert part.objectives() == whole.objectives()[: len(part.objectives())]
    assert repr(part).startswith(f"<at least {part.count} trees")


def test_trees_come_in_order_before_they_are_counted(monks):
    clf, _, _ = monks
    whole = clf.near_optimal(0.03)
    waiting = clf.near_optimal(0.03, count=False)
    assert repr(waiting).endswith("not counted yet>")
    objectives = [t.objective for t in waiting]
    assert objectives == [t.objective for t in whole]
    assert repr(waiting).endswith("not counted yet>")
    assert waiting.count == whole.count and waiting.complete
    some = clf.near_optimal(0.03, count=False, limit=5, without=0)
    assert [t.objective for t in some] == [
        t.objective for t in whole.filter(without=0).best(5)
    ]


@pytest.mark.parametrize("within", [-0.1, 1.5, "a lot"])
def test_bad_margins(monks, within):
    with pytest.raises(ValueError, match="is not a margin; use a number from 0 to 1"):
        monks[0].near_optimal(within)
