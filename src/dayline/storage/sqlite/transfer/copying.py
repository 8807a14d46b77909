"""A database file as the source or the target of a copy."""

from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.config.data_folder import DataFile, data_file
from dayline.model.errors import Conflict, Invalid, NotFound, Unavailable
from dayline.model.health import repair_command
from dayline.runtime.files import replace_file
from dayline.storage.disk_faults import file_error
from dayline.storage.sqlite.file.connection import open_reader, open_writer, remove_database
from dayline.storage.sqlite.file.errors import cannot_open
from dayline.storage.sqlite.file.faults import STORAGE_FAULTS, fault_of
from dayline.storage.sqlite.file.former_layout import unstored_revocations
from dayline.storage.sqlite.file.lock import FileLock
from dayline.storage.sqlite.file.schema import MIGRATIONS, NEXT_EVENT_ID, ORIGIN, migrate, version_of
from dayline.storage.sqlite.repair.mark import read_mark
from dayline.storage.sqlite.rows.reader import JSON_MEMBERS
from dayline.storage.sqlite.writing.values import ValueDictionary, reserve_keys
from dayline.storage.transfer.copying import (
    ROWS_AT_ONCE,
    BucketValue,
    Copied,
    CopiedEvent,
    CopiedTable,
    CopyTarget,
    Counters,
    Row,
    repeated_id,
)

_SINCE_ORIGIN: Final = {
    ("event", "start"), ("month", "reach"), ("operation_event", "start"), ("operation_event", "new_start"),
    ("redacted_event", "start"),
}  # fmt: skip
# An earlier text with the same hash; there is practically never one.
_SALT: Final = """
(
    SELECT count(*) FROM value AS same
    WHERE same.hash = value.hash AND same.bucket = value.bucket AND same.key < value.key
)
"""
_DOWNSAMPLED: Final = f"coalesce((SELECT value + {ORIGIN} FROM meta WHERE meta.key = 'downsampled:' || bucket.key), 0)"
_ELSEWHERE: Final = {("value", "salt"): _SALT, ("bucket", "downsampled"): _DOWNSAMPLED}
_SET_DOWNSAMPLED: Final = f"INSERT INTO meta(key, value) VALUES('downsampled:' || ?, ? - {ORIGIN})"
_WITHOUT_ROWID: Final = frozenset(
    {"event", "month", "alias", "setting", "operation_event", "redacted_event", "session", "once", "own_setting"}
)
# Placeholders of values are not copied, nor is what a redaction kept of deleted buckets or has restored.
_SOME: Final = {
    "value": "WHERE bucket > 0",
    "redacted_value": "WHERE json IS NOT NULL AND bucket IN (SELECT key FROM bucket)",
    "redacted_event": "WHERE bucket IN (SELECT key FROM bucket)",
}
# Additional columns of a table in this engine, and their values in a copy.
_ENGINE_COLUMNS: Final = {"month": {"is_sealed": "0", "changes": "0"}, "redaction": {"has_rest": "0", "plan": "''"}}
_UNFINISHED: Final = """
SELECT EXISTS (SELECT 1 FROM operation WHERE state IN ('doing', 'undoing'))
OR EXISTS (SELECT 1 FROM redaction WHERE state IN ('applying', 'undoing') OR has_rest)
"""
_EVENTS: Final = """
SELECT event.start + ?, event.id, event.duration, CAST(value.json AS BLOB)
FROM event CROSS JOIN value ON value.key = event.value WHERE event.bucket = ?
"""
# As a blob, which avoids decoding and encoding the text again.
_EVENT_LINES: Final = f"""
SELECT CAST(concat(:head, id, ',', {JSON_MEMBERS}) AS BLOB) FROM (
    SELECT event.id, start + {ORIGIN} AS moment, duration AS span, json
    FROM event CROSS JOIN value ON value.key = event.value WHERE event.bucket = :bucket ORDER BY start, event.id
)
"""


@contextmanager
def copied_file(path: Path) -> Generator["CopiedFile"]:
    """Open a file as the source; no server may use it. Raises NotFound, Conflict, StoreLocked or StoreUnusable."""
    if not path.exists():
        raise NotFound(f"no database at {path}")
    if read_mark(path) is not None:
        raise Conflict(f"{path} is damaged", hint=f"run: {repair_command(path)}")
    with closing(FileLock(path)), closing(_opened(path)) as db:
        if version_of(db) < len(MIGRATIONS):
            raise Conflict(f"{path} has an older schema", hint="start the server with it once to upgrade it")
        db.execute("BEGIN")
        if db.execute(_UNFINISHED).get:
            raise Conflict(
                f"{path} has an interrupted operation",
                hint="start the server with it, let the operation finish, then stop the server",
            )
        if unstored_revocations(path):  # a copy would have the keys without them
            raise Conflict(
                f"{path} has revoked keys or sessions that are not stored yet",
                hint="free disk space, start the server with it once, then stop the server",
            )
        yield CopiedFile(db, path)


def _opened(path: Path) -> apsw.Connection:
    try:
        return open_reader(path)
    except apsw.Error as error:
        raise cannot_open(path, error) from error


@contextmanager
def new_file(path: Path) -> Generator["NewFile"]:
    """Create a file as the target, under another name until it is kept. Raises Invalid or StoreLocked."""
    if path.exists():
        raise Invalid(f"{path} already exists", hint="choose a new file")
    part = data_file(path, DataFile.COPY_PART)
    with closing(FileLock(path)):
        remove_database(part)  # left by an interrupted copy
        try:
            with closing(open_writer(part)) as db:
                copy = NewFile(db, path)
                yield copy
                if copy.is_kept:
                    copy.finish()
                    db.close()
                    replace_file(part, path)
        except STORAGE_FAULTS as error:
            fault = fault_of(error, path)
            raise Unavailable(f"the copy was stopped: {fault.message}", hint=fault.hint) from error
        except OSError as error:
            raise file_error("the copy was stopped", error, path) from error
        finally:
            remove_database(part)


class CopiedFile(Copied):
    """An open file."""

    def __init__(self, db: apsw.Connection, path: Path) -> None:
        self._db = db
        self._path = path

    @property
    def name(self) -> str:
        return str(self._path)

    @property
    def schema(self) -> int:
        return version_of(self._db)

    def count_events(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM event").get)

    def events(self, bucket: int) -> Iterator[CopiedEvent]:
        for row in self._db.execute(_EVENTS, (ORIGIN, bucket)):
            yield CopiedEvent(*row)

    def event_lines(self, bucket: int, head: str) -> Iterator[bytes]:
        rows = self._db.execute(_EVENT_LINES, {"head": head, "bucket": bucket})
        return (msgspec.convert(line, bytes) for (line,) in rows)

    def rows(self, table: CopiedTable) -> Iterator[Sequence[Row]]:
        columns = ", ".join(_read(table.name, column) for column in table.columns)
        order = "" if table.name in _WITHOUT_ROWID else "ORDER BY rowid"
        cursor = self._db.execute(f"SELECT {columns} FROM {table.name} {_SOME.get(table.name, '')} {order}")
        while rows := list(islice(cursor, ROWS_AT_ONCE)):
            yield rows

    def counters(self) -> Counters:
        return Counters(
            event=int(self._db.execute(NEXT_EVENT_ID).get),
            bucket=self._after("bucket"),
            value=int(self._db.execute("SELECT coalesce(max(key), 0) + 1 FROM value").get),
            operation=self._after("operation"),
        )

    def _after(self, table: str) -> int:
        return int(
            self._db.execute("SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = ?", (table,)).get
        )


class NewFile(CopiedFile, CopyTarget):
    """A file being written."""

    def __init__(self, db: apsw.Connection, path: Path) -> None:
        super().__init__(db, path)
        migrate(db)
        db.pragma("synchronous", "OFF")  # it is flushed when it is complete
        db.pragma("journal_mode", "OFF")
        db.execute("BEGIN")
        self._values = ValueDictionary(db)

    def write(self, table: CopiedTable, rows: Sequence[Row]) -> None:
        places = [(place, column) for place, column in enumerate(table.columns, 1) if _is_kept(table.name, column)]
        columns = [column for _, column in places]
        values = [_written(table.name, column, place) for place, column in places]
        engine_columns = _ENGINE_COLUMNS.get(table.name, {})
        columns, values = [*columns, *engine_columns], [*values, *engine_columns.values()]
        statement = f"INSERT INTO {table.name}({', '.join(columns)}) VALUES({', '.join(values)})"
        left = iter(rows)
        try:
            self._db.executemany(statement, map(tuple, left))
        except apsw.ConstraintError as error:
            if table.name != "event":
                raise
            raise repeated_id(rows[len(rows) - 1 - sum(1 for _ in left)][2]) from error
        if table.name == "bucket":
            self._db.executemany(_SET_DOWNSAMPLED, [(key, downsampled) for key, downsampled, *_ in rows if downsampled])

    def settle(self, counters: Counters) -> None:
        self._db.execute(
            "INSERT INTO meta(key, value) VALUES('next_event_id', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            (counters.event,),
        )
        for table, number in (("bucket", counters.bucket), ("operation", counters.operation)):
            self._db.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
            self._db.execute("INSERT INTO sqlite_sequence(name, seq) VALUES(?, ?)", (table, number - 1))
        if self.counters().value < counters.value:
            reserve_keys(self._db, upto=counters.value - 1)

    def value_keys(self, values: Collection[BucketValue]) -> dict[BucketValue, int]:
        return {(bucket, text): self._values.number(bucket, text) for bucket, text in values}

    def finish(self) -> None:
        """Complete the file."""
        self._db.execute("COMMIT")
        self._db.pragma("journal_mode", "WAL")


def _is_kept(table: str, column: str) -> bool:
    return (table, column) not in _ELSEWHERE


def _read(table: str, column: str) -> str:
    if not _is_kept(table, column):
        return _ELSEWHERE[table, column]
    return f"{column} + {ORIGIN}" if (table, column) in _SINCE_ORIGIN else column


def _written(table: str, column: str, place: int) -> str:
    return f"?{place} - {ORIGIN}" if (table, column) in _SINCE_ORIGIN else f"?{place}"
