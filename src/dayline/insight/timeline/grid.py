"""The columns of a timeline: a stretch of time cut into so many pixels. Only query processes import this."""

import numpy as np
from msgspec import Struct

from dayline.model.timestamps import Microseconds
from dayline.storage.columns.source import Times


class Grid(Struct, frozen=True):
    """The half-open time from `start` to `end`, which is later, on `px` pixels."""

    start: Microseconds
    end: Microseconds
    px: int

    def edges(self, columns: int) -> Times:
        """Where each column begins, and where the last one ends: one number more than there are columns."""
        # In two parts, since the length of all time, times the pixels, is beyond what int64 holds.
        whole, rest = divmod(self.end - self.start, columns)
        numbers = np.arange(columns + 1, dtype=np.int64)
        return self.start + whole * numbers + rest * numbers // columns

    def widest(self, columns: int) -> Microseconds:
        """How much time the widest column has."""
        return -((self.start - self.end) // columns)
