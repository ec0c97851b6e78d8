"""Columns that identify rows: `fit` warns; command line and explorer omit them."""

import re
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.border.row_names import row_names_of
from treeproof.cli import main
from treeproof.explorer.question import first_question, left_out
from treeproof.explorer.session import Session
from treeproof.explorer.tables import Table, read_path

N = 400


def people(n=N, seed=0):
    """Return a table whose target depends on age and plan, with some noise."""
    rng = np.random.default_rng(seed)
    age, plan = rng.integers(18, 80, n), rng.choice(["basic", "plus", "pro"], n)
    stays = ((age < 40) & (plan == "basic")) != (rng.random(n) < 0.1)
    return pd.DataFrame({"age": age, "plan": plan, "stays": np.where(stays, "y", "n")})


def with_column(name, values):
    table = people()
    table.insert(0, name, values)
    return table.drop(columns="stays"), table["stays"]


NAMES = [f"{'ABCDEFGH'[i % 8]}. {i * 7919 % 10007}" for i in range(N)]
DAYS = pd.date_range("2021-01-01", periods=N)
WORDS = ["the", "parcel", "came", "late", "and", "it", "was", "wet"]
REMARKS = [" ".join(np.random.default_rng(i).permutation(WORDS)) for i in range(N)]

# What the column is called, what it holds, and the sentence that `fit` says about it.
NAMING = {
    "names": (
        "name", NAMES,
        "Column 'name' has 400 categories in 400 rows: a split on it memorises the "
        "training rows and says nothing about new ones; leave it out, unless you mean "
        "it.",
    ),
    "row numbers": (
        "nr", np.arange(1, N + 1),
        "Column 'nr' has a number of its own for each of the 400 rows: a split on it "
        "memorises the training rows and says nothing about new ones; leave it out, "
        "unless you mean it.",
    ),
    "numbers called id": (
        "customer_id", np.random.default_rng(1).permutation(9000)[:N],
        "Column 'customer_id' has a number of its own for each of the 400 rows: a "
        "split on it memorises the training rows and says nothing about new ones; "
        "leave it out, unless you mean it.",
    ),
    "dates as text": (
        "joined", [f"{d:%d %B %Y}" for d in DAYS],
        "Column 'joined' has 400 dates such as '01 January 2021' in 400 rows: each is "
        "a category of its own, and new rows bring new ones; make dates of it, "
        r"X\['joined'\] = pd.to_datetime\(X\['joined'\]\), or leave it out.",
    ),
    "free text": (
        "remark", [f"{i}: {text}" for i, text in enumerate(REMARKS)],
        r"Column 'remark' has 400 texts such as '.*' in 400 rows: a split on it "
        r"memorises the training rows and says nothing about new ones; make a number "
        r"of it, "
        r"X\['words'\] = X\['remark'\].str.split\(\).str.len\(\), or leave it out.",
    ),
}  # fmt: skip

HARMLESS = {
    "groups of rows": [f"school {i % 90}" for i in range(N)],
    "amounts": np.random.default_rng(2).normal(size=N),
    "whole amounts": np.random.default_rng(3).permutation(9 * N)[:N],
    "years": np.arange(1601, 1601 + N),
    "day": np.arange(1, N + 1),
    "paid": np.random.default_rng(4).permutation(9 * N)[:N],
    "months": [f"2020-{1 + i % 12:02d}-01" for i in range(N)],
    "flags": np.arange(N) % 2 == 0,
}


def matches(expected, message):
    return message == expected or re.fullmatch(expected, message) is not None


@pytest.mark.parametrize("kind", NAMING)
def test_fit_says_it_once_in_one_sentence(kind):
    name, values, sentence = NAMING[kind]
    X, y = with_column(name, values)
    with pytest.warns(UserWarning) as said:
        model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert len(said) == 1 and matches(sentence, str(said[0].message))
    assert model.n_features_in_ == 3
    with pytest.warns(UserWarning) as said:
        OptimalTreeRegressor(max_depth=2).fit(X, np.where(y == "y", 1.5, 0.5))
    assert len(said) == 1 and matches(sentence, str(said[0].message))


@pytest.mark.parametrize("kind", HARMLESS)
def test_other_columns_are_not_spoken_of(kind):
    X, y = with_column(kind, HARMLESS[kind])
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        OptimalTreeClassifier(max_depth=1).fit(X, y)


def zip_codes(n_values):
    numbers = np.random.default_rng(6).permutation(np.arange(N) % n_values)
    return with_column("zip", [f"z{k:03d}" for k in numbers])


def test_zip_codes_get_a_sensible_tree_and_one_sentence():
    X, y = zip_codes(200)
    multiway = {"max_depth": 3, "categorical_split": "multiway"}
    with pytest.warns(UserWarning) as said:
        model = OptimalTreeClassifier(**multiway).fit(X, y)
    assert [str(note.message) for note in said] == [
        "Column 'zip' has 200 categories: a split with a child for each costs 199 "
        "penalties of 0.01, more than any split can gain; group them, X['zip'] = "
        "X['zip'].str[:2], or fit with categorical_split='one-vs-rest'."
    ]
    plain = OptimalTreeClassifier(**multiway).fit(X[["age", "plan"]], y)
    assert model.objective_ == plain.objective_
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        either = OptimalTreeClassifier(max_depth=3).fit(X, y)
    assert either.objective_ <= model.objective_
    X, y = zip_codes(60)
    for options in ({}, {"split_penalty": 0.001}, {"categorical_split": "one-vs-rest"}):
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            OptimalTreeClassifier(max_depth=1, **options).fit(X, y)


def test_a_penalty_for_splits_alone_makes_fewer_categories_suspicious():
    X, y = zip_codes(60)
    with pytest.warns(UserWarning, match="'zip' has 60 categories in 400 rows"):
        OptimalTreeClassifier(max_depth=1, penalize="splits").fit(X, y)


@pytest.mark.parametrize("kind", NAMING)
def test_small_tables_are_left_alone(kind):
    name, values, _ = NAMING[kind]
    X, y = with_column(name, values)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        # a name that suggests it is sufficient from ten rows on
        n = 9 if kind == "numbers called id" else 40
        OptimalTreeClassifier(max_depth=1).fit(X[:n], y[:n])


def test_numbers_of_dates_are_used_without_a_warning():
    X, y = with_column("joined", DAYS)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model = OptimalTreeClassifier(max_depth=3).fit(X, y)
    plain = OptimalTreeClassifier(max_depth=3).fit(X[["age", "plan"]], y)
    assert model.optimal_ and model.objective_ <= plain.objective_


def test_lengths_of_time_become_seconds():
    X, y = with_column("took", pd.to_timedelta(np.arange(N), unit="s"))
    with pytest.warns(UserWarning, match=r"X\['seconds'\] = X\['took'\].dt.total_sec"):
        OptimalTreeClassifier(max_depth=1).fit(X, y)


def test_numbers_as_categories_name_rows_as_well():
    X, y = with_column("code", np.random.default_rng(5).permutation(N * 9)[:N])
    with pytest.warns(UserWarning, match="'code' has 400 categories in 400 rows"):
        OptimalTreeClassifier(max_depth=1, categorical_features=["code", "plan"]).fit(
            X, y
        )


@pytest.mark.parametrize(
    "text, layout",
    [
        ("{:%d.%m.%Y}", "%d.%m.%Y"),
        ("{:%m/%d/%Y}", "%m/%d/%Y"),
        ("{:%Y-%m-%d %H:%M}", "%Y-%m-%d"),
        ("{:%B %d, %Y}", "%B %d, %Y"),
    ],
)
def test_dates_are_known_as_they_are_written(text, layout):
    (found,) = row_names_of({"when": [text.format(day) for day in DAYS]})
    assert found.kind == "text dates" and found.layout == layout


@pytest.mark.parametrize(
    "text", ["{:%d.%m.%Y}", "{:%m/%d/%Y %H:%M}", "{:%Y-%m-%dT%H:%M:%SZ}", "{:%b-%Y}"]
)
def test_the_query_makes_dates(text):
    duckdb = pytest.importorskip("duckdb")
    days = pd.date_range("2021-01-01", periods=60, freq="MS")
    visits = pd.DataFrame({"the day": [text.format(day) for day in days]})
    (found,) = row_names_of({"the day": visits["the day"]})
    read = duckdb.sql(f"{found.query} from visits").fetchall()
    assert [day for (day,) in read] == days.date.tolist()
    X = visits.rename(columns={"the day": "day"})
    (found,) = row_names_of({"day": X["day"]})
    made = eval(found.warning.split("X['day'] = ")[1].split(", or leave")[0])
    assert [day.date() for day in made] == days.date.tolist()


def test_days_and_months_that_could_change_places_are_named():
    (found,) = row_names_of({"day": [f"{day:%m/%d/%Y}" for day in DAYS]})
    assert (found.layout, found.other_layout) == ("%m/%d/%Y", "")
    text = [f"{1 + k % 12:02d}/{1 + k % 11:02d}/2024" for k in range(60)]
    (found,) = row_names_of({"day": text})
    assert (found.layout, found.other_layout) == ("%m/%d/%Y", "%d/%m/%Y")
    assert "otherwise write %d/%m/%Y for %m/%d/%Y" in found.warning
    (found,) = row_names_of({"day": [*text, "31/12/2024"]})
    assert (found.layout, found.other_layout) == ("%d/%m/%Y", "")


# ------------------------------------------------------------------ command line


def command(capsys, *arguments):
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as end:
        patch.setattr(sys, "argv", ["treeproof", *map(str, arguments)])
        main()
    out = capsys.readouterr()
    return end.value.code or 0, out.out, out.err


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for kind, (name, values, _) in NAMING.items():
        table = people()
        table.insert(0, name, values)
        table.to_csv(f"{kind.replace(' ', '-')}.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("kind", NAMING)
def test_the_command_line_leaves_the_column_out(kind, files, capsys):
    pytest.importorskip("duckdb")
    name = NAMING[kind][0]
    file = f"{kind.replace(' ', '-')}.csv"
    status, out, err = command(
        capsys, "fit", file, "--target", "stays", "--max-depth", 2, "--quiet"
    )
    assert status == 0 and "age <= " in out and name not in out
    (note,) = err.strip().splitlines()
    assert note.startswith(f"treeproof: note: Column '{name}' is left out: it ")
    query = re.search(r'with the query "(.*)"\.$', note)
    if query is None:
        assert note.endswith(f"; keep it with --keep '{name}'.")
        keep = ("--keep", name)
        status, out, err = command(
            capsys, "fit", file, "--target", "stays", "--max-depth", 1, "--quiet", *keep
        )
        assert status == 0 and "is left out" not in err and f"'{name}'" in err
    else:
        status, out, err = command(
            capsys, "fit", query[1], "--target", "stays", "--max-depth", 2, "--quiet"
        )
        assert status == 0 and err == ""


def test_a_column_that_an_option_names_is_kept(files, capsys):
    fit = ("fit", "names.csv", "--target", "stays", "--max-depth", 1, "--quiet")
    for option in ("--first-split", "--categorical"):
        status, _, err = command(capsys, *fit, option, "name")
        assert status == 0 and "is left out" not in err


def test_the_only_column_is_kept(files, capsys):
    drop = ("--drop", "age,plan")
    fit = ("fit", "names.csv", "--target", "stays", "--max-depth", 1, "--quiet")
    status, _, err = command(capsys, *fit, *drop)
    assert (
        status == 0 and "memorises the training rows" in err and "left out" not in err
    )


@pytest.mark.parametrize("other", ["path", "alternatives"])
def test_other_commands_do_the_same(other, files, capsys):
    asked = (other, "names.csv", "--target", "stays", "--max-depth", 1)
    status, _, err = command(capsys, *asked)
    assert status == 0 and "'name' is left out" in err
    status, _, err = command(capsys, *asked, "--keep", "name")
    assert status == 0 and "left out" not in err


def test_a_proof_is_checked_without_naming_what_was_left_out(files, capsys):
    fit = ("fit", "names.csv", "--target", "stays", "--max-depth", 1, "--quiet")
    assert command(capsys, *fit, "--proof", "p.gz")[0] == 0
    status, out, _ = command(capsys, "check", "p.gz", "names.csv")
    assert status == 0 and out.startswith("accepted")


def test_large_files_are_looked_at_before_they_are_counted(files, capsys, monkeypatch):
    pytest.importorskip("duckdb")
    monkeypatch.setattr("treeproof.cli.tables.LARGE_FILE", 1)
    for kind in ("names", "dates-as-text", "numbers-called-id"):
        status, out, err = command(
            capsys, "fit", f"{kind}.csv", "--target", "stays", "--max-depth", 2,
            "--quiet",
        )  # fmt: skip
        assert status == 0 and "age <= " in out
        assert err.count("is left out") == 1


# ---------------------------------------------------------------------- explorer


@pytest.mark.parametrize("kind", NAMING)
def test_the_explorer_leaves_the_column_out_and_says_why(kind, files):
    table = read_path(f"{kind.replace(' ', '-')}.csv")
    assert first_question(table, "stays").columns == ("age", "plan")
    (found,) = left_out(table, "stays")
    assert found.name == NAMING[kind][0]
    session = Session()
    session.use(table, "stays")
    session.ask(max_depth=2)
    session.start_fit()
    session.jobs["fit"].wait()
    assert session.fitted.model.optimal_
    assert [about.name for about in session.left_out] == [found.name]
    session.ask(columns=("age", "plan", found.name))
    assert session.left_out == []


def test_the_explorer_needs_something_to_split_on():
    table = Table("t", {"name": np.array(NAMES, dtype=object),
                        "y": np.arange(N) % 2}, "y")  # fmt: skip
    assert first_question(table).columns == ("name",)


def test_one_query_repairs_several_columns(tmp_path, capsys):
    pytest.importorskip("duckdb")
    file = tmp_path / "orders.csv"
    table = people()
    table["price"] = [f"${v:,.2f}" for v in np.linspace(5, 5000, N)]
    table["day sold"] = [f"{1 + k % 12}/{1 + k % 28}/{2020 + k % 3}" for k in range(N)]
    table["note"] = [f"it is number {k} of all" for k in range(N)]
    table["reply"] = [f"thank you for note {k}" for k in range(N)]
    table.to_csv(file, index=False)
    fit = ("--target", "stays", "--max-depth", 1, "--quiet")
    _, _, err = command(capsys, "fit", file, *fit)
    assert err.count("with the query below") == 4
    query = re.search(r'One query repairs .*: "(.*)"\.$', err.strip())[1]
    status, _, err = command(capsys, "fit", query.replace('\\"', '"'), *fit)
    assert status == 0 and "left out" not in err
