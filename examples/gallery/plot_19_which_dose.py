"""
Which dose for whom?
====================

Patients differ in the dose of a drug such as warfarin that they need, and a study has
given each of them one. A policy tree learns from such data who should get which, and
the certificate says that no tree of its depth has a higher mean reward. The study here
is made by code: genes and weight decide which dose is right.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from treeproof.policy import OptimalDRPolicyTree

random = np.random.default_rng(1)
n = 2000
X = pd.DataFrame(
    {
        "VKORC1": random.choice(["AA", "AG", "GG"], n),
        "CYP2C9": random.choice(["*1/*1", "*1/*3"], n, p=[0.8, 0.2]),
        "kg": random.normal(78, 15, n).round(),
    }
)
need = 25 + 8 * (X["VKORC1"] == "AG") + 16 * (X["VKORC1"] == "GG")
need = need - 10 * (X["CYP2C9"] == "*1/*3") + 0.3 * (X["kg"] - 78)
right = np.select([need < 26, need < 38], ["low", "medium"], "high")

# Doctors gave heavy patients more, and were right in part.
usual = np.where(X["kg"] > 80, "high", "medium")
T = np.where(random.random(n) < 0.4, usual, random.choice(["low", "medium", "high"], n))
Y = (random.random(n) < np.where(right == T, 0.9, 0.35)).astype(float)

policy = OptimalDRPolicyTree(
    max_depth=3,
    model_regression=LinearRegression(),
    categories=["low", "medium", "high"],
    random_state=0,
)
policy.fit(Y, T, X=X)
print(policy.certificate())
policy.plot()

# %%
# Rewards were estimated from one outcome for each patient. Since the study is made up,
# we know how often each policy is right:

shares = {f"always {dose}": (right == dose).mean() for dose in policy.treatments_}
shares |= {
    "as given": (right == T).mean(),
    "the tree": (policy.predict(X) == right).mean(),
}
fig, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
bars = ax.barh(list(shares), list(shares.values()))
ax.bar_label(bars, fmt="{:.0%}", padding=3)
ax.invert_yaxis()
ax.set_xlim(0, 1.1)
ax.set_xlabel("share of patients with the right dose")
