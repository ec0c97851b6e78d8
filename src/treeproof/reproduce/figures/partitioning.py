"""Figures printed in Leboeuf, LeBlanc and Marchand, "Decision trees as partitioning
machines to characterize their generalization properties", 2020.
"""  # noqa: D205

from __future__ import annotations

from treeproof.reproduce.figures.reading import Printed

__all__ = ["SHAPES", "SOURCE", "TABLE_1"]

SOURCE = "Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, 2020"

_TABLE_1 = """
breast-cancer     569 30  2  0.928 0.024  0.923 0.027  0.930 0.017  0.942 0.022
cardiotocography 2126 21 10  0.566 0.023  0.562 0.023  0.566 0.024  0.567 0.022
climate           540 18  2  0.903 0.024  0.920 0.021  0.922 0.017  0.921 0.014
sonar             208 60  2  0.727 0.061  0.702 0.054  0.695 0.084  0.724 0.053
retinopathy      1151 19  2  0.613 0.027  0.576 0.044  0.602 0.040  0.622 0.023
fertility         100  9  2  0.790 0.060  0.878 0.051  0.878 0.051  0.866 0.056
haberman          306  3  2  0.660 0.062  0.746 0.043  0.721 0.043  0.719 0.043
image-segments    210 19  7  0.862 0.048  0.814 0.144  0.844 0.050  0.858 0.050
ionosphere        351 34  2  0.891 0.035  0.772 0.108  0.867 0.057  0.892 0.032
iris              150  4  3  0.933 0.030  0.860 0.139  0.838 0.158  0.937 0.028
parkinsons        195 22  2  0.859 0.062  0.848 0.064  0.858 0.065  0.863 0.065
planning-relax    182 12  2  0.595 0.075  0.725 0.049  0.729 0.048  0.595 0.075
qsar-biodeg      1055 41  2  0.752 0.031  0.741 0.033  0.757 0.026  0.761 0.028
seeds             210  7  3  0.918 0.034  0.914 0.040  0.905 0.081  0.925 0.033
spambase         4601 57  2  0.844 0.027  0.839 0.028  0.842 0.029  0.846 0.026
vertebral-column  310  6  3  0.800 0.050  0.725 0.139  0.804 0.046  0.819 0.044
wall-robot       5456 24  4  0.995 0.002  0.994 0.002  0.994 0.002  0.994 0.001
wine              178 13  3  0.908 0.041  0.902 0.045  0.903 0.043  0.904 0.046
yeast            1484  8 10  0.429 0.019  0.368 0.059  0.384 0.058  0.442 0.019
"""
# Name; rows, features, classes; then mean and deviation of the test accuracy of the
# unpruned tree, CART, M-CART and the bound.

SHAPES: dict[str, tuple[int, int, int]] = {}
"""Rows, features and classes of each set."""

TABLE_1: Printed = {}
"""Mean and deviation of the test accuracy of each way of pruning."""

for _line in _TABLE_1.strip().splitlines():
    _name, *_cells = _line.split()
    SHAPES[_name] = (int(_cells[0]), int(_cells[1]), int(_cells[2]))
    TABLE_1[_name, ""] = {
        key: cell
        for model, mean, deviation in zip(
            ("original", "cart", "m-cart", "bound"),
            _cells[3::2],
            _cells[4::2],
            strict=True,
        )
        for key, cell in ((model, mean), (f"{model} deviation", deviation))
    }
