"""Requests and responses about goals. No numpy."""

from typing import Annotated

from msgspec import Meta, Struct

from dayline.insight.goals.periods import GoalState
from dayline.insight.request import CommonRequest, LocalTime, RangeResponse
from dayline.model.category import Path
from dayline.model.settings.goal import By, Goal, Hours, Kind, Per, WorkHours

Seconds = Annotated[float, Meta(ge=0, description="seconds of active time")]


class GoalsRequest(Struct, frozen=True, kw_only=True):
    """Goals to report on, for the periods that contain the day of the request."""

    common: CommonRequest
    goals: tuple[Goal, ...]
    hours: WorkHours | None


class GoalPeriodResponse(Struct, frozen=True, kw_only=True):
    """An earlier period of a goal."""

    start: LocalTime
    end: LocalTime
    seconds: Seconds
    is_met: bool


class GoalProgress(Struct, frozen=True, kw_only=True):
    """Progress of a goal in the period from `start` to before `end`."""

    id: int
    name: str
    kind: Kind
    per: Per
    by: By
    category: Path | None
    value: str | None
    hours: Hours
    start: LocalTime
    end: LocalTime
    seconds: Seconds
    target: Seconds
    share: Annotated[float, Meta(ge=0, description="seconds divided by the target; may exceed 1")]
    state: Annotated[
        GoalState,
        Meta(
            description="for a target: `reached`, `on_track` or `behind`; for a limit: `within` or `exceeded`; "
            "`off` on a day that the goal is not for"
        ),
    ]
    pace: Annotated[
        float | None,
        Meta(description="elapsed share of the period, by when time is usually spent; null if it is over or off"),
    ]
    streak: Annotated[int, Meta(ge=0, description="periods in a row in which it was met, up to now")]
    recent: Annotated[list[GoalPeriodResponse], Meta(description="up to seven previous periods, the earliest first")]


class WorkTime(Struct, frozen=True, kw_only=True):
    """Active time inside and outside working hours."""

    inside: Seconds
    outside: Annotated[float, Meta(ge=0, description="overtime, in seconds")]


class WorkResponse(Struct, frozen=True, kw_only=True):
    """Working hours of the day, and of the week that contains it."""

    day: WorkTime
    week: WorkTime


class GoalsResponse(Struct, frozen=True, kw_only=True):
    """The enabled goals, in order. `work` is null if no working hours are set."""

    range: RangeResponse
    goals: list[GoalProgress]
    work: WorkResponse | None
