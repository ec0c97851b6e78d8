"""Words in the explorer are large enough to read, in a wide window and on a phone."""

import pytest
from explorer_browser import User, browser, server, skip_without_browser

SIZES = {"desk": (1280, 900), "phone": (400, 860)}


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    skip_without_browser()
    with browser(tmp_path_factory.mktemp("downloads")) as found:
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


def test_all_words_are_large_enough_to_read(user):
    """Nothing is smaller than 12 pixels: labels, pictures of trees, dialogs, charts."""

    def settled():
        user.wait(lambda: not user.small_texts())

    settled()
    user.choose("bundled", "Wine")
    user.see("about", "178 rows")
    user.click("more-options")
    user.click("fit")
    user.see("badge", "Proved optimal")
    user.wait(user.nodes)
    settled()
    user.nodes()[0].click()
    user.see("node", "Split on")
    settled()
    user.click("show-rows")
    user.wait(lambda: user.part("rows").is_displayed())
    settled()
    user.click("close-rows")
    user.click("tab-compare")
    user.click("start-compare")
    user.wait(lambda: len(user.all(".tp-picture svg")) == 2)
    settled()
    assert all(s.get_attribute("aria-label") for s in user.all(".tp-picture svg"))
    user.click("tab-near")
    user.click("find-alternatives")
    user.see("how-many", "trees cost")
    settled()


def test_the_whole_tree_is_shown_if_asked_for(user):
    """A wide tree begins at its root; one button shows all of it, the keyboard too."""
    user.choose("bundled", "Wine")
    user.see("about", "178 rows")
    user.click("fit")
    user.see("badge", "Proved optimal")
    user.wait(user.nodes)

    def outside():
        return user.driver.execute_script("""
            const all = document.querySelector('[data-part="tree"]')
                .getBoundingClientRect();
            return [...document.querySelectorAll('[data-part="tree"] [data-node]')]
                .filter((e) => { const b = e.getBoundingClientRect();
                    return b.left < all.left - 1 || b.right > all.right + 1 ||
                        b.top < all.top - 1 || b.bottom > all.bottom + 1; })
                .map((e) => e.dataset.node);
        """)

    user.wait(lambda: "0" not in outside())
    for node in user.nodes():
        user.driver.execute_script("arguments[0].focus()", node)
        assert node.get_attribute("data-node") not in outside()
    user.driver.execute_script(
        """document.querySelector('[aria-label="Fit the whole tree"]').click()"""
    )
    user.wait(lambda: not outside())


def test_charts_name_a_font():
    """A canvas draws words of 10 pixels if its font is "inherit"."""
    pytest.importorskip("nicegui")
    from treeproof.explorer.nodes import Histogram
    from treeproof.explorer.views.node import chart_options
    from treeproof.explorer.views.search import _options

    for options in (chart_options(Histogram("age", ["1"], {"rows": [1]})), _options()):
        assert "sans-serif" in options["textStyle"]["fontFamily"]
