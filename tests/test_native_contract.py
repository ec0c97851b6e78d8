"""The native module refuses arrays that do not fit, instead of reading wild."""

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
    return _core.solve(solver="sparse", split_penalty=0.0, **(GOOD | changed))


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
    ],
)
def test_bad_arrays_are_refused(changed, words):
    with pytest.raises(ValueError, match=words):
        solve(**changed)
