"""The calls about goals and the hours of work."""

from dayline.api import goals
from dayline.api.route import Answer, Body, Route
from dayline.api.tables.insight_parts import COMMON
from dayline.insight.goals_answer import GoalsAnswer
from dayline.model.errors import NotFound
from dayline.model.goals import Goal, GoalChange, NewGoal, NewWorkHours, WorkHours

_ONE = "/api/1/goals/{goal_id}"
_DEEP_WORK = {"name": "Deep work", "kind": "at_least", "seconds": 14400, "by": "category", "category": ["Work"]}
_PROGRESS = tuple(
    each for each in COMMON if each.name in ("date", "tz", "day_start", "week_start", "device", "annotations")
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/goals", handler=goals.list_goals, tag="insight", scope="read", is_server_wide=True,
        is_tagged=True, summary="List the goals", answer=Answer(type=list[Goal], description="every goal"),
    ),
    Route(
        method="POST", path="/api/1/goals", handler=goals.create_goal, tag="insight", scope="full",
        is_server_wide=True, summary="Make a goal", body=Body(type=NewGoal, example=_DEEP_WORK),
        answer=Answer(type=Goal, description="the goal, with its id", status=201),
    ),
    Route(
        method="GET", path="/api/1/goals/progress", handler=goals.get_goals_progress, tag="insight", scope="read",
        is_tagged=True, summary="See how far you are with your goals", parameters=_PROGRESS,
        answer=Answer(type=GoalsAnswer, description="each goal, and time inside and outside the hours of work"),
    ),
    Route(
        method="GET", path="/api/1/goals/work-hours", handler=goals.get_work_hours, tag="insight", scope="read",
        is_server_wide=True, is_tagged=True, summary="Get the hours of work",
        answer=Answer(type=WorkHours, description="by weekday"),
    ),
    Route(
        method="PUT", path="/api/1/goals/work-hours", handler=goals.set_work_hours, tag="insight", scope="full",
        is_server_wide=True, is_destructive=True, summary="Set the hours of work",
        body=Body(type=NewWorkHours, example={"monday": "09:00-17:30", "friday": "09:00-15:00"}),
        answer=Answer(type=WorkHours, description="by weekday"),
    ),
    Route(
        method="GET", path=_ONE, handler=goals.get_goal, tag="insight", scope="read", is_server_wide=True,
        is_tagged=True, summary="Get a goal", answer=Answer(type=Goal, description="the goal"), errors=(NotFound,),
    ),
    Route(
        method="PATCH", path=_ONE, handler=goals.change_goal, tag="insight", scope="full", is_server_wide=True,
        is_destructive=True, is_conditional=True, summary="Change a goal, or switch it off",
        body=Body(type=GoalChange, example={"seconds": 10800}),
        answer=Answer(type=Goal, description="the goal as it is now"), errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=_ONE, handler=goals.delete_goal, tag="insight", scope="full", is_server_wide=True,
        is_destructive=True, is_conditional=True, summary="Delete a goal",
        answer=Answer(type=list[Goal], description="the goals that are left"), errors=(NotFound,),
    ),
)  # fmt: skip
