"""Types of the client: events with datetime, and data as a dict."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from msgspec import Struct

from dayline.client.errors import UnexpectedResponse
from dayline.model.errors import Invalid
from dayline.model.event import EventView
from dayline.model.time import Microseconds, Timestamp, format_timestamp, parse_timestamp


class ServerInfo(Struct, frozen=True, kw_only=True):
    """The identity of a server."""

    hostname: str
    version: str
    testing: bool
    device_id: str


class LogRecord(Struct, frozen=True, kw_only=True):
    """One record of a server's log."""

    timestamp: Timestamp
    level: str
    logger: str
    message: str


class ImportReport(Struct, frozen=True, kw_only=True):
    """The result of an import: buckets read, and events stored, skipped as existing, and left out as invalid."""

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
    """Whether the event existed."""

    success: bool


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


class ClientEvent(Struct, frozen=True, kw_only=True):
    """An event from `timestamp`, which has a time zone, for `duration`. `id` is None until it is stored."""

    timestamp: datetime
    duration: timedelta = timedelta()
    data: dict[str, Any] = {}
    id: int | None = None

    @property
    def end(self) -> datetime:
        return self.timestamp + self.duration


def event_of(view: EventView) -> ClientEvent:
    """Decode an event. Raises UnexpectedResponse if its times are invalid."""
    try:
        timestamp = _EPOCH + parse_timestamp(view.timestamp) * _MICROSECOND
        duration = round(view.duration * 1_000_000) * _MICROSECOND
    except (ValueError, OverflowError) as error:
        raise UnexpectedResponse(f"the response contains an invalid event: {error}") from error
    return ClientEvent(timestamp=timestamp, duration=duration, data=view.data, id=view.id)


def body_of(event: ClientEvent) -> dict[str, Any]:
    """Encode an event; without `id` if it has none. Raises Invalid for a time without a time zone."""
    body = {
        "timestamp": timestamp_of(event.timestamp, field="timestamp"),
        "duration": event.duration.total_seconds(),
        "data": event.data,
    }
    return body if event.id is None else {**body, "id": event.id}


def timestamp_of(time: datetime, *, field: str) -> str:
    """Encode a time. Raises Invalid if it has no time zone."""
    if time.tzinfo is None:
        raise Invalid(f"{field} has no time zone", hint="use datetime.now(UTC)", field=field)
    microseconds: Microseconds = (time - _EPOCH) // _MICROSECOND
    return format_timestamp(microseconds)
