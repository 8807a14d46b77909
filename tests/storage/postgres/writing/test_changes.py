"""Changes of events and buckets in PostgreSQL: in few statements, and correct while others are made."""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import psycopg
import pytest

from dayline.model.bucket import BucketChange
from dayline.model.errors import BucketExists, BucketNotFound, Conflict, EventElsewhere, Invalid
from dayline.model.event import Event
from dayline.model.time import now_us
from dayline.storage.history.buckets import delete_bucket, update_bucket
from dayline.storage.history.contract import Inserted, TrashPolicy
from dayline.storage.history.edits import delete_event
from dayline.storage.postgres.connection import set_up, transaction
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.values import ValueDictionary
from dayline.storage.writing.notices import BucketNotice
from tests.storage.postgres.desk import Desk, at_a_desk, desk
from tests.storage.postgres.writing.trashing import trash_at
from tests.support.storage.opened import beat, bucket


class CountingConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that knows how many statements it was given."""

    statements = 0

    def execute(self, *args: Any, **kwargs: Any) -> psycopg.Cursor[tuple[Any, ...]]:
        self.statements += 1
        return super().execute(*args, **kwargs)


def with_id(event_id: int, second: float, app: str = "given") -> Event:
    return msgspec.structs.replace(beat(second, app=app), id=event_id)


async def made(at: Desk, *names: str) -> None:
    for name in names:
        await at.tenant_writer.change(lambda turn, name=name: turn.create_bucket(bucket(name)))  # type: ignore[misc]


async def inserted(at: Desk, name: str, events: Sequence[Event]) -> Inserted:
    return await at.tenant_writer.change(lambda turn: turn.insert(name, events, now=now_us()))


def events_in(at: Desk, name: str) -> list[tuple[int, str]]:
    """The ids and data of all events, in order."""
    with at.readers.transaction(at.tenant_writer.tenant) as db:
        return db.execute(
            "SELECT event.id, json FROM event JOIN bucket ON bucket.key = event.bucket "
            "JOIN value ON value.bucket = event.bucket AND value.key = event.value "
            "WHERE bucket.id = %s AND deleted IS NULL ORDER BY start, event.id",
            (name,),
        ).fetchall()


def test_a_thousand_events_are_a_handful_of_statements(address: str) -> None:
    with CountingConnection.connect(address, autocommit=True) as db:
        set_up(db)
        with transaction(db, ""):
            PostgresTransaction(db, "", ValueDictionary()).create_bucket(bucket("window"))
        stored = None
        for _ in range(2):  # first they are new, then they are all replaced
            before = db.statements
            with transaction(db, ""):
                turn = PostgresTransaction(db, "", ValueDictionary())
                events = stored or [beat(second, app=f"app {second % 100}") for second in range(1_000)]
                stored = turn.insert("window", events, now=0).events
                turn.finish()
            assert db.statements - before < 20
        with transaction(db, ""):
            assert db.execute("SELECT count(*) FROM event").fetchone() == (1_000,)


async def used(at: Desk, name: str, count: int) -> None:
    """Use the first ids for events that are deleted again."""
    await inserted(at, name, [beat(second) for second in range(count)])
    for event_id in range(1, count + 1):
        await at.tenant_writer.change(lambda turn, event_id=event_id: delete_event(turn, name, event_id, now=0))  # type: ignore[misc]


def test_new_events_get_the_next_ids_next_to_those_that_have_one(address: str) -> None:
    async def scenario(at: Desk) -> None:
        await made(at, "window")
        await used(at, "window", 3)
        given = [beat(0), with_id(3, 1), beat(2), with_id(2, 3), beat(4)]
        assert [event.id for event in (await inserted(at, "window", given)).events] == [4, 3, 5, 2, 6]
        assert [event.id for event in (await inserted(at, "window", [beat(5)])).events] == [7]

    at_a_desk(address, scenario)


def test_of_two_events_with_one_id_the_last_stays(address: str) -> None:
    async def scenario(at: Desk) -> None:
        await made(at, "window")
        await used(at, "window", 1)
        assert (await inserted(at, "window", [with_id(1, 0, "first"), with_id(1, 9, "last")])).undo is None
        assert events_in(at, "window") == [(1, '{"app":"last"}')]

    at_a_desk(address, scenario)


def test_an_id_that_two_servers_give_at_once_belongs_to_one_bucket(address: str) -> None:
    async def scenario() -> None:
        async with desk(address) as one, desk(address) as other:
            await made(one, "a", "b")
            await used(one, "a", 20)
            for number in range(1, 21):
                outcomes = await asyncio.gather(
                    inserted(one, "a", [with_id(number, 0)]),
                    inserted(other, "b", [with_id(number, 0)]),
                    return_exceptions=True,
                )
                assert sorted(type(outcome).__name__ for outcome in outcomes) == ["EventElsewhere", "Inserted"]
            assert len(events_in(one, "a")) + len(events_in(one, "b")) == 20

    asyncio.run(scenario())


def test_what_is_refused_changes_nothing(address: str) -> None:
    async def scenario(at: Desk) -> None:
        await made(at, "a", "b")
        await inserted(at, "a", [beat(0)])
        with pytest.raises(EventElsewhere, match="event 1 belongs to another bucket than 'b'"):
            await inserted(at, "b", [beat(0, app="new"), with_id(1, 1)])
        assert events_in(at, "b") == []
        with at.readers.transaction("") as db:
            assert db.execute("SELECT count(*) FROM value").fetchone() == (1,)
        with pytest.raises(BucketNotFound):
            await inserted(at, "c", [beat(0)])

    at_a_desk(address, scenario)


def test_a_bucket_that_two_servers_make_at_once_is_made_once(address: str) -> None:
    async def scenario() -> None:
        async with desk(address) as one, desk(address) as other:
            for number in range(10):
                outcomes = await asyncio.gather(
                    made(one, f"window {number}"), made(other, f"window {number}"), return_exceptions=True
                )
                assert [type(outcome) for outcome in outcomes if outcome is not None] == [BucketExists]

    asyncio.run(scenario())


def test_an_id_that_leads_to_another_bucket_is_taken(address: str) -> None:
    async def scenario(at: Desk) -> None:
        await made(at, "window")
        await at.tenant_writer.change(
            lambda turn: turn.db.execute("INSERT INTO alias SELECT '', 'former', key, 0 FROM bucket")
        )
        with pytest.raises(BucketExists):
            await made(at, "former")
        await at.tenant_writer.change(lambda turn: delete_bucket(turn, "window", now=0))
        await made(at, "former")

    at_a_desk(address, scenario)


def test_what_the_database_cannot_hold_is_refused(address: str) -> None:
    async def scenario(at: Desk) -> None:
        with pytest.raises(Invalid, match="id contains a NUL character"):
            await made(at, "win\0dow")
        await made(at, "window")
        with pytest.raises(Invalid, match="hostname contains a NUL character"):
            await at.tenant_writer.change(
                lambda turn: update_bucket(turn, "window", BucketChange(hostname="\0"), now=0)
            )
        with pytest.raises(BucketNotFound):
            await at.tenant_writer.change(lambda turn: delete_event(turn, "win\0dow", 1, now=0))

    at_a_desk(address, scenario)


def test_others_hear_what_happened_to_a_bucket(address: str) -> None:
    async def scenario(at: Desk) -> None:
        await made(at, "window")
        await inserted(at, "window", [beat(0)])
        undo = await at.tenant_writer.change(lambda turn: delete_bucket(turn, "window", now=0))
        assert [(found.bucket.id, found.is_deleted) for found in at.changes[-1].buckets] == [("window", True)]
        await trash_at(at).undo(undo)
        assert [(found.bucket.id, found.is_deleted) for found in at.changes[-1].buckets] == [("window", False)]
        assert at.notices == [BucketNotice("window", turn) for turn in ("created", "deleted", "restored")]

    at_a_desk(address, scenario)


def test_an_event_whose_id_was_given_to_another_bucket_does_not_come_back(address: str) -> None:
    async def scenario(at: Desk) -> None:
        await made(at, "a", "b")
        await inserted(at, "a", [beat(0)])
        undo = await at.tenant_writer.change(lambda turn: delete_event(turn, "a", 1, now=0))
        assert undo is not None
        await inserted(at, "b", [with_id(1, 0)])

        with pytest.raises(Conflict, match="event 1 of bucket 'a' was changed again"):
            await trash_at(at, TrashPolicy()).undo(undo)

        assert events_in(at, "a") == []

    at_a_desk(address, scenario)
