"""What the server does not take: put aside if it never will, kept if it might, and tried no more often than needed."""

from pathlib import Path

from tests.cli.relay.lossy_way import LossyWay
from tests.cli.relay.running_relay import RunningRelay, events_of, moment
from tests.support.server import RunningServer
from tests.support.waiting import eventually


def test_what_is_too_large_for_the_server_is_put_aside_and_the_rest_continues(tmp_path: Path) -> None:
    config = tmp_path / "small.toml"
    config.write_text("[limits]\nbody_mib = 1\n")
    with (
        RunningServer(tmp_path / "days.db", "--config", str(config)) as server,
        RunningRelay(tmp_path / "queue.db", server.url) as relay,
    ):
        relay.create("a")
        large = {"timestamp": moment(0), "data": {"app": "x" * (2 << 20)}}
        assert relay.post("/api/0/buckets/a/events", [large]).status == 200
        relay.beat("a", 1)
        relay.wait_until_sent()

        status = relay.status
        assert (status["refused"], status["sent"], status["state"]) == (1, 2, "connected")
        [refusal] = status["refusals"]
        assert (refusal["bucket"], refusal["kind"]) == ("a", "insert")
        assert "1 MiB" in refusal["reason"]
        assert events_of(server, "a") == [(1, 0, "editor")]


def test_heartbeat_with_too_much_data_is_put_aside_and_the_rest_continues(tmp_path: Path) -> None:
    config = tmp_path / "small.toml"
    config.write_text("[limits]\nevent_kib = 16\n")
    with (
        RunningServer(tmp_path / "days.db", "--config", str(config)) as server,
        RunningRelay(tmp_path / "queue.db", server.url) as relay,
    ):
        relay.create("a")
        relay.beat("a", 0, app="x" * (16 << 10))
        relay.beat("a", 1)
        relay.wait_until_sent()

        status = relay.status
        assert (status["refused"], status["state"]) == (1, "connected")
        [refusal] = status["refusals"]
        assert (refusal["bucket"], refusal["kind"]) == ("a", "heartbeat")
        assert "the limit is 16,384 bytes" in refusal["reason"]
        assert events_of(server, "a") == [(1, 0, "editor")]


def test_a_server_with_another_name_counts_as_unreachable_and_nothing_is_held_back(
    server: RunningServer, tmp_path: Path
) -> None:
    # It answers 400 to everything, as it does to what it cannot read.
    with (
        LossyWay(server, host="other.example") as way,
        RunningRelay(tmp_path / "queue.db", way.url) as relay,
    ):
        relay.create("a")
        relay.beat("a", 0)
        eventually(lambda: "Host" in (relay.status["reason"] or ""))

        assert (relay.status["state"], relay.status["waiting"], relay.status["refused"]) == ("away", 2, 0)


def test_new_calls_do_not_make_it_try_more_often(server: RunningServer, tmp_path: Path) -> None:
    with (
        LossyWay(server, is_lost=lambda _: True) as way,
        RunningRelay(tmp_path / "queue.db", way.url) as relay,
    ):
        relay.create("a")
        for second in range(40):
            relay.beat("a", second, app=f"app {second}")
        eventually(lambda: relay.status["state"] == "away")

        # After half a second, one more, two more, four more, and so on.
        assert relay.status["waiting"] == 41
        assert len(way.requests) <= 4
