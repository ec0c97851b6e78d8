"""Changes to proofs of every kind of leaf, and an oracle that knows which are lies.

`lie_of` reads the statement in the header of a proof, its tree and every step, and
compares each claim with brute force over all trees (`leaf_problems`). A checker may
refuse what is true but not shown; it must never accept what is false.
"""

from __future__ import annotations

import copy
import gzip
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from leaf_problems import LeafProblem

Lines = list[dict[str, Any]]


def proved(problem: LeafProblem, folder: Path) -> tuple[Any, Lines]:
    """The fitted model, and the lines of its proof."""
    path = folder / "tree.proof.gz"
    model = problem.fit(proof=path)
    with gzip.open(path, "rt") as lines:
        return model, [json.loads(line) for line in lines]


# -- the oracle


def tolerance(header: dict[str, Any], best: Any, everything: int) -> float:
    """What a comparison allows, for each node of a tree."""
    exact = header["loss"] in ("misclassification", "costs")
    return 0 if exact else 40e-9 * abs(best(everything, 0, 0)) + 1e-12


def tree_cost(problem: LeafProblem, header: dict[str, Any]) -> float | None:
    """What the tree of a header costs; None if it is not allowed."""
    kept, _ = problem.rows_of_proof()
    masks = [yes for _, yes in problem.tests(kept)]
    loses, is_list = problem.loses(header), header.get("shape") == "list"
    along = [f.get("monotone") or 0 for f in header["features"]]
    columns = [f for f, _ in problem.tests(kept)]

    def walk(node: dict[str, Any], mask: int) -> tuple[float, int, int, set[Any]]:
        if "predict" in node:
            small = mask.bit_count() < header["min_samples_leaf"]
            if small and node is not header["tree"]:
                raise ValueError
            said = node["predict"]
            return loses(mask, said), 0, 0, {json.dumps(said)}
        test = node["test"]
        if not 0 <= test < len(masks):
            raise ValueError
        parts = {0: mask & masks[test], 1: mask & ~masks[test]}
        outcomes = [v for v, _ in node["children"]]
        if sorted(outcomes) != [0, 1] or not all(parts.values()):
            raise ValueError
        found = {v: walk(child, parts[v]) for v, child in node["children"]}
        if is_list and all("test" in child for _, child in node["children"]):
            raise ValueError
        if (side := along[columns[test]]) != 0:
            first, second = ("0", "1") if side > 0 else ("1", "0")
            if found[0][3] != {first} and found[1][3] != {second}:
                raise ValueError
        cost, splits, depth = (
            sum(f[0] for f in found.values()),
            1 + sum(f[1] for f in found.values()),
            1 + max(f[2] for f in found.values()),
        )
        return cost, splits, depth, found[0][3] | found[1][3]

    try:
        cost, splits, depth, _ = walk(header["tree"], (1 << len(kept)) - 1)
    except (ValueError, IndexError, TypeError, KeyError):
        return None
    for used, most in ((splits, header["max_splits"]), (depth, header["max_depth"])):
        if most is not None and used > most:
            return None
    return cost + splits * header["split_cost"]


def lie_of(problem: LeafProblem, lines: Lines) -> str | None:
    """A false claim of a proof, found by brute force; None if all of it is true."""
    header, *steps = lines
    kept, _ = problem.rows_of_proof()
    best, everything = problem.optimum(header), (1 << len(kept)) - 1
    room = tolerance(header, best, everything)
    masks = [yes for _, yes in problem.tests(kept)]

    def limit(value: Any) -> int:
        return 99 if value is None else min(value, 99)

    for number, step in enumerate(steps):
        mask = everything
        branch = step["branch"]
        for test, outcome in zip(branch[::2], branch[1::2], strict=True):
            if not (0 <= test < len(masks) and 0 <= outcome <= 1):
                return f"the branch of step {number}"
            mask &= masks[test] if outcome == 0 else ~masks[test]
        limits = limit(step.get("depth")), limit(step.get("splits"))
        if mask and step["bound"] > best(mask, *limits) + room:
            return f"the bound of step {number}"
    cost = tree_cost(problem, header)
    if cost is None:
        return "the tree"
    if not abs(cost - header["upper"]) <= room + 1e-12 * abs(cost):
        return "the upper bound"
    dearer = header["search_split_cost"] - header["split_cost"]
    if dearer < 0 or (dearer and header["max_splits"] is None):
        return "search_split_cost"
    least = problem.optimum(header | {"search_split_cost": header["split_cost"]})(
        everything, limit(header["max_depth"]), limit(header["max_splits"])
    )
    return "the lower bound" if header["lower"] > least + room else None


# -- random changes, one at a time


@dataclass
class Forgery:
    """A proof with the data that it is handed in with, one of them changed."""

    problem: LeafProblem
    lines: Lines
    rng: np.random.Generator
    folder: Path
    what: str = ""

    @property
    def header(self) -> dict[str, Any]:
        return self.lines[0]

    def pick(self, items: Any) -> Any:
        return items[int(self.rng.integers(len(items)))]

    def step(self) -> dict[str, Any]:
        """The last step is about many rows."""
        return self.pick([self.lines[-1], self.pick(self.lines[1:])])

    def times(self, value: Any) -> Any:
        factor = self.pick([0.5, 1.001, 1.001, 1.3, 2.0])
        exact = isinstance(self.header["upper"], int)
        return int(value * factor + 1) if exact else value * factor + 1e-6

    def nodes(self) -> list[dict[str, Any]]:
        found, stack = [], [self.header["tree"]]
        while stack:
            found.append(node := stack.pop())
            stack += [child for _, child in node.get("children", [])]
        return found

    def repair(self) -> None:
        """Let the header say what the changed tree or the changed losses cost.

        A double cannot say huge costs as finely as they are compared.
        """
        cost = tree_cost(self.problem, self.header)
        if cost is not None and cost < 1e4 * (1 + self.header["upper"]):
            exact = isinstance(self.header["upper"], int)
            self.header["upper"] = int(cost) if exact else float(cost)


def _bound(f: Forgery) -> None:
    step = f.step()
    step["bound"] = f.times(step["bound"])


def _root(f: Forgery) -> None:
    """The root's bound, and what follows from it."""
    step = f.lines[1 + f.header["root"]]
    step["bound"] = f.header["lower"] = f.times(step["bound"])


def _upper(f: Forgery) -> None:
    f.header["upper"] = f.times(f.header["upper"])


def _parameter(f: Forgery) -> None:
    """What leaves lose."""
    header = f.header
    if "quantiles" in header:
        at = int(f.rng.integers(len(header["quantiles"])))
        header["quantiles"][at] = f.pick([0.05, 0.3, 0.6])
    elif "smoothing" in header and header["loss"] in ("log_loss", "gini"):
        header["smoothing"] = f.pick([0.0, 0.5, 3.0])
    elif "lines" in header:
        columns, n = header["lines"]["columns"], len(header["features"])
        if f.rng.random() < 0.6:
            header["lines"]["ridge"] = f.pick([1e-9, 1e-3, 0.7, 5.0])
        elif len(columns) > 1:
            columns.remove(f.pick(columns))
        elif missing := [c for c in range(n) if c not in columns]:
            columns.append(f.pick(missing))
        else:
            header["loss"] = "squared_error"
    elif "shape" in header:
        header["shape"] = f.pick(["tree", "list"])
    else:
        header["loss"] = "squared_error"
    f.repair()


def _direction(f: Forgery) -> None:
    f.pick(f.header["features"])["monotone"] = int(f.rng.integers(-1, 2))


def _limits(f: Forgery) -> None:
    """The header's limits, or those of a step."""
    if f.rng.random() < 0.5:
        f.header[f.pick(["max_depth", "max_splits"])] = f.pick([None, 1, 2, 5])
    elif f.rng.random() < 0.5:
        f.header["min_samples_leaf"] = f.pick([1, 2, 3])
    else:
        f.step()[f.pick(["depth", "splits"])] = f.pick([None, 1, 2, 3])


def _penalty(f: Forgery) -> None:
    header, factor = f.header, f.pick([0.5, 0.9, 1.5])
    header["split_penalty"] = header["split_penalty"] * factor + 0.001
    if f.rng.random() < 0.7 and not isinstance(header["upper"], int):
        everything = (1 << len(f.problem.rows_of_proof()[0])) - 1
        unit = float(f.problem.leaf(header)(everything))
        if header["loss"] in ("log_loss", "gini"):
            unit = float(f.problem.rows_of_proof()[1].sum())
        cost = header["split_penalty"] * unit
        header["split_cost"] = header["search_split_cost"] = cost
        f.repair()


def _citation(f: Forgery) -> None:
    """A citation is left out, or another one, or a claim of its own."""
    step = f.step()
    if not step.get("uses"):
        return
    use = f.pick(step["uses"])
    kind = f.rng.random()
    if kind < 0.3:
        step["uses"].remove(use)
    elif kind < 0.5:
        use[0] += f.pick([-1, 1])
    elif kind < 0.8:
        use[f.pick([1, 2])] = [int(f.rng.integers(-1, len(f.lines)))]
    else:
        use[f.pick([1, 2])] = [[f.times(f.pick(f.lines[1:])["bound"])]]


def _threshold(f: Forgery) -> None:
    """Another cut of the tree, or of the branch of a step."""
    splits = [node for node in f.nodes() if "test" in node]
    branch = f.step()["branch"]
    if branch and f.rng.random() < 0.5:
        at = int(f.rng.integers(len(branch)))
        branch[at] = 1 - branch[at] if at % 2 else branch[at] + f.pick([-1, 1])
    elif splits:
        f.pick(splits)["test"] += f.pick([-1, 1])
        if f.rng.random() < 0.5:
            f.repair()


def _prediction(f: Forgery) -> None:
    node = f.pick([node for node in f.nodes() if "predict" in node])
    told = node["predict"]
    if not isinstance(told, list):
        node["predict"] = 1 - told
    elif len(told) == 3 and "lines" in f.header:
        at = int(f.rng.integers(3))
        other = int(f.rng.integers(len(f.header["features"])))
        told[at] = other if at == 1 else told[at] * f.pick([1.01, 0.7, -1.0])
    else:
        at = int(f.rng.integers(len(told)))
        told[at] += f.pick([0.01, 0.3, -0.2])
    if f.rng.random() < 0.5:
        f.repair()


def _missing_step(f: Forgery) -> None:
    at = int(f.rng.integers(1, len(f.lines)))
    del f.lines[at]
    f.header["root"] = min(f.header["root"], max(len(f.lines) - 2, 0))


def _data(f: Forgery) -> None:
    """Another weight, target or cell, with the fingerprint that belongs to it."""
    p, i = f.problem, int(f.rng.integers(len(f.problem.X)))
    X, y, weight = p.X.copy(), p.y.copy(), p.weight.copy()
    kind = f.pick(["weight", "target", "cell"])
    if kind == "weight":
        weight[i] *= 2.0
    elif kind == "target":
        y[i] = y[int(f.rng.integers(len(y)))]
    else:
        X[i, int(f.rng.integers(X.shape[1]))] = float(f.rng.integers(0, 4))
    f.problem = replace(p, X=X, y=y, weight=weight, model=copy.deepcopy(p.model))
    try:
        other = proved(f.problem, f.folder)[1][0]
    except ValueError:  # no table to fit a tree to
        f.problem = p
        return
    if other.get("classes") != f.header.get("classes"):
        f.problem = p
        return
    for key in ("fingerprint", "n_rows", "split_cost", "search_split_cost"):
        f.header[key] = other[key]
    f.repair()
    f.what = kind


CHANGES = (
    *(_bound, _root, _root, _upper, _parameter, _direction, _limits, _penalty),
    *(_citation, _threshold, _prediction, _missing_step, _data),
)


def forge(
    problem: LeafProblem, lines: Lines, rng: np.random.Generator, folder: Path
) -> Forgery:
    """Change one claim, one parameter, one citation or one number of the data."""
    forgery = Forgery(problem, copy.deepcopy(lines), rng, folder)
    while len(lines) > 1:
        change = forgery.pick(CHANGES)
        change(forgery)
        if len(forgery.lines) > 1:
            forgery.what = f"{change.__name__[1:]} {forgery.what}"
            return forgery
        forgery.lines = copy.deepcopy(lines)
    return forgery
