"""Changes to proofs of tiny problems, and an oracle that finds false claims.

A changed proof is judged by brute force: read the statement in its header, the tree and
every step, and compare each claim with the optimum over all trees (`small_proofs`). A
checker may refuse what is true but not shown; it must never accept what is false.
"""

from __future__ import annotations

import copy
import dataclasses
import random
from dataclasses import dataclass
from typing import Any

from small_proofs import UNIT, Small, less, random_columns

Lines = list[dict[str, Any]]


@dataclass
class Forgery:
    """A proof and the data given with it, one of which was changed."""

    small: Small
    lines: Lines
    what: str = "nothing"

    @property
    def header(self) -> dict[str, Any]:
        return self.lines[0]

    @property
    def steps(self) -> Lines:
        return self.lines[1:]


def tiny(rng: random.Random) -> Small:
    """A problem with a proof of a few dozen steps."""
    n = rng.randint(4, 6)
    classes = ["no", "yes", "maybe"][: rng.randint(2, 3)]
    return Small(
        random_columns(rng, n, 2),
        [rng.choice(classes) for _ in range(n)],
        classes=classes,
        weights=[float(rng.choice([1, 1, 2])) for _ in range(n)],
        class_weight=[rng.choice([1.0, 1.0, 2.0]) for _ in classes],
        split_penalty=rng.choice([0.02, 0.06, 0.11]),
        penalize=rng.choice(["leaves", "splits"]),
        max_depth=rng.choice([None, 1, 2]),
        max_splits=rng.choice([None, None, 1, 2]),
        min_samples_leaf=rng.choice([1, 1, 2]),
        missing=rng.choice(["best-side", "branch"]),
        claims=rng.random() < 0.5,
    )


# -- the oracle


def lies(forgery: Forgery) -> str | None:
    """Return the first false claim of a proof in words; None if all are true."""
    small, header = forgery.small, forgery.header
    stated = small.stated(header)
    if header["fingerprint"] != stated.fingerprint():
        return "other data"
    if header["n_rows"] != len(stated.rows):
        return "other rows"
    if (false := stated.said_falsely(header)) is not None:
        return false
    if header["split_cost"] != stated.split_cost():
        return "split_cost"
    dearer = header["search_split_cost"] - header["split_cost"]
    if dearer < 0 or (dearer and header["max_splits"] is None):
        return "search_split_cost"
    if header["upper"] != tree_cost(stated, header["tree"]):
        return "upper"
    whole = stated.everything
    best = stated.optimum(
        whole, stated.max_depth, stated.max_splits, stated.split_cost()
    )
    if header["lower"] > best[0]:
        return "lower"
    for k, step in enumerate(forgery.steps):
        rows = branch_rows(stated, step["branch"])
        if rows is None:
            return f"branch of step {k}"
        optimum = stated.optimum(
            rows, step["depth"], step["splits"], header["search_split_cost"]
        )
        if step["bound"] > max(0, optimum[0]):
            return f"bound of step {k}"
        if any(b > max(0, true) for b, true in claims(stated, header, step, rows)):
            return f"claim of step {k}"
    return None


def claims(
    small: Small, header: dict[str, Any], step: dict[str, Any], rows: frozenset[int]
) -> list[tuple[float, float]]:
    """Return what a step claims of the children on its own line, and the truth."""
    if step["depth"] == 0 or step["bound"] <= 0:
        return []  # needs nothing that is cited
    return [
        (item[0], small.optimum(part, less(step["depth"]), None, cost)[0])
        for cost in [header["search_split_cost"]]
        for use in step["uses"]
        if use[0] < len(small.tests)
        for cited, part in zip(use[1:], small.parts(rows, use[0]), strict=False)
        for item in cited
        if isinstance(item, list)
    ]


def branch_rows(small: Small, branch: list[int]) -> frozenset[int] | None:
    """Return the rows of a branch; None if it is not a branch."""
    rows = small.everything
    for test, outcome in zip(branch[::2], branch[1::2], strict=True):
        if not 0 <= test < len(small.tests):
            return None
        # Missing values may have an outcome of their own even if no value is missing.
        if outcome == small.n_outcomes(test) and small.missing is not None:
            rows = frozenset()
            continue
        if not 0 <= outcome < small.n_outcomes(test):
            return None
        rows = small.parts(rows, test)[outcome]
    return rows


def tree_cost(small: Small, tree: dict[str, Any]) -> float | None:
    """Return the cost of a tree; None if it is not allowed."""

    def below(node: dict[str, Any], rows: frozenset[int]) -> tuple[float, int, int]:
        if "predict" in node:
            return small.lost(rows, node["predict"]), 0, 0
        if not 0 <= node["test"] < len(small.tests):
            raise ValueError
        parts = small.parts(rows, node["test"])
        given = [outcome for outcome, _ in node["children"]]
        held = [v for v, part in enumerate(parts) if part]
        if sorted(given) != held or len(held) < 2:
            raise ValueError
        found = [below(child, parts[outcome]) for outcome, child in node["children"]]
        if min(len(parts[v]) for v in held) < small.min_samples_leaf:
            raise ValueError
        return (
            small.price(small.split_cost(), len(held)) + sum(f[0] for f in found),
            1 + sum(f[1] for f in found),
            1 + max(f[2] for f in found),
        )

    try:
        cost, splits, depth = below(tree, small.everything)
    except ValueError:
        return None
    if small.max_depth is not None and depth > small.max_depth:
        return None
    if small.max_splits is not None and splits > small.max_splits:
        return None
    return cost


# -- random changes, one at a time


def forge(small: Small, lines: Lines, rng: random.Random) -> Forgery:
    """Change one thing in a proof or in the data given with it."""
    forgery = Forgery(small, copy.deepcopy(lines))
    kind = rng.choice(list(CHANGES))
    forgery.what = kind
    CHANGES[kind](forgery, rng)
    return forgery


def _any_step(forgery: Forgery, rng: random.Random) -> dict[str, Any]:
    """Draw a step; the last ones are drawn more often, as they are about many rows."""
    steps = forgery.steps
    return rng.choice([steps[-1], rng.choice(steps)])


def _bound(forgery: Forgery, rng: random.Random) -> None:
    step = _any_step(forgery, rng)
    step["bound"] += rng.choice([-1, 1, 1, UNIT, forgery.header["split_cost"], 1 << 30])


def _claim(forgery: Forgery, rng: random.Random) -> None:
    """Change the bound of the root and all that follows from it."""
    more = rng.choice([1, UNIT // 2, UNIT, forgery.header["split_cost"]])
    forgery.steps[forgery.header["root"]]["bound"] += more
    forgery.header["lower"] += more


def _literal(forgery: Forgery, rng: random.Random) -> None:
    branch = _any_step(forgery, rng)["branch"]
    n_tests = len(forgery.small.tests)
    if branch and rng.random() < 0.6:
        at = rng.randrange(len(branch))
        branch[at] = rng.randrange(n_tests) if at % 2 == 0 else branch[at] ^ 1
    elif branch and rng.random() < 0.5:
        del branch[-2:]
    elif n_tests:
        branch += [rng.randrange(n_tests), rng.randrange(2)]


def _child(forgery: Forgery, rng: random.Random) -> None:
    """Remove the argument about a test, or the citation of a child."""
    uses = _any_step(forgery, rng)["uses"]
    if not uses:
        return
    use = rng.choice(uses)
    if rng.random() < 0.5:
        uses.remove(use)
    else:
        use[rng.randrange(1, len(use))] = []


def _citation(forgery: Forgery, rng: random.Random) -> None:
    uses = _any_step(forgery, rng)["uses"]
    if uses:
        use = rng.choice(uses)
        other = rng.randrange(-1, len(forgery.steps) + 1)
        use[rng.randrange(1, len(use))] = [other]


def _on_the_same_line(forgery: Forgery, rng: random.Random) -> None:
    """Change a claim without a line of its own, or make a citation of it."""
    uses = _any_step(forgery, rng)["uses"]
    cited = [ids for use in uses for ids in use[1:] if ids]
    if cited:
        ids = rng.choice(cited)
        old = ids[0][0] if isinstance(ids[0], list) else forgery.header["upper"]
        ids[0] = [old + rng.choice([-1, 0, 1, UNIT])]


def _missing_step(forgery: Forgery, rng: random.Random) -> None:
    del forgery.lines[rng.randrange(1, len(forgery.lines))]


def _order(forgery: Forgery, rng: random.Random) -> None:
    a, b = (rng.randrange(1, len(forgery.lines)) for _ in range(2))
    forgery.lines[a], forgery.lines[b] = forgery.lines[b], forgery.lines[a]


def _reach(forgery: Forgery, rng: random.Random) -> None:
    """Let a step claim to hold for deeper or larger trees."""
    step = _any_step(forgery, rng)
    step[rng.choice(["depth", "splits"])] = rng.choice([None, None, 0, 1, 2, 3])


def _parameter(forgery: Forgery, rng: random.Random) -> None:
    header = forgery.header
    keys = "max_depth", "max_splits", "min_samples_leaf", "split_penalty", "penalize"
    key = rng.choice(keys)
    if key == "penalize":
        header[key] = "leaves" if header[key] == "splits" else "splits"
        other = dataclasses.replace(forgery.small, penalize=header[key])
        cost = tree_cost(other, header["tree"])
        if cost is not None and rng.random() < 0.7:  # with what has to go with it
            header["upper"] = cost
    elif key == "split_penalty":
        header[key] *= rng.choice([0.5, 0.9, 2.0])
        if rng.random() < 0.7:  # with everything that has to go with it
            other = dataclasses.replace(forgery.small, split_penalty=header[key])
            header["split_cost"] = header["search_split_cost"] = other.split_cost()
    elif key == "min_samples_leaf":
        header[key] = rng.choice([1, 2, 3])
    else:
        header[key] = rng.choice([None, 0, 1, 2, 3])


def _number(forgery: Forgery, rng: random.Random) -> None:
    key = rng.choice(
        ["split_cost", "search_split_cost", "lower", "upper", "root", "n_rows"]
    )
    forgery.header[key] += rng.choice([-1, 1, UNIT])


def _tree(forgery: Forgery, rng: random.Random) -> None:
    nodes, stack = [], [forgery.header["tree"]]
    while stack:
        node = stack.pop()
        nodes.append(node)
        stack += [child for _, child in node.get("children", [])]
    node = rng.choice(nodes)
    if "predict" in node:
        node["predict"] = rng.randrange(len(forgery.small.classes) + 1)
    elif rng.random() < 0.5:
        node["test"] = rng.randrange(len(forgery.small.tests))
    else:
        rng.choice(node["children"])[0] ^= 1


def _data(forgery: Forgery, rng: random.Random) -> None:
    """Use another table, sometimes with the fingerprint and the tree of that table."""
    small = forgery.small
    a, b = rng.sample(range(len(small.target)), 2)
    columns = [(s, v, list(cells)) for s, v, cells in small.columns]
    target, weights = list(small.target), list(small.weights)
    kind = rng.choice(["swap", "label", "weight", "cell"])
    if kind == "swap":
        for _, _, cells in columns:
            cells[a], cells[b] = cells[b], cells[a]
    elif kind == "label":
        target[a] = rng.choice(small.classes or ["-"])
    elif kind == "weight":
        weights[a] += 1.0
    else:
        cells = rng.choice(columns)[2]
        cells[a] = cells[b]
    forgery.small = dataclasses.replace(
        small, columns=columns, target=target, weights=weights
    )
    if rng.random() < 0.7:
        header = forgery.header
        header["fingerprint"] = forgery.small.fingerprint()
        cost = forgery.small.split_cost()
        header["split_cost"] = header["search_split_cost"] = cost
        upper = tree_cost(forgery.small, header["tree"])
        if upper is not None:
            header["upper"] = upper
    forgery.what += f" ({kind})"


CHANGES = {
    "bound": _bound,
    "bound and lower": _claim,
    "literal": _literal,
    "child": _child,
    "citation": _citation,
    "claim": _on_the_same_line,
    "missing step": _missing_step,
    "order of steps": _order,
    "reach of a step": _reach,
    "parameter": _parameter,
    "number in the header": _number,
    "tree": _tree,
    "data": _data,
}
