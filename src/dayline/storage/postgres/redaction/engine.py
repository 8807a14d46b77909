"""Redactions in PostgreSQL. A plan is rows of a table, so that any server can carry it out."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from dayline.model.errors import Unavailable
from dayline.model.privacy.redaction import RedactionOrder
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.engine.tenant import Fence
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.operations.children import ChildFailed, ChildFunction
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.derived.word_clearing import clear_words
from dayline.storage.postgres.redaction.plan_worker import PlanJob
from dayline.storage.postgres.redaction.search import PostgresRedactionReads
from dayline.storage.postgres.redaction.tables import PostgresRedactionRows
from dayline.storage.postgres.writing.lease import LEASE_S
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.writer import PostgresTenantWriter
from dayline.storage.redaction.records import Part, Planned
from dayline.storage.redaction.redactions import Redactions
from dayline.storage.redaction.work import DerivedData

INTERVAL_S: Final = 30.0  # between two searches for what another server has left unfinished

run_plan = ChildFunction("dayline.storage.postgres.redaction.plan_worker:plan", Planned)


class PostgresRedactionEngine:
    """See RedactionEngine. `scratch` makes a temporary folder."""

    def __init__(
        self, address: str, tenant_writer: PostgresTenantWriter, readers: Readers, scratch: Callable[[], Path]
    ) -> None:
        self.reads = PostgresRedactionReads(readers, tenant_writer.tenant)
        self._address = address
        self._tenant_writer = tenant_writer.plain
        self._scratch = scratch

    async def plan(self, order: RedactionOrder, *, is_preview: bool) -> Planned:
        job = PlanJob(address=self._address, tenant=self._tenant_writer.tenant, order=order, is_preview=is_preview)
        folder = await asyncio.to_thread(self._scratch)
        try:
            return await run_plan(folder, job)
        except ChildFailed as error:
            raise Unavailable(f"the redaction could not be planned: {error}", hint="try it again later") from error
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def forget_plan(self, plan: str, fence: Fence) -> None:
        limit = self._tenant_writer.new_pace().rows
        if plan:
            while await self._tenant_writer.change(lambda tx: self.rows(tx, fence).forget_plan(int(plan), limit=limit)):
                pass

    def rows(self, tx: WriteTransaction, fence: Fence) -> PostgresRedactionRows:
        assert isinstance(tx, PostgresTransaction)
        return PostgresRedactionRows(tx, fence)

    async def clear_derived(self, part: Part) -> None:
        await clear_words(self._tenant_writer, part.bucket or 0)

    async def erase_copies(self) -> None:
        """PostgreSQL overwrites deleted rows when it needs their space."""


def redactions_of(
    address: str,
    tenant_writer: PostgresTenantWriter,
    readers: Readers,
    derived: DerivedData,
    scratch: Callable[[], Path],
    background: BackgroundWorkers,
) -> Redactions:
    """The redactions of one tenant, not started."""
    engine = PostgresRedactionEngine(address, tenant_writer, readers, scratch)
    return Redactions(
        engine, tenant_writer, derived, background, tenant=tenant_writer.tenant, interval_s=INTERVAL_S, lease_s=LEASE_S
    )
