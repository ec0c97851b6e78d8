"""Observers of a search receive levels and better trees while it goes on."""

import time
import warnings

import numpy as np
import pytest

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.cli.fitted import report
from treeproof.explorer.levels import level_states
from treeproof.explorer.session import Session
from treeproof.explorer.tables import Table, bundled_table
from treeproof.solving.certificates import Certificate, proved_depth
from treeproof.solving.observers import History, watch, watch_ladder
from treeproof.solving.progress import ProgressLine
from treeproof.tree import Tree


def noisy(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)).round(1)
    return X, ((X[:, 0] > 0.2) & (X[:, 1] < 0.5)) != (rng.random(n) < 0.2)


def watched(model, X, y):
    """Fit, and return the levels and the trees that observers received."""
    news = []
    with watch_ladder(news.append):
        model.fit(X, y)
    levels = [told for told in news if isinstance(told, Certificate)]
    return levels, [told for told in news if isinstance(told, Tree)]


@pytest.mark.parametrize("numeric", [False, True])
def test_levels_and_trees_lead_to_the_certificate(numeric):
    X, y = noisy()
    kind = OptimalTreeRegressor if numeric else OptimalTreeClassifier
    model = kind(0.05, time_limit=None)
    levels, trees = watched(model, X, y + X[:, 0] if numeric else y)
    known = {level.max_depth: level for level in model.certificates_}
    assert [level.max_depth for level in levels] == sorted(
        level.max_depth for level in levels
    )
    for told in levels:
        assert told.lower_bound <= known[told.max_depth].lower_bound + 1e-6
        assert told.objective >= known[told.max_depth].objective - 1e-6
    assert trees[-1].n_splits == model.tree_.n_splits
    truth = y + X[:, 0] if numeric else y
    costs = []
    for tree in trees:
        model.tree_ = tree
        loss = 1.0 - model.score(X, truth)
        costs.append(loss + 0.05 * tree.n_splits)
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == pytest.approx(model.objective_)


def test_nobody_has_to_listen_and_everybody_may():
    X, y = noisy()
    first, second, bounds = [], [], []
    with (
        watch_ladder(first.append),
        watch_ladder(second.append),
        watch(lambda *event: bounds.append(event[3])),
    ):
        OptimalTreeClassifier(0.05).fit(X, y)
    assert first == second and bounds
    OptimalTreeClassifier(0.05).fit(X, y)
    assert first == second


def test_an_error_of_a_listener_comes_out_of_fit():
    def fail(news):
        raise RuntimeError("enough")

    X, y = noisy()
    with watch_ladder(fail), pytest.raises(RuntimeError, match="enough"):
        OptimalTreeClassifier(0.05).fit(X, y)


def test_states_say_what_is_proved_of_the_best_tree():
    levels = [
        Certificate(1, 0.4, 0.4, True, 0.01),
        Certificate(4, 0.3, 0.2, False, 1.25),
        Certificate(None, 0.2, 0.1, False, 9.0),
    ]
    found = level_states(levels, 0.2)
    assert [level.words for level in found] == [
        "depth 1 ✓",
        "depth 4 ✓",
        "any depth ≥ 0.1",
    ]
    assert [level.proved for level in found] == [True, True, False]
    assert found[1].sentence == (
        "No tree of depth 4 or less costs less than 0.2 (proved in 1.2 s)."
    )
    assert found[2].sentence == "No tree costs less than 0.1."


def wait_for(condition):
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_session_shows_tree_and_ladder_while_it_searches():
    X, y = noisy(n=400)
    columns = {"a": X[:, 0], "b": X[:, 1], "y": np.where(y, "yes", "no")}
    session = Session()
    session.use(Table("noise", columns, "y"))
    assert session.levels == [] and session.preview is None
    session.ask(max_depth=None, penalty=0.001, time_limit=600.0)
    session.start_fit()
    job = session.jobs["fit"]
    wait_for(lambda: not job.running or (job.tree is not None and len(job.levels) > 1))
    assert job.running and session.fitted is None
    assert session.preview.n_splits >= 1 and "<svg" in session.preview.to_svg()
    assert session.levels[0].words == "depth 1 ✓"
    session.stop()
    job.wait()
    assert session.preview is None
    assert session.levels[-1].words.startswith("any depth ≥ ")
    assert session.fitted.model.objective_ <= job.events[0][2]


def test_a_proved_tree_has_its_ladder():
    session = Session()
    session.use(bundled_table("iris"))
    session.ask(max_depth=None)
    session.start_fit()
    session.jobs["fit"].wait()
    assert session.levels[-1].words == "any depth ✓"
    assert all(level.proved for level in session.levels)


class Silent:
    """In place of a console: keeps the last line."""

    text = ""

    def status(self, *_, **__):
        return self

    def update(self, text):
        self.text = text

    def start(self):
        pass

    stop = start


def test_the_progress_line_counts_what_is_proved_of_the_best_tree():
    """A depth whose own best tree is not known is proved if none of it is better."""
    shown = Silent()
    line = ProgressLine(shown)
    for level in (
        Certificate(3, 0.3, 0.3, True, 0.1),
        Certificate(4, 0.3, 0.2, False, 0.2),
        Certificate(5, 0.2, 0.15, False, 0.3),
    ):
        line.climb(level)
    assert line.reached(0.2) == (4, (5, 0.15))
    assert line.reached(0.25) == (3, (4, 0.2))
    line(0, 1.0, 0.1, 0.2, 7)
    assert shown.text.endswith("depth 4 proved, 5 ≥ 0.1500")


def test_the_level_at_work_is_shown_and_is_no_news_for_others():
    X, y = noisy(n=300)
    lines, levels = [], []

    def show(self, *_, **told):
        lines.append(told["opened"])
        return ""

    def climb(news):
        if isinstance(news, Certificate):
            levels.append(news)

    with (
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(),
        watch_ladder(climb),
    ):
        warnings.simplefilter("ignore")
        patch.setattr(ProgressLine, "text", show)
        OptimalTreeClassifier(0.004, time_limit=3.0, verbose=True).fit(X, y)
    depths = [level.max_depth for level in levels]
    assert depths == sorted(set(depths))  # each level once, when it is settled


def test_what_was_proved_remains_after_the_progress_line(capsys):
    X, y = noisy()
    model = OptimalTreeClassifier(0.05, verbose=True).fit(X, y)
    said = capsys.readouterr().err
    assert model.certificate() in said and "2 splits after 0." in said
    OptimalTreeClassifier(0.05).fit(X, y)
    assert capsys.readouterr().err == ""


def test_the_summary_and_the_plot_say_what_the_certificate_says():
    X, y = noisy()
    model = OptimalTreeClassifier(0.05).fit(X, y)
    cost = model.objective_
    model.certificates_ = [
        Certificate(3, cost + 0.1, cost + 0.1, True, 0.5),
        Certificate(4, cost + 0.05, cost, False, 0.6),
        Certificate(None, cost, cost / 2, False, 9.0),
    ]
    model.proved_depth_ = proved_depth(model.certificates_, exact=True)
    rows = [line.split() for line in model.summary().splitlines()]
    told = {row[0]: row[-1] for row in rows if row and row[-1] in ("yes", "no")}
    assert told == {"3": "yes", "4": "yes", "any": "no"}
    found = report(model, 1.0)["certificates"]
    assert [level["proved"] for level in found] == [True, True, False]
    history = History()
    history.finish(9.0, cost / 2, cost, model.certificates_)
    ax = history.plot()
    assert "no tree of depth 4 or less costs less" in ax.get_title(loc="left")
    assert [text.get_text() for text in ax.texts] == ["depth 3 to 4"]
