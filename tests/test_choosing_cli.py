"""``treeproof path`` and ``treeproof alternatives``, run as users run them."""

import json
import re

import pytest

from treeproof.cli.alternatives import _headline, _share
from treeproof.datasets import load_monks


@pytest.fixture(scope="module")
def monks(tmp_path_factory):
    X, y = load_monks(1, as_frame=True, return_X_y=True)
    file = tmp_path_factory.mktemp("data") / "monks.csv"
    X.assign(target=y).to_csv(file, index=False)
    return file


def test_path_and_choice(monks, treeproof, tmp_path):
    picture, model = tmp_path / "front.png", tmp_path / "model.json"
    status, out, _ = treeproof(
        "path", monks, "--target", "target", "--low", 0.02, "--cv", 4, "--plot",
        picture, "--save", model, "--json",
    )  # fmt: skip
    assert status == 0
    result = json.loads(out)
    assert result["optimal"] and result["path"][0]["n_splits"] == 0
    chosen = result["path"][result["chosen"]]
    assert chosen["held_out_score"] == max(p["held_out_score"] for p in result["path"])
    assert picture.stat().st_size > 1000
    status, out, _ = treeproof("path", monks, "--target", "target", "--low", 0.02)
    assert status == 0 and "penalty from" in out and "yes" in out
    status, out, _ = treeproof("predict", model, monks)
    assert status == 0


def test_alternatives_are_counted_as_people_write_numbers(monks, treeproof):
    code, out, _ = treeproof(
        "alternatives", monks, "--target", "target", "--split-penalty", 0.01,
        "--within", 0.05, "--show", 1,
    )  # fmt: skip
    assert code == 0
    count = re.match(r"([\d,]+) trees within 0.05 of the optimum", out)[1]
    assert f"{int(count.replace(',', '')):,}" == count and len(count) > 4
    assert "\ncost 0.0" in out and "objective" not in out


def test_the_depth_up_to_which_trees_were_counted_is_named(monks, treeproof):
    _, out, _ = treeproof(
        "alternatives", monks, "--target", "target", "--max-depth", 2,
        "--within", 0.05, "--show", 0,
    )  # fmt: skip
    assert re.match(r"\d+ trees? of depth 2 or less within 0.05 of the optimum", out)


def test_the_depth_is_named_once():
    class Stopped:
        count, max_depth = 1201, 4

        def __repr__(self):
            return "<1201 trees of depth 4 or less within 0.01 of the optimum (0.05)>"

    told = _headline(Stopped())
    assert told == "1,201 trees of depth 4 or less within 0.01 of the optimum (0.05)"


def test_shares_are_rounded_honestly():
    shares = [_share(n, 10_000) for n in (0, 1, 5_000, 9_999, 10_000)]
    assert shares == ["none", "<0.1%", "50.0%", ">99.9%", "all"]


def test_a_choice_at_the_end_of_the_path_asks_for_more(monks, treeproof):
    words = ["path", monks, "--target", "target", "--cv", 3]
    _, out, _ = treeproof(*words, "--low", 0.06)
    assert "It is the largest of these trees; a smaller --low" in out
    _, out, _ = treeproof(*words, "--low", 0.001, "--max-depth", 5)
    rows = re.findall(r"^ +\d.*$", out, flags=re.M)
    assert ("largest of these" in out) == rows[-1].rstrip().endswith("*")


def test_alternatives(monks, treeproof, tmp_path):
    status, out, _ = treeproof(
        "alternatives", monks, "--target", "target", "--split-penalty", 0.02,
        "--within", 0.02, "--categorical-split", "one-vs-rest", "--json",
    )  # fmt: skip
    assert status == 0
    result = json.loads(out)
    assert result["count"] > 1 and len(result["trees"]) == 3
    assert max(result["feature_use"].values()) == result["count"]
    status, out, _ = treeproof(
        "alternatives", monks, "--target", "target", "--split-penalty", 0.02,
        "--categorical-split", "one-vs-rest", "--sample", 1,
    )  # fmt: skip
    assert status == 0 and "trees within 0.01 of the optimum" in out
    assert "all test" in out and "432 rows" in out


def test_a_page_of_the_best_alternatives(monks, treeproof, tmp_path):
    page = tmp_path / "trees.html"
    words = ["--split-penalty", 0.02, "--max-depth", 2, "--within", 0.4]
    words += ["--limit", 5, "--distinct", "functions", "--html", page]
    status, out, err = treeproof("alternatives", monks, "--target", "target", *words)
    assert status == 0 and "best 5 different functions" in out
    shares = [float(s) for s in re.findall(r"([\d.]+)% test", out)]
    assert all(share <= 100 for share in shares)
    assert f"wrote {page}" in err and "<html" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["path", "--save", "x.json"], "add --cv 5"),
        (["path", "--cv", "1"], "use at least 2 folds"),
        (["path", "--low", "2"], "is not a penalty"),
        (["alternatives", "--using", "colour"], "There is no column 'colour'"),
        (["alternatives", "--within", "3"], "is not a margin"),
    ],
)
def test_bad_input_is_one_sentence(monks, treeproof, words, sentence):
    status, out, err = treeproof(words[0], monks, "--target", "target", *words[1:])
    assert status == 2 and out == "" and sentence in err
    assert len(err.strip().splitlines()) == 1
