"""What a key may do that is not for everything: requests a second, bytes a day, buckets."""

from collections.abc import Iterator
from typing import Any, Final

import pytest

from dayline.access.limits import KeyUsage, KeyUsages
from dayline.config.sections import Limits
from dayline.model.access import LOCAL, OPEN, BucketNames, Caller
from dayline.model.errors import TooMany
from dayline.model.time import DAY, Microseconds
from tests.access.watching import heartbeat
from tests.support.keyed_server import KeyedServer

BURST: Final = 20  # requests, at 2 a second
SETTINGS: Final = "[limits]\nkey_requests_per_second = 2\nkey_mib_per_day = 1\nkey_buckets = 3\n"
# The clock stands still, so that nothing depends on how fast the requests come.
STANDING_CLOCK: Final = """
from dayline.access.limits import KeyUsages
KeyUsages.__init__.__kwdefaults__["clock"] = lambda: 600.0
"""
APPEND: Final = Caller(kind="key", scope="append", key_id="aaaaaaaa")


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0
        self.now: Microseconds = 20_000 * DAY

    def usage(self, caller: Caller = APPEND, **limits: int) -> KeyUsage:
        usages = KeyUsages(Limits(**limits), clock=lambda: self.seconds, now=lambda: self.now)
        usage = usages.of(caller)
        assert usage is not None
        return usage


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    server = KeyedServer(tmp_path_factory.mktemp("limited") / "days.db", settings=SETTINGS)
    server.change = STANDING_CLOCK
    with server:
        server.create("shared")
        yield server


def test_requests_are_rejected_after_the_burst_and_accepted_again_with_time() -> None:
    clock = Clock()
    usage = clock.usage(key_requests_per_second=2)
    taken = [usage.take(0) for _ in range(BURST + 1)]

    clock.seconds += 1
    later = [usage.take(0) for _ in range(3)]

    assert (taken, later) == ([True] * BURST + [False], [True, True, False])


def test_bytes_are_counted_by_the_day() -> None:
    clock = Clock()
    usage = clock.usage(key_mib_per_day=1)

    usage.take_bytes(1 << 20)
    with pytest.raises(TooMany, match="1 MiB today") as refused:
        usage.take_bytes(1)
    clock.now += DAY
    usage.take_bytes(1)

    assert refused.value.retry_after_s == DAY // 1_000_000 + 1
    assert "limits.key_mib_per_day" in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("caller", "is_limited"),
    [
        (OPEN, False),
        (LOCAL, False),
        (Caller(kind="key", scope="full", key_id="aaaaaaaa"), False),
        (Caller(kind="key", scope="full", key_id="aaaaaaaa", buckets=BucketNames(("a",))), True),
        (Caller(kind="key", scope="read", key_id="aaaaaaaa"), True),
        (APPEND, True),
        (Caller(kind="extension", scope="append", origin="chrome-extension://abc"), True),
    ],
)
def test_all_but_the_owner_have_limits(caller: Caller, is_limited: bool) -> None:
    assert (KeyUsages(Limits()).of(caller) is not None) == is_limited


def test_the_usual_limits_are_far_above_what_watchers_send() -> None:
    clock = Clock()
    usage = clock.usage()
    # A hundred watchers behind one key, each with a heartbeat a second, for a day.
    for _ in range(24):
        clock.seconds += 3600
        assert all(usage.take(200) for _ in range(100))
    assert usage.take(100 * 86_400 * 200)


@pytest.mark.parametrize("name", ["rate-of-heartbeats", "rate-of-lists"])
def test_a_key_that_sends_too_many_requests_gets_429_and_others_continue(limited: KeyedServer, name: str) -> None:
    scope = "append" if name == "rate-of-heartbeats" else "read"
    key, other = limited.key(scope), limited.key(scope)

    def call(with_key: str) -> Any:
        if scope == "read":
            return limited.with_key(with_key, "GET", "/api/0/buckets/shared")
        return limited.with_key(with_key, "POST", "/api/0/buckets/shared/heartbeat?pulsetime=5", heartbeat("10:00:00"))

    answers = [call(key) for _ in range(BURST + 1)]

    assert [answer.status for answer in answers] == [200] * BURST + [429]
    assert answers[-1].headers["retry-after"] == "1"
    assert "2 requests per second" in answers[-1].json["message"]
    assert "limits.key_requests_per_second" in answers[-1].json["hint"]
    assert call(other).status == 200


def test_a_key_has_one_limit_whatever_origins_it_sends(limited: KeyedServer) -> None:
    # Limits were counted per Origin, which a program can invent: the key had them once for each.
    key = limited.key("append")

    answers = [
        limited.with_key(
            key,
            "POST",
            "/api/0/buckets/shared/heartbeat?pulsetime=5",
            heartbeat("10:00:00"),
            headers={"Origin": f"moz-extension://{number}"} if number % 2 else {},
        )
        for number in range(BURST + 1)
    ]

    assert [answer.status for answer in answers] == [200] * BURST + [429]
    assert "2 requests per second" in answers[-1].json["message"]


def test_a_key_has_one_limit_of_buckets_whatever_origins_it_sends(limited: KeyedServer) -> None:
    key = limited.key("append")
    body = {"client": "c", "type": "t", "hostname": "h"}

    def create(number: int) -> Any:
        origin = {"Origin": f"moz-extension://{number}"} if number else {}
        return limited.with_key(key, "POST", f"/api/0/buckets/by-origin-{number}", body, headers=origin)

    assert [create(number).status for number in range(4)] == [200, 200, 200, 403]
    own = limited.with_key(key, "GET", "/api/0/buckets/by-origin-1", headers={"Origin": "moz-extension://1"})
    other = limited.with_key(key, "GET", "/api/0/buckets/by-origin-1", headers={"Origin": "moz-extension://2"})
    assert (own.status, other.status) == (200, 403)


def test_a_key_that_has_sent_its_bytes_of_the_day_gets_429(limited: KeyedServer) -> None:
    key = limited.key("append")
    large = [heartbeat("10:00:00", app="x" * 600_000)]

    first = limited.with_key(key, "POST", "/api/0/buckets/shared/events", large)
    second = limited.with_key(key, "POST", "/api/0/buckets/shared/events", large)

    assert (first.status, second.status, second.json["type"]) == (200, 429, "TooMany")
    assert "limits.key_mib_per_day" in second.json["hint"]
    assert limited.as_owner("POST", "/api/0/buckets/shared/events", large * 3).status == 200


def test_a_key_creates_as_many_buckets_as_it_may(limited: KeyedServer) -> None:
    key, other = limited.key("append"), limited.key("append")
    body = {"client": "c", "type": "t", "hostname": "h"}

    def create(with_key: str, bucket_id: str) -> Any:
        return limited.with_key(with_key, "POST", f"/api/0/buckets/{bucket_id}", body)

    made = [create(key, f"many-{number}") for number in range(4)]

    assert [answer.status for answer in made] == [200, 200, 200, 403]
    assert "limits.key_buckets" in made[-1].json["hint"]
    assert create(key, "many-0").status == 304  # as every watcher does at its start
    assert create(other, "many-4").status == 200
    assert [limited.create(f"owner-{number}").status for number in range(5)] == [200] * 5
