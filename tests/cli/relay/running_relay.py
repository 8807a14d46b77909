"""`dayline relay` as a child process, and what the tests say to it."""

from pathlib import Path
from typing import Any

from dayline.model.time import SECOND, format_timestamp, parse_timestamp
from tests.support.server import Answer, RunningServer, free_port
from tests.support.waiting import eventually

_TEN = parse_timestamp("2026-01-01T10:00:00Z")


class RunningRelay(RunningServer):
    """A relay that sends to `to`. Leaving the block stops it the way a service manager would."""

    def __init__(self, queue: Path, to: str, *flags: str) -> None:
        super().__init__(queue, *flags)
        self.queue = queue
        self.to = to

    @property
    def arguments(self) -> list[str]:
        return ["relay", "--to", self.to, "--queue", str(self.queue), "--port", str(self.port), *self._flags]

    @property
    def status(self) -> dict[str, Any]:
        answer = self.get("/api/1/relay")
        assert answer.status == 200
        status: dict[str, Any] = answer.json
        return status

    def beat(
        self, bucket_id: str, second: float, *, app: str = "editor", pulsetime: float = 5, **fields: Any
    ) -> Answer:
        """A heartbeat of a moment after ten o'clock."""
        event = {"timestamp": moment(second), "data": {"app": app}, **fields}
        return self.post(f"/api/0/buckets/{bucket_id}/heartbeat?pulsetime={pulsetime}", event)

    def wait_until_sent(self) -> None:
        """Return when nothing waits any more."""
        eventually(lambda: self.status["waiting"] == 0)


def moment(second: float) -> str:
    return format_timestamp(_TEN + round(second * SECOND))


def events_of(server: RunningServer, bucket_id: str) -> list[tuple[float, float, str]]:
    """Second after ten o'clock, duration and app of all events, oldest first."""
    answer = server.get(f"/api/0/buckets/{bucket_id}/events")
    assert answer.status == 200, answer.body
    return [
        ((parse_timestamp(event["timestamp"]) - _TEN) / SECOND, event["duration"], event["data"]["app"])
        for event in reversed(answer.json)
    ]


def away() -> str:
    """An address of this computer that no one answers at."""
    return f"http://127.0.0.1:{free_port()}"
