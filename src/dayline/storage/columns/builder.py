"""Builds segments and value packs, in the builder process."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic, sleep
from typing import Final

import numpy as np

from dayline.storage.columns.dictionaries import PackedDictionary, ReadTexts
from dayline.storage.columns.segment_plan import PackedPack, SegmentKey
from dayline.storage.columns.segments import MonthEvents, pack_segment
from dayline.storage.columns.snapshot import Rows
from dayline.storage.columns.source import MISSING, Codes, Ids
from dayline.storage.columns.value_packs import MAX_VALUES, PackWriter, ValuePack

_LOOK_S: Final = 0.1
_IDLE_S: Final = 2.0  # an import takes longer for a month only on a slow disk


def with_following(
    places: Sequence[SegmentKey], sealed: Callable[[], Iterable[SegmentKey]]
) -> Iterator[Sequence[SegmentKey]]:
    """The months to build, then those that are sealed while they are built, until there are no others for a moment."""
    known = set(places)
    yield places
    ends_at = monotonic() + _IDLE_S
    while monotonic() < ends_at:
        fresh = [segment_key for segment_key in sealed() if segment_key not in known]
        if fresh:
            known.update(fresh)
            yield fresh
            ends_at = monotonic() + _IDLE_S
        else:
            sleep(_LOOK_S)


class PackBuilding:
    """Extends the packs of a bucket. Full packs never change; the last one grows.

    `has_changes`: texts were changed, so that several values may have the same one.
    """

    def __init__(self, bucket: int, packs: Sequence[PackedPack], read: ReadTexts, *, has_changes: bool = False) -> None:
        self._bucket = bucket
        self._has_changes = has_changes
        self._read = read
        self._known = PackedDictionary([ValuePack(packed, bucket=bucket, first=first) for first, _, packed in packs])
        self._writer: PackWriter | None = None
        self._numbers: dict[int, int] = {}  # of values packed here
        self._whole: list[PackedPack] = []

    @property
    def has_whole(self) -> bool:
        """Whether a full pack has not been taken yet."""
        return bool(self._whole)

    def taken(self) -> list[PackedPack]:
        """The packs that are new or have grown."""
        whole, self._whole = self._whole, []
        writer = self._writer
        return [
            *whole,
            *([(writer.first, writer.count, writer.packed())] if writer is not None and writer.count else []),
        ]

    def codes(self, keys: Ids) -> Codes:
        """The numbers of values, packing new ones. Raises TooManyFields."""
        distinct, places = np.unique(keys, return_inverse=True)
        codes = self._known.find(distinct)
        others = np.flatnonzero(codes == MISSING)
        unknown = [key for key in distinct[others].tolist() if key not in self._numbers]
        for key, text in self._read(unknown):
            self._pack(key, text)
        codes[others] = [self._numbers[key] for key in distinct[others].tolist()]
        return codes[places]

    def _pack(self, key: int, text: bytes) -> None:
        writer = self._writer = self._begun() if self._writer is None else self._writer
        self._numbers[key] = writer.first + writer.count
        writer.add(key, text)
        if writer.is_full:
            self._whole.append((writer.first, writer.count, writer.packed()))
            writer.next()

    def _begun(self) -> PackWriter:
        """A writer that continues where the packs end. A last pack that is not full is written again with more
        values.
        """
        whole, unfinished = self._known.split(MAX_VALUES)
        writer = PackWriter(self._bucket, is_distinct=not self._has_changes)
        writer.first = len(whole)
        for field in whole.fields():
            writer.know(field, whole.column(field).items)
        for key, text in zip(self._known.keys(unfinished).tolist(), self._known.texts(unfinished), strict=True):
            writer.add(key, text)
        return writer


class SegmentBuilding(ABC):
    """Builds the segments of one bucket and the packs of values they need. The engine reads months and stores
    results.
    """

    def __init__(self, packs: PackBuilding) -> None:
        self.packs = packs
        self._segments: list[tuple[SegmentKey, bytes]] = []

    def run(self, places: Iterable[SegmentKey]) -> list[SegmentKey]:
        """Build and store segments; returns those that could be built. Raises TooManyFields, and what `keep` raises."""
        built: list[SegmentKey] = []
        for segment_key in places:
            rows = self.read(segment_key)
            if rows is None:
                continue
            events = MonthEvents(rows.start, rows.duration, rows.id, self.packs.codes(rows.key))
            self._segments.append((segment_key, pack_segment(events, segment_key)))
            built.append(segment_key)
            if self.packs.has_whole:  # a full pack is a lot of work: store it now, in case the server stops
                self._keep()
        self._keep()
        return built

    @abstractmethod
    def read(self, place: SegmentKey) -> Rows | None:
        """The rows of a month; None if it has changed, or need not be built."""

    @abstractmethod
    def keep(self, segments: list[tuple[SegmentKey, bytes]]) -> None:
        """Store segments and the packs made for them. Raises if the bucket has changed."""

    def _keep(self) -> None:
        segments, self._segments = self._segments, []
        if segments:
            self.keep(segments)
