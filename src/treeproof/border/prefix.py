"""Reads the given top of a tree: a partial tree, which the search completes.

A partial tree is written as nested dictionaries with the words of the model files. None
leaves a node to the search, "leaf" forbids to split it, and a dictionary with a
"feature" is a split that the tree must have there. It has a "threshold", "category",
"categories" or "children"; without these, the search chooses the test of the column.

A split is translated to tests of the engine's columns. A single split may become
several tests, for example because missing values may go to either side; the search
chooses the best one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from treeproof.border.allowed import read_allowed
from treeproof.border.engine_columns import EngineTable, Meaning
from treeproof.border.names import known_columns
from treeproof.border.partial_tree import Choice, Closed, Given, Node, Open, Prefix
from treeproof.border.prefix_words import prefix_in_words
from treeproof.border.table import TrainingTable
from treeproof.columns import Column, plain
from treeproof.kinds import (
    ABSENT,
    EQUALS,
    MULTIWAY,
    NO,
    ONE_EACH,
    ONE_VS_REST,
    ORDERED,
    OWN,
    SUBSET,
    THRESHOLD,
    YES,
)
from treeproof.words import number

__all__ = ["first_split_prefix", "prefix_of", "read_prefix"]


_CUTS = ("threshold", "category", "categories", "test", "children")
_KEYS = ("feature", *_CUTS, "against", "missing", "yes", "no", "allowed_features")


def first_split_prefix(first_split: Any, table: TrainingTable) -> Prefix | None:
    """Return the prefix of trees whose first split tests a column; None for any."""
    column = table.number_of(first_split, "first_split")
    if column is None:
        return None
    if len(np.unique(table.codes[column])) < 2:
        raise ValueError(
            f"first_split={table.columns[column].name!r} is a column with one value "
            "only; it cannot be split on."
        )
    choices = tuple(Choice(k) for k in table.engine.of_column(column))
    root = Given(column, repr(table.columns[column].name), choices)
    return Prefix(root, "first_split")


def read_prefix(prefix: Any, table: TrainingTable) -> Prefix:
    """Return the given top of a tree as tests of the engine's columns.

    Parameters
    ----------
    prefix : dict
        A partial tree; see the module.
    table : TrainingTable
        The columns that it names.
    """
    reader = _Reader(table)
    root = reader.node(prefix, "prefix", None)
    return Prefix(root, "prefix", reader.cuts)


def prefix_of(model: Any, table: TrainingTable) -> Prefix | None:
    """Return the given top of an estimator's trees, or None.

    The given thresholds are stored in the table, so that the tree shows them as they
    were written.
    """
    given = getattr(model, "prefix", None)
    if given is None:
        return first_split_prefix(model.first_split, table)
    prefix = read_prefix(given, table)
    table.given_cuts.update(prefix.cuts)
    return prefix


class _Reader:
    def __init__(self, table: TrainingTable) -> None:
        self._table = table
        self._names = [column.name for column in table.columns]
        self.cuts: dict[tuple[int, int], float] = {}

    def node(self, given: Any, where: str, allowed: frozenset[int] | None) -> Node:
        """Read a node; `allowed` are the columns that may be tested there and below."""
        if given is None:
            return Open(allowed)
        if isinstance(given, str) and given == "leaf":
            return Closed()
        if not isinstance(given, Mapping):
            raise TypeError(
                f'{where} is {given!r}; write None, "leaf", or a dictionary such as '
                '{"feature": "age", "threshold": 30}.'
            )
        for key in given:
            if key not in _KEYS:
                raise ValueError(
                    f"{where} has the key {key!r}; the keys are {', '.join(_KEYS)}."
                )
        if "allowed_features" in given:
            own = read_allowed(given["allowed_features"], self._names)
            allowed = own if allowed is None else own & allowed
        if "feature" not in given:
            rest = [key for key in given if key != "allowed_features"]
            if rest:
                raise ValueError(f'{where} has a {rest[0]!r} but no "feature".')
            return Open(allowed)
        return self._split(given, where, allowed)

    def _split(
        self, given: Mapping[str, Any], where: str, allowed: frozenset[int] | None
    ) -> Given:
        number_of = self._table.number_of
        column = number_of(given["feature"], f'{where}["feature"]')
        assert column is not None
        if not self._table.is_allowed(column):
            raise ValueError(
                f"{where} splits on {self._names[column]!r}, which is not among "
                "allowed_features."
            )
        cuts = [key for key in _CUTS if key in given]
        if len(cuts) > 1:
            raise ValueError(f"{where} has both {cuts[0]!r} and {cuts[1]!r}; use one.")
        cut = cuts[0] if cuts else ""
        for side in ("yes", "no"):
            if side in given and cut == "children":
                raise ValueError(
                    f'{where} has "children" for categories and {side!r}; use one.'
                )
        place = _Place(given, where, column, self._table.columns[column], allowed)
        choices = tuple(getattr(self, f"_of_{cut or 'feature'}")(place))
        words = prefix_in_words(given, self._names)
        if not choices:
            raise ValueError(
                f"{where} asks for {words}, which is not a split of column "
                f"{place.about.name!r} with "
                f'categorical_split="{self._table.categorical_split}" and '
                f'missing="{self._table.missing}".'
            )
        return Given(column, words, choices)

    def _below(self, place: _Place, side: str) -> Node:
        inside = place.given.get(side)
        return self.node(inside, f'{place.where}["{side}"]', place.allowed)

    def _sides(self, place: _Place) -> dict[int, Node]:
        """Return what is below yes, no and a branch of missing values."""
        missing = place.given.get("missing")
        own = None if isinstance(missing, str) else missing
        return {
            YES: self._below(place, "yes"),
            NO: self._below(place, "no"),
            OWN: self.node(own, f'{place.where}["missing"]', place.allowed),
        }

    # ------------------------------------------------------------------ splits

    def _of_threshold(self, place: _Place) -> Iterator[Choice]:
        threshold = place.given["threshold"]
        if place.about.is_categorical:
            raise ValueError(
                f"{place.where} has a threshold, but column {place.about.name!r} holds "
                'categories; write "category" or "categories".'
            )
        if isinstance(threshold, bool) or not isinstance(threshold, Real):
            raise TypeError(f"{place.where} has the threshold {threshold!r}.")
        values = self._table.distinct[place.column]
        cut = float(threshold)
        wanted = int(np.searchsorted(values, cut, side="right")) - 1
        if not 0 <= wanted < len(values) - 1:
            raise ValueError(
                f"{place.where} asks for {place.about.name} <= {number(cut)}, but the "
                f"values of the training rows are {number(float(values[0]))} to "
                f"{number(float(values[-1]))}, all on one side."
            )
        if self.cuts.setdefault((place.column, wanted), cut) != cut:
            raise ValueError(
                f"prefix has the thresholds {number(cut)} and "
                f"{number(self.cuts[place.column, wanted])} on {place.about.name!r}, "
                "between which no training row lies; use one of them."
            )
        sides = self._sides(place)
        for k in self._table.engine.of_column(place.column):
            for code in (wanted, wanted + 1):
                meaning = _meaning(self._table.engine, k, code)
                if meaning is None or meaning.kind != THRESHOLD:
                    continue
                if meaning.code == wanted and place.accepts(meaning.missing):
                    yield Choice(k, (_own_code(self._table.engine, k, code),), sides)
                    break

    def _of_category(self, place: _Place) -> Iterator[Choice]:
        return self._parts(place, [place.given["category"]])

    def _of_categories(self, place: _Place) -> Iterator[Choice]:
        chosen = place.given["categories"]
        if isinstance(chosen, str) or not hasattr(chosen, "__iter__"):
            raise TypeError(
                f"{place.where} has the categories {chosen!r}; give a list."
            )
        return self._parts(place, list(chosen))

    def _parts(self, place: _Place, chosen: list[Any]) -> Iterator[Choice]:
        """Return the tests that separate some categories from the others."""
        codes = frozenset(place.code_of(category) for category in chosen)
        assert place.about.categories is not None
        n = len(place.about.categories)
        rest = frozenset(range(n)) - codes
        against = place.given.get("against")
        if against is not None:
            rest = frozenset(place.code_of(category) for category in against)
        sides = self._sides(place)
        for k, code, meaning in _tests(self._table.engine, place.column):
            outcomes = _outcomes(meaning, place.about)
            below: dict[int, Node] = {}
            for outcome, inside in outcomes.items():
                values = inside & (codes | rest)
                side = YES if values == codes else NO if values == rest else OWN
                own = self._table.missing == "branch" and inside <= {n}
                if side == OWN and (values or not own):
                    break
                if n in inside and not place.accepts(side):
                    break
                below[outcome] = sides[side]
            else:
                yield Choice(k, (code,), below)

    def _of_test(self, place: _Place) -> Iterator[Choice]:
        if place.given["test"] != "missing":
            raise ValueError(
                f"{place.where} has the test {place.given['test']!r}; the only one is "
                '"missing".'
            )
        sides = self._sides(place)
        for k, code, meaning in _tests(self._table.engine, place.column):
            if meaning.kind == ABSENT:
                meant = meaning.outcomes
                below = {e: sides[meant.get(e, (e,))[0]] for e in (YES, NO)}
                yield Choice(k, (code,), below)

    def _of_children(self, place: _Place) -> Iterator[Choice]:
        children = place.given["children"]
        if not isinstance(children, Mapping):
            raise TypeError(
                f"{place.where} has the children {children!r}; give a dictionary of "
                "categories."
            )
        below = {
            place.code_of(category): self.node(
                inside, f'{place.where}["children"][{category!r}]', place.allowed
            )
            for category, inside in children.items()
        }
        for k, code, meaning in _tests(self._table.engine, place.column):
            if meaning.kind == MULTIWAY:
                yield Choice(k, (code,), below, Open(place.allowed))

    def _of_feature(self, place: _Place) -> Iterator[Choice]:
        """Return all tests of a column; two-way tests if "yes" or "no" is given."""
        engine = self._table.engine
        if not any(side in place.given for side in ("yes", "no", "missing")):
            for k in engine.of_column(place.column):
                yield Choice(k, None, {}, Open(place.allowed))
            return
        sides = self._sides(place)
        swapped = {YES: sides[NO], NO: sides[YES], OWN: sides[OWN]}
        for k in engine.of_column(place.column):
            found = [
                (code, m)
                for column, code, m in _tests(engine, place.column, k)
                if column == k and m.kind != ABSENT and place.accepts(m.missing)
            ]
            if not found:
                continue
            if found[0][1].kind != MULTIWAY:
                yield Choice(k, tuple(code for code, _ in found), sides)
            # Either category may be the one for "yes".
            elif int(engine.n_values[k]) == 2:
                yield Choice(k, (-1,), sides)
                yield Choice(k, (-1,), swapped)


@dataclass
class _Place:
    """A split of the partial tree."""

    given: Mapping[str, Any]
    where: str
    column: int
    about: Column
    allowed: frozenset[int] | None

    def accepts(self, missing: int) -> bool:
        """Whether the partial tree allows that missing values go to a side."""
        said = self.given.get("missing")
        if not isinstance(said, str) or not self.about.has_missing:
            return True
        if said not in ("yes", "no"):
            raise ValueError(
                f'{self.where} sends missing values to {said!r}; write "yes" or "no".'
            )
        return missing == (YES if said == "yes" else NO)

    def code_of(self, category: Any) -> int:
        """Return the code of a category."""
        if self.about.categories is None:
            raise ValueError(
                f"{self.where} has the category {category!r}, but column "
                f'{self.about.name!r} holds numbers; write "threshold".'
            )
        known = [plain(value) for value in self.about.categories]
        if plain(category) in known:
            return known.index(plain(category))
        if isinstance(category, str) and category in map(str, known):
            return list(map(str, known)).index(category)  # keys of a JSON file are text
        words = known_columns(str(category), [str(value) for value in known])
        words = words.replace("he columns are", "he categories are")
        raise ValueError(
            f"{self.where} has {category!r}, which is not a category of column "
            f"{self.about.name!r}; {words}"
        )


def _tests(
    engine: EngineTable, column: int, only: int | None = None
) -> Iterator[tuple[int, int, Meaning]]:
    """Return every test of a column: the engine's column, its code, and its meaning."""
    for k in engine.of_column(column):
        if only is not None and k != only:
            continue
        last = int(engine.n_values[k]) - (engine.kinds[k] == ORDERED)
        for code in (-1,) if engine.kinds[k] == ONE_EACH else range(last):
            meaning = _meaning(engine, k, code)
            assert meaning is not None
            yield k, code, meaning


def _own_code(engine: EngineTable, column: int, code: int) -> int:
    return -1 if engine.kinds[column] == ONE_EACH else code


def _meaning(engine: EngineTable, column: int, code: int) -> Meaning | None:
    """Return the meaning of a test; None if the column has no such code."""
    kind = int(engine.kinds[column])
    last = int(engine.n_values[column]) - (kind == ORDERED)
    if kind != ONE_EACH and not 0 <= code < last:
        return None
    if engine.columns is not None:
        return engine.columns[column].meaning(code)
    if kind == ORDERED:
        return Meaning(THRESHOLD, code, NO)
    return Meaning(EQUALS, code, NO) if kind == ONE_VS_REST else Meaning(MULTIWAY)


def _outcomes(meaning: Meaning, about: Column) -> dict[int, frozenset[int]]:
    """Return the values for which each outcome of the engine stands."""
    assert about.categories is not None
    n = len(about.categories)
    gone = {n} if about.has_missing else set()
    everything = set(range(n)) | gone
    if meaning.kind == MULTIWAY:
        return {value: frozenset({value}) for value in everything}
    if meaning.kind == SUBSET:
        return {e: frozenset(codes) for e, codes in meaning.outcomes.items()}
    if meaning.kind == EQUALS:
        yes = {meaning.code} | (gone if meaning.missing == YES else set())
        parts = {YES: yes, NO: everything - yes}
        if meaning.missing == OWN:
            parts = {YES: yes, NO: everything - yes - gone, OWN: gone}
        return {e: frozenset(values) for e, values in parts.items()}
    sides = {YES: frozenset(gone), NO: frozenset(everything - gone)}
    return {e: sides[meaning.outcomes.get(e, (e,))[0]] for e in (YES, NO)}
