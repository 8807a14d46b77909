"""A database file opened for reading only: no lock, no log, no upgrade, no files created next to it.

For commands that only read while no server runs. A server that starts during that time is not blocked. Its writes go to
its log, which is not read here, and seconds later into the file itself; `check_unchanged` detects that.
"""

import tempfile
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import apsw

from dayline.model.errors import NotFound, StoreBusy, StoreUnusable
from dayline.model.health import Damage, Problem
from dayline.model.time import now_us
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.columns.segment_plan import SEGMENT_PACE
from dayline.storage.history.contract import TRASH_POLICY, TrashPolicy
from dayline.storage.sqlite.file.connection import ReaderPool, has_log, open_without_trace
from dayline.storage.sqlite.file.errors import cannot_open
from dayline.storage.sqlite.file.faults import STORAGE_FAULTS
from dayline.storage.sqlite.file.schema import MIGRATIONS, version_of
from dayline.storage.sqlite.repair.mark import read_mark, recovery_path
from dayline.storage.sqlite.store import SingleTenant
from dayline.storage.sqlite.writing.catalogue import Catalogue
from dayline.storage.sqlite.writing.writer import FileWriter
from dayline.storage.writing.notices import OnCommit
from dayline.storage.writing.tenant_writers import ReadOnlyWriter

T = TypeVar("T")


class ReadOnlyDatabase(SingleTenant):
    """A database file that is only read. Create and use it on the event loop.

    Raises NotFound, StoreTooNew or StoreUnusable. For a damaged file its recovery file is read. No background work
    runs.
    """

    def __init__(self, path: Path, *, trash_policy: TrashPolicy = TRASH_POLICY) -> None:
        self.background = BackgroundWorkers()
        self._named = path
        self.damage: Damage | None = read_mark(path)
        self.path = path if self.damage is None else recovery_path(path)
        _check(self.path)
        # With a log, every read sees one snapshot of the file, whatever is written.
        self._state = None if has_log(self.path) else _state_of(self.path)
        self._readers = ReaderPool(self.path, opened=open_without_trace)
        with self._readers.connection() as db:
            self._writer = _ReadOnlyFileWriter(Catalogue(db))
        self._assemble(
            self.path,
            self._writer,
            self._readers,
            trash=trash_policy,
            ages=now_us,
            pace=SEGMENT_PACE,
            scratch=self.scratch,
            background=self.background,
        )

    def check_unchanged(self) -> None:
        """Raise StoreBusy if the file has changed since it was opened: reads since then may be inconsistent."""
        if self._state is not None and _state_of(self.path) != self._state:
            raise StoreBusy(f"{self.path} changed while it was being read", hint="run the command again")

    def scratch(self) -> Path:
        """A new temporary folder, not next to the database."""
        return Path(tempfile.mkdtemp(prefix="dayline-"))

    def problems(self) -> list[Problem]:
        return []

    def listen(self, on_commit: OnCommit | None, *, tenant: str = "") -> None:
        """Does nothing: there are no commits."""

    def stop_holding(self) -> None:
        """Does nothing: no writes are queued."""

    async def close(self) -> None:
        self._readers.close()


class _ReadOnlyFileWriter(ReadOnlyWriter, FileWriter):
    """Rejects every change of the file."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._opened = now_us()

    @property
    def revision(self) -> int:
        """Constant: nothing changes."""
        return self._opened

    @property
    def is_awaited(self) -> bool:
        return False


def no_database(path: Path) -> NotFound:
    return NotFound(
        f"no database at {path}",
        hint="start recording with: dayline serve; or choose another file with --database",
    )


def _state_of(path: Path) -> tuple[int, ...]:
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _check(path: Path) -> None:
    if not path.exists():
        raise no_database(path)
    try:
        with closing(open_without_trace(path)) as db:
            version = version_of(db)
    except (apsw.NotADBError, *STORAGE_FAULTS) as error:
        raise cannot_open(path, error, "this file cannot be read as a database:") from error
    if version < len(MIGRATIONS):
        raise StoreUnusable(
            f"{path} has the older schema {version}, and read-only commands do not upgrade it",
            hint="upgrade it by starting the server once: dayline serve",
        )
