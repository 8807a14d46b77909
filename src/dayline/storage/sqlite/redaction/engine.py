"""Redactions in one file. A plan is a file in the folder of the database.

It is not a table, as on PostgreSQL, for two reasons: the process that makes the plan cannot write to the database while
the server does, and texts in a table that is emptied again would leave copies in its pages. A file is deleted whole.
"""

import asyncio
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from dayline.config.data_folder import DataFile, data_file, make_own_folder
from dayline.model.privacy.redaction import RedactionOrder, RedactionPreview
from dayline.storage.columns.scheduler import SegmentScheduler
from dayline.storage.disk_faults import child_error
from dayline.storage.engine.tenant import Fence
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.operations.children import ChildFailed, ChildFunction
from dayline.storage.redaction.records import Part, Planned
from dayline.storage.sqlite.derived.file import remove_derived
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.file.emptying import empty_log
from dayline.storage.sqlite.redaction.search import SqliteRedactionReads, plan_file
from dayline.storage.sqlite.redaction.tables import SqliteRedactionRows
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.sqlite.writing.writer import FileWriter

PAGES_PER_STEP: Final = 100  # of the file, returned to the file system together

run_plan = ChildFunction("dayline.storage.sqlite.redaction.plan_worker:plan", RedactionPreview)


class SqliteRedactionEngine:
    """See RedactionEngine. `scratch` makes a temporary folder."""

    def __init__(
        self,
        path: Path,
        writer: FileWriter,
        readers: ReaderPool,
        segments: SegmentScheduler,
        scratch: Callable[[], Path],
    ) -> None:
        self.reads = SqliteRedactionReads(path, readers)
        self._path = path
        self._writer = writer
        self._segments = segments
        self._scratch = scratch

    async def plan(self, order: RedactionOrder, *, is_preview: bool) -> Planned:
        if is_preview:
            folder = await asyncio.to_thread(self._scratch)
            try:
                return Planned(preview=await self._plan(folder / "plan.db", order, is_preview=True))
            finally:
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        await asyncio.to_thread(make_own_folder, self._path)
        plan = data_file(self._path, DataFile.REDACTION, secrets.token_hex(4))
        try:
            return Planned(preview=await self._plan(plan, order, is_preview=False), plan=plan.name)
        except BaseException:
            await asyncio.to_thread(plan.unlink, missing_ok=True)
            raise

    async def forget_plan(self, plan: str, fence: Fence) -> None:
        if plan:  # a redaction that was copied from another database has none
            await asyncio.to_thread(plan_file(self._path, plan).unlink, missing_ok=True)

    def rows(self, tx: WriteTransaction, fence: Fence) -> SqliteRedactionRows:
        assert isinstance(tx, SqliteTransaction)
        return SqliteRedactionRows(tx, fence)

    async def clear_derived(self, part: Part) -> None:
        """All of it is removed with the copies."""

    async def erase_copies(self) -> None:
        while await self._writer.change(_give_pages_back, rows=PAGES_PER_STEP):
            pass
        async with self._segments.between_builds():
            await asyncio.to_thread(remove_derived, self._path)
        await asyncio.to_thread(empty_log, self._path)

    async def _plan(self, plan: Path, order: RedactionOrder, *, is_preview: bool) -> RedactionPreview:
        try:
            return await run_plan(self._path, plan, order, is_preview=is_preview)
        except ChildFailed as error:
            raise child_error("the redaction could not be planned", str(error), self._path) from error


def _give_pages_back(tx: SqliteTransaction) -> bool:
    """Cut free pages off the file, whatever they held before; returns whether there are more."""
    tx.db.execute(f"PRAGMA incremental_vacuum({PAGES_PER_STEP})").fetchall()
    return int(tx.db.pragma("freelist_count")) > 0
