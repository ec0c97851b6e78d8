"""Proofs made by a search with an unsound bound are rejected."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from treeproof import OptimalTreeClassifier, _core
from treeproof.proof.checker import check

PROBLEMS = 120


def noisy_table(seed: int) -> tuple[pd.DataFrame, np.ndarray, dict[str, Any]]:
    """Return a problem whose optimal tree needs several splits."""
    rng = np.random.default_rng(seed)
    n, width = int(rng.integers(30, 120)), int(rng.integers(4, 9))
    X = rng.integers(0, 2, (n, width))
    y = (X[:, 0] & X[:, 1]) | (X[:, 2] & X[:, 3]) if seed % 2 else X[:, 0] ^ X[:, 1]
    y = np.where(rng.random(n) < 0.15, rng.integers(0, 2 + seed % 3, n), y)
    parameters = {
        "split_penalty": float(rng.choice([0.005, 0.01, 0.02, 0.03])),
        "max_depth": [None, None, 3, 4][rng.integers(4)],
    }
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(width)]), y, parameters


@pytest.mark.parametrize("fault", [f for f in _core.faults() if f != "none"])
def test_unsound_bounds_are_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    sound = _core.SparseOptions

    def use(**options: str) -> None:
        monkeypatch.setattr(_core, "SparseOptions", partial(sound, **options))

    caught = 0
    for seed in range(PROBLEMS):
        X, y, parameters = noisy_table(seed)
        use()
        truth = OptimalTreeClassifier(**parameters).fit(X, y).objective_
        use(fault=fault)
        claim = OptimalTreeClassifier(**parameters).fit(X, y, proof=tmp_path / "p")
        assert claim.objective_ >= truth - 1e-9
        if claim.lower_bound_ <= truth + 1e-9:
            continue  # the fault did no harm here
        verdict = check(tmp_path / "p", X, y)
        assert not verdict.accepted, (seed, fault)
        assert verdict.step is not None
        caught += 1
        if caught == 3:
            return
    assert caught > 0, f"the fault {fault} did no harm in {PROBLEMS} problems"
