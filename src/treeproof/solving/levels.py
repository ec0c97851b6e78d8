"""Levels of depth for searches that do not climb by themselves.

Some problems are solved by a search that knows one depth limit only: trees of a
restricted shape, trees with a given top, lines in leaves, constraints, ratios. `climb`
runs such a search again and again within one time limit: for the whole problem, and
for trees of depth 1, 2, 3, ..., so that a fit that is stopped says what was proved
about each depth.

The whole problem comes first, for a moment: a fit that is proved at once needs nothing
else. Then levels and the whole problem take turns in slices that grow by a constant
factor, since every search starts anew. In the last turn the levels get half of the time
that is left, and the whole problem gets the rest. Trees and bounds are shared: a tree
counts for every level that is not flatter than it, and a bound for every level that is
not deeper than its own.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from treeproof.border.partial_tree import deepest_of
from treeproof.kinds import LEAF
from treeproof.solving.answer import Answer, LevelAnswer, Share
from treeproof.solving.certificates import any_depth
from treeproof.solving.observers import Observer
from treeproof.tree.split_table import SplitTable

__all__ = [
    "LevelSearch",
    "climb",
    "climb_task",
    "levels_below",
    "levels_of",
    "table_depth",
]

LevelSearch = Callable[[int | None, float | None, Answer | None], Answer]
"""Searches trees of a maximum depth for some seconds (None: no limit).

The third argument is the best answer so far for such trees, or None. The answer's
``upper`` is infinite if no tree was found.
"""

Told = Callable[[str, Any], None]

_FLAT = 3  # trees of this depth are proved fast on most tables, and need no levels
_DEEPEST = 64
_MOMENT = 1.0  # seconds for the whole problem before the first level
_MOMENT_SHARE = 0.1  # of the time limit, if that is less
_GROWTH = 4.0  # of the slices
_LAST_TURN = 6.0  # the turn is the last if less than this many slices would be left
_DEEPER = 0.7  # share of the levels' time in which deeper levels are tried
_SHORTEST = 1e-3  # seconds of a search


def levels_below(
    max_depth: int | None, max_splits: int | None = None, first: int = 1
) -> range:
    """Return the levels to prove besides the whole problem.

    There are none if no tree is deeper than three. A tree with k splits has at most
    depth k.

    Examples
    --------
    >>> list(levels_below(5)), list(levels_below(None, max_splits=3))
    ([1, 2, 3, 4], [])
    """
    deepest = min(any_depth(max_depth), any_depth(max_splits), _DEEPEST)
    return range(first, int(deepest)) if deepest > _FLAT else range(0)


def levels_of(task: Any) -> range:
    """Return the levels to prove besides a task; a given top needs its own depth."""
    first = 1 if task.prefix is None else max(1, deepest_of(task.prefix.root))
    splits = min(any_depth(task.max_splits), task.table.n_rows - 1)
    return levels_below(task.max_depth, int(splits), first)


def table_depth(splits: SplitTable) -> int:
    """Return the depth of a tree.

    Examples
    --------
    >>> from treeproof.tree.split_table import leaf_table
    >>> table_depth(leaf_table())
    0
    """
    depths = [0] * len(splits["kind"])
    for node, kind in enumerate(splits["kind"]):  # parents come first
        first, n = int(splits["first_child"][node]), int(splits["n_children"][node])
        if kind != LEAF:
            for child in splits["children"][first : first + n]:
                depths[child] = depths[node] + 1
    return max(depths)


def climb(
    search: LevelSearch,
    *,
    max_depth: int | None,
    levels: Sequence[int],
    time_limit: float | None = None,
    told: Told | None = None,
    deepens: bool = False,
) -> Answer:
    """Return the answer to a problem, with certificates of its levels.

    Parameters
    ----------
    search : LevelSearch
        Solves the problem for one maximum depth.
    max_depth : int or None
        The depth limit of the whole problem.
    levels : sequence of int
        The levels, see `levels_below`; if there are none, the whole problem is solved
        once.
    time_limit : float or None
        The time for all searches together, in seconds.
    told : callable or None
        Called with "level" and a `LevelAnswer` when a level is settled, and with "tree"
        when there is a better one.
    deepens : bool
        Whether the search of the whole problem proves one depth after the other by
        itself. Then only shallow levels have searches of their own, and the statistics
        of an answer say up to which depth no tree is better (``searched_depth``).
    """
    if not levels:
        return search(max_depth, time_limit, None)
    tried = _FLAT if deepens else _DEEPEST
    return _Climb(search, max_depth, levels, time_limit, told or _silent, tried).run()


def _silent(kind: str, news: Any) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class _Known:
    """A tree that was found."""

    depth: int
    answer: Answer

    @property
    def upper(self) -> Any:
        return self.answer["upper"]


class _Climb:
    def __init__(
        self,
        search: LevelSearch,
        max_depth: int | None,
        levels: Sequence[int],
        time_limit: float | None,
        told: Told,
        tried: int,
    ) -> None:
        self._search, self._told = search, told
        self._tried = tried  # deeper levels have no searches of their own
        self._whole, self._levels = max_depth, list(levels)
        self._limit, self._begun = time_limit, time.perf_counter()
        self._trees: list[_Known] = []
        self._lower: dict[float, Any] = {}
        self._settled: dict[int, float] = {}  # level, and when it was proved or left
        self._shares: list[Share] = []
        self._statistics: dict[str, Any] = {}
        self._last: Answer | None = None  # the last answer for the whole problem
        self._next = 0  # the level to prove, as an index
        self._stopped = ""

    def run(self) -> Answer:
        try:
            self._take_turns()
        except KeyboardInterrupt:
            if self._last is None:
                raise
            self._stopped = "interrupted"
        return self._answer()

    def _take_turns(self) -> None:
        part = _MOMENT
        if self._limit is not None:
            part = min(part, _MOMENT_SHARE * self._limit)
        self._ask(self._whole, part)
        while not self._over():
            left, following = self._left(), _GROWTH * part
            last = left is not None and left - part < _LAST_TURN * following
            if self._stopped == "memory_limit":  # a search would end in the same way
                self._prove_levels(following)
                return
            self._prove_levels(left / 2 if last and left is not None else part)
            if self._over():
                return
            if last or not self._to_prove():
                self._ask(self._whole, self._left())
                return
            part = following
            self._ask(self._whole, part)

    def _prove_levels(self, seconds: float) -> None:
        """Prove one level after the other for some seconds."""
        begun = time.perf_counter()
        while self._to_prove() and not self._over():
            level = self._levels[self._next]
            part = seconds if level <= _FLAT else _DEEPER * seconds
            left = begun + part - time.perf_counter()
            if left <= _SHORTEST:
                return
            answer = self._ask(level, left)
            if answer["status"] == "memory_limit":
                self._next = len(self._levels)
            elif not self._closed(level):
                if answer["status"] == "time_limit":
                    return
                self._next += 1  # more time does not help

    def _to_prove(self) -> bool:
        """Whether there is a level that has to be searched."""
        while self._next < len(self._levels):
            level = self._levels[self._next]
            if not self._closed(level):
                return level <= self._tried
            self._settle(level)
        return False

    def _ask(self, depth: int | None, seconds: float | None) -> Answer:
        """Search trees of a maximum depth, and keep what was found and proved."""
        begun = time.perf_counter()
        if seconds is not None:
            seconds = max(seconds, _SHORTEST)
        key = any_depth(depth)
        whole = depth == self._whole
        answer = self._search(depth, seconds, self._best(key))
        lower = answer["lower"]
        self._lower[key] = max(self._lower.get(key, lower), lower)
        before = self._upper(any_depth(self._whole))
        if answer["upper"] < math.inf:
            self._trees.append(_Known(table_depth(answer["tree"]), answer))
            if answer["upper"] < before:
                self._told("tree", {"tree": answer["tree"], "upper": answer["upper"]})
        for name, value in answer["statistics"].items():
            old = self._statistics.get(name)
            number = isinstance(value, int | float) and old is not None
            self._statistics[name] = old + value if number else value
        self._shares.append(
            {
                "engine": str(self._statistics.get("engine", "restricted")),
                "role": "whole" if whole else "depth",
                "max_depth": depth,
                "seconds": time.perf_counter() - begun,
            }
        )
        if answer["status"] == "interrupted":
            self._stopped = "interrupted"
        if whole:
            self._last = answer
            if self._tried < _DEEPEST and answer["status"] != "optimal":
                self._note_depth(answer)
            if answer["status"] == "memory_limit":
                self._stopped = "memory_limit"
        return answer

    def _note_depth(self, answer: Answer) -> None:
        """Record the depth up to which a search that deepens has proved its tree."""
        depth = answer["statistics"].get("searched_depth", 0)
        if depth in self._levels:
            known = self._lower.get(depth, answer["lower"])
            self._lower[depth] = max(known, answer["upper"])

    # --------------------------------------------------------------- what is known

    def _least(self, depth: float) -> Any:
        """Return a bound on the cost of all trees of this depth."""
        return max(lower for key, lower in self._lower.items() if key >= depth)

    def _best(self, depth: float) -> Answer | None:
        """Return the first of the best answers whose trees have at most this depth."""
        known = [k for k in self._trees if k.depth <= depth]
        return min(known, key=lambda k: k.upper).answer if known else None

    def _upper(self, depth: float) -> Any:
        best = self._best(depth)
        return math.inf if best is None else best["upper"]

    def _closed(self, level: int) -> bool:
        """Whether a level is proved.

        For a shallow level, its own best tree has to be found. For a deeper one it is
        enough that none of its trees costs less than the best tree of any depth.
        """
        rivals = level if level <= _FLAT else any_depth(self._whole)
        return bool(self._least(level) >= self._upper(rivals))

    def _over(self) -> bool:
        """Whether the whole problem is proved, or there is no time left."""
        if self._stopped == "interrupted" or self._proved():
            return True
        left = self._left()
        return left is not None and left <= _SHORTEST

    def _proved(self) -> bool:
        """Whether more time for the whole problem is of no use."""
        assert self._last is not None
        if self._last["status"] not in ("time_limit", "memory_limit"):
            return True
        whole = any_depth(self._whole)
        return bool(self._least(whole) >= self._upper(whole))

    def _left(self) -> float | None:
        if self._limit is None:
            return None
        return self._limit - (time.perf_counter() - self._begun)

    # ---------------------------------------------------------------------- results

    def _settle(self, level: int) -> None:
        self._settled[level] = time.perf_counter() - self._begun
        self._next += 1
        if self._best(level) is not None:
            self._told("level", self._level(level, self._settled[level]))

    def _level(self, depth: int | None, seconds: float) -> LevelAnswer:
        """Return what is known about the trees of a level."""
        key = any_depth(depth)
        best = self._best(key)
        assert best is not None
        tree, upper = best["tree"], best["upper"]
        lower = min(self._least(key), upper)
        splits = int((tree["kind"] != LEAF).sum())
        return {
            "max_depth": depth,
            "lower": lower,
            "upper": upper,
            "optimal": bool(lower >= upper),
            "seconds": seconds,
            "n_splits": splits,
            "n_leaves": len(tree["kind"]) - splits,
            "tree": tree,
            "unit": best["unit"],
        }

    def _answer(self) -> Answer:
        """Return the best answer, with what was proved about each level."""
        assert self._last is not None
        if self._last["status"] != "optimal":
            self._to_prove()  # settles what the last search has proved
        seconds = time.perf_counter() - self._begun
        best = self._last
        optimal = best["status"] == "optimal"
        if not optimal:  # a tree of a level may be better
            known = self._best(any_depth(self._whole))
            if known is not None and known["upper"] < best["upper"]:
                best = known
        lower = min(self._least(any_depth(self._whole)), best["upper"])
        optimal = optimal or bool(lower >= best["upper"])
        status = self._stopped or self._last["status"]
        searched = [
            level for level in self._levels
            if level in self._lower or level in self._settled
        ]  # fmt: skip
        levels = [
            self._level(level, self._settled.get(level, seconds))
            for level in searched
            if self._best(level) is not None
        ]
        whole = [self._level(self._whole, seconds)] if self._trees else []
        answer: Any = {
            **best,
            "lower": best["upper"] if optimal else lower,
            "status": "optimal" if optimal else status,
            "seconds": seconds,
            "statistics": self._statistics,
            "certificates": [*levels, *whole],
            "shares": self._shares,
        }
        return answer  # type: ignore[no-any-return]


def climb_task(
    task: Any, run: Callable[[Any, Answer | None], Answer], *, deepens: bool = False
) -> Answer:
    """Return the answer to a task, with certificates of its levels.

    Parameters
    ----------
    task : Task or RegressionTask
        The problem.
    run : callable
        Solves the task with another ``max_depth`` and ``time_limit``; its second
        argument is the best answer so far for such trees, or None.
    deepens : bool
        Whether the search deepens by itself; see `climb`.
    """
    levels = levels_of(task)
    if not levels:
        return run(task, None)
    listener = _Listener(task.observer)

    def search(depth: int | None, seconds: float | None, best: Answer | None) -> Answer:
        whole = depth == task.max_depth
        part = replace(
            task,
            max_depth=depth,
            time_limit=seconds,
            observer=listener.of_search(whole),
            ladder=None,
        )
        answer = run(part, best)
        listener.end(answer, whole)
        return answer

    return climb(
        search,
        max_depth=task.max_depth,
        levels=levels,
        time_limit=task.time_limit,
        told=task.ladder,
        deepens=deepens,
    )


class _Listener:
    """Passes events of several searches on as events of one fit.

    What the search of a level proves is no bound for deeper trees.
    """

    def __init__(self, observer: Observer | None) -> None:
        self._observer = observer
        self._begun = time.perf_counter()
        self._lower, self._upper = 0.0, math.inf
        self._nodes = 0

    def of_search(self, whole: bool) -> Observer | None:
        """Return the observer of the next search."""
        if self._observer is None:
            return None
        before, nodes = time.perf_counter() - self._begun, self._nodes

        def tell(kind: int, seconds: float, low: float, high: float, n: int) -> None:
            self._nodes = nodes + n
            self._tell(kind, before + seconds, low if whole else 0.0, high)

        return tell

    def end(self, answer: Answer, whole: bool) -> None:
        """Tell what a search has ended with: some searches tell nothing themselves."""
        if self._observer is not None and answer["upper"] < math.inf:
            unit, seconds = answer["unit"], time.perf_counter() - self._begun
            low = float(answer["lower"] / unit) if whole else 0.0
            self._tell(0, seconds, low, float(answer["upper"] / unit))

    def _tell(self, kind: int, seconds: float, low: float, high: float) -> None:
        assert self._observer is not None
        self._upper = min(self._upper, high)
        self._lower = min(max(self._lower, low), self._upper)
        self._observer(kind, seconds, self._lower, self._upper, self._nodes)
