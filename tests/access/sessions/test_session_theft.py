"""A session is of no use to other users of the computer, who receive its cookie on a port of theirs."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dayline.access.sessions import BrowserProof, SignedIn
from dayline.access.sessions import Sessions as OpenSessions
from tests.access.sessions.test_session_lifetimes import Clock, opened, run
from tests.support.keyed_server import Browser, KeyedServer, signed_in
from tests.support.server import Answer

VICTIM, THIEF, ROOT = 54_321, 54_322, 0

CALL = """
import http.client, json, sys
port, method, path, body, headers = json.loads(sys.argv[1])
connection = http.client.HTTPConnection("127.0.0.1", port)
connection.request(method, path, body, {"Content-Type": "application/json", **headers})
response = connection.getresponse()
headers = {name.lower(): value for name, value in response.getheaders()}
print(json.dumps([response.status, headers, response.read().decode()]))
"""


class BrowserOf(Browser):
    """A browser of a real user of this computer."""

    def __init__(self, server: KeyedServer, uid: int) -> None:
        super().__init__(server)
        self.uid = uid

    def sign_in(self, **shown: object) -> Answer:
        return self.keep(self._send("POST", "/api/1/session", shown, {}))

    def call(self, method: str, path: str, body: object = None, *, is_page: bool = True, **headers: str) -> Answer:
        shown = {"Cookie": self.cookie, "X-Dayline": self.secret} if self.cookie else {}
        return self._send(method, path, body, {**shown, **headers})

    def robbed_by(self, uid: int) -> "BrowserOf":
        """A browser of another user with all that this one knows."""
        thief = BrowserOf(self.server, uid)
        thief.cookie, thief.secret = self.cookie, self.secret
        return thief

    def _send(self, method: str, path: str, body: object, headers: dict[str, str]) -> Answer:
        sent = None if body is None else msgspec.json.encode(body).decode()
        request = msgspec.json.encode((self.server.port, method, path, sent, headers)).decode()
        as_user = ["setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups", "--"]
        done = subprocess.run([*as_user, sys.executable, "-c", CALL, request], capture_output=True, check=True)
        status, answered, content = msgspec.json.decode(done.stdout, type=tuple[int, dict[str, str], str])
        return Answer(status, answered, content.encode())


class RefusingServer(KeyedServer):
    """It requires no keys, and serves no other users without one."""

    def __init__(self, database: Path) -> None:
        super().__init__(database)
        database.with_suffix(".toml").write_text('[access]\nother_users = "refuse"\n')


@pytest.fixture(params=[KeyedServer, RefusingServer])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KeyedServer]:
    kind: Any = request.param
    with kind(tmp_path / "days.db") as server:
        yield server


@pytest.mark.root
def test_another_user_can_neither_read_nor_make_a_key_with_a_stolen_session(server: KeyedServer) -> None:
    # Anyone on a port of the same host received the cookie, and with it read all data and created a full key, although
    # other users were refused.
    victim = BrowserOf(server, VICTIM)
    assert victim.sign_in(key=server.key("full")).status == 201
    thief = victim.robbed_by(THIEF)

    for secret in (thief.secret, "", "1"):
        thief.secret = secret
        assert thief.call("GET", "/api/0/export").status in (401, 403)
        assert thief.call("GET", "/api/1/stream?follow=0").status in (401, 403)
        assert thief.call("POST", "/api/1/keys", {"name": "mine", "scope": "full"}).status in (401, 403)
        assert thief.call("POST", "/api/1/session/tickets", {"path": "/api/0/export"}).status in (401, 403)
        assert thief.call("GET", "/api/1/session").json["is_signed_in"] is False

    assert [key["name"] for key in server.as_owner("GET", "/api/1/keys").json] == ["full key"]
    assert victim.call("GET", "/api/0/export").status == 200
    assert victim.robbed_by(ROOT).call("GET", "/api/0/export").status == 200


@pytest.mark.root
def test_another_user_cannot_sign_a_browser_out(server: KeyedServer) -> None:
    victim = BrowserOf(server, VICTIM)
    victim.sign_in(key=server.key("full"))

    victim.robbed_by(THIEF).call("DELETE", "/api/1/session")

    assert victim.call("GET", "/api/1/session").json["is_signed_in"] is True


@pytest.mark.root
def test_a_ticket_is_of_no_use_to_another_user(server: KeyedServer) -> None:
    victim = BrowserOf(server, VICTIM)
    victim.sign_in(key=server.key("full"))
    ticket = victim.call("POST", "/api/1/session/tickets", {"path": "/api/0/export"}).json["ticket"]
    thief = victim.robbed_by(THIEF)
    thief.secret = ""

    assert thief.call("GET", f"/api/0/export?ticket={ticket}").status in (401, 403)


def test_the_user_is_part_of_the_cookie_and_cannot_be_replaced(keyed: KeyedServer) -> None:
    browser = signed_in(keyed)
    name, _, token = browser.cookie.partition("=")

    for uid in {"", ".0", ".4242", f".{'9' * 5000}"} - {token[43:]}:
        browser.cookie = f"{name}={token[:43]}{uid}"
        assert browser.call("GET", "/api/0/buckets/").status == 401


# Tickets: the proof of one download, because a link cannot send a header.


def ticket_of(browser: Browser, path: str = "/api/0/export") -> str:
    answer = browser.call("POST", "/api/1/session/tickets", {"path": path})
    assert (answer.status, answer.json["expires_in_s"]) == (201, 60)
    return str(answer.json["ticket"])


def test_a_ticket_downloads_once(keyed: KeyedServer) -> None:
    browser = signed_in(keyed)
    ticket = ticket_of(browser)

    statuses = [browser.call("GET", f"/api/0/export?ticket={ticket}", is_page=False).status for _ in range(2)]

    assert statuses == [200, 401]


def test_a_ticket_is_for_one_path_one_browser_and_reading(keyed: KeyedServer) -> None:
    browser, other = signed_in(keyed), signed_in(keyed)
    ticket = ticket_of(browser)

    assert browser.call("GET", f"/api/1/keys?ticket={ticket}", is_page=False).status == 401
    assert browser.call("POST", f"/api/0/export?ticket={ticket}", is_page=False).status == 405
    assert other.call("GET", f"/api/0/export?ticket={ticket}", is_page=False).status == 401
    assert keyed.call("GET", f"/api/0/export?ticket={ticket}").status == 401
    forged = f"{ticket[:-1]}{'1' if ticket.endswith('0') else '0'}"
    assert browser.call("GET", f"/api/0/export?ticket={forged}", is_page=False).status == 401
    assert browser.call("GET", f"/api/0/export?ticket={ticket}", is_page=False).status == 200


def test_a_ticket_changes_nothing(keyed: KeyedServer) -> None:
    browser = signed_in(keyed)
    ticket = ticket_of(browser, "/api/0/settings/theme")

    assert browser.call("POST", f"/api/0/settings/theme?ticket={ticket}", 1, is_page=False).status == 401


def test_only_a_signed_in_browser_gets_a_ticket(keyed: KeyedServer) -> None:
    answer = keyed.with_key(keyed.key("read"), "POST", "/api/1/session/tickets", {"path": "/api/0/export"})

    assert (answer.status, "signed in" in answer.message) == (422, True)


def test_a_ticket_holds_for_a_minute_also_at_another_server_of_the_database(tmp_path: Path) -> None:
    def proof(sessions: OpenSessions, signed_in: SignedIn) -> BrowserProof:
        digest, cookie = signed_in.session.digest, signed_in.cookie
        return BrowserProof(cookie=cookie, ticket=sessions.new_ticket(digest, cookie=cookie, path="/a"), path="/a")

    async def test() -> None:
        clock = Clock()
        async with opened(tmp_path / "days.db", clock) as sessions:
            signed_in = await sessions.begin(key_id=None, address="127.0.0.1", agent="browser")
            elsewhere, in_time, too_late = (proof(sessions, signed_in) for _ in range(3))
            clock.now += 60_000_000 - 1
            assert sessions.find(in_time) is not None
        async with opened(tmp_path / "days.db", clock) as sessions:
            assert sessions.find(elsewhere) is not None
            clock.now += 1
            assert sessions.find(too_late) is None

    run(test)


# A user with a copy of the database, such as a backup, could make tickets: they were computed from the stored digest
# and from any cookie, also one that named another local user.
def test_the_stored_digest_is_not_enough_for_a_ticket(tmp_path: Path) -> None:
    async def test() -> None:
        async with opened(tmp_path / "days.db", Clock()) as sessions:
            signed_in = await sessions.begin(key_id=None, address="127.0.0.1", agent="browser", uid=VICTIM)
            digest = signed_in.session.digest
            for cookie in ("", "made up", f"made up.{THIEF}", digest.hex()):
                ticket = sessions.new_ticket(digest, cookie=cookie, path="/a")
                proof = BrowserProof(cookie=cookie, ticket=ticket, path="/a", uid=lambda: THIEF)
                assert sessions.find(proof) is None

    run(test)
