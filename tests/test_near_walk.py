"""The page for exploring near-optimal trees, in a real browser."""

import json
import re
from urllib.parse import unquote

import pytest
from explorer_browser import User, browser, skip_without_browser

from treeproof import OptimalTreeClassifier
from treeproof.alternatives.walk import walk_page
from treeproof.datasets import load_monks

SIZES = {"desk": (1280, 800), "phone": (400, 800)}


@pytest.fixture(scope="module")
def trees():
    X, y = load_monks(3, as_frame=True, return_X_y=True)
    X = X.rename(columns={"holding": "holding </script><b>"})
    clf = OptimalTreeClassifier(0.01, categorical_split="one-vs-rest").fit(X, y)
    return clf.near_optimal(0.02)


@pytest.fixture(scope="module")
def address(trees, tmp_path_factory):
    path = tmp_path_factory.mktemp("walk") / "walk.html"
    trees.to_html(path, most=100)
    return path.as_uri()


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    skip_without_browser()
    with browser(tmp_path_factory.mktemp("downloads")) as found:
        yield found


def test_the_page_holds_the_best_trees_and_says_so(trees):
    page = walk_page(trees, 7)
    text = re.search(r'id="trees">(.*?)</script>', page)[1]
    held = json.loads(text)
    assert [t["cost"] for t in held] == [t.objective for t in trees.best(7)]
    assert "</script><b>" not in page
    assert f"The best 7 of {trees.count} trees" in page
    assert "http" not in page.replace("https://", "")


@pytest.mark.parametrize("size", SIZES)
def test_a_walk(driver, address, trees, size):
    user = User(driver, SIZES[size])
    driver.get(address)
    user.wait(lambda: user.all('[data-part="choices"] button'))
    assert user.text("left") == "100 trees are left."
    width = driver.execute_script("return document.documentElement.scrollWidth")
    assert width <= SIZES[size][0]  # nothing has to be scrolled sideways

    def left():
        words = user.text("left")
        return 1 if words.startswith("One") else int(words.split()[0])

    best, seen = trees.best(100), [100]
    while user.all('[data-part="choices"] button'):
        button = user.all('[data-part="choices"] button')[-1]
        promised = int(re.search(r"(\d+) trees?, best", button.text)[1])
        driver.execute_script("arguments[0].click()", button)
        assert left() == promised < seen[-1]
        seen.append(left())
    assert left() == 1 and len(seen) > 2
    number = int(re.match(r"Tree (\d+): cost", user.text("place"))[1])
    user.click("keep")
    kept = user.all('[data-part="kept"] a')[0].get_attribute("href")
    saved = json.loads(unquote(kept.split(",", 1)[1]))
    assert saved["number"] == number
    assert saved["cost"] == pytest.approx(best[number].objective)
    assert saved["splits"] == best[number].n_splits
    for before in reversed(seen[:-1]):
        user.click("back")
        assert left() == before
    assert user.part("back").get_attribute("disabled") is not None
    user.click("again")
    assert left() == 100
    assert [e for e in driver.get_log("browser") if e["level"] == "SEVERE"] == []
