"""Changes of buckets as a whole. Each but making one leaves an act that undoes it."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import psycopg

from dayline.model.bucket import Bucket, BucketChange, check_bucket_id
from dayline.model.data import canonical_json
from dayline.model.errors import BucketExists, BucketNotFound, Conflict, Invalid
from dayline.model.timestamps import Microseconds
from dayline.storage.history.act import PART_OF
from dayline.storage.postgres.rows import acts
from dayline.storage.postgres.writing.turn import FIELDS, Found, Turn, found_of

_CREATE: Final = """
INSERT INTO bucket(tenant, id, type, client, hostname, created, data, creator) VALUES(%s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (tenant, id) WHERE deleted IS NULL DO NOTHING RETURNING key
"""
_IS_ALIAS: Final = """
SELECT 1 FROM alias JOIN bucket ON bucket.tenant = alias.tenant AND bucket.key = alias.bucket
WHERE alias.tenant = %s AND alias.id = %s AND bucket.deleted IS NULL
"""
_BY_KEY: Final = f"SELECT {FIELDS} FROM bucket WHERE tenant = %s AND key = %s FOR UPDATE"
_SET_FIELDS: Final = "UPDATE bucket SET type = %s, client = %s, hostname = %s, data = %s WHERE tenant = %s AND key = %s"
_MERGING: Final = """
SELECT bucket FROM act WHERE tenant = %(tenant)s AND kind = 'merge_buckets' AND state IN ('doing', 'undoing')
AND key <> %(but_for)s AND (bucket_key = ANY(%(keys)s) OR (detail::json ->> 'target')::bigint = ANY(%(keys)s))
"""


def create_bucket(turn: Turn, bucket: Bucket) -> None:
    """Make a bucket. Raises BucketExists, also for an alias, and Invalid for an id that no bucket may have."""
    check_bucket_id(bucket.id)
    _check_texts({field: getattr(bucket, field) for field in ("type", "client", "hostname", "creator")})
    if turn.db.execute(_IS_ALIAS, (turn.tenant, bucket.id)).fetchone() is not None:
        raise BucketExists(bucket.id)
    row = turn.db.execute(
        _CREATE,
        (
            turn.tenant,
            bucket.id,
            bucket.type,
            bucket.client,
            bucket.hostname,
            bucket.created,
            canonical_json(bucket.data).decode(),
            bucket.creator,
        ),
    ).fetchone()
    # Looked for after it too: it may have waited for another server, which has renamed a bucket.
    if row is None or turn.db.execute(_IS_ALIAS, (turn.tenant, bucket.id)).fetchone() is not None:
        raise BucketExists(bucket.id)
    turn.touch(row[0])
    turn.tell(bucket.id, "created")


def update_bucket(turn: Turn, bucket_id: str, change: BucketChange, *, now: Microseconds) -> int:
    """Change the fields that are set; what undoes it. Raises BucketNotFound."""
    state = turn.find(bucket_id)
    given = {
        field: value for field in change.__struct_fields__ if (value := getattr(change, field)) is not msgspec.UNSET
    }
    before = {field: getattr(state.bucket, field) for field in given}
    set_fields(turn, state, given)
    detail = {"before": before, "after": given}
    return acts.begin(turn, "update_bucket", now=now, bucket=state.bucket.id, bucket_key=state.key, detail=detail)


def set_fields(turn: Turn, state: Found, fields: dict[str, Any]) -> None:
    """Give a locked bucket other fields."""
    _check_texts(fields)
    bucket = state.bucket = msgspec.structs.replace(state.bucket, **fields)
    data = canonical_json(bucket.data).decode()
    turn.db.execute(_SET_FIELDS, (bucket.type, bucket.client, bucket.hostname, data, turn.tenant, state.key))
    turn.touch(state.key)
    turn.tell(bucket.id, "changed")


def delete_bucket(turn: Turn, bucket_id: str, *, now: Microseconds) -> int:
    """Mark it deleted, however large it is; what undoes it. Its rows go when the trash lets go of it."""
    state = turn.find(bucket_id)
    check_idle(turn, state.key)
    return _delete(turn, state, count_events(turn, state.key), now=now)


def delete_buckets(turn: Turn, bucket_ids: Sequence[str], *, now: Microseconds) -> int:
    """The same for several buckets as one operation with one undo. Raises BucketNotFound, with nothing deleted."""
    found = turn.find_all(bucket_ids)
    for bucket_id in bucket_ids:
        if bucket_id not in found:
            raise BucketNotFound(bucket_id)
    states = list({state.key: state for state in found.values()}.values())  # two ids may lead to one bucket
    check_idle(turn, *(state.key for state in states))
    counts = [count_events(turn, state.key) for state in states]
    act = acts.begin(turn, "delete_buckets", now=now, events=sum(counts))
    for state, count in zip(states, counts, strict=True):
        _delete(turn, state, count, now=now, part_of=act)
    return act


def _delete(turn: Turn, state: Found, events: int, *, now: Microseconds, part_of: int | None = None) -> int:
    act = acts.begin(
        turn,
        "delete_bucket",
        now=now,
        bucket=state.bucket.id,
        bucket_key=state.key,
        events=events,
        detail=None if part_of is None else {PART_OF: part_of},
    )
    set_aside(turn, state, now=now)
    turn.tell(state.bucket.id, "deleted")
    return act


def count_events(turn: Turn, key: int) -> int:
    """How many events a bucket had when the transaction began to change it."""
    row = turn.db.execute(
        "SELECT coalesce(sum(events), 0)::bigint FROM month WHERE tenant = %s AND bucket = %s", (turn.tenant, key)
    ).fetchone()
    return 0 if row is None else int(row[0])


def check_idle(turn: Turn, *keys: int, but_for: int = 0) -> None:
    """Raise Conflict while one of these buckets is being merged, or unmerged, by another act than this one."""
    place = {"tenant": turn.tenant, "keys": list(keys), "but_for": but_for}
    row = turn.db.execute(_MERGING, place).fetchone()
    if row is not None:
        raise Conflict(f"bucket {row[0]!r} is being merged just now", hint="try again when that is done")


def lock_key(turn: Turn, key: int) -> Found | None:
    """Lock a bucket by what rows call it; None where it is deleted."""
    row = turn.db.execute(_BY_KEY, (turn.tenant, key)).fetchone()
    state = None if row is None else found_of(row)
    return None if state is None or state.is_deleted else state


def set_aside(turn: Turn, state: Found, *, now: Microseconds) -> None:
    """Take a locked bucket out of sight, with all that it holds."""
    turn.db.execute("UPDATE bucket SET deleted = %s WHERE tenant = %s AND key = %s", (now, turn.tenant, state.key))
    turn.touch(state.key)


def bring_back(turn: Turn, key: int) -> Found:
    """Make a bucket that was set aside one of the others again. Raises Conflict where its id is taken."""
    try:
        row = turn.db.execute(
            f"UPDATE bucket SET deleted = NULL WHERE tenant = %s AND key = %s RETURNING {FIELDS}", (turn.tenant, key)
        ).fetchone()
    except psycopg.errors.UniqueViolation as error:
        raise Conflict(
            "there is another bucket of this id by now", hint="rename or delete that one, then undo this"
        ) from error
    assert row is not None
    state = found_of(row)
    turn.touch(key)
    turn.tell(state.bucket.id, "restored")
    return state


def _check_texts(fields: dict[str, Any]) -> None:
    """Raise Invalid for what no column of text can hold."""
    for field, value in fields.items():
        if isinstance(value, str) and "\0" in value:
            raise Invalid(f"{field} may not contain a null character", field=field)
