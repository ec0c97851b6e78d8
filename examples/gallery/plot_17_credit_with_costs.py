"""
What if some errors cost more than others?
==========================================

A bank that turns down a good customer loses the interest; one that lends to somebody
who does not pay loses the sum. Both depend on the sum, so that every row has costs of
its own. The applications here are made by code.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from treeproof import OptimalTreeClassifier

random = np.random.default_rng(0)
n = 800
X = pd.DataFrame(
    {
        "income": random.normal(3, 1, n).clip(0.5).round(1),
        "years employed": random.integers(0, 12, n),
        "sum": random.choice([2, 5, 10, 30], n),
        "purpose": random.choice(["car", "home", "journey"], n),
    }
)
risk = 0.05 + 0.015 * X["sum"] / X["income"] + 0.15 * (X["years employed"] < 2)
pays = random.random(n) > risk.clip(0, 0.9)
costs = np.column_stack(
    [
        np.where(pays, 0.15 * X["sum"], 0.0),  # turned down
        np.where(pays, 0.0, 0.8 * X["sum"]),  # lent
    ]
)
y = np.where(pays, "pays", "does not pay")

errors = OptimalTreeClassifier(0.0, max_depth=2).fit(X, y)
money = OptimalTreeClassifier(0.0, max_depth=2).fit(X, y, costs=costs)
print(money.export_text())
print(money.certificate())

# %%
# The tree of fewest errors lends to nearly everybody, large sums included. What would
# each policy have lost?


def lost(model):
    """Return the mean loss for an application."""
    lent = (model.predict(X) == "pays").astype(int)
    return costs[np.arange(n), lent].mean()


losses = {
    "turn all down": costs[:, 0].mean(),
    "lend to all": costs[:, 1].mean(),
    "fewest errors": lost(errors),
    "least cost": lost(money),
}
fig, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
bars = ax.barh(list(losses), list(losses.values()))
ax.bar_label(bars, fmt="%.2f", padding=3)
ax.invert_yaxis()
ax.set_xlim(0, 1.1 * max(losses.values()))
ax.set_xlabel("thousands lost for each application")
