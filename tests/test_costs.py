"""Trees fitted to costs and to ratios such as F1 are as good as brute force says.

``make fuzz-costs`` tries many more tables.
"""

from fractions import Fraction

import native
import numpy as np
import pandas as pd
import pytest
from effort import rounds
from near_oracle import all_trees
from oracle import (
    MULTIWAY,
    ONE_VS_REST,
    ORDERED,
    Table,
    cheapest_action,
    least_errors,
    optimal_cost,
)
from sklearn.metrics import balanced_accuracy_score
from sparse_problems import SWITCHES as SPARSE_SWITCHES
from table_oracle import random_problem
from test_threshold_exact import SWITCHES as THRESHOLD_SWITCHES
from threshold_switches import random_switches

from treeproof import OptimalTreeClassifier, OptimalTreeClassifierCV, penalty_path
from treeproof.border import Wanted, read_training_table
from treeproof.generalization.prunable import PrunableTree
from treeproof.objectives import Costs

BLOCKS = 10
SOLVERS = ("sparse", "threshold", "auto")
KINDS = ("matrix", "rows", "abstain", "matrix and abstain", "rows and abstain")
# Negative costs, and costs of abstaining that no leaf uses, draw a warning.
pytestmark = pytest.mark.filterwarnings("ignore:cost_matrix|costs|abstain_cost")


def random_costs(kind, problem, random):
    """Parameters of the classifier, arguments of fit, and the table of costs."""
    classes, codes = np.unique(problem.labels, return_inverse=True)
    k, n = len(classes), len(codes)
    whole = random.random() < 0.5

    def numbers(shape):
        costs = random.integers(-3, 12, shape).astype(float)
        # Rows for which all predictions cost the same still make children.
        flat = random.random(shape[0]) < random.choice([0.0, 0.5])
        costs[flat] = costs[flat][:, :1]
        return costs if whole else costs + random.normal(size=shape)

    costs, parameters, given = 1.0 - np.eye(k)[codes], {}, {}
    if kind.startswith("matrix"):
        parameters["cost_matrix"] = numbers((k, k))
        costs = parameters["cost_matrix"][codes]
    elif kind.startswith("rows"):
        given["costs"] = costs = numbers((n, k))
    if kind.endswith("abstain"):
        low, high = costs.min(), costs.max()
        asked = low + (high - low) * random.choice([0.1, 0.3, 0.6]) + 1e-3
        parameters["abstain_cost"] = asked = max(float(asked), 1e-3)
        if asked <= low:
            return None
        costs = np.hstack([costs, np.full((n, 1), asked)])
    return parameters, given, costs


def random_options(random):
    return {
        "split_penalty": float(random.choice([0.0, 0.03, 0.2, 0.7])),
        "max_depth": [None, 1, 2, 3][int(random.integers(4))],
        "max_splits": [None, None, 1, 2][int(random.integers(4))],
        "min_samples_leaf": int(random.choice([1, 1, 2, 3])),
        "penalize": str(random.choice(["leaves", "splits"])),
    }


def oracle_limits(options):
    return {
        name: -1 if options[name] is None else options[name]
        for name in ("max_depth", "max_splits")
    } | {name: options[name] for name in ("min_samples_leaf", "penalize")}


def brute_force(table, costs, weights, options, first=None):
    """The least mean cost of a row, penalties included."""
    leaf, taken_off = cheapest_action(costs, weights)
    total = Fraction(0)
    for weight in weights:
        total += Fraction(float(weight))
    penalty = Fraction(options["split_penalty"]) * total
    limits = oracle_limits(options)
    best = optimal_cost(table, penalty, leaf=leaf, first=first, **limits)
    return float((best + taken_off) / total)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_costs_equal_brute_force(block):
    for seed in range(block, rounds(300, 16_000), BLOCKS):
        problem, random = random_problem(seed), np.random.default_rng(50_000 + seed)
        drawn = random_costs(KINDS[seed // BLOCKS % len(KINDS)], problem, random)
        if drawn is None:
            continue
        parameters, given, costs = drawn
        options = random_options(random)
        weights = problem.weights.astype(float)
        if random.random() < 0.3:
            labels = np.unique(problem.labels)
            factors = dict(zip(labels.tolist(), [0.5, 2.0, 3.0], strict=False))
            parameters["class_weight"] = factors
            weights = weights * [factors[label] for label in problem.labels.tolist()]
        solver = SOLVERS[seed % len(SOLVERS)]
        if solver == "threshold":
            options["max_splits"] = None
        model = OptimalTreeClassifier(
            missing=problem.missing,
            categorical_split=problem.categorical_split,
            solver=solver,
            **options,
            **parameters,
        ).fit(problem.frame, problem.labels, problem.weights, **given)
        expected = brute_force(problem.for_classes(), costs, weights, options)
        assert model.optimal_, seed
        assert model.objective_ == pytest.approx(expected, abs=1e-6), seed
        check_tree(model, problem.frame, costs, weights, options)


def check_tree(model, frame, costs, weights, options):
    """The tree costs what it says, leaf by leaf, and keeps its limits."""
    tree = model.tree_
    chosen = tree.action[model.apply(frame)]
    paid = weights @ costs[np.arange(len(costs)), chosen] / weights.sum()
    penalties = tree.n_penalties(options["penalize"])
    assert model.objective_ == pytest.approx(
        paid + options["split_penalty"] * penalties, abs=1e-9
    )
    assert options["max_depth"] is None or tree.depth <= options["max_depth"]
    assert options["max_splits"] is None or tree.n_splits <= options["max_splits"]
    if tree.n_splits:
        assert tree.n_node_samples.min() >= options["min_samples_leaf"]


def solved(engine, objective, options, random):
    """The answer of one engine for some costs, under switches drawn at random."""
    asked = objective.question(options["min_samples_leaf"])
    own = asked["table"].engine
    arguments = {
        "kinds": own.kinds,
        "n_values": own.n_values,
        "codes": np.ascontiguousarray(own.codes).reshape(-1),
        "weights": asked["weights"],
        "labels": asked["labels"],
        "n_classes": asked["n_classes"],
        "split_penalty": objective.units.engine_penalty(options["split_penalty"]),
        **oracle_limits(options | {"min_samples_leaf": asked["min_samples_leaf"]}),
    }
    if engine == "sparse":
        switches = {name: bool(random.random() < 0.5) for name in SPARSE_SWITCHES}
        return native.solve(solver="sparse", switches=switches, **arguments)
    switches = random_switches(random, *THRESHOLD_SWITCHES)
    return native.solve_threshold(switches=switches, **arguments)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_engines_equal_brute_force_under_random_switches(block):
    for seed in range(block, rounds(200, 16_000), BLOCKS):
        problem, random = random_problem(seed), np.random.default_rng(60_000 + seed)
        table = read_training_table(
            problem.frame,
            Wanted(
                missing=problem.missing, categorical_split=problem.categorical_split
            ),
        )
        weights = problem.weights.astype(float)
        costs = random.integers(0, 12, (len(weights), int(random.integers(2, 5))))
        costs = costs + random.normal(size=costs.shape) * (random.random() < 0.5)
        objective = Costs(table, weights, costs, np.arange(costs.shape[1]))
        if objective.engine_total == 0:
            continue  # every action costs the same; nothing is searched
        options = random_options(random)
        engine = SOLVERS[seed % 2]
        answer = solved(engine, objective, options, random)
        expected = brute_force(problem.for_classes(), costs, weights, options)
        assert answer["status"] == "optimal", seed
        assert answer["lower"] == answer["upper"], seed
        stated = objective.units.stated(answer["upper"] / answer["unit"])
        assert stated == pytest.approx(expected, abs=1e-6), seed


@pytest.mark.parametrize("block", range(BLOCKS))
def test_first_split(block):
    tried = 0
    for seed in range(block, rounds(100, 3_000), BLOCKS):
        problem, random = random_problem(seed), np.random.default_rng(90_000 + seed)
        drawn = random_costs(KINDS[seed // BLOCKS % len(KINDS)], problem, random)
        options = random_options(random) | {"max_splits": None, "min_samples_leaf": 1}
        if drawn is None:
            continue
        parameters, given, costs = drawn
        name = list(problem.columns)[-1]
        only = random_problem(seed)
        only.columns = {name: problem.columns[name]}
        first = only.parts()
        if not first:
            continue
        model = OptimalTreeClassifier(
            missing=problem.missing,
            categorical_split=problem.categorical_split,
            first_split=name,
            **options,
            **parameters,
        ).fit(problem.frame, problem.labels, problem.weights, **given)
        weights = problem.weights.astype(float)
        expected = brute_force(problem.for_classes(), costs, weights, options, first)
        assert model.optimal_, seed
        assert model.objective_ == pytest.approx(expected, abs=1e-6), seed
        tried += 1
    assert tried


def small_table(seed):
    """A table of codes for the lists of near-optimal trees, and its columns."""
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 9))
    kinds = random.choice([ORDERED, MULTIWAY, ONE_VS_REST], 1).repeat(2)
    codes = random.integers(0, 3, (n, 2))
    codes = np.column_stack([np.unique(c, return_inverse=True)[1] for c in codes.T])
    labels = random.integers(0, 2, n)
    table = Table(kinds, codes.max(axis=0) + 1, codes, labels, 2, np.ones(n, int))
    split = {ORDERED: "multiway", MULTIWAY: "multiway", ONE_VS_REST: "one-vs-rest"}
    frame = pd.DataFrame(codes, columns=["a", "b"])
    if kinds[0] != ORDERED:
        frame = frame.astype(str)
    return table, frame, split[int(kinds[0])], random


@pytest.mark.parametrize("block", range(BLOCKS))
def test_near_optimal_trees_are_counted(block):
    for seed in range(block, rounds(40, 2_000), BLOCKS):
        table, frame, split, random = small_table(seed)
        costs = random.integers(0, 6, (len(frame), 3)).astype(float)
        penalty, margin = 0.5, float(random.choice([0.01, 0.51, 1.01]))
        model = OptimalTreeClassifier(
            penalty, max_depth=2, categorical_split=split, penalize="splits"
        ).fit(frame, None, costs=costs)
        leaf, off = cheapest_action(costs, np.ones(len(frame)))
        price = Fraction(penalty) * len(frame)
        least = optimal_cost(table, price, max_depth=2, leaf=leaf)
        budget = least + Fraction(margin) * len(frame)
        assert model.objective_ == pytest.approx(float((least + off) / len(frame)))
        expected = all_trees(table, price, budget, 2, 1, costs=costs)
        found = model.near_optimal(margin)
        assert found.count == len(expected), seed
        objectives = sorted(tree.objective for tree in found.to_list())
        stated = sorted(float((cost + off) / len(frame)) for cost, _ in expected)
        assert np.allclose(objectives, stated)


def test_path_of_penalties_for_costs():
    for seed in range(20):
        table, frame, split, random = small_table(1000 + seed)
        labels = table.labels
        if len(np.unique(labels)) < 2:
            continue
        matrix = random.integers(0, 9, (2, 2)).astype(float)
        if matrix[0].tolist() == matrix[1].tolist():
            continue
        options = {"cost_matrix": matrix, "categorical_split": split, "max_depth": 2}
        path = penalty_path(
            frame,
            labels,
            low=0.05,
            high=1.0,
            estimator=OptimalTreeClassifier(**options),
        )
        for penalty in (0.06, 0.13, 0.4, 0.9):
            alone = OptimalTreeClassifier(penalty, **options).fit(frame, labels)
            found = path.at(penalty).objective(penalty)
            assert found == pytest.approx(alone.objective_, abs=1e-6), seed


RATIOS = {"f1": (2, 1, 1), "jaccard": (1, 1, 1), "fbeta": (5, 4, 1)}


@pytest.mark.parametrize("metric", list(RATIOS))
@pytest.mark.parametrize("block", range(BLOCKS))
def test_ratios_equal_brute_force(block, metric):
    p, q, r = RATIOS[metric]
    for seed in range(block, rounds(100, 3_000), BLOCKS):
        problem, random = random_problem(seed), np.random.default_rng(70_000 + seed)
        positive = problem.labels == problem.labels[0]
        if positive.all():
            continue
        options = random_options(random) | {"penalize": "leaves", "split_penalty": 0.0}
        solver = SOLVERS[seed % len(SOLVERS)]
        if solver == "threshold" or options["max_depth"] is None:
            options["max_depth"] = options["max_depth"] or 2
            options["max_splits"] = None
        model = OptimalTreeClassifier(
            metric=metric,
            beta=2.0,
            missing=problem.missing,
            categorical_split=problem.categorical_split,
            solver=solver,
            pos_label="yes",
            **options,
        ).fit(problem.frame, np.where(positive, "yes", "no"), problem.weights)
        limits = oracle_limits(options)
        del limits["penalize"]
        front = least_errors(problem.for_classes(), positive, **limits)
        total = int(problem.weights[positive].sum())
        best = max(
            Fraction(p * (total - fn), p * (total - fn) + q * fn + r * fp)
            for fn, fp in front
        )
        assert model.optimal_, seed
        assert model.objective_ == pytest.approx(float(1 - best), abs=1e-12), seed
        says = model.predict(problem.frame) == "yes"
        hit = int(problem.weights[says & positive].sum())
        wrong = int(problem.weights[says & ~positive].sum())
        own = Fraction(p * hit, p * hit + q * (total - hit) + r * wrong)
        assert own == best, seed


@pytest.mark.parametrize("block", range(BLOCKS))
def test_balanced_accuracy_equals_brute_force(block):
    for seed in range(block, rounds(100, 3_000), BLOCKS):
        problem, random = random_problem(seed), np.random.default_rng(80_000 + seed)
        options = random_options(random) | {"split_penalty": 0.0, "max_splits": None}
        model = OptimalTreeClassifier(
            metric="balanced_accuracy",
            missing=problem.missing,
            categorical_split=problem.categorical_split,
            **options,
        ).fit(problem.frame, problem.labels, problem.weights)
        classes, codes = np.unique(problem.labels, return_inverse=True)
        sizes = np.bincount(codes, problem.weights)
        weights = problem.weights / sizes[codes]
        costs = 1.0 - np.eye(len(classes))[codes]
        expected = brute_force(problem.for_classes(), costs, weights, options)
        assert model.objective_ == pytest.approx(expected, abs=1e-6), seed
        score = balanced_accuracy_score(
            problem.labels, model.predict(problem.frame), sample_weight=problem.weights
        )
        assert score == pytest.approx(1 - model.objective_, abs=1e-9), seed


def table_of_doubtful_cases():
    random = np.random.default_rng(5)
    X = random.integers(0, 4, (200, 4))
    ill = random.random(200) < np.array([0.02, 0.3, 0.7, 0.95])[X[:, 0]]
    return X, np.where(ill, "ill", "healthy")


def test_mean_cost_is_what_the_fit_minimises():
    X, y = table_of_doubtful_cases()
    costs = {"healthy": {"ill": 1}, "ill": {"healthy": 5}}
    weights = np.random.default_rng(6).integers(1, 4, 200)
    model = OptimalTreeClassifier(
        0.0, cost_matrix=costs, abstain_cost=0.5, max_depth=2
    ).fit(X, y, weights)
    assert model.mean_cost(X, y, weights) == pytest.approx(model.objective_)
    assert OptimalTreeClassifier(0.0, max_depth=1).fit(X, y).mean_cost(
        X, y
    ) == pytest.approx(
        1 - OptimalTreeClassifier(0.0, max_depth=1).fit(X, y).score(X, y)
    )


def test_cross_validation_chooses_by_the_objective():
    X, y = table_of_doubtful_cases()
    costs = {"healthy": {"ill": 1}, "ill": {"healthy": 30}}
    estimator = OptimalTreeClassifier(cost_matrix=costs, max_depth=2)
    chosen = OptimalTreeClassifierCV(estimator, cv=3, low=0.01, high=40.0).fit(X, y)
    assert (chosen.cv_results_["mean_test_score"] <= 0).all()
    best = chosen.cv_results_["mean_test_score"][chosen.best_index_]
    assert best == chosen.cv_results_["mean_test_score"].max()
    balanced = OptimalTreeClassifier(metric="balanced_accuracy", max_depth=1)
    path = OptimalTreeClassifierCV(balanced, cv=3).fit(X, y)
    same = OptimalTreeClassifierCV(balanced, cv=3, scoring="balanced_accuracy")
    expected = same.fit(X, y).cv_results_["mean_test_score"]
    assert path.cv_results_["mean_test_score"] == pytest.approx(expected)


def test_pruning_counts_abstentions_as_errors():
    X, y = table_of_doubtful_cases()
    model = OptimalTreeClassifier(0.0, abstain_cost=0.2, max_depth=2).fit(X, y)
    assert model.tree_.action.max() == 2  # some leaf abstains
    tree = PrunableTree(model, X, y)
    wrong = np.count_nonzero(model.predict(X) != y)
    leaves = [i for i, slots in enumerate(tree.slots) if not slots]
    assert sum(tree.errors_as_leaf[i] for i in leaves) == wrong
