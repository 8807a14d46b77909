"""The trash of a database that several servers write to: each thing is undone once, and released once."""

import asyncio
from collections.abc import Iterator

import psycopg
import pytest

from dayline.model.errors import Conflict, Gone
from dayline.model.event import Event
from dayline.model.time import SECOND, now_us
from dayline.model.upkeep.undo import Undone
from dayline.storage.history import undoing
from dayline.storage.history.buckets import delete_bucket
from dayline.storage.history.contract import EventCorrection, TrashPolicy
from dayline.storage.history.corrections import correct_events
from dayline.storage.history.edits import delete_event
from dayline.storage.postgres import database
from dayline.storage.postgres.rows import undo_log
from dayline.storage.postgres.writing.writer import SLICE_ROWS
from tests.storage.postgres.desk import Desk, desk
from tests.storage.postgres.writing.trashing import empty, rows, server, trash_at
from tests.support.storage.opened import beat, bucket
from tests.support.waiting import eventually_async

AT_ONCE_GONE = TrashPolicy(days=0)


async def filled(at: Desk, events: int = 5) -> list[Event]:
    await at.tenant_writer.change(lambda turn: turn.create_bucket(bucket("window")))
    new = [beat(second, app=f"app {second}") for second in range(events)]
    return (await at.tenant_writer.change(lambda turn: turn.insert("window", new, now=now_us()))).events


async def deleted(at: Desk, event_id: int) -> int:
    undo = await at.tenant_writer.change(lambda turn: delete_event(turn, "window", event_id, now=now_us()))
    assert undo is not None
    return undo


def removals(address: str) -> Iterator[EventCorrection]:
    """Every event there is, to be removed."""
    with psycopg.connect(address, autocommit=True) as db:
        found = db.execute("SELECT id, start, duration, value FROM dayline.event ORDER BY id").fetchall()
    return (EventCorrection(event_id, start, duration, value, None) for event_id, start, duration, value in found)


def test_an_act_that_two_servers_undo_at_once_is_undone_once(address: str) -> None:
    async def scenario() -> None:
        async with desk(address) as one, desk(address) as other:
            await filled(one)
            for event_id in range(1, 6):
                undo = await deleted(one, event_id)
                outcomes = await asyncio.gather(
                    trash_at(one).undo(undo), trash_at(other).undo(undo), return_exceptions=True
                )
                assert {type(outcome) for outcome in outcomes} == {Undone, Gone}
            assert rows(address, "event") == 5
            assert rows(address, "operation_event") == 0

    asyncio.run(scenario())


def test_two_servers_clear_up_side_by_side(address: str) -> None:
    async def scenario() -> None:
        async with server(address, AT_ONCE_GONE) as (one, trash), server(address, AT_ONCE_GONE) as (_, other):
            await filled(one, 5000)
            undo = await deleted(one, 1)
            await one.tenant_writer.change(lambda turn: delete_bucket(turn, "window", now=now_us()))
            trash.expire_if_disabled()
            other.expire_if_disabled()
            await empty(address, "operation", "operation_event", "bucket", "event", "value", "month")
            with pytest.raises(Gone, match="has expired or was deleted"):
                await trash.undo(undo)

    asyncio.run(scenario())


def test_undoing_that_a_server_has_begun_is_finished_by_another(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undoing, "AT_ONCE", 1)

    async def scenario() -> None:
        async with desk(address) as one:
            stored = await filled(one, 3000)
            moved = [Event(id=event.id, start=event.start + SECOND, data=event.data) for event in stored]
            undo = (await one.tenant_writer.change(lambda turn: turn.insert("window", moved, now=now_us()))).undo
            assert undo is not None
            undoes = asyncio.create_task(trash_at(one).undo(undo))
            await eventually_async(lambda: rows(address, "operation WHERE state = 'undoing'") > 0, during=undoes)
            undoes.cancel()
            await asyncio.gather(undoes, return_exceptions=True)
        async with server(address):
            await empty(address, "operation_event", "operation WHERE state = 'undoing'")
        first = stored[0].start
        assert rows(address, f"event WHERE start - {first} = (id - 1) * {SECOND}") == 3000

    asyncio.run(scenario())


def test_fixing_that_is_under_way_is_not_undone(address: str) -> None:
    async def scenario() -> None:
        async with desk(address) as one, desk(address) as other:
            await filled(one, 2 * SLICE_ROWS)
            may_continue = asyncio.Event()
            loop = asyncio.get_running_loop()

            def slowly() -> Iterator[EventCorrection]:
                for number, fix in enumerate(removals(address)):
                    if number == SLICE_ROWS:  # on a thread: the first slice is committed by now
                        asyncio.run_coroutine_threadsafe(may_continue.wait(), loop).result()
                    yield fix

            fixes = asyncio.create_task(correct_events(one.tenant_writer, {"window": slowly()}, now=now_us()))
            await eventually_async(lambda: rows(address, "operation") > 0)
            (item,) = trash_at(other).all()
            with pytest.raises(Conflict, match="still running"):
                await trash_at(other).undo(item.id)
            may_continue.set()
            assert (await fixes)["window"].removed == 2 * SLICE_ROWS

            await trash_at(other).undo(item.id)

            assert rows(address, "event") == 2 * SLICE_ROWS

    asyncio.run(scenario())


def test_an_interrupted_fix_is_undone_as_far_as_it_came(address: str) -> None:
    async def scenario() -> None:
        async with desk(address) as at:
            await filled(at, 10)
            outcome = (await correct_events(at.tenant_writer, {"window": removals(address)}, now=now_us()))["window"]
            assert outcome.undo is not None
            # As a server leaves it that ends in the middle.
            with psycopg.connect(address, autocommit=True) as db:
                db.execute("UPDATE dayline.operation SET state = 'doing', detail = '{\"seen\": 5}'")

            await trash_at(at).undo(outcome.undo)

            assert rows(address, "event") == 10

    asyncio.run(scenario())


# A server that was started within the lease of a killed one looked again after an hour.
def test_what_a_killed_server_left_is_ended_by_another_once_its_lease_has_expired(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (undo_log, database):
        monkeypatch.setattr(module, "LEASE_S", 0.2)

    async def scenario() -> None:
        async with desk(address) as killed:
            await filled(killed, 10)
            await correct_events(killed.tenant_writer, {"window": removals(address)}, now=now_us())
        with psycopg.connect(address, autocommit=True) as db:
            # Still within the lease, whatever the speed of this machine, until the server has looked once.
            seen = now_us() + SECOND
            db.execute("UPDATE dayline.operation SET state = 'doing', detail = %s", (f'{{"seen": {seen}}}',))
        async with server(address):
            await empty(address, "operation WHERE state = 'doing'")

    asyncio.run(scenario())
