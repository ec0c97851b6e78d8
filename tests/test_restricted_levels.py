"""Fits with restrictions say what was proved about each depth; brute force agrees.

Small tables are proved in no time. So that these fits climb, the search of the whole
problem is stopped here before it has proved anything, and sometimes before it has found
a good tree.
"""

import math
import warnings
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from brute_prefix import Brute
from effort import rounds
from oracle import least_errors
from shape_oracle import least_cost
from sklearn.exceptions import ConvergenceWarning
from table_oracle import random_problem
from test_constraints import trees_by_sums
from test_lines import line_loss
from test_shapes_exact import random_groups

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor, watch
from treeproof.constraints import InfeasibleError, RecallAtLeast
from treeproof.export.json import from_json
from treeproof.proof import check
from treeproof.solving.certificates import Certificate
from treeproof.solving.levels import _Climb, climb, levels_below, table_depth
from treeproof.solving.observers import watch_ladder
from treeproof.tree import Tree
from treeproof.tree.split_table import leaf_table, split_table

BLOCKS = 4


@pytest.fixture(params=["good tree", "flat tree"])
def stopped(monkeypatch, request):
    """Stop every search of the whole problem before it has proved anything."""
    take_part = _Climb.__init__

    def weaken(self, search, max_depth, levels, time_limit, told, tried):
        def weak(depth, seconds, best):
            if depth != max_depth:
                return search(depth, seconds, best)
            flat = request.param == "flat tree" and best is None
            found = search(levels[0] if flat else depth, seconds, best)
            if found["upper"] == math.inf:
                return {**found, "lower": -math.inf, "status": "time_limit"}
            counted = dict(found["statistics"])
            if counted.get("searched_depth", 0) not in levels:
                counted["searched_depth"] = 0 if flat else levels[-1]
            known = {"lower": found["lower"] * 0, "status": "time_limit"}
            return {**found, **known, "statistics": counted}

        take_part(self, weak, max_depth, levels, time_limit, told, tried)

    monkeypatch.setattr(_Climb, "__init__", weaken)


def fitted(model, *data, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*data, **more)


def agrees(model, least, tolerance=1e-9):
    """Compare all statements with the least cost for each depth; count the levels."""
    levels = model.certificates_
    assert levels[-1].max_depth == model.max_depth
    assert levels[-1].objective == model.objective_
    for level in levels:
        true = least(level.max_depth)
        assert level.lower_bound <= true + tolerance, (level, true)
        assert level.objective >= true - tolerance, (level, true)
        if level.optimal:
            assert level.objective == pytest.approx(true, abs=tolerance)
    depths = [level.max_depth for level in levels[:-1]]
    assert depths == sorted(depths)
    proved = model.proved_depth_
    if 0 < proved < math.inf:
        assert least(int(proved)) >= model.objective_ - tolerance
    if proved > 0 and not model.optimal_:
        assert f"No tree of depth {proved:.0f} or less" in model.certificate()
    return len(depths)


def small_table(rng, most_rows=11):
    n, p = int(rng.integers(7, most_rows)), int(rng.integers(2, 4))
    X = rng.integers(0, 4, (n, p))
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    return X, y, rng.integers(1, 4, n)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_shapes_agree_with_brute_force(stopped, block):
    rng, climbed = np.random.default_rng(block), 0
    for _ in range(rounds(8, 150)):
        X, y, weights = small_table(rng)
        p, total = X.shape[1], int(weights.sum())
        directions = rng.integers(-1, 2, p) * (rng.random() < 0.6)
        is_list = bool(rng.random() < 0.4)
        groups = random_groups(rng, p) if rng.random() < 0.4 else None
        prices = {f: float(rng.choice([0.01, 0.1])) for f in range(p)}
        prices = prices if rng.random() < 0.3 else {}
        model = OptimalTreeClassifier(
            float(rng.choice([0.01, 0.03])),
            max_depth=[None, 4, 5][int(rng.integers(3))],
            shape="list" if is_list else "tree",
            monotonic_cst=directions if directions.any() else None,
            interaction_cst=[sorted(g) for g in groups] if groups else None,
            test_costs=prices or None,
            time_limit=None,
        )
        fitted(model, X.astype(float), y, weights)

        def say(mask, action, y=y, weights=weights, total=total):
            rows = [i for i in range(len(y)) if mask >> i & 1 and y[i] != action]
            return int(weights[rows].sum()) / total

        def charge(path, f, mask, prices=prices, weights=weights, total=total):
            paid = 0.0 if f in path else prices.get(f, 0.0)
            return paid * sum(
                int(w) / total for i, w in enumerate(weights) if mask >> i & 1
            )

        def least(depth, X=X, p=p, say=say, charge=charge, model=model, groups=groups,
                  is_list=is_list, directions=directions):  # fmt: skip
            return least_cost(
                X, np.zeros(p), say, 2, model.split_penalty,
                depth=-1 if depth is None else depth, is_list=is_list,
                directions=directions,
                allowed=groups and (lambda path: any(path <= g for g in groups)),
                charge=charge,
            )  # fmt: skip

        restricted = model.stats_["solver"] in ("threshold", "paths")
        levels = agrees(model, least, 1e-6)
        climbed += restricted and levels >= 3
    assert climbed > 2


@pytest.mark.parametrize("block", range(BLOCKS))
def test_lines_agree_with_brute_force(stopped, block):
    rng = np.random.default_rng(block)
    for _ in range(rounds(3, 60)):
        n, p = int(rng.integers(7, 10)), int(rng.integers(1, 3))
        X, y = rng.integers(0, 6, (n, p)) * 1.0, rng.normal(size=n)
        loss = line_loss(X, y - y.mean(), np.ones(n), 1e-3)
        root, penalty = loss(np.arange(n)), float(rng.choice([0.01, 0.05]))
        model = OptimalTreeRegressor(
            penalty, leaf="linear", ridge=1e-3, time_limit=None,
            shape="list" if rng.random() < 0.2 else "tree",
        )  # fmt: skip
        fitted(model, X, y)

        def say(mask, _, n=n, loss=loss, root=root):
            return loss(np.array([i for i in range(n) if mask >> i & 1])) / root

        def least(depth, X=X, p=p, say=say, penalty=penalty, model=model):
            return least_cost(
                X, np.zeros(p), say, 1, penalty,
                depth=-1 if depth is None else depth, is_list=model.shape == "list",
            )  # fmt: skip

        assert agrees(model, least) >= 3


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("block", range(BLOCKS))
def test_given_tops_agree_with_brute_force(stopped, block, regression):
    rng = np.random.default_rng([block, regression])
    for _ in range(rounds(6, 100)):
        n, penalty = int(rng.integers(7, 10)), float(rng.choice([0.01, 0.03]))
        frame = pd.DataFrame(rng.integers(0, 3, (n, 2)) * 1.0, columns=["a", "b"])
        frame["kind"] = rng.choice(list("pqr"), n)
        frame.loc[0, ["a", "b", "kind"]] = [0.0, 0.0, "p"]
        frame.loc[1, ["a", "b", "kind"]] = [2.0, 2.0, "q"]
        y = rng.normal(size=n) if regression else rng.integers(0, 2, n)
        top = {"feature": int(rng.integers(0, 3))}
        if rng.random() < 0.4 and top["feature"] < 2:
            top |= {"threshold": 0.5, "yes": {"feature": 1 - top["feature"]}}
            left = frame[frame.iloc[:, top["feature"]] <= 0.5]
            if left.iloc[:, 1 - top["feature"]].nunique() < 2:
                continue
        kind = OptimalTreeRegressor if regression else OptimalTreeClassifier
        model = kind(penalty, time_limit=None, max_depth=[None, 4][block % 2])
        if len(top) == 1:
            model.set_params(first_split=top["feature"])
        else:
            model.set_params(prefix=top)
        fitted(model, frame, y)

        def loss(rows, y=y):
            own = y[list(rows)]
            if isinstance(own[0], np.floating):
                spread = ((y - y.mean()) ** 2).sum()
                return float(((own - own.mean()) ** 2).sum() / spread)
            return (len(own) - np.bincount(own).max()) / len(y)

        brute = Brute([frame[c].tolist() for c in frame], loss, penalty)

        def least(depth, brute=brute, top=top, n=n):
            return brute.best(top, range(n), n if depth is None else depth, None)

        assert agrees(model, least, 1e-6) >= 2


@pytest.mark.parametrize("block", range(BLOCKS))
def test_constraints_agree_with_brute_force(stopped, block):
    climbed = 0
    for seed in range(block, rounds(60, 2_000), BLOCKS):
        problem, rng = random_problem(seed), np.random.default_rng(seed)
        labels = (problem.labels > 0).astype(int)
        weights = problem.weights.astype(int)
        if len(set(labels[weights > 0])) < 2:
            continue
        recall = float(rng.choice([0.3, 0.8, 1.0]))
        model = OptimalTreeClassifier(
            float(rng.choice([0.0, 0.03])),
            constraints=[RecallAtLeast(recall)],
            max_depth=[None, 4][block % 2],
            missing=problem.missing,
            categorical_split=problem.categorical_split,
            time_limit=None,
        )
        cost = [[(int(w) * (y != a), int(w) * (a == 1 and y == 1)) for a in (0, 1)]
                for w, y in zip(weights, labels, strict=True)]  # fmt: skip
        total = Fraction(int(weights.sum()))
        rows = np.flatnonzero(weights > 0)
        needed = Fraction(str(recall)) * int(weights[labels == 1].sum())
        try:
            fitted(model, problem.frame, labels, weights)
        except InfeasibleError:
            continue

        def least(depth, problem=problem, cost=cost, rows=rows, total=total,
                  needed=needed, model=model):  # fmt: skip
            points = trees_by_sums(
                problem.for_classes(),
                [cost[r] for r in rows],
                Fraction(model.split_penalty) * total,
                {"max_depth": depth, "min_samples_leaf": 1, "penalize": "leaves"},
            )
            kept = [cost for (hit,), cost in points.items() if hit >= needed]
            return float(min(kept) / total) if kept else math.inf

        climbed += agrees(model, least, 1e-6) >= 3
        assert model.constraints_[0].value <= model.constraints_[0].at_most + 1e-12
    assert climbed > 5


@pytest.mark.parametrize("block", range(BLOCKS))
def test_ratios_agree_with_brute_force(stopped, block):
    climbed = 0
    for seed in range(block, rounds(60, 2_000), BLOCKS):
        problem = random_problem(seed)
        positive = problem.labels == problem.labels[0]
        if positive.all():
            continue
        model = OptimalTreeClassifier(
            metric="f1", pos_label="yes", max_depth=4 + block % 2, time_limit=None,
            missing=problem.missing, categorical_split=problem.categorical_split,
        )  # fmt: skip
        fitted(model, problem.frame, np.where(positive, "yes", "no"), problem.weights)
        total = int(problem.weights[positive].sum())

        def least(depth, problem=problem, positive=positive, total=total):
            front = least_errors(problem.for_classes(), positive, max_depth=depth)
            best = max(
                Fraction(2 * (total - fn), 2 * (total - fn) + fn + fp)
                for fn, fp in front
            )
            return float(1 - best)

        climbed += agrees(model, least, 1e-12) >= 3
    assert climbed > 5


def noisy(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round()
    return X, ((X[:, 0] > 0) ^ (X[:, 1] > 0.5)) != (rng.random(n) < 0.2)


RESTRICTED = [
    {"shape": "list"},
    {"monotonic_cst": {0: 1}},
    {"interaction_cst": [[0, 1], [1, 2]]},
    {"first_split": 1},
    {"constraints": [RecallAtLeast(0.8)]},
    {"metric": "f1", "max_depth": 5},
]
named = partial(str.join, " ")


@pytest.mark.parametrize("stopped", ["flat tree"], indirect=True)
@pytest.mark.parametrize("restriction", RESTRICTED, ids=named)
def test_a_stopped_fit_with_a_restriction_tells_its_levels(stopped, restriction):
    X, y = noisy()
    news, bounds = [], []
    model = OptimalTreeClassifier(0.02, time_limit=None, **restriction)
    limited = model.set_params(max_depth=restriction.get("max_depth", 5))
    with (
        pytest.warns(ConvergenceWarning, match="No .*tree of depth 4 or less") as told,
        watch_ladder(news.append),
        watch(lambda *event: bounds.append(event[2:4])),
    ):
        limited.fit(X, y.astype(int))
    assert [c.max_depth for c in model.certificates_] == [1, 2, 3, 4, 5]
    assert model.proved_depth_ == 4 and not model.optimal_
    assert model.certificate() in str(told[0].message)
    levels = [n.max_depth for n in news if isinstance(n, Certificate)]
    assert levels == [1, 2, 3, 4]
    assert [n.n_splits for n in news if isinstance(n, Tree)][-1] == model.n_splits_
    assert bounds == sorted(bounds, key=lambda b: (b[0], -b[1]))
    assert all(low <= high + 1e-12 for low, high in bounds)
    roles = {(share["role"], share["max_depth"]) for share in model.stats_["shares"]}
    if model.stats_["solver"] == "paths":  # which deepens by itself
        assert ("depth", 3) in roles and ("depth", 4) not in roles
    else:
        assert roles == {("whole", 5), *(("depth", level) for level in range(1, 5))}
    if "constraints" not in restriction:  # which model files do not know
        again = from_json(model.to_json())
        assert again.certificates_ == model.certificates_
        assert again.certificate() == model.certificate()


@pytest.mark.parametrize("stopped", ["flat tree"], indirect=True)
@pytest.mark.parametrize("lines", [False, True])
def test_the_proof_of_a_stopped_fit_is_about_the_level_that_was_proved(
    stopped, lines, tmp_path
):
    X, y = noisy(30)
    path = tmp_path / "proof.gz"
    model = OptimalTreeClassifier(0.02, shape="list", monotonic_cst={0: 1})
    if lines:
        model = OptimalTreeRegressor(0.02, leaf="linear", linear_features=[0])
    model.set_params(max_depth=4, time_limit=None)
    y = y.astype(float) if lines else y.astype(int)
    fitted(model, X, y, proof=path)
    assert not model.optimal_ and model.proved_depth_ == 3
    assert model.stats_["proof_max_depth"] == 3
    verdict = check(path, X, y)
    assert verdict.accepted, verdict


@pytest.mark.parametrize("restriction", RESTRICTED, ids=named)
def test_a_fit_that_is_proved_at_once_is_searched_once(restriction):
    X, y = noisy(25)
    model = OptimalTreeClassifier(0.05, **({"max_depth": 4} | restriction))
    model.fit(X, y.astype(int))
    assert model.optimal_ and len(model.certificates_) == 1
    assert [share["role"] for share in model.stats_["shares"]] == ["whole"]


def answer_of(depth, *, lower, upper, status):
    chain = leaf_table()
    if depth:  # a list of splits
        inner = list(range(depth))
        chain = split_table(
            feature=[0] * depth + [-1] * (depth + 1),
            kind=[1] * depth + [0] * (depth + 1),
            code=[0] * depth + [-1] * (depth + 1),
            first_child=[2 * k for k in inner] + [2 * depth] * (depth + 1),
            n_children=[2] * depth + [0] * (depth + 1),
            children=[*[c for k in inner for c in (depth + k, k + 1)][:-1], 2 * depth],
            child_outcome=[0, 1] * depth,
        )
    return {
        "tree": chain, "lower": lower, "upper": upper, "status": status, "unit": 1,
        "split_cost": 0, "seconds": 0.0, "n_merged_rows": 1, "statistics": {"n": 1},
    }  # fmt: skip


def test_trees_and_bounds_are_shared_among_levels():
    asked = []

    def search(depth, seconds, best):
        asked.append((depth, None if best is None else best["upper"]))
        if depth is None:  # finds a tree of depth two
            return answer_of(2, lower=3, upper=9, status="time_limit")
        cost = {1: 12, 2: 9}.get(depth, 8)
        if depth == 4:  # proves nothing, but has a better tree
            return answer_of(4, lower=2, upper=7, status="memory_limit")
        return answer_of(depth, lower=cost, upper=cost, status="optimal")

    found = climb(search, max_depth=None, levels=levels_below(None))
    assert asked == [
        (None, None), (1, None), (2, 9), (3, 9), (4, 8), (None, 7),
    ]  # fmt: skip
    levels = {c["max_depth"]: c for c in found["certificates"]}
    assert {d: (c["lower"], c["upper"]) for d, c in levels.items()} == {
        1: (12, 12), 2: (9, 9), 3: (8, 8), 4: (3, 7), None: (3, 7),
    }  # fmt: skip
    assert [c["optimal"] for c in found["certificates"]] == [True] * 3 + [False] * 2
    assert (found["lower"], found["upper"], found["status"]) == (3, 7, "time_limit")
    assert table_depth(found["tree"]) == 4
    assert found["statistics"] == {"n": 6}


def test_an_interrupted_search_ends_at_once():
    def interrupted(depth, seconds, best):
        if depth == 2:
            raise KeyboardInterrupt
        status = "time_limit" if depth is None else "optimal"
        return answer_of(1, lower=1 if depth is None else 5, upper=5, status=status)

    found = climb(interrupted, max_depth=None, levels=levels_below(None))
    assert found["status"] == "interrupted"
    assert [c["max_depth"] for c in found["certificates"]] == [1, None]


def test_depth_limits_make_levels_redundant():
    assert not levels_below(3) and not levels_below(None, max_splits=3)
    assert list(levels_below(5)) == [1, 2, 3, 4]
    assert list(levels_below(None, max_splits=4, first=2)) == [2, 3]
