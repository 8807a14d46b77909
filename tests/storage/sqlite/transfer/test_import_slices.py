"""Slices of an import skip what the bucket has, whatever is recorded or imported between two of them."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dayline.model.event import Event
from dayline.model.time import SECOND
from dayline.runtime.sqlite_file import READ_ONLY, connect
from dayline.storage.sqlite.transfer import imports
from dayline.storage.store import Store
from dayline.storage.transfer.imports import MergedRows
from dayline.storage.transfer.report import ImportReport
from dayline.storage.transfer.staging import StagedBucket, StagedRange
from tests.support.storage.opened import BEGIN, bucket, events_of, opened, sent

EVENTS = 2000
HEAD = {"type": "t", "client": "c", "hostname": "h"}


@pytest.fixture(autouse=True)
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "SLICE_ROWS", 300)


def event(number: int, *, values: int = 70) -> dict[str, Any]:
    second = 10 * number
    clock = f"{10 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    return {"timestamp": f"2026-01-01T{clock}Z", "duration": 0, "data": {"app": f"app {number * 7919 % values}"}}


def write(path: Path, bucket_id: str, events: list[dict[str, Any]]) -> Path:
    path.write_bytes(msgspec.json.encode({"buckets": {bucket_id: {**HEAD, "events": events}}}))
    return path


def play(database: Path, scenario: Callable[[Store], Any]) -> list[dict[str, Any]]:
    """Run a scenario; returns the events of the bucket `x`."""

    async def run() -> list[dict[str, Any]]:
        async with opened(database) as store:
            await scenario(store)
            return events_of(store, "x")

    return asyncio.run(run())


def check(database: Path, events: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    """Every event is there once, and every value once, and no value is missing."""
    assert [(each["timestamp"], each["data"]["app"]) for each in events] == [
        (each["timestamp"], each["data"]["app"]) for each in expected
    ]
    with closing(connect(database, READ_ONLY)) as db:
        values = [str(json) for (json,) in db.execute("SELECT json FROM value WHERE bucket > 0 ORDER BY json")]
        unknown = db.execute("SELECT count(*) FROM event WHERE value NOT IN (SELECT key FROM value)").get
    assert values == sorted(set(values))
    assert unknown == 0


@pytest.mark.parametrize("direction", [1, -1])
def test_a_new_bucket_gets_every_event_and_value_once(tmp_path: Path, direction: int) -> None:
    events = [event(number) for number in range(EVENTS)]
    document = write(tmp_path / "x.json", "x", events[::direction])
    slices = list[int]()

    async def scenario(store: Store) -> None:
        report = await store.import_files([document], on_progress=lambda done, _total, _new: slices.append(done))
        assert report == ImportReport(buckets=1, imported=EVENTS, skipped=0, invalid=0)

    check(tmp_path / "days.db", play(tmp_path / "days.db", scenario), events)
    assert len(slices) > 2


def test_the_data_of_an_event_without_a_valid_time_is_not_stored(tmp_path: Path) -> None:
    events = [event(number) for number in range(10)]
    invalid = {"timestamp": "2026-02-31T00:00:00Z", "data": {"app": "never"}}
    document = write(tmp_path / "x.json", "x", [*events[:5], invalid, *events[5:]])

    async def scenario(store: Store) -> None:
        report = await store.import_files([document])
        assert report == ImportReport(buckets=1, imported=10, skipped=0, invalid=1)

    check(tmp_path / "days.db", play(tmp_path / "days.db", scenario), events)
    with closing(connect(tmp_path / "days.db", READ_ONLY)) as db:
        assert db.execute("SELECT count(*) FROM value WHERE json LIKE '%never%'").get == 0


def test_an_event_recorded_between_two_slices_is_not_imported_again(tmp_path: Path) -> None:
    """The same event, and the value of events to come, are recorded while the first slices are stored."""
    events = [event(number, values=EVENTS) for number in range(EVENTS)]
    document = write(tmp_path / "x.json", "x", events)
    recorded = list[asyncio.Future[Event]]()

    async def scenario(store: Store) -> None:
        def record(done: int, _total: int, _imported: int) -> None:
            number = done + 40
            if number < EVENTS and len(recorded) < 3:
                data = msgspec.json.encode(events[number]["data"])
                beat = Event(start=BEGIN + 10 * number * SECOND, data=data)
                recorded.append(sent(store, "x", beat, pulsetime=0))

        report = await store.import_files([document], on_progress=record)
        await asyncio.gather(*recorded)
        assert report == ImportReport(buckets=1, imported=EVENTS - 3, skipped=3, invalid=0)

    check(tmp_path / "days.db", play(tmp_path / "days.db", scenario), events)
    assert len(recorded) == 3


@pytest.mark.parametrize("recordings", [0, 1, 3])
def test_rows_have_their_values_if_other_buckets_get_values_in_between(tmp_path: Path, recordings: int) -> None:
    events = [event(number, values=EVENTS) for number in range(EVENTS)]
    repeated = [event(number, values=70) for number in range(EVENTS)]
    heads = {"w": events[:50], "x": events[:1000] + repeated[1000:], "y": repeated}
    document = tmp_path / "all.json"
    document.write_bytes(
        msgspec.json.encode({"buckets": {name: {**HEAD, "events": each} for name, each in heads.items()}})
    )
    recorded = list[asyncio.Future[Event]]()

    async def scenario(store: Store) -> None:
        await store.create_bucket(bucket("other"))

        def record(done: int, _total: int, _imported: int) -> None:
            if done > 100 and len(recorded) < recordings:
                beat = Event(start=BEGIN + len(recorded) * SECOND, data=b'{"new":%d}' % len(recorded))
                recorded.append(sent(store, "other", beat, pulsetime=0))

        await store.import_files([document], on_progress=record)
        await asyncio.gather(*recorded)
        for name, expected in heads.items():
            assert [each["data"] for each in events_of(store, name)] == [each["data"] for each in expected]

    play(tmp_path / "days.db", scenario)

    with closing(connect(tmp_path / "days.db", READ_ONLY)) as db:
        [(rows, distinct)] = db.execute("SELECT count(*), count(DISTINCT bucket || json) FROM value").fetchall()
    assert rows == distinct
    assert len(recorded) == recordings


def test_two_imports_at_once_keep_their_values_apart(tmp_path: Path) -> None:
    events = [event(number) for number in range(EVENTS)]
    documents = [write(tmp_path / f"{name}.json", name, events) for name in "xy"]

    async def scenario(store: Store) -> None:
        reports = await asyncio.gather(*(store.import_files([document]) for document in documents))
        assert [report.imported for report in reports] == [EVENTS, EVENTS]
        assert len(events_of(store, "y")) == EVENTS

    events_of_x = play(tmp_path / "days.db", scenario)

    with closing(connect(tmp_path / "days.db", READ_ONLY)) as db:
        counts = db.execute("SELECT count(*), count(DISTINCT bucket || json) FROM value WHERE bucket > 0").fetchall()
    assert counts == [(140, 140)]
    assert len(events_of_x) == EVENTS


def test_a_connection_lost_between_two_slices_stores_no_value_in_a_bucket_that_does_not_use_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Values of the first bucket were also stored in the second, and remained there when the first was deleted.
    events = [event(number, values=EVENTS) for number in range(EVENTS)]
    document = tmp_path / "xy.json"
    document.write_bytes(msgspec.json.encode({"buckets": {name: {**HEAD, "events": events} for name in "xy"}}))
    merge = imports.SqliteSliceMerger.merge

    async def merge_and_lose(self: imports.SqliteSliceMerger, staged: StagedBucket, rows: StagedRange) -> MergedRows:
        merged = await merge(self, staged, rows)
        # What it has attached and noted is lost.
        await self._writer.between_commits(imports._detach)  # pyright: ignore[reportPrivateUsage]
        return merged

    monkeypatch.setattr(imports.SqliteSliceMerger, "merge", merge_and_lose)

    async def scenario(store: Store) -> None:
        assert (await store.import_files([document])).imported == 2 * EVENTS

    assert [each["data"] for each in play(tmp_path / "days.db", scenario)] == [each["data"] for each in events]
    with closing(connect(tmp_path / "days.db", READ_ONLY)) as db:
        counts = db.execute("SELECT count(*) FROM value WHERE bucket > 0 GROUP BY bucket").fetchall()
    assert counts == [(EVENTS,)] * 2


def test_an_import_that_overlaps_what_is_stored_adds_the_rest(tmp_path: Path) -> None:
    events = [event(number) for number in range(EVENTS)]
    first = write(tmp_path / "first.json", "x", events[300:900] + events[1500:1501])
    second = write(tmp_path / "second.json", "x", events)

    async def scenario(store: Store) -> None:
        await store.create_bucket(bucket("x"))
        await store.import_files([first])
        report = await store.import_files([second])
        assert (report.imported, report.skipped) == (EVENTS - 601, 601)
        again = await store.import_files([second])
        assert (again.imported, again.skipped) == (0, EVENTS)

    check(tmp_path / "days.db", play(tmp_path / "days.db", scenario), events)


def test_events_of_equal_start_on_both_sides_of_a_slice_are_all_stored(tmp_path: Path) -> None:
    events = [{**event(0), "data": {"app": f"app {number:04}"}} for number in range(700)]
    document = write(tmp_path / "x.json", "x", events + events[:5])

    async def scenario(store: Store) -> None:
        report = await store.import_files([document])
        assert (report.imported, report.skipped) == (700, 5)

    found = play(tmp_path / "days.db", scenario)

    assert sorted(each["data"]["app"] for each in found) == [each["data"]["app"] for each in events]
