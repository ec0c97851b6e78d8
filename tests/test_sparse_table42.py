"""The known optima of Table 4.2 of the thesis, proved for every encoding."""

import numpy as np
import pytest
from oracle import MULTIWAY, ONE_VS_REST, Table, tree_facts
from sparse_problems import solve
from table42 import OPTIMA, load, penalty

from treeproof.datasets import load_balance_scale, load_tic_tac_toe

NO_LIMITS = {"max_depth": -1, "max_splits": -1, "min_samples_leaf": 1}


def check(table, split_penalty, wanted):
    answer = solve(table, {"split_penalty": split_penalty, **NO_LIMITS})
    facts = tree_facts(table, answer["tree"], split_penalty)
    assert answer["status"] == "optimal"
    assert answer["lower"] == answer["upper"] == facts.cost
    assert 1 - answer["upper"] / answer["unit"] == pytest.approx(wanted, abs=6e-4)


@pytest.mark.parametrize("name", sorted(OPTIMA))
def test_optimum(name):
    check(load(name), penalty(name), OPTIMA[name])


@pytest.mark.parametrize(
    ("loader", "kind", "wanted"),
    [
        (load_tic_tac_toe, ONE_VS_REST, OPTIMA["tictactoe"]),
        (load_tic_tac_toe, MULTIWAY, OPTIMA["tictactoe-o"]),
        (load_balance_scale, ONE_VS_REST, OPTIMA["balance"]),
        (load_balance_scale, MULTIWAY, OPTIMA["balance-o"]),
    ],
)
def test_optimum_of_the_same_data_made_by_code(loader, kind, wanted):
    X, y = loader(return_X_y=True)
    codes = np.column_stack(
        [np.unique(column, return_inverse=True)[1] for column in np.asarray(X).T]
    )
    labels = np.unique(y, return_inverse=True)[1]
    table = Table(
        kinds=np.full(codes.shape[1], kind),
        n_values=codes.max(axis=0) + 1,
        codes=codes,
        labels=labels,
        n_classes=int(labels.max()) + 1,
        weights=np.ones(len(labels), dtype=int),
    )
    check(table, 0.005, wanted)
