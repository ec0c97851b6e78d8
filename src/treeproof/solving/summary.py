"""The main facts about a fit as lines of text."""

from __future__ import annotations

from typing import Any

import numpy as np

from treeproof.border.row_names import is_named_like_numbers_of_rows
from treeproof.kinds import LEAF, THRESHOLD
from treeproof.solving.certificates import any_depth
from treeproof.words import counted, number

__all__ = [
    "note_few_rows",
    "note_held_out",
    "note_identifier",
    "note_single_column",
    "note_single_leaf",
    "summarise",
]

_MOST_COLUMNS = 10
_FEW_IN_ALL, _FEW_OF_A_CLASS = 50, 10  # rows of tables that chance may separate
_MUCH_LOWER = 0.1  # of an accuracy or R2
_OUTLIERS = 5  # leaves of a regression with fewer rows are named
_FEW_EVENTS = 10  # the same for risks and rewards, which vary more from row to row
_NEARLY_ALL = 0.04  # share of the errors of a single leaf that a split may leave
_FEW_ROWS = 20  # rows in a leaf on average; below this, trees often fit noise


def note_few_rows(model: Any, advice: str = "") -> str | None:
    """Return a note if a fitted tree probably fits noise, else None.

    On small tables the default penalty buys a leaf for very few rows. (Of 172 rows, a
    penalty of 0.01 is paid as soon as a leaf corrects two.) The tree is optimal for the
    training rows, but smaller trees are then often better on new ones. The note is
    given if the leaves have fewer than 20 rows on average, and the tree still makes
    errors on the training rows. Trees of numbers are also noted if they have leaves of
    fewer than five rows, and trees of risks or treatments of fewer than ten.

    Parameters
    ----------
    model : fitted estimator
        A classifier or a regressor.
    advice : str, default=""
        The last sentence; by default what to do in Python or on the command line.

    Examples
    --------
    >>> import numpy as np
    >>> from treeproof import OptimalTreeClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    >>> clf = OptimalTreeClassifier(max_depth=3).fit(X, y)
    >>> print(note_few_rows(clf)[:45])
    The tree has 8 leaves for 60 rows, about 8 in
    >>> note_few_rows(OptimalTreeClassifier(max_depth=1).fit(X, y)) is None
    True
    """
    tree = model.tree_.collapse()
    leaves, rows = tree.n_leaves, int(model.stats_["n_rows"])
    if tree.rows_differ_in_weight:  # weights may be frequencies
        rows = max(rows, int(tree.weighted_n_node_samples[0]))
    paid = leaves - 1 if model.penalize == "leaves" else model.n_splits_
    loss = model.objective_ - model.split_penalty * paid
    if leaves < 3 or (loss < 1e-9 and tree.measure != "reward"):
        return None
    if rows >= _FEW_ROWS * leaves:
        return _note_outliers(model, tree)
    return (
        f"The tree has {leaves} leaves for {counted(rows, 'row')}, about "
        f"{rows / leaves:.0f} in each. With so few rows in a leaf, a tree often fits "
        "chance differences of the training rows, and a smaller one predicts new rows "
        f"better. {advice or _advice(model)}"
    )


def note_held_out(model: Any, trained: float, held_out: float, rows: int) -> str | None:
    """Return a note if a tree does much worse on rows held out, else None.

    Parameters
    ----------
    model : fitted estimator
        A classifier or a regressor.
    trained, held_out : float
        Accuracy or R2 on the training rows and on the rows held out.
    rows : int
        How many rows were held out.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> clf = OptimalTreeClassifier().fit([[0], [1]], [0, 1])
    >>> print(note_held_out(clf, 0.95, 0.6, 200)[:57])
    On the rows held out the score is 0.6000, much lower than
    >>> note_held_out(clf, 0.95, 0.9, 200) is None
    True
    """
    if rows < _FEW_IN_ALL or trained - held_out < _MUCH_LOWER:
        return None
    return (
        f"On the rows held out the score is {held_out:.4f}, much lower than on the "
        f"training rows ({trained:.4f}): the tree fits chance differences of the "
        f"training rows. {_advice(model)}"
    )


def note_single_column(model: Any) -> str | None:
    """Return a note if one split is right for nearly all rows of a table, else None.

    That is, if it leaves at most 4% of the errors of a single leaf. Such a column is
    often made from the target or known only after it, such as the code of a decision
    beside the decision. Small tables, with fewer than 50 rows or 10 rows of a class,
    are left alone, since it happens there by chance.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> X = {"code": [1, 2, 3] * 20, "size": [k % 7 for k in range(60)]}
    >>> clf = OptimalTreeClassifier().fit(X, ["no", "no", "yes"] * 20)
    >>> print(note_single_column(clf)[:48])
    One split on 'code' is right for all 60 training
    """
    tree = model.tree_.collapse()
    counts = tree.rows_per_class
    if tree.n_splits != 1 or counts is None or len(tree.columns) < 2:
        return None
    leaves = counts[tree.kind == LEAF]
    wrong = leaves.sum() - leaves.max(axis=1, initial=0).sum()
    rows = counts[0][counts[0] > 0]
    if wrong > _NEARLY_ALL * (rows.sum() - rows.max()):
        return None
    if rows.sum() < _FEW_IN_ALL or rows.min() < _FEW_OF_A_CLASS:
        return None
    name = tree.columns[tree.feature[0]].name
    most = f"all but {wrong:,} of the" if wrong else "all"
    return (
        f"One split on {name!r} is right for {most} {rows.sum():,} training rows. Such "
        "a column is often made from the target, or known only after it; leave it out, "
        "unless it is known before the target is."
    )


def note_identifier(model: Any) -> str | None:
    """Return a note if a threshold divides numbers that look like names, else None.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> X = {"patient_id": [k // 4 for k in range(60)], "age": [20, 30, 40] * 20}
    >>> clf = OptimalTreeClassifier().fit(X, [k < 28 for k in range(60)])
    >>> print(note_identifier(clf)[:51])
    The tree compares 'patient_id' with a threshold. If
    """
    tree = model.tree_.collapse()
    tested = dict.fromkeys(tree.feature[tree.kind == THRESHOLD].tolist())
    named = [tree.columns[j].name for j in tested if tree.columns[j].date is None]
    named = [name for name in named if is_named_like_numbers_of_rows(name)]
    if not named:
        return None
    return (
        f"The tree compares {named[0]!r} with a threshold. If its numbers are names, "
        "of persons for example, their order means nothing and new rows have others: "
        "leave the column out."
    )


def note_single_leaf(model: Any) -> str | None:
    """Return a note if no split pays for itself, else None.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> X, y = [[k] for k in range(40)], [0, 0, 0, 1] * 10
    >>> print(note_single_leaf(OptimalTreeClassifier(0.2).fit(X, y))[:44])
    No split saves more than its penalty of 0.2;
    """
    penalty = float(getattr(model, "split_penalty", 0.0))
    if model.tree_.collapse().n_splits or not penalty:
        return None
    if getattr(model, "max_depth", None) == 0 or model.objective_ == 0:
        return None
    saves = "saves" if model.optimal_ else "was found that saves"
    note = (
        f"No split {saves} more than its penalty of {penalty:g}; a smaller "
        "split_penalty gives a larger tree"
    )
    alike = getattr(model, "class_weight", "") is None and model.metric == "accuracy"
    if alike and model.cost_matrix is None and model.abstain_cost is None:
        note += ", and class_weight='balanced' one for which all classes count alike"
    return f"{note}."


def _note_outliers(model: Any, tree: Any) -> str | None:
    """Return a note if a tree of numbers has leaves for single outliers, else None.

    A row that is far from the others may cost more than a leaf of its own. (In one
    table of 3,600 people and their visits to doctors, seven leaves held one to three
    rows, and without them R2 on new rows rose from -0.07 to 0.15.) Classes have no
    outliers: a row that is wrong costs as much as any other.
    """
    uncertain = tree.measure in ("risk", "reward")
    if not uncertain and (tree.actions is not None or tree.measure != "errors"):
        return None
    least = _FEW_EVENTS if uncertain else _OUTLIERS
    rows = tree.n_node_samples[tree.kind == LEAF]
    if tree.rows_differ_in_weight:  # weights may be frequencies
        rows = np.maximum(rows, tree.weighted_n_node_samples[tree.kind == LEAF])
    few = int(np.count_nonzero(rows < least))
    if few == 0:
        return None
    return (
        f"{few} of the {tree.n_leaves} leaves {'has' if few == 1 else 'have'} fewer "
        f"than {least} rows. A leaf for a few "
        f"{'rows' if uncertain else 'outliers'} lowers the cost on the training rows "
        f"and often predicts new rows badly; min_samples_leaf={least} rules out such "
        "leaves."
    )


def _advice(model: Any) -> str:
    """Return advice on smaller trees, for Python and for the command line."""
    name = type(model).__name__
    smaller = "larger split_penalty or min_samples_leaf gives a smaller tree."
    if name not in ("OptimalTreeClassifier", "OptimalTreeRegressor"):
        return f"A {smaller}"
    return (
        f"{name}CV (on the command line: treeproof path --cv 5) chooses the size by "
        f"cross-validation; a {smaller}"
    )


def summarise(model: Any) -> str:
    """Return the summary of a fitted estimator."""
    tree = model.tree_.collapse()
    part = "leaf but one" if model.penalize == "leaves" else "split"
    lines = [
        model.certificate(),
        f"{counted(int(model.stats_['n_rows']), 'row')}, "
        f"{counted(model.n_features_in_, 'column')}; a cost of "
        f"{number(model.split_penalty)} for every {part}; "
        f"{model.stats_['seconds']:.2f} s with solver {model.stats_['solver']}.",
        "",
        f"{counted(tree.n_splits, 'split')}, "
        f"{counted(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}:",
        tree.export_text(details=True),
    ]
    if len(model.certificates_) > 1:
        lines += ["", "depth   best cost   no tree below   proved"]
        for known in model.certificates_:
            depth = "any" if known.max_depth is None else str(known.max_depth)
            proved = any_depth(known.max_depth) <= model.proved_depth_
            lines.append(
                f"{depth:>5}{number(known.objective):>12}"
                f"{number(known.lower_bound):>16}   {'yes' if proved else 'no'}"
            )
    shares = model.feature_importances_ if tree.n_splits else np.zeros(0)
    order = [j for j in np.argsort(-shares, kind="stable") if shares[j] > 0]
    if order:
        lines += ["", "share of each column in what the splits save:"]
        for j in order[:_MOST_COLUMNS]:
            lines.append(f"{shares[j]:>6.0%}  {model.tree_.columns[j].name}")
    notes = (
        note_few_rows(model),
        note_single_column(model),
        note_identifier(model),
        note_single_leaf(model),
    )
    for note in notes:
        if note is not None:
            lines += ["", note]
    return "\n".join(lines)
