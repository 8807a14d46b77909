"""Goals of one audience: checked at intervals while a listener has subscribed to them."""

from collections.abc import Awaitable, Callable
from typing import Final, Literal

from dayline.api.live.listener import Throttle
from dayline.api.live.messages import StreamGoal
from dayline.insight.goals.model import GoalProgress
from dayline.model.errors import DaylineError
from dayline.runtime.background import DetachedTasks

GOAL_SOON_S: Final = 1.0

AnswerGoals = Callable[[], Awaitable[list[GoalProgress]]]
_Mark = Literal["reached", "exceeded"]


class GoalWatch:
    """Calls `publish` with each goal that was reached or exceeded since the last check."""

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
        self._throttle = Throttle(self._begin, interval_s=interval_s, soon_s=min(GOAL_SOON_S, interval_s))
        self._looks = DetachedTasks("watch goals")
        self._is_looking = False
        self._before: dict[int, tuple[str, str]] = {}  # period and state by goal id

    def touch(self) -> None:
        """Call this after a commit, and when a listener subscribes to goals."""
        if not self._throttle.is_armed and self._is_wanted():
            self._throttle.arm()

    async def close(self) -> None:
        self._throttle.stop()
        await self._looks.close()

    def _begin(self) -> None:
        if self._is_wanted() and not self._is_looking:
            self._is_looking = True
            self._looks.start(self._look())

    async def _look(self) -> None:
        try:
            goals = await self._answer()
        except DaylineError:
            return  # query processes are busy, or the server stops: the next check finds it
        finally:
            self._is_looking = False
        before, self._before = self._before, {goal.id: (goal.start, goal.state) for goal in goals}
        for goal in goals:
            mark = _mark(goal)
            # The state at the first check is not a change.
            if mark is not None and goal.id in before and before[goal.id] != (goal.start, goal.state):
                self._publish(StreamGoal(id=str(goal.id), state=mark))


def _mark(goal: GoalProgress) -> _Mark | None:
    return goal.state if goal.state in ("reached", "exceeded") else None
