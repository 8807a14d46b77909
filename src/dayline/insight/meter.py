"""How much time lies within spans. Only query processes import this."""

from collections.abc import Sequence

import numpy as np

from dayline.insight.calendar import Span
from dayline.model.timestamps import SECOND, Microseconds
from dayline.storage.columns.source import Times


class Meter:
    """Adds up time: of pieces that ascend and are apart, how much lies within spans."""

    def __init__(self, start: Times, end: Times) -> None:
        self._start, self._end = start, end
        self._before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(end - start)])

    def seconds(self, spans: Sequence[Span]) -> float:
        """Seconds of the pieces within spans that are apart."""
        if not spans or not len(self._start):
            return 0.0
        edges = np.array(spans, dtype=np.int64)
        return int((self._until(edges[:, 1]) - self._until(edges[:, 0])).sum()) / SECOND

    def first_after(self, moment: Microseconds) -> Microseconds | None:
        """The first moment from another on that a piece has; None where none has any."""
        place = int(np.searchsorted(self._end, moment, side="right"))
        return max(int(self._start[place]), moment) if place < len(self._start) else None

    def _until(self, moments: Times) -> Times:
        """The time before each moment: of all pieces that begin before, without what the last has beyond it."""
        begun = np.searchsorted(self._start, moments)
        beyond = np.maximum(self._end[np.maximum(begun, 1) - 1] - moments, 0)
        return np.where(begun > 0, self._before[begun] - beyond, 0)
