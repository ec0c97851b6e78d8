"""The explorer in a headless Chromium: the server, the browser and user actions."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
PATIENCE = 120  # seconds until a condition that does not come true is a failure

# The size of letters on the screen is that of the style times all scales above it.
_SMALL_TEXTS = """
const found = [], all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (all.nextNode()) {
  const text = all.currentNode.textContent.trim(), own = all.currentNode.parentElement;
  if (!text || ["SCRIPT", "STYLE", "TEMPLATE"].includes(own.tagName)) continue;
  const style = getComputedStyle(own), range = document.createRange();
  range.selectNodeContents(all.currentNode);
  const box = range.getBoundingClientRect();
  if (style.visibility === "hidden" || !box.width || !box.height) continue;
  let size = parseFloat(style.fontSize);
  if (own.ownerSVGElement) {
    const matrix = own.getScreenCTM();
    size *= Math.hypot(matrix.b, matrix.d);
  } else {
    for (let up = own; up; up = up.parentElement) {
      const moved = getComputedStyle(up).transform;
      if (moved === "none") continue;
      const matrix = new DOMMatrix(moved);
      size *= Math.hypot(matrix.c, matrix.d);
    }
  }
  if (size < arguments[0] - 0.01) found.push(`${text}: ${size.toFixed(1)}`);
}
return found;
"""
_COMMAND = "from treeproof.cli import main; main()"
_OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
)


def skip_without_browser():
    pytest.importorskip("selenium", reason="the browser tests need selenium")
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("no chromium and chromedriver on this machine")


@contextmanager
def server(*arguments):
    """Run treeproof explore on a free port; the process ends with the test."""
    process = subprocess.Popen(
        [sys.executable, "-c", _COMMAND, "explore", *arguments, "--no-browser",
         "--idle", "120"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        line = process.stdout.readline()
        yield re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line)[0]
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


@contextmanager
def browser(folder):
    """Start a browser that stores downloads in a folder."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for option in _OPTIONS:
        options.add_argument(option)
    options.add_experimental_option(
        "prefs", {"download.default_directory": str(folder)}
    )
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


class User:
    """A user of the page, who finds its parts by their data-part attributes."""

    def __init__(self, driver, size):
        self.driver = driver
        width, height = size
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def open(self, address):
        self.driver.get(address)
        self.wait(lambda: self.all('[data-part="fit"]'))
        self.wait(lambda: self.text("about"))

    def wait(self, condition):
        from selenium.common.exceptions import (
            ElementClickInterceptedException,
            ElementNotInteractableException,
            NoSuchElementException,
            StaleElementReferenceException,
        )
        from selenium.webdriver.support.ui import WebDriverWait

        ignored = [
            ElementClickInterceptedException,
            ElementNotInteractableException,
            NoSuchElementException,
            StaleElementReferenceException,
        ]
        waiting = WebDriverWait(self.driver, PATIENCE, 0.1, ignored_exceptions=ignored)
        return waiting.until(lambda driver: condition())

    def all(self, selector):
        from selenium.webdriver.common.by import By

        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def part(self, name):
        from selenium.webdriver.common.by import By

        return self.driver.find_element(By.CSS_SELECTOR, f'[data-part="{name}"]')

    def text(self, name):
        return self.part(name).get_attribute("textContent").strip()

    def click(self, name):
        """Click a part once it is enabled and no longer moves."""
        places = []

        def act():
            element = self.part(name)
            if element.get_attribute("disabled") is not None:
                return False
            self.driver.execute_script(
                "arguments[0].scrollIntoView({block: 'center'})", element
            )
            places.append(element.rect)
            if places[-2:-1] != places[-1:]:
                return False
            element.click()
            return True

        self.wait(act)

    def write(self, name, text):
        from selenium.webdriver.common.keys import Keys

        field = self.part(name)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text, Keys.TAB)

    def see(self, name, words):
        self.wait(lambda: words in self.text(name))

    def choose(self, name, option):
        """Choose an option of a select element."""

        def pick():
            for item in self.all(".q-menu .q-item"):
                if option in item.get_attribute("textContent"):
                    item.click()
                    return True
            if not self.all(".q-menu"):
                self.part(name).click()
            return False

        self.wait(pick)
        self.wait(lambda: not self.all(".q-menu"))

    def nodes(self):
        return self.all('[data-part="tree"] [data-node][tabindex]')

    def complaint(self):
        """Return the error message that is shown, and close it."""
        found = self.wait(lambda: self.all(".tp-complaint .q-notification__message"))
        text = found[0].get_attribute("textContent")
        self.wait(lambda: self.all(".tp-complaint button")[0].click() or True)
        self.wait(lambda: not self.all(".tp-complaint"))
        return text

    def small_texts(self, least=12):
        """Return the words that are shown with letters of fewer pixels than that."""
        return self.driver.execute_script(_SMALL_TEXTS, least)

    def faults(self):
        """Return the errors that scripts of the page have reported."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE" and "favicon" not in entry["message"]
        ]


def wait_for_file(user, path: Path) -> bytes:
    """Return the content of a download once it is there."""
    user.wait(lambda: path.exists() and path.stat().st_size > 0)
    user.wait(lambda: not list(path.parent.glob("*.crdownload")))
    content = path.read_bytes()
    path.unlink()
    return content
