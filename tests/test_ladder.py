"""Certificates of every level of depth, against brute force."""

from __future__ import annotations

import gzip
import io
import json
import math
import subprocess
import warnings
from typing import Any

import native
import numpy as np
import pandas as pd
import pytest
from oracle import (
    MULTIWAY,
    ONE_VS_REST,
    ORDERED,
    Table,
    engine_arguments,
    optimal_cost,
    random_limits,
    random_table,
    tree_facts,
)
from regression_oracle import optimal_loss, random_targets, target_arguments
from sklearn.exceptions import ConvergenceWarning

from treeproof import (
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    stop_when,
    watch,
)
from treeproof.export.json import from_json
from treeproof.proof import check
from treeproof.proof.exact import Refuted, check_exactly
from treeproof.solving.certificates import (
    Certificate,
    describe,
    proved_depth,
    trees_in_words,
)

KINDS = [(ORDERED,), (ORDERED, ORDERED, MULTIWAY, ONE_VS_REST), (MULTIWAY, ONE_VS_REST)]
ENGINES = [(True, False), (False, True), (True, True)]


def noisy(n_rows: int, n_columns: int, seed: int, noise: float = 0.25) -> Any:
    """Numbers whose class is a rule of two columns, with errors."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0.5) ^ (rng.random(n_rows) < noise)
    return X, y.astype(int)


def check_levels(
    table: Table, limits: dict[str, Any], engines: tuple[bool, bool], **options: Any
) -> int:
    """Compare every statement with brute force; return how many levels there were."""
    penalty = limits["split_penalty"]
    rest = {k: v for k, v in limits.items() if k not in ("split_penalty", "max_depth")}
    sparse, threshold = engines
    answer = native.climb_labels(
        **engine_arguments(table),
        **limits,
        sparse=sparse,
        threshold=threshold,
        **options,
    )
    penalize = limits.get("penalize", "splits")
    facts = tree_facts(table, answer["tree"], penalty, penalize=penalize)
    assert facts.cost == answer["upper"]
    levels = answer["certificates"]
    for level in levels:
        depth = -1 if level["max_depth"] is None else level["max_depth"]
        best = optimal_cost(table, penalty, max_depth=depth, **rest)
        assert level["lower"] <= best <= level["upper"], (level, best)
        assert level["optimal"] == (level["lower"] == level["upper"])
    assert levels[-1]["max_depth"] == (
        None if limits["max_depth"] < 0 else limits["max_depth"]
    )
    if "time_limit" not in options:
        assert levels[-1]["optimal"] and answer["status"] == "optimal"
    return len(levels)


@pytest.mark.parametrize("engines", ENGINES, ids=["sparse", "threshold", "both"])
@pytest.mark.parametrize("levels_first", [True, False], ids=["levels", "question"])
def test_every_statement_agrees_with_brute_force(engines, levels_first):
    rng = np.random.default_rng([*engines, levels_first])
    climbed = 0
    for k in range(350):
        table = random_table(rng, kinds=KINDS[k % 3])
        limits = random_limits(rng)
        climbed += check_levels(table, limits, engines, levels_first=levels_first) > 1
    assert climbed > 50 or not levels_first


@pytest.mark.parametrize("engines", ENGINES, ids=["sparse", "threshold", "both"])
def test_statements_of_stopped_searches_are_true(engines):
    rng = np.random.default_rng(7)
    for k in range(150):
        table = random_table(rng, kinds=KINDS[k % 3])
        limits = random_limits(rng)
        seconds = 1e-5 * 2 ** (k % 10)
        check_levels(table, limits, engines, levels_first=True, time_limit=seconds)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_say_the_same(n_jobs):
    rng = np.random.default_rng(n_jobs)
    for k in range(60):
        table = random_table(rng, kinds=KINDS[k % 3])
        limits = random_limits(rng)
        check_levels(
            table, limits, (True, True), n_jobs=n_jobs, levels_first=k % 2 == 0
        )


def test_every_statement_about_numbers_agrees_with_brute_force():
    rng = np.random.default_rng(11)
    climbed = 0
    for _ in range(500):
        table = random_targets(rng)
        penalty = float(rng.choice([0.0, 0.01, 0.05]))
        answer = native.climb_targets(
            **target_arguments(table), split_penalty=penalty, levels_first=True
        )
        for level in answer["certificates"]:
            depth = -1 if level["max_depth"] is None else level["max_depth"]
            best = optimal_loss(table, penalty, max_depth=depth)
            assert level["lower"] <= best + 1e-9 and best <= level["upper"] + 1e-9
        climbed += len(answer["certificates"]) > 1
    assert climbed > 50


def test_a_table_is_climbed_level_by_level():
    X, y = noisy(200, 3, seed=0)
    seen: list[tuple[str, Any]] = []
    answer = native.climb_labels(
        **_arguments(X, y),
        split_penalty=0.01,
        levels_first=True,
        time_limit=2.0,
        ladder=lambda kind, news: seen.append((kind, news)),
    )
    depths = [level["max_depth"] for level in answer["certificates"]]
    assert depths[:3] == [1, 2, 3] and depths[-1] is None
    assert [n["max_depth"] for kind, n in seen if kind == "level"] == depths[:-1]
    costs = [n["upper"] for kind, n in seen if kind == "tree"]
    assert costs == sorted(costs, reverse=True) and costs[-1] == answer["upper"]


def _arguments(X: Any, y: Any) -> dict[str, Any]:
    codes = [np.unique(column, return_inverse=True)[1] for column in np.asarray(X).T]
    return {
        "kinds": np.zeros(len(codes), dtype=np.int32),
        "n_values": np.array([c.max() + 1 for c in codes], dtype=np.int32),
        "codes": np.concatenate(codes).astype(np.int32),
        "labels": np.asarray(y, dtype=np.int32),
        "n_classes": int(max(y)) + 1,
        "weights": np.ones(len(y)),
    }


def test_both_engines_take_part_and_share_the_time():
    X, y = noisy(300, 4, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = OptimalTreeClassifier(time_limit=1.0).fit(X.round(1), y)
    assert model.stats_["solver"] == "sparse+threshold"
    worked = {share["engine"] for share in model.stats_["shares"]}
    assert worked >= {"sparse", "threshold", "polish", "prices"}


def test_a_stopped_fit_says_what_it_has_proved():
    X, y = noisy(400, 5, seed=2)
    with pytest.warns(ConvergenceWarning, match="stopped before") as caught:
        model = OptimalTreeClassifier(time_limit=1.0).fit(X, y)
    assert not model.optimal_ and model.proved_depth_ >= 1
    depth = int(model.proved_depth_)
    words = model.certificate()
    assert words in str(caught[0].message)
    assert f"No tree of depth {depth} or less costs less than" in words
    assert "Any depth: none below" in words
    for level in model.certificates_:
        if level.max_depth is not None and level.max_depth <= depth:
            assert level.lower_bound >= model.objective_
    flat = OptimalTreeClassifier(max_depth=min(depth, 2)).fit(X, y)
    assert flat.objective_ >= model.objective_
    assert flat.proved_depth_ == min(depth, 2)


def test_levels_survive_a_model_file():
    X, y = noisy(300, 4, seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = OptimalTreeClassifier(time_limit=0.5).fit(X, y)
    again = from_json(model.to_json())
    assert again.certificates_ == model.certificates_
    assert again.proved_depth_ == model.proved_depth_
    assert again.certificate() == model.certificate()
    document = json.loads(model.to_json())
    document["certificate"]["levels"][0]["lower_bound"] = 2.0
    with pytest.raises(ValueError, match="bound above its cost"):
        from_json(json.dumps(document))


def test_an_error_in_an_observer_comes_out_and_threads_end():
    X, y = noisy(300, 4, seed=4)

    def fail(*_: Any) -> None:
        raise RuntimeError("enough")

    with watch(fail), pytest.raises(RuntimeError, match="enough"):
        OptimalTreeClassifier().fit(X, y)


def test_stopping_from_outside_keeps_tree_and_levels():
    X, y = noisy(500, 6, seed=5)
    asked = [0]

    def wanted() -> bool:
        asked[0] += 1
        return asked[0] > 4

    with stop_when(wanted), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = OptimalTreeClassifier(time_limit=None).fit(X, y)
    assert model.status_ == "interrupted"
    assert model.certificates_[-1].lower_bound == model.lower_bound_


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("columns", [5, 9])
def test_the_proof_of_a_stopped_fit_is_about_the_level_that_was_proved(
    tmp_path, regression, columns
):
    X, y = noisy(300, columns, seed=6)
    X = X.round(0 if columns == 9 else 6)  # few thresholds: the sparse engine proves
    kind = OptimalTreeRegressor if regression else OptimalTreeClassifier
    path = tmp_path / "proof.gz"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kind(split_penalty=0.002, time_limit=1.0).fit(X, y, proof=path)
    assert not model.optimal_ and model.proved_depth_ >= 1
    depth = model.stats_["proof_max_depth"]
    assert depth == model.proved_depth_
    verdict = check(path, X, y)
    assert verdict.accepted, verdict
    assert verdict.lower_bound >= model.objective_ * (1 - 1e-6)
    header, *steps = gzip.decompress(path.read_bytes()).decode().splitlines()
    changed = json.loads(header)
    assert changed["max_depth"] == depth
    changed["max_depth"] = None  # the header claims another level
    text = "\n".join([json.dumps(changed), *steps]) + "\n"
    path.write_bytes(gzip.compress(text.encode()))
    assert not check(path, X, y).accepted


@pytest.mark.parametrize("solver", ["sparse", "threshold", "regression"])
def test_no_checker_believes_a_proof_of_one_level_for_another(
    program, tmp_path, solver
):
    """Deeper trees are better here, so that the changed statements are false."""
    X, y = noisy(30, 2, seed=3)
    X = pd.DataFrame(X.round(1), columns=["a", "b"])
    kind, options = OptimalTreeClassifier, {"solver": solver}
    if solver == "regression":
        kind, options, y = OptimalTreeRegressor, {}, np.asarray(y, dtype=float)
    path, data = tmp_path / "proof.gz", tmp_path / "data.csv"
    X.assign(y=y).to_csv(data, index=False)
    columns, target = {name: X[name].tolist() for name in X}, y.tolist()
    for level in (1, 2):
        model = kind(0.001, max_depth=level, **options).fit(X, y, proof=path)
        header, *steps = gzip.decompress(path.read_bytes()).decode().splitlines()

        def accepted(claim, header=header, steps=steps):
            changed = json.loads(header) | {"max_depth": claim}
            text = "".join(f"{line}\n" for line in [json.dumps(changed), *steps])
            said = subprocess.run(
                [program, "-", data, "--target", "y"],
                input=text.encode(), capture_output=True, timeout=60,
            )  # fmt: skip
            verdict = check(io.BytesIO(text.encode()), X, y)
            try:
                third = check_exactly(io.BytesIO(text.encode()), columns, target)
            except Refuted:
                third = False
            return said.returncode == 0, verdict.accepted, third

        assert accepted(level) == (True, True, True)
        better = kind(0.001, max_depth=level + 1, **options).fit(X, y)
        assert better.objective_ < model.objective_
        for deeper in (level + 1, level + 2, 20, None):
            assert accepted(deeper) == (False, False, False)
        if model.get_depth() == level:  # the tree itself is deeper than that
            assert accepted(level - 1) == (False, False, False)


def test_certificates_name_the_trees_they_speak_of():
    X, y = noisy(60, 2, seed=8)
    limited = OptimalTreeClassifier(max_depth=2, max_splits=2, min_samples_leaf=3)
    words = limited.fit(X, y).certificate()
    assert words.startswith(
        "Optimal: no tree of depth 2 or less with at most 2 splits and at least 3 rows "
        "in every leaf costs less than"
    )
    first = OptimalTreeClassifier(max_depth=1, first_split=1).fit(X, y)
    assert "a first split on 'x1'" in first.certificate()
    single = OptimalTreeClassifier(max_depth=0).fit(X, y)
    assert "no tree of a single leaf costs less" in single.certificate()
    assert (
        trees_in_words(categories="subset") == "tree with subset splits of categories"
    )


def test_words_and_depths_of_made_up_levels():
    levels = [
        Certificate(2, 0.3, 0.3, True, 0.1),
        Certificate(None, 0.3, 0.0, False, 9),
    ]
    assert proved_depth(levels, exact=True) == 2
    assert "proved in 0.1 s" in describe(levels, 2.0, {})
    whole = [Certificate(None, 0.3, 0.3, True, 0.1)]
    assert math.isinf(proved_depth(whole, exact=True))
    nothing = [Certificate(None, 0.3, 0.1, False, 0.1)]
    assert describe(nothing, 0.0, {}).startswith(
        "The best tree that was found costs 0.3"
    )


def test_near_optimal_trees_of_a_smaller_depth_where_all_are_too_many():
    X, y = noisy(400, 6, seed=9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = OptimalTreeClassifier(time_limit=1.0).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="these are those of depth"):
        trees = model.near_optimal(within=0.05)
    assert trees.max_depth in (1, 2, 3)
    assert all(tree.tree.depth <= trees.max_depth for tree in trees.best(3))
