"""When a goal is reached, or a limit exceeded: looked at now and then, while somebody wants to hear of it."""

from collections.abc import Awaitable, Callable
from typing import Final, Literal

from dayline.api.live.messages import StreamGoal
from dayline.api.live.pulse import Pulse
from dayline.insight.goals_answer import GoalProgress
from dayline.model.errors import DaylineError
from dayline.runtime.background import DetachedTasks

SOON_S: Final = 1.0

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
        self._pulse = Pulse(self._begin, interval_s=interval_s, soon_s=min(SOON_S, interval_s))
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
