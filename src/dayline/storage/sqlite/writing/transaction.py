"""The write transaction: the changes of a batch, the dictionary of values, and idempotency tokens."""

from collections.abc import Iterable, Sequence
from typing import Final

import apsw
import msgspec

from dayline.model.access import Once
from dayline.model.bucket import Bucket
from dayline.model.data import CanonicalJson
from dayline.model.errors import AlreadyDone, BucketExists, EventElsewhere
from dayline.model.event import Event
from dayline.model.time import Microseconds, now_us
from dayline.model.upkeep import ActKind
from dayline.storage.columns.hashes import hash_of
from dayline.storage.columns.months import SegmentPlace
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.rows import undo_log
from dayline.storage.sqlite.rows.undo_log import Place
from dayline.storage.sqlite.writing.catalogue import INSERT_BUCKET, BucketState, Catalogue, Month, Tail, bucket_row
from dayline.storage.store import BucketNews, BucketTurn, Inserted, Told
from dayline.transform.heartbeat import merge_heartbeat

# The dictionary in the file: from a data object to its number.
#
# A key names one value of the file for ever: full text, packs and caches know values by key, and take every key up to
# the newest one that they have seen as known. SQLite assigns the highest key in the table plus one, so the highest key
# must never be deleted. AUTOINCREMENT would guarantee the same, but writes one more page with every new value.


# The bucket, hash and text of a row that is no value, and only reserves the keys below it.
RESERVATION: Final = (0, 0, "{}")

# Enough for the values that watchers go back and forth between; about 2 MiB at the lengths below.
_REMEMBERED: Final = 4096
_REMEMBERED_BYTES: Final = 512


class Values:
    """Numbers of values, found by hash with the text compared; the recent ones are remembered."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._recent: dict[tuple[int, CanonicalJson], int] = {}
        self._given: set[int] | None = None

    def number(self, bucket_key: int, value: CanonicalJson) -> int:
        """The value's number, adding it to the dictionary where it is new. Call it inside a write transaction."""
        place = (bucket_key, value)
        number = self._recent.get(place)
        if number is None:
            number = self._stored(bucket_key, value)
            if len(value) <= _REMEMBERED_BYTES:
                if len(self._recent) >= _REMEMBERED:
                    del self._recent[next(iter(self._recent))]
                self._recent[place] = number
        if self._given is not None:
            self._given.add(number)
        return number

    def watch(self) -> None:
        """Remember from now on which numbers are given, new or not: somebody looks for those that nobody has."""
        self._given = set()

    def unwatch(self) -> None:
        self._given = None

    def was_given(self, number: int) -> bool:
        """Whether an event may have been given this value since `watch`; also where nobody watched."""
        return self._given is None or number in self._given

    def forget(self) -> None:
        """Forget what may have been rolled back."""
        self._recent.clear()

    def _stored(self, bucket_key: int, value: CanonicalJson) -> int:
        digest, text = hash_of(value), value.decode()
        found = self._db.execute(
            "SELECT key FROM value WHERE hash = ? AND bucket = ? AND json = ?", (digest, bucket_key, text)
        ).get
        if isinstance(found, int):
            return found
        self._db.execute("INSERT INTO value(bucket, hash, json) VALUES(?, ?, ?)", (bucket_key, digest, text))
        return self._db.last_insert_rowid()


def delete_values(db: apsw.Connection, keys: Iterable[int]) -> int:
    """Delete values and return how many there were. Their keys are not assigned again."""
    doomed = set(keys)
    highest = int(db.execute("SELECT coalesce(max(key), 0) FROM value").get)
    if highest in doomed and not db.execute("SELECT bucket FROM value WHERE key = ?", (highest,)).get:
        doomed.remove(highest)
    elif highest in doomed:
        reserve_keys(db, upto=highest + 1)
    db.executemany("DELETE FROM value WHERE key = ?", [(key,) for key in sorted(doomed)])
    return len(doomed)


def reserve_keys(db: apsw.Connection, *, upto: int) -> None:
    """Assign only keys above this one to new values. No value may have it."""
    db.execute("INSERT INTO value(key, bucket, hash, json) VALUES(?, ?, ?, ?)", (upto, *RESERVATION))


# The changes that a batch makes, inside the writer's one transaction.
#
# Heartbeats are merged in memory and written once, at the end or before any other change needs to see the rows. A
# change that is refused (an error of our family) is refused before it has changed anything.


_KEEP_EVENT = (
    "INSERT INTO event(bucket, start, id, duration, value) VALUES(?, ?, ?, ?, ?) "
    "ON CONFLICT(bucket, start, id) DO UPDATE SET duration = excluded.duration"
)
_KEEP_MONTH = (
    "INSERT INTO month(bucket, month, events, longest, reach, is_sealed, changes) VALUES(?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT(bucket, month) DO UPDATE SET events = excluded.events, longest = excluded.longest, "
    "reach = excluded.reach, is_sealed = excluded.is_sealed, changes = excluded.changes"
)

# An event that is given other data while a redaction can be undone: to undo it is not to take that back.
_NOTE_REPLACED = (
    "INSERT INTO replaced_event(id, redaction) SELECT ?, max(key) FROM redaction "
    "WHERE state IN ('applying', 'applied', 'undoing') HAVING max(key) IS NOT NULL "
    "ON CONFLICT(id) DO UPDATE SET redaction = excluded.redaction"
)

EventRow = tuple[int, int, int, int, int]


class Changes:
    """One batch of changes. `finish` must be called before the commit; `touched` are the buckets to publish after."""

    def __init__(self, db: apsw.Connection, catalogue: Catalogue, values: Values) -> None:
        self._db = db
        self._catalogue = catalogue
        self._values = values
        self._rows: dict[int, EventRow] = {}  # of events that heartbeats made or extended, by id
        self._months: dict[Month, int] = {}  # changed months, and the key of their bucket
        self._shrunk: set[BucketState] = set()  # buckets that lost an event, perhaps the first or the last one
        self.touched: set[BucketState] = set()
        self.unseen = 0  # changes of this batch that no answer tells of
        self.told: dict[Told, None] = {}  # what else happened than recording, each once, in order

    @property
    def db(self) -> apsw.Connection:
        """The connection, for changes of their own kind (an import's slices); rows are settled first."""
        self._write_rows()
        return self._db

    @property
    def catalogue(self) -> Catalogue:
        return self._catalogue

    def tell(self, bucket_id: str, change: BucketTurn) -> None:
        """Let those who listen know what happened to a bucket."""
        self.told[BucketNews(bucket_id, change)] = None

    def heartbeat(self, bucket_id: str, beat: Event, pulsetime: Microseconds) -> Event:
        """Extend the bucket's last event, or begin a new one. Returns the event as it is then."""
        state = self._catalogue.find(bucket_id)
        tail = state.tail or self._newest(state)
        if tail is not None:
            merged = merge_heartbeat(tail.event, beat, pulsetime=pulsetime)
            if merged is not None:
                state.tail = tail
                if merged.duration != tail.event.duration:  # else it lies inside the last event: nothing to write
                    tail.event = merged
                    self._extend(state, tail)
                return merged
        return self._begin(state, beat)

    def create_bucket(self, bucket: Bucket, *, key: int | None = None) -> None:
        """Make a bucket; with a key that it had before, where rows call it so."""
        if self.has_bucket(bucket.id):
            raise BucketExists(bucket.id)
        self._db.execute(INSERT_BUCKET, bucket_row(bucket, key))
        state = BucketState(key=self._db.last_insert_rowid(), bucket=bucket)
        self._catalogue.add(state)
        self.touched.add(state)
        self.tell(bucket.id, "created")

    def insert(
        self,
        bucket_id: str,
        events: Sequence[Event],
        *,
        now: Microseconds,
        kind: ActKind = "replace_events",
        is_kept: bool = False,
    ) -> Inserted:
        """Append or replace. Where an event is replaced, all that is done here is kept, to be undone together.

        `is_kept` says that it is kept also where all of it is new.
        """
        self._write_rows()
        state = self._catalogue.find(bucket_id)
        for event in events:
            self._check_owner(state, event.id)
        state.tail = None
        act: int | None = None
        replaces = any(event.id and self.place_of(state, event.id) is not None for event in events)
        if replaces or is_kept:
            kind = kind if replaces else "insert_events"
            self.tell(state.bucket.id, "changed")
            act = undo_log.begin(self._db, kind, now=now, bucket=state.bucket.id, bucket_key=state.key)
        stored = [self._insert(state, event, act) for event in events]
        if act is not None:
            undo_log.count_events(self._db, act)
        self.touched.add(state)
        return Inserted(events=stored, undo=act)

    def delete_event(self, bucket_id: str, event_id: int, *, now: Microseconds) -> int | None:
        """Remove an event; what undoes it, None where there was none."""
        self._write_rows()
        state = self._catalogue.find(bucket_id)
        place = self.place_of(state, event_id)
        if place is None:
            return None
        act = undo_log.begin(self._db, "delete_events", now=now, bucket=state.bucket.id, bucket_key=state.key, events=1)
        undo_log.note_event(self._db, act, event_id, state.key, before=place, after=None)
        self.remove_event(state, event_id, place)
        return act

    def place_of(self, state: BucketState, event_id: int) -> Place | None:
        """Where an event stands and what it says; None where the bucket has none of this id."""
        row = self.db.execute(
            "SELECT start, duration, value FROM event WHERE id = ? AND bucket = ?", (event_id, state.key)
        ).fetchone()
        return None if row is None else msgspec.convert(row, Place)

    def put_event(self, state: BucketState, event_id: int, place: Place) -> None:
        """Put an event where there is none of this id."""
        start, duration, value = place
        self.db.execute(_KEEP_EVENT, (state.key, start, event_id, duration, value))
        month = state.month_at(start + ORIGIN)
        month.events += 1
        month.cover(duration, start + ORIGIN + duration)
        state.cover(start + ORIGIN, duration)
        state.tail = None
        self._months[month] = state.key
        self.touched.add(state)
        self.tell(state.bucket.id, "changed")

    def remove_event(self, state: BucketState, event_id: int, place: Place) -> None:
        """Remove an event from where it is known to stand."""
        self._write_rows()
        state.tail = None
        self.keep_next_event_id()
        self._remove(state, place[0] + ORIGIN, event_id)
        self.touched.add(state)
        self.tell(state.bucket.id, "changed")

    def cover_part(
        self,
        bucket_id: str,
        *,
        events: int,
        start: Microseconds,
        max_duration: Microseconds,
        max_end: Microseconds,
    ) -> None:
        """Take events of one month into account that were written by other means."""
        state = self._catalogue.find(bucket_id)
        state.tail = None
        month = state.month_at(start)
        month.events += events
        month.cover(max_duration, max_end)
        state.cover(start, max_end - start)
        self._months[month] = state.key
        self.touched.add(state)

    def touch_part(self, bucket_id: str, *, start: Microseconds, removed: int = 0) -> None:
        """Take into account that events of one month were changed or removed by other means."""
        state = self._catalogue.find(bucket_id)
        state.tail = None
        month = state.month_at(start)
        month.events -= removed
        month.cover(0, 0)
        self._months[month] = state.key
        if removed:
            self.keep_next_event_id()
            self._shrunk.add(state)
        self.touched.add(state)
        self.tell(state.bucket.id, "changed")

    def touch_values(self, bucket_id: str) -> None:
        """Take into account that texts of values were changed: nothing that was made of the bucket fits any more."""
        state = self._catalogue.find(bucket_id)
        state.tail = None
        self._values.forget()
        self.tell(state.bucket.id, "changed")
        self._db.execute("UPDATE bucket SET dictionary = dictionary + 1 WHERE key = ?", (state.key,))
        for month in state.months.values():
            if month.is_sealed:
                month.cover(0, 0)
                self._months[month] = state.key

    @property
    def values(self) -> Values:
        """The dictionary, for whoever removes values from it."""
        return self._values

    def forget_values(self) -> None:
        """Look every value up anew: which one a text has was changed by other means."""
        self._values.forget()

    def seal(self, bucket_id: str, key: int, months: Sequence[int]) -> list[SegmentPlace]:
        """Mark months as something to derive data from: their next change is counted. Returns them as they are now.

        Nothing is sealed where the bucket has been deleted and another has its id.
        """
        state = self._catalogue.find(bucket_id) if self._catalogue.has(bucket_id) else None
        if state is None or state.key != key:
            return []
        found = [month for number in months if (month := state.months.get(number)) is not None and month.events]
        for month in found:
            if not month.is_sealed:
                month.is_sealed = True
                self._months[month] = state.key
        return [SegmentPlace(key, month.number, month.changes) for month in found]

    def has_bucket(self, bucket_id: str) -> bool:
        """Whether a bucket is found under this id, its own or an alias."""
        return self._catalogue.has(bucket_id) or self._catalogue.by_alias(bucket_id) is not None

    def take_event_ids(self, count: int) -> int:
        """Reserve `count` ids in a row; returns the first."""
        first = self._catalogue.next_event_id
        self._catalogue.next_event_id += count
        return first

    def bucket_key(self, bucket_id: str) -> int:
        return self._catalogue.find(bucket_id).key

    def finish(self) -> None:
        """Write what is still in memory only."""
        self._write_rows()
        for state in self._shrunk:
            state.start, state.end = self._catalogue.first_start(state), self._catalogue.last_end(state)
        self.settle_months()

    def settle_months(self) -> None:
        """Write the figures of months now, for whoever reads them from the file."""
        if self._months:
            self._db.executemany(_KEEP_MONTH, [_month_row(month, key) for month, key in self._months.items()])
            self._months = {}

    def _write_rows(self) -> None:
        if self._rows:
            self._db.executemany(_KEEP_EVENT, self._rows.values())
            self._rows = {}

    def _newest(self, state: BucketState) -> Tail | None:
        self._write_rows()
        row = self._db.execute(
            "SELECT start, id, duration, value, json FROM event JOIN value ON value.key = event.value "
            "WHERE event.bucket = ? ORDER BY start DESC, id LIMIT 1",
            (state.key,),
        ).fetchone()
        if row is None:
            return None
        start, event_id, duration, value, json = msgspec.convert(row, tuple[int, int, int, int, str])
        event = Event(id=event_id, start=start + ORIGIN, duration=duration, data=json.encode())
        return Tail(event, value, state.month_at(event.start))

    def _begin(self, state: BucketState, beat: Event) -> Event:
        event = Event(id=self.take_event_ids(1), start=beat.start, duration=beat.duration, data=beat.data)
        value = self._values.number(state.key, event.data)
        state.tail = Tail(event, value, self._count(state, event))
        self._rows[event.id] = (state.key, event.start - ORIGIN, event.id, event.duration, value)
        self.touched.add(state)
        return event

    def _extend(self, state: BucketState, tail: Tail) -> None:
        event, month = tail.event, tail.month
        self._rows[event.id] = (state.key, event.start - ORIGIN, event.id, event.duration, tail.value)
        if not month.covers(event.start, event.duration):
            month.cover(event.duration, event.end)
            self._months[month] = state.key
        if state.end is None or event.end > state.end:
            state.end = event.end
        self.touched.add(state)

    def _insert(self, state: BucketState, event: Event, act: int | None) -> Event:
        event_id, before = event.id, None
        if event_id:
            before = self.place_of(state, event_id)
            if before is not None:
                self._remove(state, before[0] + ORIGIN, event_id)
            self._catalogue.next_event_id = max(self._catalogue.next_event_id, event_id + 1)
        else:
            event_id = self.take_event_ids(1)
        value = self._values.number(state.key, event.data)
        self._db.execute(_KEEP_EVENT, (state.key, event.start - ORIGIN, event_id, event.duration, value))
        self._count(state, event)
        if event.id and (before is None or before[2] != value):
            self._db.execute(_NOTE_REPLACED, (event_id,))
        if act is not None:
            after = (event.start - ORIGIN, event.duration, value)
            undo_log.note_event(self._db, act, event_id, state.key, before=before, after=after)
        return Event(id=event_id, start=event.start, duration=event.duration, data=event.data)

    def _count(self, state: BucketState, event: Event) -> Month:
        """Take a new event into account; returns the month that it belongs to."""
        month = state.month_at(event.start)
        month.events += 1
        month.cover(event.duration, event.end)
        state.cover(event.start, event.duration)
        self._months[month] = state.key
        return month

    def _check_owner(self, state: BucketState, event_id: int) -> None:
        if not event_id:
            return
        owner = self._db.execute("SELECT bucket FROM event WHERE id = ?", (event_id,)).get
        if owner is not None and owner != state.key:
            raise EventElsewhere(event_id, state.bucket.id)

    def _remove(self, state: BucketState, start: Microseconds, event_id: int) -> None:
        place = (state.key, start - ORIGIN, event_id)
        self._db.execute("DELETE FROM event WHERE bucket = ? AND start = ? AND id = ?", place)
        month = state.month_at(start)
        month.events -= 1
        month.cover(0, 0)  # the bounds hold for fewer events too, but what was derived from it is stale
        self._months[month] = state.key
        self._shrunk.add(state)

    def keep_next_event_id(self) -> None:
        """Keep ids from being used again whose rows are about to go."""
        # The highest id is read from the rows at start; once its row is gone, only this keeps it from being reused.
        self._db.execute(
            "INSERT INTO meta(key, value) VALUES('next_event_id', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            (self._catalogue.next_event_id,),
        )


def _month_row(month: Month, key: int) -> tuple[int, int, int, int, int, int, int]:
    reach = month.reach - ORIGIN
    return key, month.number, month.events, month.longest, reach, int(month.is_sealed), month.changes


# Tokens of changes that must not be made twice, looked at and kept in the transaction of the change.


_FORGOTTEN: Final = 4  # with each one that is added: more than come, so that those whose time is over do not gather


def check_once(changes: Changes, once: Once) -> None:
    """Raise AlreadyDone where a change with this token was made before."""
    if changes.db.execute("SELECT 1 FROM once WHERE token = ?", (once.token,)).get is not None:
        raise AlreadyDone


def keep_once(changes: Changes, once: Once) -> None:
    """Remember the token of a change that was made, and forget some of those whose time is over."""
    now = now_us()
    changes.db.execute("INSERT INTO once(token, until) VALUES(?, ?)", (once.token, once.until))
    changes.db.execute(
        "DELETE FROM once WHERE token IN (SELECT token FROM once WHERE until < ? ORDER BY until LIMIT ?)",
        (now, _FORGOTTEN),
    )
