"""Compaction gives back what no one needs, and nothing that someone does."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from dayline.model.event import Event
from dayline.model.privacy.rules import PrivacyRule
from dayline.model.time import now_us
from dayline.storage.columns.source import ReadReport
from dayline.storage.sqlite.columns.source import SqliteColumns
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.upkeep import compaction
from dayline.storage.sqlite.upkeep.compaction import run_search
from dayline.storage.sqlite.upkeep.space import space_of
from dayline.storage.store import Store
from tests.support.storage.file_upkeep import Scenario, check_file, play, read, rows_of
from tests.support.storage.opened import beat, bucket, sent
from tests.support.storage.redacting import count, order, texts_in
from tests.support.waiting import eventually_async

LONG = "a title that is as long as titles are " * 4


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "days.db"


async def fill(store: Store, first: int, last: int, *, bucket_id: str = "window") -> list[Event]:
    """Events with a text each."""
    stored: list[Event] = []
    for number in range(first, last, 500):
        events = [beat(60 * n, app=f"{LONG}{n}") for n in range(number, min(last, number + 500))]
        stored += (await store.insert(bucket_id, events)).events
    return stored


async def deleted_for_good(store: Store, *events: Event) -> None:
    for event in events:
        act = await store.delete_event("window", event.id)
        await store.trash.empty(act)


def test_deleted_data_leaves_the_file(path: Path) -> None:
    async def scenario(database: SqliteDatabase) -> None:
        store = database.store()
        await fill(store, 0, 1000)
        await store.create_bucket(bucket("gone"))
        await fill(store, 0, 4000, bucket_id="gone")
        await store.trash.empty(await store.delete_bucket("gone"))
        await eventually_async(lambda: count(path, "bucket") == 1)

        done = await database.upkeep.compact()

        assert done.after < done.before / 2
        assert done.after == path.stat().st_size
        assert path.with_name("days.db-wal").stat().st_size == 0
        assert database.upkeep.compaction().last == done

    play(path, scenario)
    assert space_of(path).parts.free == 0
    check_file(path)


def test_unreferenced_values_are_removed(path: Path) -> None:
    async def scenario(database: SqliteDatabase) -> None:
        events = await fill(database.store(), 0, 100)
        await deleted_for_good(database.store(), *events[:40])
        await eventually_async(lambda: count(path, "operation_event") == 0)

        assert (await database.upkeep.compact()).values == 40
        assert (await database.upkeep.compact()).values == 0

    play(path, scenario)
    assert len(rows_of(path)) == 60
    assert [text for text in texts_in(path) if LONG in text] == [row.json for row in rows_of(path)]
    check_file(path)


def test_what_the_trash_and_redactions_need_stays(path: Path) -> None:
    async def scenario(database: SqliteDatabase) -> None:
        store = database.store()
        events = await fill(store, 0, 20)
        await store.create_bucket(bucket("in the trash"))
        await fill(store, 0, 20, bucket_id="in the trash")
        before = rows_of(path)
        redacted = await store.redactions.apply(
            order(PrivacyRule(field="app", pattern="are 1[0-9]", action="redact"), buckets=["window"])
        )
        acts = [await store.delete_event("window", event.id) for event in events[:5]]
        acts.append(await store.delete_bucket("in the trash"))

        await database.upkeep.compact()

        for act in reversed(acts):
            assert act is not None
            await store.trash.undo(act)
        await store.redactions.undo(redacted.id)
        assert rows_of(path) == before
        assert len(rows_of(path, "in the trash")) == 20

    play(path, scenario)
    check_file(path)


def looking(
    patch: pytest.MonkeyPatch, *, before: Callable[[], Awaitable[object]], after: Callable[[], Awaitable[object]]
) -> list[int]:
    """Do something before and after each look for unused values; returns how many each look found."""
    found: list[int] = []

    async def search(database: Path) -> list[int]:
        await before()
        unused = await run_search(database)
        await after()
        found.append(len(unused))
        return unused

    patch.setattr(compaction, "run_search", search)
    return found


async def nothing() -> None:
    pass


def with_one_unused(path: Path, scenario: Callable[[SqliteDatabase], Awaitable[None]]) -> Scenario:
    """Events of the texts 0 to 9, of which the last is gone for good."""

    async def run(database: SqliteDatabase) -> None:
        events = await fill(database.store(), 0, 10)
        await deleted_for_good(database.store(), events[9])
        await eventually_async(lambda: count(path, "operation_event") == 0)
        await scenario(database)

    return run


def test_a_value_that_is_taken_up_between_the_look_and_the_removal_stays(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(database: SqliteDatabase) -> None:
        found = looking(
            monkeypatch,
            before=nothing,
            after=lambda: sent(database.store(), "window", beat(10_000, app=f"{LONG}9")),
        )

        assert (await database.upkeep.compact()).values == 0
        assert found == [1]
        await sent(database.store(), "window", beat(20_000, app=f"{LONG}9"))

    play(path, with_one_unused(path, scenario))
    assert len(rows_of(path)) == 11
    check_file(path)


def test_a_value_that_comes_after_its_removal_is_a_new_one(path: Path) -> None:
    async def scenario(database: SqliteDatabase) -> None:
        assert (await database.upkeep.compact()).values == 1
        await sent(database.store(), "window", beat(20_000, app=f"{LONG}9"))

    play(path, with_one_unused(path, scenario))
    assert f"{LONG}9" in rows_of(path)[-1].json
    check_file(path)


def test_a_change_during_the_scan_restarts_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(database: SqliteDatabase) -> None:
        store = database.store()
        acts: list[int | None] = []

        async def delete() -> None:
            if not acts:
                acts.append(await store.delete_event("window", 1))

        found = looking(monkeypatch, before=delete, after=nothing)

        assert (await database.upkeep.compact()).values == 1
        assert len(found) == 2
        assert acts[0] is not None
        await store.trash.undo(acts[0])

    play(path, with_one_unused(path, scenario))
    assert len(rows_of(path)) == 9
    check_file(path)


def test_numbers_of_removed_values_are_not_given_to_other_texts(path: Path) -> None:
    """Query processes and segments know values by number: the number of another text would be read as the old one."""

    async def scenario(database: SqliteDatabase) -> None:
        store = database.store()
        events = await fill(store, 0, 10)
        columns = SqliteColumns(path, cache_bytes=1 << 20)
        assert titles(columns) == {f"{LONG}{number}" for number in range(10)}
        await store.create_bucket(bucket("gone"))
        await fill(store, 0, 5, bucket_id="gone")
        await deleted_for_good(store, *events[5:])
        await eventually_async(lambda: count(path, "operation_event") == 0)
        await database.upkeep.compact()
        await store.trash.empty(await store.delete_bucket("gone"))
        await eventually_async(lambda: count(path, "bucket") == 1)

        await store.insert("window", [beat(60 * n, app=f"new {n}") for n in range(30)])

        assert titles(columns) == {f"{LONG}{n}" for n in range(5)} | {f"new {n}" for n in range(30)}
        columns.close()

    play(path, scenario)
    assert len(read(path, "SELECT 1 FROM value WHERE bucket = 0")) == 1


def titles(columns: SqliteColumns) -> set[str]:
    with columns.snapshot() as source:
        events = source.events("window", 0, now_us(), ReadReport())
        texts = events.dictionary.texts(events.value)
        return {text.decode().removeprefix('{"app":"').removesuffix('"}') for text in texts}


def test_segments_built_before_are_right_after_it(path: Path) -> None:
    async def scenario(database: SqliteDatabase) -> None:
        events = await fill(database.store(), 0, 500)
        await database.build_segments()
        await deleted_for_good(database.store(), *events[:50])
        await eventually_async(lambda: count(path, "operation_event") == 0)
        assert (await database.upkeep.compact()).values == 50
        for _ in range(2):
            columns = SqliteColumns(path, cache_bytes=1 << 20)
            assert titles(columns) == {f"{LONG}{number}" for number in range(50, 500)}
            columns.close()
            await database.build_segments()

    play(path, scenario)
