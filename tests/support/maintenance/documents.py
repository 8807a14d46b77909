"""Export documents of any size, made quickly; archives made and restored in this process, and what is in them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import msgspec
import zstandard

from dayline.maintenance.archives import create_archive, restore_archive
from dayline.storage.opening import Location
from dayline.storage.transfer.archive import Trailer
from tests.support.project.files import ROOT

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


MADE = 1_772_366_400_000_000
PAGE: Final = (ROOT / "docs" / "reference" / "files.md").read_text("utf-8").partition("\n## Archives\n")[2]
EXAMPLE: Final = PAGE.partition("```json\n")[2].partition("```")[0]  # an archive with every kind of line


def archived(database: Location, target: Path) -> Trailer:
    """Write an archive of a database."""
    with target.open("wb") as file:
        return create_archive(
            database, file, made=MADE, server="1.2.3", on_start=lambda _: None, on_events=lambda _: None
        )


def restored(archive: Path, database: Location) -> tuple[Trailer, Path | None]:
    return restore_archive(database, archive, now=0, on_start=lambda _: None, on_events=lambda _: None)


def raw_lines(archive: Path) -> list[bytes]:
    """The lines of an archive, each with its end."""
    with zstandard.ZstdDecompressor().stream_reader(BytesIO(archive.read_bytes())) as plain:
        return plain.read().splitlines(keepends=True)


def lines(archive: Path) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in raw_lines(archive)]


def lines_of(archive: Path, kind: str) -> list[dict[str, Any]]:
    return [line for line in lines(archive) if line["kind"] == kind]


def packed(target: Path, *content: bytes) -> Path:
    """An archive of these lines."""
    target.write_bytes(zstandard.ZstdCompressor().compress(b"".join(content)))
    return target


def example() -> list[bytes]:
    """The lines of the documented archive."""
    return EXAMPLE.encode().splitlines(keepends=True)
