"""The writer's in-memory state: every bucket with its range, its months and its last heartbeat.

Only the writer changes it, inside a transaction; if that fails, everything is read again from the file. `published`
is what readers see on any thread: it changes only after a commit.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.bucket import Bucket
from dayline.model.data import canonical_json
from dayline.model.errors import BucketNotFound
from dayline.model.event import Event
from dayline.model.time import SECOND, Microseconds, month_of, start_of_month
from dayline.storage.sqlite.file.schema import NEXT_EVENT_ID, ORIGIN
from dayline.storage.writing.published_buckets import Committed, PublishedBuckets

REACH_AHEAD: Final[Microseconds] = 3600 * SECOND  # a heartbeat raises the bound of its month once an hour
_FIELDS: Final = "key, id, type, client, hostname, created, data, creator"
INSERT_BUCKET: Final = f"INSERT INTO bucket({_FIELDS}) VALUES(?, ?, ?, ?, ?, ?, ?, ?)"
_MONTHS: Final = "SELECT bucket, month, events, longest, reach, is_sealed, changes FROM month"
_SHORTEST_BOUND: Final[Microseconds] = 64 * SECOND


class Month(Struct, eq=False):
    """Statistics of one bucket's events that start in one calendar month; the bounds are rounded up."""

    number: int
    events: int = 0
    longest: Microseconds = 0
    reach: Microseconds = 0
    is_sealed: bool = False
    changes: int = 0

    def covers(self, start: Microseconds, duration: Microseconds) -> bool:
        """Whether the stored bounds include an extended event, so that nothing has to be written."""
        return not self.is_sealed and duration <= self.longest and start + duration <= self.reach

    def cover(self, duration: Microseconds, end: Microseconds) -> None:
        """Raise the bounds for an event, with a margin for the next ones, and unseal the month."""
        if duration > self.longest:
            self.longest = max(_SHORTEST_BOUND, 1 << (duration - 1).bit_length())
        if end > self.reach:
            self.reach = end + REACH_AHEAD
        if self.is_sealed:
            self.is_sealed = False
            self.changes += 1


class Tail(Struct, eq=False):
    """The event that the last heartbeat created or extended."""

    event: Event
    value: int
    month: Month


class BucketState(Struct, eq=False):
    """A bucket in the writer's memory. `tail` is None after any write but a heartbeat."""

    key: int
    bucket: Bucket
    months: dict[int, Month] = {}
    start: Microseconds | None = None
    end: Microseconds | None = None
    tail: Tail | None = None

    @property
    def events(self) -> int:
        return sum(month.events for month in self.months.values())

    def month_at(self, moment: Microseconds) -> Month:
        """The month of an event that starts at this time."""
        number = month_of(moment)
        month = self.months.get(number)
        if month is None:
            month = self.months[number] = Month(number)
        return month

    def cover(self, start: Microseconds, duration: Microseconds) -> None:
        """Extend the range by an event."""
        end = start + duration
        if self.start is None or self.end is None:
            self.start, self.end = start, end
            return
        if start < self.start:
            self.start = start
        if end > self.end:
            self.end = end


class Catalogue:
    """All buckets, in memory."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._states: dict[str, BucketState] = {}
        self._by_key: dict[int, BucketState] = {}
        self._aliases: dict[str, int] = {}  # to bucket keys; a bucket's own id takes precedence
        self._has_other_names = True  # aliases or ids differ from the published ones
        self.published = PublishedBuckets()
        self.next_event_id = 1
        self.in_progress: set[int] = set()  # operations being made in slices
        self.load()
        self.publish(self._states.values())

    def known(self) -> dict[int, Bucket]:
        """The buckets in memory, by key."""
        return {state.key: state.bucket for state in self._states.values()}

    def load(self) -> None:
        """Read everything from the file, discarding what was in memory."""
        self._has_other_names = True
        rows = self._db.execute(f"SELECT {_FIELDS} FROM bucket WHERE deleted IS NULL ORDER BY key").fetchall()
        self._states = {state.bucket.id: state for state in map(_state_of, rows)}
        by_key = self._by_key = {state.key: state for state in self._states.values()}
        for key, *month in self._db.execute(_MONTHS):
            if key in by_key:
                _add_month(by_key[key], month)
        aliases = self._db.execute("SELECT id, bucket FROM alias").fetchall()
        self._aliases = dict(msgspec.convert(aliases, list[tuple[str, int]]))
        for state in self._states.values():
            state.start, state.end = self.first_start(state), self.last_end(state)
        self.next_event_id = int(self._db.execute(NEXT_EVENT_ID).get)

    def read_bucket(self, key: int) -> BucketState:
        """A bucket as stored, deleted or not."""
        state = _state_of(self._db.execute(f"SELECT {_FIELDS} FROM bucket WHERE key = ?", (key,)).fetchall()[0])
        for _, *month in self._db.execute(f"{_MONTHS} WHERE bucket = ?", (key,)):
            _add_month(state, month)
        state.start, state.end = self.first_start(state), self.last_end(state)
        return state

    def find(self, bucket_id: str) -> BucketState:
        """The bucket with this id or alias. Raises BucketNotFound."""
        state = self.get(bucket_id)
        if state is None:
            raise BucketNotFound(bucket_id)
        return state

    def get(self, bucket_id: str) -> BucketState | None:
        """Like `find`, but None if there is none."""
        return self._states.get(bucket_id) or self.by_alias(bucket_id)

    def by_key(self, key: int) -> BucketState | None:
        """The bucket with this key; None if it is deleted."""
        return self._by_key.get(key)

    def by_alias(self, alias: str) -> BucketState | None:
        """The bucket with this alias; None if there is none, or it is deleted."""
        return self._by_key.get(self._aliases.get(alias, 0))

    def has(self, bucket_id: str) -> bool:
        """Whether a bucket has exactly this id."""
        return bucket_id in self._states

    def add(self, state: BucketState) -> None:
        self._states[state.bucket.id] = state
        self._by_key[state.key] = state
        self._has_other_names = True

    def remove(self, state: BucketState) -> None:
        del self._states[state.bucket.id]
        del self._by_key[state.key]
        self._has_other_names = True

    def rename(self, state: BucketState, bucket_id: str) -> None:
        """Change a bucket's id to a free one."""
        self.remove(state)
        state.bucket = msgspec.structs.replace(state.bucket, id=bucket_id)
        self.add(state)

    def set_alias(self, alias: str, key: int | None) -> None:
        """Add an alias, or delete it if `key` is None."""
        self._has_other_names = True
        if key is None:
            self._aliases.pop(alias, None)
        else:
            self._aliases[alias] = key

    def first_start(self, state: BucketState) -> Microseconds | None:
        """The start of the bucket's first event, read from the rows."""
        first = self._db.execute("SELECT min(start) FROM event WHERE bucket = ?", (state.key,)).get
        return first + ORIGIN if isinstance(first, int) else None

    def last_end(self, state: BucketState) -> Microseconds | None:
        """The latest end of any event, read from the rows that the bounds of the months do not exclude.

        newest month      ···|·····[longest]▏newest start, or its end if that is earlier
        an older month    only if its bound is later than the end found so far
        """
        best: Microseconds | None = None
        for month in sorted(state.months.values(), key=lambda month: month.number, reverse=True):
            if month.events and (best is None or month.reach > best):
                end = self._last_end_in(state, month)
                best = end if best is None else max(best, end)
        return best

    def publish(self, states: Iterable[BucketState]) -> None:
        """Publish the committed state of these buckets."""
        if not self._has_other_names:
            self.published.extend(states)
            return
        self._has_other_names = False
        committed: dict[int, Committed] = {
            key: (state.bucket, state.start, state.end) if (state := self._by_key.get(key)) is not None else None
            for key in [state.key for state in states]
        }
        self.published.publish(committed, self._shown_aliases())

    def _shown_aliases(self) -> dict[str, str]:
        found = {alias: self._by_key[key] for alias, key in self._aliases.items() if key in self._by_key}
        return {alias: state.bucket.id for alias, state in found.items() if alias not in self._states}

    def _last_end_in(self, state: BucketState, month: Month) -> Microseconds:
        first, after = start_of_month(month.number) - ORIGIN, start_of_month(month.number + 1) - ORIGIN
        end = self._db.execute(
            "SELECT max(start + duration) FROM event "
            "WHERE bucket = :bucket AND start < :after AND start >= max(:first, "
            "(SELECT start + min(duration, 0) FROM event WHERE bucket = :bucket AND start < :after "
            "ORDER BY start DESC LIMIT 1) - :longest)",
            {"bucket": state.key, "first": first, "after": after, "longest": month.longest},
        ).get
        return int(end) + ORIGIN


def read_bucket(db: apsw.Connection, key: int) -> Bucket:
    """A bucket as stored, without the range of its events."""
    return _state_of(db.execute(f"SELECT {_FIELDS} FROM bucket WHERE key = ?", (key,)).fetchall()[0]).bucket


def bucket_row(bucket: Bucket, key: int | None) -> tuple[int | str | None, ...]:
    """A bucket as a row for INSERT_BUCKET; without a key it gets a new one."""
    data = canonical_json(bucket.data).decode()
    return key, bucket.id, bucket.type, bucket.client, bucket.hostname, bucket.created, data, bucket.creator


def _add_month(state: BucketState, row: Sequence[object]) -> None:
    number, events, longest, reach, is_sealed, changes = msgspec.convert(row, tuple[int, int, int, int, int, int])
    state.months[number] = Month(number, events, longest, reach + ORIGIN, bool(is_sealed), changes)


def _state_of(row: tuple[object, ...]) -> BucketState:
    key, bucket_id, kind, client, hostname, created, data, creator = msgspec.convert(
        row, tuple[int, str, str, str, str, int, str, str | None]
    )
    bucket = Bucket(
        id=bucket_id,
        type=kind,
        client=client,
        hostname=hostname,
        created=created,
        data=msgspec.json.decode(data, type=dict[str, object]),
        creator=creator,
    )
    return BucketState(key=key, bucket=bucket)
