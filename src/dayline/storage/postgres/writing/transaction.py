"""The write transaction of one tenant.

Every change of a bucket locks its row first, so changes of a bucket are serialized over all servers; several buckets
are locked in the order of their keys. The counter of event ids is locked last. `finish` writes pending rows; call it
before the commit.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
import psycopg
from msgspec import Struct

from dayline.model.access import Once
from dayline.model.bucket import Bucket, check_bucket_id
from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.errors import AlreadyDone, BucketExists, EventElsewhere, EventIdReserved
from dayline.model.event import Event
from dayline.model.time import SECOND, Microseconds, month_of, now_us, start_of_month
from dayline.storage.engine.rows import BucketRow, EventRow, LoggedEvent, SelectedRow, ValueText
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.history.undo_log import Operation
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.rows.audit import AuditRows
from dayline.storage.postgres.rows.buckets import FIELDS, BucketRecord, bucket_of_row
from dayline.storage.postgres.rows.read_transaction import BucketReads
from dayline.storage.postgres.rows.scan import SelectionRows
from dayline.storage.postgres.rows.tables import check_texts
from dayline.storage.postgres.rows.undo_log import BY_ID, UndoLog
from dayline.storage.postgres.writing.dictionary import change_texts
from dayline.storage.postgres.writing.values import Place as ValuePlace
from dayline.storage.postgres.writing.values import ValueDictionary, numbers_of
from dayline.storage.writing.notices import BucketNotice, ChangeNotice

REACH_AHEAD: Final[Microseconds] = 3600 * SECOND  # a heartbeat raises the bound of its month once an hour
_SHORTEST_BOUND: Final[Microseconds] = 64 * SECOND

_FIND: Final = f"""
SELECT {FIELDS} FROM bucket WHERE tenant = %s AND id = ANY(%s) AND deleted IS NULL ORDER BY key FOR UPDATE
"""
_FIND_BY_ALIAS: Final = f"""
SELECT alias.id, {", ".join(f"bucket.{field}" for field in FIELDS.split(", "))}
FROM alias JOIN bucket ON bucket.tenant = alias.tenant AND bucket.key = alias.bucket
WHERE alias.tenant = %s AND alias.id = ANY(%s) AND bucket.deleted IS NULL ORDER BY bucket.key FOR UPDATE OF bucket
"""
_ALIASES: Final = """
SELECT alias.tenant, alias.id, bucket.id FROM alias
JOIN bucket ON bucket.tenant = alias.tenant AND bucket.key = alias.bucket AND bucket.deleted IS NULL
WHERE alias.tenant = ANY(%s) AND NOT EXISTS (
    SELECT 1 FROM bucket AS other
    WHERE other.tenant = alias.tenant AND other.id = alias.id AND other.deleted IS NULL
)
"""
_CREATE: Final = """
INSERT INTO bucket(tenant, id, type, client, hostname, created, data, creator) VALUES(%s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (tenant, id) WHERE deleted IS NULL DO NOTHING RETURNING key
"""
_IS_ALIAS: Final = """
SELECT 1 FROM alias JOIN bucket ON bucket.tenant = alias.tenant AND bucket.key = alias.bucket
WHERE alias.tenant = %s AND alias.id = %s AND bucket.deleted IS NULL
"""
_BY_KEY: Final = f"SELECT {FIELDS} FROM bucket WHERE tenant = %s AND key = %s FOR UPDATE"
_SET_ID: Final = "UPDATE bucket SET id = %s WHERE tenant = %s AND key = %s"
_RESTORE: Final = f"UPDATE bucket SET deleted = NULL WHERE tenant = %s AND key = %s RETURNING {FIELDS}"
_SET_FIELDS: Final = "UPDATE bucket SET type = %s, client = %s, hostname = %s, data = %s WHERE tenant = %s AND key = %s"
_SET_DOWNSAMPLED: Final = "UPDATE bucket SET downsampled = greatest(downsampled, %s) WHERE tenant = %s AND key = %s"
_COPY_DOWNSAMPLED: Final = """
UPDATE bucket SET downsampled = greatest(bucket.downsampled, source.downsampled) FROM bucket AS source
WHERE bucket.tenant = %(tenant)s AND bucket.key = %(target)s
AND source.tenant = %(tenant)s AND source.key = %(source)s
"""
_LOCK: Final = """
SELECT id FROM bucket WHERE tenant = %(tenant)s
AND (%(is_all)s OR key = ANY(%(keys)s) OR (id = %(id)s AND deleted IS NULL)) ORDER BY key FOR UPDATE
"""
_LATER: Final = """
SELECT operation.key FROM operation_event AS kept
JOIN operation ON operation.tenant = kept.tenant AND operation.key = kept.operation
WHERE kept.tenant = %s AND kept.id BETWEEN %s AND %s AND operation.key > %s AND operation.state <> 'undone'
ORDER BY operation.key DESC LIMIT 1
"""
# Times and texts one by one: see BY_ID.
_AT: Final = """
SELECT found.*, json FROM unnest(%(starts)s::bigint[]) AS wanted(start)
CROSS JOIN LATERAL (
    SELECT start, id, duration, value FROM event
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND start BETWEEN wanted.start AND wanted.start ORDER BY start, id
) AS found
CROSS JOIN LATERAL (
    SELECT json FROM value WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND key = found.value LIMIT 1
) AS text
"""
_KEEP_EVENTS: Final = """
INSERT INTO event(tenant, bucket, start, id, duration, value)
SELECT %s, * FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[])
ON CONFLICT (tenant, bucket, start, id) DO UPDATE SET duration = excluded.duration, value = excluded.value
"""
# The span is given in addition: a planner that expects the bucket to be empty uses it instead of reading the whole
# bucket.
_REMOVE_EVENTS: Final = """
DELETE FROM event USING unnest(%(starts)s::bigint[], %(ids)s::bigint[]) AS old(start, id)
WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND event.start BETWEEN %(first)s AND %(last)s
AND event.start = old.start AND event.id = old.id
"""
_KEEP_MONTHS: Final = """
INSERT INTO month AS kept (tenant, bucket, month, events, longest, reach)
SELECT %s, * FROM unnest(%s::bigint[], %s::integer[], %s::bigint[], %s::bigint[], %s::bigint[])
ON CONFLICT (tenant, bucket, month) DO UPDATE SET
    events = kept.events + excluded.events,
    longest = greatest(kept.longest, excluded.longest),
    reach = greatest(kept.reach, excluded.reach),
    changes = kept.changes + kept.is_sealed::integer,
    is_sealed = false
"""
_KEEP_BUCKETS: Final = f"""
UPDATE bucket SET version = version + 1,
    first_start = least(first_start, new.first), last_end = greatest(last_end, new.last),
    tail_start = NULL, tail_id = NULL
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS new(place, first, last)
WHERE tenant = %s AND key = new.place
RETURNING {FIELDS}
"""
_NEXT_IDS: Final = "UPDATE tenant SET next_event_id = next_event_id + %s WHERE id = %s RETURNING next_event_id - %s"
_RESERVED: Final = """
SELECT given FROM unnest(%(ids)s::bigint[]) AS given WHERE given >= %(next_id)s OR EXISTS (
    SELECT 1 FROM operation
    WHERE tenant = %(tenant)s AND kind = 'merge_buckets' AND state IN ('doing', 'undoing')
    AND given - (detail::json ->> 'first')::bigint BETWEEN 0 AND (detail::json ->> 'count')::bigint - 1
) LIMIT 1
"""

_FIND_TOKENS: Final = "SELECT 1 FROM once WHERE tenant = %s AND token = ANY(%s)"
_KEEP_TOKEN: Final = "INSERT INTO once(tenant, token, until) VALUES(%s, %s, %s) ON CONFLICT DO NOTHING"
# More than are added with a change, so that expired ones do not accumulate.
_FORGET_TOKENS: Final = """
DELETE FROM once WHERE tenant = %(tenant)s AND token IN (
    SELECT token FROM once WHERE tenant = %(tenant)s AND until < %(now)s ORDER BY until LIMIT 4 FOR UPDATE SKIP LOCKED
)
"""


class Figures(Struct):
    """What a transaction does to the statistics of one month."""

    events: int = 0
    longest: Microseconds = 0
    reach: Microseconds = 0


class PostgresTransaction(UndoLog, BucketReads, SelectionRows, AuditRows, WriteTransaction):
    """`published` has the changed buckets in their final state; known after `finish`."""

    row_lock = " FOR UPDATE"

    def __init__(self, db: Connection, tenant: str, values: ValueDictionary) -> None:
        self.db = db
        self.tenant = tenant
        self._values = values
        self._new_values: dict[ValuePlace, int] = {}
        self._rows: dict[int, EventRow] = {}
        self._months: dict[tuple[int, int], Figures] = {}
        self._covers: dict[int, tuple[Microseconds | None, Microseconds | None]] = {}
        self._shrunk: dict[int, None] = {}
        self.published: list[BucketRecord] = []
        self.notices: dict[ChangeNotice, None] = {}
        self.is_access = False
        self.unseen = 0
        self.begun: list[int] = []
        self.aliases: dict[str, str] | None = None  # the current ones if they may have changed; after `finish`

    def find(self, bucket_id: str) -> BucketRecord:
        found = super().find(bucket_id)
        assert isinstance(found, BucketRecord), "buckets come from this transaction"
        return found

    def find_all(self, bucket_ids: Iterable[str]) -> dict[str, BucketRecord]:
        """Lock these buckets; returns those that exist, by the requested id."""
        wanted = [bucket_id for bucket_id in dict.fromkeys(bucket_ids) if "\0" not in bucket_id]
        rows = self.db.execute(_FIND, (self.tenant, wanted)).fetchall()
        found = {state.bucket.id: state for state in map(bucket_of_row, rows)}
        others = [bucket_id for bucket_id in wanted if bucket_id not in found]
        if others:
            rows = self.db.execute(_FIND_BY_ALIAS, (self.tenant, others)).fetchall()
            found |= {alias: bucket_of_row(row) for alias, *row in rows}
        return found

    def bucket_by_key(self, key: int) -> BucketRecord | None:
        found = self.lock_any(key)
        return None if found is None or found.is_deleted else found

    def lock_any(self, key: int) -> BucketRecord | None:
        row = self.db.execute(_BY_KEY, (self.tenant, key)).fetchone()
        return None if row is None else bucket_of_row(row)

    def lock_buckets(self, *keys: int, bucket_id: str | None = None) -> None:
        is_all = not keys and bucket_id is None
        self.db.execute(_LOCK, {"tenant": self.tenant, "is_all": is_all, "keys": list(keys), "id": bucket_id})

    def create_bucket(self, bucket: Bucket) -> None:
        check_bucket_id(bucket.id)
        check_texts({field: getattr(bucket, field) for field in ("type", "client", "hostname", "creator")})
        if self.db.execute(_IS_ALIAS, (self.tenant, bucket.id)).fetchone() is not None:
            raise BucketExists(bucket.id)
        fields = (bucket.id, bucket.type, bucket.client, bucket.hostname, bucket.created)
        data = canonical_json(bucket.data).decode()
        row = self.db.execute(_CREATE, (self.tenant, *fields, data, bucket.creator)).fetchone()
        # Looked up again: it may have waited for another server, which has renamed a bucket.
        if row is None or self.db.execute(_IS_ALIAS, (self.tenant, bucket.id)).fetchone() is not None:
            raise BucketExists(bucket.id)
        self.touch_bucket(row[0])
        self.notify(bucket.id, "created")

    def lock_settings(self) -> None:
        self.db.execute("SELECT 1 FROM tenant WHERE id = %s FOR UPDATE", (self.tenant,))

    def event_count(self, bucket: int) -> int:
        statement = "SELECT coalesce(sum(events), 0)::bigint FROM month WHERE tenant = %s AND bucket = %s"
        row = self.db.execute(statement, (self.tenant, bucket)).fetchone()
        pending = sum(figures.events for (key, _), figures in self._months.items() if key == bucket)
        return pending + (0 if row is None else int(row[0]))

    def set_bucket_id(self, row: BucketRow, bucket_id: str) -> None:
        try:
            self.db.execute(_SET_ID, (bucket_id, self.tenant, row.key))
        except psycopg.errors.UniqueViolation as error:
            raise BucketExists(bucket_id) from error
        _replace(row, {"id": bucket_id})
        self.touch_bucket(row.key)

    def set_bucket_fields(self, row: BucketRow, fields: Mapping[str, Any]) -> None:
        check_texts(fields)
        bucket = _replace(row, fields)
        data = canonical_json(bucket.data).decode()
        self.db.execute(_SET_FIELDS, (bucket.type, bucket.client, bucket.hostname, data, self.tenant, row.key))
        self.touch_bucket(row.key)

    def hide_bucket(self, row: BucketRow, *, now: Microseconds) -> None:
        self.db.execute("UPDATE bucket SET deleted = %s WHERE tenant = %s AND key = %s", (now, self.tenant, row.key))
        self.touch_bucket(row.key)

    def restore_bucket(self, key: int) -> BucketRecord:
        try:
            row = self.db.execute(_RESTORE, (self.tenant, key)).fetchone()
        except psycopg.errors.UniqueViolation as error:
            raise BucketExists(str(key)) from error
        assert row is not None
        self.touch_bucket(key)
        return bucket_of_row(row)

    def change_texts(self, row: BucketRow, texts: Sequence[ValueText]) -> None:
        assert isinstance(row, BucketRecord), "buckets come from this transaction"
        change_texts(self.db, self.tenant, row.key, texts)
        self.touch_bucket(row.key)
        if not row.is_deleted:
            self.notify(row.bucket.id, "changed")

    def set_downsampled(self, bucket: int, cutoff: Microseconds) -> None:
        self.db.execute(_SET_DOWNSAMPLED, (cutoff, self.tenant, bucket))

    def copy_downsampled(self, source: int, target: int) -> None:
        self.db.execute(_COPY_DOWNSAMPLED, {"tenant": self.tenant, "source": source, "target": target})

    def logged_events(self, operation: Operation, *, after: int = 0, rows: int) -> list[LoggedEvent]:
        self.take_event_ids(
            0
        )  # locks the counter: no other transaction assigns their ids to another bucket until the commit
        return super().logged_events(operation, after=after, rows=rows)

    def last_event_id(self, bucket: int) -> int | None:
        self.write_rows()
        return super().last_event_id(bucket)

    def later_operation(self, first: int, last: int, operation: int) -> int | None:
        row = self.db.execute(_LATER, (self.tenant, first, last, operation)).fetchone()
        return None if row is None else int(row[0])

    def replaced_events(self, row: BucketRow, event_ids: Sequence[int]) -> dict[int, EventRow]:
        given = list(dict.fromkeys(event_ids))
        if not given:
            return {}
        self.write_rows()
        # Locks the counter: no other transaction can give an id to an event of another bucket until the commit.
        next_id = self.take_event_ids(0)
        rows = self.db.execute(BY_ID, {"tenant": self.tenant, "ids": given}).fetchall()
        found = {each[2]: EventRow(*each) for each in rows}
        for event_id, event in found.items():
            if event.bucket != row.key:
                raise EventElsewhere(event_id, row.bucket.id)
        new = [event_id for event_id in given if event_id not in found]
        terms = {"tenant": self.tenant, "ids": new, "next_id": next_id}
        reserved = self.db.execute(_RESERVED, terms).fetchone() if new else None
        if reserved is not None:
            raise EventIdReserved(int(reserved[0]), row.bucket.id)
        return found

    def value_numbers(
        self, wanted: Iterable[tuple[BucketRecord, CanonicalJson]]
    ) -> dict[tuple[int, CanonicalJson], int]:
        """The keys of data objects in the dictionaries of locked buckets."""
        numbers: dict[tuple[int, CanonicalJson], int] = {}
        unknown: dict[tuple[int, CanonicalJson], ValuePlace] = {}
        for state, data in wanted:
            place = (self.tenant, state.key, state.dictionary, data)
            known = self._values.known(place)
            if known is None:
                unknown[state.key, data] = place
            else:
                numbers[state.key, data] = known
        if unknown:
            found = numbers_of(self.db, self.tenant, unknown)
            self._new_values |= {unknown[each]: number for each, number in found.items()}
            numbers |= found
        return numbers

    def check_tokens(self, tokens: Sequence[Once]) -> None:
        names = [once.token for once in tokens]
        if self.db.execute(_FIND_TOKENS, (self.tenant, names)).fetchone() is not None:
            raise AlreadyDone

    def keep_tokens(self, tokens: Sequence[Once]) -> None:
        for once in tokens:
            if not self.db.execute(_KEEP_TOKEN, (self.tenant, once.token, once.until)).rowcount:
                raise AlreadyDone  # of a change that was made at the same time
        self.db.execute(_FORGET_TOKENS, {"tenant": self.tenant, "now": now_us()})

    def take_event_ids(self, count: int) -> int:
        """Reserve consecutive ids; returns the first. Blocks other transactions until the commit: call it late."""
        row = self.db.execute(_NEXT_IDS, (count, self.tenant, count)).fetchone()
        assert row is not None
        return int(row[0])

    def put(self, row: EventRow, *, is_new: bool) -> None:
        """Write an event at `finish`: a new one, or a longer version of an existing one."""
        self._rows[row.id] = row
        self.cover(row.bucket, row.start, row.duration, events=int(is_new))

    def cover(self, key: int, start: Microseconds, duration: Microseconds, *, events: int) -> None:
        """Account for this many more events that start here and last this long."""
        figures = self._figures(key, start)
        figures.events += events
        figures.longest = max(figures.longest, longest_bound(duration))
        figures.reach = max(figures.reach, start + duration + REACH_AHEAD)
        self._widen(key, start, start + duration)

    def events_at(self, bucket: int, starts: Sequence[Microseconds]) -> list[SelectedRow]:
        self.write_rows()
        rows = self.db.execute(_AT, {"tenant": self.tenant, "bucket": bucket, "starts": list(starts)}).fetchall()
        return [SelectedRow(*row) for row in rows]

    def value_keys(self, row: BucketRow, texts: Iterable[CanonicalJson]) -> dict[CanonicalJson, int]:
        assert isinstance(row, BucketRecord), "buckets come from this transaction"
        return {text: number for (_, text), number in self.value_numbers((row, text) for text in texts).items()}

    def put_events(self, row: BucketRow, events: Sequence[EventRow]) -> None:
        for event in events:
            self.put(event, is_new=True)

    def events_by_id(self, bucket: int | None, event_ids: Iterable[int]) -> dict[int, EventRow]:
        self.write_rows()
        rows = self.db.execute(BY_ID, {"tenant": self.tenant, "ids": list(event_ids)}).fetchall()
        return {row[2]: EventRow(*row) for row in rows if bucket in (None, row[0])}

    def remove_events(self, row: BucketRow, events: Sequence[EventRow]) -> None:
        self.write_rows()
        if events:
            starts = [event.start for event in events]
            place = {"tenant": self.tenant, "bucket": row.key, "first": min(starts), "last": max(starts)}
            self.db.execute(_REMOVE_EVENTS, {**place, "starts": starts, "ids": [event.id for event in events]})
        for event in events:
            self._figures(row.key, event.start).events -= 1
        if any(_is_at_the_edge(row.bucket, event) for event in events):
            self.shrink(row.key)
        self.touch_bucket(row.key)

    def shrink(self, key: int) -> None:
        """Account for a bucket that may have lost its first or last event."""
        self._shrunk[key] = None
        self.touch_bucket(key)

    def touch_bucket(self, key: int) -> None:
        """Account for a change of a bucket."""
        self._covers.setdefault(key, (None, None))

    def write_rows(self) -> None:
        """Write pending events now, before they are read in this transaction."""
        if self._rows:
            rows = self._rows.values()
            columns = [
                [getattr(row, field) for row in rows] for field in ("bucket", "start", "id", "duration", "value")
            ]
            self.db.execute(_KEEP_EVENTS, (self.tenant, *columns))
            self._rows = {}

    def finish(self) -> None:
        """Write everything pending."""
        self.write_rows()
        if self._months:
            places, figures = list(self._months), list(self._months.values())
            self.db.execute(
                _KEEP_MONTHS,
                (
                    self.tenant,
                    [key for key, _ in places],
                    [month for _, month in places],
                    [each.events for each in figures],
                    [each.longest for each in figures],
                    [each.reach for each in figures],
                ),
            )
            self._months = {}
        for key in self._shrunk:
            self._measure(key)
        self._shrunk = {}
        if self._covers:
            keys = list(self._covers)
            spans = list(self._covers.values())
            rows = self.db.execute(
                _KEEP_BUCKETS,
                (keys, [first for first, _ in spans], [last for _, last in spans], self.tenant),
            ).fetchall()
            self.published = [bucket_of_row(row) for row in rows]
            self._covers = {}
        if any(isinstance(each, BucketNotice) for each in self.notices):
            self.aliases = read_aliases(self.db, [self.tenant])[self.tenant]

    def forget(self) -> None:
        """Discard everything pending: the change was refused."""
        self._rows, self._months, self._covers, self._shrunk = {}, {}, {}, {}
        self._new_values, self.notices, self.is_access = {}, {}, False

    def committed(self) -> None:
        """Remember keys of values after the commit."""
        self._values.remember(self._new_values.items())

    def _figures(self, key: int, start: Microseconds) -> Figures:
        return self._months.setdefault((key, month_of(start)), Figures())

    def _widen(self, key: int, start: Microseconds, end: Microseconds) -> None:
        first, last = self._covers.get(key, (None, None))
        self._covers[key] = (start if first is None else min(first, start), end if last is None else max(last, end))

    def _measure(self, key: int) -> None:
        """Read a bucket's start and end from the rows; of older months only those that may reach further."""
        self.db.execute(
            "UPDATE bucket SET first_start = (SELECT min(start) FROM event WHERE tenant = %(tenant)s "
            "AND bucket = %(key)s), last_end = NULL WHERE tenant = %(tenant)s AND key = %(key)s",
            {"tenant": self.tenant, "key": key},
        )
        best: int | None = None
        months = self.db.execute(
            "SELECT month, reach FROM month WHERE tenant = %s AND bucket = %s AND events > 0 ORDER BY month DESC",
            (self.tenant, key),
        ).fetchall()
        for month, reach in months:
            if best is None or reach > best:
                row = self.db.execute(
                    "SELECT max(start + duration) FROM event "
                    "WHERE tenant = %s AND bucket = %s AND start >= %s AND start < %s",
                    (self.tenant, key, start_of_month(month), start_of_month(month + 1)),
                ).fetchone()
                if row is not None and row[0] is not None:
                    best = row[0] if best is None else max(best, row[0])
        self._covers[key] = (None, best)


def read_aliases(db: Connection, tenants: Sequence[str]) -> dict[str, dict[str, str]]:
    """Of each tenant, the own ids of buckets by alias; an alias that is also a bucket's own id is left out."""
    found: dict[str, dict[str, str]] = {tenant: {} for tenant in tenants}
    for tenant, alias, own in db.execute(_ALIASES, (list(found),)).fetchall():
        found[tenant][alias] = own
    return found


def longest_bound(duration: Microseconds) -> Microseconds:
    """An upper bound of a duration, with a margin for extensions."""
    return max(_SHORTEST_BOUND, 1 << max(0, duration - 1).bit_length()) if duration > 0 else 0


def _replace(row: BucketRow, fields: Mapping[str, Any]) -> Bucket:
    assert isinstance(row, BucketRecord), "buckets come from this transaction"
    row.bucket = msgspec.structs.replace(row.bucket, **fields)
    return row.bucket


def _is_at_the_edge(bucket: Bucket, row: EventRow) -> bool:
    """Whether the bucket starts or ends with this event, as far as is known."""
    if bucket.start is None or bucket.end is None:
        return True
    return row.start <= bucket.start or row.start + row.duration >= bucket.end


def event_of(row: EventRow, data: CanonicalJson) -> Event:
    return Event(id=row.id, start=row.start, duration=row.duration, data=data)
