"""Events in memory, while they cannot be stored: merged, and never more than a limit."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from dayline.client import pending
from dayline.client.pending import PendingEvents
from dayline.client.watch.outlet import Outlet
from dayline.client.watcher import Watcher
from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.privacy.rules import RuleBook
from dayline.model.time import SECOND
from dayline.transform.privacy import PrivacyRules

TEN_EVENTS = 10 * (200 + 100)


def event(second: int) -> Event:
    """An event of 300 bytes, with other data than its neighbors."""
    return Event(start=second * SECOND, duration=SECOND, data=canonical_json({"title": f"{second:088}"}))


def filled(count: int) -> PendingEvents:
    events = PendingEvents("window", pulsetime=0, max_bytes=TEN_EVENTS)
    for second in range(count):
        events.add(event(second))
    return events


@pytest.fixture
def unreachable(tmp_path: Path) -> Iterator[Watcher]:
    with ExitStack() as opened:
        url, queue = "http://127.0.0.1:9", tmp_path / "queue.db"
        watcher = Watcher("window", type="t", pulsetime_s=0, url=url, hostname="h", queue_file=queue)
        opened.callback(watcher.close, timeout_s=0)
        yield watcher


def test_events_within_pulsetime_are_merged() -> None:
    events = PendingEvents("window", pulsetime=2 * SECOND)

    for second in (0, 2, 9):
        events.add(Event(start=second * SECOND, data=b"{}"))

    assert [(each.start, each.duration) for each in events.take()] == [(0, 2 * SECOND), (9 * SECOND, 0)]
    assert events.take() == []


def test_beyond_the_limit_the_oldest_are_dropped_which_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    assert filled(25).take() == [event(second) for second in range(15, 25)]
    assert caplog.messages == ["window: too many events wait in memory; the oldest are dropped"]


def test_up_to_the_limit_everything_is_kept(caplog: pytest.LogCaptureFixture) -> None:
    assert filled(10).take() == [event(second) for second in range(10)]
    assert caplog.messages == []


def test_an_event_that_is_larger_than_the_limit_is_kept_alone() -> None:
    large = Event(start=99 * SECOND, data=canonical_json({"title": "x" * TEN_EVENTS}))
    events = filled(5)

    events.add(large)

    assert events.take() == [large]


def test_events_that_are_put_back_come_first_and_are_dropped_first() -> None:
    events = filled(8)
    taken = events.take()
    for second in range(8, 12):
        events.add(event(second))

    events.put_back(taken)

    assert events.take() == [event(second) for second in range(2, 12)]


def test_extending_one_event_uses_up_nothing() -> None:
    events = PendingEvents("window", pulsetime=2 * SECOND, max_bytes=TEN_EVENTS)
    events.add(event(0))

    for second in range(100, 200):
        events.add(Event(start=second * SECOND, data=b"{}"))

    assert [each.start for each in events.take()] == [0, 100 * SECOND]


# It kept every event until the rules were known, however long that took.
def test_a_watcher_without_privacy_rules_keeps_the_newest_events_up_to_a_limit(
    unreachable: Watcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules: list[PrivacyRules] = []
    recorded: list[str] = []
    outlet = Outlet(unreachable, pulsetime_s=0, rules=lambda: rules[0] if rules else None)

    def heartbeat(data: dict[str, str], **_: object) -> None:
        recorded.append(data["title"])

    monkeypatch.setattr(unreachable, "heartbeat", heartbeat)

    count = pending.MAX_BYTES // 100_000 + 20
    for second in range(count):
        outlet.record({"title": f"{second} {'x' * 100_000}"}, 2 * second * SECOND, SECOND)
    rules.append(PrivacyRules(RuleBook()))
    outlet.flush()

    assert recorded[-1].startswith(f"{count - 1} ")
    assert sum(map(len, recorded)) <= pending.MAX_BYTES
    assert len(recorded) > pending.MAX_BYTES // 110_000
