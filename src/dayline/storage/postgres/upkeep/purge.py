"""Deletes the values of a deleted bucket, and what is derived from them."""

from functools import partial
from typing import Final

from dayline.storage.history.purge import SLICE_ROWS, Left, lock_purgeable
from dayline.storage.postgres.derived.word_clearing import clear_words
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.writer import PostgresTenantWriter

_FAR: Final = 2**62  # larger than every key and every time

# By ranges of the keys: the rows to delete are found along the index, whatever the planner knows of the tables. The
# edge is selected as a whole, because row security allows an index only for leakproof functions, and coalesce is not.
_PURGE_VALUES: Final = """
DELETE FROM value WHERE tenant = %(tenant)s AND bucket = %(key)s AND key <= (SELECT coalesce((
    SELECT key FROM value WHERE tenant = %(tenant)s AND bucket = %(key)s ORDER BY key LIMIT 1 OFFSET %(rows)s
), %(far)s))
"""
_PURGE_ROWS: Final = """
DELETE FROM {table} WHERE tenant = %(tenant)s AND bucket = %(key)s AND ({columns}) <= (
    SELECT {columns} FROM (
        (
            SELECT {columns} FROM {table} WHERE tenant = %(tenant)s AND bucket = %(key)s
            ORDER BY {columns} LIMIT 1 OFFSET %(rows)s
        ) UNION ALL SELECT %(far)s, %(far)s
    ) AS edge ORDER BY {columns} LIMIT 1
)
"""
_PURGE_REDACTED: Final = tuple(
    _PURGE_ROWS.format(table=table, columns=columns)
    for table, columns in (
        ("redacted_event", "redaction, start"),
        ("redacted_value", "redaction, value"),
        ("redaction_change", "plan, value"),
    )
)
_PURGE_DERIVED: Final = tuple(
    f"DELETE FROM {table} WHERE tenant = %(tenant)s AND bucket = %(key)s" for table in ("segment", "pack")
)


async def purge_values(tenant_writer: PostgresTenantWriter, key: int) -> bool:
    await clear_words(tenant_writer, key)
    left: Left = "more"
    while left == "more":
        left = await tenant_writer.change(partial(_purge_slice, key=key))
    return left == "nothing"


def _purge_slice(turn: PostgresTransaction, key: int) -> Left:
    """Delete some rows of a bucket."""
    if not lock_purgeable(turn, key):
        return "locked"
    place = {"tenant": turn.tenant, "key": key, "rows": SLICE_ROWS, "far": _FAR}
    if any(turn.db.execute(statement.encode(), place).rowcount for statement in (_PURGE_VALUES, *_PURGE_REDACTED)):
        return "more"
    for statement in _PURGE_DERIVED:
        turn.db.execute(statement.encode(), place)
    return "nothing"
