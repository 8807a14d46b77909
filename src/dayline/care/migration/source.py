"""What there is to bring along, whichever server or file it comes from."""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, cast

from msgspec import Struct

from dayline.model.data import canonical_data, decode_json
from dayline.model.errors import DaylineError
from dayline.model.event import Event
from dayline.model.timestamps import EARLIEST, LATEST, Microseconds, check_range, parse_timestamp


class LeftOut(StrEnum):
    """Why an event of theirs does not come along."""

    NEGATIVE = "negative duration"
    OUTSIDE = "outside 1970 to 2261"
    BAD_DATA = "data are no JSON object"
    BAD_TIME = "time cannot be read"
    DROPPED = "dropped by your privacy rules"


class SourceBucket(Struct, frozen=True, kw_only=True):
    """A bucket of theirs; `number` is what its rows know it by."""

    number: int
    id: str
    type: str
    client: str
    hostname: str
    created: str | None
    data: dict[str, Any]


class Source(Protocol):
    """A state of somebody's data that does not change while it is read, and can be read again."""

    @property
    def kind(self) -> str:
        """What it is, for people."""
        ...

    @property
    def path(self) -> Path:
        """Where it was found."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """What clients have stored under their keys: categories among them."""
        ...

    def buckets(self) -> list[SourceBucket]:
        """Every bucket, in their order."""
        ...

    def events(self, bucket: SourceBucket) -> Iterator[Event | LeftOut]:
        """The events of a bucket, oldest first, or why one cannot be used."""
        ...


class Survey(Struct, frozen=True, kw_only=True):
    """What a bucket of theirs holds: usable events, from the first start to the last end, and those left out."""

    bucket: str
    events: int
    start: Microseconds | None
    end: Microseconds | None
    left_out: dict[LeftOut, int]


def survey(source: Source, bucket: SourceBucket) -> Survey:
    """Read through a bucket."""
    count, start, end = 0, LATEST, EARLIEST
    left_out: dict[LeftOut, int] = {}
    for event in source.events(bucket):
        if isinstance(event, LeftOut):
            left_out[event] = left_out.get(event, 0) + 1
            continue
        count += 1
        start, end = min(start, event.start), max(end, event.end)
    return Survey(
        bucket=bucket.id,
        events=count,
        start=start if count else None,
        end=end if count else None,
        left_out=left_out,
    )


def usable_event(start: Microseconds, duration: Microseconds, data: object) -> Event | LeftOut:
    """The event that Dayline keeps for a row of theirs, or why it keeps none. `data` are the bytes of JSON text."""
    if duration < 0:
        return LeftOut.NEGATIVE
    if start < EARLIEST or start + duration > LATEST:
        return LeftOut.OUTSIDE
    if not isinstance(data, bytes):
        return LeftOut.BAD_DATA
    try:
        return Event(start=start, duration=duration, data=canonical_data(data))
    except DaylineError:
        return LeftOut.BAD_DATA


def usable_moment(text: object) -> str | None:
    """When a bucket was made, where that is a time that Dayline takes."""
    try:
        check_range(parse_timestamp(str(text)), field="created")
    except (ValueError, DaylineError):
        return None
    return str(text)


def usable_object(text: object) -> dict[str, Any]:
    """The object that is kept as text beside a bucket; an empty one where there is none."""
    try:
        value = decode_json(str(text).encode())
    except (DaylineError, UnicodeEncodeError):
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}  # JSON has no other keys


def source_buckets(rows: Iterable[tuple[object, ...]]) -> list[SourceBucket]:
    """Buckets from rows of number, id, type, client, hostname, time of creation and data."""
    return [
        SourceBucket(
            number=int(str(number)),
            id=str(bucket_id),
            type=str(kind),
            client=str(client),
            hostname=str(hostname),
            created=usable_moment(created),
            data=usable_object(text),
        )
        for number, bucket_id, kind, client, hostname, created, text in rows
    ]
