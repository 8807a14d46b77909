"""Export, delete, import: everything comes back (protocol 13.3, item 4)."""

from typing import Any

import pytest

from tests.api.documents import import_form, import_text
from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer

EVENTS: dict[str, list[dict[str, Any]]] = {
    "aw-watcher-window_laptop": [
        event(at(f"10:{n // 60:02}:{n % 60:02}"), n / 8, {"app": f"app {n % 5}", "title": f"título {n} \U0001f600"})
        for n in range(300)
    ],
    "aw-watcher-afk_laptop": [
        event(at("10:00:00"), 0.0, {"status": "not-afk"}),
        event(at("10:00:00.000001"), 0.000001, {"status": "afk"}),
    ],
    "odd / one": [
        event("1970-01-01T00:00:00Z", 1e9),
        event("2261-12-31T00:00:00Z", -3.5, {"n": [1, 1.0, True, None, {"m": 1}]}),
    ],
    "empty": [],
}


@pytest.fixture
def filled(server: RunningServer) -> RunningServer:
    for bucket_id, events in EVENTS.items():
        bucket = RemoteBucket(server, bucket_id)
        bucket.create(hostname="!local", data={"of": bucket_id})
        bucket.insert(*events)
    return server


def test_form_import_of_an_export_restores_identical_events_and_a_second_changes_nothing(filled: RunningServer) -> None:
    exported = filled.get("/api/0/export")
    for bucket_id in EVENTS:
        RemoteBucket(filled, bucket_id).delete()
    assert filled.get("/api/0/buckets/").json == {}

    first = import_form(filled, exported.body)
    restored = filled.get("/api/0/export")
    second = import_form(filled, exported.body)

    count = sum(map(len, EVENTS.values()))
    assert first.json == {"buckets": 4, "imported": count, "skipped": 0, "invalid": 0}
    assert restored.json == exported.json
    assert second.json == {"buckets": 4, "imported": 0, "skipped": count, "invalid": 0}
    assert filled.get("/api/0/export").json == exported.json


def test_single_bucket_moves_to_another_server(filled: RunningServer, shared_server: RunningServer) -> None:
    path = RemoteBucket(filled, "odd / one").path
    exported = filled.get(f"{path}/export")

    import_text(shared_server, exported.body)

    assert shared_server.get(f"{path}/export").json == exported.json
