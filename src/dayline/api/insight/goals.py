"""`/api/1/goals`: goals and the progress on each."""

from collections.abc import Callable

import msgspec

from dayline.api.http.call import Call
from dayline.api.http.headers import check_match, tag_of
from dayline.api.http.parameters import COMMON, REFUSALS, common_parameters
from dayline.api.http.route import Answer, Body, Route
from dayline.api.insight.task import annotations_for, answer_tagged, run_task, scope_of
from dayline.insight.goals.model import GoalProgress, GoalsAnswer, GoalsRequest
from dayline.insight.goals.periods import earliest_day
from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.errors import NotFound
from dayline.model.goal import (
    GOALS_KEY,
    WORK_HOURS_KEY,
    Goal,
    GoalChange,
    Goals,
    NewGoal,
    NewWorkHours,
    WorkHours,
    changed_goal,
    decode_goal_change,
    decode_new_goal,
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

_answer = msgspec.json.Decoder(GoalsAnswer)


async def list_goals(call: Call) -> None:
    """In the order in which they were made, those that are switched off too."""
    answer_tagged(call, msgspec.json.encode((await _goals(call)).goals))


async def create_goal(call: Call) -> None:
    """A target or a limit for each day, week or month. Goals have a history: `/api/1/settings/history?key=goals`."""
    new = decode_new_goal(await call.json_body())
    goals = await _changed(call, lambda goals: with_goal(goals, new))
    call.response.status = 201
    _answer_goal(call, goals.goals[-1])


async def get_goal(call: Call) -> None:
    """Its ETag is what `If-Match` takes."""
    answer_tagged(call, msgspec.json.encode(find_goal((await _goals(call)).goals, _goal_id(call))))


async def change_goal(call: Call) -> None:
    """Changes the fields that are given, and leaves the others alone. With `If-Match`, only what has that ETag."""
    goal_id, change = _goal_id(call), decode_goal_change(await call.json_body())

    def edit(goal: Goal) -> Goal:
        check_match(call, goal, name=f"goal {goal.id}")
        return changed_goal(goal, change)

    goals = await _changed(call, lambda goals: with_changed_goal(goals, goal_id, edit))
    _answer_goal(call, find_goal(goals.goals, goal_id))


async def delete_goal(call: Call) -> None:
    """Answers with the goals that are left. The history of the setting has it still, and can restore it."""
    goal_id = _goal_id(call)

    def edit(goal: Goal) -> None:
        check_match(call, goal, name=f"goal {goal.id}")

    goals = await _changed(call, lambda goals: with_changed_goal(goals, goal_id, edit))
    call.answer_value(goals.goals)


async def get_work_hours(call: Call) -> None:
    """What is outside of them is overtime, which a goal can be about, and `/api/1/goals/progress` tells."""
    hours = work_hours_of(await in_thread(call.access.own_setting, WORK_HOURS_KEY))
    answer_tagged(call, msgspec.json.encode(hours or WorkHours()))


async def set_work_hours(call: Call) -> None:
    """Takes the place of all of them; `{}` removes them."""
    hours = decode_new_work_hours(await call.json_body())
    await call.access.set_own_setting(WORK_HOURS_KEY, canonical_json(msgspec.to_builtins(hours)))
    call.answer_value(hours)


async def get_goals_progress(call: Call) -> None:
    """In the day, week or month around a `date`: how much there is of each goal, and how that compares with its pace.

    Goals that are switched off are left out. A key for some buckets gets no goals: like `/api/1/goals`, they are about
    all buckets.
    """
    answer_tagged(call, await _progress_of(call, await _goals_on(call)))


async def marks_of(call: Call) -> list[GoalProgress]:
    """How far somebody is today with each goal that is switched on. No process is asked where there is none."""
    goals = await _goals_on(call)
    return _answer.decode(await _progress_of(call, goals)).goals if goals else []


async def _goals_on(call: Call) -> tuple[Goal, ...]:
    if not call.caller.buckets.is_all:
        return ()
    return tuple(goal for goal in (await _goals(call)).goals if goal.is_on)


async def _progress_of(call: Call, goals: tuple[Goal, ...]) -> bytes:
    common = common_parameters(call, await scope_of(call))
    calendar = common.calendar
    first = calendar.day_edge(earliest_day(calendar, goals, calendar.day_of(common.start)))
    # Of whole months, as the time itself: what is found of a month is kept as long as the same is said about it.
    common = await in_thread(annotations_for, call, common, start_of_month(month_of(first)), None)
    is_for_all = call.caller.buckets.is_all
    hours = work_hours_of(await in_thread(call.access.own_setting, WORK_HOURS_KEY)) if is_for_all else None
    return await run_task(call, "goals_progress", GoalsRequest(common=common, goals=goals, hours=hours))


async def restore_goals(call: Call, key: str, value: CanonicalJson | None) -> None:
    """Give one of the two settings a value that it had before. Raises Malformed or Invalid."""
    if key == GOALS_KEY:
        await call.access.edit_own_setting(key, lambda now: restored_goals(now, value))
    else:
        work_hours_of(value)  # in force only if it can be read
        await call.access.change_own_settings({key: value})


async def _goals(call: Call) -> Goals:
    return goals_of(await in_thread(call.access.own_setting, GOALS_KEY))


async def _changed(call: Call, change: Callable[[Goals], Goals]) -> Goals:
    """Change the goals with nothing in between; what they are now."""
    stored = await call.access.edit_own_setting(GOALS_KEY, lambda text: stored_goals(change(goals_of(text))))
    return goals_of(stored)


def _answer_goal(call: Call, goal: Goal) -> None:
    call.response.set_header("ETag", tag_of(goal))
    call.answer_value(goal)


def _goal_id(call: Call) -> int:
    number = call.path_number("goal_id")
    if number is None:
        raise no_goal(call.params["goal_id"])
    return number


# Routes.


_ONE = "/api/1/goals/{goal_id}"
_DEEP_WORK = {"name": "Deep work", "kind": "at_least", "seconds": 14400, "by": "category", "category": ["Work"]}
_PROGRESS = tuple(
    each for each in COMMON if each.name in ("date", "tz", "day_start", "week_start", "device", "annotations")
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/goals", handler=list_goals, tag="insight", scope="read", is_server_wide=True,
        is_tagged=True, summary="List the goals", answer=Answer(type=list[Goal], description="every goal"),
    ),
    Route(
        method="POST", path="/api/1/goals", handler=create_goal, tag="insight", scope="full",
        is_server_wide=True, summary="Make a goal", body=Body(type=NewGoal, example=_DEEP_WORK),
        answer=Answer(type=Goal, description="the goal, with its id", status=201),
    ),
    Route(
        method="GET", path="/api/1/goals/progress", handler=get_goals_progress, tag="insight", scope="read",
        is_tagged=True, summary="See how far you are with your goals", parameters=_PROGRESS,
        answer=Answer(type=GoalsAnswer, description="each goal, and time inside and outside the hours of work"),
        errors=REFUSALS,
    ),
    Route(
        method="GET", path="/api/1/goals/work-hours", handler=get_work_hours, tag="insight", scope="read",
        is_server_wide=True, is_tagged=True, summary="Get the hours of work",
        answer=Answer(type=WorkHours, description="by weekday"),
    ),
    Route(
        method="PUT", path="/api/1/goals/work-hours", handler=set_work_hours, tag="insight", scope="full",
        is_server_wide=True, is_destructive=True, summary="Set the hours of work",
        body=Body(type=NewWorkHours, example={"monday": "09:00-17:30", "friday": "09:00-15:00"}),
        answer=Answer(type=WorkHours, description="by weekday"),
    ),
    Route(
        method="GET", path=_ONE, handler=get_goal, tag="insight", scope="read", is_server_wide=True,
        is_tagged=True, summary="Get a goal", answer=Answer(type=Goal, description="the goal"), errors=(NotFound,),
    ),
    Route(
        method="PATCH", path=_ONE, handler=change_goal, tag="insight", scope="full", is_server_wide=True,
        is_destructive=True, is_conditional=True, summary="Change a goal, or switch it off",
        body=Body(type=GoalChange, example={"seconds": 10800}),
        answer=Answer(type=Goal, description="the goal as it is now"), errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=_ONE, handler=delete_goal, tag="insight", scope="full", is_server_wide=True,
        is_destructive=True, is_conditional=True, summary="Delete a goal",
        answer=Answer(type=list[Goal], description="the goals that are left"), errors=(NotFound,),
    ),
)  # fmt: skip
