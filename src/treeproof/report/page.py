"""Findings as one HTML page: words, tables and drawings, without scripts or links out.

Everything that comes from the table is escaped. The page reads well on a telephone and
on paper: wide parts scroll on the screen and shrink in print.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from treeproof.columns import plain
from treeproof.importance import columns_tested
from treeproof.palette import MUTED, class_colour
from treeproof.picture.svg import readable
from treeproof.report.findings import Findings
from treeproof.words import count, counted, number, percent

__all__ = ["to_html"]

_MOST_CLASSES = 12
_MOST_POINTS = 1500
_MOST_COLUMNS = 15


def to_html(found: Findings) -> str:
    """Return the page.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.report import investigate
    >>> X = {"size": np.arange(40) % 9}
    >>> found = investigate(
    ...     OptimalTreeClassifier(), X, X["size"] > 4, title="<toys>", target="large"
    ... )
    >>> page = to_html(found)
    >>> page.startswith("<!DOCTYPE html>"), "<toys>" in page
    (True, False)
    """
    css = files("treeproof.report").joinpath("page.css").read_text(encoding="utf-8")
    title = f"{found.target} in {found.title}"
    sections = [
        _head(found),
        _tree(found),
        _ladder(found),
        _scores(found),
        _mistakes(found),
        _importance(found),
        _alternatives(found),
        _use(found),
        _footer(found),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{css}</style>\n</head>\n<body>\n"
        f"<main>\n{''.join(sections)}</main>\n</body>\n</html>\n"
    )


def _head(found: Findings) -> str:
    model, tree = found.model, found.model.tree_.collapse()
    shape = (
        f"{counted(tree.n_splits, 'split')}, "
        f"{counted(tree.n_leaves, 'leaf', 'leaves')}, depth {model.get_depth()}"
    )
    kind = "" if model.optimal_ else " open"
    notes = "".join(f"<li>{escape(note)}</li>" for note in found.notes)
    columns = counted(model.n_features_in_, "column")
    return (
        f"<h1>What predicts {escape(found.target)}?</h1>\n"
        f'<p class="muted">{escape(found.title)}: {counted(found.n_rows, "row")}, '
        f"{columns} to split on. The tree has {shape}.</p>\n"
        f'<p class="certificate{kind}">{escape(model.certificate())}</p>\n'
        f"<p>{escape(_meaning(found))}</p>\n" + (f"<ul>{notes}</ul>\n" if notes else "")
    )


def _meaning(found: Findings) -> str:
    """Explain what the cost in the certificate is made of."""
    model = found.model
    part = "leaf but one" if model.penalize == "leaves" else "split"
    losses = {
        "R²": "share of the variance that it leaves",
        "accuracy": "share of rows that it gets wrong",
        "balanced accuracy": "share of rows that it gets wrong, all classes weighing "
        "the same,",
        "mean cost": "mean cost of its predictions",
        "D² of deviances": "Poisson deviance of its predictions, as a fraction of that "
        "of a single leaf,",
        "D² of absolute errors": "sum of its absolute errors, as a fraction of that of "
        "a single leaf,",
        "D² of quantile losses": "quantile loss of its predictions, as a fraction of "
        "that of a single leaf,",
    }
    if found.measure not in losses:  # F1 and other ratios, which know no penalty
        return f"The cost of a tree is 1 minus its {found.measure}."
    probabilities = {
        "log_loss": "mean log loss of the class shares of its leaves",
        "gini": "mean Gini impurity of its leaves",
    }
    criterion = getattr(model, "criterion", "misclassification")
    loss = probabilities.get(criterion, losses[found.measure])
    price = number(model.split_penalty)
    return f"The cost of a tree is the {loss} plus {price} for every {part}."


def _tree(found: Findings) -> str:
    listed = found.model.to_rules()
    rules = "".join(f"<li>{escape(str(rule))}</li>" for rule in listed)
    ranges = '<p class="muted">Ranges in the leaves are 95% confidence intervals.</p>\n'
    return (
        '<h2>The tree</h2>\n<div class="wide tree" tabindex="0" role="img" '
        f'aria-label="The tree; its rules are listed below.">'
        f"{readable(found.model.to_svg(caption=False, details=True))}</div>\n"
        f"<ul>{rules}</ul>\n"
        + (ranges if any(rule.interval is not None for rule in listed) else "")
        if found.model.n_splits_
        else f"<h2>The tree</h2>\n<ul>{rules}</ul>\n"
    )


def _ladder(found: Findings) -> str:
    rows = [
        (
            "any" if known.max_depth is None else str(known.max_depth),
            number(known.objective),
            number(known.lower_bound),
            "yes" if known.optimal else "no",
            f"{known.seconds:.2f} s",
        )
        for known in found.model.certificates_
    ]
    head = ("depth at most", "best cost found", "no tree costs less than", "proved",
            "after")  # fmt: skip
    return "<h2>What was proved</h2>\n" + _table(head, rows)


def _scores(found: Findings) -> str:
    if not found.scores:
        return ""
    best = max(max(score for *_, score in found.scores), 1e-9)
    rows = []
    for k, (name, leaves, score) in enumerate(found.scores):
        bar = f'<td class="bar"><span style="width:{100 * max(score, 0) / best:.0f}%">'
        size = "many" if leaves is None else count(leaves)
        rows.append(
            f"<tr{' class=ours' if k == 0 else ''}><td>{escape(name)}</td>"
            f"<td>{size}</td><td>{score:.3f}</td>"
            f"{bar}</span></td></tr>"
        )
    head = "".join(f"<th>{h}</th>" for h in ("learner", "leaves", found.measure, ""))
    return (
        "<h2>On rows that were held out</h2>\n"
        f"<p>Each learner was fitted to {found.n_rows - found.n_held_out:,} rows and "
        f"scored on the other {found.n_held_out:,}{_how_scored(found)}.</p>\n"
        f'<div class="wide" tabindex="0"><table><tr>{head}</tr>{"".join(rows)}</table>'
        f"</div>\n{_advice(found)}"
    )


def _advice(found: Findings) -> str:
    """Return what to try if the penalty seems too large."""
    if not found.larger_is_better:
        return ""
    return (
        "<p>CART predicts these rows better with more leaves, so a larger tree is "
        "worth trying: a smaller --split-penalty, or the size that treeproof path "
        "--cv 5 chooses.</p>\n"
    )


def _how_scored(found: Findings) -> str:
    """Say what is not obvious about the scores."""
    words = ", with their weights" if found.weights is not None else ""
    if found.low_is_good:
        return words + (
            "; a low mean cost is good. The other learners do not know the costs and "
            "make as few errors as they can"
        )
    if found.measure in ("D² of absolute errors", "D² of quantile losses"):
        words += "; CART minimises squared errors"
    elif not is_regressor(found.model) and "accuracy" not in found.measure:
        words += "; the other learners do not know that measure"
    return words


def _mistakes(found: Findings) -> str:
    if not found.n_held_out:
        return ""
    if is_regressor(found.model):
        return _residuals(found)
    labels = [plain(v) for v in np.unique(found.actual)]
    if len(labels) > _MOST_CLASSES:
        return ""
    said, true = map(plain, found.predicted), map(plain, found.actual)
    ones = np.ones(found.n_held_out)
    weights = (ones if found.weights is None else found.weights).tolist()
    cells: Counter[tuple[Any, Any]] = Counter()
    for one, other, weight in zip(true, said, weights, strict=True):
        cells[one, other] += weight
    more = {other for _, other in cells if other not in labels}
    columns = [*labels, *sorted(more, key=str)]
    head = "".join(f"<th>{escape(_said(c))}</th>" for c in columns)
    rows = []
    for label in labels:
        line = ""
        for column in columns:
            n = cells[label, column]
            kind = "hit" if label == column else "miss" if n else ""
            line += f'<td class="{kind}">{count(n)}</td>'
        rows.append(f"<tr><td>{escape(str(label))}</td>{line}</tr>")
    what = "Held-out rows" if found.weights is None else "Weight of the held-out rows"
    return (
        f"<h2>Which rows it gets wrong</h2>\n<p>{what}: what they were (down) "
        "and what the tree predicts (across).</p>\n"
        f'<div class="wide" tabindex="0"><table><tr><th></th>{head}</tr>'
        f"{''.join(rows)}</table></div>\n"
    )


def _said(prediction: Any) -> str:
    """Return a prediction as text; None is that of a leaf that abstains."""
    return "abstains" if prediction is None else str(prediction)


def _residuals(found: Findings) -> str:
    actual = found.actual.astype(float)
    predicted = found.predicted.astype(float)
    error = np.abs(actual - predicted)
    low = float(min(actual.min(), predicted.min()))
    span = float(max(actual.max(), predicted.max())) - low or 1.0
    shown = np.linspace(0, len(actual) - 1, min(len(actual), _MOST_POINTS)).astype(int)
    dots = "".join(
        f'<circle cx="{40 + 320 * (predicted[i] - low) / span:.1f}" '
        f'cy="{330 - 320 * (actual[i] - low) / span:.1f}" r="2.5"/>'
        for i in shown
    )
    text = f'font-size="12" fill="{MUTED}"'
    return (
        "<h2>How far off it is</h2>\n"
        f"<p>Half of the held-out rows are within {number(np.median(error), 4)}, 90% "
        f"within {number(np.quantile(error, 0.9), 4)} of the prediction.</p>\n"
        '<div class="wide" tabindex="0"><svg width="380" height="365" '
        'viewBox="0 0 380 365" role="img" aria-label="Predictions against what the '
        'held-out rows were"><line x1="40" y1="330" x2="360" y2="10" '
        f'stroke="{MUTED}" stroke-dasharray="4 4"/>'
        f'<g fill="{class_colour(0)}" fill-opacity="0.35">{dots}</g>'
        f'<text x="200" y="358" text-anchor="middle" {text}>predicted, '
        f"{number(low, 4)} to {number(low + span, 4)}</text>"
        f'<text transform="translate(16 170) rotate(-90)" text-anchor="middle" {text}>'
        "actual</text></svg></div>\n"
    )


def _importance(found: Findings) -> str:
    model = found.model
    if model.n_splits_ == 0:
        return ""
    shares, without = model.feature_importances_, {d.name: d for d in found.dropped}
    order = sorted(range(len(shares)), key=lambda j: -shares[j])
    used = columns_tested(model.tree_)
    rows = []
    for j in [j for j in order if j in used][:_MOST_COLUMNS]:
        name = model.tree_.columns[j].name
        rows.append(
            f"<tr><td>{escape(name)}</td><td>{percent(shares[j])}</td>"
            f'<td class="bar"><span style="width:{100 * shares[j]:.0f}%"></span></td>'
            f"<td>{escape(_increase(without.get(name), model.objective_))}</td></tr>"
        )
    last = "added cost without it" if found.dropped else ""
    head = "".join(
        f"<th>{h}</th>" for h in ("column", "share of what splits save", "", last)
    )
    explained = ""
    if found.dropped:
        stopped = not all(one.optimal for one in found.dropped)
        explained = (
            "<p>The last number says how much more the best tree costs that does not "
            "use the column, which an exact search over all such trees finds."
            + (" Where the search was stopped, it says how much more the best tree "
               "found costs, and the bound that was proved." if stopped else "")
            + "</p>\n"
        )  # fmt: skip
    return (
        f"<h2>Which columns matter</h2>\n{explained}"
        f'<div class="wide" tabindex="0"><table><tr>{head}</tr>{"".join(rows)}</table>'
        "</div>\n"
    )


def _increase(found: Any, cost: float) -> str:
    """Return how much more the best tree without a column costs than the one shown."""
    if found is None:
        return ""
    low, high = found.increase
    if found.optimal:
        return "no more" if low == 0 else f"+{number(low, 3)}"
    more = number(max(found.objective - cost, 0.0), 3)
    known = f"between {number(low, 3)} and" if low > 0 else "at most"
    return f"+{more} found; {known} {number(high, 3)}"


def _alternatives(found: Findings) -> str:
    if not found.alternatives:
        return ""
    total = max(found.use.values(), default=0)
    every = [name for name, n in found.use.items() if n == total and n > 0]
    more = ""
    if found.use and len(every) <= _MOST_COLUMNS:
        listed = ", ".join(every)
        more = f"<p>The most used: {escape(listed)}.</p>\n"
    return f"<h2>Other trees as good</h2>\n<p>{escape(found.alternatives)}</p>\n{more}"


def _use(found: Findings) -> str:
    if find_spec("sqlglot") is not None:
        code, what = found.model.to_sql(table=found.title.split(".")[0]), "SQL"
    else:
        code, what = found.model.to_python(), "Python"
    return f"<h2>The tree in {what}</h2>\n<pre tabindex=0>{escape(code)}</pre>\n"


def _footer(found: Findings) -> str:
    from treeproof import __version__

    again = f" Made by <code>{escape(found.command)}</code>." if found.command else ""
    return f"<footer>treeproof {__version__}.{again}</footer>\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(h)}</th>" for h in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return f'<div class="wide" tabindex="0"><table><tr>{top}</tr>{body}</table></div>\n'
