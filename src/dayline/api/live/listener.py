"""One open stream: its queue of messages, its throttle, and whether its caller still has access."""

import asyncio
from collections import deque
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final, Protocol, Self

from msgspec import Struct

from dayline.api.live.messages import PING, Topic


class StreamTuning(Struct, frozen=True, kw_only=True):
    """When a stream is pinged, what can be replayed, and how much may wait for a slow reader."""

    ping_s: float = 15.0
    replay_s: float = 60.0
    replay_messages: int = 2000
    queued_messages: int = 1000
    queued_bytes: int = 1 << 20
    goals_interval_s: float = 60.0


STREAM_TUNING: Final = StreamTuning()


class Connected(Protocol):
    """The other end of a stream."""

    def is_admitted(self) -> bool:
        """Whether it still may listen: its key or session holds, and it is there."""
        ...

    def hang_up(self) -> None:
        """End the connection at once, whatever is on its way."""
        ...


class Listener:
    """An async iterator of bytes, as the framework streams them. Everything but that is called from the outside.

    `offer` never waits: where a reader does not keep up, its stream is closed.
    """

    def __init__(
        self,
        topics: AbstractSet[Topic],
        connected: Connected,
        tuning: StreamTuning,
        *,
        on_end: Callable[["Listener"], None],
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
        self._is_waiting = False  # for something to send; else, when anybody asks, for the reader to take it
        self._has_begun = False
        self._is_over = False

    def begin(self, first: bytes) -> None:
        """What it gets before everything else, however much that is."""
        self._queue.append(first)
        self._wake.set()

    def offer(self, topic: Topic, message: bytes) -> None:
        """Give it a message, if it wants it and may have it."""
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

    def look(self) -> None:
        """Called every second: end it where it may not listen any longer, or nobody is there."""
        if not self._connected.is_admitted():
            self.end()

    def end(self, *, is_slow: bool = False) -> None:
        """Send nothing more. A reader that is behind would keep the connection open, so that it is cut."""
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
        """The framework calls it at the end, whatever the reason."""
        self.end()


# Work that is asked for often, and done soon, but not more often than once in a while.


class Pulse:
    """Calls `action` `soon_s` after it was first asked to, and never twice within `interval_s`. On the event loop."""

    def __init__(self, action: Callable[[], None], *, interval_s: float, soon_s: float) -> None:
        self._action = action
        self._interval_s = interval_s
        self._soon_s = soon_s
        self._last = float("-inf")
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_armed(self) -> bool:
        """Whether it will be done anyway."""
        return self._timer is not None

    def arm(self) -> None:
        """Ask for it. Asked again before it is done, it is done once."""
        if self._timer is None:
            loop = asyncio.get_running_loop()
            due = max(loop.time() + self._soon_s, self._last + self._interval_s)
            self._timer = loop.call_at(due, self._run)

    def stop(self) -> None:
        """What was asked for is not done any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _run(self) -> None:
        self._timer = None
        self._last = asyncio.get_running_loop().time()
        self._action()
