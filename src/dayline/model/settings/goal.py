"""Goals: how much time to spend on something, at least or at most; and work hours."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.model.category import Path
from dayline.model.data import CanonicalJson, canonical_json, decode_body
from dayline.model.edits.annotation import CategoryPath
from dayline.model.errors import Invalid, NotFound

GoalKind: TypeAlias = Literal["at_least", "at_most"]
GoalPeriod: TypeAlias = Literal["day", "week", "month"]
GoalBy: TypeAlias = Literal["all", "category", "app", "domain"]
CountedHours: TypeAlias = Literal["any", "inside", "outside"]
Weekday: TypeAlias = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

WEEKDAYS: Final[tuple[Weekday, ...]] = get_args(Weekday)
GOALS_KEY: Final = "goals"  # both are internal settings
WORK_HOURS_KEY: Final = "work_hours"
GOAL_SETTINGS: Final = (GOALS_KEY, WORK_HOURS_KEY)
MAX_GOALS: Final = 100
MAX_S: Final = 31 * 86_400
_LONGEST_S: Final = {"day": 86_400, "week": 7 * 86_400, "month": MAX_S}

Name = Annotated[str, Meta(min_length=1, max_length=200, examples=["Deep work"])]
Kind = Annotated[GoalKind, Meta(description="`at_least` is a target, `at_most` a limit")]
Amount = Annotated[float, Meta(gt=0, le=MAX_S, description="seconds of active time", examples=[14400.0])]
Per = Annotated[GoalPeriod, Meta(description="the period in which time is counted")]
By = Annotated[
    GoalBy, Meta(description="what counts: all active time, a category with its subcategories, an app, or a domain")
]
Value = Annotated[str, Meta(min_length=1, max_length=1000, description="the app or the domain")]
Days = Annotated[
    tuple[Weekday, ...],
    Meta(min_length=1, max_length=7, description="only time on these days counts; default: all days"),
]
Hours = Annotated[
    CountedHours, Meta(description="`inside`: only time within work hours counts; `outside`: only overtime")
]
HoursOfDay = Annotated[
    str,
    Meta(
        pattern="^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$",
        max_length=11,
        description="from one time of day to another; if the second is not later, it is on the next day",
        examples=["09:00-17:30"],
    ),
]


class Goal(Struct, frozen=True, kw_only=True):
    """A goal. Its id never changes and is not reused."""

    id: Annotated[int, Meta(ge=1, examples=[1])]
    name: Name
    kind: Kind
    seconds: Amount
    per: Per = "day"
    by: By = "all"
    category: Path | None = None
    value: str | None = None
    weekdays: Days = WEEKDAYS
    hours: Hours = "any"
    is_on: bool = True


class NewGoal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new goal. `category` is for `by` category, `value` for app and domain."""

    name: Name
    kind: Kind
    seconds: Amount
    per: Per = "day"
    by: By = "all"
    category: CategoryPath | None = None
    value: Value | None = None
    weekdays: Days = WEEKDAYS
    hours: Hours = "any"
    is_on: bool = True


class GoalChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields to change."""

    name: Name | UnsetType = UNSET
    kind: Kind | UnsetType = UNSET
    seconds: Amount | UnsetType = UNSET
    per: Per | UnsetType = UNSET
    by: By | UnsetType = UNSET
    category: CategoryPath | UnsetType | None = UNSET
    value: Value | UnsetType | None = UNSET
    weekdays: Days | UnsetType = UNSET
    hours: Hours | UnsetType = UNSET
    is_on: bool | UnsetType = UNSET


class Goals(Struct, frozen=True, kw_only=True):
    """All goals, as stored."""

    goals: tuple[Goal, ...] = ()
    next_id: int = 1


class WorkHours(Struct, frozen=True, kw_only=True):
    """Work hours by day of the week; null on days off. Time outside of them is overtime."""

    monday: HoursOfDay | None = None
    tuesday: HoursOfDay | None = None
    wednesday: HoursOfDay | None = None
    thursday: HoursOfDay | None = None
    friday: HoursOfDay | None = None
    saturday: HoursOfDay | None = None
    sunday: HoursOfDay | None = None


class NewWorkHours(WorkHours, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Work hours of all days of the week. An omitted day has none."""


def decode_new_work_hours(body: bytes) -> WorkHours:
    """Raises Malformed or Invalid."""
    hours = decode_body(body, NewWorkHours)
    for day in WEEKDAYS:
        if (getattr(hours, day) or "").endswith("\n"):  # `$` also matches before a trailing newline
            raise Invalid(f"{day} ends with a newline", field=day)
    return msgspec.convert(hours, WorkHours, from_attributes=True)


def goals_of(stored: CanonicalJson | None) -> Goals:
    """The goals in the setting. Raises Malformed or Invalid if this version does not understand it."""
    return Goals() if stored is None else decode_body(stored, Goals)


def work_hours_of(stored: CanonicalJson | None) -> WorkHours | None:
    """The work hours in the setting; None if it is not set."""
    if stored is None:
        return None
    hours = decode_body(stored, WorkHours)
    return None if hours == WorkHours() else hours


def stored_goals(goals: Goals) -> CanonicalJson:
    """The setting for these goals."""
    return canonical_json(msgspec.to_builtins(goals))


def restored_goals(now: CanonicalJson | None, then: CanonicalJson | None) -> CanonicalJson:
    """The setting with former goals; ids assigned since are not reused."""
    goals, known = goals_of(then), goals_of(now)
    return stored_goals(msgspec.structs.replace(goals, next_id=max(goals.next_id, known.next_id)))


def with_goal(goals: Goals, new: NewGoal) -> Goals:
    """Append a goal. Raises Invalid."""
    if len(goals.goals) >= MAX_GOALS:
        raise Invalid(f"there are already {MAX_GOALS} goals, which is the maximum")
    goal = _checked(Goal(id=goals.next_id, **msgspec.structs.asdict(new)))
    return Goals(goals=(*goals.goals, goal), next_id=goals.next_id + 1)


def with_changed_goal(goals: Goals, goal_id: int, change: Callable[[Goal], Goal | None]) -> Goals:
    """The goals with one of them changed, or deleted if `change` returns None. Raises NotFound, and what `change`
    raises.
    """
    find_goal(goals.goals, goal_id)
    changed = [change(goal) if goal.id == goal_id else goal for goal in goals.goals]
    return msgspec.structs.replace(goals, goals=tuple(goal for goal in changed if goal is not None))


def find_goal(goals: Sequence[Goal], goal_id: int) -> Goal:
    """Raises NotFound."""
    for goal in goals:
        if goal.id == goal_id:
            return goal
    raise no_goal(str(goal_id))


def no_goal(goal_id: str) -> NotFound:
    return NotFound(f"no goal {goal_id[:40]!r}", hint="list them with GET /api/1/goals")


def changed_goal(goal: Goal, change: GoalChange) -> Goal:
    """Apply a change to a goal. Raises Invalid."""
    given: dict[str, Any] = {
        name: value for name in change.__struct_fields__ if (value := getattr(change, name)) is not UNSET
    }
    return _checked(msgspec.structs.replace(goal, **given))


def _checked(goal: Goal) -> Goal:
    needs = {"category": "category", "app": "value", "domain": "value"}.get(goal.by)
    for field in ("category", "value"):
        is_given = getattr(goal, field) is not None
        if field == needs and not is_given:
            raise Invalid(f"`{field}` is required for a goal by {goal.by}", field=field)
        if field != needs and is_given:
            raise Invalid(
                f"a goal by {goal.by} cannot have a `{field}`", hint="set it to null, or change `by`", field=field
            )
    longest = _LONGEST_S[goal.per]
    if goal.seconds > longest:
        limit, given = longest // 3600, f"{goal.seconds / 3600:g}"
        raise Invalid(f"`seconds` must be at most {limit} hours per {goal.per} (got {given} hours)", field="seconds")
    if len(set(goal.weekdays)) < len(goal.weekdays):
        raise Invalid("`weekdays` contains a day twice", field="weekdays")
    return goal
