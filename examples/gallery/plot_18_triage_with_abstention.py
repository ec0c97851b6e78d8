"""
Which cases should a person look at?
====================================

A tree in a hospital need not decide everything. Give "ask a doctor" a price, and the
fit finds out where asking is cheaper than being wrong: the best tree of all that may
abstain, with proof.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from treeproof import OptimalTreeClassifier

bunch = load_breast_cancer(as_frame=True)
X, y = bunch.data.iloc[:, :10], bunch.target_names[bunch.target]
costs = {"benign": {"malignant": 1}, "malignant": {"benign": 10}}

clf = OptimalTreeClassifier(
    0.002, cost_matrix=costs, abstain_cost=0.25, abstain_label="ask", max_depth=2
).fit(X, y)
print(clf.certificate())
clf.plot()

# %%
# What does asking gain? The more expensive a doctor's time, the fewer cases the tree
# hands on, and the more it costs in all.

prices = [0.05, 0.1, 0.2, 0.3, 0.5, 0.8]
asked, paid = [], []
for price in prices:
    clf.set_params(abstain_cost=price).fit(X, y)
    asked.append((clf.predict(X) == "ask").mean())
    paid.append(clf.objective_)
fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
left.plot(prices, asked, "o-")
left.set_ylabel("share of cases that are handed on")
right.plot(prices, paid, "o-", color="C1")
right.set_ylabel("cost of a case, penalties included")
for ax in (left, right):
    ax.set_xlabel("price of asking")
    ax.set_ylim(0)
