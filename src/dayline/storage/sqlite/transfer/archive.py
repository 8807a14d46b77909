"""Creates an archive from a snapshot of a database file, and restores one into an empty database."""

import shutil
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import IO, Any, Final, TypeVar, assert_never

import apsw
import msgspec
from msgspec import Struct

from dayline.model.bucket import check_bucket_id
from dayline.model.data import canonical_data, canonical_json, decode_json
from dayline.model.errors import Conflict, DaylineError, Invalid, StoreLocked, StoreUnusable
from dayline.model.event import MAX_EVENT_ID
from dayline.model.time import SECOND, Microseconds, check_range, format_timestamp, month_of, parse_timestamp
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Decrypting, Encrypting, Secret, is_encrypted
from dayline.storage.sqlite.backup.restore import replace_by
from dayline.storage.sqlite.backup.snapshot import open_unchanging, take_snapshot
from dayline.storage.sqlite.file.connection import FileLock, open_reader, open_writer
from dayline.storage.sqlite.file.schema import MIGRATIONS, ORIGIN, migrate, version_of
from dayline.storage.sqlite.rows.reader import DURATION, TIMESTAMP
from dayline.storage.sqlite.writing.catalogue import NEXT_EVENT_ID, Month
from dayline.storage.sqlite.writing.values import ValueDictionary
from dayline.storage.transfer.archive import (
    FORMAT,
    TIMES,
    VERSION,
    AliasLine,
    ArchiveReader,
    ArchiveTarget,
    ArchiveWriter,
    AuditLine,
    BucketLine,
    Content,
    EventLine,
    Header,
    KeyLine,
    OnceLine,
    SettingHistoryLine,
    SettingLine,
    Trailer,
)

_EVENTS_AT_ONCE: Final = 1000
_LONGEST_S: Final = 9_214_646_400  # 292 years: no event within our range is longer
_PUT_MONTH: Final = (
    "INSERT INTO month(bucket, month, events, longest, reach, is_sealed, changes) VALUES(?, ?, ?, ?, ?, 0, 0)"
)

_Row = tuple[int, Microseconds, int, Microseconds, int]


def fill_database(db: apsw.Connection, archive: ArchiveReader, *, on_events: Callable[[int], object]) -> None:
    """Store the contents of an archive in an empty database. Raises Invalid with the number of the wrong line.

    The file is valid only when this returns: the trailer is read last.
    """
    filling = _Filling(db, on_events)
    for line in archive.content():
        try:
            filling.take(line)
        except DaylineError as error:
            raise archive.wrong(error.message) from error
        except (ValueError, apsw.ConstraintError, msgspec.ValidationError) as error:
            raise archive.wrong(str(error)) from error
    twice = filling.finish(archive.header.next_event_id)
    if twice is not None:
        raise archive.wrong(f"two events have the id {twice}")


class _Filling:
    """The database, and rows that are written in batches."""

    def __init__(self, db: apsw.Connection, on_events: Callable[[int], object]) -> None:
        self._db = db
        self._on_events = on_events
        self._values = ValueDictionary(db)
        self._buckets: dict[str, int] = {}
        self._months: dict[tuple[int, int], Month] = {}
        self._rows: list[_Row] = []
        db.execute("BEGIN")

    def take(self, line: Content) -> None:
        """Store a line, or buffer it until there are enough of its kind."""
        match line:
            case EventLine():
                self._event(line)
            case BucketLine():
                self._bucket(line)
            case AliasLine():
                row = (line.id, self._key_of(line.bucket), parse_timestamp(line.made))
                self._db.execute("INSERT INTO alias(id, bucket, made) VALUES(?, ?, ?)", row)
            case SettingLine():
                table = "own_setting" if line.own else "setting"
                self._db.execute(f"INSERT INTO {table}(key, json) VALUES(?, ?)", (line.key, _text(line.value)))
            case SettingHistoryLine():
                self._setting_history(line)
            case KeyLine():
                names = msgspec.json.decode(line.buckets, type=list[str])
                self._put("access_key", line, buckets=canonical_json(names).decode())
            case AuditLine():
                self._put("audit", line)
            case OnceLine():
                self._put("once", line)
            case _:
                assert_never(line)

    def _event(self, line: EventLine) -> None:
        key = self._key_of(line.bucket)
        if abs(line.duration) > _LONGEST_S:
            raise ValueError(f"a duration of {line.duration} seconds is too long")
        start, duration = parse_timestamp(line.timestamp), round(line.duration * SECOND)
        check_range(start, field="timestamp")
        check_range(start + duration, field="duration")
        if not 1 <= line.id <= MAX_EVENT_ID:
            raise ValueError(f"{line.id} is not a valid event id")
        self._rows.append((key, start - ORIGIN, line.id, duration, self._values.number(key, canonical_data(line.data))))
        self._count(key, start, duration)
        if len(self._rows) >= _EVENTS_AT_ONCE:
            self._write_events()

    def _bucket(self, line: BucketLine) -> None:
        check_bucket_id(line.id)
        if line.id in self._buckets:
            raise ValueError(f"two buckets have the id {line.id!r}")
        self._db.execute(
            "INSERT INTO bucket(id, type, client, hostname, created, creator, data) VALUES(?, ?, ?, ?, ?, ?, ?)",
            (
                line.id,
                line.type,
                line.client,
                line.hostname,
                parse_timestamp(line.created),
                line.creator,
                canonical_data(line.data).decode(),
            ),
        )
        self._buckets[line.id] = self._db.last_insert_rowid()

    def _setting_history(self, line: SettingHistoryLine) -> None:
        table = "own_setting_history" if line.own else "setting_history"
        row = (line.number, line.key, None if line.deleted else _text(line.value), parse_timestamp(line.changed))
        self._db.execute(f"INSERT INTO {table}(number, key, json, changed) VALUES(?, ?, ?, ?)", row)

    def finish(self, next_event_id: int) -> int | None:
        """Write the rest. Returns an id that two events have, if any."""
        self._write_events()
        self._db.executemany(
            _PUT_MONTH,
            [
                (bucket, month.number, month.events, month.longest, month.reach - ORIGIN)
                for (bucket, _), month in self._months.items()
            ],
        )
        self._db.execute("INSERT INTO meta(key, value) VALUES('next_event_id', ?)", (next_event_id,))
        twice = self._db.execute("SELECT id FROM event GROUP BY id HAVING count(*) > 1 LIMIT 1").get
        self._db.execute("COMMIT")
        return twice if isinstance(twice, int) else None

    def _key_of(self, bucket_id: str) -> int:
        try:
            return self._buckets[bucket_id]
        except KeyError:
            raise ValueError(f"no bucket named {bucket_id!r} before this line") from None

    def _count(self, key: int, start: Microseconds, duration: Microseconds) -> None:
        number = month_of(start)
        month = self._months.get((key, number))
        if month is None:
            month = self._months[key, number] = Month(number)
        month.events += 1
        month.cover(duration, start + duration)

    def _write_events(self) -> None:
        self._db.executemany("INSERT INTO event(bucket, start, id, duration, value) VALUES(?, ?, ?, ?, ?)", self._rows)
        self._on_events(len(self._rows))
        self._rows.clear()
        # In batches, so that the log is reset in between; the file is not visible before it is complete.
        self._db.execute("COMMIT; BEGIN")

    def _put(self, table: str, line: KeyLine | AuditLine | OnceLine, **given: str) -> None:
        """Store a line whose fields have the names of the columns."""
        fields = msgspec.structs.asdict(line) | given
        for name in TIMES & fields.keys():
            fields[name] = None if fields[name] is None else parse_timestamp(fields[name])
        columns = ", ".join(fields)
        self._db.execute(f"INSERT INTO {table}({columns}) VALUES(:{', :'.join(fields)})", fields)


def _text(value: msgspec.Raw) -> str:
    """JSON as it is stored: validated and canonical."""
    return canonical_json(decode_json(bytes(value))).decode()


# From a database file to the lines of an archive.


T = TypeVar("T", bound=Struct)

# As in reader.py: SQLite formats the JSON as a blob, which avoids decoding and encoding the text again.
_EVENT: Final = (
    f"""id || ',"timestamp":"' || {TIMESTAMP} || '","duration":' || {DURATION} || ',"data":' || json || '}}'"""
)
_EVENTS: Final = f"""
SELECT CAST(:head || {_EVENT} AS BLOB) FROM (
    SELECT event.id, start + :origin AS moment, duration AS span, json
    FROM event JOIN value ON value.key = event.value
    WHERE event.bucket = (SELECT key FROM bucket WHERE bucket.id = :bucket AND deleted IS NULL)
    ORDER BY start, event.id
)
"""
_EVENT_COUNT: Final = (
    "SELECT coalesce(sum(events), 0) FROM month JOIN bucket ON bucket.key = month.bucket WHERE deleted IS NULL"
)
_BUCKETS: Final = (
    "SELECT id, type, client, hostname, created, creator, data FROM bucket WHERE deleted IS NULL ORDER BY key"
)
_ALIASES: Final = (
    "SELECT alias.id, bucket.id AS bucket, made FROM alias JOIN bucket ON bucket.key = alias.bucket "
    "WHERE deleted IS NULL ORDER BY alias.id"
)
# Without the envelope key, which is a secret: it decrypts and creates enveloped calls.
_KEYS: Final = (
    "SELECT id, name, scope, buckets, created, expires, revoked, salt, digest, last_used, last_address "
    "FROM access_key ORDER BY created, rowid"
)
_AUDIT: Final = (
    "SELECT number, slot, who, key_id, address, call, bucket, status, first, last, count FROM audit ORDER BY number"
)
_SETTINGS: Final = (("setting", False), ("own_setting", True))
_TEXTS: Final = {"data", "value", "buckets"}  # stored as JSON


def write_archive(
    db: apsw.Connection,
    file: ArchiveTarget,
    *,
    made: Microseconds,
    server: str,
    on_start: Callable[[int], object],
    on_events: Callable[[int], object],
) -> Trailer:
    """Write everything in a database to an open file. Nothing may write to the database at the same time.

    `on_start` gets the total number of events, `on_events` the number just written.
    """
    events = int(db.execute(_EVENT_COUNT).get)
    on_start(events)
    header = Header(
        format=FORMAT,
        version=VERSION,
        made=format_timestamp(made),
        schema=int(db.pragma("user_version")),
        server=server,
        events=events,
        next_event_id=int(db.execute(NEXT_EVENT_ID).get),
    )
    archive = ArchiveWriter(file, header)
    for bucket in _lines(db, _BUCKETS, BucketLine):
        archive.add("bucket", bucket)
        _add_events(db, archive, bucket.id, on_events)
    for alias in _lines(db, _ALIASES, AliasLine):
        archive.add("alias", alias)
    for table, is_own in _SETTINGS:
        _add_settings(db, archive, table, is_own)
    for key in _lines(db, _KEYS, KeyLine):
        archive.add("key", key)
    for call in _lines(db, _AUDIT, AuditLine):
        archive.add("audit", call)
    for once in _lines(db, "SELECT token, until FROM once ORDER BY token", OnceLine):
        archive.add("once", once)
    return archive.finish()


def _add_events(
    db: apsw.Connection, archive: ArchiveWriter, bucket_id: str, on_events: Callable[[int], object]
) -> None:
    head = f'{{"kind":"event","bucket":{msgspec.json.encode(bucket_id).decode()},"id":'
    rows = db.execute(_EVENTS, {"head": head, "origin": ORIGIN, "bucket": bucket_id})
    lines = (msgspec.convert(line, bytes) for (line,) in rows)
    while some := list(islice(lines, _EVENTS_AT_ONCE)):
        archive.add_encoded("event", b"\n".join(some) + b"\n", count=len(some))
        on_events(len(some))


def _add_settings(db: apsw.Connection, archive: ArchiveWriter, table: str, is_own: bool) -> None:
    for setting in _lines(db, f"SELECT key, json AS value FROM {table} ORDER BY key", SettingLine, own=is_own):
        archive.add("setting", setting)
    columns = "number, key, changed, json IS NULL AS deleted, coalesce(json, 'null') AS value"
    history = f"SELECT {columns} FROM {table}_history ORDER BY number"
    for change in _lines(db, history, SettingHistoryLine, own=is_own):
        archive.add("setting_history", change)


def _lines(db: apsw.Connection, statement: str, kind: type[T], **given: object) -> Iterator[T]:
    """A line for each row; the columns have the names of its fields."""
    cursor = db.execute(statement)
    names: tuple[str, ...] = ()
    for row in cursor:
        names = names or tuple(name for name, _ in cursor.get_description())  # a statement without rows has none
        yield kind(**{name: _field(name, value) for name, value in zip(names, row, strict=True)}, **given)


def _field(name: str, value: object) -> object:
    if name in TIMES and isinstance(value, int):
        return format_timestamp(value)
    if name in _TEXTS and isinstance(value, str):
        return msgspec.Raw(value.encode())
    return bool(value) if name == "deleted" else value


# Creating archives from a snapshot of a database, and restoring them into a new one.


_ABANDONED_S: Final = 86_400  # no archive takes this long
# Tables with rows as soon as a database was used. Not the audit log: calls alone are no data to lose, and the replaced
# file is kept anyway.
_DATA: Final = ("bucket", "setting", "setting_history", "own_setting", "own_setting_history", "access_key", "act")

_DOCUMENT_FIELDS: Final = ("id", "type", "client", "hostname", "created", "data")
_encoder: Final = msgspec.json.Encoder(decimal_format="number")

CountCallback = Callable[[int], object]


def create_archive(
    database: Path,
    file: IO[bytes],
    *,
    secret: Secret | None = None,
    made: Microseconds,
    server: str,
    on_start: CountCallback,
    on_events: CountCallback,
) -> Trailer:
    """Write an archive of the database, as of one point in time, to an open file. A server may keep recording.

    With a secret it is encrypted like a backup. It is read from a copy, which is stored next to the database while this
    runs. Raises Unavailable if the database cannot be read, and Invalid if the secret cannot be.
    """
    sealed = None if secret is None else Encrypting(file, secret, made=made, source="archive")
    _forget_earlier_attempts(database)
    try:
        with tempfile.TemporaryDirectory(prefix=_prefix(database), dir=database.parent) as folder:
            copy = Path(folder) / "copy.db"
            with _left_tidy(database):
                take_snapshot(database, copy)
            _bring_up_to_date(copy)
            with closing(open_unchanging(copy)) as db:
                trailer = write_archive(
                    db, sealed or file, made=made, server=server, on_start=on_start, on_events=on_events
                )
        if sealed is not None:
            sealed.finish()
        return trailer
    except (apsw.Error, DamagedSnapshot) as error:
        raise StoreUnusable(f"cannot read {database}: {error}") from error


def restore_archive(
    database: Path,
    archive: Path,
    *,
    secret: Secret | None = None,
    now: Microseconds,
    on_start: CountCallback,
    on_events: CountCallback,
) -> tuple[Trailer, Path | None]:
    """Create the database from an archive. Returns where an empty one that was there is kept.

    Raises StoreLocked while a server uses it, Conflict if it is not empty, and Invalid if the archive is damaged, with
    nothing changed.
    """

    def write(part: Path) -> Trailer:
        _check_empty(database)
        try:
            return _filled(part, archive, secret, on_start, on_events)
        except apsw.Error as error:  # a full disk, for instance
            raise StoreUnusable(f"cannot write {part}: {error}", hint="nothing was changed") from error

    return replace_by(database, write, now=now)


def check_archive(
    archive: Path, *, secret: Secret | None = None, on_start: CountCallback, on_events: CountCallback
) -> tuple[Header, Trailer]:
    """Read an archive to its end. Raises Invalid if it is damaged, or encrypted with another secret."""
    with opened_archive(archive, secret) as reader:
        on_start(reader.header.events)
        for line in reader.content():
            if isinstance(line, EventLine):
                on_events(1)
    assert reader.trailer is not None  # `content` is exhausted
    return reader.header, reader.trailer


def archived_buckets(archive: Path) -> Iterator[tuple[dict[str, Any], Iterable[bytes]]]:
    """The buckets of an archive with their events as JSON, as an export document has them. Read one after the other.

    Raises Invalid if the archive is damaged or encrypted; a truncated one only at its end.
    """
    with opened_archive(archive) as reader:
        lines = (line for line in reader.content() if isinstance(line, BucketLine | EventLine))
        head: dict[str, Any] | None = None
        for line, events in groupby(lines, key=lambda line: line if isinstance(line, BucketLine) else None):
            if line is None:
                if head is None:
                    raise Invalid("the archive has events without their bucket")
                yield head, map(partial(_event_json, head["id"]), events)
                head = None
                continue
            if head is not None:
                yield head, ()
            head = {name: getattr(line, name) for name in _DOCUMENT_FIELDS}
        if head is not None:
            yield head, ()


def _event_json(bucket_id: str, line: BucketLine | EventLine) -> bytes:
    assert isinstance(line, EventLine)
    if line.bucket != bucket_id:
        raise Invalid(f"the archive has an event of {line.bucket!r} among those of {bucket_id!r}")
    return _encoder.encode({"timestamp": line.timestamp, "duration": line.duration, "data": line.data})


def _filled(
    part: Path, archive: Path, secret: Secret | None, on_start: CountCallback, on_events: CountCallback
) -> Trailer:
    with closing(open_writer(part)) as db:
        # An incomplete file is thrown away, so it needs no durability; but its log must not grow as large as the file.
        db.pragma("synchronous", "OFF")
        db.pragma("wal_autocheckpoint", 1000)
        migrate(db)
        with opened_archive(archive, secret) as reader:
            on_start(reader.header.events)
            fill_database(db, reader, on_events=on_events)
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    assert reader.trailer is not None  # `content` is exhausted
    return reader.trailer


@contextmanager
def opened_archive(archive: Path, secret: Secret | None = None) -> Generator[ArchiveReader]:
    """An archive, decrypted if necessary. Any defect raises Invalid with the file name."""
    try:
        with archive.open("rb") as file:
            yield ArchiveReader(Decrypting(file, secret) if is_encrypted(file) else file)
    except Invalid as error:
        raise Invalid(f"{archive.name}: {error.message}", hint=error.hint) from error
    except DamagedSnapshot as error:
        raise Invalid(f"{archive.name}: {error}", hint="use another archive; nothing was changed") from error


@contextmanager
def _left_tidy(database: Path) -> Generator[None]:
    """Remove the log that reading a database creates if no server uses it."""
    try:
        lock = FileLock(database)
    except StoreLocked:
        yield
        return
    with closing(lock), closing(apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READWRITE)) as db:
        version_of(db)
        yield


def _bring_up_to_date(copy: Path) -> None:
    with closing(open_unchanging(copy)) as db:
        version = version_of(db)
    if version < len(MIGRATIONS):
        with closing(open_writer(copy)) as db:
            migrate(db)
            db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def _check_empty(database: Path) -> None:
    if not database.exists() or not database.stat().st_size:
        return
    try:
        with closing(open_reader(database)) as db:
            if version_of(db) == 0:
                return
            there = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
            found = {table: int(db.execute(f"SELECT count(*) FROM {table}").get) for table in _DATA if table in there}
    except apsw.Error as error:
        raise StoreUnusable(f"cannot read {database}: {error}", hint="choose another file with --database") from error
    if any(found.values()):
        raise Conflict(
            f"{database} is not empty: it has {found['bucket']:,} buckets, {found['setting']:,} settings and "
            f"{found.get('access_key', 0):,} keys",
            hint="an archive is restored into a new database: choose another file with --database",
        )


def _prefix(database: Path) -> str:
    return f".{database.name}-archive-"


def _forget_earlier_attempts(database: Path) -> None:
    """Delete what an interrupted restore left behind."""
    for folder in database.parent.glob(f"{_prefix(database)}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > _ABANDONED_S:
                shutil.rmtree(folder, ignore_errors=True)
