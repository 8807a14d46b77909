"""First stage of an import, in its own process: reads documents, checks them and sorts them into a file of rows.

Privacy rules also apply to imports. The result is what was staged, or why the documents cannot be used. The recording
process then copies the rows in short slices (imports.py of its backend) and never parses a large file itself. The
staged file is an SQLite file for every backend; its times are relative to STAGED_FROM.
"""

from bisect import bisect
from collections.abc import Iterator
from functools import partial
from itertools import islice
from operator import ge, le
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from dayline.model.data import CanonicalJson, canonical_data, canonical_json, check_data_size
from dayline.model.errors import DaylineError, Invalid, TooLarge
from dayline.model.event import HeartbeatBody, extent_of
from dayline.model.time import month_of
from dayline.runtime.spool import open_spool
from dayline.runtime.sqlite_file import connect
from dayline.runtime.untrusted import IMPORT_MEMORY_MIB, OUT_OF_MEMORY, limit_import
from dayline.storage.columns.hashes import hash_of
from dayline.storage.transfer.export_document import ExportDocument
from dayline.storage.transfer.staging import (
    MAX_BUCKETS,
    MAX_HEADS_BYTES,
    MAX_PARTS,
    STAGED_FROM,
    Staged,
    StagedBucket,
    StagedPart,
    StagingError,
    StagingResult,
    StagingRules,
    bucket_of,
)
from dayline.transform.privacy import PrivacyRules

_COLUMNS = "(number INTEGER PRIMARY KEY, bucket INTEGER, month INTEGER, start INTEGER, duration INTEGER, value INTEGER)"
_TABLES = f"""
CREATE TABLE value(number INTEGER PRIMARY KEY, bucket INTEGER, hash INTEGER, json TEXT);
CREATE TABLE raw{_COLUMNS};
BEGIN;
"""
# Rows must be in the order of the target table, and a repeated event must count once. If the starts in each bucket only
# rise, the rows are in order already; if they only fall, as in a server's export, they are reversed; otherwise they are
# sorted.
_RISING = "ALTER TABLE raw RENAME TO row"
_FALLING = f"""
CREATE TABLE row{_COLUMNS};
INSERT INTO row(bucket, month, start, duration, value)
    SELECT bucket, month, start, duration, value FROM raw ORDER BY number DESC;
"""
_MIXED = f"""
CREATE TABLE row{_COLUMNS};
INSERT INTO row(bucket, month, start, duration, value)
    SELECT DISTINCT bucket, month, start, duration, value FROM raw ORDER BY bucket, start, duration, value;
"""
# The values that each row is the first to use.
_FRESH = """
CREATE TABLE fresh(row INTEGER PRIMARY KEY, value INTEGER);
INSERT INTO fresh(row, value) SELECT min(number) AS first, value FROM row GROUP BY value ORDER BY first;
"""
# The result of privacy rules per value: the number of another value, or NULL if its events are dropped.
_MOVED = "CREATE TEMP TABLE IF NOT EXISTS moved(value INTEGER PRIMARY KEY, target INTEGER); DELETE FROM moved"
_DROP = "DELETE FROM raw WHERE number > ? AND value IN (SELECT value FROM moved WHERE target IS NULL)"
_MOVE = "UPDATE raw SET value = moved.target FROM moved WHERE raw.number > ? AND raw.value = moved.value"
_VALUES_AT_ONCE: Final = 10_000
_DAY: Final = 86_400_000_000
_REMEMBERED_BYTES: Final = 56 << 20  # of values, in memory; the rest are looked up in the file
_ENTRY_BYTES: Final = 100  # of a value, in addition to its text
_SPLIT_HINT: Final = "import fewer at once"


_Row = tuple[int, int, int, int, int]  # bucket, month, start, duration, value


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
        self._numbers: dict[bytes, int] = {}  # by canonical text, and by the text as it was sent
        self._remembered_bytes = 0
        self._has_forgotten = False  # until it has, a value that is not remembered is new
        self._new_values: list[tuple[int, int, int, str]] = []
        self._months: dict[int, int] = {}
        self._is_rising = True  # whether the starts of every bucket have only risen so far
        self._is_falling = True
        self._latest: _Row | None = None
        self._heads_bytes = 0
        self._values = 0
        self._events = 0
        self._invalid = 0
        self._dropped = 0

    def read(self, document: Path) -> None:
        """Add a document. Raises Malformed or Invalid."""
        with open_spool(document) as file:
            reader = ExportDocument(file)
            values, rows = self._values, self._rows()
            events, invalid, dropped = self._events, self._invalid, self._dropped
            for key, head in reader.read(self._add):
                bucket = bucket_of(len(self._buckets) + 1, key, head, self._aliases)
                self._check_size(bucket)
                self._buckets.append(bucket)
                self._forget()  # each bucket has its own values
                self._has_forgotten = False
                if not self._rules.is_empty:
                    self._apply(bucket, values, rows)
                self._buckets[-1] = replace(
                    bucket,
                    events=self._events - events,
                    invalid=self._invalid + reader.invalid - invalid,
                    dropped=self._dropped - dropped,
                )
                values, rows = self._values, self._rows()
                events, invalid, dropped = self._events, self._invalid + reader.invalid, self._dropped
            self._invalid += reader.invalid

    def _check_size(self, bucket: StagedBucket) -> None:
        """Raise Invalid if the buckets are too many or too large for the memory of the recording process."""
        self._heads_bytes += len(canonical_json(bucket))
        if bucket.number > MAX_BUCKETS:
            raise Invalid(f"there are more than {MAX_BUCKETS:,} buckets", hint=_SPLIT_HINT)
        if self._heads_bytes > MAX_HEADS_BYTES:
            raise Invalid(
                f"the buckets have more than {MAX_HEADS_BYTES >> 20} MiB without their events", hint=_SPLIT_HINT
            )

    def finish(self) -> Staged:
        """Sort the rows, which completes the file."""
        self._db.execute(_RISING if self._is_rising else _FALLING if self._is_falling else _MIXED)
        self._db.execute(_FRESH)
        staged = Staged(
            buckets=self._buckets,
            parts=self._parts(),
            values=self._values,
            events=self._events,
            invalid=self._invalid,
            dropped=self._dropped,
        )
        self._db.execute("COMMIT")
        self._db.close()
        return staged

    def _apply(self, bucket: StagedBucket, values: int, rows: int) -> None:
        """Apply rules to the bucket that was just read, whose values and rows have numbers above these.

        Not earlier, because the document may have the bucket's id after its events.
        """
        moved: list[tuple[int, int | None]] = []
        for number, json in self._values_between(values, self._values):
            data = json.encode()
            kept = self._rules.applied(bucket.id, data, own_id=bucket.own_id)
            if kept is not data:
                moved.append((number, None if kept is None else self._number_of_text(bucket.number, kept)))
        if not moved:
            return
        self._write_values()
        self._db.execute(_MOVED)
        self._db.executemany("INSERT INTO moved(value, target) VALUES(?, ?)", moved)
        self._db.execute(_DROP, (rows,))
        dropped = self._db.changes()
        self._db.execute(_MOVE, (rows,))
        self._forget()
        self._events -= dropped
        self._dropped += dropped
        self._is_rising = self._is_falling = False  # there are gaps now, and different events may have become equal

    def _values_between(self, first: int, last: int) -> Iterator[tuple[int, str]]:
        """The values with numbers above `first` up to `last`, in pages, because values are added during the
        iteration.
        """
        self._db.execute("CREATE INDEX IF NOT EXISTS value_hash ON value(hash)")
        for low in range(first, last, _VALUES_AT_ONCE):
            page = (low, min(low + _VALUES_AT_ONCE, last))
            rows = self._db.execute("SELECT number, json FROM value WHERE number > ? AND number <= ?", page).fetchall()
            yield from msgspec.convert(rows, list[tuple[int, str]])

    def _number_of_text(self, bucket: int, value: CanonicalJson) -> int:
        number = self._numbers.get(value)
        if number is None:
            digest, text = hash_of(value), value.decode()
            number = self._stored_number(bucket, digest, text) or self._new_number(bucket, digest, text)
            self._numbers[value] = number
        return number

    def _rows(self) -> int:
        return int(self._db.execute("SELECT coalesce(max(number), 0) FROM raw").get)

    def _parts(self) -> list[StagedPart]:
        """The ranges of rows of one bucket and month, found by bisection."""
        rows = int(self._db.execute("SELECT coalesce(max(number), 0) FROM row").get)
        parts: list[StagedPart] = []
        first = 1
        while first <= rows:
            bucket, month = place = self._place(first)
            last = first + bisect(range(first + 1, rows + 1), False, key=partial(self._is_beyond, place))
            parts.append(StagedPart(bucket=bucket, month=month, first=first, last=last))
            if len(parts) > MAX_PARTS:
                raise Invalid(f"the events are in more than {MAX_PARTS:,} months of buckets", hint=_SPLIT_HINT)
            first = last + 1
        return parts

    def _is_beyond(self, place: tuple[int, int], number: int) -> bool:
        return self._place(number) != place

    def _place(self, number: int) -> tuple[int, int]:
        row = self._db.execute("SELECT bucket, month FROM row WHERE number = ?", (number,)).fetchone()
        return msgspec.convert(row, tuple[int, int])

    def _note_order(self, rows: list[_Row]) -> None:
        """Track whether the starts still only rise or only fall, without duplicates among rows of equal start."""
        if not rows or not (self._is_rising or self._is_falling):
            return
        starts = [row[2] for row in rows]
        before, self._latest = self._latest, rows[-1]
        if before is not None and before[0] == rows[0][0]:
            if before[2] == starts[0]:
                self._is_rising = self._is_falling = False
            starts.insert(0, before[2])
        if len(set(rows)) < len(rows):
            self._is_rising = self._is_falling = False
        self._is_rising = self._is_rising and all(map(le, starts, islice(starts, 1, None)))
        self._is_falling = self._is_falling and all(map(ge, starts, islice(starts, 1, None)))

    def _add(self, bodies: list[HeartbeatBody]) -> None:
        bucket, months = len(self._buckets) + 1, self._months
        rows: list[_Row] = []
        for body in bodies:
            try:
                start, duration = extent_of(body)
                # Look up the text as it was sent first: most events repeat one, and need no canonical form.
                text = bytes(body.data)
                number = self._numbers.get(text) or self._number(bucket, text)
            except (Invalid, TooLarge):
                self._invalid += 1
                continue
            day = start // _DAY
            month = months.get(day)
            if month is None:
                month = months[day] = month_of(start)
            rows.append((bucket, month, start - STAGED_FROM, duration, number))
        self._events += len(rows)
        self._write_values()
        self._note_order(rows)
        self._db.executemany("INSERT INTO raw(bucket, month, start, duration, value) VALUES(?, ?, ?, ?, ?)", rows)

    def _number(self, bucket: int, sent: bytes) -> int:
        value = canonical_data(sent)
        check_data_size(value, self._max_data_bytes)
        number = self._numbers.get(value)
        if number is None:
            digest, text = hash_of(value), value.decode()
            number = self._stored_number(bucket, digest, text) if self._has_forgotten else None
            if number is None:
                number = self._new_number(bucket, digest, text)
        if self._remembered_bytes > _REMEMBERED_BYTES:
            self._forget()
            self._has_forgotten = True
            self._db.execute("CREATE INDEX IF NOT EXISTS value_hash ON value(hash)")
        self._numbers[value] = self._numbers[sent] = number
        self._remembered_bytes += 2 * (len(sent) + _ENTRY_BYTES)
        return number

    def _new_number(self, bucket: int, digest: int, text: str) -> int:
        self._values += 1
        self._new_values.append((self._values, bucket, digest, text))
        return self._values

    def _forget(self) -> None:
        self._write_values()
        self._numbers.clear()
        self._remembered_bytes = 0

    def _stored_number(self, bucket: int, digest: int, text: str) -> int | None:
        number = self._db.execute(
            "SELECT number FROM value WHERE hash = ? AND bucket = ? AND json = ?", (digest, bucket, text)
        ).get
        return number if isinstance(number, int) else None

    def _write_values(self) -> None:
        if self._new_values:
            self._db.executemany("INSERT INTO value VALUES(?, ?, ?, ?)", self._new_values)
            self._new_values.clear()


def stage(path: Path, documents: list[Path], rules: StagingRules) -> StagingResult:
    """Stage documents into a new file, or return why they cannot be used."""
    try:
        staging = Staging(path, rules)
        for document in documents:
            staging.read(document)
        return StagingResult(staged=staging.finish())
    except OUT_OF_MEMORY:
        message = f"reading the document takes more than {IMPORT_MEMORY_MIB} MiB of memory"
        return StagingResult(refusal=StagingError(kind="Invalid", message=message, field=None))
    except DaylineError as error:
        kind = type(error).__name__
        return StagingResult(refusal=StagingError(kind=kind, message=error.message, field=error.field, hint=error.hint))


def stage_with_limits(path: Path, documents: list[Path], rules: StagingRules) -> StagingResult:
    """Like `stage`, in a process that does nothing else: it limits the memory and the time of the process."""
    limit_import(size=sum(document.stat().st_size for document in documents))
    return stage(path, documents, rules)
