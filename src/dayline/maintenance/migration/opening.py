"""Detects the kind of a file, and opens it for reading."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

from dayline.config.data_folder import DataFile, scratch_folder
from dayline.maintenance.migration.export_file import ExportFile
from dayline.maintenance.migration.finding import settings_file_of
from dayline.maintenance.migration.snapshot import snapshot
from dayline.maintenance.migration.sources import PythonServer, RustServer, Source, kind_of_tables
from dayline.model.data import decode_json
from dayline.model.errors import DaylineError, Invalid, NotFound
from dayline.runtime.encrypted_file import PLAIN_MAGIC
from dayline.runtime.spool import open_input
from dayline.runtime.sqlite_file import READ_WRITE, connect_copy
from dayline.runtime.untrusted import MAX_VALUE_BYTES, RECOVER_HINT

_HINT = "use the database of an ActivityWatch server (peewee-sqlite.v2.db, sqlite.db), or a JSON export"
_MAX_SETTINGS_BYTES: Final = 4 << 20


@contextmanager
def opened_source(path: Path, *, scratch: Path | None = None) -> Generator[Source]:
    """A snapshot of the file at a path. The copy is made in `scratch` and deleted after the block.

    Raises NotFound if there is no file, Invalid or Malformed if it is not a supported source.
    """
    try:
        with open_input(path) as file:
            head = file.read(1024)
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {path}", hint=_HINT) from error
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}", hint=_HINT) from error
    with scratch_folder(DataFile.IMPORT, scratch) as folder:
        if head.startswith(PLAIN_MAGIC):
            with _opened_database(path, folder) as source:
                yield source
        elif head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
            yield ExportFile(path, folder)
        else:
            raise Invalid(f"{path} is neither a database nor a JSON export", hint=_HINT)


@contextmanager
def _opened_database(path: Path, folder: Path) -> Generator[Source]:
    db = connect_copy(snapshot(path, folder), READ_WRITE)
    try:
        match kind_of_tables(db):
            case "aw-server":
                yield PythonServer(path, db, _settings(settings_file_of(path)))
            case "aw-server-rust":
                yield RustServer(path, db)
            case None:
                raise Invalid(f"{path} is not the database of an ActivityWatch server", hint=_HINT)
    except apsw.CorruptError as error:
        # Only here, because damaged pages are noticed when their rows are read.
        raise Invalid(f"{path} is damaged: {error}", hint=RECOVER_HINT) from error
    except apsw.TooBigError as error:
        raise Invalid(f"{path} has a value of more than {MAX_VALUE_BYTES >> 20} MiB", hint=_HINT) from error
    finally:
        db.close()


def _settings(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        if file.stat().st_size > _MAX_SETTINGS_BYTES:
            raise Invalid(f"it is larger than {_MAX_SETTINGS_BYTES >> 20} MiB")
        return msgspec.convert(decode_json(file.read_bytes()), dict[str, Any])
    except (OSError, DaylineError, msgspec.ValidationError) as error:
        raise Invalid(
            f"cannot read the settings file {file}: {error}", hint="move it away to continue without it"
        ) from error
