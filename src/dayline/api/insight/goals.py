"""`/api/1/goals`: goals and the progress on each."""

from collections.abc import Callable

import msgspec

from dayline.api.http.call import Call, check_match, tag_of
from dayline.api.http.parameters import COMMON, COMMON_ERRORS, common_parameters
from dayline.api.http.route import Answer, Body, Route
from dayline.api.insight.task import annotations_for, answer_tagged, run_task, scope_of
from dayline.insight.goals.model import GoalProgress, GoalsRequest, GoalsResponse
from dayline.insight.goals.periods import earliest_day
from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.errors import NotFound
from dayline.model.settings.goal import (
    GOALS_KEY,
    WORK_HOURS_KEY,
    Goal,
    GoalChange,
    Goals,
    NewGoal,
    NewWorkHours,
    WorkHours,
    changed_goal,
    decode_new_work_hours,
    find_goal,
    goals_of,
    no_goal,
    restored_goals,
    stored_goals,
    with_changed_goal,
    with_goal,
    work_hours_of,
)
from dayline.model.time import month_of, start_of_month
from dayline.runtime.threads import in_thread


async def list_goals(call: Call) -> None:
    """In order of creation, including goals that are turned off."""
    answer_tagged(call, msgspec.json.encode((await _goals(call)).goals))


async def create_goal(call: Call) -> None:
    """A target or a limit per day, week or month. See the changes with `/api/1/settings/history?key=goals`."""
    new = await call.decoded(NewGoal)
    goals = await _change_goals(call, lambda goals: with_goal(goals, new))
    call.response.status = 201
    _answer_goal(call, goals.goals[-1])


async def get_goal(call: Call) -> None:
    """Send its ETag as `If-Match` when you change it."""
    answer_tagged(call, msgspec.json.encode(find_goal((await _goals(call)).goals, call.path_id("goal_id", no_goal))))


async def change_goal(call: Call) -> None:
    """Changes only the given fields. With `If-Match`, only if the goal still has that ETag."""
    goal_id, change = call.path_id("goal_id", no_goal), await call.decoded(GoalChange)

    def edit(goal: Goal) -> Goal:
        check_match(call, goal, name=f"goal {goal.id}")
        return changed_goal(goal, change)

    goals = await _change_goals(call, lambda goals: with_changed_goal(goals, goal_id, edit))
    _answer_goal(call, find_goal(goals.goals, goal_id))


async def delete_goal(call: Call) -> None:
    """Returns the remaining goals. You can restore the goal from the history of the setting."""
    goal_id = call.path_id("goal_id", no_goal)

    def edit(goal: Goal) -> None:
        check_match(call, goal, name=f"goal {goal.id}")

    goals = await _change_goals(call, lambda goals: with_changed_goal(goals, goal_id, edit))
    call.answer_value(goals.goals)


async def get_work_hours(call: Call) -> None:
    """Time outside the work hours is overtime. A goal can limit it, and `/api/1/goals/progress` shows it."""
    hours = work_hours_of(await in_thread(call.access.own_setting, WORK_HOURS_KEY))
    answer_tagged(call, msgspec.json.encode(hours or WorkHours()))


async def set_work_hours(call: Call) -> None:
    """Replaces all work hours; `{}` removes them."""
    hours = decode_new_work_hours(await call.json_body())
    await call.access.set_own_setting(WORK_HOURS_KEY, canonical_json(msgspec.to_builtins(hours)))
    call.answer_value(hours)


async def get_goals_progress(call: Call) -> None:
    """The progress of each goal in the day, week or month of `date`, compared with the pace needed to reach it.

    Goals that are turned off are left out. A key that is limited to some buckets gets no goals, because they cover all
    buckets.
    """
    answer_tagged(call, await _progress_of(call, await _goals_on(call)))


async def goals_today(call: Call) -> list[GoalProgress]:
    """Today's progress of each goal that is turned on. Uses no query process if there are no goals."""
    goals = await _goals_on(call)
    return msgspec.json.decode(await _progress_of(call, goals), type=GoalsResponse).goals if goals else []


async def _goals_on(call: Call) -> tuple[Goal, ...]:
    if not call.caller.buckets.is_all:
        return ()
    return tuple(goal for goal in (await _goals(call)).goals if goal.is_on)


async def _progress_of(call: Call, goals: tuple[Goal, ...]) -> bytes:
    common = common_parameters(call, await scope_of(call))
    calendar = common.calendar
    first = calendar.day_edge(earliest_day(calendar, goals, calendar.day_of(common.start)))
    # Whole months: query processes cache a month as long as its annotations are the same.
    common = await in_thread(annotations_for, call, common, start_of_month(month_of(first)), None)
    is_for_all = call.caller.buckets.is_all
    hours = work_hours_of(await in_thread(call.access.own_setting, WORK_HOURS_KEY)) if is_for_all else None
    return await run_task(call, "goals_progress", GoalsRequest(common=common, goals=goals, hours=hours))


async def restore_goals(call: Call, key: str, value: CanonicalJson | None) -> None:
    """Set one of the two settings to an earlier value. Raises Malformed or Invalid."""
    if key == GOALS_KEY:
        await call.access.edit_own_setting(key, lambda now: restored_goals(now, value))
    else:
        work_hours_of(value)  # raises an error if it is invalid
        await call.access.change_own_settings({key: value})


async def _goals(call: Call) -> Goals:
    return goals_of(await in_thread(call.access.own_setting, GOALS_KEY))


async def _change_goals(call: Call, change: Callable[[Goals], Goals]) -> Goals:
    """Change the goals atomically. Returns the new goals."""
    stored = await call.access.edit_own_setting(GOALS_KEY, lambda text: stored_goals(change(goals_of(text))))
    return goals_of(stored)


def _answer_goal(call: Call, goal: Goal) -> None:
    call.response.set_header("ETag", tag_of(goal))
    call.answer_value(goal)


_ONE = "/api/1/goals/{goal_id}"
_DEEP_WORK = {"name": "Deep work", "kind": "at_least", "seconds": 14400, "by": "category", "category": ["Work"]}
_PROGRESS = tuple(
    each for each in COMMON if each.name in ("date", "tz", "day_start", "week_start", "device", "annotations")
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/goals", handler=list_goals, tag="goals", scope="read", audience="all buckets",
        is_tagged=True, summary="List the goals", answer=Answer(type=list[Goal], description="all goals"),
    ),
    Route(
        method="POST", path="/api/1/goals", handler=create_goal, tag="goals", scope="full",
        audience="all buckets", summary="Create a goal", body=Body(type=NewGoal, example=_DEEP_WORK),
        answer=Answer(type=Goal, description="the goal, with its id", status=201),
    ),
    Route(
        method="GET", path="/api/1/goals/progress", handler=get_goals_progress, tag="goals", scope="read",
        is_tagged=True, summary="Show the progress of goals", parameters=_PROGRESS,
        answer=Answer(type=GoalsResponse, description="each goal, and time inside and outside the work hours"),
        errors=COMMON_ERRORS,
    ),
    Route(
        method="GET", path="/api/1/goals/work-hours", handler=get_work_hours, tag="goals", scope="read",
        audience="all buckets", is_tagged=True, summary="Get the work hours",
        answer=Answer(type=WorkHours, description="the work hours by weekday"),
    ),
    Route(
        method="PUT", path="/api/1/goals/work-hours", handler=set_work_hours, tag="goals", scope="full",
        audience="all buckets", is_destructive=True, summary="Set the work hours",
        body=Body(type=NewWorkHours, example={"monday": "09:00-17:30", "friday": "09:00-15:00"}),
        answer=Answer(type=WorkHours, description="the work hours by weekday"),
    ),
    Route(
        method="GET", path=_ONE, handler=get_goal, tag="goals", scope="read", audience="all buckets",
        is_tagged=True, summary="Get a goal", answer=Answer(type=Goal, description="the goal"), errors=(NotFound,),
    ),
    Route(
        method="PATCH", path=_ONE, handler=change_goal, tag="goals", scope="full", audience="all buckets",
        is_destructive=True, is_conditional=True, summary="Change a goal or turn it off",
        body=Body(type=GoalChange, example={"seconds": 10800}),
        answer=Answer(type=Goal, description="the changed goal"), errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=_ONE, handler=delete_goal, tag="goals", scope="full", audience="all buckets",
        is_destructive=True, is_conditional=True, summary="Delete a goal",
        answer=Answer(type=list[Goal], description="the remaining goals"), errors=(NotFound,),
    ),
)  # fmt: skip
