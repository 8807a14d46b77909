"""The forms that an export can have: one document, a table, or a line for every event."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import BinaryIO, Final, Protocol, TypeVar

import msgspec

from dayline.model.bucket import BucketView
from dayline.model.event import Event
from dayline.model.event_table import COLUMNS, cell
from dayline.model.timestamps import timestamp_bytes

EVENTS_A_WRITE: Final = 1000
_FIELDS: Final = ("app", "title", "url")

T = TypeVar("T")
Advance = Callable[[int], None]


class Chosen(Protocol):
    """A bucket, and those of its events that are wanted."""

    @property
    def bucket(self) -> BucketView: ...

    @property
    def events(self) -> Iterable[Event]: ...


def write_document(chosen: Iterable[Chosen], file: BinaryIO, advance: Advance) -> int:
    """The export document of the ActivityWatch servers."""
    count = 0
    file.write(b'{"buckets":{')
    for number, each in enumerate(chosen):
        head = msgspec.json.encode(each.bucket).removesuffix(b'"events":null}')
        file.write(b'%b%b:%b"events":[' % (b",\n" if number else b"\n", msgspec.json.encode(each.bucket.id), head))
        written = 0
        for batch in _batches(map(_in_document, each.events)):
            file.write((b",\n" if written else b"\n") + b",\n".join(batch))
            written += len(batch)
            advance(len(batch))
        count += written
        file.write(b"]}")
    file.write(b"\n}}\n")
    return count


def write_lines(chosen: Iterable[Chosen], file: BinaryIO, advance: Advance) -> int:
    """A JSON object for every event, each on a line of its own."""
    count = 0
    for each in chosen:
        head = b'{"bucket":%b,' % msgspec.json.encode(each.bucket.id)
        for batch in _batches(map(_in_document, each.events)):
            file.write(b"".join(head + line[1:] + b"\n" for line in batch))
            count += len(batch)
            advance(len(batch))
    return count


def write_table(chosen: Iterable[Chosen], file: BinaryIO, advance: Advance) -> int:
    """A table for spreadsheets, with all data as JSON in the last column."""
    count = 0
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    for each in chosen:
        bucket = each.bucket
        head = [cell(part) for part in (bucket.id, bucket.hostname, bucket.type)]
        for batch in _batches(_row(event) for event in each.events):
            rows.writerows([*head, *row] for row in batch)
            count += len(batch)
            advance(len(batch))
    text.detach()  # or it would close the file
    return count


def _in_document(event: Event) -> bytes:
    # Without the id: it means something else to whoever reads this.
    timestamp, seconds = timestamp_bytes(event.start), event.duration / 1_000_000
    return b'{"timestamp":"%b","duration":%a,"data":%b}' % (timestamp, seconds, event.data)


def _row(event: Event) -> list[str]:
    data = msgspec.json.decode(event.data)
    times = (timestamp_bytes(at).decode() for at in (event.start, event.end))
    fields = (cell(data[name]) if isinstance(data.get(name), str) else "" for name in _FIELDS)
    return [*times, repr(event.duration / 1_000_000), *fields, event.data.decode()]


def _batches(lines: Iterable[T]) -> Iterator[list[T]]:
    following = iter(lines)
    while batch := list(islice(following, EVENTS_A_WRITE)):
        yield batch
