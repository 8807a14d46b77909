"""From the lines of an everything archive to a new database file."""

from collections.abc import Callable
from typing import Final, assert_never

import apsw
import msgspec

from dayline.model.bucket import check_bucket_id
from dayline.model.data import canonical_data, canonical_json, decode_json
from dayline.model.errors import DaylineError
from dayline.model.event import MAX_EVENT_ID
from dayline.model.timestamps import SECOND, Microseconds, check_range, month_of, parse_timestamp
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.writing.catalogue import Month
from dayline.storage.sqlite.writing.values import Values
from dayline.storage.transfer.archive_file import ArchiveReader
from dayline.storage.transfer.archive_lines import (
    TIMES,
    AliasLine,
    AuditLine,
    BucketLine,
    Content,
    EventLine,
    KeyLine,
    OnceLine,
    SettingHistoryLine,
    SettingLine,
)

_EVENTS_AT_ONCE: Final = 1000
_LONGEST_S: Final = 9_214_646_400  # 292 years: no event within our range is longer
_PUT_MONTH: Final = (
    "INSERT INTO month(bucket, month, events, longest, reach, is_sealed, changes) VALUES(?, ?, ?, ?, ?, 0, 0)"
)

_Row = tuple[int, Microseconds, int, Microseconds, int]


def fill_database(db: apsw.Connection, archive: ArchiveReader, *, on_events: Callable[[int], object]) -> None:
    """Put all that an archive holds into an empty database. Raises Invalid, with the line that is wrong.

    The file is worth something only when this has come to its end: the trailer is read last.
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
        raise archive.wrong(f"there are two events of the id {twice}")


class _Filling:
    """The database, and what is written to it in one go."""

    def __init__(self, db: apsw.Connection, on_events: Callable[[int], object]) -> None:
        self._db = db
        self._on_events = on_events
        self._values = Values(db)
        self._buckets: dict[str, int] = {}
        self._months: dict[tuple[int, int], Month] = {}
        self._rows: list[_Row] = []
        db.execute("BEGIN")

    def take(self, line: Content) -> None:
        """Store a line, or keep it until there are enough of its kind."""
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
            raise ValueError(f"{line.duration} seconds are more than events can span")
        start, duration = parse_timestamp(line.timestamp), round(line.duration * SECOND)
        check_range(start, field="timestamp")
        check_range(start + duration, field="duration")
        if not 1 <= line.id <= MAX_EVENT_ID:
            raise ValueError(f"{line.id} is not the id of an event")
        self._rows.append((key, start - ORIGIN, line.id, duration, self._values.number(key, canonical_data(line.data))))
        self._count(key, start, duration)
        if len(self._rows) >= _EVENTS_AT_ONCE:
            self._write_events()

    def _bucket(self, line: BucketLine) -> None:
        check_bucket_id(line.id)
        if line.id in self._buckets:
            raise ValueError(f"there are two buckets of the id {line.id!r}")
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
        """Write the rest. Returns an id that two events have, where there is one."""
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
            raise ValueError(f"there is no bucket {bucket_id!r} before it") from None

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
        # In pieces, so that the log is emptied now and then; nobody sees the file before it is complete.
        self._db.execute("COMMIT; BEGIN")

    def _put(self, table: str, line: KeyLine | AuditLine | OnceLine, **given: str) -> None:
        """Store a line whose fields have the names of the columns."""
        fields = msgspec.structs.asdict(line) | given
        for name in TIMES & fields.keys():
            fields[name] = None if fields[name] is None else parse_timestamp(fields[name])
        columns = ", ".join(fields)
        self._db.execute(f"INSERT INTO {table}({columns}) VALUES(:{', :'.join(fields)})", fields)


def _text(value: msgspec.Raw) -> str:
    """JSON as it is kept: checked, and written as everywhere."""
    return canonical_json(decode_json(bytes(value))).decode()
