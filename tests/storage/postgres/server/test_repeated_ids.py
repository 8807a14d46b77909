"""Event ids that two events have on PostgreSQL, where no index prevents them: the doctor finds and repairs them."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from dayline.storage.postgres.connection import connect, transaction
from tests.support.postgres.servers import PostgresServer
from tests.support.processes.command import run

DAY = "2026-01-01T10:00:0"


def change(address: str, statement: str) -> None:
    with connect(address) as db, transaction(db, ""):
        db.execute(statement.encode())


def ids(address: str) -> dict[int, list[int]]:
    """By the key of the bucket, ordered by start."""
    with connect(address) as db, transaction(db, ""):
        rows = db.execute("SELECT bucket, array_agg(id ORDER BY start) FROM event GROUP BY bucket").fetchall()
        return {bucket: found for bucket, found in rows}


def record(server: PostgresServer, bucket_id: str, apps: str) -> None:
    server.create(bucket_id)
    events = [{"timestamp": f"{DAY}{second}Z", "duration": 1, "data": {"app": app}} for second, app in enumerate(apps)]
    assert server.post(f"/api/0/buckets/{bucket_id}/events", events).status == 200


def shown(server: PostgresServer, bucket_id: str) -> list[Any]:
    return [event["data"]["app"] for event in reversed(server.get(f"/api/0/buckets/{bucket_id}/events").json)]


@pytest.fixture
def repeated(address: str, tmp_path: Path) -> str:
    """A database where two events of a bucket have the ids of the copies of a merge."""
    with PostgresServer(address, tmp_path) as server:
        record(server, "old", "abc")
        record(server, "other", "")
        assert server.post("/api/1/buckets/old/merge", {"into": "other"}).status == 200
        record(server, "third", "xyz")
    change(address, "UPDATE event SET id = id - 2 WHERE bucket = 3 AND id < 9")  # 7 and 8 become 5 and 6
    return address


def test_the_doctor_finds_repeated_ids_and_gives_new_ones_to_all_but_one(repeated: str, tmp_path: Path) -> None:
    found = run("doctor", "--database", repeated, home=tmp_path)
    as_json = run("doctor", "--json", "--database", repeated, home=tmp_path)
    repaired = run("doctor", "--repair", "--yes", "--database", repeated, home=tmp_path)
    again = run("doctor", "--repair", "--database", repeated, home=tmp_path)
    after = run("doctor", "--database", repeated, home=tmp_path)

    assert found.returncode == 1
    assert "2 events have the id of another event" in found.stdout
    assert "dayline doctor --repair --database" in found.stdout
    assert (as_json.returncode, msgspec.json.decode(as_json.stdout)["findings"][0]["kind"]) == (1, "event_ids")
    assert (repaired.returncode, repaired.stdout) == (0, "Assigned 2 new ids.\n"), repaired.stderr
    assert (again.returncode, again.stdout) == (0, "There is nothing to repair.\n")
    assert (after.returncode, "another event" in after.stdout) == (0, False)
    assert ids(repeated) == {1: [1, 2, 3], 2: [4, 5, 6], 3: [10, 11, 9]}


def test_after_the_repair_the_merge_can_be_undone_and_the_undo_log_names_the_events(
    repeated: str, tmp_path: Path
) -> None:
    assert run("doctor", "--repair", "--yes", "--database", repeated, home=tmp_path).returncode == 0

    with PostgresServer(repeated, tmp_path) as server:
        fixed, merged = server.get("/api/1/trash").json
        rejected = server.post(f"/api/1/undo/{fixed['id']}")
        undone = server.post(f"/api/1/undo/{merged['id']}")

        assert (fixed["kind"], fixed["bucket"], fixed["events"]) == ("mend_events", "third", 2)
        assert (rejected.status, undone.status) == (409, 200)
        assert [shown(server, bucket_id) for bucket_id in ("old", "other", "third")] == [
            ["a", "b", "c"],
            [],
            ["x", "y", "z"],
        ]
        [stored] = server.post("/api/0/buckets/third/events", [{"timestamp": f"{DAY}9Z", "data": {"app": "new"}}]).json
        assert stored["id"] == 12


def test_nothing_is_repaired_while_a_server_uses_the_database(repeated: str, tmp_path: Path) -> None:
    before = ids(repeated)
    with PostgresServer(repeated, tmp_path / "server"):
        done = run("doctor", "--repair", "--yes", "--database", repeated, home=tmp_path)

    assert done.returncode != 0
    assert "is in use" in done.stderr
    assert ids(repeated) == before


def test_an_event_with_an_id_that_an_unfinished_merge_needs_gets_another_one(repeated: str, tmp_path: Path) -> None:
    change(repeated, "DELETE FROM event WHERE bucket = 2 AND id > 4")
    change(
        repeated,
        "UPDATE operation SET state = 'doing', detail = jsonb_set(detail::jsonb, '{done}', '1')::text "
        "WHERE kind = 'merge_buckets'",
    )

    done = run("doctor", "--repair", "--yes", "--database", repeated, home=tmp_path)

    assert done.stdout == "Assigned 2 new ids.\n", done.stderr
    assert ids(repeated) == {1: [1, 2, 3], 2: [4], 3: [10, 11, 9]}
