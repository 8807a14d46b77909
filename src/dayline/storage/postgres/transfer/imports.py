"""Merges an import into a tenant's data in slices, and previews that."""

import asyncio
from array import array
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from dayline.storage.operations.background import SlicePace
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.rows.buckets import FIELDS, bucket_of_row
from dayline.storage.postgres.transfer.staged_rows import (
    Dictionary,
    Slice,
    StagedRow,
    StagedRows,
    StagedText,
    known_places,
    merge_slice,
    stored_keys,
)
from dayline.storage.postgres.writing.writer import PostgresTenantWriter
from dayline.storage.transfer.imports import MergedRows
from dayline.storage.transfer.report import ImportSurvey
from dayline.storage.transfer.staging import Staged, StagedBucket, StagedRange
from dayline.storage.transfer.survey import StoredHead, survey

# By its own id, or else by an alias, as the import will find it.
_FIND: Final = f"""
SELECT {FIELDS} FROM bucket
WHERE tenant = %(tenant)s AND deleted IS NULL
AND (id = %(id)s OR key = (SELECT bucket FROM alias WHERE tenant = %(tenant)s AND id = %(id)s))
ORDER BY id <> %(id)s LIMIT 1
"""

SLICE_ROWS: Final = 5000
SLICE_S: Final = 0.08  # target duration of a slice: a heartbeat waits for at most one, in addition to its own commit


class SurveyedRows:
    """See StoredRows. Every read has its own transaction, so that none lasts long."""

    def __init__(self, readers: Readers, tenant: str, rows: StagedRows) -> None:
        self._readers = readers
        self._tenant = tenant
        self._rows = rows
        self._bucket = 0
        self._keys: dict[int, int] = {}  # of the bucket's values by staged number, 0 if it does not have one

    def find(self, bucket_id: str) -> StoredHead | None:
        with self._readers.transaction(self._tenant) as db:
            row = db.execute(_FIND, {"tenant": self._tenant, "id": bucket_id}).fetchone()
        if row is None:
            return None
        record = bucket_of_row(row)
        head = record.bucket
        return StoredHead(key=record.key, type=head.type, client=head.client, hostname=head.hostname, data=head.data)

    def known(self, bucket: int, rows: StagedRange) -> int:
        if bucket != self._bucket:
            self._bucket, self._keys = bucket, {}
        found = self._rows.rows(rows.first, rows.last)
        texts = self._rows.texts({row.value for row in found} - self._keys.keys())
        with self._readers.transaction(self._tenant) as db:
            stored = stored_keys(db, self._tenant, bucket, texts)
            self._keys |= {text.number: stored.get(text.number, 0) for text in texts}
            return len(known_places(db, self._tenant, bucket, found, self._keys))


class PostgresImportEngine:
    """See ImportEngine."""

    def __init__(self, tenant_writer: PostgresTenantWriter, readers: Readers) -> None:
        self._tenant_writer = tenant_writer
        self._readers = readers

    async def survey(self, path: Path, staged: Staged) -> ImportSurvey:
        return await asyncio.to_thread(self._survey, path, staged)

    def _survey(self, path: Path, staged: Staged) -> ImportSurvey:
        with closing(StagedRows(path)) as rows:
            return survey(staged, SurveyedRows(self._readers, self._tenant_writer.tenant, rows))

    @asynccontextmanager
    async def merging(self, path: Path, staged: Staged) -> AsyncGenerator["PostgresSliceMerger"]:
        with closing(StagedRows(path)) as rows:
            merger = PostgresSliceMerger(self._tenant_writer, staged, rows)
            try:
                yield merger
            finally:
                await merger.close()


class Staging(NamedTuple):
    """Consecutive rows from a number on, and the texts of those of their values whose key was unknown."""

    first: int
    rows: Sequence[StagedRow]
    texts: Sequence[StagedText]


class PostgresSliceMerger:
    """See SliceMerger. Keys of values are remembered from one slice to the next, which is read while one is merged."""

    def __init__(self, tenant_writer: PostgresTenantWriter, staged: Staged, rows: StagedRows) -> None:
        self.ranges = staged.runs  # a slice may have events of several months
        self._tenant_writer = tenant_writer
        self._values = staged.values
        self._rows = rows
        self._pace = SlicePace(most=SLICE_ROWS, seconds=SLICE_S)
        self._bucket = 0
        self._dictionary: Dictionary | None = None
        self._is_new: bool | None = None
        self._keys = self._no_keys()
        self._ahead: asyncio.Future[Staging] | None = None
        self.rows = self._pace.rows

    async def merge(self, bucket: StagedBucket, rows: StagedRange) -> MergedRows:
        if bucket.number != self._bucket:
            self._bucket, self._dictionary, self._is_new = bucket.number, None, None
        while True:
            part = self._slice(await self._found(rows))
            self._ahead = self._begin_reading(rows.last + 1, self._pace.rows)
            merging = self._pace.timed(partial(merge_slice, bucket_id=bucket.id, part=part), rows=rows.rows)
            merged = await self._tenant_writer.change(merging)
            if merged is not None:
                break
            # Texts of the bucket were changed, or another bucket has its id.
            self._dictionary, self._keys = None, self._no_keys()
            await self.close()
        self._dictionary, self._is_new = merged.dictionary, merged.is_new
        for number, key in merged.keys.items():
            self._keys[number] = key
        self.rows = len((await self._ahead).rows) or self._pace.rows
        return MergedRows(rows.rows, merged.imported)

    async def close(self) -> None:
        """Wait until nothing is read any more."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            await asyncio.wait({ahead})

    async def _found(self, rows: StagedRange) -> Staging:
        """These rows, of which the first ones may have been read ahead."""
        ahead, self._ahead = self._ahead, None
        read = None if ahead is None else await ahead
        if read is None or read.first != rows.first or len(read.rows) < rows.rows:
            read = await self._begin_reading(rows.first, rows.rows)
        return Staging(rows.first, read.rows[: rows.rows], read.texts)

    def _begin_reading(self, first: int, count: int) -> asyncio.Future[Staging]:
        return asyncio.ensure_future(asyncio.to_thread(self._read, first, count))

    def _read(self, first: int, count: int) -> Staging:
        rows = self._rows.rows(first, first + count - 1)
        return Staging(first, rows, self._rows.texts({row.value for row in rows if not self._keys[row.value]}))

    def _slice(self, read: Staging) -> Slice:
        numbers = {row.value for row in read.rows}
        keys = {number: key for number in numbers if (key := self._keys[number])}
        texts = [text for text in read.texts if text.number in numbers and text.number not in keys]
        return Slice(rows=read.rows, dictionary=self._dictionary, keys=keys, texts=texts, is_new=self._is_new)

    def _no_keys(self) -> "array[int]":
        """By number of the staged value, 0 if the key is unknown: eight bytes each, however many there are."""
        return array("q", bytes(8 * (self._values + 1)))
