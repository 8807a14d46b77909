"""Active windows of one audience: computed after a change, sent if the result differs."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from dayline.api.live.listener import Throttle
from dayline.insight.now.model import NowResponse
from dayline.insight.now.recent import RECENT
from dayline.model.errors import DaylineError
from dayline.model.time import SECOND, parse_timestamp
from dayline.runtime.background import DetachedTasks

INTERVAL_S: Final = 1.0
SOON_S: Final = 0.05  # watchers of one device often send at the same time
_TRIES: Final = 10  # attempts to get a category before waiting for the next change

AnswerNow = Callable[[], Awaitable[NowResponse]]


class NowWatch:
    """Calls `publish` with the JSON of `/api/1/now` whenever it changes."""

    def __init__(self, answer: AnswerNow, publish: Callable[[bytes], None], *, is_wanted: Callable[[], bool]) -> None:
        self._answer = answer
        self._publish = publish
        self._is_wanted = is_wanted
        self._throttle = Throttle(self._begin, interval_s=INTERVAL_S, soon_s=SOON_S)
        self._looks = DetachedTasks("watch the active window")
        self._one_at_a_time = asyncio.Lock()
        self._published: tuple[object, ...] | None = None
        self._tries = 0
        self._later: asyncio.TimerHandle | None = None
        self.latest: bytes | None = None

    def touch(self) -> None:
        """Call this after a change that may affect the response."""
        self._tries = 0
        self._arm()

    async def look(self) -> None:
        """Update `latest` for a new listener. If that fails, `latest` stays as it was."""
        async with self._one_at_a_time:
            answer = await self._read()
            if self._published is None and answer is not None:
                self._published = _content(answer)

    async def close(self) -> None:
        self._throttle.stop()
        if self._later is not None:
            self._later.cancel()
        await self._looks.close()

    def _begin(self) -> None:
        if self._is_wanted():
            self._looks.start(self._update())

    async def _update(self) -> None:
        async with self._one_at_a_time:
            answer = await self._read()
            if answer is None or self.latest is None:
                self._try_again(INTERVAL_S)
                return
            content = _content(answer)
            if content != self._published:
                self._published = content
                self._publish(self.latest)
            self._schedule(answer)

    async def _read(self) -> NowResponse | None:
        try:
            answer = await self._answer()
        except DaylineError:
            return None
        self.latest = msgspec.json.encode(answer)
        return answer

    def _schedule(self, answer: NowResponse) -> None:
        """Some changes happen with time: a category becomes available, a device stops recording."""
        if not answer.is_settled:
            self._try_again(INTERVAL_S / 2)
            return
        self._tries = 0
        now = parse_timestamp(answer.now)
        last_seen = [parse_timestamp(each.last_seen) for each in answer.devices if each.last_seen and each.is_recording]
        if last_seen:
            self._arm_later((min(last_seen) + RECENT - now) / SECOND + SOON_S)

    def _try_again(self, seconds: float) -> None:
        self._tries += 1
        if self._tries < _TRIES:
            self._arm_later(seconds)

    def _arm_later(self, seconds: float) -> None:
        if self._later is not None:
            self._later.cancel()
        self._later = asyncio.get_running_loop().call_later(max(seconds, 0), self._arm)

    def _arm(self) -> None:
        if not self._throttle.is_armed and self._is_wanted():
            self._throttle.arm()


def _content(answer: NowResponse) -> tuple[object, ...]:
    """All of the response except the current time."""
    return answer.is_settled, answer.devices
