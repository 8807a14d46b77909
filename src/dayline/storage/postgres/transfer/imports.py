"""Second stage of an import: previews it, or copies staged rows in short slices."""

import asyncio
from array import array
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Final

import apsw
import msgspec
from msgspec import UNSET, Struct

from dayline.model.errors import BucketExists, StoreBusy
from dayline.model.time import Microseconds
from dayline.storage.background import SlicePace
from dayline.storage.postgres.connection import Connection, Readers, as_array, as_text_array
from dayline.storage.postgres.rows.buckets import FIELDS, BucketRecord, bucket_of_row
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.values import numbers_of
from dayline.storage.postgres.writing.writer import PostgresTenantWriter
from dayline.storage.store import ImportProgress, ImportReport, ImportSurvey, SurveyedBucket
from dayline.storage.transfer.staging import (
    STAGED_FROM,
    Staged,
    StagedBucket,
    StoredHead,
    new_bucket,
    stage_documents,
    survey_of,
    surveyed_bucket,
)
from dayline.transform.privacy import PrivacyRules

_ROWS: Final = f"SELECT month, start + {STAGED_FROM}, duration, value FROM row WHERE number BETWEEN ? AND ?"
_TEXTS: Final = "SELECT number, hash, json FROM value WHERE number IN (SELECT value FROM json_each(?))"


class StagedRun(Struct, frozen=True, kw_only=True):
    """The rows of one bucket in any months: a range of row numbers."""

    bucket: int
    first: int
    last: int


class StagedRow(Struct, frozen=True, array_like=True):
    """A staged event; `value` is a number of the staged file."""

    month: int
    start: int
    duration: int
    value: int


class StagedText(Struct, frozen=True, array_like=True):
    """A staged value."""

    number: int
    hash: int
    json: str


class StagedRows:
    """An open staged file. Use it on one thread at a time."""

    def __init__(self, path: Path) -> None:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        # Immutable: no process writes it any more.
        self._db = apsw.Connection(f"{path.resolve().as_uri()}?mode=ro&immutable=1", flags=flags)

    def rows(self, first: int, last: int) -> list[StagedRow]:
        """The rows with these numbers, in order."""
        return msgspec.convert(self._db.execute(_ROWS, (first, last)).fetchall(), list[StagedRow])

    def texts(self, numbers: Collection[int]) -> list[StagedText]:
        """The values with these numbers."""
        if not numbers:
            return []
        return msgspec.convert(
            self._db.execute(_TEXTS, (msgspec.json.encode(list(numbers)).decode(),)).fetchall(), list[StagedText]
        )

    def close(self) -> None:
        self._db.close()


def runs_of(staged: Staged) -> list[StagedRun]:
    """The rows per bucket, in order of their numbers: a slice may have events of several months."""
    runs: list[StagedRun] = []
    for part in staged.parts:
        if runs and (runs[-1].bucket, runs[-1].last + 1) == (part.bucket, part.first):
            runs[-1] = StagedRun(bucket=part.bucket, first=runs[-1].first, last=part.last)
        else:
            runs.append(StagedRun(bucket=part.bucket, first=part.first, last=part.last))
    return runs


# One slice of an import: writes staged rows of a bucket in one transaction, except those already stored. The lookups
# use LATERAL … LIMIT 1, which PostgreSQL can only execute row by row with the index; otherwise, without statistics of a
# table that has grown, it reads the whole bucket for every slice.


_FIND_VALUES: Final = """
SELECT new.place, old.key
FROM unnest(%(hashes)s::bigint[], %(texts)s::text[]) WITH ORDINALITY AS new(hash, json, place),
LATERAL (
    SELECT key FROM value
    WHERE tenant = %(tenant)s AND bucket::float8 = %(bucket)s AND hash = new.hash AND json = new.json
    AND salt >= 0 LIMIT 1
) AS old
"""
_ADD_VALUES: Final = """
INSERT INTO value(tenant, bucket, hash, json)
SELECT %(tenant)s, %(bucket)s, new.hash, new.json
FROM unnest(%(hashes)s::bigint[], %(texts)s::text[]) AS new(hash, json)
ON CONFLICT (tenant, hash, (bucket::float8), salt) DO NOTHING
RETURNING hash, key
"""
_FIND_EVENTS: Final = """
SELECT new.place
FROM unnest(%(starts)s::bigint[], %(durations)s::bigint[], %(values)s::bigint[])
    WITH ORDINALITY AS new(start, duration, value, place),
LATERAL (
    SELECT FROM event
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s
    AND start = new.start AND duration = new.duration AND value = new.value LIMIT 1
) AS old
"""
_ADD_EVENTS: Final = """
INSERT INTO event(tenant, bucket, start, id, duration, value)
SELECT %(tenant)s, %(bucket)s, start, %(id)s + place - 1, duration, value
FROM unnest(%(starts)s::bigint[], %(durations)s::bigint[], %(values)s::bigint[])
    WITH ORDINALITY AS new(start, duration, value, place)
"""

Dictionary = tuple[int, int]  # a bucket's key, and the number of its text changes


class Slice(Struct, frozen=True, kw_only=True):
    """Staged rows, and for each of their values either its key in `dictionary` or its text."""

    rows: Sequence[StagedRow]
    dictionary: Dictionary | None
    keys: Mapping[int, int]
    texts: Sequence[StagedText]


class Merged(Struct, frozen=True, kw_only=True):
    """The number of new events, and the keys of values that were looked up."""

    imported: int
    dictionary: Dictionary
    keys: Mapping[int, int]


def merge_slice(turn: PostgresTransaction, bucket_id: str, part: Slice) -> Merged | None:
    """Write the rows that are not stored yet; None, with nothing written, if the keys belong to another dictionary."""
    state = turn.find(bucket_id)
    dictionary = (state.key, state.dictionary)
    if part.dictionary not in (None, dictionary):
        return None
    added = _value_keys(turn.db, turn.tenant, state.key, part.texts)
    keys = {**part.keys, **added}
    known = known_places(turn.db, turn.tenant, state.key, part.rows, keys)
    rows = [row for place, row in enumerate(part.rows, 1) if place not in known] if known else part.rows
    if rows:
        _cover(turn, state.key, rows)
        first = turn.take_event_ids(len(rows))
        values = _columns(turn.tenant, state.key, rows, keys)
        # Planned for this slice: a generic plan would not know how many rows it has.
        turn.db.execute(_ADD_EVENTS, {**values, "id": first}, prepare=False)
    return Merged(imported=len(rows), dictionary=dictionary, keys=added)


def stored_keys(db: Connection, tenant: str, bucket: int, texts: Sequence[StagedText]) -> dict[int, int]:
    """The keys of the values that a bucket has, by their staged numbers."""
    if not texts:
        return {}
    wanted = {
        "tenant": tenant,
        "bucket": bucket,
        "hashes": as_array(text.hash for text in texts),
        "texts": as_text_array(text.json for text in texts),
    }
    rows: list[tuple[int, int]] = db.execute(_FIND_VALUES, wanted, prepare=False).fetchall()
    return {texts[place - 1].number: key for place, key in rows}


def known_places(
    db: Connection, tenant: str, bucket: int, rows: Sequence[StagedRow], keys: Mapping[int, int]
) -> set[int]:
    """The positions, from 1, of the rows that a bucket already has."""
    found = db.execute(_FIND_EVENTS, _columns(tenant, bucket, rows, keys), prepare=False).fetchall()
    return {place for (place,) in found}


def _value_keys(db: Connection, tenant: str, bucket: int, texts: Sequence[StagedText]) -> dict[int, int]:
    """The keys of values; new ones are added."""
    keys = stored_keys(db, tenant, bucket, texts)
    missing = {text.hash: text for text in texts if text.number not in keys}
    if missing:
        wanted = {
            "tenant": tenant,
            "bucket": bucket,
            "hashes": as_array(missing),
            "texts": as_text_array(text.json for text in missing.values()),
        }
        rows = db.execute(_ADD_VALUES, wanted, prepare=False).fetchall()
        keys |= {missing[hash_].number: key for hash_, key in rows}
    # Different texts with the same hash.
    for text in texts:
        if text.number not in keys:
            place = (bucket, text.json.encode())
            keys[text.number] = numbers_of(db, tenant, [place])[place]
    return keys


def _columns(tenant: str, bucket: int, rows: Sequence[StagedRow], keys: Mapping[int, int]) -> dict[str, object]:
    return {
        "tenant": tenant,
        "bucket": bucket,
        "starts": as_array(row.start for row in rows),
        "durations": as_array(row.duration for row in rows),
        "values": as_array(keys.get(row.value, 0) for row in rows),
    }


def _cover(turn: PostgresTransaction, bucket: int, rows: Sequence[StagedRow]) -> None:
    months: defaultdict[int, list[StagedRow]] = defaultdict(list)
    for row in rows:
        months[row.month].append(row)
    for found in months.values():
        first, longest = min(row.start for row in found), max(row.duration for row in found)
        last = max(found, key=lambda row: row.start + row.duration)
        # The longest does not start before the first, so this bound is not too low.
        turn.cover(bucket, first, longest, events=len(found))
        turn.cover(bucket, last.start, last.duration, events=0)


# The preview of an import: compares staged rows with stored ones, a few thousand at a time.


_ROWS_AT_ONCE: Final = 5000
# By its own id, or else by an alias, as the import will find it.
_FIND: Final = f"""
SELECT {FIELDS} FROM bucket
WHERE tenant = %(tenant)s AND deleted IS NULL
AND (id = %(id)s OR key = (SELECT bucket FROM alias WHERE tenant = %(tenant)s AND id = %(id)s))
ORDER BY id <> %(id)s LIMIT 1
"""


def survey(readers: Readers, tenant: str, path: Path, staged: Staged) -> ImportSurvey:
    """Compare the staged rows with the stored ones."""
    runs = runs_of(staged)
    with closing(StagedRows(path)) as rows:
        return survey_of(
            [
                _surveyed(readers, tenant, rows, bucket, [run for run in runs if run.bucket == bucket.number])
                for bucket in staged.buckets
            ]
        )


def _surveyed(
    readers: Readers, tenant: str, rows: StagedRows, bucket: StagedBucket, runs: Sequence[StagedRun]
) -> SurveyedBucket:
    with readers.transaction(tenant) as db:
        ours = _find(db, tenant, bucket.id)
    count = sum(run.last - run.first + 1 for run in runs)
    if ours is None:
        return surveyed_bucket(bucket, rows=count, known=0, stored=None)
    known = sum(_known(readers, tenant, ours.key, rows, run) for run in runs)
    head = ours.bucket
    stored = StoredHead(type=head.type, client=head.client, hostname=head.hostname, data=head.data)
    return surveyed_bucket(bucket, rows=count, known=known, stored=stored)


def _find(db: Connection, tenant: str, bucket_id: str) -> BucketRecord | None:
    row = db.execute(_FIND, {"tenant": tenant, "id": bucket_id}).fetchone()
    return None if row is None else bucket_of_row(row)


def _known(readers: Readers, tenant: str, key: int, rows: StagedRows, run: StagedRun) -> int:
    """The number of rows that the bucket already has."""
    count, keys = 0, dict[int, int]()
    for first in range(run.first, run.last + 1, _ROWS_AT_ONCE):
        found = rows.rows(first, min(first + _ROWS_AT_ONCE - 1, run.last))
        texts = rows.texts({row.value for row in found} - keys.keys())
        # One transaction each, so that none lasts long.
        with readers.transaction(tenant) as db:
            stored = stored_keys(db, tenant, key, texts)
            keys |= {text.number: stored.get(text.number, 0) for text in texts}
            count += len(known_places(db, tenant, key, found, keys))
    return count


# An import: documents are staged in a child process, then merged in short slices between heartbeats. A crash leaves
# whole slices behind; sending the documents again skips those and continues.


SLICE_ROWS: Final = 5000
SLICE_S: Final = 0.08  # target duration of a slice: a heartbeat waits for at most one, in addition to its own commit


async def import_files(
    tenant_writer: PostgresTenantWriter,
    spooled: Sequence[Path],
    *,
    rules: PrivacyRules,
    folder: Path,
    now: Microseconds,
    on_progress: ImportProgress | None,
) -> ImportReport:
    """Stage the documents, then merge the rows. `folder` is for the staged file. Raises Malformed or Invalid."""
    path = folder / "staged.db"
    staged = await stage_documents(path, spooled, rules)
    imported = done = 0
    total = sum(part.last - part.first + 1 for part in staged.parts)
    await tenant_writer.change(partial(_create, buckets=staged.buckets, now=now))
    try:
        with closing(StagedRows(path)) as rows:
            merging = _Merging(tenant_writer, staged, rows)
            for run in runs_of(staged):
                first = run.first
                while first <= run.last:
                    last = min(first + merging.rows - 1, run.last)
                    slice_ = asyncio.ensure_future(merging.merge(run, first, last))
                    try:
                        await asyncio.shield(slice_)
                    finally:
                        # A cancelled call still waits for the slice in progress: the writer commits it anyway.
                        imported += await slice_
                        done += last - first + 1
                        first = last + 1
                        if on_progress is not None:
                            on_progress(done, total, imported)
    except StoreBusy as error:
        raise StoreBusy(
            f"{error.message}; {imported:,} events of the import are stored",
            hint="send the document again later: stored events are skipped",
        ) from error
    return ImportReport(
        buckets=len(staged.buckets),
        imported=imported,
        skipped=staged.events - imported,
        invalid=staged.invalid,
        dropped=staged.dropped or UNSET,
    )


async def survey_import(
    readers: Readers, tenant: str, spooled: Sequence[Path], *, rules: PrivacyRules, folder: Path
) -> ImportSurvey:
    """What `import_files` would do, with the same errors, without changing anything."""
    path = folder / "staged.db"
    staged = await stage_documents(path, spooled, rules)
    return await asyncio.to_thread(survey, readers, tenant, path, staged)


class _Merging:
    """Merges slices one after the other. Keys of values are remembered from one to the next."""

    def __init__(self, tenant_writer: PostgresTenantWriter, staged: Staged, rows: StagedRows) -> None:
        self._tenant_writer = tenant_writer
        self._staged = staged
        self._ids = {bucket.number: bucket.id for bucket in staged.buckets}
        self._rows = rows
        self._pace = SlicePace(most=SLICE_ROWS, seconds=SLICE_S)
        self._bucket = 0
        self._dictionary: Dictionary | None = None
        self._keys = self._no_keys()

    @property
    def rows(self) -> int:
        """How many rows to merge at once."""
        return self._pace.rows

    async def merge(self, run: StagedRun, first: int, last: int) -> int:
        """Merge these rows of a bucket; returns how many were new."""
        if run.bucket != self._bucket:
            self._bucket, self._dictionary = run.bucket, None
        while True:
            part = await asyncio.to_thread(self._read, first, last)
            merged = await self._tenant_writer.change(partial(self._merge, part=part))
            if merged is not None:
                break
            # Texts of the bucket were changed, or another bucket has its id.
            self._dictionary, self._keys = None, self._no_keys()
        self._dictionary = merged.dictionary
        for number, key in merged.keys.items():
            self._keys[number] = key
        return merged.imported

    def _merge(self, turn: PostgresTransaction, part: Slice) -> Merged | None:
        started = perf_counter()
        merged = merge_slice(turn, self._ids[self._bucket], part)
        self._pace.note(len(part.rows), perf_counter() - started)
        return merged

    def _read(self, first: int, last: int) -> Slice:
        rows = self._rows.rows(first, last)
        numbers = {row.value for row in rows}
        keys = {number: key for number in numbers if (key := self._keys[number])}
        texts = self._rows.texts(numbers - keys.keys())
        return Slice(rows=rows, dictionary=self._dictionary, keys=keys, texts=texts)

    def _no_keys(self) -> "array[int]":
        """By number of the staged value, 0 if the key is unknown: eight bytes each, however many there are."""
        return array("q", bytes(8 * (self._staged.values + 1)))


def _create(turn: PostgresTransaction, buckets: Sequence[StagedBucket], now: Microseconds) -> None:
    """Create the missing buckets, all or none: one may have a text that PostgreSQL cannot store."""
    there = turn.find_all(bucket.id for bucket in buckets)
    for bucket in buckets:
        if bucket.id not in there:
            with suppress(BucketExists):  # it is in two documents, or was created concurrently
                turn.create_bucket(new_bucket(bucket, now))


class PostgresImporter:
    """The Importer of one tenant."""

    def __init__(self, tenant_writer: PostgresTenantWriter, readers: Readers) -> None:
        self._tenant_writer = tenant_writer
        self._readers = readers

    async def survey(self, spooled: Sequence[Path], *, rules: PrivacyRules, folder: Path) -> ImportSurvey:
        return await survey_import(self._readers, self._tenant_writer.tenant, spooled, rules=rules, folder=folder)

    async def run(
        self,
        spooled: Sequence[Path],
        *,
        rules: PrivacyRules,
        folder: Path,
        now: Microseconds,
        on_progress: ImportProgress | None,
    ) -> ImportReport:
        return await import_files(
            self._tenant_writer, spooled, rules=rules, folder=folder, now=now, on_progress=on_progress
        )
