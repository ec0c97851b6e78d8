"""
Who stays in remission, and how long?
=====================================

Forty-two children with leukaemia were in remission, half of them on a new drug,
6-mercaptopurine [1]_ [2]_. Some were still in remission when the study ended: all that
is known of them is that it lasted longer than they were watched. A survival tree uses
them for as long as they were.

.. [1] E. J. Freireich and others. "The effect of 6-mercaptopurine on the duration of
   steroid-induced remissions in acute leukemia." Blood 21, 1963.
.. [2] E. A. Gehan. "A generalized Wilcoxon test for comparing arbitrarily
   singly-censored samples." Biometrika 52, 1965. The white blood cell counts are as
   listed in D. G. Kleinbaum, M. Klein, "Survival analysis", Springer, 2012.
"""

import numpy as np

from treeproof.survival import OptimalSurvivalTree

# Weeks in remission (negative: still in remission), and log white blood cell count.
drug = [
    (6, 2.31), (6, 4.06), (6, 3.28), (7, 4.43), (10, 2.96), (13, 2.88), (16, 3.60),
    (22, 2.32), (23, 2.57), (-6, 3.20), (-9, 2.80), (-10, 2.70), (-11, 2.60),
    (-17, 2.16), (-19, 2.05), (-20, 2.01), (-25, 1.78), (-32, 2.20), (-32, 2.53),
    (-34, 1.47), (-35, 1.45),
]  # fmt: skip
placebo = [
    (1, 2.80), (1, 5.00), (2, 4.91), (2, 4.48), (3, 4.01), (4, 4.36), (4, 2.42),
    (5, 3.49), (5, 3.97), (8, 3.52), (8, 3.05), (8, 2.32), (8, 3.26), (11, 3.49),
    (11, 2.12), (12, 1.50), (12, 3.06), (15, 2.30), (17, 2.95), (22, 2.73), (23, 1.97),
]  # fmt: skip
weeks, cells = np.array(drug + placebo).T
treated = np.repeat(["drug", "placebo"], 21)
X = np.column_stack([treated.astype(object), cells.astype(object)])
y = np.array(
    list(zip(weeks > 0, np.abs(weeks), strict=True)),
    dtype=[("relapse", bool), ("weeks", float)],
)

model = OptimalSurvivalTree(0.03, max_depth=2, categorical_features=[0]).fit(X, y)
print(model.certificate())
figure = model.plot_curves()

# %%
# Each leaf multiplies the hazard of all children by its risk. The solid steps are the
# Kaplan-Meier curve of its children, the dashed ones what the tree predicts for them.

print(model.export_text())
print(f"Harrell's C: {model.score(X, y):.3f}")

# %%
# Had the children been followed only from some week on, say because they came to the
# clinic late, they would not have been at risk before: pass that week as ``entry``.

entry = np.minimum(np.abs(weeks) - 1, 3)
late = OptimalSurvivalTree(0.03, max_depth=2, categorical_features=[0])
print(late.fit(X, y, entry=entry).export_text())
