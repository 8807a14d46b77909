"""Active windows and goals of one audience: computed after a change, sent when the result differs."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Literal

import msgspec

from dayline.api.live.listener import Pulse
from dayline.api.live.messages import StreamGoal
from dayline.insight.goals.model import GoalProgress
from dayline.insight.now.buckets import RECENT
from dayline.insight.now.model import NowAnswer
from dayline.model.errors import DaylineError
from dayline.model.time import SECOND, parse_timestamp
from dayline.runtime.background import DetachedTasks

INTERVAL_S: Final = 1.0
SOON_S: Final = 0.05  # watchers of one device often send at the same moment
_TRIES: Final = 10  # to find out a category, before that is left to the next change

AnswerNow = Callable[[], Awaitable[NowAnswer]]


class NowWatch:
    """Calls `publish` with the body of an answer whenever it says something else than the one before."""

    def __init__(self, answer: AnswerNow, publish: Callable[[bytes], None], *, is_wanted: Callable[[], bool]) -> None:
        self._answer = answer
        self._publish = publish
        self._is_wanted = is_wanted
        self._pulse = Pulse(self._begin, interval_s=INTERVAL_S, soon_s=SOON_S)
        self._looks = DetachedTasks("watch over the active window")
        self._one_at_a_time = asyncio.Lock()
        self._told: tuple[object, ...] | None = None
        self._tries = 0
        self._later: asyncio.TimerHandle | None = None
        self.latest: bytes | None = None

    def touch(self) -> None:
        """Something has changed that may show."""
        self._tries = 0
        self._arm()

    async def look(self) -> None:
        """Bring `latest` up to date, for somebody who has just come. Where it cannot be had it stays as it was."""
        async with self._one_at_a_time:
            answer = await self._read()
            if self._told is None and answer is not None:
                self._told = _content(answer)

    async def close(self) -> None:
        self._pulse.stop()
        if self._later is not None:
            self._later.cancel()
        await self._looks.close()

    def _begin(self) -> None:
        if self._is_wanted():
            self._looks.start(self._tell())

    async def _tell(self) -> None:
        async with self._one_at_a_time:
            answer = await self._read()
            if answer is None or self.latest is None:
                self._try_again(INTERVAL_S)
                return
            told = _content(answer)
            if told != self._told:
                self._told = told
                self._publish(self.latest)
            self._look_again(answer)

    async def _read(self) -> NowAnswer | None:
        try:
            answer = await self._answer()
        except DaylineError:
            return None
        self.latest = msgspec.json.encode(answer)
        return answer

    def _look_again(self, answer: NowAnswer) -> None:
        """Some changes come with time alone: a category is found out, a device falls silent."""
        if not answer.is_settled:
            self._try_again(INTERVAL_S / 2)
            return
        self._tries = 0
        now = parse_timestamp(answer.now)
        heard = [parse_timestamp(each.last_seen) for each in answer.devices if each.last_seen and each.is_recording]
        if heard:
            self._arm_later((min(heard) + RECENT - now) / SECOND + SOON_S)

    def _try_again(self, seconds: float) -> None:
        self._tries += 1
        if self._tries < _TRIES:
            self._arm_later(seconds)

    def _arm_later(self, seconds: float) -> None:
        if self._later is not None:
            self._later.cancel()
        self._later = asyncio.get_running_loop().call_later(max(seconds, 0), self._arm)

    def _arm(self) -> None:
        if not self._pulse.is_armed and self._is_wanted():
            self._pulse.arm()


def _content(answer: NowAnswer) -> tuple[object, ...]:
    """All that it says but the time of day."""
    return answer.is_settled, answer.devices


# When a goal is reached, or a limit exceeded: looked at now and then, while somebody wants to hear of it.


GOAL_SOON_S: Final = 1.0

AnswerGoals = Callable[[], Awaitable[list[GoalProgress]]]
_Mark = Literal["reached", "exceeded"]


class GoalWatch:
    """Calls `publish` with each goal that has passed its mark since it was last looked at."""

    def __init__(
        self,
        answer: AnswerGoals,
        publish: Callable[[StreamGoal], None],
        *,
        is_wanted: Callable[[], bool],
        interval_s: float,
    ) -> None:
        self._answer = answer
        self._publish = publish
        self._is_wanted = is_wanted
        self._pulse = Pulse(self._begin, interval_s=interval_s, soon_s=min(GOAL_SOON_S, interval_s))
        self._looks = DetachedTasks("watch over goals")
        self._is_looking = False
        self._before: dict[int, tuple[str, str]] = {}  # of each goal, its period and how it stood

    def touch(self) -> None:
        """Something was recorded, or somebody has come who wants to hear of goals."""
        if not self._pulse.is_armed and self._is_wanted():
            self._pulse.arm()

    async def close(self) -> None:
        self._pulse.stop()
        await self._looks.close()

    def _begin(self) -> None:
        if self._is_wanted() and not self._is_looking:
            self._is_looking = True
            self._looks.start(self._look())

    async def _look(self) -> None:
        try:
            goals = await self._answer()
        except DaylineError:
            return  # too many ask at once, or the server stops: the next look finds it
        finally:
            self._is_looking = False
        before, self._before = self._before, {goal.id: (goal.start, goal.state) for goal in goals}
        for goal in goals:
            mark = _mark(goal)
            # What was so when it was first looked at is no news.
            if mark is not None and goal.id in before and before[goal.id] != (goal.start, goal.state):
                self._publish(StreamGoal(id=str(goal.id), state=mark))


def _mark(goal: GoalProgress) -> _Mark | None:
    return goal.state if goal.state in ("reached", "exceeded") else None
