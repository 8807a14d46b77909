"""What looks wrong in the data of one person on PostgreSQL: nothing of others, and all of one moment."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from dayline.maintenance.findings.inspector import run_scan
from dayline.maintenance.findings.scan import ScanOrder
from dayline.model.errors import StoreBusy, Unavailable
from dayline.model.time import SECOND
from dayline.storage.opening import open_rows
from dayline.storage.transfer.event_rows import ROWS_PAGE, RowsLocation
from tests.support.maintenance.finding import NOW, event, inspected, watcher
from tests.support.postgres.cluster import Cluster
from tests.support.postgres.servers import Person, PostgresServer, SharedServer
from tests.support.processes.command import run
from tests.support.storage.engines import PostgresEngine

NOWHERE: Final = RowsLocation(database="postgresql://anna:secret@127.0.0.1:1/days")
EVENT: Final = {"timestamp": "2026-01-01T10:00:00Z", "duration": 60}


@pytest.fixture(scope="module")
def shared(postgres: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedServer]:
    with SharedServer(postgres.new_database(), tmp_path_factory.mktemp("shared")) as server:
        yield server


def with_events(server: SharedServer, name: str, count: int) -> Person:
    """A client with the same event this many times, and their mark in it."""
    person = Person(server, name)
    assert person.create("window").status == 200
    person.done("POST", "/api/0/buckets/window/events", [{**EVENT, "data": {"title": person.mark}}] * count)
    return person


def test_each_tenant_sees_and_fixes_only_its_own_findings(shared: SharedServer) -> None:
    ann, bob = with_events(shared, "ann", 3), with_events(shared, "bob", 4)

    found = ann.get("/api/1/doctor")
    done = ann.done("POST", "/api/1/doctor/mend", {"kind": "duplicates"}).json

    assert (found["buckets"], found["events"], [one["count"] for one in found["findings"]]) == (1, 3, [2, 2])
    assert ann.mark in found["findings"][0]["examples"][0]["data"]
    assert done["removed"] == 2
    assert ann.get("/api/1/doctor")["findings"] == []
    assert bob.get("/api/1/doctor?kinds=duplicates")["findings"][0]["count"] == 3
    assert len(bob.get("/api/0/buckets/window/events")) == 4


def test_a_look_sees_one_state_of_everything(address: str) -> None:
    engine = PostgresEngine(address, 1)

    async def scenario() -> None:
        async with inspected(engine) as (store, _):
            await store.create_bucket(watcher("window"))
            await store.insert("window", [event(second, 1) for second in range(ROWS_PAGE + 1)])
            with open_rows(engine.rows_place) as rows:
                [bucket] = rows.buckets()
                pages = rows.pages(bucket.key)
                first = next(pages)
                await store.insert("window", [event(ROWS_PAGE + 10, 1)])
                await store.create_bucket(watcher("new"))

                assert (len(first), [len(page) for page in pages]) == (ROWS_PAGE, [1])
                assert rows.buckets() == [bucket]
                assert bucket.events == ROWS_PAGE + 1

    asyncio.run(scenario())


def test_a_database_that_does_not_answer_is_reported_without_its_password() -> None:
    order = ScanOrder(now=NOW, kinds=["gaps"], gap=60 * SECOND)

    with pytest.raises(StoreBusy, match="the database cannot be read") as here, open_rows(NOWHERE):
        pass
    with pytest.raises(Unavailable, match="the database cannot be read") as elsewhere:
        asyncio.run(run_scan(NOWHERE, order, None))

    assert "secret" not in f"{here.value} {elsewhere.value}"


def test_the_command_reports_and_fixes(address: str, tmp_path: Path) -> None:
    events = [{**EVENT, "data": {"app": "editor"}}] * 3
    with PostgresServer(address, tmp_path) as server:
        server.create("window", type="currentwindow")
        assert server.post("/api/0/buckets/window/events", events).status == 200

    reported = run("doctor", "duplicates", "--database", address, home=tmp_path)
    fixed = run("doctor", "--fix", "duplicates", "--yes", "--database", address, home=tmp_path)
    again = run("doctor", "--data", "--database", address, home=tmp_path)

    assert reported.stdout.startswith("window: 2 duplicates")
    assert fixed.stdout.startswith("window: 2 removed.")
    assert again.stdout == "No problems found in 1 event of 1 bucket.\n"
