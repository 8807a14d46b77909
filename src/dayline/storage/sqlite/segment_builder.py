"""Builds segments and the full text of values, in a process of its own with the lowest priority.

    python -m dayline.storage.sqlite.segment_builder DATABASE

It reads a BuildJob from its standard input and writes a BuildReport to its standard output. Nobody else writes the file
of derived data, and of the database it reads only: in short transactions, so that the log can begin anew.
"""

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Final

import apsw
import msgspec
import numpy as np

from dayline.model.timestamps import EARLIEST, start_of_month
from dayline.storage.columns import MISSING, Codes, Ids
from dayline.storage.packed_dictionary import PackedDictionary
from dayline.storage.packing import Damaged
from dayline.storage.segment_place import SegmentPlace
from dayline.storage.segments import MonthEvents, pack_segment
from dayline.storage.sqlite.connection import open_reader
from dayline.storage.sqlite.lock import FileLock
from dayline.storage.sqlite.row_columns import Rows, Wanted, concatenated, last_place, read_page, read_texts
from dayline.storage.sqlite.segment_file import DamagedFile, DerivedWriter, PackedPack, derived_path, epoch_of
from dayline.storage.sqlite.segment_job import BuildJob, BuildReport
from dayline.storage.sqlite.text_index_builder import TextIndexBuild
from dayline.storage.value_packs import MOST_VALUES, PackWriter, TooManyFields, ValuePack

LOWEST_PRIORITY: Final = 19

_SEALED = "SELECT is_sealed AND changes = ? FROM month WHERE bucket = ? AND month = ?"
_LIVING = "SELECT key FROM bucket WHERE deleted IS NULL"
_DICTIONARY = "SELECT dictionary FROM bucket WHERE key = ?"


def build(database: Path, job: BuildJob) -> BuildReport:
    """Build what the job asks for and has not changed. Raises StoreLocked while another builder is at work."""
    lock = FileLock(derived_path(database))
    db = open_reader(database)
    try:
        try:
            return _build(database, db, job)
        except (Damaged, DamagedFile):
            return _build(database, db, msgspec.structs.replace(job, is_from_scratch=True))
    finally:
        db.close()
        lock.close()


def _build(database: Path, db: apsw.Connection, job: BuildJob) -> BuildReport:
    file = DerivedWriter(derived_path(database), epoch=epoch_of(db), is_from_scratch=job.is_from_scratch)
    built: list[SegmentPlace] = []
    unfit: list[int] = []
    try:
        living = {key for (key,) in msgspec.convert(db.execute(_LIVING).fetchall(), list[tuple[int]])}
        for bucket in file.buckets() - living:
            file.forget(bucket)
        for bucket, places in groupby(sorted(job.places, key=_order), key=lambda place: place.bucket):
            if bucket not in living:
                continue
            try:
                built += BucketBuild(db, file, bucket).run(places)
            except TextsChanged:
                continue  # so did its months: it comes again
            except TooManyFields:
                file.forget(bucket)
                unfit.append(bucket)
        if job.indexes_texts:
            TextIndexBuild(db, file).run()
    finally:
        file.close()
    return BuildReport(built=built, unfit=unfit, is_new=file.is_new)


class TextsChanged(Exception):
    """Values of the bucket have other texts now than when its packs were begun."""


class BucketBuild:
    """Segments of one bucket, and the packs of values that they need."""

    def __init__(self, db: apsw.Connection, file: DerivedWriter, bucket: int) -> None:
        self._db = db
        self._file = file
        self._bucket = bucket
        self._dictionary = self._count_of_texts()
        if file.dictionary(bucket) not in (None, self._dictionary):
            file.forget(bucket)
        self._known = PackedDictionary(
            [ValuePack(packed, bucket=bucket, first=first) for first, _, packed in file.packs(bucket)]
        )
        self._writer: PackWriter | None = None
        self._numbers: dict[int, int] = {}  # of values that were packed here
        self._packs: list[PackedPack] = []
        self._segments: list[tuple[SegmentPlace, bytes]] = []

    def run(self, places: Iterable[SegmentPlace]) -> list[SegmentPlace]:
        """Build and keep them; which of them could be built. Raises TooManyFields or TextsChanged."""
        built: list[SegmentPlace] = []
        for place in places:
            rows = self._read(place)
            if rows is None:
                continue
            events = MonthEvents(rows.start, rows.duration, rows.id, self._codes(rows.key))
            self._segments.append((place, pack_segment(events, place)))
            built.append(place)
            if self._packs:  # a whole pack is a good deal of work: not to be lost when the server stops
                self._keep()
        self._keep()
        return built

    def _keep(self) -> None:
        writer = self._writer
        unfinished = [(writer.first, writer.count, writer.packed())] if writer is not None and writer.count else []
        if self._segments:
            if self._count_of_texts() != self._dictionary:
                raise TextsChanged
            packs = [*self._packs, *unfinished]
            self._file.keep(self._bucket, packs, self._segments, dictionary=self._dictionary)
        self._packs, self._segments = [], []

    def _count_of_texts(self) -> int:
        """Like the changes of a month, those of texts are never uncounted."""
        return int(self._db.execute(_DICTIONARY, (self._bucket,)).get or 0)

    def _read(self, place: SegmentPlace) -> Rows | None:
        """The rows of a month; None when it is not as it was.

        Changes are counted and never uncounted: if it is as it was before and after, it was so all the time.
        """
        wanted = Wanted(
            bucket=place.bucket,
            low=start_of_month(place.month),
            high=start_of_month(place.month + 1) - 1,
            touching=EARLIEST,
        )
        pages: list[Rows] = []
        after = None
        while not pages or after is not None:
            with self._db:  # one state of the file for the check and the page
                if not self._db.execute(_SEALED, (place.version, place.bucket, place.month)).get:
                    return None
                pages.append(read_page(self._db, wanted, after))
            after = last_place(pages[-1])
        return concatenated(pages)

    def _codes(self, keys: Ids) -> Codes:
        """The numbers of values, those included that are packed now."""
        distinct, places = np.unique(keys, return_inverse=True)
        codes = self._known.find(distinct)
        others = np.flatnonzero(codes == MISSING)
        unknown = [key for key in distinct[others].tolist() if key not in self._numbers]
        for key, text in read_texts(self._db, unknown):
            self._pack(key, text)
        codes[others] = [self._numbers[key] for key in distinct[others].tolist()]
        return codes[places]

    def _pack(self, key: int, text: bytes) -> None:
        writer = self._writer = self._begin() if self._writer is None else self._writer
        self._numbers[key] = writer.first + writer.count
        writer.add(key, text)
        if writer.is_full:
            self._packs.append((writer.first, writer.count, writer.packed()))
            writer.next()

    def _begin(self) -> PackWriter:
        """A writer that goes on where the packs end. A last one that is not full is made again, with more in it."""
        whole, unfinished = self._known.split(MOST_VALUES)
        writer = PackWriter(self._bucket)
        writer.first = len(whole)
        for field in whole.fields():
            writer.know(field, whole.column(field).items)
        for key, text in zip(self._known.keys(unfinished).tolist(), self._known.texts(unfinished), strict=True):
            writer.add(key, text)
        return writer


def _order(place: SegmentPlace) -> tuple[int, int]:
    return place.bucket, place.month


def main() -> None:
    with suppress(AttributeError, OSError):  # there is no such thing on Windows
        os.nice(LOWEST_PRIORITY)
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=BuildJob)
    sys.stdout.buffer.write(msgspec.json.encode(build(Path(sys.argv[1]), job)))


if __name__ == "__main__":
    main()
