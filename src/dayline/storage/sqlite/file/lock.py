"""One server per database file: a lock file that contains the process id."""

import os
from contextlib import suppress
from pathlib import Path
from typing import IO

from dayline.config.data_folder import DataFile, data_file
from dayline.model.errors import StoreLocked, StoreUnusable
from dayline.runtime.files import open_same, try_lock
from dayline.storage.sqlite.file.errors import cannot_write_beside


class FileLock:
    """Held from construction to `close`; the system releases it if the process dies."""

    def __init__(self, database: Path) -> None:
        self._path = data_file(database, DataFile.LOCK)
        try:
            self._file: IO[str] = os.fdopen(open_same(self._path, os.O_RDWR), "r+", encoding="ascii")
        except OSError as error:
            raise cannot_write_beside(database, error) from error
        try:
            is_locked = try_lock(self._file.fileno(), self._path)
        except StoreUnusable:
            self._file.close()
            raise
        if not is_locked:
            self._file.seek(0)
            holder = self._file.read().strip() or "unknown"
            self._file.close()
            raise StoreLocked(
                f"the database {database} is in use by process {holder}",
                hint="stop that process, or choose another file with --database",
            )
        self._file.seek(0)
        self._file.truncate()
        with suppress(OSError):  # the lock works without the process id on a full disk; unbuffered,
            os.write(self._file.fileno(), b"%d\n" % os.getpid())  # because a buffer would be written again on close

    def close(self) -> None:
        self._file.close()
