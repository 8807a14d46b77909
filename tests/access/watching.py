"""A watcher with a key: the same head again and again on one kept connection, as the fast path likes it best."""

from typing import Any

import msgspec

from tests.support.calls.clients import at
from tests.support.calls.raw_connection import RawConnection, request
from tests.support.keyed_server import KeyedServer
from tests.support.server import Answer


class Watcher(RawConnection):
    """Sends heartbeats to one bucket. All are equally long, so that only their bodies differ."""

    def __init__(self, server: KeyedServer, bucket_id: str, key: str) -> None:
        super().__init__(server)
        self._bucket_id = bucket_id
        self._key = key
        self._beats = 0

    def beat(self) -> Answer:
        """The response to a heartbeat a second after the last one."""
        minute, second = divmod(self._beats, 60)
        self._beats += 1
        body = msgspec.json.encode(heartbeat(f"10:{minute:02}:{second:02}"))
        target = f"/api/0/buckets/{self._bucket_id}/heartbeat?pulsetime=60"
        self.send(request("POST", target, body, Authorization=f"Bearer {self._key}"))
        return self.answer()


def heartbeat(time: str, app: str = "editor", **more: object) -> dict[str, Any]:
    """An event of the first of January, as a client sends it."""
    return {"timestamp": at(time), "duration": 0, "data": {"app": app}, **more}


def events(server: KeyedServer, bucket_id: str) -> list[dict[str, Any]]:
    """All that a bucket holds, newest first, as its owner sees it."""
    answer = server.as_owner("GET", f"/api/0/buckets/{bucket_id}/events")
    assert answer.status == 200, answer.body
    found: list[dict[str, Any]] = answer.json
    return found
