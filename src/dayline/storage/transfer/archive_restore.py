"""From the lines of an archive to a copy."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Any, Final, assert_never

import msgspec
from msgspec import Struct

from dayline.model.bucket import check_bucket_id
from dayline.model.data import CanonicalJson, canonical_data, canonical_json, decode_json
from dayline.model.errors import Conflict, DaylineError
from dayline.model.event import MAX_EVENT_ID
from dayline.model.time import SECOND, Microseconds, check_range, month_of, parse_timestamp
from dayline.storage.transfer.archive import (
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
    Trailer,
)
from dayline.storage.transfer.archive_copy import EVENTS_AT_ONCE, CountCallback
from dayline.storage.transfer.archive_stream import ArchiveReader
from dayline.storage.transfer.copying import TABLE_OF_NAME, CopyTarget, Counters, Row

_MAX_DURATION_S: Final = 9_214_646_400  # 292 years: no event within our range is longer


def fill_copy(target: CopyTarget, archive: ArchiveReader, *, on_events: CountCallback) -> Trailer:
    """Store the contents of an archive in an empty target. Raises Invalid with the number of the wrong line.

    The target is valid only when this returns: the trailer is read last.
    """
    filling = _Filling(target, on_events)
    for line in archive.content():
        try:
            filling.take(line)
        except DaylineError as error:
            raise archive.wrong(error.message) from error
        except (ValueError, msgspec.ValidationError) as error:
            raise archive.wrong(str(error)) from error
    try:
        filling.finish(archive.header.next_event_id)
    except Conflict as error:
        raise archive.wrong(error.message) from error
    assert archive.trailer is not None  # `content` is exhausted
    return archive.trailer


class _Event(Struct, frozen=True):
    bucket: int
    start: Microseconds
    id: int
    duration: Microseconds
    data: CanonicalJson


class _Month(Struct):
    """What the events of a month amount to."""

    events: int = 0
    longest: Microseconds = 0
    reach: Microseconds | None = None

    def add(self, start: Microseconds, duration: Microseconds) -> None:
        self.events += 1
        self.longest = max(self.longest, duration)
        self.reach = start + duration if self.reach is None else max(self.reach, start + duration)


class _Filling:
    """The target, and rows that are written in batches."""

    def __init__(self, target: CopyTarget, on_events: CountCallback) -> None:
        self._target = target
        self._on_events = on_events
        self._next_bucket = target.counters().bucket
        self._buckets: dict[str, int] = {}
        self._months: defaultdict[tuple[int, int], _Month] = defaultdict(_Month)
        self._events: list[_Event] = []
        self._audit: list[Row] = []
        self._last_audit = 0
        self._seen: set[Hashable] = set()

    def take(self, line: Content) -> None:
        """Store a line, or buffer it until there are enough of its kind."""
        match line:
            case EventLine():
                self._event(line)
            case BucketLine():
                self._bucket(line)
            case AliasLine():
                self._check_new("aliases have the id", line.id)
                made = parse_timestamp(line.made)
                self._write("alias", id=line.id, bucket=self._key_of(line.bucket), made=made)
            case SettingLine():
                table = "own_setting" if line.own else "setting"
                self._check_new("settings have the key", line.key, table)
                self._write(table, key=line.key, json=_text(line.value))
            case SettingHistoryLine():
                table = "own_setting_history" if line.own else "setting_history"
                self._check_new("changes of settings have the number", line.number, table)
                json = None if line.deleted else _text(line.value)
                self._write(table, number=line.number, key=line.key, json=json, changed=parse_timestamp(line.changed))
            case KeyLine():
                self._check_new("keys have the id", line.id)
                names = msgspec.json.decode(line.buckets, type=list[str])
                self._write("access_key", **_columns(line) | {"buckets": canonical_json(names).decode()})
            case AuditLine():
                self._audit_line(line)
            case OnceLine():
                self._check_new("idempotency keys are", line.token)
                self._write("once", **_columns(line))
            case _:
                assert_never(line)

    def finish(self, next_event_id: int) -> None:
        """Write the rest."""
        self._write_events()
        self._write_audit()
        months = [
            _row("month", bucket=bucket, month=number, events=month.events, longest=month.longest, reach=month.reach)
            for (bucket, number), month in self._months.items()
        ]
        if months:
            self._target.write(TABLE_OF_NAME["month"], months)
        counters = self._target.counters()
        self._target.settle(
            Counters(event=next_event_id, bucket=self._next_bucket, value=counters.value, operation=counters.operation)
        )

    def _event(self, line: EventLine) -> None:
        key = self._key_of(line.bucket)
        if abs(line.duration) > _MAX_DURATION_S:
            raise ValueError(f"a duration of {line.duration} seconds is too long")
        start, duration = parse_timestamp(line.timestamp), round(line.duration * SECOND)
        check_range(start, field="timestamp")
        check_range(start + duration, field="duration")
        if not 1 <= line.id <= MAX_EVENT_ID:
            raise ValueError(f"{line.id} is not a valid event id")
        self._events.append(_Event(key, start, line.id, duration, canonical_data(line.data)))
        self._months[key, month_of(start)].add(start, duration)
        if len(self._events) >= EVENTS_AT_ONCE:
            self._write_events()

    def _bucket(self, line: BucketLine) -> None:
        check_bucket_id(line.id)
        self._check_new("buckets have the id", line.id)
        key = self._buckets[line.id] = self._next_bucket
        self._next_bucket += 1
        data = canonical_data(line.data).decode()
        columns = _columns(line)
        downsampled = columns["downsampled"] or 0
        self._write("bucket", **columns | {"key": key, "data": data, "downsampled": downsampled, "dictionary": 0})

    def _audit_line(self, line: AuditLine) -> None:
        if line.number <= self._last_audit:
            raise ValueError(f"the audit entry {line.number} is not in order")
        self._last_audit = line.number
        self._audit.append(_row("audit", **_columns(line)))
        if len(self._audit) >= EVENTS_AT_ONCE:
            self._write_audit()

    def _check_new(self, what: str, name: Hashable, kind: str = "") -> None:
        if (what, kind, name) in self._seen:
            raise ValueError(f"two {what} {name!r}")
        self._seen.add((what, kind, name))

    def _key_of(self, bucket_id: str) -> int:
        try:
            return self._buckets[bucket_id]
        except KeyError:
            raise ValueError(f"no bucket named {bucket_id!r} before this line") from None

    def _write(self, table: str, **values: object) -> None:
        self._target.write(TABLE_OF_NAME[table], [_row(table, **values)])

    def _write_events(self) -> None:
        events, self._events = self._events, []
        if not events:
            return
        keys = self._target.value_keys({(event.bucket, event.data) for event in events})
        rows: Sequence[Row] = [
            (event.bucket, event.start, event.id, event.duration, keys[event.bucket, event.data]) for event in events
        ]
        self._target.write(TABLE_OF_NAME["event"], rows)
        self._on_events(len(rows))

    def _write_audit(self) -> None:
        entries, self._audit = self._audit, []
        if entries:
            self._target.write(TABLE_OF_NAME["audit"], entries)


def _columns(line: BucketLine | KeyLine | AuditLine | OnceLine) -> dict[str, Any]:
    """The fields of a line as columns of the same names."""
    fields = msgspec.structs.asdict(line)
    for name in TIMES & fields.keys():
        fields[name] = None if fields[name] is None else parse_timestamp(fields[name])
    return fields


def _row(table: str, **values: object) -> Row:
    return tuple(values.get(column) for column in TABLE_OF_NAME[table].columns)


def _text(value: msgspec.Raw) -> str:
    """JSON as it is stored: validated and canonical."""
    return canonical_json(decode_json(bytes(value))).decode()
