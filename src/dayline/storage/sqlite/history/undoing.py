"""The way back from an act, inside the writer's transaction.

Everything is looked at before anything is changed: an act whose events or bucket were changed by others since is not
undone halfway, but refused.
"""

from collections.abc import Iterable
from typing import Any, Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.errors import Conflict
from dayline.storage.history.undo_log import Act
from dayline.storage.sqlite.history.aliases import check_free
from dayline.storage.sqlite.rows import undo_log
from dayline.storage.sqlite.rows.undo_log import Place
from dayline.storage.sqlite.writing.catalogue import BucketState
from dayline.storage.sqlite.writing.changes import bring_back, set_fields
from dayline.storage.sqlite.writing.transaction import Changes

AT_ONCE: Final = 1000  # events that are put back in one transaction; more are put back in slices

# What an act left of each event, what has become of it, and whether its former data can still be read: a redaction may
# have moved events away from the value, and emptied it.
_KEPT = """
SELECT kept.id, kept.bucket, kept.start, kept.duration, kept.value, kept.new_start, kept.new_duration, kept.new_value,
    event.bucket, event.start, event.duration, event.value,
    kept.value IS NOT NULL AND (value.hash IS NULL OR value.hash = 0 OR EXISTS (
        SELECT 1 FROM redacted_value AS moved JOIN redaction ON redaction.key = moved.redaction
        WHERE moved.value = kept.value AND moved.json IS NULL AND moved.hash <> 0
        AND redaction.state IN ('applying', 'applied') AND redaction.made > :made
    ))
FROM act_event AS kept LEFT JOIN event ON event.id = kept.id
LEFT JOIN value ON value.key = kept.value AND value.bucket = kept.bucket
WHERE kept.act = :act AND kept.id > :after ORDER BY kept.id LIMIT :rows
"""


class KeptEvent(Struct, frozen=True, array_like=True):
    """An event of an act: before it, after it, and now."""

    id: int
    bucket: int
    start: int | None
    duration: int | None
    value: int | None
    new_start: int | None
    new_duration: int | None
    new_value: int | None
    current_bucket: int | None
    current_start: int | None
    current_duration: int | None
    current_value: int | None
    is_redacted: bool

    @property
    def before(self) -> Place | None:
        """Where it goes back to: with what heartbeats have added since."""
        if self.start is None or self.duration is None or self.value is None:
            return None
        return self.start, self.duration + self.growth, self.value

    @property
    def current(self) -> Place | None:
        if self.current_start is None or self.current_duration is None or self.current_value is None:
            return None
        return self.current_start, self.current_duration, self.current_value

    @property
    def growth(self) -> int:
        if self.current_duration is None or self.new_duration is None:
            return 0
        return self.current_duration - self.new_duration

    @property
    def is_as_it_was_left(self) -> bool:
        """Whether nobody has touched it since, but for heartbeats that made it longer."""
        if self.current_start is None:
            return self.new_start is None
        left = (self.bucket, self.new_start, self.new_value)
        return left == (self.current_bucket, self.current_start, self.current_value) and self.growth >= 0


def kept_events(db: apsw.Connection, act: Act, *, after: int = 0, rows: int = AT_ONCE) -> list[KeptEvent]:
    """The events of an act, in order of their ids."""
    place = {"act": act.key, "made": act.made, "after": after, "rows": rows}
    return msgspec.convert(db.execute(_KEPT, place).fetchall(), list[KeptEvent], strict=False)


def check_events(act: Act, events: Iterable[KeptEvent]) -> None:
    """Raise Conflict where an event cannot go back to what it was."""
    for event in events:
        if not event.is_as_it_was_left:
            raise Conflict(
                f"event {event.id} of bucket {act.bucket!r} was changed again since",
                hint="undo the later change first: GET /api/1/trash lists them",
            )
        if event.is_redacted:
            raise Conflict(f"the data of event {event.id} of bucket {act.bucket!r} were redacted since")


def put_back(changes: Changes, state: BucketState, events: Iterable[KeptEvent]) -> None:
    """Give events back what they were, as far as they are as the act has left them."""
    for event in events:
        if event.is_as_it_was_left and not event.is_redacted:
            if event.current is not None:
                changes.remove_event(state, event.id, event.current)
            if event.before is not None:
                changes.put_event(state, event.id, event.before)


def undo_events(changes: Changes, act: Act) -> None:
    """Put the events of a small act back."""
    state = bucket_of(changes, act)
    events = kept_events(changes.db, act)
    check_events(act, events)
    put_back(changes, state, events)
    end(changes, act)


def undo_split(changes: Changes, act: Act) -> None:
    """Make one event of both parts again, with what heartbeats have added to the second since."""
    state = bucket_of(changes, act)
    events = kept_events(changes.db, act)
    check_events(act, events)
    growth = sum(event.growth for event in events if event.before is None)
    put_back(changes, state, events)
    for event in events:
        if growth and event.before is not None:
            start, duration, value = event.before
            changes.remove_event(state, event.id, event.before)
            changes.put_event(state, event.id, (start, duration + growth, value))
    end(changes, act)


def undo_slice(changes: Changes, act: Act, *, rows: int) -> bool:
    """Put some events of a large act back, and forget them; whether there may be more."""
    state = changes.catalogue.by_key(act.bucket_key or 0)
    events = kept_events(changes.db, act, rows=rows)
    if state is not None:
        put_back(changes, state, events)
    changes.db.executemany("DELETE FROM act_event WHERE act = ? AND id = ?", [(act.key, event.id) for event in events])
    return bool(events)


def undo_update(changes: Changes, act: Act) -> None:
    """Give a bucket its former fields."""
    state = bucket_of(changes, act)
    after: dict[str, Any] = act.detail["after"]
    if any(getattr(state.bucket, field) != value for field, value in after.items()):
        raise Conflict(
            f"bucket {state.bucket.id!r} was changed again since",
            hint="undo the later change first: GET /api/1/trash lists them",
        )
    set_fields(changes, state, act.detail["before"])
    end(changes, act)


def undo_deletion(changes: Changes, act: Act) -> None:
    """Bring a deleted bucket back."""
    check_free(changes, act.bucket, act=act)
    bring_back(changes, act.bucket_key or 0)
    end(changes, act)


def undo_deletions(changes: Changes, act: Act) -> None:
    """Bring all buckets of one deletion back, but for those that are back already."""
    parts = [part for part in undo_log.parts_of(changes.db, act.key) if part.state == "done"]
    for part in parts:
        check_free(changes, part.bucket, act=part)
    for part in parts:
        undo_deletion(changes, part)
    end(changes, act)


def end(changes: Changes, act: Act) -> None:
    """It is undone."""
    changes.db.execute("DELETE FROM act_event WHERE act = ?", (act.key,))
    undo_log.set_state(changes.db, act.key, "undone")


def bucket_of(changes: Changes, act: Act) -> BucketState:
    """The bucket of an act. Raises Conflict where it was deleted since."""
    state = changes.catalogue.by_key(act.bucket_key or 0)
    if state is None:
        raise Conflict(
            f"bucket {act.bucket!r} was deleted since, or merged", hint="restore it first: GET /api/1/trash lists it"
        )
    return state
