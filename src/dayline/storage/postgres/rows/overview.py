"""What is in a database, at a glance. Changes nothing."""

from typing import Final

from msgspec import Struct

from dayline.storage.postgres.connections.connection import connect, shown, transaction
from dayline.storage.postgres.schema.migrating import State, status_of

_COUNTS: Final = """
SELECT (SELECT count(*) FROM bucket WHERE tenant = '' AND deleted IS NULL),
    (SELECT coalesce(sum(month.events), 0)::bigint FROM month
     JOIN bucket ON bucket.tenant = '' AND bucket.key = month.bucket
     WHERE month.tenant = '' AND bucket.deleted IS NULL)
"""
_PEOPLE: Final = "SELECT DISTINCT tenant FROM access_key WHERE tenant <> '' ORDER BY tenant"
_CONNECTIONS: Final = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'dayline' AND pid <> pg_backend_pid()
"""


class Overview(Struct, frozen=True, kw_only=True):
    """`version` is that of the tables, `newest` the one that this program makes; no password is in `name`.

    Buckets and events are those of the person without a name, `people` the names of others that there are keys for.
    """

    name: str
    postgres: str
    state: State
    version: int
    newest: int
    connections: int  # of servers and commands of ours
    buckets: int = 0
    events: int = 0
    people: list[str] = []


def overview_of(address: str) -> Overview:
    """Look at a database. Raises FAULTS."""
    with connect(address, is_owner=True) as db:
        status = status_of(db)
        connections = db.execute(_CONNECTIONS).fetchone() or (0,)
        counts: tuple[int, ...] = (0, 0)
        people: list[str] = []
        if status.state in ("current", "newer"):
            with transaction(db, "", is_snapshot=True):
                counts = db.execute(_COUNTS).fetchone() or counts
                people = [tenant for (tenant,) in db.execute(_PEOPLE).fetchall()]
        return Overview(
            name=shown(address),
            postgres=db.info.parameter_status("server_version") or "",
            state=status.state,
            version=status.version,
            newest=status.newest,
            connections=connections[0],
            buckets=counts[0],
            events=counts[1],
            people=people,
        )
