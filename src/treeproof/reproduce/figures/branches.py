"""Figures printed in Chaouki, Read and Bifet, "BRANCHES" (article)."""

from __future__ import annotations

from treeproof.reproduce.figures.reading import read_groups

__all__ = ["SOURCE", "TABLE_1", "TABLE_2", "TABLE_3"]

SOURCE = "Chaouki, Read, Bifet, BRANCHES, 2024"

PENALTIES = ("0.1", "0.05", "0.01")

TABLE_1 = read_groups(
    """
q=10 | 5.70e4 5.61e13 | 3.94e5 7.52e271 | 3.94e5 1.64e392
q=15 | 5.80e5 6.86e16 | 7.53e7 1.53e473 | 1.43e8 INF
q=20 | 2.82e6 8.35e18 | 3.01e9 5.69e576 | 4.65e10 INF
""",
    PENALTIES,
    ("branches", "osdt"),
)
"""Bounds on the evaluations by number of binary features and penalty."""

TABLE_2 = read_groups(
    """
monk1-l | 0.93 71 2e6 | 0.93 181 3e6 | 0.93 0.71 3e4 | 0.93 0.11 617
monk1-f | 0.97 TO 2e4 | 0.97 TO 2e3 | 0.983 4.02 9e4 | 0.983 1.31 1e4
monk1-o | - | - | - | 0.9 0.02 64
monk2-l | 0.95 TO 7e4 | 0.95 TO 400 | 0.97 10 1e5 | 0.97 2.8 3e4
monk2-f | 0.90 TO 4e4 | 0.90 TO 3e4 | 0.93 11.1 1e5 | 0.93 5.9 7e4
monk2-o | - | - | - | 0.95 0.14 1e3
monk3-l | 0.979 TO 596 | 0.979 TO 123 | 0.981 7.38 8e4 | 0.981 1.20 9e3
monk3-f | 0.975 TO 1e4 | 0.973 TO 9e3 | 0.983 2.13 5e4 | 0.983 1.14 9e3
monk3-o | - | - | - | 0.987 0.04 156
tic-tac-toe | 0.765 TO 40 | 0.808 TO 37 | 0.850 41 1.6e6 | 0.850 68 2.6e5
tic-tac-toe-o | - | - | - | 0.832 0.95 3479
car-eval | - | - | 0.799 18 9e5 | 0.799 62 3e5
car-eval-o | - | - | - | 0.812 0.11 632
nursery | - | - | 0.765 TO 7e5 | 0.820 TO 3e5
nursery-o | - | - | - | 0.822 0.34 244
mushroom | 0.945 TO 4e6 | 0.945 TO 2e6 | 0.925 TO 1e6 | 0.938 TO 2e4
mushroom-o | - | - | - | 0.975 0.17 6
kr-vs-kp | 0.900 TO 6e4 | 0.900 TO 2e4 | 0.815 TO 4e5 | 0.900 TO 8e4
kr-vs-kp-o | - | - | - | 0.900 TO 8e4
zoo | - | - | 0.992 34 3e5 | 0.992 15 3e4
zoo-o | - | - | - | 0.993 0.94 1456
lymph | - | - | 0.784 TO 1e6 | 0.808 TO 1e5
lymph-o | - | - | - | 0.852 18 2e4
balance | 0.693 TO 1e5 | 0.693 TO 3e4 | 0.693 21 1e6 | 0.693 62 3e5
balance-o | - | - | - | 0.661 0.02 130
""",
    ("OSDT", "PyGOSDT", "GOSDT", "BRANCHES"),
    ("objective", "seconds", "iterations"),
)
"""BRANCHES beside OSDT, PyGOSDT and GOSDT; TO is five minutes."""

TABLE_3 = read_groups(
    """
monk1-l | 0.71 0.007 | 0.78 0.002 | 0.93 2.74
monk1-f | 0.958 0.008 | 0.963 0.001 | 0.978 0.11
monk2-l | 0.955 0.001 | 0.964 0.18 | 0.964 0.25
monk2-f | 0.887 0.04 | 0.877 0.46 | 0.877 0.62
monk3-l | 0.955 0.007 | 0.964 0.04 | 0.96 0.06
monk3-f | 0.957 0.009 | 0.966 0.02 | 0.983 0.2
tic-tac-toe | 0.782 1.09 | 0.787 5.08 | 0.849 45
car-eval | 0.680 0.419 | 0.720 6.29 | 0.795 54
nursery | 0.396 1.90 | 0.547 93 | - TO
mushroom | 0.730 0.05 | 0.850 3.2 | - TO
kr-vs-kp | 0.434 28 | 0.583 122 | - TO
zoo | 0.988 0.007 | 0.989 0.23 | 0.992 0.012
lymph | 0.640 1.02 | 0.700 4.89 | - TO
balance | 0.410 0.519 | 0.440 5.66 | 0.693 69
""",
    ("DL8.5", "MurTree", "STreeD"),
    ("objective", "seconds"),
)
"""Programs with a depth limit (6, and 40 nodes); BRANCHES is as in Table 2."""
