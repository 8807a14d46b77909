"""One open stream: its queue of messages, and whether its caller still has access."""

import asyncio
from collections import deque
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final, Protocol, Self

from msgspec import Struct

from dayline.api.live.messages import PING, Topic


class StreamTuning(Struct, frozen=True, kw_only=True):
    """Limits of a stream: interval of pings, size of the replay, and size of the queue for a slow reader."""

    ping_s: float = 15.0
    replay_s: float = 60.0
    replay_messages: int = 2000
    queued_messages: int = 1000
    queued_bytes: int = 1 << 20
    goals_interval_s: float = 60.0


STREAM_TUNING: Final = StreamTuning()


class StreamClient(Protocol):
    """The client of a stream."""

    def is_admitted(self) -> bool:
        """Whether it is connected, and its key or session is still valid."""
        ...

    def hang_up(self) -> None:
        """Abort the connection, including unsent data."""
        ...


class StreamListener:
    """The async iterator of bytes that Falcon streams.

    `offer` never blocks: if the reader does not keep up, its stream is closed.
    """

    def __init__(
        self,
        topics: AbstractSet[Topic],
        connected: StreamClient,
        tuning: StreamTuning,
        *,
        on_end: Callable[["StreamListener"], None],
    ) -> None:
        self.topics = topics
        self._connected = connected
        self._ping_s = tuning.ping_s
        self._max_messages = tuning.queued_messages
        self._max_bytes = tuning.queued_bytes
        self._on_end = on_end
        self._queue: deque[bytes] = deque()
        self._bytes = 0
        self._wake = asyncio.Event()
        self._is_waiting = False  # for messages; otherwise for the reader
        self._has_begun = False
        self._is_over = False

    def begin(self, first: bytes) -> None:
        """Queue the first messages, without a size limit."""
        self._queue.append(first)
        self._wake.set()

    def offer(self, topic: Topic, message: bytes) -> None:
        """Queue a message if the topic matches and the client still has access."""
        if self._is_over or topic not in self.topics:
            return
        if not self._connected.is_admitted():
            self.end()
        elif len(self._queue) >= self._max_messages or self._bytes + len(message) > self._max_bytes:
            self.end(is_slow=True)
        else:
            self._queue.append(message)
            self._bytes += len(message)
            self._wake.set()

    def check_access(self) -> None:
        """Called every second: end the stream if the client has lost access or disconnected."""
        if not self._connected.is_admitted():
            self.end()

    def end(self, *, is_slow: bool = False) -> None:
        """End the stream. Aborts the connection if the reader is behind, because it would stay open."""
        if self._is_over:
            return
        self._is_over = True
        self._queue.clear()
        self._wake.set()
        self._on_end(self)
        if is_slow or (self._has_begun and not self._is_waiting):
            self._connected.hang_up()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        self._has_begun = True
        if not self._queue and not self._is_over:
            self._is_waiting = True
            try:
                async with asyncio.timeout(self._ping_s):
                    await self._wake.wait()
            except TimeoutError:
                return PING
            finally:
                self._is_waiting = False
        if self._is_over:
            raise StopAsyncIteration
        self._wake.clear()
        pieces, self._bytes = b"".join(self._queue), 0
        self._queue.clear()
        return pieces

    async def close(self) -> None:
        """Called by Falcon at the end, whatever the reason."""
        self.end()


# Rate limiting.
class Throttle:
    """Calls `action` `soon_s` after a request, and at most once in `interval_s`. Use on the event loop."""

    def __init__(self, action: Callable[[], None], *, interval_s: float, soon_s: float) -> None:
        self._action = action
        self._interval_s = interval_s
        self._soon_s = soon_s
        self._last = float("-inf")
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_armed(self) -> bool:
        """Whether a call is scheduled."""
        return self._timer is not None

    def arm(self) -> None:
        """Schedule a call, unless one is scheduled."""
        if self._timer is None:
            loop = asyncio.get_running_loop()
            due = max(loop.time() + self._soon_s, self._last + self._interval_s)
            self._timer = loop.call_at(due, self._run)

    def stop(self) -> None:
        """Cancel the scheduled call."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _run(self) -> None:
        self._timer = None
        self._last = asyncio.get_running_loop().time()
        self._action()
