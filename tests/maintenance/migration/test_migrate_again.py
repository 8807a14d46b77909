"""Migrated again, an event that was extended in between, there or here, is still one event."""

import shutil
from pathlib import Path

import pytest

from tests.support.maintenance.migrating import (
    FEW,
    RUST,
    WINDOW,
    WINDOW_FEW,
    changed,
    exported,
    migrated,
    small_copy_of,
    total,
)
from tests.support.server import RunningServer


@pytest.fixture
def home(small_migrated: Path, tmp_path: Path) -> Path:
    """A home of its own, with a database that was migrated into it."""
    return shutil.copytree(small_migrated, tmp_path / "home")


LAST = "(SELECT id FROM events WHERE bucketrow = 2 ORDER BY starttime DESC LIMIT 1)"


def test_an_event_that_went_on_there_becomes_longer_here(home: Path) -> None:
    database = home / RUST
    before = exported(home)[WINDOW]["events"]

    changed(database, f"UPDATE events SET endtime = endtime + 90000000000 WHERE id = {LAST}")
    again = migrated(database, home=home)

    after = exported(home)[WINDOW]["events"]
    assert (total(again, "extended"), total(again, "imported")) == (1, 0)
    assert after[:-1] == before[:-1]
    assert after[-1] == {**before[-1], "duration": round(before[-1]["duration"] + 90, 6)}


def test_an_event_that_went_on_here_stays_as_long_as_it_is(home: Path) -> None:
    database = home / RUST
    with RunningServer(home / "days.db") as server:
        last = server.get(f"/api/0/buckets/{WINDOW}/events?limit=1").json[0]
        longer = {**last, "duration": last["duration"] + 60}
        assert server.post(f"/api/0/buckets/{WINDOW}/events", [longer]).status == 200

        again = migrated(database, home=home)

        assert server.get(f"/api/0/buckets/{WINDOW}/events?limit=1").json == [longer]
    continued = {bucket["bucket"]: bucket["proof"]["continued"] for bucket in again["buckets"]}
    assert continued[WINDOW] == 1
    assert total(again, "imported") == 0


def test_other_events_of_a_bucket_stay_and_are_counted_apart(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        server.create(WINDOW)
        own = {"timestamp": "2025-01-01T09:00:00Z", "duration": 5.0, "data": {"app": "own"}}
        server.post(f"/api/0/buckets/{WINDOW}/events", [own])

        outcome = migrated(small_copy_of(RUST, tmp_path), home=tmp_path)

        assert server.get(f"/api/0/buckets/{WINDOW}/events/count").json == WINDOW_FEW + 1
    others = {bucket["bucket"]: bucket["proof"]["others"] for bucket in outcome["buckets"]}
    assert others[WINDOW] == 1
    assert total(outcome, "imported") == FEW


def test_what_was_recorded_since_comes_along(home: Path) -> None:
    database = home / RUST

    changed(
        database,
        "INSERT INTO events(bucketrow, starttime, endtime, data) VALUES(2, ?, ?, ?)",
        1_767_225_600_000_000_999,
        1_767_225_601_000_000_999,
        '{"title":"new","app":"Editor"}',
    )
    again = migrated(database, home=home)

    assert total(again, "imported") == 1
    # Nanoseconds are cut to microseconds.
    assert exported(home)[WINDOW]["events"][-1] == {
        "timestamp": "2026-01-01T00:00:00Z",
        "duration": 1.0,
        "data": {"app": "Editor", "title": "new"},
    }
