"""A user who listens to the stream of a server, on a thread of its own."""

import contextlib
import http.client
import queue
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

import msgspec

from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S

STREAM = "/api/1/stream"


class Message(msgspec.Struct, frozen=True):
    """A message as it came. `data` is what its JSON says."""

    id: str
    event: str
    data: Any

    @property
    def epoch(self) -> str:
        return self.id.rpartition("-")[0]

    @property
    def number(self) -> int:
        return int(self.id.rpartition("-")[2])


class OpenStream:
    """A stream that is open until the block is left. Comments and the rest are in `others`."""

    def __init__(
        self,
        server: RunningServer,
        query: str = "",
        *,
        key: str | None = None,
        last_id: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        sent = dict(headers or {})
        if key is not None:
            sent["Authorization"] = f"Bearer {key}"
        if last_id is not None:
            sent["Last-Event-ID"] = last_id
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
        self._connection.request("GET", f"{STREAM}?{query}" if query else STREAM, headers=sent)
        self._socket = self._connection.sock  # where the server closes it after the response, only that has it then
        self.answer = self._connection.getresponse()
        assert self.answer.status == 200, self.answer.read()
        self.others: list[str] = []
        self.is_over = threading.Event()
        self._messages: queue.Queue[Message] = queue.Queue()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # or else the thread would read on
        self._thread.join(PATIENCE_S)
        self.answer.close()
        self._connection.close()

    def next(self, event: str | None = None) -> Message:
        """The next message, of one kind where that is given; those before it are passed over."""
        while True:
            try:
                message = self._messages.get(timeout=PATIENCE_S)
            except queue.Empty:
                raise AssertionError(f"no {event or 'message'} within {PATIENCE_S:.0f} seconds") from None
            if event is None or message.event == event:
                return message

    def passed(self) -> list[Message]:
        """All that is there by now, without waiting."""
        return list(self._taken())

    def _taken(self) -> Iterator[Message]:
        with contextlib.suppress(queue.Empty):
            while True:
                yield self._messages.get_nowait()

    def _read(self) -> None:
        block: dict[str, str] = {}
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            while line := self.answer.readline():
                text = line.decode().rstrip("\n")
                name, _, value = text.partition(": ")
                if text.startswith(":"):
                    self.others.append(text)
                elif text:
                    block[name] = value
                else:
                    self._take(block)
                    block = {}
        self.is_over.set()

    def _take(self, block: dict[str, str]) -> None:
        if "event" in block:
            self._messages.put(Message(block["id"], block["event"], msgspec.json.decode(block["data"])))
        else:
            self.others += [f"{name}: {value}" for name, value in block.items()]


def beat(server: RunningServer, bucket_id: str, title: str = "a", *, key: str | None = None) -> None:
    """A heartbeat of this moment."""
    shown = {} if key is None else {"Authorization": f"Bearer {key}"}
    body = {"timestamp": datetime.now(UTC).isoformat(), "duration": 0, "data": {"app": "Editor", "title": title}}
    answer = server.call("POST", f"/api/0/buckets/{bucket_id}/heartbeat?pulsetime=60", body, headers=shown)
    assert answer.status == 200, answer.body
