"""How far somebody is with a goal, from the seconds of its periods. Pure, no numpy."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from dayline.model.goals import Goal

GoalState: TypeAlias = Literal["reached", "on_track", "behind", "within", "exceeded", "off"]

_ROUNDING = 1e-6  # seconds are sums of microseconds, as doubles


class Standing(Struct, frozen=True, kw_only=True):
    """What can be said of a goal: where it stands, and how many periods in a row it was met."""

    state: GoalState
    share: float
    streak: int


def standing_of(
    goal: Goal, *, before: Sequence[float], seconds: float, pace: float | None, is_counted: bool = True
) -> Standing:
    """Where a goal stands, by the seconds of earlier periods and of the one in question.

    `pace` is how much of the period is gone, from 0 to 1; None where it is over. `is_counted` is False on a day that
    the goal is not for.
    """
    state: GoalState = state_of(goal, seconds, pace) if is_counted else "off"
    return Standing(state=state, share=seconds / goal.seconds, streak=_streak(goal, before, state, pace))


def state_of(goal: Goal, seconds: float, pace: float | None) -> GoalState:
    """Where a goal stands in one period."""
    if goal.kind == "at_most":
        return "within" if is_met(goal, seconds) else "exceeded"
    if is_met(goal, seconds):
        return "reached"
    return "on_track" if pace is not None and seconds + _ROUNDING >= goal.seconds * pace else "behind"


def is_met(goal: Goal, seconds: float) -> bool:
    """Whether a period of so many seconds is as it should be."""
    if goal.kind == "at_most":
        return seconds <= goal.seconds + _ROUNDING
    return seconds >= goal.seconds - _ROUNDING


def pace_of(*, gone: float, whole: float, elapsed_share: float) -> float:
    """How much of a period is gone, as active time goes: the share of earlier periods' time that lay before this point.

    Where nothing was recorded earlier: the share of the hours that count.
    """
    return min(max(gone / whole if whole > 0 else elapsed_share, 0.0), 1.0)


def _streak(goal: Goal, before: Sequence[float], state: GoalState, pace: float | None) -> int:
    """How many periods in a row, up to now. One that is not over breaks it only where it cannot be met any more."""
    is_over = pace is None and state != "off"
    if state == "exceeded" or (is_over and state == "behind"):
        return 0
    streak = 0
    for seconds in reversed(before):
        if not is_met(goal, seconds):
            break
        streak += 1
    return streak + (state == "reached" or (is_over and state == "within"))
