"""What Dayline cannot keep of theirs is left out and reported, and the rest comes along."""

from pathlib import Path
from typing import Any

import apsw

from tests.support.maintenance.migrating import FEW, PYTHON, RUST, WINDOW, changed, migrated, run, small_copy_of, total
from tests.support.server import RunningServer

RUST_EVENT = "INSERT INTO events(bucketrow, starttime, endtime, data) VALUES(2, ?, ?, CAST(? AS TEXT))"
PYTHON_EVENT = "INSERT INTO eventmodel(bucket_id, timestamp, duration, datastr) VALUES(1, ?, ?, CAST(? AS TEXT))"
SECOND_NS = 1_000_000_000


def left_out(outcome: dict[str, Any]) -> dict[str, int]:
    found: dict[str, int] = next(bucket["left_out"] for bucket in outcome["buckets"] if bucket["bucket"] == WINDOW)
    return found


def test_unusable_rows_of_the_rust_server_are_counted_by_reason(tmp_path: Path) -> None:
    database = small_copy_of(RUST, tmp_path)
    changed(database, RUST_EVENT, 20 * SECOND_NS, 10 * SECOND_NS, "{}")
    changed(database, RUST_EVENT, -10 * SECOND_NS, 10 * SECOND_NS, "{}")
    for data in ("{broken", "[1]", b'{"title":"\xff"}', '{"title":"\\ud800"}'):
        changed(database, RUST_EVENT, 10 * SECOND_NS, 20 * SECOND_NS, data)

    outcome = migrated(database, home=tmp_path)

    assert left_out(outcome) == {"negative duration": 1, "outside 1970 to 2261": 1, "data is not a JSON object": 4}
    assert total(outcome, "imported") == FEW


def test_unusable_rows_of_the_python_server_are_counted_by_reason(tmp_path: Path) -> None:
    database = small_copy_of(PYTHON, tmp_path)
    changed(database, PYTHON_EVENT, "2025-01-05 10:00:00+00:00", -3.5, "{}")
    changed(database, PYTHON_EVENT, "1969-12-31 10:00:00+00:00", 1, "{}")
    changed(database, PYTHON_EVENT, "yesterday", 1, "{}")
    changed(database, PYTHON_EVENT, "2025-01-05 10:00:00+00:00", "long", "{}")
    changed(database, PYTHON_EVENT, "2025-01-05 10:00:00+00:00", 1, '{"value": NaN}')

    outcome = migrated(database, home=tmp_path)

    assert left_out(outcome) == {
        "negative duration": 1,
        "outside 1970 to 2261": 1,
        "invalid time": 2,
        "data is not a JSON object": 1,
    }
    assert total(outcome, "imported") == FEW


def test_what_is_left_out_is_reported(tmp_path: Path) -> None:
    database = small_copy_of(RUST, tmp_path)
    changed(database, RUST_EVENT, 20 * SECOND_NS, 10 * SECOND_NS, "{}")

    done = run("import", database, home=tmp_path)

    assert done.returncode == 0
    assert f"{WINDOW}: 1 event is left out: negative duration" in done.stdout


def test_an_event_that_is_there_twice_is_here_once(tmp_path: Path) -> None:
    database = small_copy_of(RUST, tmp_path)
    db = apsw.Connection(str(database))
    db.execute("INSERT INTO events SELECT NULL, bucketrow, starttime, endtime, data FROM events LIMIT 7")
    db.close()

    outcome = migrated(database, home=tmp_path)

    assert (total(outcome, "repeated"), total(outcome, "imported")) == (7, FEW)


def test_privacy_rules_hold_for_what_comes_along_and_the_proof_knows_them(tmp_path: Path) -> None:
    rules = [
        {"field": "app", "pattern": "Terminal", "action": "drop"},
        {"field": "title", "pattern": "word1", "action": "redact"},
    ]
    with RunningServer(tmp_path / "days.db") as server:
        assert server.call("PUT", "/api/1/privacy/rules", rules).status == 200

        outcome = migrated(small_copy_of(RUST, tmp_path), home=tmp_path)

        titles = {event["data"]["title"] for event in server.get(f"/api/0/buckets/{WINDOW}/events").json}
    assert left_out(outcome)["dropped by your privacy rules"] > 0
    assert not any("word1" in title for title in titles)


def test_privacy_rules_of_a_renamed_bucket_hold_for_what_comes_along_under_its_old_id(tmp_path: Path) -> None:
    rule = {"field": "title", "pattern": "word1", "action": "redact", "buckets": ["renamed"]}
    with RunningServer(tmp_path / "days.db") as server:
        assert server.call("PUT", "/api/1/privacy/rules", [rule]).status == 200
        server.create(WINDOW)
        assert server.post(f"/api/1/buckets/{WINDOW}/rename", {"id": "renamed"}).status == 200

        outcome = migrated(small_copy_of(RUST, tmp_path), home=tmp_path)

        titles = {event["data"]["title"] for event in server.get("/api/0/buckets/renamed/events").json}
    proof = next(bucket["proof"] for bucket in outcome["buckets"] if bucket["bucket"] == WINDOW)
    assert proof["theirs"] == proof["ours"]
    assert titles
    assert not any("word1" in title for title in titles)
