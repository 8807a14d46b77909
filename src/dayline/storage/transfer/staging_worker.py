"""First stage of an import, in its own process: reads documents, checks them and sorts them into a file of rows.

Privacy rules also apply to imports. The result is what was staged, or why the documents cannot be used. The recording
process then copies the rows in short slices (imports.py of its backend) and never parses a large file itself. The
staged file is an SQLite file for every backend; its times are relative to STAGED_FROM.
"""

from array import array
from bisect import bisect
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.errors import DaylineError, Invalid
from dayline.model.event import HeartbeatBody, extent_of
from dayline.model.time import month_of, start_of_month
from dayline.runtime.sqlite_file import connect
from dayline.runtime.untrusted import OUT_OF_MEMORY, limit_import
from dayline.storage.columns.event_columns import Integers, extents_of
from dayline.storage.columns.hashes import hash_of
from dayline.storage.transfer.document_reader import Content, EventRun, read_document, read_in_child, refusal_of
from dayline.storage.transfer.staging import (
    MAX_BUCKETS,
    MAX_HEADS_BYTES,
    MAX_PARTS,
    STAGED_FROM,
    Staged,
    StagedBucket,
    StagedPart,
    StagingResult,
    StagingRules,
)
from dayline.transform.privacy import PrivacyRules

_COLUMNS = "(number INTEGER PRIMARY KEY, start INTEGER, duration INTEGER, value INTEGER)"
_TABLES = f"""
CREATE TABLE value(number INTEGER PRIMARY KEY, hash INTEGER, json TEXT);
CREATE TABLE raw{_COLUMNS};
BEGIN;
"""
# Rows must be in the order of the target table, and a repeated event must count once. If the starts in each bucket only
# rise, the rows are in order already; if they only fall, as in a server's export, they are reversed; otherwise they are
# sorted.
_Order = Literal["rising", "falling", "mixed"]
_ORDERED: Final[dict[_Order, str]] = {
    "rising": "SELECT start, duration, value FROM raw WHERE number BETWEEN ? AND ? ORDER BY number",
    "falling": "SELECT start, duration, value FROM raw WHERE number BETWEEN ? AND ? ORDER BY number DESC",
    "mixed": "SELECT DISTINCT start, duration, value FROM raw WHERE number BETWEEN ? AND ? "
    "ORDER BY start, duration, value",
}
# The result of privacy rules per value: the number of another value, or NULL if its events are dropped.
_MOVED = "CREATE TEMP TABLE IF NOT EXISTS moved(value INTEGER PRIMARY KEY, target INTEGER); DELETE FROM moved"
_DROP = "DELETE FROM raw WHERE number > ? AND value IN (SELECT value FROM moved WHERE target IS NULL)"
_MOVE = "UPDATE raw SET value = moved.target FROM moved WHERE raw.number > ? AND raw.value = moved.value"
_VALUES_AT_ONCE: Final = 10_000
_ROWS_AT_ONCE: Final = 250  # inserted by one statement
_REMEMBERED_HASHES: Final = 300_000  # in memory, about 25 MB; the rest are looked up in the file
_LARGE_BYTES: Final = 8 << 20  # of a document: a second process pays from here on
_SPLIT_HINT: Final = "import fewer at once"


class _Run(Struct, kw_only=True):
    """The rows of one bucket, `first` to `last`, and the order in which its starts have come so far."""

    first: int
    last: int = 0
    is_rising: bool = True
    is_falling: bool = True
    latest: int | None = None  # the last start

    @property
    def order(self) -> _Order:
        return "rising" if self.is_rising else "falling" if self.is_falling else "mixed"

    def note(self, rows: Integers) -> None:
        """Track whether the starts still only rise or only fall, without duplicates among rows of equal start."""
        if not len(rows) or not (self.is_rising or self.is_falling):
            return
        before, self.latest = self.latest, int(rows[-1, 0])
        steps = np.diff(rows[:, 0])
        if not steps.all():  # rows of equal start
            cells: list[list[int]] = rows.tolist()
            is_distinct = len(set(map(tuple, cells))) == len(rows)
            self.is_rising, self.is_falling = self.is_rising and is_distinct, self.is_falling and is_distinct
        if before is not None:
            step = int(rows[0, 0]) - before
            self.is_rising, self.is_falling = self.is_rising and step > 0, self.is_falling and step < 0
        self.is_rising = self.is_rising and bool((steps >= 0).all())
        self.is_falling = self.is_falling and bool((steps <= 0).all())


class Staging:
    """Fills a file of rows from documents."""

    def __init__(self, path: Path, rules: StagingRules) -> None:
        self._rules, self._aliases = PrivacyRules(rules.book), rules.aliases
        self._max_data_bytes = rules.max_data_bytes
        self._db = connect(path)
        # An incomplete file is thrown away, so it needs no durability.
        for pragma, value in (("journal_mode", "OFF"), ("synchronous", "OFF"), ("cache_size", -16384)):
            self._db.pragma(pragma, value)
        self._db.execute(_TABLES)
        self._buckets: list[StagedBucket] = []
        self._runs: list[_Run] = []  # one for each bucket
        self._run = _Run(first=1)  # of the bucket that is being read
        # Of the values of that bucket: the numbers by that of the text as it was sent, 0 if it is invalid; and the
        # hashes of their canonical texts.
        self._numbers = array("q")
        self._hashes = set[int]()
        self._known_values = 0  # the highest number of the values of other buckets
        self._has_forgotten = False  # until it has, a value that is not remembered is new
        self._new_values: list[int | str] = []  # number, hash and text of each
        self._heads_bytes = 0
        self._values = 0
        self._has_unused_values = False  # only of invalid events
        self._events = self._invalid = self._dropped = 0  # of that bucket

    def read(self, document: Path) -> None:
        """Add a document. Raises Malformed or Invalid."""
        read = read_in_child if document.stat().st_size > _LARGE_BYTES else read_document
        read(document, self._take)

    def _take(self, content: Content) -> None:
        if isinstance(content, EventRun):
            self._add(content)
        else:
            self._end_bucket(msgspec.json.decode(content.bucket, type=StagedBucket), content.invalid)

    def _check_size(self, bucket: StagedBucket) -> None:
        """Raise Invalid if the buckets are too many or too large for the memory of the recording process."""
        self._heads_bytes += len(canonical_json(bucket))
        if bucket.number > MAX_BUCKETS:
            raise Invalid(f"there are more than {MAX_BUCKETS:,} buckets", hint=_SPLIT_HINT)
        if self._heads_bytes > MAX_HEADS_BYTES:
            raise Invalid(
                f"the buckets have more than {MAX_HEADS_BYTES >> 20} MiB without their events", hint=_SPLIT_HINT
            )

    def _end_bucket(self, bucket: StagedBucket, invalid: int) -> None:
        """The events since the last end are of this bucket; the next ones belong to another, with its own values."""
        bucket = replace(bucket, number=len(self._buckets) + 1, own_id=self._aliases.get(bucket.id, bucket.id))
        self._check_size(bucket)
        if not self._rules.is_empty:
            self._apply(bucket)
        counts = {"events": self._events, "invalid": self._invalid + invalid, "dropped": self._dropped}
        self._buckets.append(replace(bucket, **counts))
        self._events = self._invalid = self._dropped = 0
        self._hashes.clear()
        self._has_forgotten = False
        self._known_values = self._values
        self._run.last = int(self._db.execute("SELECT coalesce(max(number), 0) FROM raw").get)
        self._runs.append(self._run)
        self._run = _Run(first=self._run.last + 1)

    def finish(self) -> Staged:
        """Sort the rows, which completes the file."""
        self._write_values()
        self._sort()
        staged = Staged(
            buckets=self._buckets,
            parts=self._parts(),
            values=self._values,
            is_in_order=not self._has_unused_values and all(run.is_rising for run in self._runs),
            events=sum(bucket.events for bucket in self._buckets),
            invalid=sum(bucket.invalid for bucket in self._buckets),
            dropped=sum(bucket.dropped for bucket in self._buckets),
        )
        self._db.execute("COMMIT")
        self._db.close()
        return staged

    def _sort(self) -> None:
        """Make the table `row` from `raw`: sorted, without repeated rows, and with consecutive numbers."""
        if all(run.is_rising for run in self._runs):
            self._db.execute("ALTER TABLE raw RENAME TO row")
            return
        self._db.execute(f"CREATE TABLE row{_COLUMNS}")
        rows = 0
        for run in self._runs:
            insert = f"INSERT INTO row(start, duration, value) {_ORDERED[run.order]}"
            self._db.execute(insert, (run.first, run.last))
            run.first, run.last = rows + 1, rows + self._db.changes()
            rows = run.last

    def _apply(self, bucket: StagedBucket) -> None:
        """Apply rules to the bucket that was just read.

        Not earlier, because the document may have the bucket's id after its events.
        """
        moved: list[tuple[int, int | None]] = []
        for number, json in self._values_between(self._known_values, self._values):
            data = json.encode()
            kept = self._rules.applied(bucket.id, data, own_id=bucket.own_id)
            if kept is not data:
                moved.append((number, None if kept is None else self._number(kept, hash_of(kept))))
        if not moved:
            return
        self._db.execute(_MOVED)
        self._db.executemany("INSERT INTO moved(value, target) VALUES(?, ?)", moved)
        self._db.execute(_DROP, (self._run.first - 1,))
        dropped = self._db.changes()
        self._db.execute(_MOVE, (self._run.first - 1,))
        self._events -= dropped
        self._dropped += dropped
        # There are gaps now, and different events may have become equal.
        self._run.is_rising = self._run.is_falling = False

    def _values_between(self, first: int, last: int) -> Iterator[tuple[int, str]]:
        """The values with numbers above `first` up to `last`, in pages, because values are added during the
        iteration.
        """
        self._write_values()
        for low in range(first, last, _VALUES_AT_ONCE):
            page = (low, min(low + _VALUES_AT_ONCE, last))
            rows = self._db.execute("SELECT number, json FROM value WHERE number > ? AND number <= ?", page).fetchall()
            yield from msgspec.convert(rows, list[tuple[int, str]])

    def _parts(self) -> list[StagedPart]:
        """The ranges of rows of one bucket and month, found by bisection."""
        parts: list[StagedPart] = []
        for bucket, run in enumerate(self._runs, 1):
            first = run.first
            while first <= run.last:
                month = month_of(self._start(first))
                end = start_of_month(month + 1)
                last = first + bisect(range(first + 1, run.last + 1), False, key=lambda row: self._start(row) >= end)
                parts.append(StagedPart(bucket=bucket, month=month, first=first, last=last))
                if len(parts) > MAX_PARTS:
                    raise Invalid(f"the events are in more than {MAX_PARTS:,} months of buckets", hint=_SPLIT_HINT)
                first = last + 1
        return parts

    def _start(self, row: int) -> int:
        return int(self._db.execute("SELECT start FROM row WHERE number = ?", (row,)).get) + STAGED_FROM

    def _add(self, run: EventRun) -> None:
        if run.first == 0:
            del self._numbers[:]
        self._numbers.extend(self._numbers_of(run.values))
        numbers = np.frombuffer(self._numbers, np.int64)[np.frombuffer(run.numbers, np.int64)]
        starts, durations, is_valid = _extents_of(run)
        self._has_unused_values = self._has_unused_values or not is_valid.all()
        is_valid &= numbers > 0
        rows = np.column_stack((starts - STAGED_FROM, durations, numbers))
        if not is_valid.all():
            rows = rows[is_valid]
        self._events += len(rows)
        self._invalid += len(run.timestamps) - len(rows)
        self._run.note(rows)
        self._insert("raw(start, duration, value)", rows.ravel().tolist())

    def _numbers_of(self, values: Sequence[CanonicalJson]) -> list[int]:
        """The numbers of values; 0 for invalid ones, which are empty, and for those that are too large."""
        numbers = [
            self._number(value, hash_of(value)) if 0 < len(value) <= self._max_data_bytes else 0 for value in values
        ]
        self._write_values()
        if len(self._hashes) > _REMEMBERED_HASHES:
            self._hashes.clear()
            self._has_forgotten = True
        return numbers

    def _number(self, value: CanonicalJson, digest: int) -> int:
        """The number of a value of the bucket that is being read; a new one is added."""
        text = value.decode()
        if digest in self._hashes or self._has_forgotten:
            number = self._stored_number(digest, text)
            if number is not None:
                return number
        self._values += 1
        self._new_values += (self._values, digest, text)
        self._hashes.add(digest)
        return self._values

    def _stored_number(self, digest: int, text: str) -> int | None:
        self._write_values()
        self._db.execute("CREATE INDEX IF NOT EXISTS value_hash ON value(hash)")
        place = (digest, self._known_values, text)
        number = self._db.execute("SELECT number FROM value WHERE hash = ? AND number > ? AND json = ?", place).get
        return number if isinstance(number, int) else None

    def _write_values(self) -> None:
        self._insert("value(number, hash, json)", self._new_values)
        self._new_values.clear()

    def _insert(self, columns: str, cells: Sequence[int | str]) -> None:
        """Insert rows of three cells each. Many rows per statement take a third of the time."""
        for first in range(0, len(cells), 3 * _ROWS_AT_ONCE):
            some = cells[first : first + 3 * _ROWS_AT_ONCE]
            self._db.execute(f"INSERT INTO {columns} VALUES (?, ?, ?){', (?, ?, ?)' * (len(some) // 3 - 1)}", some)


def _extents_of(run: EventRun) -> tuple[Integers, Integers, NDArray[np.bool_]]:
    """Starts and durations, and which of them are valid."""
    seconds = np.frombuffer(run.durations, np.float64)
    starts, durations, is_valid = extents_of(run.timestamps, seconds)
    for place in np.flatnonzero(~is_valid).tolist():
        with suppress(Invalid):
            body = HeartbeatBody(run.timestamps[place], float(seconds[place]))
            starts[place], durations[place] = extent_of(body)
            is_valid[place] = True
    return starts, durations, is_valid


def stage(path: Path, documents: list[Path], rules: StagingRules) -> StagingResult:
    """Stage documents into a new file, or return why they cannot be used."""
    try:
        staging = Staging(path, rules)
        for document in documents:
            staging.read(document)
        return StagingResult(staged=staging.finish())
    except (DaylineError, *OUT_OF_MEMORY) as error:
        return StagingResult(refusal=refusal_of(error))


def stage_with_limits(path: Path, documents: list[Path], rules: StagingRules) -> StagingResult:
    """Like `stage`, in a process that does nothing else: it limits the memory and the time of the process."""
    limit_import(size=sum(document.stat().st_size for document in documents))
    return stage(path, documents, rules)
