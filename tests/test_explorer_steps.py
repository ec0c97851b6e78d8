"""The explorer's steps: keeping the top of a tree, undo, a look at the data."""

from dataclasses import replace

import numpy as np
import pytest

from treeproof.explorer.downloads import make_download
from treeproof.explorer.fitting import fit
from treeproof.explorer.preview import column_histogram, first_rows
from treeproof.explorer.question import first_question
from treeproof.explorer.session import Session
from treeproof.explorer.tables import Table, bundled_table
from treeproof.kinds import LEAF


@pytest.fixture(scope="module")
def iris():
    table = bundled_table("iris")
    return fit(table, first_question(table))


def test_a_split_is_kept_and_a_node_is_closed(iris):
    inner = [n for n in np.flatnonzero(iris.tree.kind != LEAF).tolist() if n]
    node = inner[0]
    top = iris.top_with(node)
    kept = fit(iris.table, replace(iris.question, prefix=top))
    assert kept.model.objective_ == iris.model.objective_ and kept.model.optimal_
    assert "begins with" in kept.model.certificate() and kept.question.top
    closed = fit(
        iris.table, replace(iris.question, prefix=iris.top_with(node, leaf=True))
    )
    assert closed.model.optimal_
    assert closed.model.objective_ > iris.model.objective_
    assert closed.tree.threshold[0] == iris.tree.threshold[0]


def test_multiway_splits_are_kept():
    table = bundled_table("monks")
    fitted = fit(table, first_question(table))
    for node in np.flatnonzero(fitted.tree.kind != LEAF).tolist():
        kept = fit(table, replace(fitted.question, prefix=fitted.top_with(node)))
        assert kept.model.objective_ == fitted.model.objective_


def fitted_session(**changes):
    session = Session()
    session.use(bundled_table("monks"))
    session.ask(**changes)
    session.start_fit()
    session.jobs["fit"].wait()
    return session


def test_undo_goes_back_to_the_tree_and_its_question():
    session = fitted_session()
    first = session.fitted
    assert not session.can_undo
    with pytest.raises(ValueError, match="no earlier tree"):
        session.undo()
    session.ask(first="has_tie")
    session.start_fit()
    session.jobs["fit"].wait()
    assert session.fitted is not first and session.can_undo
    session.undo()
    assert session.fitted is first and session.question == first.question
    assert not session.can_undo and session.question.first is None
    session.use(bundled_table("iris"))
    assert not session.can_undo


def test_a_new_target_forgets_the_top():
    session = fitted_session()
    session.ask(prefix=session.fitted.top_with(0))
    assert session.question.top.startswith("a split") or session.question.top
    session.ask(target="holding")
    assert session.question.prefix is None and session.question.top == ""


def test_the_data_are_shown_before_anything_is_asked():
    table = bundled_table("iris")
    assert len(first_rows(table)) == 150
    bars = column_histogram(table, "petal width (cm)", "species")
    assert set(bars.series) == {"setosa", "versicolor", "virginica"}
    assert sum(map(sum, bars.series.values())) == 150
    alone = column_histogram(table, "species", None)
    assert alone.series == {"rows": [50, 50, 50]}
    gaps = Table("t", {"a": np.array([1.0, np.nan, 3, 4]), "b": np.arange(4)}, "b")
    assert column_histogram(gaps, "a", None).left_out == 1
    assert len(first_rows(gaps)) == 4


def test_the_report_is_a_file(iris):
    name, content = make_download(iris, "report")
    assert name == "iris.html" and b"<html" in content and b"held" in content
