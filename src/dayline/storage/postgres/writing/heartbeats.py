"""Heartbeats of a batch, merged by the database, and the commit marker that shows whether a commit arrived."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final, cast

import psycopg
from msgspec import Struct

from dayline.model.access import Once
from dayline.model.errors import AlreadyDone, BucketNotFound, DaylineError
from dayline.model.event import Event
from dayline.model.time import Microseconds, now_us
from dayline.storage.columns.hashes import hash_of
from dayline.storage.postgres.connection import Connection, transaction
from dayline.storage.postgres.rows.arrays import as_array, as_text_array
from dayline.storage.postgres.rows.buckets import FIELDS, bucket_of_row
from dayline.storage.postgres.writing.catalogue import Changed, Grown

# The number that a commit stores in the database, which identifies a retry. Only the last number of each server is
# stored, and lower ones are refused. So nothing is written twice even if the first attempt, believed lost, reaches the
# database after the second.


ALREADY_COMMITTED: Final = "DLCMT"  # our own SQLSTATE, with which the function `beats` refuses a retry

_WRITE_MARKER: Final = """
INSERT INTO commit_mark AS kept (server, part, number, try, made) VALUES(%s, 0, %s, %s, now())
ON CONFLICT (server, part) DO UPDATE SET number = excluded.number, try = excluded.try, made = excluded.made,
    ids = NULL, starts = NULL, durations = NULL
WHERE kept.number < excluded.number
"""
_TRY: Final = "SELECT try FROM commit_mark WHERE server = %s AND part = 0 AND number = %s"
# A server has a new name after each start; nothing waits this long for the outcome of a commit.
_FORGET: Final = "DELETE FROM commit_mark WHERE made < now() - interval '7 days'"


class CommitMarker(Struct, frozen=True, kw_only=True):
    """The server and the number of a commit."""

    server: str
    number: int


class AlreadyCommitted(Exception):
    """An earlier attempt of a commit had succeeded."""


def write_marker(db: Connection, mark: CommitMarker, *, attempt: int) -> None:
    """Store the marker in the current transaction. Raises AlreadyCommitted."""
    if not db.execute(_WRITE_MARKER, (mark.server, mark.number, attempt)).rowcount:
        raise AlreadyCommitted


def attempt_of(db: Connection, mark: CommitMarker) -> int | None:
    """The attempt of a commit that succeeded; None if none did."""
    row = db.execute(_TRY, (mark.server, mark.number)).fetchone()
    return None if row is None else int(row[0])


def forget_old(db: Connection) -> None:
    """Delete the markers of servers that stopped long ago."""
    db.execute(_FORGET)


# Heartbeats of many clients in one statement: the database merges them.
#
#     server      beats ─────▶                                                              ─────▶ events
#     database                lock buckets ─ merge in order of arrival ─ write ─ commit
#
# One round trip, whichever server recorded in these buckets before. The results are stored with the commit marker, so
# that they can be read after a lost connection.


_MAX_PULSETIME: Final = 1 << 60  # longer than any time, and safe to add to

_BEAT: Final = f"SELECT * FROM beats({', '.join(['%s'] * 17)})".encode()
_READ_OUTCOME: Final = """
SELECT ids, starts, durations FROM commit_mark WHERE server = %s AND number = %s ORDER BY part
"""
_NAMED: Final = f"SELECT {FIELDS} FROM bucket WHERE tenant = %s AND id = ANY(%s) AND deleted IS NULL".encode()


class Beat(Struct, frozen=True, eq=False):
    """A heartbeat, its pulsetime, and idempotency tokens."""

    bucket_id: str
    event: Event
    pulsetime: Microseconds
    once: tuple[Once, ...] = ()


class TenantHeartbeats(Struct, frozen=True, eq=False):
    """The heartbeats of one tenant, in order of arrival."""

    tenant: str
    beats: Sequence[Beat]


class HeartbeatResult(Struct, frozen=True, eq=False):
    """The events that a tenant's heartbeats created or extended, and the changes of its buckets."""

    outcomes: list[Event | DaylineError]
    changed: Changed


def beat(db: Connection, mark: CommitMarker, parts: Sequence[TenantHeartbeats]) -> list[HeartbeatResult]:
    """Commit heartbeats. Raises AlreadyCommitted if an earlier attempt had succeeded."""
    try:
        row = _send(db, mark, parts).fetchone()
    except psycopg.Error as error:
        if error.sqlstate == ALREADY_COMMITTED:
            raise AlreadyCommitted from error
        raise
    assert row is not None
    ids, starts, durations, others, texts, *grown = row
    of_tenants = [list[Grown]() for _ in parts]
    rows = zip(*grown, strict=True) if grown[0] else ()
    changes = cast("Iterable[tuple[int, int, int, int, int]]", rows)
    for owner, key, version, start, end in changes:
        of_tenants[owner - 1].append(Grown(key, version, start, end))
    data = dict(zip(others, texts, strict=True)) if others else {}
    outcomes = _outcomes([each for part in parts for each in part.beats], ids, starts, durations, data)
    return [
        HeartbeatResult(
            outcomes[first : first + len(part.beats)],
            Changed(tenant=part.tenant, buckets=[], grown=grown_buckets, aliases=None, notices=[]),
        )
        for part, first, grown_buckets in zip(parts, _firsts(parts), of_tenants, strict=True)
    ]


def read_outcome(db: Connection, mark: CommitMarker, parts: Sequence[TenantHeartbeats]) -> list[HeartbeatResult]:
    """The results of a commit whose response was lost. An event with equal data in another form is returned as sent."""
    row = db.execute(_READ_OUTCOME, (mark.server, mark.number)).fetchone()
    assert row is not None  # no other server has our numbers
    ids, starts, durations = row
    outcomes = _outcomes([each for part in parts for each in part.beats], ids, starts, durations, {})
    return [
        HeartbeatResult(outcomes[first : first + len(part.beats)], _as_they_are_now(db, part))
        for part, first in zip(parts, _firsts(parts), strict=True)
    ]


def _firsts(parts: Sequence[TenantHeartbeats]) -> list[int]:
    """The position of the first heartbeat of each part."""
    return [0, *accumulate(len(part.beats) for part in parts[:-1])]


def _send(db: Connection, mark: CommitMarker, parts: Sequence[TenantHeartbeats]) -> "psycopg.Cursor[tuple[Any, ...]]":
    names: dict[tuple[int, str], int] = {}
    beats = [(owner, each) for owner, part in enumerate(parts, start=1) for each in part.beats]
    # No bucket id contains a NUL character, which PostgreSQL rejects: position 0 matches no bucket either.
    named = [
        0 if "\0" in each.bucket_id else names.setdefault((owner, each.bucket_id), len(names) + 1)
        for owner, each in beats
    ]
    events = [each.event for _, each in beats]
    tokens = [(place, owner, once) for place, (owner, each) in enumerate(beats, start=1) for once in each.once]
    return db.execute(
        _BEAT,
        (
            as_text_array([part.tenant for part in parts]),
            mark.server,
            mark.number,
            0,
            as_text_array([name for _, name in names]),
            as_array([owner for owner, _ in names]),
            as_array(named),
            as_array([event.start for event in events]),
            as_array([event.duration for event in events]),
            as_array([min(each.pulsetime, _MAX_PULSETIME) for _, each in beats]),
            as_array([hash_of(event.data) for event in events]),
            as_text_array([event.data.decode() for event in events]),
            as_text_array([once.token for _, _, once in tokens]) if tokens else "{}",
            as_array([place for place, _, _ in tokens]),
            as_array([owner for _, owner, _ in tokens]),
            as_array([once.until for _, _, once in tokens]),
            now_us(),
        ),
        prepare=True,
    )


def _outcomes(
    beats: Sequence[Beat],
    ids: Sequence[int | None],
    starts: Sequence[Microseconds],
    durations: Sequence[Microseconds],
    texts: Mapping[int, str],
) -> list[Event | DaylineError]:
    outcomes: list[Event | DaylineError] = []
    for place, (each, event_id) in enumerate(zip(beats, ids, strict=True)):
        if event_id is None:
            outcomes.append(BucketNotFound(each.bucket_id))
        elif event_id == 0:
            outcomes.append(AlreadyDone())
        else:
            text = texts.get(place + 1)
            data = each.event.data if text is None else text.encode()
            outcomes.append(Event(id=event_id, start=starts[place], duration=durations[place], data=data))
    return outcomes


def _as_they_are_now(db: Connection, part: TenantHeartbeats) -> Changed:
    names = [name for name in {each.bucket_id for each in part.beats} if "\0" not in name]
    with transaction(db, part.tenant):
        rows = db.execute(_NAMED, (part.tenant, names)).fetchall()
    return Changed(tenant=part.tenant, buckets=[bucket_of_row(row) for row in rows], aliases=None, notices=[])
