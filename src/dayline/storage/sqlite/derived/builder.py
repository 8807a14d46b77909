"""Builds segments and the full-text index, in a child process with the lowest priority."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.config.data_folder import make_own_folder
from dayline.model.time import EARLIEST, start_of_month
from dayline.storage.columns.builder import PackBuilding, SegmentBuilding, with_following
from dayline.storage.columns.segment_plan import BuildReport, SegmentKey
from dayline.storage.columns.segments import Damaged
from dayline.storage.columns.snapshot import Rows
from dayline.storage.columns.value_packs import TooManyFields
from dayline.storage.sqlite.columns.rows import Wanted, concatenated, last_place, read_page, read_texts
from dayline.storage.sqlite.derived.file import DamagedFile, DerivedWriter, derived_path, epoch_of, noticing_damage
from dayline.storage.sqlite.derived.text_index import LIVING, is_being_recovered
from dayline.storage.sqlite.file.connection import open_reader
from dayline.storage.sqlite.file.lock import FileLock
from dayline.transform.text import Document, document_of

PAGE: Final = 2000  # values read and indexed together

_NEWEST = "SELECT (SELECT coalesce(max(key), 0) FROM value), (SELECT coalesce(max(key), 0) FROM bucket)"
_VALUES = "SELECT key, bucket, json FROM value WHERE key > ? AND key <= ? ORDER BY key LIMIT ?"


class _Value(Struct, frozen=True, array_like=True):
    key: int
    bucket: int
    json: str


class TextIndexBuild:
    """One pass over the values that are not indexed yet. Committed pages stay if it is interrupted."""

    def __init__(self, db: apsw.Connection, file: DerivedWriter) -> None:
        self._db = db
        self._texts = file.texts

    def run(self) -> None:
        if is_being_recovered(self._db):
            return
        living, newest, newest_bucket = self._state()
        upto = self._begin(living)
        after = min(upto.values(), default=newest)
        while after < newest:
            now, page = self._page(after, newest)
            for bucket in [bucket for bucket in upto if now.get(bucket) != living[bucket]]:
                del upto[bucket]  # deleted, or its texts have changed: next time
                self._forget(bucket)
            after = page[-1].key if len(page) == PAGE else newest
            self._add(page, upto, after)
        with noticing_damage(), self._texts.transaction():
            self._texts.mark(upto=newest, buckets=newest_bucket)

    def _state(self) -> tuple[dict[int, int], int, int]:
        """The visible buckets, and the highest keys: buckets created later have newer values."""
        with self._reading():
            [numbers] = msgspec.convert(self._db.execute(_NEWEST).fetchall(), list[tuple[int, int]])
            return self._living(), *numbers

    def _page(self, after: int, newest: int) -> tuple[dict[int, int], list[_Value]]:
        """The visible buckets, and some values from the same snapshot."""
        with self._reading():
            rows = self._db.execute(_VALUES, (after, newest, PAGE)).fetchall()
            return self._living(), msgspec.convert(rows, list[_Value])

    @contextmanager
    def _reading(self) -> Generator[None]:
        """One snapshot of the database for several reads."""
        with self._db:
            yield

    def _begin(self, living: dict[int, int]) -> dict[int, int]:
        """How far each visible bucket is indexed; an invalid index is started again."""
        with noticing_damage():
            marks = self._texts.marks()
        for bucket in marks.indexed.keys() - living.keys():
            self._forget(bucket)
        upto: dict[int, int] = {}
        for bucket, dictionary in living.items():
            upto[bucket] = marks.upto_of(bucket, dictionary)
            if not marks.has_table(bucket, dictionary):
                with noticing_damage(), self._texts.transaction():
                    self._texts.begin(bucket, dictionary)
        return upto

    def _forget(self, bucket: int) -> None:
        with noticing_damage(), self._texts.transaction():
            self._texts.forget(bucket)

    def _add(self, page: Sequence[_Value], upto: dict[int, int], last: int) -> None:
        documents: dict[int, list[tuple[int, Document]]] = {bucket: [] for bucket in upto}
        for value in page:
            if value.key > upto.get(value.bucket, last):
                documents[value.bucket].append((value.key, document_of(value.json.encode())))
        with noticing_damage(), self._texts.transaction():
            for bucket, added in documents.items():
                self._texts.add(bucket, added, upto=last)

    def _living(self) -> dict[int, int]:
        return dict(msgspec.convert(self._db.execute(LIVING).fetchall(), list[tuple[int, int]]))


# No other process writes the derived file. The database is only read, in short transactions, so that the write-ahead
# log can be reset.


_SEALED = "SELECT is_sealed AND changes = ? FROM month WHERE bucket = ? AND month = ?"
_SEALED_MONTHS = "SELECT bucket, month, changes FROM month WHERE is_sealed AND events >= ?"
_LIVING = "SELECT key FROM bucket WHERE deleted IS NULL"
_DICTIONARY = "SELECT dictionary FROM bucket WHERE key = ?"


def build(
    database: Path,
    places: list[SegmentKey],
    *,
    is_from_scratch: bool = False,
    has_texts: bool = True,
    min_events: int | None = None,
) -> BuildReport:
    """Build these sealed months, unless they have changed, and the full-text index if `has_texts`.

    `is_from_scratch`: discard the existing file, which is known to be damaged. With `min_events`, months of as many
    events that are sealed while it runs are built too. Raises StoreLocked while another builder runs.
    """
    make_own_folder(database)
    lock = FileLock(derived_path(database))
    db = open_reader(database)
    building = partial(_build, database, db, places, has_texts=has_texts, min_events=min_events)
    try:
        try:
            return building(is_from_scratch=is_from_scratch)
        except (Damaged, DamagedFile):
            return building(is_from_scratch=True)
    finally:
        db.close()
        lock.close()


def _build(
    database: Path,
    db: apsw.Connection,
    places: list[SegmentKey],
    *,
    is_from_scratch: bool,
    has_texts: bool,
    min_events: int | None,
) -> BuildReport:
    file = DerivedWriter(derived_path(database), epoch=epoch_of(db), is_from_scratch=is_from_scratch)
    try:
        living = {key for (key,) in msgspec.convert(db.execute(_LIVING).fetchall(), list[tuple[int]])}
        for bucket in file.buckets() - living:
            file.forget(bucket)
        months = _Months(db, file, living)
        sealed = partial(_sealed, db, file, min_events)
        for some in [places] if min_events is None else with_following(places, sealed):
            months.build(some)
        if has_texts:
            TextIndexBuild(db, file).run()
    finally:
        file.close()
    return BuildReport(built=months.built, unpackable=sorted(months.unpackable), is_new=file.is_new)


def _sealed(db: apsw.Connection, file: DerivedWriter, min_events: int | None) -> set[SegmentKey]:
    """The sealed months with at least as many events and without a segment."""
    rows = db.execute(_SEALED_MONTHS, (min_events,)).fetchall()
    return set(msgspec.convert(rows, list[SegmentKey])) - file.places()


class _Months:
    """Builds months of buckets, and keeps what it knows of the values of a bucket for its next months."""

    def __init__(self, db: apsw.Connection, file: DerivedWriter, living: set[int]) -> None:
        self._db = db
        self._file = file
        self._living = living
        self._of_buckets: dict[int, BucketBuild] = {}
        self.built: list[SegmentKey] = []
        self.unpackable: set[int] = set()

    def build(self, places: Sequence[SegmentKey]) -> None:
        for bucket, months in groupby(sorted(places, key=_order), key=lambda place: place.bucket):
            if bucket not in self._living or bucket in self.unpackable:
                continue
            try:
                if bucket not in self._of_buckets:
                    self._of_buckets[bucket] = BucketBuild(self._db, self._file, bucket)
                self.built += self._of_buckets[bucket].run(months)
            except TextsChanged:
                del self._of_buckets[bucket]  # so did its months: they come again
            except TooManyFields:
                self._file.forget(bucket)
                self.unpackable.add(bucket)


class TextsChanged(Exception):
    """Texts of the bucket's values changed since its packs were started."""


class BucketBuild(SegmentBuilding):
    """The segments of one bucket of a file."""

    def __init__(self, db: apsw.Connection, file: DerivedWriter, bucket: int) -> None:
        self._db = db
        self._file = file
        self._bucket = bucket
        self._dictionary = self._count_of_texts()
        if file.dictionary(bucket) not in (None, self._dictionary):
            file.forget(bucket)
        read, has_changes = partial(read_texts, db), self._dictionary > 0
        super().__init__(PackBuilding(bucket, file.packs(bucket), read, has_changes=has_changes))

    def keep(self, segments: list[tuple[SegmentKey, bytes]]) -> None:
        if self._count_of_texts() != self._dictionary:
            raise TextsChanged
        self._file.keep(self._bucket, self.packs.taken(), segments, dictionary=self._dictionary)

    def _count_of_texts(self) -> int:
        """The number of text changes. Like the changes of a month, it only grows."""
        return int(self._db.execute(_DICTIONARY, (self._bucket,)).get or 0)

    def read(self, place: SegmentKey) -> Rows | None:
        """The rows of a month; None if it has changed.

        The count of changes only grows: if it is the same before and after, the month did not change in between.
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
            with self._db:  # one snapshot for the check and the page
                if not self._db.execute(_SEALED, (place.version, place.bucket, place.month)).get:
                    return None
                pages.append(read_page(self._db, wanted, after))
            after = last_place(pages[-1])
        return concatenated(pages)


def _order(place: SegmentKey) -> tuple[int, int]:
    return place.bucket, place.month
