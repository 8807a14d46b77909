"""No id is used for two events: reservations outlive a kill, and no client chooses an unassigned id."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec
import pytest

from dayline.model.errors import Conflict, EventIdReserved
from dayline.model.event import Event
from dayline.storage.history import merges
from dayline.storage.history.undo_log import Operation
from dayline.storage.store import Store
from tests.support.privacy import rule
from tests.support.storage.engines import Engine
from tests.support.storage.opened import beat, events_of, everything, fill, opened_on, sent
from tests.support.storage.redacting import event, order, planned_in_this_process, store_of, titles

RESERVED = range(6, 11)  # by the merge of the five events of `old`
COPIED = 2


def with_id(event_id: int) -> Event:
    return msgspec.structs.replace(beat(100), id=event_id)


def check_ids(engine: Engine) -> None:
    ids = [event_id for (event_id,) in engine.select("SELECT id FROM event")]
    assert len(ids) == len(set(ids))


async def one_slice(running: merges.Merges, key: int) -> Operation:
    """What a server that is killed has done."""
    operation = await asyncio.to_thread(running._read, key)  # pyright: ignore[reportPrivateUsage]
    await running._writer.change(partial(merges.make_slice, operation=operation, rows=COPIED))  # pyright: ignore[reportPrivateUsage]
    raise Conflict("interrupted")


def not_resumed(running: merges.Merges) -> None:
    """Instead of resuming a merge at the start."""


@asynccontextmanager
async def merging(engine: Engine) -> AsyncGenerator[Store]:
    """A store whose server was killed after the first slice of a merge, and that has not resumed it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merges, "SMALL", 0)
        patch.setattr(merges.Merges, "_finish", one_slice)
        patch.setattr(merges.Merges, "start", not_resumed)
        async with opened_on(engine) as store:
            await fill(store)
            with pytest.raises(Conflict, match="interrupted"):
                await store.moves.merge("old", "other")
        async with opened_on(engine) as store:
            patch.undo()
            yield store


def test_an_event_recorded_after_a_merge_was_killed_gets_no_id_that_it_reserved(engine: Engine) -> None:
    async def scenario() -> None:
        async with merging(engine) as store:
            recorded = await sent(store, "other", beat(50, app="recorded"))
            [inserted] = (await store.insert("other", [beat(60)])).events
            assert [recorded.id, inserted.id] == [RESERVED.stop, RESERVED.stop + 1]

            await store.trash.undo(1)  # finishes the merge first

            assert [found["id"] for found in events_of(store, "other")] == [recorded.id, inserted.id]
            assert len(events_of(store, "old")) == 5

    asyncio.run(scenario())
    check_ids(engine)


@pytest.mark.parametrize("event_id", RESERVED[COPIED:])
def test_an_id_that_a_merge_has_reserved_is_rejected_until_its_event_exists(engine: Engine, event_id: int) -> None:
    async def scenario() -> None:
        async with merging(engine) as store:
            before = everything(store)
            with pytest.raises(EventIdReserved, match=f"no event {event_id} in bucket 'other'"):
                await store.insert("other", [beat(99), with_id(event_id)])
            assert everything(store) == before
            assert (await store.insert("other", [with_id(RESERVED.start)])).undo is not None  # a copy that exists

    asyncio.run(scenario())
    check_ids(engine)


@pytest.mark.parametrize("ahead", [0, 1, 1000])
def test_an_id_that_is_not_assigned_yet_is_rejected_and_nothing_is_stored(engine: Engine, ahead: int) -> None:
    async def scenario() -> None:
        async with opened_on(engine) as store:
            await fill(store)
            before = everything(store)
            with pytest.raises(EventIdReserved, match=f"no event {6 + ahead} in bucket 'old'"):
                await store.insert("old", [beat(99), with_id(6 + ahead)])
            assert everything(store) == before

    asyncio.run(scenario())


def test_an_event_recorded_after_a_kill_never_gets_the_text_of_an_undone_redaction(
    engine: Engine, tmp_path: Path
) -> None:
    # The redaction remembered the next id of the memory, which importing known rows had raised, and the next start
    # began below it.
    rows = b'{"timestamp": "2026-01-01T10:00:00Z", "duration": 1, "data": {"title": "secret"}}'
    head = b'"id": "window", "type": "test.type", "client": "test-client", "hostname": "laptop"'
    document = tmp_path / "known.json"
    document.write_bytes(b'{"buckets": {"window": {%b, "events": [%b]}}}' % (head, rows))

    async def scenario() -> None:
        async with store_of(engine, event(0, "secret")) as store:
            await store.import_files([document])
            redaction = await store.redactions.apply(order(rule("secret", replacement="hidden")))
        with planned_in_this_process():
            async with opened_on(engine) as store:
                await store.insert("window", [event(1, "hidden")])
                await store.redactions.undo(redaction.id)
                assert titles(store) == ["secret", "hidden"]

    asyncio.run(scenario())
