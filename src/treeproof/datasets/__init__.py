"""Small data sets, made by code: nothing is stored, nothing is downloaded.

============================ ===== ========== =======================================
function                     rows  features   what it is good for
============================ ===== ========== =======================================
`load_tic_tac_toe`           958   9 of 3     all end games; large optimal trees
`load_balance_scale`         625   4 of 5     three classes; no small tree is good
`load_monks`                 124+  6 of 2-4   three concepts with train and test rows
`make_xor`                   any   binary     greedy trees fail, optimal ones do not
`make_planted_tree`          any   any        the true tree is known
============================ ===== ========== =======================================

All of them return a `Bunch`, or ``(X, y)`` with ``return_X_y=True``, and a pandas frame
with ``as_frame=True``, as scikit-learn's own loaders do.
"""

from treeproof.datasets.balance_scale import load_balance_scale
from treeproof.datasets.monks import load_monks
from treeproof.datasets.synthetic import make_planted_tree, make_xor
from treeproof.datasets.tic_tac_toe import load_tic_tac_toe

__all__ = [
    "load_balance_scale",
    "load_monks",
    "load_tic_tac_toe",
    "make_planted_tree",
    "make_xor",
]
