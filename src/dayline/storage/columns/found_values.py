"""Which values of a bucket a search has found. Only query processes import this."""

import numpy as np
from msgspec import Struct

from dayline.storage.columns.columns import MISSING, Codes, Flags, Ids
from dayline.storage.columns.packed_dictionary import PackedDictionary


class FoundValues(Struct, frozen=True, eq=False, kw_only=True):
    """Values by what the store calls them, ascending; `is_rest`: all of the bucket but these."""

    keys: Ids
    is_rest: bool
    looked_through: int  # how many were not in the index

    @property
    def is_nothing(self) -> bool:
        return not self.is_rest and not len(self.keys)

    def among(self, keys: Ids) -> Flags:
        """Which of these values are found."""
        if not len(self.keys):
            return np.full(len(keys), self.is_rest)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        is_named: Flags = self.keys[places] == keys
        return ~is_named if self.is_rest else is_named

    def among_packed(self, values: PackedDictionary) -> Flags:
        """Which packed values are found, by their numbers."""
        flags = np.full(len(values), self.is_rest)
        codes: Codes = values.find(self.keys)
        flags[codes[codes != MISSING]] = not self.is_rest
        return flags
