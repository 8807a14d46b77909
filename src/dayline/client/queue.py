"""A durable queue of calls: ordered per bucket; waiting heartbeats are merged.

When `add` returns, the calls are on disk. A call that was taken for sending does not change any more, because the
server may have received it: it is repeated with the same idempotency key until there is a response.
"""

import json
import os
import secrets
import sys
import threading
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import apsw
from msgspec import Struct

from dayline.client.queued_call import Creation, Heartbeat, Insertion, Kind, NewCall, RefusedEntry, WaitingCall
from dayline.model.errors import BucketExists, DaylineError, StoreLocked, StoreUnusable, Unavailable
from dayline.model.event import Event
from dayline.model.time import DAY, Microseconds, now_us
from dayline.runtime.files import make_folders, open_same
from dayline.runtime.sqlite_file import connect
from dayline.runtime.text import quantity
from dayline.transform.heartbeat import merge_heartbeat

_APPLICATION_ID: Final = 0x44594C51  # "DYLQ"
_VERSION: Final = 1
_SCHEMA: Final = f"""
CREATE TABLE bucket(key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, creation BLOB);
-- AUTOINCREMENT: the number of a call in flight must not be reused if its bucket is deleted concurrently.
CREATE TABLE call(
    number INTEGER PRIMARY KEY AUTOINCREMENT, bucket INTEGER NOT NULL, kind TEXT NOT NULL, pulsetime INTEGER,
    body BLOB NOT NULL, token TEXT NOT NULL, queued INTEGER NOT NULL
);
CREATE INDEX call_of_bucket ON call(bucket, number);
CREATE TABLE refused(
    number INTEGER PRIMARY KEY, bucket INTEGER NOT NULL, kind TEXT NOT NULL, pulsetime INTEGER,
    body BLOB NOT NULL, token TEXT NOT NULL, queued INTEGER NOT NULL, refused INTEGER NOT NULL, reason TEXT NOT NULL
);
PRAGMA user_version = {_VERSION};
"""


def open_queue_file(path: Path) -> apsw.Connection:
    """Open or create the file. Raises StoreLocked if another process uses it, StoreUnusable if it cannot be opened."""
    try:
        make_folders(path.parent)
        # Only for the user: it contains their activity. SQLite gives its log the same permissions.
        os.close(open_same(path, os.O_RDWR))
        db = connect(path)
    except (apsw.Error, OSError) as error:
        raise _unusable(path, error) from error
    try:
        _settle(db)
        with db:
            _make_or_check(db, path)
    except apsw.BusyError as error:
        db.close()
        raise StoreLocked(
            f"the queue {path} is in use by another relay", hint="stop it, or use another file with --queue"
        ) from error
    except (apsw.Error, StoreUnusable) as error:
        db.close()
        raise error if isinstance(error, StoreUnusable) else _unusable(path, error) from error
    return db


def _settle(db: apsw.Connection) -> None:
    # One process at a time: two would send the same calls. The system releases the lock if the process dies.
    db.pragma("locking_mode", "EXCLUSIVE")
    db.pragma("auto_vacuum", "INCREMENTAL")
    db.pragma("journal_mode", "WAL")
    # FULL, not NORMAL: with NORMAL a commit in WAL mode reaches the disk only at the next checkpoint, and watchers get
    # their response on commit.
    db.pragma("synchronous", "FULL")
    if sys.platform == "darwin":
        db.pragma("fullfsync", True)  # a plain fsync on macOS leaves the data in the drive's cache
    db.pragma("trusted_schema", False)


def _make_or_check(db: apsw.Connection, path: Path) -> None:
    if db.pragma("application_id") == _APPLICATION_ID:
        if db.pragma("user_version") != _VERSION:
            raise StoreUnusable(f"the queue {path} was created by another version of Dayline", hint="use that version")
    elif db.execute("SELECT count(*) FROM sqlite_schema").get:
        raise StoreUnusable(f"{path} is a database, but not a queue", hint="use another file with --queue")
    else:
        db.pragma("application_id", _APPLICATION_ID)
        db.execute(_SCHEMA)


def _unusable(path: Path, error: Exception) -> StoreUnusable:
    return StoreUnusable(f"cannot open the queue {path}: {error}", hint="use another file with --queue")


REMEMBERED: Final[Microseconds] = 29 * DAY  # a server knows an idempotency key for 30 days
Outcome = Event | DaylineError | None  # of adding a call; for a heartbeat the event as it waits
DEFAULT_LIMIT_MIB: Final = 1024  # millions of events: years of one computer, since heartbeats are merged
_ROW_BYTES: Final = 150  # size of a call without its body, including its index entry
_SPARE_PAGES: Final = 256  # 1 MiB: less is not worth a vacuum
_NEXT_NUMBER: Final = """
SELECT min(first) FROM (
    SELECT (SELECT min(number) FROM call WHERE call.bucket = bucket.key) AS first
    FROM bucket WHERE id NOT IN (SELECT value FROM json_each(?))
)
"""


class QueueState(Struct, frozen=True, kw_only=True):
    """The number of waiting calls, the time of the oldest, and the rejected ones, the latest first."""

    waiting: int
    oldest: Microseconds | None
    refused: int
    refusals: list[RefusedEntry]
    used_bytes: int


class _Tail(Struct, frozen=True):
    """The last call of a bucket, if it is a heartbeat that was not taken yet."""

    number: int
    event: Event
    pulsetime: Microseconds


class CallQueue:
    """The queue in a file, which one process at a time can open. Thread-safe."""

    def __init__(self, path: Path, *, limit_mib: int = DEFAULT_LIMIT_MIB) -> None:
        self._path = path
        self._limit = limit_mib << 20
        self._lock = threading.Lock()
        # Not read from the file at the start: an earlier process may have had calls in flight.
        self._tails: dict[str, _Tail] = {}
        self._is_closed = False
        self._db = open_queue_file(path)
        self._waiting: int = self._value("SELECT count(*) FROM call")
        # An earlier process may have sent the first call of each bucket, and none after it.
        self._sent = {row[0] for row in self._db.execute("SELECT min(number) FROM call GROUP BY bucket")}

    def add(self, calls: Sequence[NewCall]) -> list[Outcome]:
        """Add calls in one transaction: when this returns they are on disk. The outcomes are in the same order.

        A bucket that was created before is BucketExists, a call beyond the limit is Unavailable; the others are added
        anyway. Raises StoreUnusable if the file cannot be written: then none is added.
        """
        with self._lock:
            waiting, outcomes = self._waiting, list[Outcome]()
            try:
                with self._transaction():
                    used = self._used_bytes()
                    for call in calls:
                        before = self._waiting
                        outcomes.append(self._add(call, is_full=used > self._limit))
                        used += (self._waiting - before) * (_ROW_BYTES + len(call.body))
            except BaseException:
                # Nothing of it is in the file. Fewer heartbeats will be merged, which is harmless.
                self._tails.clear()
                self._waiting = waiting
                raise
            return outcomes

    def take(self, *, excluded: Collection[str] = ()) -> WaitingCall | None:
        """The oldest call, except for the excluded buckets. It stays in the queue, but is not extended any more."""
        with self._lock:
            number = None if self._is_closed else self._value(_NEXT_NUMBER, json.dumps(list(excluded)))
            if number is None:
                return None
            row = self._db.execute(
                "SELECT number, id, kind, pulsetime, body, token, queued "
                "FROM call JOIN bucket ON key = bucket WHERE number = ?",
                (number,),
            ).get
            call = WaitingCall(**dict(zip(WaitingCall.__struct_fields__, row, strict=True)))
            tail = self._tails.get(call.bucket_id)
            if tail is not None and tail.number == call.number:
                del self._tails[call.bucket_id]
            return call

    def note_sent(self, call: WaitingCall) -> None:
        """Remember that the server may have received a call, in case there is no response."""
        with self._lock:
            self._sent.add(call.number)

    def is_doubtful(self, call: WaitingCall) -> bool:
        """Whether the server may have the call and no longer know its idempotency key. A creation is harmless."""
        with self._lock:
            is_recent = 0 <= now_us() - call.queued < REMEMBERED
            return call.number in self._sent and call.kind != "create" and not is_recent

    def done(self, call: WaitingCall) -> None:
        """Remove a call that the server has. (If a crash undoes this, the server recognizes the repeated call.)"""
        with self._lock:
            if self._is_closed:
                return
            with self._transaction():
                self._remove(call)
            if self._waiting == 0 and self._value("PRAGMA freelist_count") > _SPARE_PAGES:
                self._db.execute("PRAGMA incremental_vacuum").fetchall()

    def refuse(self, call: WaitingCall, reason: str) -> None:
        """Move a call that the server rejects permanently aside, so that the bucket can continue."""
        with self._lock:
            if self._is_closed:
                return
            with self._transaction():
                self._db.execute(
                    "INSERT INTO refused SELECT number, bucket, kind, pulsetime, body, token, queued, ?, ? "
                    "FROM call WHERE number = ?",
                    (now_us(), reason, call.number),
                )
                self._remove(call)

    def creation(self, bucket_id: str) -> bytes | None:
        """The body that creates this bucket on the server; None if it was not created through this queue."""
        with self._lock:
            return None if self._is_closed else self._creation(bucket_id)

    def forget(self, bucket_id: str) -> None:
        """Drop the calls of a deleted bucket."""
        with self._lock, self._transaction():
            self._tails.pop(bucket_id, None)
            self._db.execute("DELETE FROM call WHERE bucket = (SELECT key FROM bucket WHERE id = ?)", (bucket_id,))
            self._waiting -= self._db.changes()
            self._db.execute("UPDATE bucket SET creation = NULL WHERE id = ?", (bucket_id,))

    def last_number(self) -> int:
        """The highest number of a call that waits; 0 if none does."""
        with self._lock:
            return int(self._value("SELECT coalesce(max(number), 0) FROM call"))

    def discard(self, bucket_id: str, *, after: int) -> None:
        """Delete the heartbeats and insertions of a bucket that were added after the call of that number."""
        with self._lock, self._transaction():
            self._tails.pop(bucket_id, None)
            self._db.execute(
                "DELETE FROM call WHERE bucket = (SELECT key FROM bucket WHERE id = ?) AND number > ? "
                "AND kind != 'create'",
                (bucket_id, after),
            )
            self._waiting -= self._db.changes()

    def state(self, *, refusals: int = 10) -> QueueState:
        """The state of the queue, with at most `refusals` of the latest rejected calls."""
        with self._lock:
            rows: list[Any] = self._db.execute(
                "SELECT id, kind, reason, refused FROM refused JOIN bucket ON key = bucket "
                "ORDER BY number DESC LIMIT ?",
                (refusals,),
            ).fetchall()
            return QueueState(
                waiting=self._waiting,
                oldest=self._value("SELECT queued FROM call ORDER BY number LIMIT 1"),
                refused=self._value("SELECT count(*) FROM refused"),
                refusals=[RefusedEntry(**dict(zip(RefusedEntry.__struct_fields__, row, strict=True))) for row in rows],
                used_bytes=self._used_bytes(),
            )

    def close(self) -> None:
        """Close the file. A call in flight is sent again after the next start."""
        with self._lock:
            self._is_closed = True
            # On a full disk the log cannot be emptied; it is read at the next start.
            with suppress(apsw.Error):
                self._db.close()

    def _add(self, call: NewCall, *, is_full: bool) -> Outcome:
        if isinstance(call, Heartbeat):
            merged = self._extend(call)  # takes no space, so it also works if the queue is full
            if merged is not None:
                return merged
        if isinstance(call, Creation) and self._creation(call.bucket_id) is not None:
            return BucketExists(call.bucket_id)
        if is_full:
            return Unavailable(
                f"the queue is full ({self._limit >> 20} MiB), with {quantity(self._waiting, 'call')} waiting",
                hint="GET /api/1/relay returns the reason; --queue-mib raises the limit",
            )
        match call:
            case Heartbeat(bucket_id=bucket_id, event=event, pulsetime=pulsetime):
                number = self._append(call, "heartbeat", pulsetime)
                self._tails[bucket_id] = _Tail(number, event, pulsetime)
                return event
            case Insertion():
                self._append(call, "insert")
            case Creation(bucket_id=bucket_id, body=body):
                self._append(call, "create")
                self._db.execute("UPDATE bucket SET creation = ? WHERE id = ?", (body, bucket_id))
        return None

    def _extend(self, beat: Heartbeat) -> Event | None:
        """Extend the bucket's last call to cover the heartbeat, if the server would end up with the same events.

        Sending the merged heartbeat M is equivalent to sending A, then B. M has the start, the data and the pulsetime
        of A, so the server's last event is extended by M exactly when A would have extended it. If so, it ends where
        the latest of the three ends, because B is within reach of A's end, and so of the end of the event that A
        extended. If not, M is the event that A would have started and B extended.

        There must be no call between the two, so only the last call of the bucket is extended. And the duration of A
        must not be negative: such an A might not extend a last event (with a negative duration) that M extends.
        """
        tail = self._tails.get(beat.bucket_id)
        if tail is None or tail.pulsetime != beat.pulsetime or tail.event.duration < 0:
            return None
        merged = merge_heartbeat(tail.event, beat.event, pulsetime=beat.pulsetime)
        if merged is not None and merged.duration != tail.event.duration:
            self._tails[beat.bucket_id] = _Tail(tail.number, merged, tail.pulsetime)
            body = Heartbeat(bucket_id=beat.bucket_id, event=merged, pulsetime=beat.pulsetime).body
            self._db.execute("UPDATE call SET body = ? WHERE number = ?", (body, tail.number))
        return merged

    def _append(self, call: NewCall, kind: Kind, pulsetime: Microseconds | None = None) -> int:
        """Append a call. Returns its number."""
        self._tails.pop(call.bucket_id, None)
        self._db.execute("INSERT INTO bucket(id) VALUES(?) ON CONFLICT DO NOTHING", (call.bucket_id,))
        self._db.execute(
            "INSERT INTO call(bucket, kind, pulsetime, body, token, queued) "
            "SELECT key, ?, ?, ?, ?, ? FROM bucket WHERE id = ?",
            (kind, pulsetime, call.body, secrets.token_urlsafe(16), now_us(), call.bucket_id),
        )
        self._waiting += 1
        return self._db.last_insert_rowid()

    def _remove(self, call: WaitingCall) -> None:
        self._sent.discard(call.number)
        self._db.execute("DELETE FROM call WHERE number = ?", (call.number,))
        self._waiting -= self._db.changes()

    def _creation(self, bucket_id: str) -> bytes | None:
        creation: bytes | None = self._value("SELECT creation FROM bucket WHERE id = ?", bucket_id)
        return creation

    def _used_bytes(self) -> int:
        pages: int = self._value("PRAGMA page_count") - self._value("PRAGMA freelist_count")
        return pages * int(self._value("PRAGMA page_size"))

    def _value(self, sql: str, *values: str) -> Any:
        return self._db.execute(sql, values).get

    @contextmanager
    def _transaction(self) -> Generator[None]:
        """Commits at the end of the block, or rolls back. Raises StoreUnusable if the file cannot be written."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk may have ended it
                    self._db.execute("ROLLBACK")
                raise
        except apsw.Error as error:
            raise StoreUnusable(f"cannot write the queue {self._path}: {error}") from error
