"""One of the trees that are nearly optimal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from treeproof.tree import Tree

__all__ = ["NearTree"]


@dataclass(frozen=True)
class NearTree:
    """One tree of the set.

    Attributes
    ----------
    tree : Tree
        The tree as a node table.
    objective : float
        Its cost.
    loss : float
        The share of the training weight that it misclassifies.
    n_splits : int
        Its number of splits.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.datasets import load_monks
    >>> X, y = load_monks(1, as_frame=True, return_X_y=True)
    >>> clf = OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> trees = clf.near_optimal(within=0.02)
    >>> trees[0].model.certificate()
    'Optimal: no tree of depth 2 or less with multiway and one-vs-rest splits of categories costs less than 0.216667.'
    """  # noqa: E501

    tree: Tree
    objective: float
    loss: float
    n_splits: int
    _template: Any = field(repr=False, compare=False)
    _proved: bool = field(repr=False, compare=False)

    @property
    def model(self) -> Any:
        """The tree as a fitted estimator; its certificate states its gap."""
        from treeproof.estimators.variants import model_like

        return model_like(
            self._template,
            self.tree,
            split_penalty=self._template.split_penalty,
            objective=self.objective,
            lower=self._template.lower_bound_,
            proved=self._proved,
            status="near-optimal",
        )
