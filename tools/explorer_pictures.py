"""Makes the pictures of docs/explorer.md: needs chromium and selenium.

python tools/explorer_pictures.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from explorer_browser import User, browser, server

IMAGES = ROOT / "docs" / "images"
ENTER = "\ue007"


def fitted(user: User, address: str) -> None:
    """Open the page, fit, and choose the first node."""
    user.open(address)
    user.click("fit")
    user.see("badge", "Proved optimal")
    user.wait(lambda: user.nodes())
    user.nodes()[0].send_keys(ENTER)
    user.wait(lambda: user.all('[data-part="histogram"] canvas'))
    user.click("find-sizes")
    user.see("size", "Tree ")


def settled(user: User) -> None:
    """Wait until charts are drawn and nothing moves any more."""
    user.driver.set_script_timeout(20)
    user.driver.execute_async_script("setTimeout(arguments[0], 1500)")


def main() -> None:
    """Take both pictures."""
    with tempfile.TemporaryDirectory() as folder, browser(folder) as driver:
        with server("wine") as address:
            user = User(driver, (1280, 860))
            fitted(user, address)
            settled(user)
            driver.save_screenshot(str(IMAGES / "explorer.png"))
        with server("iris") as address:
            user = User(driver, (420, 800))
            fitted(user, address)
            driver.execute_script("treeproofTree.follow()")
            settled(user)
            driver.save_screenshot(str(IMAGES / "explorer_phone.png"))


if __name__ == "__main__":
    main()
