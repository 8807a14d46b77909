"""What the values of events stand for; texts and dictionaries are kept between queries."""

from typing import Final

import numpy as np
from msgspec import Struct

from dayline.model.data import CanonicalJson
from dayline.storage.column_cache import ColumnCache
from dayline.storage.columns import Ids
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.row_columns import Place, read_texts
from dayline.storage.value_texts import RowDictionary, ValueTexts
from dayline.transform.text_query import TextQuery, matches_text

_TEXTS_AT_ONCE: Final = 20_000  # looked through: some MiB


class Owner(Struct, frozen=True):
    """Whose data: those of a bucket of one database, after so many changes of the texts of its values.

    As they were read over one connection, see ReadState.
    """

    epoch: str
    connection: int
    bucket: int
    dictionary: int


class ValueColumns:
    """Dictionaries for events, and which values have a text."""

    def __init__(self, cache: ColumnCache, tenant: str, *, most_bytes: int) -> None:
        self._cache = cache
        self._tenant = tenant
        self._most_bytes = most_bytes

    def dictionary(self, db: Connection, owner: Owner, keys: Ids) -> RowDictionary:
        """The values that the store calls so, in this order."""
        place = (owner, "rows", keys.tobytes())
        dictionary = self._cache.get(place, RowDictionary)
        if dictionary is None:
            dictionary = RowDictionary(self._texts(db, owner, keys))
            self._cache.put(place, dictionary)
        return dictionary

    def having(self, db: Connection, owner: Owner, keys: Ids, query: TextQuery) -> Ids:
        """Those of some values that a query fits."""
        parts = [keys[first : first + _TEXTS_AT_ONCE] for first in range(0, len(keys), _TEXTS_AT_ONCE)]
        flags = [matches_text(query, text) for part in parts for text in self._texts(db, owner, part)]
        return keys[np.array(flags, dtype=np.bool_)]

    def _texts(self, db: Connection, owner: Owner, keys: Ids) -> list[CanonicalJson]:
        texts = self._cache.get((owner, "texts"), ValueTexts)
        if texts is None:
            texts = ValueTexts()
            self._cache.put((owner, "texts"), texts)
        place = Place(self._tenant, owner.bucket)
        return texts.read(keys.tolist(), lambda unknown: read_texts(db, place, unknown), most_bytes=self._most_bytes)
