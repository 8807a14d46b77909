"""Signing in at the page of a server that asks for keys, in a real Chromium."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.driver import Browser, Scheme
from tests.keyed_server import KeyedServer

BUCKET = "aw-watcher-window_laptop"


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    with KeyedServer(tmp_path_factory.mktemp("server") / "days.db") as server:
        server.create(BUCKET)
        yield server


def sign_in(browser: Browser, key: str) -> None:
    """Type a key and press Enter."""
    browser.do(["getByLabel", "Key"], ["fill", key])
    browser.press("Enter")


def test_the_page_asks_for_a_key_and_shows_nothing_before(browser: Browser, keyed: KeyedServer) -> None:
    browser.open(f"{keyed.url}/")
    browser.wait_for("This server asks for a key")

    assert BUCKET not in browser.evaluate("document.body.innerHTML")
    assert browser.evaluate("document.activeElement.id") == "key"


def test_a_key_signs_in_and_signing_out_closes_the_page_again(browser: Browser, keyed: KeyedServer) -> None:
    browser.open(f"{keyed.url}/")
    browser.wait_for("This server asks for a key")

    sign_in(browser, keyed.key("read"))
    browser.wait_for(BUCKET)
    browser.do(["reload"])
    browser.wait_for(BUCKET)
    browser.click("button", "Sign out")

    browser.wait_for("This server asks for a key")


def test_a_wrong_key_is_told(browser: Browser, keyed: KeyedServer) -> None:
    browser.open(f"{keyed.url}/")
    browser.wait_for("This server asks for a key")

    sign_in(browser, "dayline_wrong")

    browser.wait_for("the key is not valid here")


def test_no_script_can_read_the_session(browser: Browser, keyed: KeyedServer) -> None:
    browser.open(f"{keyed.url}/")
    browser.wait_for("This server asks for a key")

    sign_in(browser, keyed.key("read"))
    browser.wait_for(BUCKET)

    assert browser.evaluate("document.cookie") == ""
    assert browser.evaluate("Object.keys(localStorage).length + Object.keys(sessionStorage).length") == 0


def test_a_link_signs_in_once_and_leaves_no_trace_in_the_address(browser: Browser, keyed: KeyedServer) -> None:
    code = keyed.as_owner("POST", "/api/1/session/codes").json["code"]

    browser.open(f"{keyed.url}/#code={code}")
    browser.wait_for(BUCKET)
    assert browser.evaluate("location.href") == f"{keyed.url}/"

    browser.open(f"{keyed.url}/#code={code}")
    browser.wait_for("the code is not valid")


def test_whoever_is_signed_in_can_import_from_the_page(browser: Browser, tmp_path: Path) -> None:
    document = tmp_path / "export.json"
    document.write_text('{"buckets": {"imported": {"type": "t", "client": "c", "hostname": "h", "events": []}}}')
    with KeyedServer(tmp_path / "days.db") as server:
        browser.open(f"{server.url}/")
        browser.wait_for("This server asks for a key")
        sign_in(browser, server.key("full"))
        browser.wait_for("Nothing has been recorded yet")

        browser.do(["locator", "#file"], ["setInputFiles", str(document)])

        browser.wait_for("Imported 0 events in 1 buckets")


def test_calls_can_be_tried_in_the_api_browser_once_signed_in(browser: Browser, keyed: KeyedServer) -> None:
    browser.open(f"{keyed.url}/")
    browser.wait_for("This server asks for a key")
    sign_in(browser, keyed.key("full"))
    browser.wait_for(BUCKET)

    # What the page does for every call that is tried: see api.js.
    status = browser.evaluate(
        "fetch('api/0/settings/theme', {method: 'POST', body: '1',"
        " headers: {'Content-Type': 'application/json', 'X-Dayline': '1'}}).then(answer => answer.status)"
    )
    without = browser.evaluate(
        "fetch('api/0/settings/theme', {method: 'POST', body: '1',"
        " headers: {'Content-Type': 'application/json'}}).then(answer => answer.status)"
    )

    assert (status, without) == (201, 403)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_nothing_overflows_the_window(browser: Browser, keyed: KeyedServer, width: int, scheme: Scheme) -> None:
    browser.open(f"{keyed.url}/", width=width, scheme=scheme)
    browser.wait_for("This server asks for a key")

    assert browser.evaluate("document.documentElement.scrollWidth") == width
    assert browser.seen().problems == []
