"""Values that programs handle: events with Python's own times, and data as a dict."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from msgspec import Struct

from dayline.client.errors import UnexpectedAnswer
from dayline.model.errors import Invalid
from dayline.model.event import EventView
from dayline.model.time import Microseconds, Timestamp, format_timestamp, parse_timestamp


class ServerInfo(Struct, frozen=True, kw_only=True):
    """What a server says of itself, to anybody."""

    hostname: str
    version: str
    testing: bool
    device_id: str


class LogRecord(Struct, frozen=True, kw_only=True):
    """One line of a server's log."""

    timestamp: Timestamp
    level: str
    logger: str
    message: str


class ImportReport(Struct, frozen=True, kw_only=True):
    """What an import did: buckets read, events stored, skipped because they were there, left out as unusable."""

    buckets: int = 0
    imported: int = 0
    skipped: int = 0
    invalid: int = 0

    def __add__(self, other: "ImportReport") -> "ImportReport":
        return ImportReport(
            buckets=self.buckets + other.buckets,
            imported=self.imported + other.imported,
            skipped=self.skipped + other.skipped,
            invalid=self.invalid + other.invalid,
        )


class Deletion(Struct, frozen=True, kw_only=True):
    """Whether there was something to delete."""

    success: bool


# Events as programs handle them: with Python's own times, and data as a dict.


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


class ClientEvent(Struct, frozen=True, kw_only=True):
    """Something that was true from `timestamp`, which has a zone, for `duration`. `id` is None until it is stored."""

    timestamp: datetime
    duration: timedelta = timedelta()
    data: dict[str, Any] = {}
    id: int | None = None

    @property
    def end(self) -> datetime:
        return self.timestamp + self.duration


def event_of(view: EventView) -> ClientEvent:
    """An event from its form on the wire. Raises UnexpectedAnswer for times that no server of ours would send."""
    try:
        timestamp = _EPOCH + parse_timestamp(view.timestamp) * _MICROSECOND
        duration = round(view.duration * 1_000_000) * _MICROSECOND
    except (ValueError, OverflowError) as error:
        raise UnexpectedAnswer(f"the answer holds an impossible event: {error}") from error
    return ClientEvent(timestamp=timestamp, duration=duration, data=view.data, id=view.id)


def body_of(event: ClientEvent) -> dict[str, Any]:
    """An event in its form on the wire; without an `id` where it has none. Raises Invalid for a time without a zone."""
    body = {
        "timestamp": timestamp_of(event.timestamp, field="timestamp"),
        "duration": event.duration.total_seconds(),
        "data": event.data,
    }
    return body if event.id is None else {**body, "id": event.id}


def timestamp_of(moment: datetime, *, field: str) -> str:
    """A time in its form on the wire. Raises Invalid for one without a zone, which could mean any of two dozen."""
    if moment.tzinfo is None:
        raise Invalid(f"{field} has no time zone", hint="datetime.now(UTC) has one", field=field)
    microseconds: Microseconds = (moment - _EPOCH) // _MICROSECOND
    return format_timestamp(microseconds)
