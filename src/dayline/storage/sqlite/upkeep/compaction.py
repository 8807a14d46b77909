"""Deletes unused values and returns free pages to the system while recording continues.

   values   a process finds unused ones ─▶ they are deleted in slices
   pages    free pages are truncated from the end of the file in slices
   log      emptied, so that the file becomes smaller on disk

Every slice leaves a consistent file, whatever interrupts the work.

A value may become used between the search and its deletion. Events get values from `ValueDictionary`, which tracks the
keys it returns; or from undone operations, from redactions and from imports. `exclusive` keeps the last two out, and
operations are compared with their state at the start of the search.
"""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Final, Literal

import apsw
import msgspec

from dayline.model.errors import StoreBusy
from dayline.model.upkeep.space import Compacted, Compaction
from dayline.runtime.text import quantity
from dayline.storage.operations.background import SlicePace
from dayline.storage.operations.children import ChildFunction
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.file.emptying import empty_log
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.sqlite.writing.values import delete_values
from dayline.storage.sqlite.writing.writer import FileWriter

PAGES_A_SLICE: Final = 100  # of 4 KiB: each is written to the log once or twice with the commit
_LOOKS: Final = 5  # searches that undo or delete operations may invalidate before the rest is left for another time
_ACTS = """
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'operation'), 0),
    (SELECT count(*) FROM operation WHERE state = 'done'),
    (SELECT count(*) FROM operation WHERE state IN ('doing', 'undoing'))
"""

log = logging.getLogger(__name__)

run_search = ChildFunction(
    "dayline.storage.sqlite.upkeep.value_use:unused_values",
    list[int],
    niceness=5,  # low: its reads must not take long on a busy machine either
    failure="cannot search for unused values",
)


class Compactor:
    """Compacts one file; one run at a time."""

    def __init__(self, path: Path, writer: FileWriter, readers: ReaderPool, exclusive: asyncio.Lock) -> None:
        self._path = path
        self._writer = writer
        self._readers = readers
        self._exclusive = exclusive
        self._once_at_a_time = asyncio.Lock()
        self.progress = Compaction()

    async def compact(self) -> Compacted:
        """Run all steps. Raises Unavailable; completed steps are kept."""
        async with self._once_at_a_time:
            last = self.progress.last
            started, before = perf_counter(), (await asyncio.to_thread(self.pages))[0]
            try:
                values = await self._remove_values()
                await self._give_pages_back()
                self._report("log")
                await self._empty_log()
                after = (await asyncio.to_thread(self.pages))[0]
                last = Compacted(values=values, before=before, after=after, seconds=round(perf_counter() - started, 3))
            finally:
                self.progress = Compaction(last=last)
        log.info("Database compacted: %s deleted, %d KiB freed", quantity(values, "value"), (before - after) >> 10)
        return last

    def pages(self) -> tuple[int, int]:
        """The size of the file, and its free bytes."""
        with self._readers.transaction() as db:
            size, count, free = (int(db.pragma(name)) for name in ("page_size", "page_count", "freelist_count"))
        return size * count, size * free

    async def _remove_values(self) -> int:
        """Delete unused values; returns how many."""
        removed = 0
        for _ in range(_LOOKS):
            self._report("values")
            async with self._exclusive:
                try:
                    some, is_done = await self._look_and_remove()
                finally:
                    await self._writer.change(lambda changes: changes.values.unwatch())
            removed += some
            if is_done:
                break
        return removed

    async def _look_and_remove(self) -> tuple[int, bool]:
        operations = await self._writer.change(_begin_watch)
        if operations[2]:
            return 0, False
        unused = await run_search(self._path)
        first, pace, removed = 0, SlicePace(), 0
        while first < len(unused):
            some = unused[first : first + pace.rows]
            remove = partial(_remove, numbers=some, operations=operations)
            gone = await pace.with_pause(self._writer.change(remove, rows=len(some)), rows=len(some))
            if gone is None:
                return removed, False
            removed, first = removed + gone, first + len(some)
            self._report("values", first, len(unused))
        return removed, True

    async def _give_pages_back(self) -> None:
        pace, done = SlicePace(), 0
        left = of = await self._writer.change(_free_pages)
        while left > 0 and done < of:  # what becomes free from now on is for another time
            pages = min(pace.rows, left, PAGES_A_SLICE)
            left = await pace.with_pause(self._writer.change(partial(_give_back, pages=pages), rows=pages), rows=pages)
            done += pages
            self._report("pages", done, of)

    async def _empty_log(self) -> None:
        try:
            await asyncio.to_thread(empty_log, self._path)
        except StoreBusy as error:  # the next checkpoint truncates the file
            log.info("The file will be truncated later: %s", error.message)

    def _report(self, state: Literal["values", "pages", "log"], done: int = 0, of: int = 0) -> None:
        self.progress = Compaction(state=state, done=done, of=of, last=self.progress.last)


def _begin_watch(changes: SqliteTransaction) -> tuple[int, int, int]:
    changes.values.watch()
    return _operations(changes.db)


def _remove(changes: SqliteTransaction, *, numbers: Sequence[int], operations: tuple[int, int, int]) -> int | None:
    """Delete values that are still unused; returns how many, None if an operation may have used some."""
    db = changes.db
    if _operations(db) != operations:
        return None
    removed = delete_values(db, [number for number in numbers if not changes.values.was_given(number)])
    if removed:
        changes.values.forget()
    return removed


def _operations(db: apsw.Connection) -> tuple[int, int, int]:
    """Changes whenever an operation is made or undone; the last number counts those in progress."""
    return msgspec.convert(db.execute(_ACTS).fetchone(), tuple[int, int, int])


def _free_pages(changes: SqliteTransaction) -> int:
    return int(changes.db.pragma("freelist_count"))


def _give_back(changes: SqliteTransaction, *, pages: int) -> int:
    """Truncate free pages from the file; returns how many are left."""
    changes.db.execute(f"PRAGMA incremental_vacuum({pages})").fetchall()
    return _free_pages(changes)
