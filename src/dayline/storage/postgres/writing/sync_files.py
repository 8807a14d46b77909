"""The files of devices that sync through this server, in a table.

Written on connections of their own: a large file must not delay heartbeats.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from dayline.model.errors import StoreBusy
from dayline.storage.engine.sync_files import SyncFile
from dayline.storage.postgres.connection import FAULTS, Connection, Readers, connect, error_text, transaction


class TableFiles:
    """The files of one tenant."""

    def __init__(self, address: str, readers: Readers, tenant: str) -> None:
        self._address = address
        self._readers = readers
        self._tenant = tenant

    def names(self) -> Sequence[SyncFile]:
        with self._readers.transaction(self._tenant) as db:
            return [SyncFile(*row) for row in db.execute("SELECT device, name FROM sync_file")]

    def used_bytes(self) -> int:
        with self._readers.transaction(self._tenant) as db:
            row = db.execute("SELECT coalesce(sum(octet_length(content)), 0)::bigint FROM sync_file").fetchone()
        return 0 if row is None else int(row[0])

    def read(self, file: SyncFile) -> bytes | None:
        with self._readers.transaction(self._tenant) as db:
            row = db.execute("SELECT content FROM sync_file WHERE device = %s AND name = %s", file).fetchone()
        return None if row is None else bytes(row[0])

    def put(self, file: SyncFile, content: bytes) -> None:
        with self._writing() as db:
            db.execute(
                "INSERT INTO sync_file(tenant, device, name, content) VALUES(%s, %s, %s, %s) "
                "ON CONFLICT(tenant, device, name) DO UPDATE SET content = excluded.content",
                (self._tenant, *file, content),
            )

    def delete(self, file: SyncFile) -> None:
        with self._writing() as db:
            db.execute("DELETE FROM sync_file WHERE device = %s AND name = %s", file)

    @contextmanager
    def _writing(self) -> Generator[Connection]:
        try:
            with connect(self._address) as db, transaction(db, self._tenant):
                yield db
        except FAULTS as error:
            raise StoreBusy(f"the database cannot be written: {error_text(error)}") from error
