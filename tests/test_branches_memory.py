"""BRANCHES at its memory limit: backtracking takes over and proves the same."""

import native
import numpy as np
import pytest
import table42
from oracle import engine_arguments, optimal_cost, random_limits, random_table
from published_search import noise
from test_branches import check_tree, hard_table, solve

from treeproof import OptimalTreeClassifier


def memory_used(result):
    return result["statistics"]["memory_bytes"]


def turned(result):
    return result["statistics"]["turned_to_backtracking"] == 1


@pytest.mark.parametrize("memo_branches", [1, 2, 3, 5, 9, 17])
def test_agrees_with_brute_force_wherever_memory_ends(memo_branches):
    rng = np.random.default_rng(memo_branches)
    n_turned = n_evictions = 0
    for _ in range(250):
        table = random_table(rng, max_rows=14)
        limits = random_limits(rng)
        del limits["penalize"]  # each split is charged once
        del limits["max_splits"]
        result = solve(table, memo_branches=memo_branches, **limits)
        assert result["status"] == "optimal"
        assert result["lower"] == result["upper"] == optimal_cost(table, **limits)
        check_tree(table, result, **limits)
        n_turned += turned(result)
        n_evictions += result["statistics"]["memo_evictions"]
    assert n_turned > 0
    assert n_evictions > 0 or memo_branches > 9


@pytest.mark.parametrize("memo_branches", [1, 40, 400])
def test_larger_tables_agree_with_the_other_engine(memo_branches):
    for seed in range(4):
        table = noise(120, 8, seed=seed)
        for options in ({}, {"max_depth": 4}, {"min_samples_leaf": 5}):
            result = solve(table, 0.008, memo_branches=memo_branches, **options)
            other = native.solve(
                solver="sparse",
                split_penalty=0.008,
                **options,
                **engine_arguments(table),
            )
            assert turned(result) and result["status"] == "optimal"
            assert result["upper"] == other["upper"]
            assert result["statistics"]["backtracked"] > 0
            check_tree(table, result, 0.008, **options)


def test_without_a_limit_nothing_turns():
    result = solve(noise(120, 8, seed=0), 0.008)
    assert not turned(result)
    assert result["statistics"]["backtracked"] == 0


@pytest.mark.parametrize("share", [4, 16])
def test_a_part_of_the_memory_is_enough_and_kept_to(share):
    table = hard_table(n_features=13)
    free = solve(table, 0.005)
    limit = memory_used(free) // share
    tight = solve(table, 0.005, memory_limit=limit)
    assert turned(tight) and not turned(free)
    assert (tight["status"], tight["upper"]) == ("optimal", free["upper"])
    assert memory_used(tight) <= limit
    check_tree(table, tight, 0.005)
    # Hardly anything is searched twice while the bounds of most branches are kept.
    expanded = tight["statistics"]["expansions"] + tight["statistics"]["backtracked"]
    assert expanded < 10 * free["statistics"]["expansions"]


@pytest.mark.parametrize("name", ["tictactoe-f", "nursery-f", "zoo"])
def test_a_quarter_of_the_memory_for_sets_of_the_thesis(name):
    table = table42.load(name)
    penalty = table42.penalty(name)
    free = solve(table, penalty)
    tight = solve(table, penalty, memory_limit=memory_used(free) // 4)
    assert turned(tight)
    assert (tight["status"], tight["upper"]) == ("optimal", free["upper"])
    assert memory_used(tight) <= memory_used(free) // 4


@pytest.mark.parametrize("moment", [2, 3])
def test_ctrl_c_while_backtracking_keeps_the_tree_and_true_bounds(moment):
    table = hard_table(n_features=14)
    wanted = solve(table, 0.005)["upper"]
    events = []

    def stop(*event):
        events.append(event)
        if len(events) == moment:
            raise KeyboardInterrupt

    result = solve(table, 0.005, memo_branches=1, observer=stop)
    assert result["status"] == "interrupted" and turned(result)
    assert 0 < result["lower"] < result["upper"]
    assert result["lower"] <= wanted <= result["upper"]
    check_tree(table, result, 0.005)
    lower, upper = [e[2] for e in events], [e[3] for e in events]
    assert lower == sorted(lower)
    assert upper == sorted(upper, reverse=True)


def test_a_search_that_nobody_finishes_stays_within_its_memory():
    table = hard_table()
    limit = 4_000_000
    result = solve(table, 0.002, memory_limit=limit, time_limit=2)
    assert result["status"] == "time_limit"
    assert memory_used(result) <= limit
    assert 0 < result["lower"] < result["upper"]
    check_tree(table, result, 0.002)


def test_the_estimator_says_that_it_turned():
    table = hard_table(n_features=12)
    model = OptimalTreeClassifier(0.006, solver="branches", memory_limit="0.5MB")
    model.fit(table.codes, table.labels)
    assert model.optimal_
    assert model.stats_["turned_to_backtracking"] == 1
    assert model.stats_["memory_bytes"] <= 500_000
