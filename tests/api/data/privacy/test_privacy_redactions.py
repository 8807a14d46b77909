"""`/api/1/privacy/apply` and what follows it, with queries and heartbeats going on (issue: privacy rules)."""

import threading
from pathlib import Path
from typing import Any

from dayline.storage.columns.segment_plan import SegmentPace
from tests.support.calls.clients import results
from tests.support.server import RunningServer
from tests.support.waiting import eventually

APPLY = "/api/1/privacy/apply"
REDACTIONS = "/api/1/privacy/redactions"
HIDE: dict[str, Any] = {"field": "title", "pattern": "payroll", "action": "redact"}
TITLES = 1500  # changed in two slices
JANUARY = "2026-01-01T00:00:00Z/2026-02-01T00:00:00Z"


def events(titles: list[str]) -> list[dict[str, Any]]:
    return [
        {"timestamp": f"2026-01-{1 + n % 28:02}T10:{n // 28 % 60:02}:00Z", "duration": 30, "data": {"title": title}}
        for n, title in enumerate(titles)
    ]


def filled(server: RunningServer, titles: list[str]) -> None:
    server.create("window")
    assert server.post("/api/0/buckets/window/events", events(titles)).status == 200


def queried(server: RunningServer) -> set[str]:
    [found] = results(server, 'RETURN = query_bucket("window");', periods=[JANUARY])
    return {event["data"]["title"] for event in found}


def test_apply_list_undo_and_final(server: RunningServer) -> None:
    filled(server, ["payroll", "notes", "payroll 2"])
    before = server.get("/api/0/buckets/window/events").json

    applied = server.post(APPLY, {"rules": [HIDE]})
    assert applied.status == 200
    assert (applied.json["id"], applied.json["state"]) == (1, "applied")
    assert [applied.json[what] for what in ("changed_values", "changed_events", "dropped_events")] == [2, 2, 0]
    assert applied.json["rules"]["rules"][0]["pattern"] == "payroll"
    assert server.get(REDACTIONS).json == [applied.json]

    undone = server.post(f"{REDACTIONS}/1/undo")
    assert (undone.status, undone.json["state"]) == (200, "undone")
    assert server.get("/api/0/buckets/window/events").json == before

    again = server.post(APPLY, {"rules": [HIDE]})
    final = server.post(f"{REDACTIONS}/{again.json['id']}/final")
    assert (final.status, final.json["state"]) == (200, "final")
    assert [found["state"] for found in server.get(REDACTIONS).json] == ["final", "undone"]
    assert server.post(f"{REDACTIONS}/2/undo").status == 410
    assert server.post(f"{REDACTIONS}/1/final").status == 409
    assert [server.post(f"{REDACTIONS}/{number}/undo").status for number in ("3", "x", "99999999999999999999")] == [
        404
    ] * 3


def test_an_import_knows_events_whose_texts_a_redaction_has_made_equal(server: RunningServer) -> None:
    # They stay two texts of the database, and an imported event has one of them.
    filled(server, ["payroll", "payroll 2", "REDACTED"])
    assert server.post(APPLY, {"rules": [HIDE]}).status == 200
    before = server.get("/api/0/buckets/window/events").json

    answer = server.call("POST", "/api/0/import", raw=server.get("/api/0/export").body)

    assert (answer.status, answer.json["imported"]) == (200, 0)
    assert server.get("/api/0/buckets/window/events").json == before


def test_a_query_sees_the_change_at_once(tmp_path: Path) -> None:
    pace = SegmentPace(initial_delay_s=0, interval_s=0.1, after_import_s=0, min_events=1)
    derived = tmp_path / "days.db.d/derived"
    server = RunningServer(tmp_path / "days.db")
    server.constants = {"dayline.storage.sqlite.database:SqliteDatabase.segment_pace": pace}
    with server:
        filled(server, [*["payroll", "notes"] * 500, *[f"payroll {n}" for n in range(100)]])
        eventually(derived.exists)
        assert len(queried(server)) == 102

        for _ in range(2):  # the second time with what the first has left behind
            number = server.post(APPLY, {"rules": [HIDE]}).json["id"]
            assert queried(server) == {"REDACTED", "notes"}
            server.post(f"{REDACTIONS}/{number}/undo")
            assert len(queried(server)) == 102

        number = server.post(APPLY, {"rules": [{**HIDE, "action": "drop"}]}).json["id"]
        assert queried(server) == {"notes"}
        server.post(f"{REDACTIONS}/{number}/final")
        assert queried(server) == {"notes"}


def test_heartbeats_continue_and_none_is_lost(server: RunningServer) -> None:
    filled(server, [f"payroll {n}" for n in range(TITLES)])
    server.create("other")
    sent: dict[str, list[str]] = {"window": [], "other": []}
    is_over = threading.Event()

    def watch(bucket_id: str, titles: tuple[str, ...]) -> None:
        number = 0
        while not is_over.is_set():
            moment = (
                f"2026-02-{1 + number // 86400:02}T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}Z"
            )
            body = {"timestamp": moment, "data": {"title": titles[number % len(titles)]}}
            answer = server.post(f"/api/0/buckets/{bucket_id}/heartbeat?pulsetime=0", body)
            assert (answer.status, answer.json["timestamp"]) == (200, moment)
            sent[bucket_id].append(moment)
            number += 1

    def until_more() -> None:
        beats = {bucket_id: len(moments) for bucket_id, moments in sent.items()}
        eventually(lambda: all(len(moments) > beats[bucket_id] for bucket_id, moments in sent.items()))

    watchers = [
        threading.Thread(target=watch, args=("window", ("payroll 7", "fresh", "REDACTED"))),
        threading.Thread(target=watch, args=("other", ("payroll", "notes"))),
    ]
    for watcher in watchers:
        watcher.start()
    try:
        for _ in range(2):
            until_more()
            applied = server.post(APPLY, {"rules": [HIDE]})
            assert applied.status == 200
            assert server.post(f"{REDACTIONS}/{applied.json['id']}/undo").status == 200
    finally:
        is_over.set()
        for watcher in watchers:
            watcher.join()

    for bucket_id, moments in sent.items():
        stored = server.get(f"/api/0/buckets/{bucket_id}/events?start=2026-02-01T00:00:00Z").json
        assert {event["timestamp"] for event in stored} == set(moments)
    titles = {event["data"]["title"] for event in server.get("/api/0/buckets/window/events?end=2026-01-31").json}
    assert titles == {f"payroll {n}" for n in range(TITLES)}


def test_an_import_with_rules_equals_an_import_without_that_is_redacted(tmp_path: Path) -> None:
    rules = [
        {**HIDE, "action": "rewrite", "replacement": "work"},
        {"field": "title", "pattern": "incognito", "action": "drop"},
    ]
    titles = ["payroll 1", "notes", "incognito", "payroll 1", "payroll payroll", "incognito payroll", "work 1"]
    bucket = {"type": "t", "client": "c", "hostname": "h", "created": "2026-01-01T00:00:00Z", "events": events(titles)}
    document = {"buckets": {"window": bucket}}
    with RunningServer(tmp_path / "one" / "days.db") as first, RunningServer(tmp_path / "two" / "days.db") as second:
        first.call("PUT", "/api/1/privacy/rules", rules)
        first.post("/api/0/import", document)
        second.post("/api/0/import", document)
        second.post(APPLY, {"rules": rules})

        assert first.get("/api/0/export").json == second.get("/api/0/export").json


def test_a_token_is_used_once(server: RunningServer) -> None:
    filled(server, ["payroll"])
    headers = {"Idempotency-Key": "once"}

    assert server.call("POST", APPLY, {"rules": [HIDE]}, headers=headers).status == 200
    assert server.call("POST", APPLY, {"rules": [HIDE]}, headers=headers).status == 409
    assert len(server.get(REDACTIONS).json) == 1
    assert list(server.database.parent.glob("*redaction*")) == []
