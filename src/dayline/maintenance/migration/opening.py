"""Tells what a file is, and opens it to be read."""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import msgspec

from dayline.maintenance.migration.finding import settings_file_of
from dayline.maintenance.migration.snapshot import MAGIC, open_snapshot, snapshot
from dayline.maintenance.migration.sources import ExportFile, PythonServer, RustServer, Source
from dayline.model.data import decode_json
from dayline.model.errors import DaylineError, Invalid, NotFound

_HINT = "give the database of an ActivityWatch server (peewee-sqlite.v2.db, sqlite.db), or a JSON export"


@contextmanager
def opened_source(path: Path, *, scratch: Path | None = None) -> Generator[Source]:
    """What lies at a path, in the state of this moment. The copy is made in `scratch` and gone after the block.

    Raises NotFound where nothing is there, Invalid or Malformed where it is nothing of theirs.
    """
    try:
        with path.open("rb") as file:
            head = file.read(1024)
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {path}", hint=_HINT) from error
    except OSError as error:
        raise Invalid(f"{path} cannot be read: {error.strerror}", hint=_HINT) from error
    with tempfile.TemporaryDirectory(prefix="dayline-migrate-", dir=scratch, ignore_cleanup_errors=True) as folder:
        if head.startswith(MAGIC):
            with _opened_database(path, Path(folder)) as source:
                yield source
        elif head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
            yield ExportFile(path, Path(folder))
        else:
            raise Invalid(f"{path} is neither a database nor a JSON export", hint=_HINT)


@contextmanager
def _opened_database(path: Path, folder: Path) -> Generator[Source]:
    db = open_snapshot(snapshot(path, folder))
    try:
        tables = {str(row[0]) for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables >= {"bucketmodel", "eventmodel"}:
            yield PythonServer(path, db, _settings(settings_file_of(path)))
        elif tables >= {"buckets", "events"}:
            yield RustServer(path, db)
        else:
            raise Invalid(f"{path} is a database, but not of an ActivityWatch server", hint=_HINT)
    except apsw.CorruptError as error:
        # Only now, because a page in the middle is looked at when its rows are read.
        raise Invalid(
            f"{path} is damaged: {error}", hint="recover what is readable first: sqlite3 FILE .recover | sqlite3 NEW"
        ) from error
    finally:
        db.close()


def _settings(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        return msgspec.convert(decode_json(file.read_bytes()), dict[str, Any])
    except (OSError, DaylineError, msgspec.ValidationError) as error:
        raise Invalid(
            f"the settings file {file} cannot be read: {error}", hint="move it away to go on without"
        ) from error
