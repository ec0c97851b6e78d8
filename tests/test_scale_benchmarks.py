"""The benchmarks of large tables, growth and many workers, at a small size."""

import pytest
from benchmarks import big, growth, scale_out

from treeproof.solving.solvers import solve


def test_a_big_table_in_small(tmp_path):
    pytest.importorskip("duckdb")
    path = tmp_path / "big.parquet"
    big.write(path, 20_000)
    found = big.fit(str(path))
    assert found["status"] == "optimal" and found["rows"] == 20_000
    assert found["distinct"] < 20_000
    assert 0.1 < found["objective"] < 0.16  # the noise and a few splits
    assert big.scan(path) > 0


def test_growth_of_one_size():
    sizes = growth.BASES["sparse"] | {"rows": 200, "features": 5}
    points = [growth.run("sparse", sizes | {"rows": n}, 60.0, 1) for n in (200, 400)]
    assert [p["status"] for p in points] == ["optimal"] * 2
    assert growth.slope([1, 2, 4], [3.0, 12.0, 48.0]) == pytest.approx(2.0)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_virtual_cluster_proves_the_same(workers, monkeypatch):
    monkeypatch.setattr(scale_out.coordinator, "ROOT_SECONDS", 0.001)
    task = scale_out.problem(120, 8, 0.02)
    _, alone = solve("sparse", task)
    seconds, busy, found = scale_out.search(task, workers)
    assert (found["lower"], found["upper"]) == (alone["lower"], alone["upper"])
    assert busy > 0 and seconds > 0


def test_more_workers_count_faster():
    times = [scale_out.count_rows(10**9, w, 3e-6, 1e-6, 10**5) for w in (1, 10, 100)]
    assert times[0] > times[1] > times[2]
    assert times[0] == pytest.approx(3000, rel=0.1)
