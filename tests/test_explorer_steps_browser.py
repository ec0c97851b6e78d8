"""Keeping splits, undo, the data and the report in a browser, and with the keyboard."""

import pytest
from explorer_browser import (
    User,
    browser,
    server,
    skip_without_browser,
    wait_for_file,
)


@pytest.fixture(scope="module")
def downloads(tmp_path_factory):
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def user(downloads):
    skip_without_browser()
    with browser(downloads) as driver, server() as address:
        visitor = User(driver, (1280, 800))
        visitor.open(address)
        visitor.choose("bundled", "Iris")
        visitor.see("about", "rows")
        yield visitor
        assert visitor.faults() == []


def gone(user, dialog, button):
    for element in user.all(f'[data-part="{button}"]'):
        element.click()
    return not user.all(f'[data-part="{dialog}"]')


def picture(user, name):
    """Save what is seen, for somebody to look at, if a folder is given."""
    import os

    folder = os.environ.get("TREEPROOF_PICTURES")
    if folder:
        user.driver.save_screenshot(f"{folder}/{name}.png")


def test_data_keep_undo_report(user, downloads):
    user.click("look")
    user.wait(lambda: "setosa" in user.text("data-rows"))
    user.wait(lambda: user.all('[data-part="data-histogram"] canvas'))
    picture(user, "data")
    user.wait(lambda: gone(user, "data-rows", "close-data"))

    user.click("fit")
    user.see("badge", "Proved optimal")
    user.wait(user.nodes)
    first = user.text("figures")
    inner = [n for n in user.nodes() if "<=" in n.get_attribute("aria-label")]
    user.driver.execute_script("arguments[0].focus()", user.nodes()[0])
    from selenium.webdriver.common.keys import Keys

    user.nodes()[0].send_keys(Keys.ENTER)  # a node is chosen with the keyboard
    user.see("node-title", "Split on")
    picture(user, "node")
    user.click("keep")
    user.see("figures", "begins with")
    user.see("top", "The tree begins with")
    picture(user, "kept")
    assert inner or user.nodes()

    user.click("undo")
    user.wait(lambda: user.text("figures") == first)
    user.wait(lambda: not user.part("top").is_displayed())

    user.click("tab-files")
    user.click("get-report")
    page = wait_for_file(user, downloads / "iris.html")
    assert b"</html>" in page and b"iris" in page


def test_everything_has_a_name_for_a_screen_reader(user):
    """Every control that can be reached has words; headings are in order."""
    nameless = user.driver.execute_script("""
        const said = (e) => (e.getAttribute('aria-label') || e.title ||
            e.textContent || (e.labels && e.labels.length && e.labels[0].textContent) ||
            e.placeholder || '').trim();
        return [...document.querySelectorAll('button, [role=button], input, select, a')]
            .filter((e) => e.offsetParent !== null && e.type !== 'file' && !said(e)
                && !(e.closest('label') && said(e.closest('label')))
                && !(e.closest('[aria-label]')))
            .map((e) => e.outerHTML.slice(0, 200));
    """)
    assert nameless == []
    levels = user.driver.execute_script(
        "return [...document.querySelectorAll('[role=heading]')]"
        ".map((e) => e.getAttribute('aria-level'))"
    )
    assert levels[0] == "1" and set(levels) <= {"1", "2", "3"} and None not in levels


def test_the_keyboard_reaches_the_parts_in_the_order_of_the_page(user):
    """Nothing takes the focus out of turn: there is no positive tabindex."""
    odd = user.driver.execute_script(
        "return [...document.querySelectorAll('[tabindex]')]"
        ".filter((e) => e.tabIndex > 0).length"
    )
    assert odd == 0
