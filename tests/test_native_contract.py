"""The native module refuses arrays that do not fit, instead of reading past them."""

import native
import numpy as np
import pytest

from treeproof import _core

GOOD = {
    "kinds": np.zeros(2, dtype=np.int32),
    "n_values": np.array([2, 3], dtype=np.int32),
    "codes": np.array([0, 1, 0, 2, 1, 0], dtype=np.int32),
    "labels": np.array([0, 1, 0], dtype=np.int32),
    "n_classes": 2,
    "weights": np.ones(3),
}


def solve(**changed):
    return native.solve(solver="sparse", split_penalty=0.0, **(GOOD | changed))


def test_good_arrays_are_solved():
    assert solve()["status"] == "optimal"


@pytest.mark.parametrize(
    "changed, words",
    [
        ({"codes": np.zeros(5, dtype=np.int32)}, "different lengths"),
        ({"weights": np.ones(2)}, "different lengths"),
        ({"n_values": np.array([2], dtype=np.int32)}, "different lengths"),
        ({"codes": np.array([0, 2, 0, 0, 0, 0], dtype=np.int32)}, "code out of range"),
        ({"codes": np.array([0, -1, 0, 0, 0, 0], dtype=np.int32)}, "code out of range"),
        ({"labels": np.array([0, 2, 0], dtype=np.int32)}, "label out of range"),
        ({"kinds": np.array([0, 7], dtype=np.int32)}, "unknown kind"),
        ({"n_classes": 0}, "n_classes must be at least 1"),
    ],
)
def test_bad_arrays_are_refused(changed, words):
    with pytest.raises(ValueError, match=words):
        solve(**changed)


@pytest.mark.parametrize(
    "changed, words",
    [
        ({"points": np.array([0, 1], dtype=np.int32)}, "different lengths"),
        ({"weights": np.ones(2)}, "different lengths"),
        ({"points": np.array([0, 1, 3], dtype=np.int32)}, "code out of range"),
        ({"labels": np.array([0, 1, 2], dtype=np.int32)}, "label out of range"),
    ],
)
def test_rules_refuse_bad_arrays(changed, words):
    good = {
        "points": np.arange(3, dtype=np.int32),
        "labels": np.array([0, 1, 0], dtype=np.int32),
        "n_classes": 2,
        "weights": np.ones(3),
    }
    store = _core.RuleStore(3)
    store.add_sides(np.array([[False, True, False]]))
    assert native.solve_rules(store, **good)["status"] == "optimal"
    with pytest.raises(ValueError, match=words):
        native.solve_rules(store, **(good | changed))


@pytest.mark.parametrize("solve", [native.solve_targets, native.quant_targets])
def test_targets_must_fit(solve):
    table = {name: GOOD[name] for name in ("kinds", "n_values", "codes", "weights")}
    more = {"max_depth": 2} if solve is native.quant_targets else {"split_penalty": 0.0}
    with pytest.raises(ValueError, match="wrong length"):
        solve(targets=np.ones(2), **table, **more)
    with pytest.raises(ValueError, match="unknown criterion"):
        solve(targets=np.ones(3), criterion="cubes", **table, **more)
