"""Counts of distinct rows of parts add up to the counts of the whole table."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")

from treeproof.sources.coded import add_up, count_rows  # noqa: E402
from treeproof.sources.source import LOW, ROWS, WEIGHT  # noqa: E402


def random_table(rng, n):
    words = rng.choice(np.array([None, "a", "b", "long word"], dtype=object), n)
    numbers = rng.choice(np.array([0.0, -0.0, 1.5, None], dtype=object), n)
    return pa.table(
        {
            "word": pa.array(words, pa.string()),
            "number": pa.array(numbers, pa.float64()),
            "whole": rng.integers(-3, 3, n),
            "weight": rng.integers(1, 5, n).astype(float),
        }
    )


@pytest.mark.parametrize("seed", range(20))
def test_parts_add_up_to_the_whole(seed):
    rng = np.random.default_rng(seed)
    table = random_table(rng, int(rng.integers(1, 400)))
    keys = table.column_names[:3]
    ends = [0, *np.sort(rng.integers(0, len(table) + 1, 3)).tolist(), len(table)]
    parts = [
        count_rows(table.slice(a, b - a), keys, "weight", {}) for a, b in pairwise(ends)
    ]
    rows = add_up([add_up(parts[:2], 1000), add_up(parts[2:], 1000)], 1000)
    found = rows.to_arrow()
    assert rows.n_rows == len(table)
    assert found.column_names == [*keys, ROWS, WEIGHT]
    count: Counter = Counter()
    weight: Counter = Counter()
    for *key, w in zip(*table.to_pydict().values(), strict=True):
        count[tuple(key)] += 1
        weight[tuple(key)] += w
    assert {
        tuple(key): (n, w)
        for *key, n, w in zip(*found.to_pydict().values(), strict=True)
    } == {key: (count[key], weight[key]) for key in count}


def test_wide_rows_need_more_than_one_number():
    rng = np.random.default_rng(0)
    columns = {f"c{j}": rng.permutation(10_000) for j in range(10)}
    table = pa.table({**columns, "same": np.zeros(10_000)})
    rows = count_rows(pa.concat_tables([table, table]), table.column_names, None, {})
    assert len(rows) == 10_000
    assert set(rows.sums[ROWS].tolist()) == {2}


def test_bins_keep_their_least_value():
    table = pa.table({"x": [0.5, 0.1, 3.0, None, 2.0, None]})
    cuts = {"x": np.array([1.0, 3.0])}
    rows = add_up([count_rows(table, ["x"], None, cuts)] * 2, 10).to_arrow()
    found = {r["x"]: (r[LOW + "x"], r[ROWS]) for r in rows.to_pylist()}
    assert found[0] == (0.1, 4)
    assert found[1] == (2.0, 4)
    assert np.isnan(found[None][0])
    assert found[None][1] == 4


def test_too_many_rows_are_not_joined():
    many = count_rows(pa.table({"x": np.arange(11)}), ["x"], None, {})
    few = count_rows(pa.table({"x": np.arange(3)}), ["x"], None, {})
    assert add_up([few, many], 10) is many
    assert len(add_up([few, few], 10)) == 3
