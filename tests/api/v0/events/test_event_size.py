"""How large the data of an event may be, wherever it comes from, and what happens to larger ones."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.server import Answer, RunningServer

LIMIT = 16 << 10  # bytes: less than what the fast path leaves to the framework
AT = "2026-01-02T10:00:00Z"


def event(characters: int, **fields: object) -> dict[str, object]:
    """An event whose data has that many bytes more than `{"title":""}`."""
    return {"timestamp": AT, "duration": 1, "data": {"title": "x" * characters}, **fields}


FITS = event(LIMIT - len('{"title":""}'))
TOO_LARGE = event(LIMIT - len('{"title":""}') + 1)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    database = tmp_path_factory.mktemp("small") / "days.db"
    config = database.with_suffix(".toml")
    config.write_text(f"[limits]\nevent_kib = {LIMIT >> 10}\n")
    with RunningServer(database, "--config", str(config)) as server:
        yield server


def assert_too_large(answer: Answer) -> None:
    assert (answer.status, answer.json["type"], answer.json["field"].endswith("data")) == (413, "TooLarge", True)
    assert f"{LIMIT + 1:,} bytes; the limit is {LIMIT:,} bytes" in answer.message
    assert "limits.event_kib" in answer.json["hint"]


@pytest.mark.parametrize("headers", [{}, {"Expect": "nothing"}, {"Cookie": "a=b"}], ids=["fast", "expect", "framework"])
def test_a_heartbeat_with_larger_data_is_413_in_either_path(small: RunningServer, headers: dict[str, str]) -> None:
    # There was no limit but that of the body: one title of 20 MB made `now`, the timeline and search 20 MB each.
    small.create("beats")
    path = "/api/0/buckets/beats/heartbeat?pulsetime=5"

    assert small.post(path, FITS, **headers).status == 200
    assert_too_large(small.post(path, TOO_LARGE, **headers))


@pytest.mark.parametrize("body", [TOO_LARGE, [TOO_LARGE], [FITS, TOO_LARGE]], ids=["one", "list", "second"])
def test_an_inserted_event_with_larger_data_is_413_and_nothing_is_stored(small: RunningServer, body: object) -> None:
    small.create("inserts")
    assert small.post("/api/0/buckets/inserts/events", [FITS]).status == 200
    before = small.get("/api/0/buckets/inserts/events/count").json

    assert_too_large(small.post("/api/0/buckets/inserts/events", body))
    assert small.get("/api/0/buckets/inserts/events/count").json == before


def test_an_edit_to_larger_data_is_413(small: RunningServer) -> None:
    small.create("edits")
    [stored] = small.post("/api/0/buckets/edits/events", [event(3)]).json

    assert_too_large(small.call("PATCH", f"/api/1/events/edits/{stored['id']}", {"data": TOO_LARGE["data"]}))
    assert small.get(f"/api/0/buckets/edits/events/{stored['id']}").json == stored


def test_data_that_a_privacy_rule_makes_too_large_is_413(small: RunningServer) -> None:
    rule = {"field": "title", "pattern": "secret", "action": "rewrite", "replacement": "y" * 900}
    small.create("ruled")
    assert small.call("PUT", "/api/1/privacy/rules", [rule]).status == 200
    body = {"timestamp": AT, "data": {"title": "secret" * 20}}

    answer = small.post("/api/0/buckets/ruled/heartbeat?pulsetime=5", body)
    small.call("PUT", "/api/1/privacy/rules", [])

    assert (answer.status, answer.json["type"]) == (413, "TooLarge")


def test_an_imported_event_with_larger_data_counts_as_invalid(small: RunningServer) -> None:
    bucket = {"id": "imported", "type": "t", "client": "c", "hostname": "h", "created": AT}
    document = {"buckets": {"imported": {**bucket, "events": [FITS, TOO_LARGE, event(5)]}}}

    dry = small.post("/api/1/imports?dry_run=1", document)
    report = small.post("/api/0/import", document)

    assert dry.json["buckets"][0]["invalid"] == 1
    assert report.json == {"buckets": 1, "imported": 2, "skipped": 0, "invalid": 1}


def test_larger_data_that_is_stored_already_can_be_read_exported_moved_and_deleted(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    with RunningServer(database) as server:
        server.create("old")
        [stored] = server.post("/api/0/buckets/old/events", [TOO_LARGE]).json
    config = tmp_path / "small.toml"
    config.write_text(f"[limits]\nevent_kib = {LIMIT >> 10}\n")
    with RunningServer(database, "--config", str(config)) as server:
        path = f"/api/1/events/old/{stored['id']}"

        assert server.get("/api/0/buckets/old/events").json == [stored]
        assert server.get("/api/0/export").json["buckets"]["old"]["events"][0]["data"] == TOO_LARGE["data"]
        assert server.call("PATCH", path, {"timestamp": "2026-01-02T11:00:00Z"}).status == 200
        assert server.call("DELETE", path).status == 200
