"""What `dayline database` shows: a summary of a database."""

from typing import Final

from msgspec import Struct

from dayline.storage.postgres.connection import connect, display_address, transaction
from dayline.storage.postgres.schema.migrate import State, status_of

_COUNTS: Final = """
SELECT (SELECT count(*) FROM bucket WHERE tenant = '' AND deleted IS NULL),
    (SELECT coalesce(sum(month.events), 0)::bigint FROM month
     JOIN bucket ON bucket.tenant = '' AND bucket.key = month.bucket
     WHERE month.tenant = '' AND bucket.deleted IS NULL)
"""
_TENANTS: Final = "SELECT DISTINCT tenant FROM access_key WHERE tenant <> '' ORDER BY tenant"
_CONNECTIONS: Final = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'dayline' AND pid <> pg_backend_pid()
"""


class Overview(Struct, frozen=True, kw_only=True):
    """`version` is that of the tables, `newest` the one of this program; `name` has no password.

    Buckets and events are those of the unnamed tenant; `tenants` are the names of those with keys.
    """

    name: str
    postgres: str
    state: State
    version: int
    newest: int
    connections: int  # of servers and commands of ours
    buckets: int = 0
    events: int = 0
    tenants: list[str] = []


def overview_of(address: str) -> Overview:
    """Inspect a database without changing it. Raises FAULTS."""
    with connect(address, is_owner=True) as db:
        status = status_of(db)
        connections = db.execute(_CONNECTIONS).fetchone() or (0,)
        counts: tuple[int, ...] = (0, 0)
        tenants: list[str] = []
        if status.state in ("current", "newer"):
            with transaction(db, "", is_snapshot=True):
                counts = db.execute(_COUNTS).fetchone() or counts
                tenants = [tenant for (tenant,) in db.execute(_TENANTS).fetchall()]
        return Overview(
            name=display_address(address),
            postgres=db.info.parameter_status("server_version") or "",
            state=status.state,
            version=status.version,
            newest=status.newest,
            connections=connections[0],
            buckets=counts[0],
            events=counts[1],
            tenants=tenants,
        )
