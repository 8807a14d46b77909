"""Export documents of any size, made quickly."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

_BEGIN: Final = datetime(2026, 1, 1, tzinfo=UTC)


def document(bucket_id: str, *, events: int, values: int = 1000, padding: int = 0) -> bytes:
    """One bucket whose events are all different, ten seconds apart, with this many distinct values.

    `padding` is how many characters each title has more than it needs.
    """
    return b"".join(_pieces(bucket_id, events, values, padding))


def write_document(path: Path, bucket_id: str, *, events: int, values: int = 1000, padding: int = 0) -> None:
    """The same into a file, without ever having it in memory."""
    with path.open("wb") as file:
        file.writelines(_pieces(bucket_id, events, values, padding))


def _pieces(bucket_id: str, events: int, values: int, padding: int) -> Iterator[bytes]:
    more = "x" * padding
    head = f'"id":"{bucket_id}","type":"test.type","client":"test-client","hostname":"laptop"'
    yield f'{{"buckets":{{"{bucket_id}":{{{head},"events":['.encode()
    for number in range(events):
        moment = (_BEGIN + timedelta(seconds=10 * number)).strftime("%Y-%m-%dT%H:%M:%SZ")
        value = number * 7919 % values
        data = f'{{"app":"Application {value % 50}","title":"A window title that is as long as most · {value}{more}"}}'
        comma = "," if number else ""
        yield f'{comma}{{"timestamp":"{moment}","duration":{number % 10},"data":{data}}}'.encode()
    yield b"]}}}"
