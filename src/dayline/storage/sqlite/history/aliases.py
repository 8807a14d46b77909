"""Aliases: ids under which a bucket is found besides its own, so that a watcher that knows the old one goes on.

A bucket's own id always goes before an alias of the same name. The aliases of a deleted bucket stay with it, find
nothing meanwhile, and come back with it.
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import apsw
import msgspec

from dayline.model.bucket import Alias
from dayline.model.errors import Conflict, NotFound
from dayline.model.time import Microseconds, format_timestamp
from dayline.storage.history.undo_log import Act
from dayline.storage.sqlite.rows import undo_log
from dayline.storage.sqlite.writing.catalogue import BucketState
from dayline.storage.sqlite.writing.changes import check_idle
from dayline.storage.sqlite.writing.transaction import Changes

_ALL = """
SELECT alias.id, bucket.id, alias.made FROM alias JOIN bucket ON bucket.key = alias.bucket
WHERE bucket.deleted IS NULL
AND NOT EXISTS (SELECT 1 FROM bucket AS own WHERE own.id = alias.id AND own.deleted IS NULL)
ORDER BY alias.id
"""

Place: TypeAlias = tuple[int, Microseconds]  # the key of the bucket that an alias leads to, and since when
Before: TypeAlias = dict[str, Place | None]  # where aliases led to before an act; None: there was no such alias


def all_aliases(db: apsw.Connection) -> list[Alias]:
    """Those under which a bucket is found now."""
    rows = msgspec.convert(db.execute(_ALL).fetchall(), list[tuple[str, str, int]])
    return [Alias(id=alias, bucket=bucket_id, made=format_timestamp(made)) for alias, bucket_id, made in rows]


def aliases_of(db: apsw.Connection, key: int) -> list[str]:
    """The aliases of one bucket."""
    rows = db.execute("SELECT id FROM alias WHERE bucket = ? ORDER BY id", (key,)).fetchall()
    return [alias for (alias,) in msgspec.convert(rows, list[tuple[str]])]


def set_aliases(changes: Changes, aliases: Iterable[str], key: int | None, *, now: Microseconds) -> Before:
    """Let aliases lead to a bucket, or to none; where they led to before."""
    before = {alias: _place(changes.db, alias) for alias in aliases}
    put_back(changes, {alias: None if key is None else (key, now) for alias in before})
    return before


def put_back(changes: Changes, places: Mapping[str, Place | None]) -> None:
    """Let aliases lead to where they led to before. What was purged since is left out."""
    for alias, place in places.items():
        changes.db.execute("DELETE FROM alias WHERE id = ?", (alias,))
        is_there = place is not None and changes.db.execute("SELECT 1 FROM bucket WHERE key = ?", (place[0],)).get
        if place is not None and is_there:
            changes.db.execute("INSERT INTO alias(id, bucket, made) VALUES(?, ?, ?)", (alias, *place))
        changes.catalogue.set_alias(alias, place[0] if place is not None and is_there else None)


def leads_to(db: apsw.Connection, alias: str) -> int | None:
    """The key of the bucket that an alias leads to."""
    place = _place(db, alias)
    return None if place is None else place[0]


def before_of(act: Act) -> Before:
    """Where the aliases of an act led to before it."""
    return msgspec.convert(act.detail["aliases"], Before)


def check_free(changes: Changes, bucket_id: str, *, act: Act, but_for: BucketState | None = None) -> None:
    """Raise Conflict where an id that an act has freed was given to another since."""
    if changes.catalogue.has(bucket_id):
        raise Conflict(
            f"there is another bucket {bucket_id!r} by now", hint="rename or delete that one, then undo this"
        )
    other = changes.catalogue.by_alias(bucket_id)
    place = _place(changes.db, bucket_id)
    # An alias that is older was there before: the bucket's own id went before it, and will again.
    if other is not None and other is not but_for and place is not None and place[1] >= act.made:
        raise Conflict(
            f"{bucket_id!r} is an alias of bucket {other.bucket.id!r} by now",
            hint=f"undo what made it so, or remove it: DELETE /api/1/aliases/{bucket_id}",
        )


def remove_alias(changes: Changes, alias: str, *, now: Microseconds) -> int:
    """Let a bucket no longer be found under this id; what undoes it."""
    state = None if changes.catalogue.has(alias) else changes.catalogue.by_alias(alias)
    if state is None:
        raise NotFound(f"there is no alias {alias!r}", hint="GET /api/1/aliases lists them")
    check_idle(changes, state.key)  # the end of undoing a merge needs the alias
    before = set_aliases(changes, [alias], None, now=now)
    _notify(changes, state)
    return undo_log.begin(
        changes.db,
        "remove_alias",
        now=now,
        bucket=state.bucket.id,
        bucket_key=state.key,
        detail={"aliases": before, "other": alias},
    )


def undo_removal(changes: Changes, act: Act) -> None:
    """Bring an alias back."""
    before = before_of(act)
    for alias in before:
        check_free(changes, alias, act=act)
    put_back(changes, before)
    state = changes.catalogue.by_key(act.bucket_key or 0)
    if state is not None:
        _notify(changes, state)
    undo_log.set_state(changes.db, act.key, "undone")


def _notify(changes: Changes, state: BucketState) -> None:
    """Notify listeners that a bucket is found under other ids than before."""
    changes.touched.add(state)
    changes.tell(state.bucket.id, "changed")


def _place(db: apsw.Connection, alias: str) -> Place | None:
    row = db.execute("SELECT bucket, made FROM alias WHERE id = ?", (alias,)).fetchone()
    return None if row is None else msgspec.convert(row, Place)
