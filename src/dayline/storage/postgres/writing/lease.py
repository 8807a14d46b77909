"""The lease for the history of a tenant: one server at a time applies rules of privacy or retention.

The server writes its name and the time to the database, and renews the time. After LEASE_S without renewal the next
server takes over and resumes what is unfinished. Every step checks the lease in its own transaction, so two servers
never work at the same time, however long one of them was stalled.
"""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from dayline.model.errors import DaylineError, StoreBusy
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.engine.tenant import Fence, TenantWriter
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.rows.undo_log import NOW
from dayline.storage.postgres.writing.transaction import PostgresTransaction

LEASE_S: Final = 5.0  # a stalled server loses its lease after this time, and nothing else
_LEASE_US: Final = int(LEASE_S * 1_000_000)
_RENEW_S: Final = LEASE_S / 4
_RETRY_S: Final = 0.2

_CLAIM: Final = f"""
INSERT INTO redaction_owner AS old (tenant, owner, seen) VALUES(%(tenant)s, %(owner)s, {NOW})
ON CONFLICT (tenant) DO UPDATE SET owner = excluded.owner, seen = excluded.seen
WHERE old.owner = '' OR old.seen < {NOW} - %(lease)s
RETURNING 1
"""
_RENEW: Final = f"UPDATE redaction_owner SET seen = {NOW} WHERE tenant = %s AND owner = %s"
_IS_LEASED: Final = f"""
SELECT 1 FROM redaction_owner WHERE tenant = %s AND owner <> '' AND seen >= {NOW} - %s
"""
_RELEASE: Final = "UPDATE redaction_owner SET owner = '' WHERE tenant = %s AND owner = %s"


@asynccontextmanager
async def leased(tenant_writer: TenantWriter) -> AsyncGenerator[Fence]:
    """Hold the lease for the length of the block."""
    owner = secrets.token_hex(8)
    fence = partial(_check_lease, owner=owner)
    while not await tenant_writer.change(partial(_claim, owner=owner)):
        await asyncio.sleep(_RETRY_S)
    renewal = BackgroundWorkers().task(
        "renewal of the redaction lease",
        lambda: tenant_writer.change(fence),
        interval_s=_RENEW_S,
        initial_delay_s=_RENEW_S,
        max_retry_s=_RENEW_S,
    )
    renewal.start()
    try:
        yield fence
    finally:
        await renewal.close()
        with contextlib.suppress(DaylineError):  # then other servers wait until it expires
            await tenant_writer.change(partial(_release, owner=owner))


def is_leased(db: Connection, tenant: str) -> bool:
    """Whether a server holds the lease."""
    return db.execute(_IS_LEASED.encode(), (tenant, _LEASE_US)).fetchone() is not None


def _check_lease(turn: WriteTransaction, owner: str) -> None:
    """Renew the lease; no other server can take it until the commit. Raises StoreBusy."""
    assert isinstance(turn, PostgresTransaction)
    if not turn.db.execute(_RENEW.encode(), (turn.tenant, owner)).rowcount:
        raise StoreBusy("another server has taken over")


def _claim(turn: WriteTransaction, owner: str) -> bool:
    assert isinstance(turn, PostgresTransaction)
    terms = {"tenant": turn.tenant, "owner": owner, "lease": _LEASE_US}
    return turn.db.execute(_CLAIM.encode(), terms).fetchone() is not None


def _release(turn: WriteTransaction, owner: str) -> None:
    assert isinstance(turn, PostgresTransaction)
    turn.db.execute(_RELEASE, (turn.tenant, owner))
