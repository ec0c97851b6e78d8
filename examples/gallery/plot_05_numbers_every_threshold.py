"""
Does it matter to look at every threshold?
==========================================

Many exact learners first cut numbers into a few bins and then find the optimum of the
binned table. Here is what the bins cost, on breast cancer data with trees of depth two.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from treeproof import OptimalTreeClassifier

X, y = load_breast_cancer(return_X_y=True)


def binned(X, bins):
    """Replace every value by the quantile it lies in."""
    edges = np.quantile(X, np.linspace(0, 1, bins + 1)[1:-1], axis=0)
    return np.stack(
        [np.searchsorted(edges[:, j], X[:, j]) for j in range(X.shape[1])], axis=1
    )


def errors(X):
    clf = OptimalTreeClassifier(0.0, max_depth=2).fit(X, y)
    assert clf.optimal_
    return round(clf.objective_ * len(y))


bins = [2, 3, 5, 10, 20, 50]
counts = [errors(binned(X, k)) for k in bins]
exact = errors(X)

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(bins, counts, "o-", label="optimal on bins")
ax.axhline(exact, color="C1", linestyle="--", label="optimal on all thresholds")
ax.set_xscale("log")
ax.set_xticks(bins, bins)
ax.minorticks_off()
ax.set_xlabel("bins of each column")
ax.set_ylabel("training errors")
ax.set_ylim(bottom=0)
ax.legend(frameon=False)
