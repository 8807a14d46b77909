"""A bucket is claimed while a change of many events is made or undone: until its last slice, and no longer."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dayline.model.edits.selection import Selection
from dayline.model.errors import Conflict
from dayline.model.time import SECOND
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.history import corrections, trash, undoing
from dayline.storage.history.undo_log import Operation
from dayline.storage.operations.claims import check_idle
from dayline.storage.store import Store
from dayline.storage.transfer import imports
from tests.support.maintenance.documents import write_document
from tests.support.storage.engines import Engine
from tests.support.storage.opened import beat, bucket, events_of, opened_on

EVENTS = 30


@pytest.fixture(autouse=True)
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undoing, "AT_ONCE", 20)
    monkeypatch.setattr(trash, "SLICE_ROWS", 10)


async def filled(store: Store) -> None:
    await store.create_bucket(bucket("window"))
    await store.insert("window", [beat(second) for second in range(EVENTS)])


async def renamed_app(store: Store, app: str) -> int:
    """Replace all events in one operation, and return its number."""
    changed = [
        msgspec.structs.replace(beat(number, app=app), id=event["id"])
        for number, event in enumerate(events_of(store, "window"))
    ]
    undo = (await store.insert("window", changed)).undo
    assert undo is not None
    return undo


def before_second_slice(monkeypatch: pytest.MonkeyPatch, meet: Callable[[WriteTransaction], object]) -> None:
    undo_slice, slices = undoing.undo_slice, list[int]()

    def meeting(tx: WriteTransaction, operation: Operation, *, after: int, rows: int) -> int | None:
        slices.append(after)
        if len(slices) == 2:
            meet(tx)
        return undo_slice(tx, operation, after=after, rows=rows)

    monkeypatch.setattr(undoing, "undo_slice", meeting)


def test_an_event_that_is_edited_while_it_is_being_restored_stays_and_can_be_restored_later(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with opened_on(engine) as store:
            await filled(store)
            before = events_of(store, "window")
            undo, last = await renamed_app(store, "browser"), events_of(store, "window")[-1]
            edited = msgspec.structs.replace(beat(EVENTS - 1, app="edited"), id=last["id"])
            before_second_slice(monkeypatch, lambda tx: tx.insert("window", [edited], now=SECOND))

            with pytest.raises(Conflict, match=f"event {last['id']} of bucket 'window' was changed again since"):
                await store.trash.undo(undo)

            assert [event["data"]["app"] for event in events_of(store, "window")] == ["editor"] * 29 + ["edited"]
            assert [(item.id, item.events, item.progress) for item in store.trash.all()] == [
                (undo + 1, 1, None),
                (undo, 1, None),
            ]
            monkeypatch.undo()
            await store.trash.undo(undo + 1)
            await store.trash.undo(undo)
            assert events_of(store, "window") == before

    asyncio.run(scenario())


def test_an_undo_under_way_reports_its_progress(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def look(tx: WriteTransaction) -> None:
        with pytest.raises(Conflict) as raised:
            check_idle(tx, [tx.find("window").key])
        seen.append((raised.value.message, raised.value.hint))

    async def scenario() -> None:
        async with opened_on(engine) as store:
            await filled(store)
            undo = await renamed_app(store, "browser")
            before_second_slice(monkeypatch, look)
            await store.trash.undo(undo)

            await store.delete_bucket("window")

    asyncio.run(scenario())

    message = '"window" is being restored (10 of 30 events); try again when that is finished'
    assert seen == [(message, "it is operation 1; GET /api/1/trash shows its progress")]


def test_a_deletion_that_is_under_way_cannot_be_undone(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    refused: list[str] = []
    correct_slice = corrections.correct_slice

    def meeting(tx: WriteTransaction, **arguments: Any) -> object:
        progress = correct_slice(tx, **arguments)
        [deletion] = tx.operations(["doing"])
        try:  # what `pytest.raises` raises would end the writer
            trash.undo_operation(tx, deletion)
        except Conflict as error:
            refused.append(error.message)
        return progress

    async def scenario() -> None:
        async with opened_on(engine) as store:
            await filled(store)
            before = events_of(store, "window")
            monkeypatch.setattr(corrections, "correct_slice", meeting)
            deleted = await store.edits.delete_selected(Selection(bucket="window"))

            assert deleted.undo is not None
            assert set(refused) == {f"operation {deleted.undo} is still running"}
            assert events_of(store, "window") == []
            await store.trash.undo(deleted.undo)
            assert events_of(store, "window") == before

    asyncio.run(scenario())


def test_a_deletion_that_was_interrupted_is_undone_before_it_is_marked_as_done(engine: Engine) -> None:
    async def scenario() -> None:
        async with opened_on(engine) as store:
            await filled(store)
            before = events_of(store, "window")
            deleted = await store.edits.delete_selected(Selection(bucket="window"))
            # As a server that was killed has left it: no server is working on it.
            engine.change(f"UPDATE operation SET state = 'doing' WHERE key = {deleted.undo}")

            await store.trash.undo(deleted.undo or 0)

            assert events_of(store, "window") == before

    asyncio.run(scenario())


def test_a_deletion_that_is_cancelled_while_it_begins_claims_nothing_afterwards(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with opened_on(engine) as store:
            await filled(store)
            before = events_of(store, "window")
            loop, first_slice = asyncio.get_running_loop(), corrections.correct_slice
            deletion = asyncio.ensure_future(store.edits.delete_selected(Selection(bucket="window")))

            def cancelling(tx: WriteTransaction, **arguments: Any) -> object:
                loop.call_soon_threadsafe(deletion.cancel)
                return first_slice(tx, **arguments)

            monkeypatch.setattr(corrections, "correct_slice", cancelling)
            with pytest.raises(asyncio.CancelledError):
                await deletion

            [item] = store.trash.all()
            assert (item.state, item.progress) == ("done", None)
            await store.trash.undo(item.id)
            assert events_of(store, "window") == before
            await store.delete_bucket("window")

    asyncio.run(scenario())


def test_an_import_that_is_cancelled_while_it_begins_claims_nothing_afterwards(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_document(tmp_path / "document.json", "imported", events=5000)

    async def scenario() -> None:
        async with opened_on(engine) as store:
            loop, begin = asyncio.get_running_loop(), imports.begin_import
            importing = asyncio.ensure_future(store.import_files([tmp_path / "document.json"]))

            def cancelling(tx: WriteTransaction, **arguments: Any) -> int:
                loop.call_soon_threadsafe(importing.cancel)
                return begin(tx, **arguments)

            monkeypatch.setattr(imports, "begin_import", cancelling)
            with pytest.raises(asyncio.CancelledError):
                await importing

            assert store.trash.all() == []
            await store.delete_bucket("imported")

    asyncio.run(scenario())
