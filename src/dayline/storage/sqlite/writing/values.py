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
import msgspec

from dayline.model.data import CanonicalJson
from dayline.storage.columns.hashes import hash_of

# The bucket, hash and text of a placeholder row that reserves the keys below it.
RESERVATION: Final = (0, 0, "{}")

_ADD: Final = "INSERT INTO value(bucket, hash, json) VALUES(?, ?, ?) RETURNING key"
_BY_HASHES: Final = """
SELECT json, min(key) FROM value
WHERE bucket = :bucket AND hash IN (SELECT value FROM json_each(:hashes)) GROUP BY json
"""

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
        value_key = (bucket_key, value)
        number = self._recent.get(value_key)
        if number is None:
            number = self._stored(bucket_key, value)
            if len(value) <= _REMEMBERED_BYTES:
                if len(self._recent) >= _REMEMBERED:
                    del self._recent[next(iter(self._recent))]
                self._recent[value_key] = number
        return self._given_out(number)

    def numbers(self, bucket_key: int, values: Iterable[CanonicalJson]) -> dict[CanonicalJson, int]:
        """The keys of many values, found together; new values are added."""
        wanted = {value: hash_of(value) for value in values}
        hashes = msgspec.json.encode(sorted(set(wanted.values()))).decode()
        rows = self._db.execute(_BY_HASHES, {"bucket": bucket_key, "hashes": hashes}).fetchall()
        stored = {json.encode(): number for json, number in msgspec.convert(rows, list[tuple[str, int]])}
        added = [value for value in wanted if value not in stored]
        rows = [(bucket_key, wanted[value], value.decode()) for value in added]
        stored |= zip(added, (key for (key,) in self._db.executemany(_ADD, rows)), strict=True)
        return {value: self._given_out(stored[value]) for value in wanted}

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
        found = self._db.execute(
            "SELECT key FROM value WHERE hash = ? AND bucket = ? AND json = ? ORDER BY key LIMIT 1",
            (hash_of(value), bucket_key, value.decode()),
        ).get
        return found if isinstance(found, int) else self._added(bucket_key, value)

    def _added(self, bucket_key: int, value: CanonicalJson) -> int:
        row = bucket_key, hash_of(value), value.decode()
        return int(self._db.execute(_ADD, row).get)

    def _given_out(self, number: int) -> int:
        if self._given is not None:
            self._given.add(number)
        return number


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
