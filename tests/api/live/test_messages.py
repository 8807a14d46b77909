"""What is reported on each topic, and when."""

import time
from datetime import UTC, datetime, timedelta

from tests.support.calls.listening import STREAM, OpenStream, beat
from tests.support.server import RunningServer
from tests.support.waiting import eventually


def test_a_stream_begins_with_hello_and_what_is_in_front(server: RunningServer) -> None:
    before = int(server.get("/api/1/settings").headers["revision"])
    with OpenStream(server) as stream:
        hello, now = stream.next(), stream.next()

        assert (hello.event, now.event) == ("hello", "now")
        assert hello.data["resumed"] is False
        assert hello.data["version"] == server.get("/api/0/info").json["version"].removeprefix("v").split()[0]
        # Not equal to it: the server may have written something of its own in between.
        assert before <= hello.data["revision"] <= int(server.get("/api/1/settings").headers["revision"])
        assert now.data["devices"] == server.get("/api/1/now").json["devices"]
        assert "retry: 1000" in stream.others


def test_headers_keep_proxies_and_browsers_from_holding_it_back(server: RunningServer) -> None:
    with OpenStream(server) as stream:
        assert stream.answer.getheader("Content-Type") == "text/event-stream"
        assert stream.answer.getheader("Cache-Control") == "no-store"
        assert stream.answer.getheader("X-Accel-Buffering") == "no"


def test_a_heartbeat_shows(server: RunningServer) -> None:
    server.create("window_shows", type="currentwindow", hostname="shows")
    with OpenStream(server, "topic=now") as stream:
        stream.next("now")
        beat(server, "window_shows", "a title")

        shown = stream.next("now")

        assert ("shows", "a title") in [(each["device"], each["title"]) for each in shown.data["devices"]]


def test_during_heartbeats_each_topic_is_sent_once_a_second(server: RunningServer) -> None:
    server.create("window_flow", type="currentwindow", hostname="flow")
    with OpenStream(server) as stream:
        stream.next("now")
        start = time.monotonic()
        while time.monotonic() - start < 1.2:
            beat(server, "window_flow", str(time.monotonic()))
        newest = int(server.get("/api/1/settings").headers["revision"])
        messages = [stream.next()]
        while messages[-1].event != "revision" or messages[-1].data["revision"] < newest:
            messages.append(stream.next())
        messages.append(stream.next("now"))
        most = 2 + int(time.monotonic() - start)

    reported = [message.event for message in messages if message.data.get("id") in (None, "window_flow")]
    for topic in ("now", "bucket", "revision"):
        assert 2 <= reported.count(topic) <= most


def test_ten_listeners_hear_the_same(server: RunningServer) -> None:
    streams = [OpenStream(server, "topic=settings") for _ in range(10)]
    for number in range(20):
        server.post(f"/api/0/settings/ten_{number}", number)

    heard = [[stream.next("settings") for _ in range(20)] for stream in streams]

    assert [message.data["key"] for message in heard[0]] == [f"ten_{number}" for number in range(20)]
    assert all(other == heard[0] for other in heard)
    for stream in streams:
        stream.close()


def test_every_change_of_a_bucket_is_sent(server: RunningServer) -> None:
    server.create("target")
    with OpenStream(server, "topic=bucket") as stream:
        server.create("life")
        server.post("/api/0/buckets/life/events", {"timestamp": "2026-02-03T08:15:31Z", "data": {}})
        reported = [stream.next("bucket").data for _ in range(2)]
        event = server.get("/api/0/buckets/life/events").json[0]["id"]
        server.call("DELETE", f"/api/0/buckets/life/events/{event}")
        reported.append(stream.next("bucket").data)
        undo = server.call("DELETE", "/api/0/buckets/life").headers["undo-id"]
        server.post(f"/api/1/undo/{undo}")
        server.post("/api/1/buckets/life/rename", {"id": "lives"})
        server.post("/api/1/buckets/lives/merge", {"into": "target"})
        reported += [stream.next("bucket").data for _ in range(6)]

    assert [(each["id"], each["change"]) for each in reported] == [
        ("life", "created"),
        ("life", "recorded"),
        ("life", "changed"),
        ("life", "deleted"),
        ("life", "restored"),
        ("life", "renamed"),
        ("lives", "renamed"),
        ("lives", "merged"),
        ("target", "merged"),
    ]


def test_every_changed_setting_is_sent_wherever_it_is_stored(server: RunningServer) -> None:
    with OpenStream(server, "topic=settings") as stream:
        server.post("/api/0/settings/color", "red")
        server.call("PATCH", "/api/1/settings", {"theme": "dark", "density": "compact"})
        server.call("PATCH", "/api/1/settings", {"theme": "dark"})  # as it is already
        server.call("PUT", "/api/1/categories", {"categories": [{"name": ["Work"]}]})
        server.call("DELETE", "/api/0/settings/color")

        reported = [stream.next("settings").data["key"] for _ in range(6)]

    assert reported == ["color", "theme", "density", "classes", "categories", "color"]


def test_an_import_shows_how_far_it_is_and_how_it_ended(server: RunningServer) -> None:
    event = {"timestamp": "2026-02-03T08:15:31Z", "duration": 1, "data": {"app": "Editor"}}
    bucket = {"id": "imported", "type": "t", "client": "c", "hostname": "h", "events": [event]}
    with OpenStream(server, "topic=job") as stream:
        job = server.post("/api/1/imports", {"buckets": {"imported": bucket}}).json

        reported = [stream.next("job").data]
        while reported[-1]["state"] == "running":
            reported.append(stream.next("job").data)

        assert {each["id"] for each in reported} == {job["id"]}
        assert reported[-1] == server.get(f"/api/1/jobs/{job['id']}").json
        assert reported[-1]["state"] == "done"


def test_a_goal_is_reported_when_it_is_reached(server: RunningServer) -> None:
    server.create("window_goal", type="currentwindow", hostname="goal")
    begun = datetime.now(UTC) - timedelta(minutes=3)
    event = {"timestamp": begun.isoformat(), "duration": 120, "data": {"app": "Editor", "title": "b"}}
    server.post("/api/0/buckets/window_goal/events", event)
    goal = server.post("/api/1/goals", {"name": "Edit", "kind": "at_least", "seconds": 60, "per": "month"}).json
    with OpenStream(server, "topic=goal") as stream:
        stream.next("hello")

        def is_reported() -> bool:
            # No one knows when it is looked at, so that the mark is moved until someone has looked on both sides.
            for seconds in (90_000, 60):
                assert server.call("PATCH", f"/api/1/goals/{goal['id']}", {"seconds": seconds}).status == 200
                stop = time.monotonic() + 0.5
                while time.monotonic() < stop:
                    time.sleep(0.02)
                    if reported := stream.passed():
                        assert [message.data for message in reported] == [{"id": str(goal["id"]), "state": "reached"}]
                        return True
            return False

        eventually(is_reported)


def test_silence_has_pings(server: RunningServer) -> None:
    with OpenStream(server, "topic=job") as stream:
        eventually(lambda: stream.others.count(": ping") >= 2)


def test_only_chosen_topics_are_sent(server: RunningServer) -> None:
    with OpenStream(server, "topic=settings&topic=bucket") as stream:
        server.create("chosen")
        server.post("/api/0/settings/chosen", 1)

        reported = [stream.next(), stream.next(), stream.next()]

    assert [message.event for message in reported] == ["hello", "bucket", "settings"]


def test_an_unknown_topic_is_rejected_with_those_that_there_are(server: RunningServer) -> None:
    answer = server.get(f"{STREAM}?topic=now&topic=weather")

    assert answer.status == 422
    assert "weather" in answer.message
    assert "now, revision, bucket, job, goal, settings" in answer.json["hint"]


def test_what_is_only_asked_for_once_ends(server: RunningServer) -> None:
    answer = server.get(f"{STREAM}?follow=0")

    assert answer.status == 200
    assert b"event: hello\n" in answer.body
    assert answer.body.endswith(b"\n\n")
