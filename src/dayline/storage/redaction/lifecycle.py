"""A redaction as every store keeps it, and what stands in the way of undoing it or making it final."""

from typing import Final

import msgspec

from dayline.model.errors import Conflict, Gone, NotFound
from dayline.model.privacy import Redaction, RuleBook, State
from dayline.model.time import format_timestamp

REDACTION_FIELDS: Final = "key, made, state, rules, buckets, changed_values, changed_events, dropped_events"
OPEN: Final = "('applying', 'applied', 'undoing')"  # the states of those that can be undone


def redaction_of(row: object) -> Redaction:
    """A row of REDACTION_FIELDS, and the act that undoes it or NULL."""
    key, made, state, rules, buckets, values, events, dropped, undo = msgspec.convert(
        row, tuple[int, int, State, str, str, int, int, int, int | None]
    )
    return Redaction(
        id=key,
        made=format_timestamp(made),
        state=state,
        rules=msgspec.json.decode(rules, type=RuleBook),
        buckets=msgspec.json.decode(buckets, type=list[str]),
        changed_values=values,
        changed_events=events,
        dropped_events=dropped,
        undo=undo,
    )


def no_redaction(key: int) -> NotFound:
    return NotFound(f"there is no redaction {key}", hint="GET /api/1/privacy/redactions lists them")


def check_undoable(found: Redaction, *, above: int | None) -> None:
    """Raise Gone or Conflict for one that cannot be undone. `above` is the first open one that was made after it."""
    if found.state == "final":
        raise Gone(f"redaction {found.id} is final: the originals are gone")
    if above is not None:
        raise Conflict(f"redaction {above} was made after redaction {found.id}", hint=f"undo redaction {above} first")


def check_finishable(found: Redaction, *, below: int | None) -> None:
    """Raise Conflict for one that cannot be made final. `below` is the last open one that was made before it."""
    if found.state in ("undoing", "undone"):
        raise Conflict(f"redaction {found.id} was undone: there is nothing to make final")
    if below is not None:
        raise Conflict(
            f"redaction {below} was made before redaction {found.id}", hint=f"make redaction {below} final first"
        )


def bucket_in_trash(bucket_id: str, key: int) -> Conflict:
    """What comes back from the trash is to be as it was."""
    return Conflict(
        f"bucket {bucket_id!r} is in the trash, with what redaction {key} has changed",
        hint="restore the bucket first, or empty the trash: GET /api/1/trash",
    )
