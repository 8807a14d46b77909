"""`/api/1/sessions`: the browsers that are signed in, revoked one by one or all, and sign-ins from new addresses."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from dayline.api.admin.sessions import device_of
from tests.support.keyed_server import Browser, KeyedServer, new_code, signed_in
from tests.support.processes.command import run
from tests.support.server import Answer

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
_numbers = count(1)


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    """A server behind a proxy, so that browsers can come from any address."""
    with KeyedServer(tmp_path_factory.mktemp("server") / "days.db", "--trusted-proxy", "127.0.0.1") as server:
        yield server


class DistantBrowser(Browser):
    """A browser at an address of its own."""

    def __init__(self, server: KeyedServer, address: str | None = None) -> None:
        super().__init__(server)
        self.address = address or f"192.0.2.{next(_numbers)}"

    def sign_in(self, **shown: object) -> Answer:
        headers = {"User-Agent": FIREFOX, "X-Forwarded-For": self.address}
        return self.keep(self.server.call("POST", "/api/1/session", shown, headers=headers))

    def call(self, method: str, path: str, body: object = None, *, is_page: bool = True, **headers: str) -> Answer:
        return super().call(method, path, body, is_page=is_page, **{"X-Forwarded-For": self.address, **headers})

    def listed(self) -> dict[str, Any]:
        """What the server lists about this browser."""
        return next(one for one in self.call("GET", "/api/1/sessions").json if one["is_current"])


def arrived(server: KeyedServer, key: str | None = None, *, address: str | None = None) -> DistantBrowser:
    browser = DistantBrowser(server, address)
    shown = {"code": new_code(server)} if key is None else {"key": key}
    assert browser.sign_in(**shown).status == 201
    return browser


def notices(server: KeyedServer, browser: DistantBrowser) -> list[dict[str, Any]]:
    """What health says of sign-ins from the address of the browser."""
    problems = server.as_owner("GET", "/api/1/health").json["problems"]
    return [one for one in problems if one["kind"] == "sign-in" and f"{browser.address}," in one["message"]]


def test_the_list_has_device_address_start_and_last_use(proxied: KeyedServer) -> None:
    made = proxied.made_key("full", name="phone")
    browser = arrived(proxied, made["key"])

    found = browser.listed()

    assert (found["device"], found["user_agent"]) == ("Firefox on Linux", FIREFOX)
    assert (found["key_id"], found["key_name"], found["scope"]) == (made["id"], "phone", "full")
    assert (found["address"], found["last_address"]) == (browser.address, browser.address)
    assert found["started"] <= found["last_used"] < found["expires"]


def test_the_last_use_follows_the_browser(proxied: KeyedServer) -> None:
    browser = arrived(proxied)
    before, started_at = browser.listed(), browser.address
    browser.address = f"198.51.100.{next(_numbers)}"

    browser.call("GET", "/api/0/buckets/")

    found = browser.listed()
    assert (found["address"], found["last_address"]) == (started_at, browser.address)
    assert found["last_used"] > before["last_used"]


def test_nothing_in_the_list_signs_in(proxied: KeyedServer) -> None:
    browser = arrived(proxied)

    assert browser.token not in browser.call("GET", "/api/1/sessions").body.decode()


def test_one_session_is_revoked_and_the_others_stay(proxied: KeyedServer) -> None:
    mine, other = arrived(proxied), arrived(proxied)
    revoked = other.listed()

    answer = mine.call("DELETE", f"/api/1/sessions/{revoked['id']}")

    assert (answer.status, answer.json["id"], answer.json["is_current"]) == (200, revoked["id"], False)
    assert other.call("GET", "/api/0/buckets/").status == 401
    assert mine.call("GET", "/api/0/buckets/").status == 200
    assert revoked["id"] not in {one["id"] for one in mine.call("GET", "/api/1/sessions").json}
    assert mine.call("DELETE", f"/api/1/sessions/{revoked['id']}").json["type"] == "SessionNotFound"
    calls = [line["call"] for line in proxied.as_owner("GET", "/api/1/audit").json["lines"]]
    assert f"revoke_session {revoked['id']}" in calls


def test_all_sessions_are_revoked_also_that_of_the_caller(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db") as server:
        browsers = [signed_in(server), signed_in(server, server.key("read"))]

        answer = browsers[0].call("DELETE", "/api/1/sessions")

        assert answer.json == {"ended": 2}
        assert [browser.call("GET", "/api/0/buckets/").status for browser in browsers] == [401, 401]
        assert server.as_owner("GET", "/api/1/sessions").json == []


def test_a_session_whose_key_was_revoked_is_not_listed(proxied: KeyedServer) -> None:
    made = proxied.made_key("read")
    arrived(proxied, made["key"])

    proxied.as_owner("DELETE", f"/api/1/keys/{made['id']}")

    assert made["id"] not in {one["key_id"] for one in proxied.as_owner("GET", "/api/1/sessions").json}


def test_a_sign_in_from_a_new_address_is_reported_until_it_is_confirmed(proxied: KeyedServer) -> None:
    made = proxied.made_key("read", name="tablet")
    browser = arrived(proxied, made["key"])
    [session] = [one for one in proxied.as_owner("GET", "/api/1/sessions").json if one["key_id"] == made["id"]]

    [notice] = notices(proxied, browser)

    assert session["is_new_address"] is True
    assert f"{browser.address}, Firefox on Linux, with the key 'tablet' ({made['id']})" in notice["message"]
    assert f"dayline keys sessions confirm {session['id']}" in notice["hint"]
    assert f"dayline keys revoke {made['id']}" in notice["hint"]
    assert notice["since"] == session["started"]

    confirmed = proxied.as_owner("POST", f"/api/1/sessions/{session['id']}/confirm")

    assert (confirmed.status, confirmed.json["is_new_address"]) == (200, False)
    assert notices(proxied, browser) == []


def test_a_browser_at_a_new_address_cannot_confirm_itself(proxied: KeyedServer) -> None:
    # Who had signed in with a stolen key could confirm that, and no one heard of it.
    browser = arrived(proxied)
    path = f"/api/1/sessions/{browser.listed()['id']}/confirm"

    answer = browser.call("POST", path)

    assert (answer.status, "cannot confirm" in answer.message) == (403, True)
    assert len(notices(proxied, browser)) == 1
    known = arrived(proxied, address="127.0.0.1")
    assert known.call("POST", path).json["is_new_address"] is False
    assert notices(proxied, browser) == []


def test_a_second_sign_in_from_an_unconfirmed_address_cannot_confirm_the_first(proxied: KeyedServer) -> None:
    first = arrived(proxied)
    second = arrived(proxied, address=first.address)
    path = f"/api/1/sessions/{first.listed()['id']}/confirm"

    assert second.listed()["is_new_address"] is True
    assert second.call("POST", path).status == 403
    assert proxied.with_key(proxied.key("full"), "POST", path).status == 200


def test_a_notice_ends_with_its_session(proxied: KeyedServer) -> None:
    browser = arrived(proxied)
    assert len(notices(proxied, browser)) == 1

    browser.call("DELETE", f"/api/1/sessions/{browser.listed()['id']}")

    assert notices(proxied, browser) == []


def test_an_address_is_new_once(proxied: KeyedServer) -> None:
    first = arrived(proxied)
    first.call("DELETE", "/api/1/session")

    again = arrived(proxied, address=first.address)

    assert again.listed()["is_new_address"] is False
    assert notices(proxied, again) == []


def test_a_failed_sign_in_does_not_make_an_address_known(proxied: KeyedServer) -> None:
    browser = DistantBrowser(proxied)
    headers = {"X-Forwarded-For": browser.address}
    assert proxied.call("POST", "/api/1/session", {"key": "dayline_wrong"}, headers=headers).status == 401

    assert arrived(proxied, address=browser.address).listed()["is_new_address"] is True


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_this_machine_is_never_a_new_address(proxied: KeyedServer, address: str) -> None:
    assert arrived(proxied, address=address).listed()["is_new_address"] is False


def test_only_full_keys_see_who_signed_in(proxied: KeyedServer) -> None:
    arrived(proxied)

    kinds = {one["kind"] for one in proxied.with_key(proxied.key("read"), "GET", "/api/1/health").json["problems"]}

    assert "sign-in" not in kinds


def test_last_use_and_notices_survive_a_restart(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db", "--trusted-proxy", "127.0.0.1") as server:
        browser = arrived(server)
        browser.address = "198.51.100.200"
        before = browser.listed()
        server.stop()
        server.start()

        found = server.as_owner("GET", "/api/1/sessions").json

        assert [(one["id"], one["last_address"], one["is_new_address"]) for one in found] == [
            (before["id"], "198.51.100.200", True)
        ]


@pytest.mark.parametrize("is_running", [True, False])
def test_the_command_lists_confirms_and_revokes(tmp_path: Path, is_running: bool) -> None:
    with KeyedServer(tmp_path / "days.db", "--trusted-proxy", "127.0.0.1") as server:
        first, second = arrived(server), arrived(server)
        ids = [browser.listed()["id"] for browser in (first, second)]
        if not is_running:
            server.stop()

        def sessions(*arguments: str) -> str:
            done = run("keys", "sessions", *arguments, "--database", str(server.database), home=tmp_path)
            assert done.returncode == 0, done.stderr
            return done.stdout + done.stderr

        listed = sessions("list")
        assert f"{first.address}*" in listed
        assert "Firefox on Linux" in listed
        assert "If it was you: dayline keys sessions confirm ID" in listed
        assert f"Confirmed the sign-in from {first.address}" in sessions("confirm", ids[0])
        assert f"{first.address}*" not in sessions("list")
        assert f"Signed out Firefox on Linux at {second.address}" in sessions("revoke", ids[1])
        assert sessions("revoke", "--all") == "Signed out 1 browser.\n"
        assert sessions("list") == "No browser is signed in. Sign one in with: dayline open\n"


@pytest.mark.parametrize(
    ("agent", "device"),
    [
        (FIREFOX, "Firefox on Linux"),
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36",
            "Chrome on Windows",
        ),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Safari/537.36", "Chrome on Android"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.0 Safari/605.1.15", "Safari on macOS"),
        ("curl/8.5.0", "curl"),
        ("", "unknown"),
    ],
)
def test_a_user_agent_names_browser_and_system(agent: str, device: str) -> None:
    assert device_of(agent) == device
