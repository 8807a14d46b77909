"""The dictionary of values in the file: maps a data object to its key.

A key identifies one value of the file forever: full text, packs and caches know values by key, and treat every key up
to the highest one they have seen as known. SQLite assigns the highest key in the table plus one, so the row with the
highest key must never be deleted. AUTOINCREMENT would guarantee the same, but writes one more page per new value.

A value that a redaction has changed has its own key instead of a hash: no lookup finds it, so that no other event
shares it, and a guess of the original cannot be confirmed.
"""

from collections.abc import Iterable
from typing import Final

import apsw

from dayline.model.data import CanonicalJson
from dayline.storage.columns.hashes import hash_of

# The bucket, hash and text of a placeholder row that reserves the keys below it.
RESERVATION: Final = (0, 0, "{}")

# Enough for the values that watchers alternate between; about 2 MiB at the lengths below.
_REMEMBERED: Final = 4096
_REMEMBERED_BYTES: Final = 512


class ValueDictionary:
    """Keys of values, found by hash with the text compared; recent ones are cached."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._recent: dict[tuple[int, CanonicalJson], int] = {}
        self._given: set[int] | None = None

    def number(self, bucket_key: int, value: CanonicalJson) -> int:
        """The value's key; a new value is added. Call it inside a write transaction."""
        place = (bucket_key, value)
        number = self._recent.get(place)
        if number is None:
            number = self._stored(bucket_key, value)
            if len(value) <= _REMEMBERED_BYTES:
                if len(self._recent) >= _REMEMBERED:
                    del self._recent[next(iter(self._recent))]
                self._recent[place] = number
        if self._given is not None:
            self._given.add(number)
        return number

    def watch(self) -> None:
        """Track from now on which keys are used by new events, for the search for unused values."""
        self._given = set()

    def unwatch(self) -> None:
        self._given = None

    def was_given(self, number: int) -> bool:
        """Whether a new event may use this key since `watch`; True if nothing was tracked."""
        return self._given is None or number in self._given

    def forget(self) -> None:
        """Discard cached keys that may have been rolled back."""
        self._recent.clear()

    def _stored(self, bucket_key: int, value: CanonicalJson) -> int:
        digest, text = hash_of(value), value.decode()
        found = self._db.execute(
            "SELECT key FROM value WHERE hash = ? AND bucket = ? AND json = ? ORDER BY key LIMIT 1",
            (digest, bucket_key, text),
        ).get
        if isinstance(found, int):
            return found
        self._db.execute("INSERT INTO value(bucket, hash, json) VALUES(?, ?, ?)", (bucket_key, digest, text))
        return self._db.last_insert_rowid()


def delete_values(db: apsw.Connection, keys: Iterable[int]) -> int:
    """Delete values and return how many there were. Their keys are not assigned again."""
    deleted = set(keys)
    highest = int(db.execute("SELECT coalesce(max(key), 0) FROM value").get)
    if highest in deleted and not db.execute("SELECT bucket FROM value WHERE key = ?", (highest,)).get:
        deleted.remove(highest)
    elif highest in deleted:
        reserve_keys(db, upto=highest + 1)
    db.executemany("DELETE FROM value WHERE key = ?", [(key,) for key in sorted(deleted)])
    return len(deleted)


def reserve_keys(db: apsw.Connection, *, upto: int) -> None:
    """Assign only keys above this one to new values. No value may have it."""
    db.execute("INSERT INTO value(key, bucket, hash, json) VALUES(?, ?, ?, ?)", (upto, *RESERVATION))
