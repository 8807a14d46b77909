"""A lost answer, and so long until the next attempt that the server has forgotten the idempotency key."""

from pathlib import Path

import apsw
import pytest

from dayline.model.time import DAY
from tests.cli.relay.lossy_way import LossyWay
from tests.cli.relay.running_relay import RunningRelay, away, events_of, moment
from tests.support.keyed_server import KeyedServer
from tests.support.server import RunningServer
from tests.support.waiting import eventually

EVENTS = [{"timestamp": moment(second), "duration": 1, "data": {"app": f"app {second}"}} for second in (0, 0, 5)]


def lose_answers(server: RunningServer, queue: Path, *flags: str, with_events: bool) -> None:
    """Let a relay end with a call that the server has, and which it does not know of."""
    with LossyWay(server, is_lost=lambda number: number > 1) as way, RunningRelay(queue, way.url, *flags) as relay:
        relay.create("a")
        if with_events:
            relay.post("/api/0/buckets/a/events", EVENTS)
        else:
            relay.beat("a", 0, duration=3)
        eventually(lambda: len(way.requests) > 1)


def wait_for_a_month(server: RunningServer, queue: Path) -> None:
    server.stop()
    for path, change in (
        (queue, f"UPDATE call SET queued = queued - {31 * DAY}"),
        (server.database, "DELETE FROM once"),
    ):
        db = apsw.Connection(str(path))
        db.execute(change)
        db.close()
    server.start()


# The server had forgotten the key, and inserted the events again.
@pytest.mark.parametrize("with_events", [True, False])
def test_a_call_that_the_server_has_is_not_made_twice_after_a_month(
    server: RunningServer, tmp_path: Path, with_events: bool
) -> None:
    queue = tmp_path / "queue.db"
    lose_answers(server, queue, with_events=with_events)
    before = events_of(server, "a")
    wait_for_a_month(server, queue)

    with RunningRelay(queue, server.url) as relay:
        relay.beat("a", 100)
        relay.wait_until_sent()

        assert relay.status["refused"] == 0
    assert before
    assert events_of(server, "a") == [*before, (100, 0, "editor")]


def test_what_the_server_lacks_of_a_call_is_sent_after_a_month(server: RunningServer, tmp_path: Path) -> None:
    queue = tmp_path / "queue.db"
    lose_answers(server, queue, with_events=True)
    before = events_of(server, "a")
    first = server.get("/api/0/buckets/a/events").json[-1]["id"]
    server.call("DELETE", f"/api/0/buckets/a/events/{first}")
    wait_for_a_month(server, queue)

    with RunningRelay(queue, server.url) as relay:
        relay.wait_until_sent()

    assert events_of(server, "a") == before


def test_calls_that_were_never_sent_are_sent_after_a_month(server: RunningServer, tmp_path: Path) -> None:
    queue = tmp_path / "queue.db"
    with RunningRelay(queue, away()) as relay:
        relay.create("a")
        for second in range(0, 100, 10):
            relay.beat("a", second, pulsetime=1)
    wait_for_a_month(server, queue)

    with RunningRelay(queue, server.url) as relay:
        relay.wait_until_sent()

    assert len(events_of(server, "a")) == 10


def test_with_a_key_that_cannot_read_the_call_is_kept_aside(tmp_path: Path) -> None:
    queue, key = tmp_path / "queue.db", tmp_path / "key"
    with KeyedServer(tmp_path / "days.db") as server:
        key.write_text(server.key("append"))
        key.chmod(0o600)
        lose_answers(server, queue, "--key-file", str(key), with_events=True)
        wait_for_a_month(server, queue)

        with RunningRelay(queue, server.url, "--key-file", str(key)) as relay:
            relay.wait_until_sent()
            status = relay.status

    assert status["refused"] == 1
    assert "the server may have it already" in status["refusals"][0]["reason"]
