"""Finds columns that identify single rows, such as names or customer numbers.

In such a column (a customer number, a name, a date, a remark), nearly every row has a
value of its own. A split on it memorises the training rows and is useless for new rows.
`row_names` finds such columns in a table. `fit` warns about them; the command line and
the explorer leave them out unless they are told to keep them.

The limit was chosen from the 2,966 text columns of 1,570 of R's data sets. There is a
gap around one value for every two rows: 393 columns have more values than that, nearly
all of them names, dates and remarks, and only 43 have .3 to .5 values per row; below
that are countries, schools and makers, which are groups of rows. A column of dates is
useless with far fewer values, since new rows bring new dates. Small tables are not
checked: with a few dozen rows a useful column may look like a name by chance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.categorical import is_categorical
from treeproof.border.date_texts import date_layouts
from treeproof.border.marks import is_usual
from treeproof.border.query_names import query_name
from treeproof.border.raw import RawTable, read_raw_table
from treeproof.border.text import TextColumn

__all__ = [
    "MANY",
    "CountedColumn",
    "RowNames",
    "counted_row_names",
    "is_named_like_numbers_of_rows",
    "repairing_query",
    "row_names",
    "row_names_of",
]

MANY = 0.5  # distinct categories divided by rows
_FEW_ROWS = 50
_FEWEST = 10  # for columns whose name suggests that they number the rows
# columns with fewer dates may hold months or years, which are useful categories
_MANY_DATES = 20
_MANY_WORDS = 5  # words in the typical value of a column of free text
# share of the rows; used when the number of distinct values is an estimate
_NEARLY_ALL = 0.9
_LOOKED_AT = 200  # number of values examined to recognise dates and sentences

# "$1,234.50", "€ 12", "12.5%", "1,234": numbers with signs that make them text
_AMOUNT = re.compile(
    r"[-+]?[$€£¥]? ?[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)? ?[%$€£¥]?"
)
# "1.234,50 €", "12,5 %", "1 234,5": the same with a decimal comma
_COMMA_AMOUNT = re.compile(
    r"[-+]?[$€£¥]? ?[-+]?(?:\d{1,3}(?:[. \u00a0\u202f]\d{3})+|\d+)(?:,\d+)?"
    r"[ \u00a0\u202f]?[%$€£¥]?"
)

# "id", "rownames", "customer_id", "PassengerId", "Unnamed: 0", but not "paid".
_NUMBERING = re.compile(
    r"(?i:id|ids|row[ _.]?names?|row[ _.]?(?:id|no|nr|num|number)|index|unnamed: 0"
    r"|(?:case|obs|observation|record|serial|sample)(?:[ _.]?(?:no|nr|num|number))?)"
    r"|.*[ _.-](?i:id)|.*[a-z](?:Id|ID)"
)

# A column that counts days from 1 on is a time, for which thresholds make sense.
_TIMES = re.compile(r"(?i)t|time|age|rank|.*(?:day|week|month|quarter|year|hour).*")


@dataclass(frozen=True)
class RowNames:
    """A column that identifies the rows.

    Attributes
    ----------
    name : str
        The column.
    kind : {"categories", "numbers", "text", "text dates", "text numbers", "dates", \
            "durations"}
        The content: names, row numbers, sentences, dates written as text, numbers with
        signs such as "$" that make them text, dates, or durations.
    n_values, n_rows : int
        The number of distinct values, and the number of rows.
    example : str
        One of its values, in quotation marks if it is text.
    layout : str
        The format of the dates, in the notation of `datetime.strptime`; of numbers
        written as text "," if they have a decimal comma.
    gaps : bool
        Whether some cells of numbers written as text are marks of missing values.
    other_layout : str
        The format of the dates if the day and the month change places, where both fit.
    """

    name: str
    kind: str
    n_values: int
    n_rows: int
    example: str = ""
    layout: str = ""
    gaps: bool = False
    other_layout: str = ""

    @property
    def is_usable(self) -> bool:
        """Whether a tree can split on it at all."""
        return self.kind not in ("dates", "durations")

    @property
    def finding(self) -> str:
        """The finding, as a phrase that follows the name of the column in a message."""
        values, rows = f"{self.n_values:,}", f"{self.n_rows:,} rows"
        example = f" such as {self.example}" if self.kind.startswith("text") else ""
        return {
            "categories": f"has {values} categories in {rows}",
            "numbers": f"has a number of its own for each of the {rows}",
            "text": f"has {values} texts{example} in {rows}",
            "text dates": f"has {values} dates{example} in {rows}",
            "text numbers": f"has {values} numbers written as text{example} in {rows}",
            "dates": "holds dates or times",
            "durations": "holds lengths of time",
        }[self.kind]

    @property
    def reason(self) -> str:
        """The reason why a tree should not split on it."""
        if self.kind in ("text dates", "text numbers"):
            return "each is a category of its own, and new rows bring new ones"
        if not self.is_usable:
            return "trees split on numbers and categories only, so it is not used"
        return (
            "a split on it memorises the training rows and says nothing about new ones"
        )

    @property
    def warning(self) -> str:
        """The warning of `fit`, as one sentence."""
        column = f"X[{self.name!r}]"
        better = {
            "text": f"X['words'] = {column}.str.split().str.len()",
            "text dates": f"{column} = {self._date_in_pandas(column)}",
            "text numbers": f"{column} = {self._number_in_pandas(column)}",
            "dates": f"X['year'] = {column}.dt.year",
            "durations": f"X['seconds'] = {column}.dt.total_seconds()",
        }
        advice = "leave it out, unless you mean it"
        if self.kind in better:
            advice = f"{self.remedy}, {better[self.kind]}, or leave it out"
            advice += self.doubt
        return f"Column {self.name!r} {self.finding}: {self.reason}; {advice}."

    @property
    def remedy(self) -> str:
        """What to do with the column, as the beginning of a phrase."""
        dates = self.kind == "text dates"
        return "make dates of it" if dates else "make a number of it"

    @property
    def doubt(self) -> str:
        """What to change if the day and the month of a date were taken for each other.

        Examples
        --------
        >>> text = ("when", "text dates", 30, 60, "'03/04/2024'", "%m/%d/%Y")
        >>> print(RowNames(*text, other_layout="%d/%m/%Y").doubt)
        ; here the month is taken to come first, otherwise write %d/%m/%Y for %m/%d/%Y
        """
        if not self.other_layout:
            return ""
        first = "month" if self.layout.startswith("%m") else "day"
        return (
            f"; here the {first} is taken to come first, otherwise write "
            f"{self.other_layout} for {self.layout}"
        )

    def _date_in_pandas(self, column: str) -> str:
        """Return an expression that makes dates of texts such as "31.12.2024"."""
        text = f"{column}.str.split('[ T]').str[0]" if ":" in self.example else column
        layout = f", format={self.layout!r}"
        if self.layout.startswith("%Y"):
            text, layout = column, ""  # pandas takes these and names of months for
        elif re.search("%[bB]", self.layout):  # what they are
            layout = ""
        return f"pd.to_datetime({text}{layout})"

    def _number_in_pandas(self, column: str) -> str:
        """Return an expression that makes numbers of texts such as "$1,234.50"."""
        point = self.layout or "."
        text = f"{column}.str.replace(r'[^0-9{point}-]', '', regex=True)"
        if point != ".":
            text += f".str.replace('{point}', '.')"
        if self.gaps:
            return f"pd.to_numeric({text}, errors='coerce')"
        return f"{text}.astype(float)"

    def _number_in_sql(self, column: str) -> str:
        """Return the corresponding expression for DuckDB."""
        point = self.layout or "."
        text = f"regexp_replace({column}, '[^0-9{point}-]', '', 'g')"
        if point != ".":
            text = f"replace({text}, '{point}', '.')"
        return f"{'try_cast' if self.gaps else 'cast'}({text} as double)"

    @property
    def query(self) -> str | None:
        """A DuckDB query that makes a number of the column, if there is one."""
        return repairing_query([self]) or None

    @property
    def repaired(self) -> tuple[str, str] | None:
        """The SQL expression of the query, and the name of its result."""
        column = query_name(self.name)
        timed = ":" in self.example  # a time of day follows the date
        day = f"regexp_extract({column}, '^[^ T]*')" if timed else column
        return {
            "text": (f"len(string_split({column}, ' '))", "words"),
            "text dates": (f"strptime({day}, '{self.layout}')::date", column),
            "text numbers": (self._number_in_sql(column), column),
            "dates": (f"year({column})", "year"),
            "durations": (f"epoch({column})", "seconds"),
        }.get(self.kind)


def repairing_query(found: Iterable[RowNames]) -> str:
    """Return one query for all columns of which numbers or dates can be made.

    Examples
    --------
    >>> texts = [RowNames(name, "text", 60, 60) for name in ("remark", "reply")]
    >>> print(repairing_query(texts[:1]))
    select * exclude (remark), len(string_split(remark, ' ')) as words
    >>> repairing_query(texts).endswith("len(string_split(reply, ' ')) as words_2")
    True
    """
    gone, made = [], []
    names: list[str] = []
    for about in found:
        if about.repaired is None:
            continue
        expression, name = about.repaired
        names.append(name)
        again = names.count(name)
        gone.append(query_name(about.name))
        made.append(f"{expression} as {name}" + (f"_{again}" if again > 1 else ""))
    if not gone:
        return ""
    return f"select * exclude ({', '.join(gone)}), {', '.join(made)}"


def row_names(
    raw: RawTable,
    categorical: Sequence[bool] | NDArray[np.bool_],
    n_rows: int,
    share: float = MANY,
) -> Iterator[RowNames]:
    """Find the columns of a table that identify its rows.

    Parameters
    ----------
    raw : RawTable
        The table; each of its rows may stand for several equal rows.
    categorical : sequence of bool
        Which columns are categorical.
    n_rows : int
        The number of rows for which the table stands.
    share : float
        A categorical column identifies the rows if it has more distinct values per row
        than this.

    Examples
    --------
    >>> from treeproof.border.raw import read_raw_table
    >>> names = [f"customer {i}" for i in range(60)]
    >>> raw = read_raw_table({"name": names, "size": [1, 2, 3] * 20})
    >>> [found.name for found in row_names(raw, [True, False], 60)]
    ['name']
    """
    for j in range(raw.n_columns):
        if j in raw.days:
            continue  # it is replaced by numbers
        if j in raw.dates:
            kind = "durations" if raw.dates[j].durations else "dates"
            yield RowNames(raw.name(j), kind, 0, n_rows)
        elif n_rows >= (_FEWEST if _NUMBERING.fullmatch(raw.name(j)) else _FEW_ROWS):
            if categorical[j]:
                found = _categories(raw, j, n_rows, share)
            else:
                found = _numbers(raw, j, n_rows)
            if found is not None:
                yield found


@dataclass(frozen=True)
class CountedColumn:
    """Statistics of a column that is not in memory; `n_values` is an estimate."""

    name: str
    is_number: bool
    is_date: bool
    n_values: int


def counted_row_names(
    columns: Iterable[CountedColumn], n_rows: int
) -> Iterator[RowNames]:
    """Find the columns that identify the rows of a table that is not in memory.

    Examples
    --------
    >>> name = CountedColumn("name", is_number=False, is_date=False, n_values=990)
    >>> [found.finding for found in counted_row_names([name], 1000)]
    ['has 990 categories in 1,000 rows']
    """
    for column in columns:
        if column.is_date:
            yield RowNames(column.name, "dates", column.n_values, n_rows)
        elif n_rows < _FEW_ROWS:
            continue
        elif not column.is_number and column.n_values > MANY * n_rows:
            values = min(column.n_values, n_rows)
            yield RowNames(column.name, "categories", values, n_rows)
        elif (
            column.is_number
            and column.n_values > _NEARLY_ALL * n_rows
            and _NUMBERING.fullmatch(column.name)
        ):
            yield RowNames(column.name, "numbers", n_rows, n_rows)


def row_names_of(table: Mapping[str, Any]) -> list[RowNames]:
    """Find the columns that identify the rows, in a dictionary of columns.

    Examples
    --------
    >>> [found.name for found in row_names_of({"id": range(5, 65), "x": [1, 2] * 30})]
    ['id']
    """
    raw = read_raw_table(table, missing_advice=None, allow_dates=True)
    categorical = [is_categorical(raw, j) for j in range(raw.n_columns)]
    return list(row_names(raw, categorical, raw.n_rows))


def is_named_like_numbers_of_rows(name: str) -> bool:
    """Whether the name of a column says that its numbers are names.

    Examples
    --------
    >>> [is_named_like_numbers_of_rows(name) for name in ("id", "user_id", "paid")]
    [True, True, False]
    """
    return _NUMBERING.fullmatch(name) is not None


def _categories(
    raw: RawTable, column: int, n_rows: int, share: float
) -> RowNames | None:
    if column in raw.orders:
        return None
    values = raw.column(column)
    name = raw.name(column)
    if not isinstance(values, TextColumn):
        there = values[~raw.missing[column]] if column in raw.missing else values
        count = len(np.unique(there))
        many = count > share * n_rows
        return RowNames(name, "categories", count, n_rows) if many else None
    used = np.unique(values.codes)
    used = used[used >= 0]
    if len(used) <= _MANY_DATES:
        return None
    words = [str(values.distinct[k]) for k in used.tolist()]
    texts = words[:_LOOKED_AT]
    example = repr(_shortened(texts[0]))
    layouts = date_layouts(texts, words)
    if layouts:
        layout, *other = layouts
        found = RowNames(name, "text dates", len(used), n_rows, example, layout)
        return replace(found, other_layout="".join(other))
    amounts = [word for word in words if not is_usual(word)]
    point = _decimal_point(amounts[:_LOOKED_AT])
    if point is not None and len(amounts) > _MANY_DATES:
        layout, gaps = point.replace(".", ""), len(amounts) < len(words)
        example = repr(_shortened(amounts[0]))
        found = RowNames(name, "text numbers", len(amounts), n_rows, example, layout)
        return replace(found, gaps=gaps)
    if len(used) <= share * n_rows:
        return None
    typical = float(np.median([len(text.split()) for text in texts]))
    kind = "text" if typical >= _MANY_WORDS else "categories"
    return RowNames(name, kind, len(used), n_rows, example)


def _numbers(raw: RawTable, column: int, n_rows: int) -> RowNames | None:
    """Find numbers that count the rows in any order, and those with a name like id."""
    values = raw.column(column)
    if column in raw.missing or isinstance(values, TextColumn) or len(values) < n_rows:
        return None
    if values.dtype.kind == "b" or values[0] != np.floor(values[0]):
        return None
    name = raw.name(column)
    named = is_named_like_numbers_of_rows(name)
    without_gaps = values.max() - values.min() == n_rows - 1
    counted = without_gaps and _TIMES.fullmatch(name) is None
    if not (named or counted) or (values != np.floor(values)).any():
        return None
    distinct = len(np.unique(values))
    return RowNames(name, "numbers", n_rows, n_rows) if distinct == n_rows else None


def _decimal_point(texts: Sequence[str]) -> str | None:
    """Return the decimal point if all are numbers, some with a sign such as "$".

    Examples
    --------
    >>> _decimal_point(["$1,234.50", "7"]), _decimal_point(["1.234,50 €", "7 €"])
    ('.', ',')
    >>> _decimal_point(["7", "8"]), _decimal_point(["$7", "seven"])
    (None, None)
    """
    if not any(re.search("[$€£¥%,]", text) for text in texts):
        return None
    for point, amount in ((".", _AMOUNT), (",", _COMMA_AMOUNT)):
        if all(amount.fullmatch(text.strip()) for text in texts):
            return point
    return None


def _shortened(text: str, most: int = 40) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
