"""A queue or a disk without space: what cannot be kept is reported, and never dropped in silence."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cli.relay.running_relay import RunningRelay, away, events_of, moment
from tests.support.server import RunningServer
from tests.support.storage.slow_disk import Disk
from tests.support.waiting import eventually


def test_a_full_queue_is_503_with_a_hint_and_what_is_there_stays(tmp_path: Path) -> None:
    server = RunningServer(tmp_path / "days.db")
    with RunningRelay(tmp_path / "queue.db", server.url, "--queue-mib", "1") as relay:
        relay.create("a")
        large = {"timestamp": moment(0), "data": {"app": "x" * ((1 << 20) - 16)}}
        assert relay.post("/api/0/buckets/a/events", [large]).status == 200

        answer = relay.beat("a", 10)

        assert (answer.status, answer.json["type"]) == (503, "Unavailable")
        assert "is full (1 MiB)" in answer.message
        assert "--queue-mib" in answer.json["hint"]
        assert relay.status["waiting"] == 2
        with server:
            relay.wait_until_sent()
            assert relay.beat("a", 20).status == 200
            relay.wait_until_sent()
            assert [second for second, _, _ in events_of(server, "a")] == [0, 20]


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path / "disk")


def test_heartbeats_are_held_while_the_disk_is_full(disk: Disk, tmp_path: Path) -> None:
    relay = RunningRelay(tmp_path / "queue.db", away())
    relay.change = disk.change
    with relay, ThreadPoolExecutor() as pool:
        relay.create("a")
        disk.fill()
        beats = [pool.submit(relay.beat, "a", 100 * number) for number in range(3)]
        eventually(lambda: "cannot write the queue" in tmp_path.joinpath("queue.db.d/dayline.log").read_text())
        assert not any(beat.done() for beat in beats)

        disk.quick()

        assert [beat.result().status for beat in beats] == [200, 200, 200]
        assert relay.status["waiting"] == 4


def test_a_relay_that_stops_on_a_full_disk_logs_the_reason(disk: Disk, tmp_path: Path) -> None:
    relay = RunningRelay(tmp_path / "queue.db", away())
    relay.change = disk.change
    with relay, ThreadPoolExecutor() as pool:
        relay.create("a")
        disk.fill()
        beat = pool.submit(relay.beat, "a", 0)
        eventually(lambda: "cannot write the queue" in tmp_path.joinpath("queue.db.d/dayline.log").read_text())

        assert relay.stop() == 0

        assert beat.result().status == 503
