"""What the values of events stand for, whether they are packed or not; texts and dictionaries are kept."""

from collections.abc import Sequence

import apsw
import numpy as np

from dayline.model.data import CanonicalJson
from dayline.storage.column_cache import ColumnCache
from dayline.storage.columns import MISSING, Codes, Dictionary, Ids
from dayline.storage.packed_dictionary import ExtendedDictionary
from dayline.storage.sqlite.row_columns import read_texts
from dayline.storage.sqlite.segment_columns import Found, Owner
from dayline.storage.value_texts import RowDictionary, ValueTexts


class ValueColumns:
    """Dictionaries for events of which some come from rows."""

    def __init__(self, cache: ColumnCache, *, most_bytes: int) -> None:
        self._cache = cache
        self._most_bytes = most_bytes

    def codes(
        self, db: apsw.Connection, owner: Owner, found: Found | None, keys: Sequence[Ids]
    ) -> tuple[Dictionary, list[Codes]]:
        """One dictionary for packed values and those that the store calls by these keys; and the codes of the keys."""
        together = np.concatenate(keys) if keys else np.zeros(0, dtype=np.int64)
        distinct, places = np.unique(together, return_inverse=True)
        if found is None:
            dictionary: Dictionary = self._from_rows(db, owner, distinct)
            codes = places.astype(np.int32)
        else:
            dictionary, of_distinct = self._extended(db, owner, found, distinct)
            codes = of_distinct[places]
        return dictionary, np.split(codes, np.cumsum([len(part) for part in keys])[:-1]) if keys else []

    def _from_rows(self, db: apsw.Connection, owner: Owner, keys: Ids) -> RowDictionary:
        place = (owner, "rows", keys.tobytes())
        dictionary = self._cache.get(place, RowDictionary)
        if dictionary is None:
            dictionary = RowDictionary(self._texts(db, owner, keys))
            self._cache.put(place, dictionary)
        return dictionary

    def _extended(self, db: apsw.Connection, owner: Owner, found: Found, keys: Ids) -> tuple[Dictionary, Codes]:
        packed = found.values
        codes = packed.find(keys)
        unpacked = np.flatnonzero(codes == MISSING)
        if not len(unpacked):
            return packed, codes
        codes[unpacked] = np.arange(len(unpacked), dtype=np.int32) + len(packed)
        place = (found.state, keys[unpacked].tobytes())
        dictionary = self._cache.get(place, ExtendedDictionary)
        if dictionary is None:
            dictionary = ExtendedDictionary(packed, self._texts(db, owner, keys[unpacked]))
            self._cache.put(place, dictionary)
        return dictionary, codes

    def _texts(self, db: apsw.Connection, owner: Owner, keys: Ids) -> list[CanonicalJson]:
        place = (owner, "texts")
        texts = self._cache.get(place, ValueTexts)
        if texts is None:
            texts = ValueTexts()
            self._cache.put(place, texts)
        return texts.read(keys.tolist(), lambda unknown: read_texts(db, unknown), most_bytes=self._most_bytes)
