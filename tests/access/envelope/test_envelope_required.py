"""`access.require_envelope`: keys are taken in envelopes alone."""

from collections.abc import Iterator

import pytest

from tests.access.envelope.enveloping import Sender
from tests.access.watching import Watcher, events, heartbeat
from tests.support.keyed_server import KeyedServer, new_code


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    path = tmp_path_factory.mktemp("strict") / "days.db"
    with KeyedServer(path, settings="require_envelope = true\n") as server:
        server.create("b")
        yield server


@pytest.fixture(scope="module")
def sender(strict: KeyedServer) -> Sender:
    return Sender(strict)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/0/buckets/", None),
        ("GET", "/api/0/buckets/b/events", None),
        ("POST", "/api/0/buckets/b/events", heartbeat("10:00:00")),
        ("POST", "/api/0/buckets/b/heartbeat?pulsetime=5", heartbeat("10:00:00")),
        ("GET", "/api/1/keys", None),
    ],
)
def test_plain_call_is_rejected_with_a_key_and_without(
    strict: KeyedServer, sender: Sender, method: str, path: str, body: object
) -> None:
    with_key = strict.with_key(sender.key, method, path, body)

    assert (with_key.status, with_key.json["type"]) == (403, "Forbidden")
    assert "envelope" in with_key.message
    assert strict.call(method, path, body).status == 401
    assert events(strict, "b") == []


def test_watcher_on_a_kept_connection_is_refused(strict: KeyedServer, sender: Sender) -> None:
    with Watcher(strict, "b", sender.key) as watcher:
        assert [watcher.beat().status for _ in range(3)] == [403, 403, 403]
    assert events(strict, "b") == []


def test_no_browser_can_sign_in_with_a_key_in_the_clear_or_a_code(strict: KeyedServer, sender: Sender) -> None:
    for shown in ({"key": sender.key}, {"code": new_code(strict)}):
        answer = strict.call("POST", "/api/1/session", shown)

        assert (answer.status, answer.json["type"]) == (403, "Forbidden")
        assert "set-cookie" not in answer.headers
        assert "envelope" in answer.message


def test_info_is_open_and_enveloped_calls_are_answered(strict: KeyedServer, sender: Sender) -> None:
    assert strict.call("GET", "/api/0/info").status == 200
    assert sender.call("GET", "/api/0/buckets/").status == 200
    path = "/api/0/settings/theme"
    assert sender.call("POST", path, "dark").status == 201
    assert strict.as_owner("GET", path).json == "dark"


def test_commands_of_this_machine_need_no_envelope(strict: KeyedServer) -> None:
    assert strict.as_owner("GET", "/api/1/keys").status == 200
