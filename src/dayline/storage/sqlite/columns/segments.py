"""Reads segments and packs from the derived file. Queries continue if that file is unusable."""

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from dayline.model.errors import StoreUnusable
from dayline.runtime.files import open_same
from dayline.storage.columns.dictionaries import PackedSegments
from dayline.storage.columns.months import MonthSpan
from dayline.storage.columns.segment_cache import SegmentCache
from dayline.storage.columns.segment_plan import SegmentKey
from dayline.storage.columns.segments import Damaged
from dayline.storage.columns.snapshot import ValueOwner
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


class SegmentColumns:
    """The derived data of one database."""

    def __init__(self, database: Path, cache: SegmentCache) -> None:
        self._database = database
        self._cache = cache
        self._reader: DerivedReader | None = None

    def find(self, owner: ValueOwner, spans: Sequence[MonthSpan]) -> PackedSegments | None:
        """The segments worth using for these parts of months; None if there are none."""
        state = None if self._reader is None else (owner, self._reader.generation)
        wanted = self._cache.wanted(state, owner.bucket, spans)
        return self.use(owner, lambda reader: self._read(reader, owner, wanted)) if wanted else None

    def use(self, owner: ValueOwner, read: Callable[[DerivedReader], R]) -> R | None:
        """The result of reading the derived file; None if it is unusable."""
        try:
            with noticing_damage():
                reader = self._opened(owner.epoch)
                with reader.reading():
                    return read(reader)
        except (Damaged, DamagedFile) as error:
            log.warning("The derived data of %s is damaged: %s", self._database.name, error)
            with suppress(OSError, StoreUnusable):
                os.close(open_same(damage_mark(self._database), os.O_WRONLY))
        except UNUSABLE as error:
            log.debug("The derived data of %s cannot be used: %s", self._database.name, error)
        self.close()
        return None

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _read(self, reader: DerivedReader, owner: ValueOwner, places: Sequence[SegmentKey]) -> PackedSegments | None:
        bucket = owner.bucket
        if reader.dictionary(bucket) != owner.dictionary:
            return None
        stored = reader.places(bucket)
        existing = [segment_key for segment_key in places if stored.get(segment_key.month) == segment_key.version]
        segments = self._cache.segments((owner, reader.generation), existing, lambda some: _packed(reader, some))
        if not segments:
            return None
        state = (reader.generation, owner, reader.pack_places(bucket))
        return PackedSegments(segments, self._cache.values(state, bucket, lambda: reader.packs(bucket)), state)

    def _opened(self, epoch: object) -> DerivedReader:
        reader = self._reader
        if reader is not None and (reader.epoch != epoch or not reader.is_current):
            self.close()
            reader = None
        if reader is None:
            assert isinstance(epoch, int)
            reader = self._reader = DerivedReader(derived_path(self._database), epoch=epoch)
        return reader


def _packed(reader: DerivedReader, places: Sequence[SegmentKey]) -> Iterator[tuple[SegmentKey, bytes]]:
    for segment_key in places:
        packed = reader.segment(segment_key)
        if packed is not None:
            yield segment_key, packed
