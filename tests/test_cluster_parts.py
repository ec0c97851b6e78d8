"""Parts of one table that share results and bounds, without a cluster."""

import numpy as np
import pytest

from treeproof import OptimalTreeClassifier, _core
from treeproof.cluster.graph import Graph
from treeproof.cluster.table import shared_table
from treeproof.cluster.worker import Slice, forget, work
from treeproof.solving.solvers import Task
from treeproof.sources.training import classification_data

LEAST, MOST = 1, 100_000


def make_table(seed, n=120, features=6, penalty=0.02, max_depth=None, min_leaf=1):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, features)).astype(str)
    twin = X[:, 0].copy()
    changed = rng.random(n) < 0.05
    twin[changed] = X[changed, 1]
    X = np.column_stack([X, twin])
    y = (X[:, 0] == "1") ^ (X[:, 2] == "0") ^ (rng.random(n) < 0.25)
    weights = rng.random(n) + 0.5 if seed % 2 else None
    model = OptimalTreeClassifier(
        penalty, categorical_split=["multiway", "one-vs-rest"][seed % 2]
    )
    data, _ = classification_data(model, X, y, weights, 0)
    task = Task(
        table=data.table, labels=data.labels, n_classes=2, weights=data.weights,
        split_penalty=penalty, max_depth=max_depth, min_samples_leaf=min_leaf,
        penalize=["leaves", "splits"][seed // 2 % 3 % 2],
    )  # fmt: skip
    return shared_table(task)


def optimum(table, rows, depth):
    memo = _core.SharedMemo(0)
    found = table.solve_part(memo, rows, depth, seconds=0, cutoff=0)
    assert found.lower == found.upper
    return found.lower


def some_branches(table, rng, wanted):
    tests = table.tests()
    branches = [()]
    while len(branches) < wanted:
        branch = branches[rng.integers(len(branches))]
        rows = table.rows_of(branch)
        test = tests[rng.integers(len(tests))]
        outcome = table.outcomes(test, rows)
        value = int(outcome[rng.integers(len(outcome))])
        if len(branch) < 2 and len(np.unique(outcome)) > 1:
            branches.append((*branch, (test, value)))
    return branches


@pytest.mark.parametrize("seed", range(24))
def test_what_others_told_changes_no_optimum(seed):
    rng = np.random.default_rng(seed)
    depth = [None, 3][seed // 2 % 2]
    table = make_table(seed, max_depth=depth, min_leaf=[1, 5][seed // 4 % 2])
    memos = [_core.SharedMemo(0), _core.SharedMemo(20_000)]  # one of them drops entries
    for branch in some_branches(table, rng, 12):
        rows = table.rows_of(branch)
        left = None if depth is None else depth - len(branch)
        best = optimum(table, rows, left)
        here, there = rng.permutation(2)
        cutoff = int(rng.integers(2)) * int(best * rng.uniform(0.3, 1.2))
        found = table.solve_part(memos[here], rows, left, seconds=0, cutoff=cutoff)
        assert found.lower <= best <= found.upper
        assert found.lower >= min(cutoff or best, best)
        if not cutoff:
            assert found.lower == found.upper == best
        memos[there].learn(memos[here].news(LEAST, MOST))
    for memo in memos:
        found = table.solve_part(memo, rows, left, seconds=0, cutoff=0)
        assert found.lower == found.upper == best


def expansions(table, memo):
    rows = np.arange(table.n_rows)
    encoded = _core.EncodedTable.with_labels(
        kinds=table.kinds, n_values=table.n_values, codes=table.codes.reshape(-1),
        weights=table.weights, labels=table.labels, n_classes=2,
    )  # fmt: skip
    penalty = table.split_cost / (table.weights.sum() * 2**20)
    options = _core.SearchOptions(split_penalty=penalty, penalize=table.penalize)
    found = memo.solve(encoded, options, names=rows.astype(np.int32))
    assert found["status"] == "optimal"
    return found["statistics"]["expansions"], found["upper"]


def test_news_save_work():
    table = make_table(0, n=300, features=10, penalty=0.01)
    one, two = _core.SharedMemo(0), _core.SharedMemo(0)
    alone, best = expansions(table, one)
    again, same = expansions(table, one)
    news = one.news(LEAST, MOST)
    two.learn(news)
    told, also = expansions(table, two)
    assert best == same == also
    assert alone > 50
    assert again <= 2
    assert told < alone / 2
    assert one.news(LEAST, MOST) == b"", "told once"
    assert len(_core.SharedMemo(0).news(LEAST, MOST)) == 0
    # Few of the most effort, where there are many.
    three = _core.SharedMemo(0)
    three.learn(b"")
    expansions(table, three)
    assert len(three.news(LEAST, 7)) == 7 * 40
    with pytest.raises(ValueError, match="torn record"):
        three.learn(b"123")


@pytest.mark.parametrize("depth", [None, 3])
def test_outcomes_bound_each_other(depth):
    shared = 0
    for seed in range(12):
        table = make_table(seed, max_depth=depth)
        graph = Graph(table)
        graph.split(graph.root)
        below = None if depth is None else depth - 1
        memo = _core.SharedMemo(0)
        children = {c for t in graph.root.candidates for _, c in t.children}
        best = {child: optimum(table, child.rows, below) for child in children}
        for child in sorted(children, key=lambda c: -len(c.rows))[:4]:
            found = table.solve_part(memo, child.rows, below, seconds=0, cutoff=0)
            graph.learn(child, found)
            assert all(other.lower <= best[other] for other in children)
        root = optimum(table, graph.root.rows, depth)
        assert graph.root.lower <= root <= graph.root.upper
        shared += graph.shared
    assert shared > 0


def test_a_least_leaf_size_shares_nothing():
    table = make_table(0, min_leaf=4)
    graph = Graph(table)
    graph.split(graph.root)
    memo = _core.SharedMemo(0)
    child = max(
        (c for t in graph.root.candidates for _, c in t.children),
        key=lambda c: len(c.rows),
    )
    graph.learn(child, table.solve_part(memo, child.rows, None, seconds=0, cutoff=0))
    assert graph.shared == 0


def test_a_slice_goes_on_where_it_was():
    table = make_table(3, n=300, features=10, penalty=0.01)
    whole = Slice((), None, 0.0, 0)
    first = work(table, [whole], "a fit", b"", 1000)
    second = work(table, [whole], "a fit", b"", 1000)
    forget("a fit")
    assert first.outcomes[0].lower == first.outcomes[0].upper
    assert second.outcomes[0].upper == first.outcomes[0].upper
    assert len(first.news) > len(second.news)
