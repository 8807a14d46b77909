"""Aliases: ids under which a bucket is found besides its own, so that a watcher that knows the old one goes on.

A bucket's own id always goes before an alias of the same name. The aliases of a deleted bucket stay with it, find
nothing meanwhile, and come back with it.
"""

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

from dayline.model.bucket import Alias
from dayline.model.errors import BucketNotFound, Conflict, NotFound
from dayline.model.time import Microseconds, format_timestamp
from dayline.storage.history.undo_log import Act
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.rows import undo_log
from dayline.storage.postgres.writing.changes import check_idle, lock_key
from dayline.storage.postgres.writing.transaction import FIELDS, Found, Turn, found_of

_ALL: Final = """
SELECT alias.id, bucket.id, alias.made FROM alias
JOIN bucket ON bucket.tenant = alias.tenant AND bucket.key = alias.bucket
WHERE alias.tenant = %s AND bucket.deleted IS NULL AND NOT EXISTS (
    SELECT 1 FROM bucket AS own WHERE own.tenant = alias.tenant AND own.id = alias.id AND own.deleted IS NULL
) ORDER BY alias.id COLLATE "C"
"""
_OF_BUCKET: Final = 'SELECT id FROM alias WHERE tenant = %s AND bucket = %s ORDER BY id COLLATE "C"'
_PLACES: Final = "SELECT id, bucket, made FROM alias WHERE tenant = %s AND id = ANY(%s)"
_REMOVE: Final = "DELETE FROM alias WHERE tenant = %s AND id = ANY(%s)"
# What was purged since is left out.
_PUT: Final = """
INSERT INTO alias(tenant, id, bucket, made)
SELECT bucket.tenant, new.id, new.bucket, new.made
FROM unnest(%s::text[], %s::bigint[], %s::bigint[]) AS new(id, bucket, made)
JOIN bucket ON bucket.tenant = %s AND bucket.key = new.bucket
ON CONFLICT (tenant, id) DO UPDATE SET bucket = excluded.bucket, made = excluded.made
"""
_OWN: Final = f"SELECT {FIELDS} FROM bucket WHERE tenant = %s AND id = %s AND deleted IS NULL"
_BY_ALIAS: Final = f"""
SELECT {", ".join(f"bucket.{field}" for field in FIELDS.split(", "))}
FROM alias JOIN bucket ON bucket.tenant = alias.tenant AND bucket.key = alias.bucket
WHERE alias.tenant = %s AND alias.id = %s AND bucket.deleted IS NULL
"""
_HOLDER: Final = """
SELECT bucket.key, bucket.id, alias.made
FROM alias JOIN bucket ON bucket.tenant = alias.tenant AND bucket.key = alias.bucket
WHERE alias.tenant = %s AND alias.id = %s AND bucket.deleted IS NULL
"""

Place: TypeAlias = tuple[int, Microseconds]  # the key of the bucket that an alias leads to, and since when
Before: TypeAlias = dict[str, Place | None]  # where aliases led to before an act; None: there was no such alias


class Holder(Struct, frozen=True):
    """The bucket that is found under an alias, and since when."""

    key: int
    id: str
    made: Microseconds


def all_aliases(db: Connection, tenant: str) -> list[Alias]:
    """Those under which a bucket is found now."""
    rows = db.execute(_ALL, (tenant,)).fetchall()
    return [Alias(id=alias, bucket=bucket_id, made=format_timestamp(made)) for alias, bucket_id, made in rows]


def aliases_of(turn: Turn, key: int) -> list[str]:
    """The aliases of one bucket."""
    return [alias for (alias,) in turn.db.execute(_OF_BUCKET, (turn.tenant, key)).fetchall()]


def seen(db: Connection, tenant: str, bucket_id: str) -> Found:
    """A bucket as it is just now, by its own id or else an alias. Raises BucketNotFound."""
    if "\0" not in bucket_id:
        for statement in (_OWN, _BY_ALIAS):
            row = db.execute(statement, (tenant, bucket_id)).fetchone()
            if row is not None:
                return found_of(row)
    raise BucketNotFound(bucket_id)


def is_taken(db: Connection, tenant: str, bucket_id: str) -> bool:
    """Whether this is a bucket's own id."""
    return "\0" not in bucket_id and db.execute(_OWN, (tenant, bucket_id)).fetchone() is not None


def holder_of(turn: Turn, alias: str) -> Holder | None:
    """The bucket that an alias leads to; None where there is none, or it is deleted."""
    row = turn.db.execute(_HOLDER, (turn.tenant, alias)).fetchone()
    return None if row is None else Holder(*row)


def places_of(turn: Turn, aliases: Iterable[str]) -> Before:
    """Where aliases lead to, be it to a deleted bucket."""
    wanted = list(aliases)
    rows = turn.db.execute(_PLACES, (turn.tenant, wanted)).fetchall()
    return dict.fromkeys(wanted) | {alias: (key, made) for alias, key, made in rows}


def set_aliases(turn: Turn, aliases: Iterable[str], key: int | None, *, now: Microseconds) -> Before:
    """Let aliases lead to a bucket, or to none; where they led to before."""
    before = places_of(turn, aliases)
    put_back(turn, {alias: None if key is None else (key, now) for alias in before})
    return before


def put_back(turn: Turn, places: Mapping[str, Place | None]) -> None:
    """Let aliases lead to where they led to before. What was purged since is left out."""
    turn.db.execute(_REMOVE, (turn.tenant, list(places)))
    kept = [(alias, *place) for alias, place in places.items() if place is not None]
    if kept:
        columns = [list(column) for column in zip(*kept, strict=True)]
        turn.db.execute(_PUT, (*columns, turn.tenant))


def before_of(act: Act) -> Before:
    """Where the aliases of an act led to before it."""
    return msgspec.convert(act.detail["aliases"], Before)


def check_free(turn: Turn, bucket_id: str, *, act: Act, but_for: int | None = None) -> None:
    """Raise Conflict where an id that an act has freed was given to another bucket since."""
    if is_taken(turn.db, turn.tenant, bucket_id):
        raise Conflict(
            f"there is another bucket {bucket_id!r} by now", hint="rename or delete that one, then undo this"
        )
    other = holder_of(turn, bucket_id)
    # An alias that is older was there before: the bucket's own id went before it, and will again.
    if other is not None and other.key != but_for and other.made >= act.made:
        raise Conflict(
            f"{bucket_id!r} is an alias of bucket {other.id!r} by now",
            hint=f"undo what made it so, or remove it: DELETE /api/1/aliases/{bucket_id}",
        )


def remove_alias(turn: Turn, alias: str, *, now: Microseconds) -> int:
    """Let a bucket no longer be found under this id; what undoes it."""
    state = turn.find_all([alias]).get(alias)
    if state is None or state.bucket.id == alias:
        raise NotFound(f"there is no alias {alias!r}", hint="GET /api/1/aliases lists them")
    check_idle(turn, state.key)  # the end of undoing a merge needs the id
    before = set_aliases(turn, [alias], None, now=now)
    turn.touch(state.key)
    turn.tell(state.bucket.id, "changed")
    return undo_log.begin(
        turn,
        "remove_alias",
        now=now,
        bucket=state.bucket.id,
        bucket_key=state.key,
        detail={"aliases": before, "other": alias},
    )


def undo_removal(turn: Turn, act: Act) -> None:
    """Bring an alias back."""
    state = lock_key(turn, act.bucket_key or 0)
    before = before_of(act)
    for alias in before:
        check_free(turn, alias, act=act)
    put_back(turn, before)
    if state is not None:
        turn.touch(state.key)
    turn.tell(act.bucket, "changed")
    undo_log.end_undoing(turn, act.key)
