"""Anyone who shows many wrong keys has to slow down; right keys from the same address keep working."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from dayline.access.gate import FailedAttempts
from tests.access.envelope.enveloping import Sender
from tests.access.watching import Watcher
from tests.support.calls.sealing import send_sealed
from tests.support.keyed_server import MANY, KeyedServer, audit_lines
from tests.support.server import Answer

MOST: Final = 3
WRONG: Final = f"dayline_aaaaaaaa_{'A' * 43}"

# The server counts by minutes: no test is to see two of them.
ONE_MINUTE: Final = """
from dayline.access.gate import FailedAttempts
FailedAttempts.__init__.__kwdefaults__["clock"] = lambda: 600.0
"""


@pytest.fixture
def limited(tmp_path: Path) -> Iterator[KeyedServer]:
    """A server that takes three wrong keys a minute."""
    server = KeyedServer(tmp_path / "days.db")
    config = server.database.with_suffix(".toml")
    config.write_text(config.read_text().replace(f"= {MANY}\n", f"= {MOST}\n"))
    server.change = ONE_MINUTE
    with server:
        yield server


def assert_slowed_down(answer: Answer) -> None:
    assert (answer.status, answer.json["type"]) == (429, "TooMany")
    assert 0 < int(answer.headers["retry-after"]) <= 60


def test_after_too_many_wrong_keys_in_a_minute_the_next_is_429(limited: KeyedServer) -> None:
    statuses = [limited.with_key(WRONG, "GET", "/api/0/buckets/").status for _ in range(MOST)]

    assert statuses == [401] * MOST
    assert_slowed_down(limited.with_key(WRONG, "GET", "/api/0/buckets/"))
    assert_slowed_down(limited.with_key("another", "POST", "/api/0/buckets/b/heartbeat?pulsetime=1", {}))


def test_right_keys_keep_working_from_the_same_address(limited: KeyedServer) -> None:
    limited.create("b")
    key, sender = limited.key("full"), Sender(limited)
    with Watcher(limited, "b", key) as watcher:
        assert watcher.beat().status == 200
        for _ in range(MOST * 2):
            limited.with_key(WRONG, "GET", "/api/0/buckets/")

        assert watcher.beat().status == 200
    assert limited.with_key(key, "GET", "/api/0/buckets/").status == 200
    assert limited.call("POST", "/api/1/session", {"key": key}).status == 201
    assert sender.call("GET", "/api/0/buckets/").status == 200
    assert limited.call("GET", "/api/0/info").status == 200
    assert limited.call("GET", "/api/0/buckets/").status == 401  # no key at all is no wrong key


def test_every_way_to_show_a_key_counts(limited: KeyedServer) -> None:
    changed = Sender(limited).sealed("GET", "/api/0/buckets/")
    changed = changed[:-2] + (b"AA" if changed[-2:] != b"AA" else b"BA")

    assert limited.call("POST", "/api/1/session", {"key": WRONG}).status == 401
    assert limited.call("POST", "/api/1/session", {"code": "wrong"}).status == 401
    assert send_sealed(limited, changed).status in (400, 401)
    limited.with_key(WRONG, "GET", "/api/0/buckets/")

    assert_slowed_down(limited.with_key(WRONG, "GET", "/api/0/buckets/"))
    assert_slowed_down(limited.call("POST", "/api/1/session", {"key": WRONG}))
    assert_slowed_down(limited.call("POST", "/api/1/session", {"code": "wrong"}))


def test_calls_without_any_key_are_not_wrong_keys(limited: KeyedServer) -> None:
    for _ in range(MOST * 3):
        assert limited.call("GET", "/api/0/buckets/").status == 401

    assert limited.with_key(WRONG, "GET", "/api/0/buckets/").status == 401


def test_those_who_are_slowed_down_stand_in_the_audit(limited: KeyedServer) -> None:
    for _ in range(MOST + 2):
        limited.with_key(WRONG, "GET", "/api/0/buckets/")

    refused = {(line["status"], line["count"]) for line in audit_lines(limited, refused=1)}
    assert refused == {(401, MOST), (429, 2)}


def test_each_address_and_each_minute_is_counted_separately() -> None:
    now = 600.0
    attempts = FailedAttempts(2, clock=lambda: now)

    assert [attempts.note("a") for _ in range(3)] == [False, False, True]
    assert attempts.note("b") is False
    now += 59
    assert attempts.note("a") is True
    now += 1
    assert attempts.note("a") is False


def test_many_addresses_do_not_fill_the_memory() -> None:
    attempts = FailedAttempts(1, clock=lambda: 600.0)
    for number in range(50_000):
        attempts.note(f"2001:db8::{number:x}")

    assert len(attempts._failures) <= 10_000  # pyright: ignore[reportPrivateUsage]  # nothing else reports it
