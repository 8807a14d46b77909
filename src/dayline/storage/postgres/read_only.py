"""A PostgreSQL database opened for reading only: no upgrade, no tenant created, no background work.

For commands that only read, if no server on this machine uses the database.
"""

from typing import TypeVar

from dayline.model.errors import NotFound, StoreUnusable
from dayline.storage.postgres.connection import display_address
from dayline.storage.postgres.database import PostgresDatabase, status_at
from dayline.storage.postgres.schema.migrate import SchemaStatus
from dayline.storage.postgres.writing.listener import NotificationListener
from dayline.storage.postgres.writing.writer import PostgresTenantWriter
from dayline.storage.store import Workers
from dayline.storage.writing.tenant_writers import ReadOnlyWriter

T = TypeVar("T")


class ReadOnlyPostgres(PostgresDatabase):
    """Raises NotFound if the database has no tables of ours, StoreTooNew or StoreUnusable if the schema differs."""

    def check_unchanged(self) -> None:
        """Every read sees one state of the database."""

    def _prepare(self, address: str) -> None:
        status = check_exists(address)
        if status.state == "old":
            raise StoreUnusable(
                f"{display_address(address)} has schema {status.version}; read-only commands do not upgrade it",
                hint="run: dayline database upgrade",
            )

    def _writer_of(self, tenant: str) -> PostgresTenantWriter:
        return _ReadOnlyTenantWriter(self._writer, tenant)

    def _new_listener(self, address: str) -> NotificationListener | None:
        return None

    def _start(self, workers: Workers) -> None:
        """Their work in the background is for servers."""

    def _make_tenant(self, tenant: str) -> None:
        """Does nothing: an unknown tenant reads as empty."""


class _ReadOnlyTenantWriter(ReadOnlyWriter, PostgresTenantWriter):
    """Rejects every change of one tenant."""


def check_exists(address: str) -> SchemaStatus:
    """The schema at an address. Raises NotFound if there are no tables of ours; StoreTooNew, StoreUnusable."""
    status = status_at(address)
    if status.state == "empty":
        raise NotFound(
            f"no Dayline database at {display_address(address)}",
            hint="start recording with: dayline serve; or choose another database with --database",
        )
    return status
