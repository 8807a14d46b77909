"""Changes of buckets as a whole, inside the writer's transaction. Each leaves an act that undoes it."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from dayline.model.bucket import BucketChange
from dayline.model.data import canonical_json
from dayline.model.errors import Conflict
from dayline.model.time import Microseconds
from dayline.storage.history.undo_log import PART_OF
from dayline.storage.sqlite.rows import undo_log
from dayline.storage.sqlite.writing.catalogue import BucketState
from dayline.storage.sqlite.writing.transaction import Changes

_MERGING: Final = """
SELECT bucket FROM act WHERE kind = 'merge_buckets' AND state IN ('doing', 'undoing') AND key <> :but_for
AND (bucket_key = :key OR json_extract(detail, '$.target') = :key)
"""


def update_bucket(changes: Changes, bucket_id: str, change: BucketChange, *, now: Microseconds) -> int:
    """Change the fields that are set; what undoes it."""
    state = changes.catalogue.find(bucket_id)
    given = {
        field: value for field in change.__struct_fields__ if (value := getattr(change, field)) is not msgspec.UNSET
    }
    before = {field: getattr(state.bucket, field) for field in given}
    set_fields(changes, state, given)
    return undo_log.begin(
        changes.db,
        "update_bucket",
        now=now,
        bucket=state.bucket.id,
        bucket_key=state.key,
        detail={"before": before, "after": given},
    )


def set_fields(changes: Changes, state: BucketState, fields: dict[str, Any]) -> None:
    """Give a bucket other fields."""
    bucket = state.bucket = msgspec.structs.replace(state.bucket, **fields)
    changes.db.execute(
        "UPDATE bucket SET type = ?, client = ?, hostname = ?, data = ? WHERE key = ?",
        (bucket.type, bucket.client, bucket.hostname, canonical_json(bucket.data).decode(), state.key),
    )
    changes.touched.add(state)
    changes.tell(bucket.id, "changed")


def delete_bucket(changes: Changes, bucket_id: str, *, now: Microseconds) -> int:
    """Mark it deleted, however large it is; what undoes it. `purge` removes the rows when the trash lets go of it."""
    state = changes.catalogue.find(bucket_id)
    check_idle(changes, state.key)
    return _delete(changes, state, now=now)


def delete_buckets(changes: Changes, bucket_ids: Sequence[str], *, now: Microseconds) -> int:
    """The same for several buckets as one operation with one undo. Raises BucketNotFound, with nothing deleted."""
    # By their keys: two ids may lead to one bucket.
    states = {state.key: state for state in map(changes.catalogue.find, bucket_ids)}.values()
    check_idle(changes, *(state.key for state in states))
    act = undo_log.begin(changes.db, "delete_buckets", now=now, events=sum(state.events for state in states))
    for state in states:
        _delete(changes, state, now=now, part_of=act)
    return act


def _delete(changes: Changes, state: BucketState, *, now: Microseconds, part_of: int | None = None) -> int:
    act = undo_log.begin(
        changes.db,
        "delete_bucket",
        now=now,
        bucket=state.bucket.id,
        bucket_key=state.key,
        events=state.events,
        detail=None if part_of is None else {PART_OF: part_of},
    )
    set_aside(changes, state, now=now)
    changes.tell(state.bucket.id, "deleted")
    return act


def check_idle(changes: Changes, *keys: int, but_for: int = 0) -> None:
    """Raise Conflict while one of these buckets is being merged, or unmerged, by another act than this one."""
    for key in keys:
        found = changes.db.execute(_MERGING, {"key": key, "but_for": but_for}).get
        if found is not None:
            raise Conflict(f"bucket {found!r} is being merged just now", hint="try again when that is done")


def set_aside(changes: Changes, state: BucketState, *, now: Microseconds) -> None:
    """Take a bucket out of sight, with all that it holds."""
    changes.db.execute("UPDATE bucket SET deleted = ? WHERE key = ?", (now, state.key))
    changes.keep_next_event_id()
    changes.catalogue.remove(state)
    changes.touched.add(state)


def bring_back(changes: Changes, key: int) -> BucketState:
    """Make a bucket that was set aside one of the others again."""
    changes.settle_months()
    changes.db.execute("UPDATE bucket SET deleted = NULL WHERE key = ?", (key,))
    state = changes.catalogue.read_bucket(key)
    changes.catalogue.add(state)
    changes.touched.add(state)
    changes.tell(state.bucket.id, "restored")
    return state
