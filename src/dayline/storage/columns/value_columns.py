"""What the values of events stand for, whether they are packed or not; texts and dictionaries are kept."""

from collections.abc import Hashable, Sequence

import numpy as np
from msgspec import Struct

from dayline.model.data import CanonicalJson
from dayline.storage.columns.column_cache import ColumnCache
from dayline.storage.columns.columns import MISSING, Codes, Dictionary, Ids
from dayline.storage.columns.packed_dictionary import ExtendedDictionary, PackedDictionary
from dayline.storage.columns.value_texts import ReadTexts, RowDictionary, ValueTexts
from dayline.storage.segments.segments import Segment


class Found(Struct, frozen=True, eq=False):
    """Segments by month, and what their values stand for; `state` names the state of the packs."""

    segments: dict[int, Segment]
    values: PackedDictionary
    state: Hashable


class ValueColumns:
    """Dictionaries for events of which some come from rows. An owner says whose values they are, and after what."""

    def __init__(self, cache: ColumnCache, *, most_bytes: int) -> None:
        self._cache = cache
        self._most_bytes = most_bytes

    def codes(
        self, owner: Hashable, found: Found | None, keys: Sequence[Ids], read: ReadTexts
    ) -> tuple[Dictionary, list[Codes]]:
        """One dictionary for packed values and those that the store calls by these keys; and the codes of the keys."""
        together = np.concatenate(keys) if keys else np.zeros(0, dtype=np.int64)
        distinct, places = np.unique(together, return_inverse=True)
        if found is None:
            dictionary: Dictionary = self._from_rows(owner, distinct, read)
            codes = places.astype(np.int32)
        else:
            dictionary, of_distinct = self._extended(owner, found, distinct, read)
            codes = of_distinct[places]
        return dictionary, np.split(codes, np.cumsum([len(part) for part in keys])[:-1]) if keys else []

    def texts(self, owner: Hashable, keys: Ids, read: ReadTexts) -> list[CanonicalJson]:
        """The texts of some values."""
        place = (owner, "texts")
        texts = self._cache.get(place, ValueTexts)
        if texts is None:
            texts = ValueTexts()
            self._cache.put(place, texts)
        return texts.read(keys.tolist(), read, most_bytes=self._most_bytes)

    def _from_rows(self, owner: Hashable, keys: Ids, read: ReadTexts) -> RowDictionary:
        place = (owner, "rows", keys.tobytes())
        dictionary = self._cache.get(place, RowDictionary)
        if dictionary is None:
            dictionary = RowDictionary(self.texts(owner, keys, read))
            self._cache.put(place, dictionary)
        return dictionary

    def _extended(self, owner: Hashable, found: Found, keys: Ids, read: ReadTexts) -> tuple[Dictionary, Codes]:
        packed = found.values
        codes = packed.find(keys)
        unpacked = np.flatnonzero(codes == MISSING)
        if not len(unpacked):
            return packed, codes
        codes[unpacked] = np.arange(len(unpacked), dtype=np.int32) + len(packed)
        place = (found.state, keys[unpacked].tobytes())
        dictionary = self._cache.get(place, ExtendedDictionary)
        if dictionary is None:
            dictionary = ExtendedDictionary(packed, self.texts(owner, keys[unpacked], read))
            self._cache.put(place, dictionary)
        return dictionary, codes
