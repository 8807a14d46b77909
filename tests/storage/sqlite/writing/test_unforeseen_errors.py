"""An unforeseen error fails the change that causes it; the rest of its batch is stored, and the writer closes."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from dayline.model.errors import DaylineError, StoreBusy
from dayline.model.event import Event
from dayline.model.time import SECOND
from dayline.storage.sqlite.file.connection import open_writer
from dayline.storage.sqlite.file.schema import migrate
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.sqlite.writing.writer import Writer
from tests.support.storage.opened import BEGIN, beat, bucket
from tests.support.waiting import PATIENCE_S


@asynccontextmanager
async def writer_on(path: Path) -> AsyncGenerator[Writer]:
    """A writer with a bucket, which is closed at the end."""
    db = open_writer(path)
    migrate(db)
    writer = Writer(db, asyncio.get_running_loop(), path)
    await writer.change(lambda changes: changes.create_bucket(bucket("window")))
    async with asyncio.timeout(PATIENCE_S):
        yield writer
        await writer.close()


def beaten(writer: Writer, second: float) -> "asyncio.Future[Any]":
    """Queue a heartbeat; the future gets its outcome."""
    outcome: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    writer.heartbeat("window", beat(second), SECOND, outcome.set_result)
    return outcome


def stored(path: Path) -> list[int]:
    """At which seconds events are stored."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return [start for (start,) in db.execute("SELECT start / 1000000 FROM event ORDER BY start")]
    finally:
        db.close()


def fail_to_prepare(_db: apsw.Connection) -> None:
    raise ZeroDivisionError


def spoil_finish(changes: SqliteTransaction) -> None:
    """What is written at the end of the batch is more than a column can hold."""
    changes.add_month_events("window", events=1, start=BEGIN, max_duration=2**80, max_end=BEGIN)


def allow_foreign_keys(db: apsw.Connection) -> None:
    db.pragma("foreign_keys", 1)


def spoil_commit(changes: SqliteTransaction) -> None:
    """The commit is refused: a foreign key, which is checked then, leads nowhere."""
    changes.db.execute(
        "CREATE TABLE parent(id INTEGER PRIMARY KEY);"
        "CREATE TABLE child(parent INTEGER REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED);"
        "INSERT INTO child VALUES(1)"
    )


def spoil_apply(_changes: SqliteTransaction) -> None:
    raise ZeroDivisionError


Failing = Callable[[Writer], Awaitable[object]]
FAILING: dict[str, tuple[Failing, type[Exception]]] = {
    "before": (lambda writer: writer.change(lambda changes: None, before=fail_to_prepare), ZeroDivisionError),
    "apply": (lambda writer: writer.change(spoil_apply), ZeroDivisionError),
    "finish": (lambda writer: writer.change(spoil_finish), OverflowError),
    "commit": (lambda writer: writer.change(spoil_commit, before=allow_foreign_keys), apsw.ConstraintError),
}


@pytest.fixture(params=list(FAILING))
def failing(request: pytest.FixtureRequest) -> tuple[Failing, type[Exception]]:
    return FAILING[request.param]


def test_the_rest_of_the_batch_is_stored_and_the_writer_closes(
    tmp_path: Path, failing: tuple[Failing, type[Exception]]
) -> None:
    # No change of the batch was answered, and `close` waited for ever.
    path = tmp_path / "days.db"
    change, expected = failing

    async def scenario() -> None:
        async with writer_on(path) as writer:
            before = [beaten(writer, second) for second in (0, 10)]
            failed = asyncio.ensure_future(change(writer))
            await asyncio.sleep(0)  # it is queued now
            after = beaten(writer, 20)

            outcomes = await asyncio.gather(*before, after)
            with pytest.raises(expected):
                await failed
            later = await beaten(writer, 30)

            assert [outcome.start for outcome in [*outcomes, later]] == [beat(s).start for s in (0, 10, 20, 30)]

    asyncio.run(scenario())
    assert len(stored(path)) == 4


def test_a_change_that_fails_alone_leaves_the_writer_as_it_was(
    tmp_path: Path, failing: tuple[Failing, type[Exception]]
) -> None:
    change, expected = failing

    async def scenario() -> None:
        async with writer_on(tmp_path / "days.db") as writer:
            with pytest.raises(expected):
                await change(writer)
            assert isinstance(await beaten(writer, 0), Event)
            assert writer.problems() == []

    asyncio.run(scenario())


def test_a_heartbeat_that_cannot_be_stored_is_refused_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        async with writer_on(tmp_path / "days.db") as writer:
            outcome: asyncio.Future[Event | DaylineError] = asyncio.get_running_loop().create_future()
            unstorable = Event(start=BEGIN, duration=2**80, data=b"{}")
            writer.heartbeat("window", unstorable, SECOND, outcome.set_result)
            second = beaten(writer, 10)

            assert isinstance(await outcome, StoreBusy)
            assert isinstance(await second, Event)

    with caplog.at_level(logging.ERROR):
        asyncio.run(scenario())
    assert "Cannot store a heartbeat" in caplog.text


def test_a_heartbeat_does_not_wait_for_a_change_whose_file_is_missing(tmp_path: Path) -> None:
    # A file that was to be attached and is missing was taken for a disk that fails: heartbeats were held for 10 s.
    def attach(db: apsw.Connection) -> None:
        db.execute("ATTACH ? AS staged", (f"{(tmp_path / 'missing.db').as_uri()}?mode=ro",))

    async def scenario() -> None:
        async with writer_on(tmp_path / "days.db") as writer:
            failed = asyncio.ensure_future(writer.change(lambda changes: None, before=attach))
            await asyncio.sleep(0)
            recorded = await beaten(writer, 0)

            assert isinstance(recorded, Event)
            assert writer.problems() == []
            with pytest.raises(StoreBusy, match=r"missing|unable to open"):
                await failed

    asyncio.run(scenario())


def test_an_answer_that_is_not_taken_keeps_no_other_waiting(tmp_path: Path) -> None:
    def refuse(_outcome: object) -> None:
        raise ZeroDivisionError

    async def scenario() -> None:
        async with writer_on(tmp_path / "days.db") as writer:
            writer.heartbeat("window", beat(0), SECOND, refuse)
            assert isinstance(await beaten(writer, 10), Event)

            writer.on_commit = refuse
            assert isinstance(await beaten(writer, 20), Event)
            await writer.change(lambda changes: None, rows=1000)  # on the thread
            assert isinstance(await beaten(writer, 30), Event)

    asyncio.run(scenario())


def test_a_change_sees_that_a_heartbeat_waits_for_the_same_commit(tmp_path: Path) -> None:
    """A slice of an import that shared its batch with a heartbeat went on for 80 ms: the queue was empty."""

    async def run() -> tuple[bool, bool]:
        async with writer_on(tmp_path / "days.db") as writer:
            alone = await writer.change(lambda _: writer.is_awaited)
            change = asyncio.ensure_future(writer.change(lambda _: writer.is_awaited))
            await asyncio.sleep(0)  # it is queued
            heartbeat = beaten(writer, 0)
            shared = await change
            await heartbeat
            return alone, shared

    assert asyncio.run(run()) == (False, True)
