"""Packs the months of one bucket, one after the other, whichever store they are in."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Protocol

from dayline.storage.columns.columns import Ids, Times
from dayline.storage.columns.pack_building import PackBuilding
from dayline.storage.segments.segment_place import SegmentPlace
from dayline.storage.segments.segments import MonthEvents, pack_segment


class MonthRows(Protocol):
    """The events of a month by start and then by id; `key` is what the store calls their data."""

    @property
    def start(self) -> Times: ...
    @property
    def duration(self) -> Times: ...
    @property
    def id(self) -> Ids: ...
    @property
    def key(self) -> Ids: ...


class SegmentBuilding(ABC):
    """Segments of one bucket, and the packs of values that they need. A store reads months and keeps what was built."""

    def __init__(self, packs: PackBuilding) -> None:
        self.packs = packs
        self._segments: list[tuple[SegmentPlace, bytes]] = []

    def run(self, places: Iterable[SegmentPlace]) -> list[SegmentPlace]:
        """Build and keep them; which of them could be built. Raises TooManyFields, and what `keep` raises."""
        built: list[SegmentPlace] = []
        for place in places:
            rows = self.read(place)
            if rows is None:
                continue
            events = MonthEvents(rows.start, rows.duration, rows.id, self.packs.codes(rows.key))
            self._segments.append((place, pack_segment(events, place)))
            built.append(place)
            if self.packs.has_whole:  # a whole pack is a good deal of work: not to be lost when the server stops
                self._keep()
        self._keep()
        return built

    @abstractmethod
    def read(self, place: SegmentPlace) -> MonthRows | None:
        """The rows of a month; None when it is not as it was, or need not be built."""

    @abstractmethod
    def keep(self, segments: list[tuple[SegmentPlace, bytes]]) -> None:
        """Store segments, and the packs that were made for them. Raises where the bucket has changed meanwhile."""

    def _keep(self) -> None:
        segments, self._segments = self._segments, []
        if segments:
            self.keep(segments)
