"""Which of the servers changes the history of a tenant by rules: one at a time, from the plan to the end.

It says so in the database, and that it is still there. When it has not been heard of for a while, the next one takes
over, and goes on with what is unfinished. Every slice looks in its own transaction whether it still is the owner's: so
nothing is done by two, however long a server was held up.
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
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.rows.undo_log import NOW
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.writer import PostgresTenantWriter

LEASE_S: Final = 5.0  # an owner that was not heard of for so long has ended; nothing is lost where it has not
_LEASE_US: Final = int(LEASE_S * 1_000_000)
_RENEW_S: Final = LEASE_S / 4
_BETWEEN_TRIES_S: Final = 0.2

_CLAIM: Final = f"""
INSERT INTO redaction_owner AS old (tenant, owner, seen) VALUES(%(tenant)s, %(owner)s, {NOW})
ON CONFLICT (tenant) DO UPDATE SET owner = excluded.owner, seen = excluded.seen
WHERE old.owner = '' OR old.seen < {NOW} - %(lease)s
RETURNING 1
"""
_HOLD: Final = f"UPDATE redaction_owner SET seen = {NOW} WHERE tenant = %s AND owner = %s"
_IS_OWNED: Final = f"""
SELECT 1 FROM redaction_owner WHERE tenant = %s AND owner <> '' AND seen >= {NOW} - %s
"""
_RELEASE: Final = "UPDATE redaction_owner SET owner = '' WHERE tenant = %s AND owner = %s"


@asynccontextmanager
async def owned(tenant_writer: PostgresTenantWriter) -> AsyncGenerator[str]:
    """Be the owner for the length of the block, after whoever is it now; the name that `hold` wants to know."""
    owner = secrets.token_hex(8)
    while not await tenant_writer.change(partial(_claim, owner=owner)):
        await asyncio.sleep(_BETWEEN_TRIES_S)
    renewal = BackgroundWorkers().task(
        "renewal of the redaction lease",
        lambda: tenant_writer.change(partial(hold, owner=owner)),
        interval_s=_RENEW_S,
        initial_delay_s=_RENEW_S,
        max_retry_s=_RENEW_S,
    )
    renewal.start()
    try:
        yield owner
    finally:
        await renewal.close()
        with contextlib.suppress(DaylineError):  # else the others wait for a while
            await tenant_writer.change(partial(_release, owner=owner))


def is_owned(db: Connection, tenant: str) -> bool:
    """Whether there is an owner, and it was heard of lately."""
    return db.execute(_IS_OWNED.encode(), (tenant, _LEASE_US)).fetchone() is not None


def hold(turn: PostgresTransaction, owner: str) -> None:
    """Raise StoreBusy where another has taken over. Until the commit nobody can. Buckets are locked by then."""
    if not turn.db.execute(_HOLD.encode(), (turn.tenant, owner)).rowcount:
        raise StoreBusy("another server goes on with it")


def _claim(turn: PostgresTransaction, owner: str) -> bool:
    place = {"tenant": turn.tenant, "owner": owner, "lease": _LEASE_US}
    return turn.db.execute(_CLAIM.encode(), place).fetchone() is not None


def _release(turn: PostgresTransaction, owner: str) -> None:
    turn.db.execute(_RELEASE, (turn.tenant, owner))
