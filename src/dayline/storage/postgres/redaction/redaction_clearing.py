"""The slices that clear away what a redaction kept, each in one transaction, once it cannot be undone any more."""

from collections.abc import Sequence
from typing import Final

from dayline.storage.postgres.redaction.redaction_owner import hold
from dayline.storage.postgres.redaction.redaction_part import SLICE_ROWS, Part
from dayline.storage.postgres.writing import value_changes
from dayline.storage.postgres.writing.turn import Turn
from dayline.storage.redaction.redaction import OPEN

_FAR: Final = 2**62  # beyond every key and every time

_PLACE: Final = "tenant = %(tenant)s AND bucket = %(bucket)s AND redaction = %(redaction)s"
# By ranges of the keys: what is to go is found by going along the index, whatever the planner knows of the tables.
_FORGET_EVENTS: Final = f"""
DELETE FROM redacted_event WHERE {_PLACE} AND start <= (SELECT coalesce((
    SELECT start FROM redacted_event WHERE {_PLACE} ORDER BY start LIMIT 1 OFFSET %(rows)s
), %(far)s))
"""
_FORGET_VALUES: Final = f"""
DELETE FROM redacted_value WHERE {_PLACE} AND value <= (SELECT coalesce((
    SELECT value FROM redacted_value WHERE {_PLACE} ORDER BY value LIMIT 1 OFFSET %(rows)s
), %(far)s))
"""
_FORGET_REPLACED: Final = f"""
DELETE FROM replaced_event WHERE tenant = %(tenant)s AND NOT EXISTS (
    SELECT 1 FROM redaction WHERE redaction.tenant = %(tenant)s AND (state IN {OPEN} OR has_rest)
)
"""
_PLANNED: Final = "tenant = %(tenant)s AND bucket = %(bucket)s AND plan = %(plan)s"
_FORGET_PLAN: Final = f"""
DELETE FROM redaction_change WHERE {_PLANNED} AND (is_moved, value) <= (
    SELECT is_moved, value FROM (
        (SELECT is_moved, value FROM redaction_change WHERE {_PLANNED} ORDER BY is_moved, value LIMIT 1 OFFSET %(rows)s)
        UNION ALL SELECT true, %(far)s
    ) AS edge ORDER BY is_moved, value LIMIT 1
)
"""


def forget_events(turn: Turn, *, part: Part) -> bool:
    """Forget what events were; whether there may be more."""
    return _forget(turn, part, _FORGET_EVENTS)


def forget_values(turn: Turn, *, part: Part) -> bool:
    """Forget original texts, and which values changed; whether there may be more."""
    return _forget(turn, part, _FORGET_VALUES)


def forget_plan(turn: Turn, *, part: Part) -> bool:
    """Forget what was to be done, or is done by now; whether there may be more."""
    return _forget(turn, part, _FORGET_PLAN)


def end_plan(turn: Turn, *, owner: str, plan: int) -> None:
    """Forget a plan of which nothing is left."""
    hold(turn, owner)
    turn.db.execute("DELETE FROM redaction_plan WHERE tenant = %s AND number = %s", (turn.tenant, plan))


def hide_values(turn: Turn, *, part: Part, values: Sequence[int]) -> None:
    """Keep values from being given to new events, so that who has them can be looked up in peace."""
    state = value_changes.lock_any(turn, part.bucket)
    part.hold(turn)
    if state is not None:
        value_changes.hide(turn, state, values)


def remove_values(turn: Turn, *, part: Part, values: Sequence[int]) -> None:
    """Remove hidden values that nobody has."""
    state = value_changes.lock_any(turn, part.bucket)
    part.hold(turn)
    if state is not None:
        value_changes.remove(turn, state, values)


def show_values(turn: Turn, *, part: Part, values: Sequence[int]) -> None:
    """Let values be found again that somebody has."""
    state = value_changes.lock_any(turn, part.bucket)
    part.hold(turn)
    if state is not None:
        value_changes.show(turn, state, values)


def sweep(turn: Turn, *, owner: str) -> None:
    """Forget what is noted for redactions that can be undone, when there are none; those rows are few."""
    hold(turn, owner)
    turn.db.execute(_FORGET_REPLACED.encode(), {"tenant": turn.tenant})


def _forget(turn: Turn, part: Part, statement: str) -> bool:
    part.hold(turn)
    return turn.db.execute(statement.encode(), {**part.place(turn), "rows": SLICE_ROWS, "far": _FAR}).rowcount > 0
