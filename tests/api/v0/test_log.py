"""`GET /api/0/log`: the latest records of the log (protocol 3.17)."""

from datetime import UTC, datetime

from tests.support.server import RunningServer


def test_records_come_newest_first(shared_server: RunningServer) -> None:
    records = shared_server.get("/api/0/log").json

    times = [datetime.fromisoformat(record["timestamp"]) for record in records]
    assert times
    assert times == sorted(times, reverse=True)
    assert times[0] <= datetime.now(UTC)


def test_a_record_has_its_time_level_logger_and_message(shared_server: RunningServer) -> None:
    records = shared_server.get("/api/0/log").json

    assert all(record.keys() >= {"timestamp", "level", "logger", "message"} for record in records)
    assert any("is ready" in record["message"] and record["level"] == "info" for record in records)
