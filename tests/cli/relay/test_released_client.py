"""The released Python client, unchanged, records through the relay, also while the server is away."""

from pathlib import Path

from tests.cli.relay.running_relay import RunningRelay, events_of, moment
from tests.support.calls.released_client import python_client
from tests.support.server import RunningServer
from tests.support.waiting import eventually


def test_it_records_directly_and_reads_back(server: RunningServer, relay: RunningRelay, tmp_path: Path) -> None:
    with python_client(relay.port, home=tmp_path) as client:
        client.call("create_bucket", "direct", "test.type")
        for second in (0, 4, 8):
            client.call("heartbeat", "direct", event(second), 5.0)
        client.call("insert_events", "direct", [event(20, app="browser")])
        relay.wait_until_sent()

        assert client.call("get_info")["testing"] is False
        assert client.call("get_eventcount", "direct") == 2
        assert "direct" in client.call("get_buckets")
    assert events_of(server, "direct") == [(0, 8, "editor"), (20, 0, "browser")]


def test_it_records_from_its_queue_while_the_server_is_killed_and_started(
    server: RunningServer, relay: RunningRelay, tmp_path: Path
) -> None:
    with python_client(relay.port, home=tmp_path) as client:
        client.call("create_bucket", "queued", "test.type", queued=True)
        client.call("connect")
        for second in range(12):
            if second == 4:
                server.kill()
            client.call("heartbeat", "queued", event(second, app=f"app {second}"), 0.0, queued=True)
        # The last one stays with the client: it may still be extended.
        eventually(lambda: relay.status["waiting"] + relay.status["sent"] == 12)

        server.start()
        relay.wait_until_sent()
        client.call("disconnect")
    assert events_of(server, "queued") == [(second, 0, f"app {second}") for second in range(11)]


def event(second: float, *, app: str = "editor") -> dict[str, object]:
    return {"timestamp": moment(second), "duration": 0, "data": {"app": app}}
