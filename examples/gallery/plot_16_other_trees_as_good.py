"""
Are there other trees that are as good?
=======================================

Often there are many, and one of them may suit you better: it asks cheaper questions, or
none about age. `near_optimal` counts all trees within a margin of the best one, exactly
and without listing them.
"""

import matplotlib.pyplot as plt

from treeproof import OptimalTreeClassifier
from treeproof.datasets import load_monks

X, y = load_monks(3, subset="train", as_frame=True, return_X_y=True)
clf = OptimalTreeClassifier(0.02).fit(X, y)
print(clf.certificate())
margins = [0.0, 0.01, 0.02, 0.03, 0.04]
sets = [clf.near_optimal(margin) for margin in margins]
for margin, trees in zip(margins, sets, strict=True):
    print(f"trees within {margin:.2f} of the best: {trees.count}")

# %%
# How many of those within 0.04 test each column? A column that all of them test is one
# that you cannot do without.

counts = {
    column: clf.near_optimal(margins[-1], using=column).count for column in X.columns
}
fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.barh(list(counts), [count / sets[-1].count for count in counts.values()])
ax.invert_yaxis()
ax.set_xlabel("share of the near-optimal trees that test the column")
