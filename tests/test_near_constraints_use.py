"""All trees within a margin that keep constraints, as users see them."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from effort import rounds
from sklearn.exceptions import ConvergenceWarning

from treeproof import OptimalTreeClassifier
from treeproof.alternatives.engine import LimitReachedError
from treeproof.constraints import DemographicParity, EqualizedOdds, RecallAtLeast
from treeproof.constraints.near import KeptFamily


@pytest.fixture(scope="module")
def fair():
    random = np.random.default_rng(3)
    X = pd.DataFrame(random.integers(0, 4, (150, 4)), columns=list("abcd"))
    y = (random.random(150) < 0.2 + 0.15 * X["a"] + 0.1 * (X["b"] > 1)).astype(int)
    groups = np.where(random.random(150) < 0.35 + 0.1 * X["a"], "one", "two")
    model = OptimalTreeClassifier(
        0.01, max_depth=2, constraints=[DemographicParity(0.1)], time_limit=None
    )
    return model.fit(X, y, sensitive_features=groups), X, y, groups


def test_sets_as_users_see_them(fair, tmp_path):
    model, X, y, groups = fair
    trees = model.near_optimal(0.02)
    assert trees.optimal and trees.complete and trees.count > 10
    assert trees[0].objective == pytest.approx(model.objective_)
    assert trees[0].model.optimal_ and not trees[-1].model.optimal_
    assert "that keeps the constraints" in trees[0].model.certificate()
    for near in trees.sample(20, 0):
        assert 1 - near.model.score(X, y) == pytest.approx(near.loss)
        called = near.model.predict(X) == 1
        rates = [called[groups == g].mean() for g in ("one", "two")]
        assert abs(rates[0] - rates[1]) <= 0.1
    shares = trees.votes(X)
    assert np.allclose(shares.sum(axis=1), 1)
    trees.to_html(tmp_path / "walk.html")
    assert "Trees that are nearly as good" in (tmp_path / "walk.html").read_text()
    assert repr(trees).startswith(f"<{trees.count} trees within 0.02 of the optimum")


def test_training_data_are_given_again(fair):
    model, X, y, groups = fair
    wanted = model.near_optimal(0.005).count
    again = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match="and sensitive_features if it has them"):
        again.near_optimal(0.005)
    found = again.near_optimal(0.005, X=X, y=y, sensitive_features=groups)
    assert found.count == wanted
    # What comes after a fit does not belong to it.
    free = pickle.loads(pickle.dumps(model)).set_params(constraints=None).fit(X, y)
    assert not hasattr(free, "_constrained") and free.near_optimal(0.0).count > 0
    free.set_params(constraints=[RecallAtLeast(0.5)]).fit(X, y)
    assert not hasattr(free, "_task") and free.near_optimal(0.0).count > 0


def test_what_sets_under_constraints_refuse(fair, tmp_path):
    model, X, y, _ = fair
    with pytest.raises(ValueError, match="constraints are not part of these") as told:
        model.near_optimal(0.005).write_proof(tmp_path / "proof.gz")
    assert "\n" not in str(told.value) and str(told.value).endswith(".")
    random = np.random.default_rng(0)
    many = random.integers(0, 6, len(X))
    odds = OptimalTreeClassifier(
        0.02, max_depth=1, constraints=[EqualizedOdds(0.5)], time_limit=None
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        odds.fit(X, y, sensitive_features=many)
    with pytest.raises(ValueError, match="limit 10 sums, and trees are counted"):
        odds.near_optimal()


def test_questions_that_look_at_every_tree_have_a_limit(fair, monkeypatch):
    trees = fair[0].near_optimal(0.02)
    monkeypatch.setattr("treeproof.constraints.near._MOST_LISTED", 3)
    for ask in (
        trees.reliance,
        trees.disagreement,
        lambda: trees.cheapest_to_ask({"a": 1.0}),
        lambda: fair[0].near_optimal(0.02, distinct="functions"),
    ):
        with pytest.raises(ValueError, match="more than 3; choose a smaller margin"):
            ask()


def test_bounds_are_true_where_not_all_is_counted(fair, monkeypatch):
    model = fair[0]
    whole = model.near_optimal(0.02)
    count = KeptFamily.count

    def limited(self, required, banned, *, distinct="trees", partial=False):
        if self.within > 0.015 and not partial:
            raise LimitReachedError("time_limit", self.within)
        return count(self, required, banned, distinct=distinct, partial=partial)

    monkeypatch.setattr(KeptFamily, "count", limited)
    slow = pickle.loads(pickle.dumps(model)).set_params(time_limit=1e6)
    slow.fit(*fair[1:3], sensitive_features=fair[3])
    with pytest.warns(ConvergenceWarning, match="there are at least .* and at most"):
        part = slow.near_optimal(0.02)
    assert not part.complete and part.counted_within < 0.02
    assert 0 < part.count < whole.count
    assert part.count <= part.at_least <= whole.count <= part.at_most
    assert part.objectives() == whole.objectives()[: len(part.objectives())]


@pytest.mark.parametrize("seed", range(rounds(8, 200)))
def test_ranges_hold(seed):
    """Whatever a limit leaves open, the range holds the number of trees."""
    rng = np.random.default_rng([16, seed])
    X, y = rng.random((60, 3)).round(1), rng.integers(0, 2, 60)
    model = OptimalTreeClassifier(
        0.02, max_depth=2, time_limit=None, constraints=[DemographicParity(0.1)]
    ).fit(X, y, sensitive_features=rng.integers(0, 2, 60))
    whole = model.near_optimal(0.03)
    problem = whole._question.problem
    seconds = float(rng.choice([1e-4, 5e-4, 1e-3, 5e-3]))
    budget = problem.best + problem.margin(0.03)
    family = problem.search(max_depth=2).family(budget, 0.03, seconds)
    family._deadline = None
    low = family.count((), (), partial=True).total
    high = family.at_most((), ())
    assert low <= whole.count <= high
    if family.status == "complete":
        assert low == whole.count
