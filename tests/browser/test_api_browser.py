"""The API browser at `/api/`, in a real Chromium."""

import pytest

from dayline.api.routes import CALLS
from tests.browser.driver import Browser, Scheme
from tests.server import RunningServer

BACKGROUND = {"light": "rgb(247, 248, 250)", "dark": "rgb(15, 18, 23)"}
# RapiDoc keeps its own elements in a shadow tree.
SURFACE = "getComputedStyle(document.querySelector('rapi-doc')).backgroundColor"
LISTED = "[...document.querySelector('rapi-doc').shadowRoot.querySelectorAll('.nav-bar-path')].map(e => e.textContent)"
INFO = "#get-/api/0/info"


def test_every_call_is_listed(browser: Browser, shared_server: RunningServer) -> None:
    browser.open(f"{shared_server.url}/api/")
    browser.wait_for(CALLS[-1].summary)

    listed = [" ".join(text.split()) for text in browser.evaluate(LISTED)]
    assert sorted(listed) == sorted(f"{route.method} {route.summary}" for route in CALLS)


def test_a_call_can_be_tried_and_shows_its_answer(browser: Browser, shared_server: RunningServer) -> None:
    info = shared_server.get("/api/0/info").json

    browser.open(f"{shared_server.url}/api/{INFO}")
    browser.click("button", "TRY")
    browser.wait_for("Response Status: OK:200")

    browser.wait_for(info["device_id"])
    assert f"{shared_server.url}/api/0/info" in browser.seen().requests


def test_a_change_can_be_tried_with_the_example_as_it_stands(browser: Browser, server: RunningServer) -> None:
    browser.open(f"{server.url}/api/#post-/api/0/buckets/-bucket_id-")
    # A POST from a page carries an Origin: the server has to know its own.
    operation = ["locator", '[id="post-/api/0/buckets/-bucket_id-"]']
    browser.do(operation, ["getByRole", "button", {"name": "TRY"}], ["click"])
    browser.do(operation, ["getByText", "Response Status: OK:200"], ["waitFor"])

    assert list(server.get("/api/0/buckets/").json) == ["aw-watcher-window_laptop"]


def test_nothing_is_asked_of_another_machine_and_nothing_goes_wrong(
    browser: Browser, shared_server: RunningServer
) -> None:
    browser.open(f"{shared_server.url}/api/{INFO}")
    browser.click("button", "TRY")
    browser.wait_for("Response Status: OK:200")

    seen = browser.seen()

    assert [url for url in seen.requests if not url.startswith(f"{shared_server.url}/")] == []
    assert seen.problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_has_the_colours_of_the_theme(browser: Browser, shared_server: RunningServer, scheme: Scheme) -> None:
    browser.open(f"{shared_server.url}/api/", scheme=scheme)
    browser.wait_for(CALLS[0].summary)

    assert browser.evaluate(SURFACE) == BACKGROUND[scheme]


def test_it_fits_a_narrow_screen(browser: Browser, shared_server: RunningServer) -> None:
    browser.open(f"{shared_server.url}/api/", width=320)
    # The calls are rows that open. RapiDoc hides what overflows it, so that a button is looked at.
    browser.do(["locator", "rapi-doc"], ["getByText", CALLS[0].path, {"exact": True}], ["first"], ["click"])

    right = browser.do(["getByRole", "button", {"name": "TRY"}], ["first"], ["boundingBox"])
    assert browser.evaluate("document.documentElement.scrollWidth") == 320
    assert right["x"] + right["width"] <= 320


def test_without_rapidoc_the_calls_are_a_plain_list(browser: Browser, shared_server: RunningServer) -> None:
    browser.prepare()
    browser.block("**/rapidoc-min.js")
    browser.do(["goto", f"{shared_server.url}/api/"])
    browser.wait_for("The calls of this server")

    shown = browser.text(".calls")

    assert [route.path for route in CALLS if f"{route.method} {route.path}" not in shown] == []
    assert browser.do(["locator", ".calls a[href='openapi.json']"], ["isVisible"])


def test_the_way_back_leads_to_the_page_of_the_server(browser: Browser, shared_server: RunningServer) -> None:
    browser.open(f"{shared_server.url}/api/")
    browser.click("link", "Back to Dayline")
    browser.do(["locator", "main[data-ready=true]"], ["waitFor"])

    assert str(browser.do(["url"])).partition("#")[0] == f"{shared_server.url}/"


def test_the_path_without_a_slash_leads_there_too(browser: Browser, shared_server: RunningServer) -> None:
    browser.open(f"{shared_server.url}/api")
    browser.wait_for(CALLS[0].summary)

    assert str(browser.do(["url"])).partition("#")[0] == f"{shared_server.url}/api/"
