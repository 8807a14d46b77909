"""Every response of `/api/1` reports how far the store has come: a number that grows with every change."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from dayline.storage.sqlite.database import SqliteDatabase
from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer


def revision(server: RunningServer, path: str = "/api/1/trash") -> int:
    return int(server.get(path).headers["revision"])


CHANGES: dict[str, Callable[[RemoteBucket], object]] = {
    "a heartbeat": lambda bucket: bucket.heartbeat(at("11:00:00")),
    "an insert": lambda bucket: bucket.insert(event(at("12:00:00"), 1)),
    "a deletion": lambda bucket: bucket.delete_event(bucket.ids()[0]),
    "a setting": lambda bucket: bucket.server.post("/api/0/settings/theme", "dark"),
    "a preference": lambda bucket: bucket.server.call("PATCH", "/api/1/settings", {"theme": "dark"}),
    "a bucket": lambda bucket: bucket.delete(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_raises_it(bucket: RemoteBucket, name: str) -> None:
    bucket.insert(event(at("10:00:00"), 1))
    before = revision(bucket.server)

    CHANGES[name](bucket)

    assert revision(bucket.server) > before


def test_notes_of_the_audit_log_do_not_raise_the_revision(tmp_path: Path) -> None:
    # Reading is noted, and anyone who reads again at every change would be the reason to read again.
    async def revisions() -> list[int]:
        database = SqliteDatabase(tmp_path / "days.db", asyncio.get_running_loop())
        try:
            found: list[int] = []
            for _ in range(10):
                await database.access.note([], [], forget_before=0)
                found.append(database.store().revision)
            return found
        finally:
            await database.close()

    found = asyncio.run(revisions())
    assert len(set(found)) < len(found)  # what a start has to do may raise it in between


def test_the_answer_to_a_change_shows_what_it_has_come_to(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 1))
    before = revision(bucket.server)

    answer = bucket.server.call("PATCH", f"/api/1/events/{bucket.id}/{stored['id']}", {"duration": 2})

    assert before < int(answer.headers["revision"]) <= revision(bucket.server)


def test_it_continues_above_where_it_was_after_a_restart(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        bucket = RemoteBucket(server, "window")
        bucket.create()
        for n in range(20):
            bucket.heartbeat(at(f"10:00:{n:02}"), {"n": n})
        before = revision(server)
    with RunningServer(tmp_path / "days.db") as server:
        assert revision(server) > before
