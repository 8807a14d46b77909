"""While the server is away everything is kept, and arrives when it is back: once, and in order."""

from pathlib import Path

from tests.cli.relay.lossy_way import LossyWay
from tests.cli.relay.running_relay import RunningRelay, away, events_of, moment
from tests.support.server import RunningServer, free_port
from tests.support.waiting import eventually


def test_a_relay_starts_and_records_without_its_server(tmp_path: Path) -> None:
    server = RunningServer(tmp_path / "days.db", port=free_port())
    with RunningRelay(tmp_path / "queue.db", server.url) as relay:
        assert relay.create("early").status == 200
        assert relay.create("early").status == 304
        for second in range(20):
            assert relay.beat("early", second).status == 200
        relay.post("/api/0/buckets/early/events", [{"timestamp": moment(0), "data": {"app": "inserted"}}])

        with server:
            relay.wait_until_sent()
            assert events_of(server, "early") == [(0, 0, "inserted"), (0, 19, "editor")]


def test_the_status_shows_that_the_server_is_unreachable_and_why(tmp_path: Path) -> None:
    to = away()
    with RunningRelay(tmp_path / "queue.db", to) as relay:
        eventually(lambda: relay.status["state"] == "away")
        relay.create("kept")
        relay.beat("kept", 0)

        status = relay.status
        assert (status["to"], status["waiting"], status["sent"]) == (to, 2, 0)
        assert "refused" in status["reason"]
        assert status["since"] < status["oldest"]


def test_the_status_shows_that_it_is_connected(server: RunningServer, relay: RunningRelay) -> None:
    eventually(lambda: relay.status["state"] == "connected")
    relay.create("sent")
    relay.beat("sent", 0)
    relay.wait_until_sent()

    status = relay.status
    assert (status["reason"], status["oldest"], status["sent"], status["refused"]) == (None, None, 2, 0)


def test_a_server_killed_while_heartbeats_arrive_ends_with_all_of_them(
    server: RunningServer, relay: RunningRelay
) -> None:
    relay.create("a")
    for round_number in range(3):
        for number in range(30):
            assert relay.beat("a", round_number * 100 + number, app=f"app {number}", pulsetime=0).status == 200
            if number == 15:
                server.kill()
        server.start()
        # Reading what only the server has also shows the relay that the server is back.
        assert relay.get("/api/0/buckets/").status == 200
    relay.wait_until_sent()

    assert events_of(server, "a") == [
        (round_number * 100 + number, 0, f"app {number}") for round_number in range(3) for number in range(30)
    ]


def test_a_lost_answer_doubles_nothing(server: RunningServer, tmp_path: Path) -> None:
    with (
        LossyWay(server, is_lost=lambda number: number % 3 == 2) as way,
        RunningRelay(tmp_path / "queue.db", way.url) as relay,
    ):
        relay.create("relayed")
        server.create("direct")
        for second in range(4):
            event = {"timestamp": moment(second), "data": {"app": f"app {second}"}}
            beat = {"timestamp": moment(second), "data": {"app": "same"}}
            for door, bucket_id in ((relay, "relayed"), (server, "direct")):
                door.post(f"/api/0/buckets/{bucket_id}/events", [event, event])
                door.post(f"/api/0/buckets/{bucket_id}/heartbeat?pulsetime=5", beat)
        relay.wait_until_sent()

        tokens = [request["idempotency-key"] for request in way.requests]
        assert len(tokens) > len(set(tokens)) == 9
    assert events_of(server, "relayed") == events_of(server, "direct")


def test_a_bucket_deleted_there_is_created_again(server: RunningServer, relay: RunningRelay) -> None:
    relay.create("deleted", data={"kept": True})
    relay.beat("deleted", 0)
    relay.wait_until_sent()

    server.call("DELETE", "/api/0/buckets/deleted")
    relay.beat("deleted", 100)
    relay.beat("deleted", 101, app="browser")
    relay.wait_until_sent()

    assert server.get("/api/0/buckets/deleted").json["data"] == {"kept": True}
    assert events_of(server, "deleted") == [(100, 0, "editor"), (101, 0, "browser")]


def test_a_heartbeat_waits_until_the_relay_knows_its_bucket(server: RunningServer, relay: RunningRelay) -> None:
    relay.create("other")
    assert relay.beat("unknown", 0).status == 200
    eventually(lambda: "unknown" in relay.status["held_back"])

    # Watchers create their bucket when they hear that there is none.
    assert (refused := relay.beat("unknown", 1)).status == 404
    assert refused.json["type"] == "BucketNotFound"
    assert relay.create("unknown").status == 200
    assert relay.beat("unknown", 2).status == 200
    relay.wait_until_sent()

    assert events_of(server, "unknown") == [(0, 2, "editor")]
    assert relay.status["held_back"] == {}


def test_a_bucket_that_only_the_server_knows_takes_heartbeats(server: RunningServer, relay: RunningRelay) -> None:
    server.create("theirs")

    relay.beat("theirs", 0)
    relay.wait_until_sent()

    assert events_of(server, "theirs") == [(0, 0, "editor")]
