"""Times: parsed, formatted, and stored as microseconds since 1970 (UTC); periods.

Integers rather than datetimes: the store uses them, they compare and subtract exactly, and a heartbeat allocates no
object for them. Parsing truncates: a time is never rounded into the future.
"""

import re
import time
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from dayline.model.errors import Invalid

Microseconds = int
Timestamp = Annotated[
    str, Meta(extra_json_schema={"format": "date-time"}, examples=["2026-02-03T08:15:31.250Z"])
]  # on the wire

SECOND: Final[Microseconds] = 1_000_000
DAY: Final[Microseconds] = 86_400 * SECOND
EARLIEST: Final[Microseconds] = 0
LATEST: Final[Microseconds] = (
    9_214_646_400 * SECOND - 1
)  # the last microsecond of 2261: the last year that int64 nanoseconds hold whole

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

# msgspec parses what most clients send, but rounds to microseconds: a text of at most this length, without and with a
# zone such as +01:00, has no more than six digits to round.
_MAX_USUAL = 27
_MAX_USUAL_ZONE = 32
_LENIENT = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]+))?"
    r"(?P<zone>[Zz]|(?P<sign>[+-])(?P<zone_hour>[0-9]{2})(?::?(?P<zone_minute>[0-9]{2}))?)?)?"
)


def now_us() -> Microseconds:
    """The current time."""
    return time.time_ns() // 1000


def parse_timestamp(text: str) -> Microseconds:
    """Parse RFC 3339 in any letter case, with `T` or a blank, and any number of fraction digits.

    Without a zone it is UTC; a date alone is its midnight. Raises ValueError with the reason. The result may be outside
    EARLIEST..LATEST, which the caller has to handle.
    """
    if len(text) <= _MAX_USUAL or (len(text) <= _MAX_USUAL_ZONE and text[-3] == ":"):
        try:
            moment = msgspec.convert(text, datetime)
        except (msgspec.ValidationError, UnicodeEncodeError):
            pass  # no zone, the 30th of February, a leap second, bytes that are no UTF-8: the slow path decides
        else:
            if moment.tzinfo is not None:
                return (moment - _EPOCH) // _MICROSECOND
    return _parse_leniently(text)


def parse_parameter(text: str) -> Microseconds:
    """Parse a timestamp from a URL, where a missing `%2B` has turned the `+` of the zone into a blank."""
    head, blank, zone = text.rpartition(" ")
    if blank and ":" in head:
        text = f"{head}+{zone}"
    return parse_timestamp(text)


def clamp(moment: Microseconds) -> Microseconds:
    """Move a bound into the range that events can have."""
    return min(max(moment, EARLIEST), LATEST)


def check_range(moment: Microseconds, *, field: str) -> None:
    """Raise Invalid unless an event may start or end at this time."""
    if not EARLIEST <= moment <= LATEST:
        raise Invalid(f"{field} is outside the years 1970 to 2261", field=field)


def checked_moment(text: str, *, field: str) -> Microseconds:
    """Parse a time from a body at which an event may start or end. Raises Invalid."""
    try:
        moment = parse_timestamp(text)
    except ValueError as error:
        raise Invalid(f"{field}: {error}", field=field) from error
    check_range(moment, field=field)
    return moment


@lru_cache(maxsize=4096)  # the same starts and ends are formatted repeatedly: of buckets, of events being extended
def format_timestamp(moment: Microseconds) -> str:
    """Format as UTC with `Z` and the shortest exact fraction of 0, 3 or 6 digits."""
    day, rest = divmod(moment, DAY)
    seconds, fraction = divmod(rest, SECOND)
    minutes, second = divmod(seconds, 60)
    text = f"{_date_text(day)}T{minutes // 60:02}:{minutes % 60:02}:{second:02}"  # 2026-02-03T08:15:31
    if not fraction:
        return f"{text}Z"
    return f"{text}.{fraction:06}Z" if fraction % 1000 else f"{text}.{fraction // 1000:03}Z"


@lru_cache(maxsize=512)  # most events of a run are of a few days
def _date_text(day: int) -> str:
    return (_EPOCH + timedelta(days=day)).isoformat()[:10]


def optional_timestamp(moment: Microseconds | None) -> Timestamp | None:
    """The same, for a time that may be unknown."""
    return None if moment is None else format_timestamp(moment)


@lru_cache(maxsize=4096)
def timestamp_bytes(moment: Microseconds) -> bytes:
    """The same as bytes, for responses built by hand."""
    return format_timestamp(moment).encode()


def month_of(moment: Microseconds) -> int:
    """The calendar month (UTC), counted from January 1970 = 0."""
    return _month_of_day(moment // DAY)


@lru_cache(maxsize=512)  # most events of a run are of a few days
def _month_of_day(day: int) -> int:
    date = _EPOCH + timedelta(days=day)
    return (date.year - 1970) * 12 + date.month - 1


@lru_cache(maxsize=4096)
def start_of_month(month: int) -> Microseconds:
    """The first microsecond of a month as counted by `month_of`."""
    years, months = divmod(month, 12)
    return (datetime(1970 + years, months + 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND


def _parse_leniently(text: str) -> Microseconds:
    match = _LENIENT.fullmatch(text)
    if match is None:
        raise ValueError(f"{shorten(text)!r} is not a time like 2026-02-03T08:15:31.250Z")
    part = match.groupdict(default="0")
    try:
        midnight = datetime.fromisoformat(part["date"]).replace(tzinfo=UTC)
    except ValueError as error:
        raise ValueError(f"{shorten(text)!r} is not a valid date") from error
    hour, minute, second = int(part["hour"]), int(part["minute"]), int(part["second"])
    zone_hour, zone_minute = int(part["zone_hour"]), int(part["zone_minute"])
    # 60 is a leap second (RFC 3339); like on ActivityWatch servers, it counts as the first second of the next minute.
    if hour > 23 or minute > 59 or second > 60:
        raise ValueError(f"{shorten(text)!r} is not a valid time of day")
    if zone_hour > 23 or zone_minute > 59:
        raise ValueError(f"{shorten(text)!r} has an invalid time zone")
    zone = timedelta(hours=zone_hour, minutes=zone_minute)
    if part["sign"] == "-":
        zone = -zone
    whole = midnight - _EPOCH + timedelta(hours=hour, minutes=minute, seconds=second) - zone
    return whole // _MICROSECOND + int(part["fraction"][:6].ljust(6, "0"))


def shorten(text: str) -> str:
    """The start of a client's text, for an error message."""
    return text if len(text) <= 40 else f"{text[:40]}…"


class Period(Struct, frozen=True):
    """A closed range of time. If its end is before its start, it contains no events."""

    start: Microseconds
    end: Microseconds


def parse_period(text: str, *, field: str) -> Period:
    """Parse `start/end`. Raises Invalid, naming `field`."""
    parts = text.split("/")
    if len(parts) != 2:
        raise Invalid(
            f"{field}: {shorten(text)} is not a period",
            hint="use start/end, such as 2026-02-03T04:00:00+01:00/2026-02-04T04:00:00+01:00",
            field=field,
        )
    return Period(checked_moment(parts[0], field=field), checked_moment(parts[1], field=field))
