"""A bucket on a running server: the calls that concern it, and what it holds."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlencode

from tests.support.server import Answer, RunningServer

Stored = tuple[str, float, Any]  # timestamp, duration, data


class RemoteBucket:
    """One bucket. Reads assert that they succeed; writes hand over the response, because tests ask about it."""

    def __init__(self, server: RunningServer, bucket_id: str) -> None:
        self.server = server
        self.id = bucket_id

    @property
    def path(self) -> str:
        return f"/api/0/buckets/{quote(self.id, safe='')}"

    def create(self, **fields: object) -> Answer:
        return self.server.create(quote(self.id, safe=""), **fields)

    def delete(self) -> Answer:
        return self.server.call("DELETE", self.path)

    def heartbeat(
        self,
        timestamp: str,
        data: object = None,
        *,
        duration: float = 0.0,
        pulsetime: float = 5.0,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        event = {"timestamp": timestamp, "duration": duration, "data": {"a": 1} if data is None else data}
        return self.server.call("POST", f"{self.path}/heartbeat?pulsetime={pulsetime}", event, headers=headers)

    def insert(self, *events: dict[str, Any]) -> list[dict[str, Any]]:
        """Insert events as one list; the events as they were stored."""
        answer = self.server.post(f"{self.path}/events", list(events))
        assert answer.status == 200, answer.body
        stored: list[dict[str, Any]] = answer.json
        return stored

    def post_events(self, body: object) -> Answer:
        return self.server.post(f"{self.path}/events", body)

    def delete_event(self, event_id: object) -> Answer:
        return self.server.call("DELETE", f"{self.path}/events/{event_id}")

    def event(self, event_id: object) -> Answer:
        return self.server.get(f"{self.path}/events/{event_id}")

    def events(self, **parameters: object) -> list[dict[str, Any]]:
        answer = self.server.get(f"{self.path}/events?{urlencode(parameters)}")
        assert answer.status == 200, answer.body
        found: list[dict[str, Any]] = answer.json
        return found

    def stored(self, **parameters: object) -> list[Stored]:
        """What it holds, newest first, without the ids."""
        return [(event["timestamp"], event["duration"], event["data"]) for event in self.events(**parameters)]

    def ids(self, **parameters: object) -> Sequence[int]:
        return [event["id"] for event in self.events(**parameters)]

    def count(self, **parameters: object) -> int:
        answer = self.server.get(f"{self.path}/events/count?{urlencode(parameters)}")
        assert answer.status == 200, answer.body
        return int(answer.body)

    def view(self) -> dict[str, Any]:
        answer = self.server.get(self.path)
        assert answer.status == 200, answer.body
        view: dict[str, Any] = answer.json
        return view

    def extent(self) -> tuple[str | None, str | None]:
        """First start and last end, as the metadata say."""
        metadata = self.view()["metadata"]
        return metadata["start"], metadata["end"]


def event(timestamp: str, duration: float = 0.0, data: object = None, **more: object) -> dict[str, Any]:
    """An event as a client sends it."""
    return {"timestamp": timestamp, "duration": duration, "data": {"a": 1} if data is None else data, **more}
