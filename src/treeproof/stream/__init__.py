"""Optimal sparse trees that learn from streams, with River's and scikit-learn's API.

Hoeffding trees choose their splits greedily, and fail if no single split helps, as on
XOR. The four learners of this package search for the tree with the lowest cost instead:

- `OnlineBranchesClassifier` searches a sliding window exactly, and finishes;
- `UpperConfidenceTreeClassifier` (UCDT), `EpsilonGreedyTreeClassifier` (EGDT) and
  `ThompsonTreeClassifier` (TSDT) are Monte Carlo tree searches over whole trees, which
  continue as long as the stream does.

All come from A. Chaouki's thesis *Optimal Decision Trees via Search* (2024), Chapters 5
to 7. They take rows as dictionaries (`learn_one`, `predict_one`), data frames
(`learn_many`, `predict_many`) and arrays (`partial_fit`, `predict`), and start again
when the stream changes. River is optional.
"""

from treeproof.stream.epsilon_greedy import EpsilonGreedyTreeClassifier
from treeproof.stream.guarantee import Guarantee, finite_time_guarantee
from treeproof.stream.online_branches import OnlineBranchesClassifier
from treeproof.stream.thompson import ThompsonTreeClassifier
from treeproof.stream.upper_confidence import UpperConfidenceTreeClassifier

__all__ = [
    "EpsilonGreedyTreeClassifier",
    "Guarantee",
    "OnlineBranchesClassifier",
    "ThompsonTreeClassifier",
    "UpperConfidenceTreeClassifier",
    "finite_time_guarantee",
]
