"""
What does the penalty do?
=========================

Every leaf but one costs ``split_penalty``, as a share of the rows. With a smaller
penalty, more splits pay off. Each tree below is optimal for its penalty, and the
certificate says so.
"""

import matplotlib.pyplot as plt

from treeproof import OptimalTreeClassifier
from treeproof.datasets import load_balance_scale

X, y = load_balance_scale(return_X_y=True)
penalties = [0.1, 0.05, 0.03, 0.02, 0.01, 0.005]
trees = [OptimalTreeClassifier(penalty).fit(X, y) for penalty in penalties]
for penalty, tree in zip(penalties, trees, strict=True):
    print(f"{penalty:<6} {tree.n_splits_:>3} splits, {tree.certificate()}")

# %%
# Accuracy and size; each point is proved optimal for its penalty:

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot([t.n_splits_ for t in trees], [t.score(X, y) for t in trees], "o-")
for splits in sorted({tree.n_splits_ for tree in trees}):
    same = [k for k, tree in enumerate(trees) if tree.n_splits_ == splits]
    label = " and ".join(f"{penalties[k]:g}" for k in same)
    place = (splits, trees[same[0]].score(X, y))
    ax.annotate(label, place, (6, -10), textcoords="offset points")
ax.margins(x=0.12, y=0.1)
ax.set_xlabel("splits")
ax.set_ylabel("accuracy on the training rows")
ax.set_title("balance scale: the best trees for six penalties", loc="left")
