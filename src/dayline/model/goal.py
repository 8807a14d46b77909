"""Goals: how much time a person wants to spend on something, at least or at most; and the hours of work."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.model.annotation import CategoryPath
from dayline.model.category import Path
from dayline.model.data import CanonicalJson, canonical_json, decode_body
from dayline.model.errors import Invalid, NotFound

GoalKind: TypeAlias = Literal["at_least", "at_most"]
GoalPeriod: TypeAlias = Literal["day", "week", "month"]
GoalBy: TypeAlias = Literal["all", "category", "app", "domain"]
CountedHours: TypeAlias = Literal["any", "inside", "outside"]
Weekday: TypeAlias = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

WEEKDAYS: Final[tuple[Weekday, ...]] = get_args(Weekday)
GOALS_KEY: Final = "goals"  # both among our own settings
WORK_HOURS_KEY: Final = "work_hours"
GOAL_SETTINGS: Final = (GOALS_KEY, WORK_HOURS_KEY)
MOST_GOALS: Final = 100
LONGEST_S: Final = 31 * 86_400

Name = Annotated[str, Meta(min_length=1, max_length=200, examples=["Deep work"])]
Kind = Annotated[GoalKind, Meta(description="`at_least` is a target, `at_most` a limit")]
Amount = Annotated[
    float, Meta(gt=0, le=LONGEST_S, description="how much, in seconds of active time", examples=[14400.0])
]
Per = Annotated[GoalPeriod, Meta(description="the period that it is counted in")]
By = Annotated[
    GoalBy, Meta(description="what counts: all active time, a category with all below it, an app, or a domain")
]
Value = Annotated[str, Meta(min_length=1, max_length=1000, description="the app or the domain")]
Days = Annotated[
    tuple[Weekday, ...], Meta(min_length=1, max_length=7, description="only time of these days counts; all by itself")
]
Hours = Annotated[
    CountedHours, Meta(description="`inside`: only time within the hours of work counts; `outside`: only overtime")
]
HoursOfDay = Annotated[
    str,
    Meta(
        pattern="^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$",
        max_length=11,
        description="from one time of the day to another; where the second is not later, it is of the next day",
        examples=["09:00-17:30"],
    ),
]


class Goal(Struct, frozen=True, kw_only=True):
    """One goal. Its id stays the same through all changes, and is given to no other."""

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
    """A goal to be. `category` goes with `by` category, `value` with app and domain."""

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
    """What is to be changed, and nothing else."""

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
    """All goals, as they are stored."""

    goals: tuple[Goal, ...] = ()
    next_id: int = 1


class WorkHours(Struct, frozen=True, kw_only=True):
    """When a person works, by day of the week; null where not at all. What is outside is overtime."""

    monday: HoursOfDay | None = None
    tuesday: HoursOfDay | None = None
    wednesday: HoursOfDay | None = None
    thursday: HoursOfDay | None = None
    friday: HoursOfDay | None = None
    saturday: HoursOfDay | None = None
    sunday: HoursOfDay | None = None


class NewWorkHours(WorkHours, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The hours of all days of the week. A day that is left out has none."""


_new_goal = msgspec.json.Decoder(NewGoal)
_change = msgspec.json.Decoder(GoalChange)
_goals = msgspec.json.Decoder(Goals)
_work_hours = msgspec.json.Decoder(WorkHours)
_new_work_hours = msgspec.json.Decoder(NewWorkHours)


def decode_new_goal(body: bytes) -> NewGoal:
    """Raises Malformed or Invalid."""
    return decode_body(body, _new_goal)


def decode_goal_change(body: bytes) -> GoalChange:
    """Raises Malformed or Invalid."""
    return decode_body(body, _change)


def decode_new_work_hours(body: bytes) -> WorkHours:
    """Raises Malformed or Invalid."""
    hours = decode_body(body, _new_work_hours)
    for day in WEEKDAYS:
        if (getattr(hours, day) or "").endswith("\n"):  # for which `$` has an eye closed
            raise Invalid(f"{day}: it ends with a line feed", field=day)
    return msgspec.convert(hours, WorkHours, from_attributes=True)


def goals_of(stored: CanonicalJson | None) -> Goals:
    """The goals of the setting. Raises Malformed or Invalid for what this version does not understand."""
    return Goals() if stored is None else decode_body(stored, _goals)


def work_hours_of(stored: CanonicalJson | None) -> WorkHours | None:
    """The hours of work of the setting; None where nobody has set any."""
    if stored is None:
        return None
    hours = decode_body(stored, _work_hours)
    return None if hours == WorkHours() else hours


def stored_goals(goals: Goals) -> CanonicalJson:
    """The setting for these goals."""
    return canonical_json(msgspec.to_builtins(goals))


def restored_goals(now: CanonicalJson | None, then: CanonicalJson | None) -> CanonicalJson:
    """The setting with the goals that there were once; ids that were given since are given to no other."""
    goals, known = goals_of(then), goals_of(now)
    return stored_goals(msgspec.structs.replace(goals, next_id=max(goals.next_id, known.next_id)))


def with_goal(goals: Goals, new: NewGoal) -> Goals:
    """The goals and one more, behind all others. Raises Invalid."""
    if len(goals.goals) >= MOST_GOALS:
        raise Invalid(f"there are {MOST_GOALS} goals already, and not more are possible")
    goal = _checked(Goal(id=goals.next_id, **msgspec.structs.asdict(new)))
    return Goals(goals=(*goals.goals, goal), next_id=goals.next_id + 1)


def with_changed_goal(goals: Goals, goal_id: int, change: Callable[[Goal], Goal | None]) -> Goals:
    """The goals with what becomes of one of them; None: it is removed. Raises NotFound, and what `change` raises."""
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
    return NotFound(f"there is no goal {goal_id[:40]!r}", hint="GET /api/1/goals lists them")


def changed_goal(goal: Goal, change: GoalChange) -> Goal:
    """What becomes of a goal. Raises Invalid."""
    given: dict[str, Any] = {
        name: value for name in change.__struct_fields__ if (value := getattr(change, name)) is not UNSET
    }
    return _checked(msgspec.structs.replace(goal, **given))


def _checked(goal: Goal) -> Goal:
    needs = {"category": "category", "app": "value", "domain": "value"}.get(goal.by)
    for field in ("category", "value"):
        is_given = getattr(goal, field) is not None
        if field == needs and not is_given:
            raise Invalid(f"{field}: which {goal.by} it is about is missing", field=field)
        if field != needs and is_given:
            raise Invalid(f"{field}: a goal by {goal.by} has none", hint="set it to null, or another `by`", field=field)
    if len(set(goal.weekdays)) < len(goal.weekdays):
        raise Invalid("weekdays: one of them stands there twice", field="weekdays")
    return goal
