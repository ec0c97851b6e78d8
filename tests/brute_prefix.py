"""Brute force over all trees with a given top, in plain Python."""

import math
from functools import cache
from itertools import pairwise


class Brute:
    """The least cost of trees on a small table.

    `columns` are lists of numbers, of text, or of either with None for missing values;
    `loss` maps a tuple of rows to the loss of a leaf on them.
    """

    def __init__(self, columns, loss, penalty, *, either=True, min_leaf=1):
        self.columns, self.loss, self.penalty = columns, loss, penalty
        self.either, self.min_leaf = either, min_leaf
        self.free = cache(self._free)

    def tests(self, column, rows):
        """Yield (cut, {side: rows}) for every test; sides are yes, no or categories."""
        x = self.columns[column]
        gone = [r for r in rows if x[r] is None]
        there = [r for r in rows if x[r] is not None]
        if all(v is None or not isinstance(v, str) for v in x):
            known = sorted({x[r] for r in range(len(x)) if x[r] is not None})
            for low, high in pairwise(known):
                yes = [r for r in there if x[r] <= low]
                no = [r for r in there if x[r] > low]
                for side in ("yes", "no") if gone else ("",):
                    parts = {"yes": yes, "no": no}
                    if side:
                        parts[side] = parts[side] + gone
                    yield ("threshold", low, high, side), parts
            if None in x:
                yield ("missing",), {"yes": gone, "no": there}
            return
        values = sorted({v for v in x if v is not None})
        values += [None] if None in x else []
        yield ("multiway",), {v: [r for r in rows if x[r] == v] for v in values}
        if self.either and len(values) > 2:
            for v in values:
                parts = {"yes": [r for r in rows if x[r] == v]}
                parts["no"] = [r for r in rows if x[r] != v]
                yield ("category", v) if v is not None else ("missing",), parts

    def leaf(self, rows):
        return self.loss(rows) if len(rows) >= self.min_leaf else math.inf

    def split(self, parts, below, splits):
        """Return the cost of a split whose parts are solved by `below`."""
        parts = {side: tuple(sorted(rows)) for side, rows in parts.items() if rows}
        if len(parts) < 2 or splits == 0:
            return math.inf
        paid = self.penalty * (len(parts) - 1)
        if splits is None:
            return paid + sum(below(side, rows, None) for side, rows in parts.items())
        costs = [0.0] * splits
        for side, rows in parts.items():
            own = [below(side, rows, s) for s in range(splits)]
            costs = [
                min(costs[k - s] + own[s] for s in range(k + 1)) for k in range(splits)
            ]
        return costs[-1] + paid

    def _free(self, rows, depth, splits, allowed):
        best = self.leaf(rows)
        if depth == 0 or splits == 0:
            return best
        for column in range(len(self.columns)):
            if allowed is not None and column not in allowed:
                continue
            for _, parts in self.tests(column, rows):
                cost = self.split(
                    parts, lambda _, r, s: self.free(r, depth - 1, s, allowed), splits
                )
                best = min(best, cost)
        return best

    def best(self, top, rows, depth, splits, allowed=None):
        """Return the least cost of a tree that begins with a given partial tree."""
        if top is None:
            return self.free(tuple(rows), depth, splits, allowed)
        if top == "leaf":
            return self.leaf(rows)
        if "allowed_features" in top:
            own = frozenset(top["allowed_features"])
            allowed = own if allowed is None else own & allowed
        if "feature" not in top:
            return self.free(tuple(rows), depth, splits, allowed)
        if depth == 0:
            return math.inf
        best = math.inf
        for cut, parts in self.tests(top["feature"], rows):
            for names in self.names(top, cut, parts):

                def below(side, part, s, names=names):
                    inside = names.get(side)
                    return self.best(inside, part, depth - 1, s, allowed)

                best = min(best, self.split(parts, below, splits))
        return best

    def names(self, top, cut, parts):
        """Yield the subtrees below each side, for every way to satisfy a test."""
        sides = {"yes": top.get("yes"), "no": top.get("no")}
        asks = [k for k in ("threshold", "category", "test", "children") if k in top]
        if cut[0] == "threshold" and top.get("missing") not in (None, cut[3]):
            return
        if not asks:
            if "yes" not in top and "no" not in top and "missing" not in top:
                yield {}
            elif cut[0] in ("threshold", "category"):
                yield sides
            elif cut[0] == "multiway" and len(parts) == 2:
                a, b = parts
                yield {a: sides["yes"], b: sides["no"]}
                yield {b: sides["yes"], a: sides["no"]}
        elif asks == ["threshold"]:
            if cut[0] == "threshold" and cut[1] <= top["threshold"] < cut[2]:
                yield sides
        elif asks == ["category"]:
            known = {v for v in self.columns[top["feature"]] if v is not None}
            if cut == ("category", top["category"]):
                yield sides
            elif cut[0] == "category" and known == {cut[1], top["category"]}:
                yield {"yes": sides["no"], "no": sides["yes"]}  # missing with yes
            elif cut[0] == "multiway" and len(parts) == 2 and top["category"] in parts:
                (other,) = set(parts) - {top["category"]}
                yield {top["category"]: sides["yes"], other: sides["no"]}
        elif asks == ["test"] and cut[0] == "missing":
            yield sides
        elif asks == ["children"] and cut[0] == "multiway":
            yield dict(top["children"])
