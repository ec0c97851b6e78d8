"""The report: one file with all of its parts, for tables of every kind."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.cli import app
from treeproof.report import investigate, to_html

VOID = {"meta", "br", "hr", "img", "input", "link", "circle", "line", "rect", "path"}


class Balanced(HTMLParser):
    """A parser that complains about elements that are not closed."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = {
        "age": rng.integers(20, 80, 150).astype(float),
        "<b>plan": rng.choice(["a&b", "plus", "pro"], 150).astype(object),
    }
    X["age"][::17] = np.nan
    y = (np.nan_to_num(X["age"], nan=30) > 45) ^ (rng.random(150) < 0.1)
    return X, np.where(y, "left", "stayed")


def check_page(page):
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert "<script" not in page and "<b>" not in page
    assert not re.search(r'(?:src|href)="(?!#)', page)  # nothing is loaded from outside
    return page


def test_a_classification(table):
    X, y = table
    model = OptimalTreeClassifier(max_depth=2)
    found = investigate(model, X, y, title="<churn>.csv", target="outcome")
    assert found.n_held_out == 45 and found.measure == "accuracy"
    names = [name for name, *_ in found.scores]
    assert names[0] == "optimal tree" and "boosted trees" in names
    assert found.scores[0][2] == np.mean(found.predicted == found.actual)
    page = check_page(to_html(found))
    for heading in ("The tree", "What was proved", "On rows that were held out",
                    "Which rows it gets wrong", "Which columns matter",
                    "Other trees as good"):  # fmt: skip
        assert f"<h2>{heading}</h2>" in page
    assert model.certificate() in page
    assert all(one.name in X for one in found.dropped)


def test_a_regression_and_a_balanced_fit(table):
    X, y = table
    amounts = 1000.0 * (y == "left") + np.arange(150)
    found = investigate(
        OptimalTreeRegressor(max_depth=1), X, amounts, title="t", target="spend"
    )
    page = check_page(to_html(found))
    assert "How far off it is" in page and found.measure == "R²"
    model = OptimalTreeClassifier(max_depth=1, class_weight="balanced")
    found = investigate(model, X, y, title="t", target="y", details=False)
    assert found.measure == "balanced accuracy" and found.dropped == []


def test_a_single_leaf_and_few_rows():
    X = {"a": np.arange(12.0)}
    model = OptimalTreeClassifier(max_depth=0)
    found = investigate(model, X, np.array([0] * 11 + [1]), title="t", target="y")
    assert found.n_held_out == 0 and found.scores == []
    assert "Always predict 0 (12 rows, 92%)." in check_page(to_html(found))


def test_the_command(table, tmp_path):
    X, y = table
    path, page = tmp_path / "churn.csv", tmp_path / "out.html"
    lines = ["id,age,plan,outcome"]
    for i in range(150):
        age = "NA" if np.isnan(X["age"][i]) else f"{X['age'][i]:.0f}"
        lines.append(f"C{i},{age},{X['<b>plan'][i]},{y[i]}")
    path.write_text("\n".join(lines))
    options = ["--target", "outcome", "-o", str(page), "--max-depth", "1"]
    result = CliRunner().invoke(app, ["report", str(path), *options])
    assert result.exit_code == 0, result.exception
    assert "Optimal: no tree of depth 1" in result.output
    text = check_page(page.read_text())
    assert "Column &#x27;id&#x27; is left out" in text and "read as missing" in text


def test_summary(table):
    X, y = table
    clf = OptimalTreeClassifier(0.02).fit(X, y)
    text = clf.summary()
    assert text.startswith(clf.certificate())
    assert clf.export_text(details=True) in text and "100%  age" in text
    assert "no tree below" in text
    assert OptimalTreeClassifier(max_depth=0).fit(X, y).summary().count("\n") == 4
