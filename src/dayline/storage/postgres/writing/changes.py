"""Changes of buckets, events and values inside a write transaction. Each leaves an operation that undoes it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
import psycopg

from dayline.model.bucket import Bucket, BucketChange, check_bucket_id
from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.errors import BucketExists, BucketNotFound, Conflict, EventElsewhere, Invalid
from dayline.model.event import Event
from dayline.model.time import Microseconds
from dayline.model.upkeep import ActKind
from dayline.storage.columns.hashes import hash_of
from dayline.storage.history.undo_log import PART_OF
from dayline.storage.postgres.rows import undo_log
from dayline.storage.postgres.rows.undo_log import EventNote
from dayline.storage.postgres.writing.transaction import FIELDS, EventRow, Found, Turn, found_of
from dayline.storage.redaction.lifecycle import OPEN
from dayline.storage.store import Inserted

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
    return undo_log.begin(turn, "update_bucket", now=now, bucket=state.bucket.id, bucket_key=state.key, detail=detail)


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
    act = undo_log.begin(turn, "delete_buckets", now=now, events=sum(counts))
    for state, count in zip(states, counts, strict=True):
        _delete(turn, state, count, now=now, part_of=act)
    return act


def _delete(turn: Turn, state: Found, events: int, *, now: Microseconds, part_of: int | None = None) -> int:
    act = undo_log.begin(
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


# Events that are inserted, replaced and deleted, however many at a time, in a handful of statements.


# One by one, in whatever bucket: a planner that takes a bucket, or somebody's events, for few would go through all of
# them, and there is one index that has the ids.
BY_ID: Final = """
SELECT found.* FROM unnest(%(ids)s::bigint[]) AS wanted(id)
CROSS JOIN LATERAL (
    SELECT bucket, start, id, duration, value FROM event
    WHERE tenant = %(tenant)s AND id BETWEEN wanted.id AND wanted.id ORDER BY id LIMIT 1
) AS found
"""
# Events that are given other data while a redaction can be undone: to undo it is not to take that back.
_NOTE_REPLACED: Final = f"""
INSERT INTO replaced_event(tenant, id, redaction)
SELECT %(tenant)s, replaced, newest FROM (
    SELECT max(key) AS newest FROM redaction WHERE tenant = %(tenant)s AND state IN {OPEN}
) AS redaction CROSS JOIN unnest(%(ids)s::bigint[]) AS replaced WHERE newest IS NOT NULL
ON CONFLICT (tenant, id) DO UPDATE SET redaction = excluded.redaction
"""


def insert(
    turn: Turn,
    bucket_id: str,
    events: Sequence[Event],
    *,
    now: Microseconds,
    kind: ActKind = "replace_events",
    is_kept: bool = False,
) -> Inserted:
    """Append or replace. Where an event is replaced, all that is done here is kept, to be undone together.

    `is_kept` says that it is kept also where all of it is new. Raises BucketNotFound or EventElsewhere.
    """
    state = turn.find(bucket_id)
    numbers = turn.value_numbers((state, event.data) for event in events)
    ids = _ids_of(turn, events)
    stored = [
        Event(id=event_id, start=event.start, duration=event.duration, data=event.data)
        for event_id, event in zip(ids, events, strict=True)
    ]
    old = _replaced(turn, state, events)
    # Of several with one id the last one stays.
    new = {
        event.id: EventRow(state.key, event.start, event.id, event.duration, numbers[state.key, event.data])
        for event in stored
    }
    act: int | None = None
    if old or is_kept:
        kind = kind if old else "insert_events"
        turn.tell(state.bucket.id, "changed")
        act = undo_log.begin(turn, kind, now=now, bucket=state.bucket.id, bucket_key=state.key, events=len(new))
        undo_log.note_events(turn, act, [EventNote(old.get(event_id), row) for event_id, row in new.items()])
    _note_replaced(turn, events, old, new)
    if old:
        turn.remove(state, list(old.values()))
    for row in new.values():
        turn.put(row, is_new=True)
    turn.touch(state.key)
    return Inserted(events=stored, undo=act)


def delete_event(turn: Turn, bucket_id: str, event_id: int, *, now: Microseconds) -> int | None:
    """Remove an event; what undoes it, None where there was none. Raises BucketNotFound."""
    state = turn.find(bucket_id)
    row = rows_by_id(turn, state.key, [event_id]).get(event_id)
    if row is None:
        return None
    act = undo_log.begin(turn, "delete_events", now=now, bucket=state.bucket.id, bucket_key=state.key, events=1)
    undo_log.note_events(turn, act, [EventNote(row, None)])
    turn.remove(state, [row])
    turn.tell(state.bucket.id, "changed")
    return act


def rows_by_id(turn: Turn, key: int, event_ids: Iterable[int]) -> dict[int, EventRow]:
    """The events of a bucket that there are of these."""
    turn.write_rows()
    rows = turn.db.execute(BY_ID, {"tenant": turn.tenant, "ids": list(event_ids)}).fetchall()
    return {row[2]: EventRow(*row) for row in rows if row[0] == key}


def _ids_of(turn: Turn, events: Sequence[Event]) -> list[int]:
    """The id of each: its own, above which the counter goes on, or the next one."""
    if not events:
        return []
    if not any(event.id for event in events):
        first = turn.take_event_ids(len(events))
        return list(range(first, first + len(events)))
    # Under the lock of the counter: nobody else can give an id to an event of another bucket until the commit.
    next_id = turn.take_event_ids(0)
    ids: list[int] = []
    for event in events:
        ids.append(event.id or next_id)
        next_id = max(next_id, ids[-1] + 1)
    turn.keep_ids_above(next_id - 1)
    return ids


def _replaced(turn: Turn, state: Found, events: Sequence[Event]) -> dict[int, EventRow]:
    """What is there already of the events that come with an id. Raises EventElsewhere."""
    given = dict.fromkeys(event.id for event in events if event.id)
    if not given:
        return {}
    found = {
        row[2]: EventRow(*row) for row in turn.db.execute(BY_ID, {"tenant": turn.tenant, "ids": list(given)}).fetchall()
    }
    for event_id in given:
        if event_id in found and found[event_id].bucket != state.key:
            raise EventElsewhere(event_id, state.bucket.id)
    return found


def _note_replaced(
    turn: Turn, events: Sequence[Event], old: Mapping[int, EventRow], new: Mapping[int, EventRow]
) -> None:
    """Note which events come with an id and other data than they had, if any."""
    given = {event.id for event in events if event.id}
    ids = [each for each in given if each not in old or old[each].value != new[each].value]
    if ids:
        turn.db.execute(_NOTE_REPLACED.encode(), {"tenant": turn.tenant, "ids": ids})


# Changes of the dictionary itself: of texts, and of values that nobody has any more. The bucket is locked.
#
# A value is hidden before it is removed: events keep it, and no new event is given it, so that who has it can be
# looked up in peace. It has a salt below zero then, which those who look for a text do not find.


_LOCK: Final = f"SELECT {FIELDS} FROM bucket WHERE tenant = %s AND key = %s FOR UPDATE"
_COUNT: Final = "UPDATE bucket SET dictionary = dictionary + 1 WHERE tenant = %s AND key = %s"
_UNSEAL: Final = """
UPDATE month SET is_sealed = false, changes = changes + 1 WHERE tenant = %s AND bucket = %s AND is_sealed
"""
# Rows of values, each looked up by itself, with the key: of a new bucket the planner believes that it has hardly any,
# and would go through all of them.
NAMED_VALUES: Final = """
unnest(%(values)s::bigint[]) AS wanted(key) CROSS JOIN LATERAL (
    SELECT ctid AS place, key, hash, json, salt FROM value
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND key BETWEEN wanted.key AND wanted.key ORDER BY key LIMIT 1
) AS named
"""
# Of some hashes those that a value has, be it hidden or not.
TAKEN_HASHES: Final = """
SELECT wanted.hash FROM unnest(%(hashes)s::bigint[]) AS wanted(hash) CROSS JOIN LATERAL (
    SELECT FROM value
    WHERE tenant = %(tenant)s AND hash = wanted.hash AND bucket::float8 = %(bucket)s ORDER BY hash LIMIT 1
) AS taken
"""
_AT: Final = f"WHERE tenant = %(tenant)s AND ctid = ANY(ARRAY(SELECT named.place FROM {NAMED_VALUES}))"
_GIVE_TEXTS: Final = f"""
UPDATE value SET hash = new.hash, salt = 0, json = new.json
FROM unnest(%(values)s::bigint[], %(hashes)s::bigint[], %(texts)s::text[]) AS new(key, hash, json)
{_AT} AND value.key = new.key
"""
_HIDE: Final = f"UPDATE value SET salt = -1 - salt {_AT} AND salt >= 0"
_REMOVE: Final = f"DELETE FROM value {_AT} AND salt < 0"
_HIDDEN: Final = f"SELECT named.key FROM {NAMED_VALUES} WHERE named.salt < 0"
_SHOW: Final = """
UPDATE value SET salt = (
    SELECT coalesce(max(other.salt) + 1, 0) FROM value AS other
    WHERE other.tenant = value.tenant AND other.hash = value.hash AND other.bucket::float8 = value.bucket
    AND other.salt >= 0
) WHERE tenant = %s AND bucket = %s AND key = %s
"""


def lock_any(turn: Turn, bucket: int) -> Found | None:
    """Lock a bucket, also one that is set aside; None where it is gone."""
    row = turn.db.execute(_LOCK, (turn.tenant, bucket)).fetchone()
    return None if row is None else found_of(row)


def touch_values(turn: Turn, state: Found) -> None:
    """Take into account that the dictionary is not as it was: nothing that was remembered of it fits any more."""
    turn.db.execute(_COUNT, (turn.tenant, state.key))
    turn.db.execute(_UNSEAL, (turn.tenant, state.key))
    turn.touch(state.key)
    turn.tell(state.bucket.id, "changed")


def give_texts(turn: Turn, state: Found, texts: Mapping[int, CanonicalJson]) -> None:
    """Give values other texts, of which no value has the hash."""
    new = {
        "values": list(texts),
        "hashes": [hash_of(text) for text in texts.values()],
        "texts": [text.decode() for text in texts.values()],
    }
    # Planned for these: a plan for any would not know how many they are, and compare each with each.
    turn.db.execute(_GIVE_TEXTS, {"tenant": turn.tenant, "bucket": state.key, **new}, prepare=False)
    touch_values(turn, state)


def hide(turn: Turn, state: Found, values: Sequence[int]) -> None:
    """Keep values from being given to new events."""
    if turn.db.execute(_HIDE, _named(turn, state, values)).rowcount:
        touch_values(turn, state)


def remove(turn: Turn, state: Found, values: Sequence[int]) -> None:
    """Remove values that are hidden, and that nobody has."""
    if turn.db.execute(_REMOVE, _named(turn, state, values)).rowcount:
        touch_values(turn, state)  # what has been made of texts since they were hidden does not fit either


def show(turn: Turn, state: Found, values: Sequence[int]) -> None:
    """Let values be found again that are hidden."""
    for (key,) in turn.db.execute(_HIDDEN, _named(turn, state, values)).fetchall():
        turn.db.execute(_SHOW, (turn.tenant, state.key, key))


def _named(turn: Turn, state: Found, values: Sequence[int]) -> dict[str, object]:
    return {"tenant": turn.tenant, "bucket": state.key, "values": list(values)}
