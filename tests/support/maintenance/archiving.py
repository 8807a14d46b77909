"""Archives made and restored in this process, and what is in them."""

from io import BytesIO
from pathlib import Path
from typing import Any, Final

import msgspec
import zstandard

from dayline.maintenance.archives import create_archive, restore_archive
from dayline.storage.opening import Location
from dayline.storage.transfer.archive import Trailer
from tests.support.project.tracked import ROOT

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
