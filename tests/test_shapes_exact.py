"""Trees with restrictions cost as little as brute force finds.

``make fuzz-shapes`` tries many more tables.
"""

from dataclasses import replace

import native
import numpy as np
import pytest
from effort import rounds
from shape_oracle import UNIT, errors, least_cost

from treeproof import OptimalTreeRegressor
from treeproof.border.promises import Measurement
from treeproof.solving.shape import never_charges_more, path_rules

BLOCKS = 10


def random_table(rng, *, classes=2, most_rows=12):
    """Codes, kinds, labels and weights of a small table."""
    n, p = int(rng.integers(2, most_rows + 1)), int(rng.integers(1, 4))
    kinds = np.where(rng.random(p) < 0.75, 0, 2).astype(np.int32)
    values = [rng.integers(0, rng.integers(2, 8), n) for _ in range(p)]
    codes = np.stack([np.unique(v, return_inverse=True)[1] for v in values], axis=1)
    weights = rng.integers(1, 4, n) if rng.random() < 0.5 else np.ones(n, dtype=int)
    labels = rng.integers(0, classes, n).astype(np.int32)
    return codes.astype(np.int32), kinds, labels, weights


def arguments(codes, kinds, labels, weights, classes):
    return {
        "kinds": kinds,
        "n_values": (codes.max(axis=0) + 1).astype(np.int32),
        "codes": np.ascontiguousarray(codes.T).reshape(-1),
        "labels": labels,
        "n_classes": classes,
        "weights": weights.astype(np.float64),
        "penalize": "leaves",
    }


def split_cost(penalty, weights):
    return int(np.floor(penalty * int(weights.sum()) * UNIT + 0.5))


@pytest.mark.parametrize("block", range(BLOCKS))
def test_directions_and_lists_are_optimal(block):
    """2,000 problems in a long run, with all switches of the search over thresholds."""
    rng = np.random.default_rng(block)
    for _ in range(rounds(20, 400)):
        classes = 2 if rng.random() < 0.7 else 3
        codes, kinds, labels, weights = random_table(rng, classes=classes)
        directions = np.zeros(len(kinds), dtype=np.int32)
        if classes == 2 and rng.random() < 0.8:
            directions = np.where(kinds == 0, rng.integers(-1, 2, len(kinds)), 0)
            directions = directions.astype(np.int32)
        is_list = bool(rng.random() < 0.4)
        penalty = float(rng.choice([0, 0, 0.01, 0.03, 0.1]))
        depth, splits = (
            int(rng.choice([-1, 1, 2, 3, 4])),
            int(rng.choice([-1, -1, 1, 2, 3])),
        )
        min_leaf = int(rng.choice([1, 1, 2, 3]))
        names = ("unit_step", "inheritance", "boxes", "sets", "portable_kernels")
        switches = {name: bool(rng.random() < 0.7) for name in names}
        switches |= {"coarse_cuts": int(rng.choice([1, 2, 24]))}
        switches |= {"most_bins": int(rng.choice([2, 3, 128]))}
        found = native.solve_threshold(
            **arguments(codes, kinds, labels, weights, classes),
            split_penalty=penalty,
            max_depth=depth,
            max_splits=splits,
            min_samples_leaf=min_leaf,
            list=is_list,
            directions=directions if directions.any() else None,
            switches=switches,
            divide_weights=False,
        )
        least = least_cost(
            codes,
            kinds,
            errors(labels, weights),
            classes,
            split_cost(penalty, weights),
            depth=depth,
            splits=splits,
            min_leaf=min_leaf,
            directions=directions,
            is_list=is_list,
        )
        assert (found["lower"], found["upper"]) == (least, least)


def random_groups(rng, p):
    groups = [set(np.flatnonzero(rng.random(p) < 0.6).tolist()) for _ in range(3)]
    groups = [g for g in groups if g]
    rest = set(range(p)).difference(*groups) if groups else set(range(p))
    return [*groups, rest] if rest else groups


def random_measurements(rng, p):
    measurements = []
    for f in range(p):
        cost = float(rng.choice([0.0, 0.02, 0.1, 0.4]))
        group = None if rng.random() < 0.4 else "one"
        cheaper = cost * float(rng.choice([0.0, 0.5, 1.0]))
        measurements.append(Measurement(frozenset([f]), cost, group, cheaper))
    if p > 2 and rng.random() < 0.3:  # the last two columns are measured together
        *measurements, last, _ = measurements
        measurements.append(replace(last, columns=frozenset([p - 2, p - 1])))
    return measurements


def of_column(measurements, column):
    return next(m for m in measurements if column in m.columns)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_paths_are_optimal(block):
    """Groups of columns and prices of tests, with directions and lists on top."""
    rng = np.random.default_rng(100 + block)
    for _ in range(rounds(20, 200)):
        codes, kinds, labels, weights = random_table(rng, most_rows=10)
        p = len(kinds)
        groups = random_groups(rng, p) if rng.random() < 0.7 else None
        measured = random_measurements(rng, p) if rng.random() < 0.7 else []
        depth = int(rng.choice([-1, 1, 2, 3]))
        penalty = float(rng.choice([0, 0.01, 0.05]))
        min_leaf = int(rng.choice([1, 1, 2]))
        is_list = bool(rng.random() < 0.3)
        directions = np.where(kinds == 0, rng.integers(-1, 2, p), 0).astype(np.int32)
        if rng.random() < 0.6:
            directions[:] = 0
        rules = path_rules(p, groups, measured, None if depth < 0 else depth)
        prices = np.floor(rules.prices * UNIT + 0.5).astype(np.int64)
        found = native.solve_path_labels(
            **arguments(codes, kinds, labels, weights, 2),
            split_penalty=penalty,
            max_depth=depth,
            min_samples_leaf=min_leaf,
            list=is_list,
            directions=directions if directions.any() else None,
            n_states=len(rules.next),
            next=rules.next.reshape(-1),
            prices=prices.reshape(-1) if measured else None,
            pays=weights.astype(np.int32) if measured else None,
            contract=never_charges_more(rules.next, prices, codes.max(axis=0) > 1),
        )

        def allowed(path, groups=groups):
            return groups is None or any(path <= group for group in groups)

        def charge(path, f, mask, measured=measured, weights=weights):
            if not measured or f in path:
                return 0
            own = of_column(measured, f)
            asked = [of_column(measured, k) for k in path]
            if own in asked:
                return 0
            cheap = own.group is not None and any(m.group == own.group for m in asked)
            price = int(np.floor((own.discounted if cheap else own.cost) * UNIT + 0.5))
            return price * sum(int(w) for i, w in enumerate(weights) if mask >> i & 1)

        least = least_cost(
            codes,
            kinds,
            errors(labels, weights),
            2,
            split_cost(penalty, weights),
            depth=depth,
            min_leaf=min_leaf,
            directions=directions,
            is_list=is_list,
            allowed=allowed,
            charge=charge,
        )
        assert (found["lower"], found["upper"]) == (least, least)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_regression_lists_and_interactions_are_optimal(block):
    rng = np.random.default_rng(200 + block)
    for _ in range(rounds(5, 100)):
        codes, kinds, _, weights = random_table(rng, most_rows=9)
        kinds[:] = 0
        y = rng.integers(0, 6, len(codes)).astype(float)
        if np.ptp(y) == 0:
            continue
        groups = random_groups(rng, len(kinds)) if rng.random() < 0.5 else None
        is_list, depth = bool(rng.random() < 0.6), int(rng.choice([1, 2, 3]))
        model = OptimalTreeRegressor(
            0.0,
            max_depth=depth,
            shape="list" if is_list else "tree",
            interaction_cst=None if groups is None else [sorted(g) for g in groups],
        )
        model.fit(codes.astype(float), y, sample_weight=weights)
        root = np.average((y - np.average(y, weights=weights)) ** 2, weights=weights)

        def say(mask, _, y=y, weights=weights):
            rows = [i for i in range(len(y)) if mask >> i & 1]
            mean = np.average(y[rows], weights=weights[rows])
            return float((weights[rows] * (y[rows] - mean) ** 2).sum())

        least = least_cost(
            codes,
            kinds,
            say,
            1,
            0.0,
            depth=depth,
            is_list=is_list,
            allowed=None
            if groups is None
            else lambda path, groups=groups: any(path <= g for g in groups),
        )
        assert model.optimal_
        assert model.objective_ == pytest.approx(
            least / (root * weights.sum()), rel=1e-9, abs=1e-12
        )
