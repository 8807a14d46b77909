"""The audit trail in the database, and when keys were last used: what several servers add to at once."""

from collections.abc import Sequence
from typing import Any, Final, LiteralString

import msgspec

from dayline.model.audit import AuditEntry, AuditFilter, AuditTally, KeyUse
from dayline.model.timestamps import Microseconds
from dayline.storage.postgres.connections.connection import Connection

_LOCK: Final = 0x61756474  # "audt": who holds it with a tenant's number, adds to the trail of that tenant
_FORGOTTEN_AT_ONCE: Final = 500  # lines of the trail; the next flush forgets more

_FIELDS: Final[Sequence[str]] = AuditTally.__struct_fields__
# A line must not come twice in one statement, so those that come together are counted together first.
_PUT_TALLIES: Final = """
INSERT INTO audit AS kept (tenant, number, slot, who, key_id, address, call, bucket, status, first, last, count)
SELECT %(tenant)s, row_number() OVER (ORDER BY min(place))
        + (SELECT coalesce(max(number), 0) FROM audit WHERE tenant = %(tenant)s),
    slot, who, (array_agg(key_id ORDER BY place))[1], address, call, bucket, status,
    (array_agg(first ORDER BY place))[1], max(last), sum(count)::bigint
FROM unnest(
    %(slot)s::bigint[], %(who)s::text[], %(key_id)s::text[], %(address)s::text[], %(call)s::text[], %(bucket)s::text[],
    %(status)s::integer[], %(first)s::bigint[], %(last)s::bigint[], %(count)s::bigint[]
) WITH ORDINALITY AS new(slot, who, key_id, address, call, bucket, status, first, last, count, place)
GROUP BY slot, who, address, call, bucket, status
ON CONFLICT (tenant, slot, who, address, call, bucket, status)
DO UPDATE SET last = greatest(kept.last, excluded.last), count = kept.count + excluded.count
"""
# Only among those begun first: a line reaches over a day at most, so the oldest ones stand there.
_FORGET: Final = """
DELETE FROM audit WHERE tenant = %(tenant)s AND last < %(before)s
    AND number IN (SELECT number FROM audit WHERE tenant = %(tenant)s ORDER BY number LIMIT %(most)s)
"""
# Another server may have seen a later use.
_PUT_USES: Final = """
UPDATE access_key SET last_used = use.at, last_address = use.address
FROM unnest(%s::text[], %s::bigint[], %s::text[]) AS use(id, at, address)
WHERE access_key.id = use.id AND (last_used IS NULL OR last_used <= use.at)
"""


def note_tallies(db: Connection, tenant: str, tallies: Sequence[AuditTally], *, forget_before: Microseconds) -> None:
    """Add to the trail of a tenant, and forget lines that ended before a time."""
    # One server after the other: else two that count the same lines in another order would wait for each other.
    db.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_LOCK, tenant))
    if tallies:
        columns = {field: [plain(getattr(tally, field)) for tally in tallies] for field in _FIELDS}
        db.execute(_PUT_TALLIES, {"tenant": tenant, **columns})
    db.execute(_FORGET, {"tenant": tenant, "before": forget_before, "most": _FORGOTTEN_AT_ONCE})


def note_uses(db: Connection, uses: Sequence[KeyUse]) -> None:
    """Note when keys were last used, and from where. To be called under the lock of `note_tallies`."""
    latest = {use.key_id: use for use in sorted(uses, key=lambda use: use.when)}
    if latest:
        rows = latest.values()
        columns = [use.key_id for use in rows], [use.when for use in rows], [plain(use.address) for use in rows]
        db.execute(_PUT_USES, columns)


def read_audit(db: Connection, tenant: str, which: AuditFilter) -> list[AuditEntry]:
    """Lines of the audit log of a tenant, the latest first."""
    texts = (which.key_id, which.bucket, which.call, which.address)
    if any(text is not None and "\0" in text for text in texts):
        return []  # no line has one, and PostgreSQL does not take the question
    wanted: list[tuple[LiteralString, object]] = [
        ("last < %(before)s", which.before),
        ("key_id = %(key_id)s", which.key_id),
        ("bucket = %(bucket)s", which.bucket),
        ("(call = %(call)s OR starts_with(call, %(call)s || ' '))", which.call),
        ("address = %(address)s", which.address),
        ("last >= %(since)s", which.since),
        ("first < %(until)s", which.until),
        ("status >= 400", which.is_refused or None),
    ]
    conditions: LiteralString = "".join(f" AND {condition}" for condition, value in wanted if value is not None)
    rows = db.execute(
        # By rank, so that a page never ends between two lines of the same time.
        "SELECT number, slot, who, key_id, address, call, bucket, status, first, last, count FROM ("
        f"SELECT *, rank() OVER (ORDER BY last DESC) AS place FROM audit WHERE tenant = %(tenant)s{conditions}"
        ") AS ranked WHERE place <= %(limit)s ORDER BY last DESC, number DESC",
        {"tenant": tenant, **msgspec.structs.asdict(which)},
    ).fetchall()
    return [msgspec.convert(dict(zip(("number", *_FIELDS), row, strict=True)), AuditEntry) for row in rows]


def plain(value: Any) -> Any:
    """What PostgreSQL takes: what callers say of themselves may have null characters, and is noted all the same."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value
