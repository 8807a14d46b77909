"""Changes of the dictionary of a bucket: other texts, and removing values that no event has. The bucket is locked.

A value is hidden before it is removed: events keep it and no new event is given it, so that its uses can be looked up.
A hidden value has a salt below zero, which lookups of a text do not find.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from dayline.model.data import CanonicalJson
from dayline.storage.columns.hashes import hash_of
from dayline.storage.postgres.rows.buckets import BucketRecord
from dayline.storage.postgres.writing.transaction import PostgresTransaction

_COUNT: Final = "UPDATE bucket SET dictionary = dictionary + 1 WHERE tenant = %s AND key = %s"
_UNSEAL: Final = """
UPDATE month SET is_sealed = false, changes = changes + 1 WHERE tenant = %s AND bucket = %s AND is_sealed
"""
# Rows of values, each looked up by itself, with the key: of a new bucket the planner believes that it has hardly any,
# and would go through all of them.
NAMED_VALUES: Final = """
unnest(%(values)s::bigint[]) AS wanted(key) CROSS JOIN LATERAL (
    SELECT ctid AS place, key, hash, json, salt FROM value
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND key BETWEEN wanted.key AND wanted.key ORDER BY key LIMIT 1
) AS named
"""
# Of some hashes those that a value has, be it hidden or not.
TAKEN_HASHES: Final = """
SELECT wanted.hash FROM unnest(%(hashes)s::bigint[]) AS wanted(hash) CROSS JOIN LATERAL (
    SELECT FROM value
    WHERE tenant = %(tenant)s AND hash = wanted.hash AND bucket::float8 = %(bucket)s ORDER BY hash LIMIT 1
) AS taken
"""
_AT: Final = f"WHERE tenant = %(tenant)s AND ctid = ANY(ARRAY(SELECT named.place FROM {NAMED_VALUES}))"
_GIVE_TEXTS: Final = f"""
UPDATE value SET hash = new.hash, salt = 0, json = new.json
FROM unnest(%(values)s::bigint[], %(hashes)s::bigint[], %(texts)s::text[]) AS new(key, hash, json)
{_AT} AND value.key = new.key
"""
_HIDE: Final = f"UPDATE value SET salt = -1 - salt {_AT} AND salt >= 0"
_REMOVE: Final = f"DELETE FROM value {_AT} AND salt < 0"
_HIDDEN: Final = f"SELECT named.key FROM {NAMED_VALUES} WHERE named.salt < 0"
_SHOW: Final = """
UPDATE value SET salt = (
    SELECT coalesce(max(other.salt) + 1, 0) FROM value AS other
    WHERE other.tenant = value.tenant AND other.hash = value.hash AND other.bucket::float8 = value.bucket
    AND other.salt >= 0
) WHERE tenant = %s AND bucket = %s AND key = %s
"""


def touch_values(turn: PostgresTransaction, state: BucketRecord) -> None:
    """Take into account that the dictionary is not as it was: nothing that was remembered of it fits any more."""
    turn.db.execute(_COUNT, (turn.tenant, state.key))
    turn.db.execute(_UNSEAL, (turn.tenant, state.key))
    turn.touch_bucket(state.key)
    turn.notify(state.bucket.id, "changed")


def give_texts(turn: PostgresTransaction, state: BucketRecord, texts: Mapping[int, CanonicalJson]) -> None:
    """Give values other texts, of which no value has the hash."""
    new = {
        "values": list(texts),
        "hashes": [hash_of(text) for text in texts.values()],
        "texts": [text.decode() for text in texts.values()],
    }
    # Planned for these: a plan for any would not know how many they are, and compare each with each.
    turn.db.execute(_GIVE_TEXTS, {"tenant": turn.tenant, "bucket": state.key, **new}, prepare=False)
    touch_values(turn, state)


def hide(turn: PostgresTransaction, state: BucketRecord, values: Sequence[int]) -> None:
    """Keep values from being given to new events."""
    if turn.db.execute(_HIDE, _named(turn, state, values)).rowcount:
        touch_values(turn, state)


def remove(turn: PostgresTransaction, state: BucketRecord, values: Sequence[int]) -> None:
    """Remove values that are hidden, and that nobody has."""
    if turn.db.execute(_REMOVE, _named(turn, state, values)).rowcount:
        touch_values(turn, state)  # what has been made of texts since they were hidden does not fit either


def show(turn: PostgresTransaction, state: BucketRecord, values: Sequence[int]) -> None:
    """Let values be found again that are hidden."""
    for (key,) in turn.db.execute(_HIDDEN, _named(turn, state, values)).fetchall():
        turn.db.execute(_SHOW, (turn.tenant, state.key, key))


def _named(turn: PostgresTransaction, state: BucketRecord, values: Sequence[int]) -> dict[str, object]:
    return {"tenant": turn.tenant, "bucket": state.key, "values": list(values)}
