"""Policy trees: which treatment to give to whom, with a proof of optimality.

A policy looks at a row and chooses one of several treatments. Given the reward of every
treatment for every row, `OptimalPolicyTree` finds the tree whose treatments have the
greatest mean reward. Rewards are seldom known: a row was given one treatment and shows
one outcome. `OptimalDRPolicyTree` estimates them from such data first.

Names and meanings are those of ``econml.policy``.
"""

from __future__ import annotations

from treeproof.policy.estimated import OptimalDRPolicyTree
from treeproof.policy.tree import OptimalPolicyTree

__all__ = ["OptimalDRPolicyTree", "OptimalPolicyTree"]
