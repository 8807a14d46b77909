"""The minimum that every client relies on, one call after the other (protocol 13.3, items 1, 4 and 5)."""

from tests.api.documents import import_form
from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer


def test_watcher_s_loop_makes_one_event_of_three_heartbeats(shared_server: RunningServer) -> None:
    bucket = RemoteBucket(shared_server, "aw-watcher-window_laptop")

    first, second = bucket.create(), bucket.create()
    beats = [bucket.heartbeat(at(f"10:00:0{second}"), {"app": "Editor"}) for second in (0, 4, 8)]

    assert (first.status, second.status, second.body) == (200, 304, b"")
    assert [answer.status for answer in beats] == [200, 200, 200]
    [stored] = bucket.events(limit=-1)
    assert stored == beats[-1].json
    assert (stored["duration"], stored["id"] >= 1) == (8.0, True)


def test_settings_of_every_kind_are_read_back_as_the_web_ui_does(shared_server: RunningServer) -> None:
    values = [None, False, True, 0, 1, 1.5, "", "text", [], [1], {}, {"a": None}]

    for value in values:
        raw = b"null" if value is None else None
        assert shared_server.call("POST", "/api/0/settings/kind", value, raw=raw).status == 201
        assert shared_server.get("/api/0/settings").json["kind"] == value
        assert shared_server.get("/api/0/settings/kind").json == value


def test_export_delete_and_form_import_give_identical_events_and_a_second_import_nothing(
    shared_server: RunningServer,
) -> None:
    bucket = RemoteBucket(shared_server, "moved")
    bucket.create()
    bucket.insert(*(event(at(f"10:00:{n:02}"), n / 2, {"n": n}) for n in range(20)))
    before = bucket.stored()
    exported = shared_server.get(f"{bucket.path}/export").body

    bucket.delete()
    first, restored = import_form(shared_server, exported), bucket.stored()
    second = import_form(shared_server, exported)

    assert (first.json["imported"], restored) == (20, before)
    assert (second.json["imported"], second.json["skipped"], bucket.stored()) == (0, 20, before)


def test_hostile_pages_are_refused_and_the_extension_s_preflight_passes(shared_server: RunningServer) -> None:
    wanted = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}

    preflight = shared_server.call("OPTIONS", "/api/0/buckets/x", headers={"Origin": "moz-extension://x", **wanted})

    assert shared_server.get("/api/0/info", Host="evil.example").status == 400
    assert shared_server.get("/api/0/info", Origin="http://evil.example").status == 403
    assert shared_server.post("/api/0/buckets/x", {}, **{"Content-Type": "text/plain"}).status == 415
    assert preflight.status == 200
    assert preflight.headers["access-control-allow-origin"] == "moz-extension://x"
    assert preflight.headers["access-control-allow-headers"] == "content-type"
