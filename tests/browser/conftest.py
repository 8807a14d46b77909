"""A real browser for the tests of this folder: one for each worker, since a start takes a second."""

import os
from collections.abc import Iterator

import pytest

from scripts.chromium import find_chromium
from tests.browser.driver import Browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A Chromium; each test opens a page of its own in it."""
    with Browser(os.environ.get("CHROMIUM") or find_chromium()) as browser:
        yield browser
