"""Reads segments and packs from the derived file and caches them. Queries continue if that file is unusable."""

import logging
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from dayline.storage.columns.cache import ColumnCache
from dayline.storage.columns.dictionaries import PackedDictionary, PackedSegments
from dayline.storage.columns.months import MIN_SHARE, MonthSpan, SegmentKey
from dayline.storage.columns.segments import Damaged, Segment, unpack_segment
from dayline.storage.columns.value_packs import ValuePack
from dayline.storage.sqlite.derived.file import (
    UNUSABLE,
    DamagedFile,
    DerivedReader,
    damage_mark,
    derived_path,
    noticing_damage,
)

R = TypeVar("R")

log = logging.getLogger(__name__)


class Owner(Struct, frozen=True):
    """A bucket in one history of changes, after this many changes of its values' texts."""

    epoch: int
    bucket: int
    dictionary: int


class SegmentColumns:
    """The derived data of one database."""

    def __init__(self, database: Path, cache: ColumnCache) -> None:
        self._database = database
        self._cache = cache
        self._reader: DerivedReader | None = None

    def find(self, owner: Owner, spans: Sequence[MonthSpan]) -> PackedSegments | None:
        """The segments worth using for these parts of months; None if there are none."""
        bucket = owner.bucket
        wanted = [
            SegmentKey(bucket, span.month, span.version)
            for span in spans
            if span.version is not None and (span.share >= MIN_SHARE or self._is_kept(bucket, span))
        ]
        return self.use(owner.epoch, lambda reader: self._read(reader, owner, wanted)) if wanted else None

    def use(self, epoch: int, read: Callable[[DerivedReader], R]) -> R | None:
        """The result of reading the derived file; None if it is unusable."""
        try:
            with noticing_damage():
                return read(self._opened(epoch))
        except (Damaged, DamagedFile) as error:
            log.warning("the derived data next to %s is damaged: %s", self._database.name, error)
            with suppress(OSError):
                damage_mark(self._database).touch()
        except UNUSABLE as error:
            log.debug("the derived data next to %s cannot be used: %s", self._database.name, error)
        self.close()
        return None

    def state(self, owner: Owner, spans: Sequence[MonthSpan]) -> Hashable | None:
        """A value that is equal while `find` returns the same for these parts of months; None if some are missing."""
        places = [SegmentKey(owner.bucket, span.month, span.version) for span in spans if span.version is not None]
        if len(places) < len(spans):
            return None
        if not places:
            return owner
        try:
            with noticing_damage():
                reader = self._opened(owner.epoch)
                with reader.reading():
                    if reader.dictionary(owner.bucket) != owner.dictionary:
                        return None
                    stored = reader.places(owner.bucket)
                    if any(stored.get(place.month) != place.version for place in places):
                        return None
                    return reader.generation, owner, reader.pack_places(owner.bucket), tuple(places)
        except (Damaged, DamagedFile, *UNUSABLE):
            return None  # reading them shows it

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _is_kept(self, bucket: int, span: MonthSpan) -> bool:
        if self._reader is None or span.version is None:
            return False
        place = SegmentKey(bucket, span.month, span.version)
        return self._cache.get((self._reader.generation, place), Segment) is not None

    def _read(self, reader: DerivedReader, owner: Owner, places: Sequence[SegmentKey]) -> PackedSegments | None:
        with reader.reading():
            if reader.dictionary(owner.bucket) != owner.dictionary:
                return None
            stored = reader.places(owner.bucket)
            segments: dict[int, Segment] = {}
            for place in places:
                if stored.get(place.month) == place.version:
                    segment = self._segment(reader, place)
                    if segment is not None:
                        segments[place.month] = segment
            return self._with_values(reader, owner, segments) if segments else None

    def _opened(self, epoch: int) -> DerivedReader:
        reader = self._reader
        if reader is not None and (reader.epoch != epoch or not reader.is_current):
            self.close()
            reader = None
        if reader is None:
            reader = self._reader = DerivedReader(derived_path(self._database), epoch=epoch)
        return reader

    def _segment(self, reader: DerivedReader, place: SegmentKey) -> Segment | None:
        key = (reader.generation, place)
        segment = self._cache.get(key, Segment)
        if segment is None:
            packed = reader.segment(place)
            if packed is None:
                return None
            segment = unpack_segment(packed, place)
            self._cache.put(key, segment)
        return segment

    def _with_values(self, reader: DerivedReader, owner: Owner, segments: dict[int, Segment]) -> PackedSegments:
        bucket = owner.bucket
        state = (reader.generation, owner, reader.pack_places(bucket))
        dictionary = self._cache.get(state, PackedDictionary)
        if dictionary is None:
            packs = [ValuePack(packed, bucket=bucket, first=first) for first, _, packed in reader.packs(bucket)]
            dictionary = PackedDictionary(packs)
            self._cache.put(state, dictionary)
        return PackedSegments(segments, dictionary, state)
