"""No key, code, cookie or token ever is in a log, an error, the audit, the database or the list of processes."""

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from tests.access.keys.clocked_server import ClockedServer
from tests.access.keys.traces import files_holding
from tests.access.watching import Watcher, heartbeat
from tests.support.calls.clients import DAY
from tests.support.calls.raw_connection import RawConnection
from tests.support.calls.sealing import sealed, send_sealed
from tests.support.keyed_server import Browser, new_code
from tests.support.server import Answer

FIELDS: Final = {"client": "c", "type": "t", "hostname": "h"}
# Standard error goes to a file, to be looked through like all others.
_START: Final = """
import os
os.dup2(os.open({path!r}, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600), 2)
"""


class Story:
    """A server on which keys of every kind were used, rightly and wrongly, and everything that it answered."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = ClockedServer(folder / "days.db", "--log-level", "debug")
        self.server.change += _START.format(path=str(folder / "standard-error"))
        self.secrets: dict[str, str] = {}
        self.answers: list[Answer] = []

    def play(self) -> None:
        server = self.server
        server.create("b")
        self.secrets["owner's token"] = server.owner
        for scope in ("full", "read", "append"):
            self.secrets[f"{scope} key"] = server.key(scope, envelope=True)
        soon = datetime.now(UTC) + timedelta(seconds=60)
        self.secrets["expiring key"] = server.key("full", envelope=True, expires=soon.isoformat())
        self._end_keys()
        self.secrets["unknown key"] = f"dayline_aaaaaaaa_{'unknown' * 6}A"
        self.secrets["key of another server"] = "9c2f1b" * 8
        self._sign_in()
        self.server.set_ahead(timedelta(seconds=90))  # less than clocks may differ
        for secret in list(self.secrets.values()):
            self._use(secret)

    def secret_parts(self) -> dict[str, str]:
        """The secrets without what may be known of them: the prefix and the id of a key."""
        return {
            name: text.split("_", 2)[2] if text.startswith("dayline_") else text for name, text in self.secrets.items()
        }

    def _end_keys(self) -> None:
        server = self.server
        revoked, rotated = server.made_key("full", envelope=True), server.made_key("full")
        self.note(server.as_owner("DELETE", f"/api/1/keys/{revoked['id']}"))
        new = server.as_owner("POST", f"/api/1/keys/{rotated['id']}/rotate", {"grace_s": 60}).json
        self.secrets |= {"revoked key": revoked["key"], "old key": rotated["key"], "new key": new["key"]}

    def _sign_in(self) -> None:
        server = self.server
        browsers = {name: Browser(server) for name in ("owner", "reader", "gone")}
        self.secrets |= {"used code": new_code(server), "code": new_code(server), "second code": new_code(server)}
        browsers["owner"].sign_in(code=self.secrets["used code"])
        browsers["reader"].sign_in(key=self.secrets["read key"])
        browsers["gone"].sign_in(code=self.secrets["second code"])
        self.note(browsers["gone"].call("DELETE", "/api/1/session"))
        for name, browser in browsers.items():
            self.secrets |= {f"cookie of {name}": browser.token, f"secret of {name}": browser.secret}
            for method, body in (("GET", None), ("POST", FIELDS)):
                self.note(browser.call(method, "/api/0/buckets/b", body))
                self.note(browser.call(method, "/api/0/buckets/b", body, is_page=False))

    def _use(self, secret: str) -> None:
        """Show it in every place where someone might, right or wrong."""
        server = self.server
        beat = heartbeat("10:00:00")
        for scheme in ("Bearer ", "Basic ", ""):
            headers = {"Authorization": f"{scheme}{secret}"}
            self.note(server.call("GET", "/api/0/buckets/", headers=headers))
            self.note(server.call("POST", "/api/0/buckets/b/heartbeat?pulsetime=1", beat, headers=headers))
            self.note(server.call("POST", "/api/0/buckets/b/events", {"timestamp": 1}, headers=headers))
        self.note(server.call("GET", "/api/0/buckets/", headers={"Cookie": f"dayline_session_{server.port}={secret}"}))
        for body in ({"key": [secret]}, {"code": {"x": secret}}, {"key": secret, "code": secret}, {"key": secret * 9}):
            self.note(server.call("POST", "/api/1/session", body))
        self.note(server.call("POST", "/api/1/session", raw=f'{{"key": "{secret}"'.encode()))
        self.note(server.call("POST", "/api/1/session", raw=f'"{secret}'.encode()))
        self.note(server.as_owner("DELETE", f"/api/1/keys/{secret}"))
        self.note(
            server.call("POST", "/api/1/envelope", raw=secret.encode(), headers={"Content-Type": "application/jose"})
        )
        if secret.startswith("dayline_"):
            self.note(send_sealed(server, sealed("GET", "/api/0/buckets/", key=secret)))
            self.note(send_sealed(server, sealed("POST", "/api/0/buckets/b/events", beat, key=secret)[:-1] + b"A"))
            with Watcher(server, "b", secret) as watcher:
                self.note(watcher.beat())
                self.note(watcher.beat())
        with RawConnection(server) as connection:
            connection.send(f"GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret}\0\r\n\r\n".encode())
            self.note(connection.answer())

    def note(self, answer: Answer) -> None:
        self.answers.append(answer)


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    story = Story(tmp_path_factory.mktemp("secrets"))
    with story.server:
        story.play()
        yield story


def test_no_answer_repeats_a_secret(story: Story) -> None:
    statuses = {answer.status for answer in story.answers}
    assert {200, 304, 400, 401, 403, 404, 422} <= statuses, "the story has every kind of answer in it"

    for name, secret in story.secret_parts().items():
        reported = [
            answer for answer in story.answers if secret in answer.body.decode() or secret in str(answer.headers)
        ]
        assert reported == [], name


@pytest.mark.parametrize(
    "path", ["/api/0/log", "/api/1/audit?limit=1000", "/api/1/keys", "/api/1/session", "/api/0/export"]
)
def test_nothing_that_the_owner_can_read_holds_a_secret(story: Story, path: str) -> None:
    body = story.server.as_owner("GET", path).body.decode()

    assert [name for name, secret in story.secret_parts().items() if secret in body] == []


def test_no_process_shows_a_secret(story: Story) -> None:
    server = story.server
    document: dict[str, Any] = {"buckets": {"imported": {**FIELDS, "id": "imported", "events": []}}}
    for key in ("full key", "read key"):
        program = {"query": ["RETURN = 1;"], "timeperiods": [DAY]}
        assert server.with_key(story.secrets[key], "POST", "/api/0/query/", program).status == 200
    assert server.with_key(story.secrets["full key"], "POST", "/api/0/import", document).status == 200

    shown = b"".join(_process_details(server.pid))

    assert b"query_process" in shown
    assert [name for name, secret in story.secret_parts().items() if secret.encode() in shown] == []


def test_no_file_holds_a_secret_but_the_token_of_this_machine(story: Story) -> None:
    assert holding(story) == {"owner's token": {"token"}}
    story.server.stop()
    try:
        assert holding(story) == {}
    finally:
        story.server.start()
    standard_error = (story.folder / "standard-error").read_bytes()
    assert b"is ready at" in standard_error
    assert b"Traceback" not in standard_error


def holding(story: Story) -> dict[str, set[str]]:
    """For each secret that is in a file, which files those are."""
    found = {name: files_holding(story.folder, secret) for name, secret in story.secret_parts().items()}
    return {name: files for name, files in found.items() if files}


def _process_details(server_pid: int) -> Iterator[bytes]:
    """Arguments and environment of the server and of every process that it has started."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if server_pid in (parent, int(folder.name)):
                yield (folder / "cmdline").read_bytes()
                yield (folder / "environ").read_bytes()
