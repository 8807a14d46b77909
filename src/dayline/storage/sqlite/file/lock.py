"""One server to a database file: a lock beside it that names its holder."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

from dayline.model.errors import StoreLocked
from dayline.storage.sqlite.file.refusals import cannot_write_beside


class FileLock:
    """Held from construction to `close`, and let go of by the system if the process dies."""

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(f"{database.name}.lock")
        try:
            self._file: IO[str] = open(self._path, "a+", encoding="ascii")  # noqa: SIM115  # it stays open: that is the lock
        except OSError as error:
            raise cannot_write_beside(database, error) from error
        try:
            _lock(self._file)
        except OSError as error:
            self._file.seek(0)
            holder = self._file.read().strip() or "unknown"
            self._file.close()
            raise StoreLocked(
                f"the database {database} is in use by process {holder}",
                hint="stop that process, or name another file with --database",
            ) from error
        self._file.seek(0)
        self._file.truncate()
        with suppress(OSError):  # on a full disk the lock holds all the same; not through the file's own memory,
            os.write(self._file.fileno(), b"%d\n" % os.getpid())  # which would try again when it is closed

    def close(self) -> None:
        self._file.close()


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[str]) -> None:
        # Far behind the text, so that others can still read who holds it.
        file.seek(4096)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
