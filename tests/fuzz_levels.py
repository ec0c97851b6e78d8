"""The portfolio and its ladder: every certificate of a fuzz case, by brute force.

A certificate speaks of the trees of one depth. It is compared with the best tree of
that depth, which `fuzz_check.Truth` finds by trying all trees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import native
from fuzz_case import Case, is_regression, limits_of
from oracle import engine_arguments
from regression_oracle import target_arguments

if TYPE_CHECKING:
    from fuzz_check import Truth

ENGINES = [(True, True), (True, False), (False, True)]


def ways(case: Case) -> tuple[dict[str, bool], dict[str, bool]]:
    """Return how to climb, and the engines; a case has both in one number."""
    number = case["switches"].get("climb", 0)
    how = {
        "levels_first": number & 1 == 0,
        "polish": number & 2 == 0,
        "climb": number < 11,
    }
    engines = ENGINES[number // 4]
    return how, dict(zip(("sparse", "threshold"), engines, strict=True))


def climb(
    case: Case, truth: Truth, stopped: dict[str, Any], close: float
) -> tuple[dict[str, Any], int]:
    """Search level by level; return the answer, and how many levels were compared.

    Classes are searched by both engines, and sometimes by one of them.
    """
    how, engines = ways(case)
    regression = is_regression(case)
    arguments = (target_arguments if regression else engine_arguments)(truth.table)
    arguments |= {"split_penalty": truth.penalty, "penalize": truth.penalize}
    arguments |= {**limits_of(case), "n_jobs": case["n_jobs"], **stopped, **how}
    seen: list[tuple[str, Any]] = []
    arguments["ladder"] = lambda kind, news: seen.append((kind, dict(news)))
    if not regression:
        off = case["switches"]["sparse_off"]
        arguments |= {**engines, "switches": dict.fromkeys(off, False)}
    run = native.climb_targets if regression else native.climb_labels
    found = run(**arguments)
    unit = found["unit"]
    exactly = not regression and unit == truth.whole
    levels = [*found["certificates"], *(n for kind, n in seen if kind == "level")]
    for level in levels:
        lower, upper = level["lower"] / unit, level["upper"] / unit
        compare(truth, level["max_depth"], lower, upper, 0.0 if exactly else close)
        if not regression:
            assert level["optimal"] == (level["lower"] == level["upper"]), level
    last = found["certificates"][-1]
    assert last["max_depth"] == case["max_depth"], last
    assert last["lower"] == found["lower"] and last["upper"] == found["upper"], last
    return found, len(levels)


def compare(
    truth: Truth, depth: int | None, lower: float, upper: float, close: float
) -> None:
    """Check that a statement about the trees of one depth is true."""
    best = truth.at(depth)
    assert lower <= best + close, (depth, lower, best)
    assert best <= upper + close, (depth, upper, best)


def check_certificates(truth: Truth, model: Any, close: float) -> int:
    """Compare each certificate of a fitted model with brute force at its depth."""
    for known in model.certificates_:
        compare(truth, known.max_depth, known.lower_bound, known.objective, close)
    last = model.certificates_[-1]
    assert last.lower_bound == model.lower_bound_, (last, model.lower_bound_)
    assert last.objective == model.objective_, (last, model.objective_)
    return len(model.certificates_)
