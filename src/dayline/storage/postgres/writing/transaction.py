"""One transaction on one tenant's data: what every change of it does alike.

Whoever changes anything of a bucket locks its row first. So changes of a bucket come one after the other, whichever
server makes them; and whoever locks several takes them in the order of their keys. The counter of event ids is taken
last. `finish` writes what was gathered meanwhile; it has to be called before the commit.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from dayline.model.bucket import Bucket
from dayline.model.data import CanonicalJson
from dayline.model.errors import BucketNotFound
from dayline.model.event import Event
from dayline.model.time import SECOND, Microseconds, month_of, start_of_month
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.writing.values import Place as ValuePlace
from dayline.storage.postgres.writing.values import Values, numbers_of
from dayline.storage.store import BucketNews, BucketTurn, Told

REACH_AHEAD: Final[Microseconds] = 3600 * SECOND  # a heartbeat raises the bound of its month once an hour
_SHORTEST_BOUND: Final[Microseconds] = 64 * SECOND

FIELDS: Final = (
    "key, id, type, client, hostname, created, data, creator, dictionary, version, first_start, last_end, deleted"
)
_FIND: Final = f"""
SELECT {FIELDS} FROM bucket WHERE tenant = %s AND id = ANY(%s) AND deleted IS NULL ORDER BY key FOR UPDATE
"""
_FIND_BY_ALIAS: Final = f"""
SELECT alias.id, {", ".join(f"bucket.{field}" for field in FIELDS.split(", "))}
FROM alias JOIN bucket ON bucket.tenant = alias.tenant AND bucket.key = alias.bucket
WHERE alias.tenant = %s AND alias.id = ANY(%s) AND bucket.deleted IS NULL ORDER BY bucket.key FOR UPDATE OF bucket
"""
_ALIASES: Final = """
SELECT alias.id, bucket.id FROM alias
JOIN bucket ON bucket.tenant = alias.tenant AND bucket.key = alias.bucket AND bucket.deleted IS NULL
WHERE alias.tenant = %(tenant)s AND NOT EXISTS (
    SELECT 1 FROM bucket AS other
    WHERE other.tenant = alias.tenant AND other.id = alias.id AND other.deleted IS NULL
)
"""
_KEEP_EVENTS: Final = """
INSERT INTO event(tenant, bucket, start, id, duration, value)
SELECT %s, * FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[])
ON CONFLICT (tenant, bucket, start, id) DO UPDATE SET duration = excluded.duration, value = excluded.value
"""
# The span is said besides: a planner that takes the bucket for empty reads that, rather than the whole bucket.
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
_RAISE_IDS: Final = "UPDATE tenant SET next_event_id = greatest(next_event_id, %s) WHERE id = %s"


class Found(Struct, eq=False):
    """A bucket as the transaction sees it, locked."""

    key: int
    bucket: Bucket
    dictionary: int
    version: int
    is_deleted: bool = False


class Figures(Struct):
    """What a transaction does to the figures of one month."""

    events: int = 0
    longest: Microseconds = 0
    reach: Microseconds = 0


class EventRow(Struct, frozen=True):
    """An event as the table has it."""

    bucket: int
    start: Microseconds
    id: int
    duration: Microseconds
    value: int


class Turn:
    """A transaction. `published` are the buckets that it has changed, as they are after it; known after `finish`."""

    def __init__(self, db: Connection, tenant: str, values: Values) -> None:
        self.db = db
        self.tenant = tenant
        self._values = values
        self._new_values: dict[ValuePlace, int] = {}
        self._rows: dict[int, EventRow] = {}
        self._months: dict[tuple[int, int], Figures] = {}
        self._covers: dict[int, tuple[Microseconds | None, Microseconds | None]] = {}
        self._shrunk: dict[int, None] = {}
        self.published: list[Found] = []
        self.told: dict[Told, None] = {}
        self.is_access = False  # keys or sessions are not as they were
        self.aliases: dict[str, str] | None = None  # as they are now, where they may have changed; after `finish`

    def tell(self, bucket_id: str, change: BucketTurn) -> None:
        """Let those who listen know what happened to a bucket."""
        self.told[BucketNews(bucket_id, change)] = None

    def find(self, bucket_id: str) -> Found:
        """Lock a bucket, by its own id or else an alias. Raises BucketNotFound."""
        found = self.find_all([bucket_id]).get(bucket_id)
        if found is None:
            raise BucketNotFound(bucket_id)
        return found

    def find_all(self, bucket_ids: Iterable[str]) -> dict[str, Found]:
        """Lock these buckets; those that there are, by the id that was asked for."""
        wanted = [bucket_id for bucket_id in dict.fromkeys(bucket_ids) if "\0" not in bucket_id]
        rows = self.db.execute(_FIND, (self.tenant, wanted)).fetchall()
        found = {state.bucket.id: state for state in map(found_of, rows)}
        others = [bucket_id for bucket_id in wanted if bucket_id not in found]
        if others:
            rows = self.db.execute(_FIND_BY_ALIAS, (self.tenant, others)).fetchall()
            found |= {alias: found_of(row) for alias, *row in rows}
        return found

    def value_numbers(self, wanted: Iterable[tuple[Found, CanonicalJson]]) -> dict[tuple[int, CanonicalJson], int]:
        """The numbers of data objects in the dictionaries of locked buckets."""
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

    def take_event_ids(self, count: int) -> int:
        """Reserve ids in a row; returns the first. Nobody else gets any until the commit: ask for them late."""
        row = self.db.execute(_NEXT_IDS, (count, self.tenant, count)).fetchone()
        assert row is not None
        return int(row[0])

    def keep_ids_above(self, event_id: int) -> None:
        """Give no id any more that is not above this one."""
        self.db.execute(_RAISE_IDS, (event_id + 1, self.tenant))

    def put(self, row: EventRow, *, is_new: bool) -> None:
        """Write an event at `finish`: one that was not there, or a longer one in its place."""
        self._rows[row.id] = row
        self.cover(row.bucket, row.start, row.duration, events=int(is_new))

    def cover(self, key: int, start: Microseconds, duration: Microseconds, *, events: int) -> None:
        """Take into account that events of so many more begin here and last so long."""
        figures = self._figures(key, start)
        figures.events += events
        figures.longest = max(figures.longest, longest_bound(duration))
        figures.reach = max(figures.reach, start + duration + REACH_AHEAD)
        self._widen(key, start, start + duration)

    def remove(self, state: Found, rows: Sequence[EventRow]) -> None:
        """Remove events of a bucket now."""
        self.write_rows()
        if rows:
            starts = [row.start for row in rows]
            place = {"tenant": self.tenant, "bucket": state.key, "first": min(starts), "last": max(starts)}
            self.db.execute(_REMOVE_EVENTS, {**place, "starts": starts, "ids": [row.id for row in rows]})
        for row in rows:
            self._figures(state.key, row.start).events -= 1
        if any(_is_at_the_edge(state.bucket, row) for row in rows):
            self.shrink(state.key)
        self.touch(state.key)

    def shrink(self, key: int) -> None:
        """Take into account that a bucket may have lost its first event, or its last."""
        self._shrunk[key] = None
        self.touch(key)

    def touch(self, key: int) -> None:
        """Take into account that something of a bucket is not as it was."""
        self._covers.setdefault(key, (None, None))

    def touch_month(self, key: int, start: Microseconds) -> None:
        """Take into account that an event of a month is not as it was."""
        self._figures(key, start)
        self.touch(key)

    def write_rows(self) -> None:
        """Write events now, for whoever reads them in this transaction."""
        if self._rows:
            rows = self._rows.values()
            columns = [
                [getattr(row, field) for row in rows] for field in ("bucket", "start", "id", "duration", "value")
            ]
            self.db.execute(_KEEP_EVENTS, (self.tenant, *columns))
            self._rows = {}

    def finish(self) -> None:
        """Write what was gathered."""
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
            self.published = [found_of(row) for row in rows]
            self._covers = {}
        if any(isinstance(each, BucketNews) for each in self.told):
            self.aliases = read_aliases(self.db, self.tenant)

    def forget(self) -> None:
        """Let go of what was gathered: it was refused."""
        self._rows, self._months, self._covers, self._shrunk = {}, {}, {}, {}
        self._new_values, self.told, self.is_access = {}, {}, False

    def committed(self) -> None:
        """Remember what is known now that it has been committed."""
        self._values.remember(self._new_values.items())

    def _figures(self, key: int, start: Microseconds) -> Figures:
        return self._months.setdefault((key, month_of(start)), Figures())

    def _widen(self, key: int, start: Microseconds, end: Microseconds) -> None:
        first, last = self._covers.get(key, (None, None))
        self._covers[key] = (start if first is None else min(first, start), end if last is None else max(last, end))

    def _measure(self, key: int) -> None:
        """Read from the rows where a bucket begins and ends; of older months only those that may reach further."""
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


def read_aliases(db: Connection, tenant: str) -> dict[str, str]:
    """The own ids of buckets by those that they are found under besides; a bucket's own id goes before."""
    return {str(alias): str(own) for alias, own in db.execute(_ALIASES, {"tenant": tenant}).fetchall()}


def longest_bound(duration: Microseconds) -> Microseconds:
    """An upper bound of a duration, with room for what follows it."""
    return max(_SHORTEST_BOUND, 1 << max(0, duration - 1).bit_length()) if duration > 0 else 0


def found_of(row: Sequence[Any]) -> Found:
    """A row of FIELDS."""
    key, bucket_id, kind, client, hostname, created, data, creator, dictionary, version, *rest = row
    start, end, deleted = rest
    bucket = Bucket(
        id=bucket_id,
        type=kind,
        client=client,
        hostname=hostname,
        created=created,
        data=msgspec.json.decode(data, type=dict[str, Any]),
        start=start,
        end=end,
        creator=creator,
    )
    return Found(
        key=key,
        bucket=bucket,
        dictionary=dictionary,
        version=version,
        is_deleted=deleted is not None,
    )


def _is_at_the_edge(bucket: Bucket, row: EventRow) -> bool:
    """Whether the bucket begins or ends with an event, as far as is known."""
    if bucket.start is None or bucket.end is None:
        return True
    return row.start <= bucket.start or row.start + row.duration >= bucket.end


def event_of(row: EventRow, data: CanonicalJson) -> Event:
    return Event(id=row.id, start=row.start, duration=row.duration, data=data)
