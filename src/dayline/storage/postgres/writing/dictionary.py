"""Changes of a bucket's dictionary: replacing texts, and deleting values that no event uses. The bucket must be locked.

A value is hidden before it is deleted: events keep it but no new event gets it, so that its uses can be looked up. A
hidden value has a negative salt, which lookups of a text do not find.
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
# Rows of values, each looked up by key: the planner expects a new bucket to have hardly any, and would scan all of
# them.
NAMED_VALUES: Final = """
unnest(%(values)s::bigint[]) AS wanted(key) CROSS JOIN LATERAL (
    SELECT ctid AS place, key, hash, json, salt FROM value
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND key BETWEEN wanted.key AND wanted.key ORDER BY key LIMIT 1
) AS named
"""
# Those of some hashes that a value has, hidden or not.
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
    """Account for a changed dictionary: everything cached of it becomes invalid."""
    turn.db.execute(_COUNT, (turn.tenant, state.key))
    turn.db.execute(_UNSEAL, (turn.tenant, state.key))
    turn.touch_bucket(state.key)
    turn.notify(state.bucket.id, "changed")


def give_texts(turn: PostgresTransaction, state: BucketRecord, texts: Mapping[int, CanonicalJson]) -> None:
    """Replace the texts of values. No value has the hash of a new text."""
    new = {
        "values": list(texts),
        "hashes": [hash_of(text) for text in texts.values()],
        "texts": [text.decode() for text in texts.values()],
    }
    # Planned for these: a generic plan would not know how many they are, and compare each with each.
    turn.db.execute(_GIVE_TEXTS, {"tenant": turn.tenant, "bucket": state.key, **new}, prepare=False)
    touch_values(turn, state)


def hide(turn: PostgresTransaction, state: BucketRecord, values: Sequence[int]) -> None:
    """Keep values from being used by new events."""
    if turn.db.execute(_HIDE, _named(turn, state, values)).rowcount:
        touch_values(turn, state)


def remove(turn: PostgresTransaction, state: BucketRecord, values: Sequence[int]) -> None:
    """Delete hidden values that nothing uses."""
    if turn.db.execute(_REMOVE, _named(turn, state, values)).rowcount:
        touch_values(turn, state)  # what was derived from texts since they were hidden is invalid too


def show(turn: PostgresTransaction, state: BucketRecord, values: Sequence[int]) -> None:
    """Make hidden values visible to lookups again."""
    for (key,) in turn.db.execute(_HIDDEN, _named(turn, state, values)).fetchall():
        turn.db.execute(_SHOW, (turn.tenant, state.key, key))


def _named(turn: PostgresTransaction, state: BucketRecord, values: Sequence[int]) -> dict[str, object]:
    return {"tenant": turn.tenant, "bucket": state.key, "values": list(values)}
