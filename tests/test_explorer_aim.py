"""The explorer: costs of errors, abstaining, balanced accuracy and F1."""

from dataclasses import replace

import numpy as np
import pytest
from explorer_browser import User, browser, server, skip_without_browser

from treeproof import OptimalTreeClassifier
from treeproof.explorer.aim import Aim, classes_of, first_costs
from treeproof.explorer.alternatives import alternatives
from treeproof.explorer.comparison import compare
from treeproof.explorer.downloads import make_download
from treeproof.explorer.fitting import fit
from treeproof.explorer.path import trees_of_all_sizes
from treeproof.explorer.question import first_question
from treeproof.explorer.session import Session
from treeproof.explorer.tables import Table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
COSTS = ((0.0, 20.0), (1.0, 0.0))


@pytest.fixture(scope="module")
def table():
    """Two classes that no column separates, the first one rare."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 6, 300), rng.integers(0, 4, 300)
    ill = rng.random(300) < np.where((a > 3) & (b > 1), 0.5, 0.05)
    y = np.where(ill, "ill", "well").astype(object)
    return Table("ward", {"a": a, "b": b, "state": y}, "state")


def question(table, aim, **changes):
    asked = replace(first_question(table, "state"), max_depth=2, **changes)
    return replace(asked, aim=aim)


def test_costs_and_abstaining(table):
    classes = classes_of(table, "state")
    assert classes == ("ill", "well") and first_costs(2) == ((0, 1), (1, 0))
    aim = Aim("costs", classes, COSTS, abstain_cost=0.7)
    fitted = fit(table, question(table, aim))
    wanted = OptimalTreeClassifier(
        0.01, max_depth=2, abstain_cost=0.7,
        cost_matrix={"ill": {"well": 20}, "well": {"ill": 1}},
    ).fit(table.take(["a", "b"]), table.columns["state"])  # fmt: skip
    assert fitted.model.objective_ == wanted.objective_
    loss = wanted.mean_cost(table.take(["a", "b"]), table.columns["state"])
    assert fitted.score_name == "mean cost"
    assert fitted.score == pytest.approx(loss)
    assert None in set(fitted.model.predict(table.take(["a", "b"])))
    both = compare(fitted)
    assert both.optimal.cost <= both.greedy.cost
    assert both.optimal.score == fitted.score and both.score_name == "mean cost"
    assert make_download(fitted, "svg")[1].startswith(b"<svg")
    path = trees_of_all_sizes(table, fitted.question, smallest=0.05)
    assert path[0].splits <= path[-1].splits
    assert alternatives(fitted, 0.01).count >= 1


@pytest.mark.parametrize("counts", ["balanced_accuracy", "f1"])
def test_metrics(table, counts):
    from sklearn.metrics import balanced_accuracy_score, f1_score

    aim = Aim(counts, classes_of(table, "state"), positive="ill")
    fitted = fit(table, question(table, aim))
    X, y = table.take(["a", "b"]), table.columns["state"]
    says = fitted.model.predict(X)
    if counts == "f1":
        assert fitted.score == pytest.approx(f1_score(y, says, pos_label="ill"))
    else:
        assert fitted.score == pytest.approx(balanced_accuracy_score(y, says))
    assert fitted.model.objective_ >= 1 - fitted.score - 1e-9
    both = compare(fitted)
    assert both.optimal.cost <= both.greedy.cost + 1e-9


def test_what_is_not_possible_is_said(table):
    two = classes_of(table, "state")
    with pytest.raises(ValueError, match="set a depth"):
        replace(question(table, Aim("f1", two, positive="ill")), max_depth=None).check(
            table
        )
    with pytest.raises(ValueError, match="measure of two classes"):
        Aim("f1", ("a", "b", "c"), positive="a").check(2)
    with pytest.raises(ValueError, match="up to 8 classes"):
        Aim("costs", tuple(range(9))).check(2)
    with pytest.raises(ValueError, match="what predicting 'well' for 'ill' costs"):
        Aim("costs", two, ((0.0, float("nan")), (1.0, 0.0))).check(2)
    with pytest.raises(ValueError, match="between 0 and 1"):
        question(table, Aim(), penalty=2.0).check(table)
    question(table, Aim("costs", two, COSTS), penalty=2.0).check(table)


def test_a_new_target_has_no_costs(table):
    session = Session()
    session.use(table, "state")
    session.ask(aim=Aim("costs", ("ill", "well"), COSTS))
    session.ask(target="b")
    assert session.question.aim == Aim()


def test_numbers_as_labels():
    table = Table("n", {"x": np.arange(6), "y": np.array([0.0, 0, 0, 1, 1, 1])}, "y")
    classes = classes_of(table, "y")
    asked = first_question(table, "y")
    asked = replace(asked, numeric=False, aim=Aim("costs", classes, COSTS))
    fitted = fit(table, asked)
    assert fitted.score == 0.0 and compare(fitted).greedy.score == 0.0


# ------------------------------------------------------------------------- the browser


def picture(user, name):
    """Save what is seen, for somebody to look at, if a folder is given."""
    import os

    folder = os.environ.get("TREEPROOF_PICTURES")
    if folder:
        user.driver.save_screenshot(f"{folder}/{name}.png")


def test_costs_in_a_browser(tmp_path):
    skip_without_browser()
    with browser(tmp_path) as driver, server("iris") as address:
        user = User(driver, (1280, 900))
        user.open(address)
        user.write("depth", "2")
        user.choose("aim", "a low cost of errors")
        user.wait(lambda: user.part("cost-1-2").is_displayed())
        user.write("cost-1-2", "50")
        user.write("abstain", "0.5")
        user.click("fit")
        user.see("badge", "Proved optimal")
        user.see("more", "mean cost")
        picture(user, "costs")
        user.choose("aim", "a high F1")
        assert "two classes" in user.complaint()
        user.choose("aim", "balanced accuracy")
        user.wait(lambda: not user.all('[data-part="cost-1-2"]'))
        user.click("fit")
        user.see("more", "balanced accuracy")
        user.choose("bundled", "Breast cancer")
        user.see("about", "569")
        user.choose("aim", "a high F1")
        user.see("aim-hint", "No penalty can be added to F1")
        user.choose("positive", "malignant")
        user.click("fit")
        user.see("more", "F1 of malignant")
        picture(user, "f1")
        assert user.faults() == []
