"""The examples of the page for contributors: compiled, searched, proved, exported."""

import runpy
import subprocess
from fractions import Fraction
from math import log
from pathlib import Path

import numpy as np
import pytest
from oracle import ORDERED, Table, cheapest_action, optimal_cost

from treeproof import OptimalTreeClassifier
from treeproof.proof import check

ROOT = Path(__file__).parents[1]
EXTEND, BUILD = ROOT / "examples" / "extend", ROOT / "build"


def program():
    found = sorted(BUILD.glob("*/try_them"), key=lambda path: path.stat().st_mtime)
    if not found:
        pytest.skip("build/*/try_them is not there; `make build` compiles it")
    return found[-1]


def test_the_loss_and_the_bound():
    done = subprocess.run([program()], check=True, capture_output=True, text=True)
    equal, everything, least, difference = map(float, done.stdout.split())
    assert difference < 1e-9  # between the search with this loss and brute force
    mean = 15 / 5
    rows = [(2, 1), (2, 2), (8, 1), (1, 1)]
    losses = [w * (log(mean / y) + y / mean - 1) for y, w in rows]
    assert equal == 0 and least == 3
    assert everything == pytest.approx(2 * sum(losses), abs=1e-5)


def test_a_table_of_costs_is_an_objective(tmp_path):
    order_costs = runpy.run_path(str(EXTEND / "order_quantities.py"))["order_costs"]
    random = np.random.default_rng(0)
    codes = random.integers(0, 3, (10, 2))
    codes[:3, 0] = codes[:3, 1] = [0, 1, 2]
    demand = (2.0 * codes[:, 0] + random.integers(0, 3, 10)).round()
    quantities = np.arange(8.0)
    costs = order_costs(demand, quantities)
    file = tmp_path / "orders.proof.gz"
    model = OptimalTreeClassifier(0.5, max_depth=2)
    model.fit(codes.astype(float), None, costs=costs, proof=file)

    leaf, taken_off = cheapest_action(costs, np.ones(10))
    table = Table(
        np.full(2, ORDERED),
        np.full(2, 3),
        codes,
        np.zeros(10, int),
        1,
        np.ones(10, int),
    )
    best = optimal_cost(
        table, Fraction(1, 2) * 10, max_depth=2, leaf=leaf, penalize="leaves"
    )
    assert model.optimal_
    assert model.objective_ == pytest.approx(float((best + taken_off) / 10))

    verdict = check(file, codes.astype(float), None, costs=costs)
    assert verdict.accepted

    place = {}
    exec(model.to_python(), place)
    rows = [{"x0": a, "x1": b} for a, b in codes.tolist()]
    assert [place["predict"](row) for row in rows] == model.predict(
        codes.astype(float)
    ).tolist()
