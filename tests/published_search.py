"""A hard table and rules for limits, for tests of the published algorithms."""

import os
import signal
import threading

import numpy as np
import pytest
import table42
from oracle import ONE_VS_REST, Table, tree_facts


def noise(n_rows, n_features, seed):
    """Make pure noise: no search proves anything about it in the time of a test."""
    rng = np.random.default_rng(seed)
    return Table(
        kinds=np.full(n_features, ONE_VS_REST),
        n_values=np.full(n_features, 2),
        codes=rng.integers(0, 2, size=(n_rows, n_features)),
        labels=rng.integers(0, 2, size=n_rows),
        n_classes=2,
        weights=np.ones(n_rows, dtype=np.int64),
    )


def parity(n_features):
    """Return 60 rows whose class is the parity of the first three columns."""
    codes = np.random.default_rng(1).integers(0, 2, size=(60, n_features))
    return Table(
        kinds=np.full(n_features, ONE_VS_REST),
        n_values=np.full(n_features, 2),
        codes=codes,
        labels=codes[:, 0] ^ codes[:, 1] ^ codes[:, 2],
        n_classes=2,
        weights=np.ones(60, dtype=np.int64),
    )


def check_tree(
    table, result, split_penalty, *, max_depth=-1, max_splits=-1, min_samples_leaf=1
):
    facts = tree_facts(table, result["tree"], split_penalty)
    assert facts.cost == result["upper"]
    assert max_depth < 0 or facts.depth <= max_depth
    assert max_splits < 0 or facts.splits <= max_splits
    assert facts.splits == 0 or facts.smallest_leaf >= min_samples_leaf


def check_optimum_of_thesis(solve, name):
    """Return the result for an encoding of Table 4.2, whose optimum is known."""
    table, penalty = table42.load(name), table42.penalty(name)
    result = solve(table, penalty)
    assert result["status"] == "optimal"
    accuracy = 1 - result["upper"] / result["unit"]
    assert accuracy == pytest.approx(table42.OPTIMA[name], abs=6e-6)
    check_tree(table, result, penalty)
    return result


def check_time_limit_keeps_the_tree(solve, table):
    result = solve(table, 0.002, time_limit=0.1)
    assert result["status"] == "time_limit"
    assert 0 < result["lower"] < result["upper"]
    check_tree(table, result, 0.002)


def check_interrupt_keeps_the_tree(solve, table):
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    result = solve(table, 0.002, time_limit=60, memory_limit=2 << 30)
    timer.join()
    assert result["status"] == "interrupted"
    check_tree(table, result, 0.002)


def check_events_end_with_the_result(solve, table, split_penalty):
    """Return the events, after looking at their order and their end."""
    events = []
    result = solve(
        table,
        split_penalty,
        memory_limit=20_000_000,
        observer=lambda *event: events.append(event),
    )
    lower = [e[2] for e in events]
    upper = [e[3] for e in events]
    assert lower == sorted(lower)
    assert upper == sorted(upper, reverse=True)
    assert lower[-1] == pytest.approx(result["lower"] / result["unit"])
    assert upper[-1] == pytest.approx(result["upper"] / result["unit"])
    return events
