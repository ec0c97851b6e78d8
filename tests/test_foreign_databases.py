"""A query on a foreign database can read the database, and no other file."""

import pytest

from treeproof.cli.tables import read_table

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


@pytest.fixture
def database(tmp_path):
    (tmp_path / "secret.csv").write_text("word\nxyzzy\n")
    path = tmp_path / "base.duckdb"
    with duckdb.connect(str(path)) as base:
        base.sql("create table own as select range as a from range(3)")
        base.sql(f"create view lure as select * from '{tmp_path}/secret.csv'")
    return path


def test_the_database_itself_is_read(database):
    found = read_table("select a from own order by a", database=str(database))
    assert found["a"].to_pylist() == [0, 1, 2]


@pytest.mark.parametrize(
    "query",
    [
        "select * from lure",
        "select * from '{folder}/secret.csv'",
        "select content from read_text('{folder}/secret.csv')",
        "select 1; set enable_external_access = true; select * from lure",
        "select 1; copy own to '{folder}/taken.csv'",
    ],
)
def test_other_files_are_not(database, query):
    folder = database.parent
    with pytest.raises(ValueError, match="The query failed"):
        read_table(query.format(folder=folder), database=str(database))
    assert not (folder / "taken.csv").exists()


def test_a_query_of_ones_own_reads_files(database):
    found = read_table(f"select * from '{database.parent}/secret.csv'")
    assert found["word"].to_pylist() == ["xyzzy"]
