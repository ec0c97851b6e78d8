"""The explorer in a browser, in a wide window and on a phone."""

import json
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest
from explorer_browser import (
    User,
    browser,
    server,
    skip_without_browser,
    wait_for_file,
)

from treeproof import from_json

SIZES = {"desk": (1280, 800), "phone": (420, 800)}


@pytest.fixture(scope="module")
def downloads(tmp_path_factory):
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def driver(downloads):
    skip_without_browser()
    with browser(downloads) as found:
        yield found


@pytest.fixture(scope="module")
def address(driver):
    with server() as found:
        yield found


@pytest.fixture(params=SIZES)
def user(request, driver, address):
    visitor = User(driver, SIZES[request.param])
    visitor.open(address)
    yield visitor
    assert visitor.faults() == []


at_a_desk = pytest.mark.parametrize("user", ["desk"], indirect=True)


def fit(user, name="Iris"):
    user.choose("bundled", name)
    user.see("about", "rows")
    user.click("fit")
    user.see("badge", "Proved optimal")
    user.wait(user.nodes)


def labels(user):
    return [node.get_attribute("aria-label") for node in user.nodes()]


def closed(user, dialog, button):
    """Whether a dialog is gone; clicks its button again, as one may while it opens."""
    for element in user.all(f'[data-part="{button}"]'):
        element.click()
    return not user.all(f'[data-part="{dialog}"]')


def test_load_fit_choose_slide_compare_download(user, downloads):
    fit(user)
    assert "no tree" in user.text("figures")
    assert "accuracy 0.9800; 3 splits" in user.text("more")
    # The picture lies inside its canvas, and the page is not wider than the window.
    overflow = "return document.documentElement.scrollWidth - window.innerWidth"
    assert user.driver.execute_script(overflow) <= 0

    nodes = user.nodes()
    assert len(nodes) == 7
    # Several trees are as good: whichever it is, one of its leaves is all setosa.
    leaf = next(
        node
        for node in nodes
        if node.get_attribute("aria-label").startswith("setosa, 50 rows")
    )
    user.driver.execute_script("arguments[0].scrollIntoView({block:'center'})", leaf)
    leaf.click()
    user.see("node-title", "setosa")
    assert " (cm) <= " in user.text("rule")
    assert "50 rows (33%), 100% setosa" in user.text("node-detail")
    user.wait(lambda: user.all('[data-part="histogram"] canvas'))
    user.click("show-rows")
    user.wait(lambda: len(user.all('[data-part="rows"] tbody tr')) == 20)
    user.wait(lambda: closed(user, "rows", "close-rows"))

    user.click("find-sizes")
    user.see("size", "Tree 4 of 6: 3 splits")
    user.driver.execute_script(
        "document.querySelector('[data-part=slider] [tabindex], "
        "[data-part=slider][tabindex]').focus()"
    )
    user.driver.switch_to.active_element.send_keys("\ue014")  # arrow to the right
    user.see("size", "Tree 5 of 6")
    user.see("more", "leaves")
    user.wait(lambda: len(user.nodes()) > 7)

    user.click("tab-compare")
    user.click("start-compare")
    user.wait(lambda: user.all('[data-part="versus"]'))
    assert "rows held out" in user.text("versus")
    assert len(user.all('[data-part="compare"] svg')) == 2

    user.click("tab-near")
    user.click("find-alternatives")
    user.see("how-many", "trees cost at most 0.01 more than the best")
    user.see("disputed", "of the 150 rows they predict different classes")
    user.see("use", "tested by")
    user.wait(lambda: user.all('[data-part="alternatives"] tbody tr'))[1].click()
    user.wait(lambda: user.part("tree").is_displayed())  # a click leads back to it
    user.wait(user.nodes)

    user.click("tab-files")
    user.click("get-model")
    model = from_json(wait_for_file(user, downloads / "iris.json").decode())
    assert model.n_splits_ > 1
    user.click("get-svg")
    assert wait_for_file(user, downloads / "iris.svg").startswith(b"<svg")
    user.click("get-sql")
    assert b"SELECT" in wait_for_file(user, downloads / "iris.sql")


def test_a_search_is_watched_and_stopped(user):
    user.choose("bundled", "noise: hard")
    user.see("about", "noisy: 1,000 rows")
    user.write("penalty", "0.002")
    user.write("time", "600")
    user.click("fit")
    user.see("badge", "Searching")
    user.wait(lambda: "gap" in user.text("figures"))
    user.click("tab-files")  # the page answers while the search goes on
    user.see("file-note", "Fit a tree first.")
    user.click("tab-tree")
    user.wait(lambda: len(user.nodes()) > 2)  # the best tree so far is drawn
    user.see("ladder", "depth 1 ✓")
    assert user.text("badge") == "Searching"
    assert "best tree so far: " in user.text("more")
    user.click("stop")
    user.wait(lambda: user.text("badge").startswith(("Not proved", "Proved for depth")))
    assert "(stopped)" in user.text("figures")
    user.wait(lambda: len(user.nodes()) > 2)


def test_bad_files_are_one_sentence_and_the_page_goes_on(user, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_bytes(b"a,b\n1,2\n3\n")
    upload = user.wait(lambda: user.all('.q-uploader input[type="file"]'))[0]
    upload.send_keys(str(bad))
    assert user.complaint().startswith("Line 3 of 'bad.csv' has 1 cell")
    user.write("path", str(tmp_path / "nothing.csv"))
    user.click("load")
    assert "There is no file" in user.complaint()
    good = tmp_path / "good.csv"
    good.write_text(
        "size,colour,y\n" + "1,red,no\n7,blue,yes\n8,red,yes\n2,blue,no\n" * 5
    )
    user.write("path", str(good))
    user.click("load")
    user.see("about", "20 rows, 3 columns")
    user.click("fit")
    user.see("badge", "Proved optimal")
    assert "accuracy 1.0000" in user.text("more")


@at_a_desk
def test_a_column_is_forbidden_or_asked_first(user):
    fit(user)
    user.nodes()[0].send_keys("\ue007")  # Enter: the keyboard chooses too
    user.see("node-title", "Split on petal")
    column = user.text("node-title").removeprefix("Split on ")
    user.click("forbid")
    user.wait(lambda: len(labels(user)) > 2 and column not in str(labels(user)))
    user.see("badge", "Proved optimal")
    splits = [k for k, label in enumerate(labels(user)) if "(cm)" in label]
    user.nodes()[splits[-1]].send_keys("\ue007")
    user.see("node-title", "Split on")
    column = user.text("node-title").removeprefix("Split on ")
    user.click("force")
    user.wait(lambda: column in str(labels(user)[:1]))
    user.see("badge", "Proved optimal")


@at_a_desk
def test_every_tab_has_its_own_state(user, address):
    fit(user)
    first = user.driver.current_window_handle
    user.driver.switch_to.new_window("tab")
    other = User(user.driver, SIZES["desk"])
    other.open(address)
    assert "Nothing is loaded yet" in other.text("about")
    other.choose("bundled", "Wine")
    other.see("about", "wine: 178 rows")
    user.driver.close()
    user.driver.switch_to.window(first)
    assert "iris: 150 rows" in user.text("about")


def test_nobody_gets_in_without_the_token(address):
    parts = urlsplit(address)
    assert parts.hostname == "127.0.0.1"
    for path in ("/", "/?token=guess", "/_nicegui/3.0.0/static/nicegui.js"):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"http://{parts.netloc}{path}", timeout=20)
        assert refused.value.code == 403
        assert b"?token=" in refused.value.read()


def test_data_and_target_on_the_command_line(driver, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("y,a\n" + "1,2\n0,1\n" * 6)
    with server(str(path), "--target", "y") as found:
        visitor = User(driver, SIZES["desk"])
        visitor.open(found)
        visitor.see("about", "12 rows, 2 columns")
        visitor.click("fit")
        visitor.see("badge", "Proved optimal")
        assert json.dumps(visitor.faults()) == "[]"


def test_a_date_is_a_column_like_others(driver, tmp_path):
    """Its numbers are split on and forbidden; rows without a target are named."""
    path = tmp_path / "sales.csv"
    rows = [f"2024-{1 + k % 12:02d}-{1 + k % 28:02d},{k % 5}" for k in range(84)]
    sold = ["" if k % 21 == 3 else "no" if k % 12 < 6 else "yes" for k in range(84)]
    lines = [f"{row},{word}" for row, word in zip(rows, sold, strict=True)]
    path.write_text("\n".join(["day,size,sold", *lines]) + "\n")
    with server(str(path), "--target", "sold") as address:
        visitor = User(driver, SIZES["desk"])
        visitor.open(address)
        visitor.faults()  # those of the page before, whose server has ended
        visitor.see("left-out", "4 rows without a value of 'sold' are left out.")
        visitor.click("fit")
        visitor.see("badge", "Proved optimal")
        visitor.wait(visitor.nodes)
        visitor.nodes()[0].send_keys("\ue007")
        visitor.see("node-title", " of day")
        visitor.wait(lambda: visitor.all('[data-part="histogram"] canvas'))
        visitor.click("forbid")
        visitor.wait(lambda: "of day" not in " ".join(labels(visitor)))
        assert visitor.faults() == []
