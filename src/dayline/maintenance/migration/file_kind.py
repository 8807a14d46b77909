"""Recognizes what a file to import is, by its first bytes."""

from pathlib import Path
from typing import Final, Literal, TypeAlias

from dayline.model.errors import Invalid

FileKind: TypeAlias = Literal["database", "document", "archive"]

FILE_HINT: Final = "give a database or folder of ActivityWatch, a JSON export, or an archive"
SQLITE_MAGIC: Final = b"SQLite format 3\0"
_ARCHIVE: Final = (b"\x28\xb5\x2f\xfd", b"DAYLINE-SEALED-1")  # zstd, and encrypted


def file_kind(path: Path, *, name: str | None = None) -> FileKind:
    """What a file is. Raises Invalid, which calls it by `name`; default: its path."""
    try:
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}") from error
    if head.startswith(SQLITE_MAGIC):
        return "database"
    if head.startswith(_ARCHIVE):
        return "archive"
    if head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"[")):
        return "document"
    raise Invalid(f"{name or path} is neither a database, a JSON export nor an archive", hint=FILE_HINT)
