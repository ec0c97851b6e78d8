"""The report: one file with all of its parts, for tables of every kind."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.cli import app
from treeproof.importance import DroppedColumn
from treeproof.report import Findings, investigate, to_html
from treeproof.report.findings import _count_alternatives
from treeproof.report.measures import measure_of
from treeproof.report.page import _increase

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
    width, seen = re.search(
        r'<svg[^>]* width="([\d.]+)"[^>]*viewBox="0 0 ([\d.]+)', page
    ).groups()
    assert float(width) == pytest.approx(
        1.5 * float(seen)
    )  # words of size 8 are 12 pixels high
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


def write_survey(folder):
    """A table of 60 lines that stand for 1 to 5 people each."""
    rng = np.random.default_rng(1)
    lines = ["age,plan,people,outcome"]
    for i in range(60):
        age, people = int(rng.integers(20, 80)), int(rng.integers(1, 6))
        left = (age > 45) ^ (rng.random() < 0.2)
        plan = "plus" if i % 3 else "pro"
        lines.append(f"{age},{plan},{people},{'left' if left else 'stayed'}")
    (folder / "survey.csv").write_text("\n".join(lines))
    return folder / "survey.csv"


def report_of(folder, *options):
    page = folder / "out.html"
    arguments = [str(write_survey(folder)), "--target", "outcome", "-o", str(page)]
    result = CliRunner().invoke(app, ["report", *arguments, *options])
    assert result.exit_code == 0, result.exception
    return check_page(page.read_text()), result.output


def test_the_command_counts_weights(tmp_path):
    page, said = report_of(tmp_path, "--weight", "people", "--max-depth", "1")
    columns = np.genfromtxt(tmp_path / "survey.csv", delimiter=",", dtype=str)
    age, plan, people, outcome = columns[1:].T
    X = {"age": age.astype(float), "plan": plan.astype(object)}
    weights = people.astype(float)
    model = OptimalTreeClassifier(max_depth=1).fit(X, outcome, weights)
    assert model.certificate() in page and model.certificate() in said
    assert "with their weights" in page and "Weight of the held-out rows" in page
    assert "2 columns to split on" in page
    # A line of weight n counts as n lines do.
    copies = np.repeat(np.arange(60), weights.astype(int))
    every = {name: values[copies] for name, values in X.items()}
    alike = OptimalTreeClassifier(max_depth=1).fit(every, outcome[copies])
    assert alike.objective_ == pytest.approx(model.objective_)


def test_held_out_scores_are_weighted(tmp_path):
    write_survey(tmp_path)
    columns = np.genfromtxt(tmp_path / "survey.csv", delimiter=",", dtype=str)
    X, y = {"age": columns[1:, 0].astype(float)}, columns[1:, 3]
    weights = columns[1:, 2].astype(float)
    found = investigate(
        OptimalTreeClassifier(max_depth=1), X, y, weights, title="t", target="y"
    )
    right = found.predicted == found.actual
    assert found.scores[0][2] == np.average(right, weights=found.weights)
    assert len(found.weights) == found.n_held_out and len(found.scores) == 4


def test_the_command_knows_costs_and_metrics(tmp_path):
    costs = tmp_path / "costs.json"
    costs.write_text('{"left": {"stayed": 5}, "stayed": {"left": 1}}')
    page, _ = report_of(
        tmp_path, "--cost-matrix", str(costs), "--abstain-cost", "0.4", "--drop",
        "people", "--max-depth", "2", "--jobs", "2", "--memory-limit", "1GB",
    )  # fmt: skip
    assert "mean cost of its predictions" in page and "<th>mean cost</th>" in page
    page, _ = report_of(
        tmp_path, "--metric", "f1", "--pos-label", "left", "--max-depth", "1",
        "--max-splits", "1", "--missing", "branch",
    )  # fmt: skip
    assert "<th>F1</th>" in page and "1 minus its F1" in page


def test_a_mean_cost_is_that_of_the_estimator(table):
    X, y = table
    costs = {"left": {"stayed": 5}, "stayed": {"left": 1}}
    model = OptimalTreeClassifier(cost_matrix=costs, abstain_cost=0.3, max_depth=1)
    measure = measure_of(model, y)
    model.fit(X, y)
    weights = np.arange(len(y)) % 3
    expected = model.mean_cost(X, y, weights)
    assert measure.of(model.predict(X), y, weights) == pytest.approx(expected)
    assert None in model.predict(X)


def test_columns_that_restrictions_name_are_left_out_too(table, tmp_path):
    page, _ = report_of(
        tmp_path, "--monotonic", "-age", "--max-depth", "1", "--allowed-features",
        "age,plan",
    )  # fmt: skip
    assert "+0." in page[page.index("Which columns matter") :]
    prefix = tmp_path / "top.json"
    prefix.write_text('{"feature": "age", "threshold": 50}')
    page, _ = report_of(tmp_path, "--prefix", str(prefix), "--max-depth", "2")
    assert "No columns were left out to see what they add" in page


def test_a_larger_tree_is_advised_where_one_is_better():
    rng = np.random.default_rng(0)
    X = {"place": rng.uniform(size=400)}
    y = np.floor(X["place"] * 40) % 2
    found = investigate(
        OptimalTreeClassifier(0.05), X, y, title="t", target="y", details=False
    )
    assert found.larger_is_better and found.scores[2][1] > 30
    assert "a larger tree is worth trying" in check_page(to_html(found))
    found.scores[2] = ("CART, grown to the end", 12345, 0.0)
    assert "<td>12,345</td>" in to_html(found)
    steps = np.floor(X["place"] * 2)
    found = investigate(OptimalTreeClassifier(), X, steps, title="t", target="y")
    assert not found.larger_is_better and "worth trying" not in to_html(found)


@pytest.mark.parametrize(("depth", "words"), [(2, "included"), (3, "not among them")])
def test_a_tree_that_is_deeper_than_those_counted_is_not_among_them(depth, words):
    class Trees:
        count, max_depth = 445, 2

        def feature_use(self):
            return {"a": 445}

    class Model:
        time_limit = None

        def near_optimal(self, margin):
            return Trees()

        def get_depth(self):
            return depth

    found = Findings("t", "y", Model(), 10, "accuracy")
    _count_alternatives(found)
    assert found.alternatives.startswith("445 trees of depth 2 or less cost at most")
    assert words in found.alternatives and found.use == {"a": 445}


def test_a_tree_is_called_optimal_only_if_it_is():
    rng = np.random.default_rng(0)
    X = {f"x{k}": rng.normal(size=300) for k in range(9)}
    model = OptimalTreeClassifier(0.001, time_limit=0.05)
    y = rng.integers(0, 2, 300)
    found = investigate(model, X, y, title="t", target="y", details=False)
    assert found.scores[0][0] == "best tree found"


def test_a_single_leaf_is_explained(table):
    X, y = table
    found = investigate(OptimalTreeClassifier(0.6), X, y, title="t", target="y")
    [note] = [n for n in found.notes if n.startswith("No split saves more")]
    assert "penalty of 0.6" in note and "class_weight='balanced'" in note
    assert note in OptimalTreeClassifier(0.6).fit(X, y).summary()
    costs = OptimalTreeClassifier(0.6, abstain_cost=0.4).fit(X, y)
    assert "class_weight" not in costs.summary()
    pure = OptimalTreeClassifier().fit(X, np.zeros(150))
    assert "No split" not in pure.summary()


def test_without_a_proof_the_difference_that_was_found_is_shown():
    proved = DroppedColumn("a", 0.3, 0.3, (0.1, 0.1))
    assert _increase(proved, 0.2) == "+0.1"
    assert _increase(DroppedColumn("a", 0.2, 0.2, (0.0, 0.0)), 0.2) == "no more"
    open_ = DroppedColumn("a", 0.3, 0.05, (0.0, 0.25))
    assert _increase(open_, 0.2) == "+0.1 found; at most 0.25"
    known = DroppedColumn("a", 0.3, 0.25, (0.05, 0.25))
    assert _increase(known, 0.2) == "+0.1 found; between 0.05 and 0.25"


def test_summary(table):
    X, y = table
    clf = OptimalTreeClassifier(0.02).fit(X, y)
    text = clf.summary()
    assert text.startswith(clf.certificate())
    assert clf.export_text(details=True) in text and "100%  age" in text
    assert "no tree below" in text
    assert OptimalTreeClassifier(max_depth=0).fit(X, y).summary().count("\n") == 4


def test_counts_are_numbers_on_the_page():
    """A page on counts says what their cost is, and how far off its predictions are."""
    rng = np.random.default_rng(0)
    X = {"age": rng.integers(18, 80, 200).astype(float), "km": rng.random(200)}
    y = rng.poisson(np.where(X["age"] < 40, 3.0, 0.3))
    model = OptimalTreeRegressor(0.01, criterion="poisson", max_depth=2)
    found = investigate(model, X, y, title="claims", target="claims")
    page = check_page(to_html(found))
    assert "How far off it is" in page and "Which rows it gets wrong" not in page
    assert "Poisson deviance of its predictions" in page and "plus 0.01" in page
    assert "confidence intervals" not in page  # the leaves show none
    assert "do not know" not in page and "inf" not in page
    grown = dict((name, score) for name, _, score in found.scores)
    assert all(np.isfinite(score) for score in grown.values())


@pytest.mark.parametrize(
    ("criterion", "words"),
    [("log_loss", "mean log loss of the class shares"), ("gini", "mean Gini impurity")],
)
def test_the_cost_of_probabilities_is_named(table, criterion, words):
    X, y = table
    model = OptimalTreeClassifier(0.05, criterion=criterion, max_depth=1)
    page = to_html(investigate(model, X, y, title="t", target="plan", details=False))
    assert words in page and "gets wrong plus" not in page


def test_a_tree_that_tests_dates():
    """The month of a date counts for the column of dates."""
    days = np.array(["2024-01-01"], "datetime64[D]") + np.arange(0, 360, 3)
    X = {"day": days, "size": np.arange(120) % 7}
    y = np.where(days.astype("datetime64[M]").astype(int) % 12 < 6, "no", "yes")
    model = OptimalTreeClassifier(max_depth=2)
    found = investigate(model, X, y, title="sales", target="sold")
    page = check_page(to_html(found))
    assert [one.name for one in found.dropped] == ["day"]
    assert "<td>day</td><td>100%</td>" in page
