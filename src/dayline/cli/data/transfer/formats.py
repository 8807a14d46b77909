"""The formats of `dayline export`: one document, a table, or one line per event."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import BinaryIO, Final, Protocol, TypeVar

import msgspec

from dayline.model.bucket import BucketView
from dayline.model.event import Event
from dayline.model.time import timestamp_bytes
from dayline.runtime.text import EVENT_COLUMNS, cell

EVENTS_PER_WRITE: Final = 1000
_FIELDS: Final = ("app", "title", "url")

T = TypeVar("T")
Advance = Callable[[int], None]


class MatchedRows(Protocol):
    """A bucket and the selected events."""

    @property
    def bucket(self) -> BucketView: ...

    @property
    def events(self) -> Iterable[Event]: ...


def write_document(chosen: Iterable[MatchedRows], file: BinaryIO, advance: Advance) -> int:
    """The export document of ActivityWatch."""
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


def write_lines(chosen: Iterable[MatchedRows], file: BinaryIO, advance: Advance) -> int:
    """One JSON object per line and event."""
    count = 0
    for each in chosen:
        head = b'{"bucket":%b,' % msgspec.json.encode(each.bucket.id)
        for batch in _batches(map(_in_document, each.events)):
            file.write(b"".join(head + line[1:] + b"\n" for line in batch))
            count += len(batch)
            advance(len(batch))
    return count


def write_table(chosen: Iterable[MatchedRows], file: BinaryIO, advance: Advance) -> int:
    """A table for spreadsheets, with all data as JSON in the last column."""
    count = 0
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    rows = csv.writer(text)
    rows.writerow(EVENT_COLUMNS)
    for each in chosen:
        bucket = each.bucket
        head = [cell(part) for part in (bucket.id, bucket.hostname, bucket.type)]
        for batch in _batches(_row(event) for event in each.events):
            rows.writerows([*head, *row] for row in batch)
            count += len(batch)
            advance(len(batch))
    text.detach()  # otherwise it would close the file
    return count


def _in_document(event: Event) -> bytes:
    # Without the id, which has no meaning in another database.
    timestamp, seconds = timestamp_bytes(event.start), event.duration / 1_000_000
    return b'{"timestamp":"%b","duration":%a,"data":%b}' % (timestamp, seconds, event.data)


def _row(event: Event) -> list[str]:
    data = msgspec.json.decode(event.data)
    times = (timestamp_bytes(at).decode() for at in (event.start, event.end))
    fields = (cell(data[name]) if isinstance(data.get(name), str) else "" for name in _FIELDS)
    return [*times, repr(event.duration / 1_000_000), *fields, event.data.decode()]


def _batches(lines: Iterable[T]) -> Iterator[list[T]]:
    following = iter(lines)
    while batch := list(islice(following, EVENTS_PER_WRITE)):
        yield batch
