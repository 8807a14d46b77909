"""The audit log in the database, inside a transaction."""

from collections.abc import Sequence
from typing import Final, LiteralString

import msgspec

from dayline.model.audit import AuditEntry, AuditFilter, AuditTally
from dayline.storage.engine.access import storable
from dayline.storage.postgres.rows.tables import TenantRows

_LOCK: Final = 0x61756474  # "audt": the advisory lock for adding to the audit log, together with a tenant's number

_FIELDS: Final[Sequence[str]] = AuditTally.__struct_fields__
# An entry must not occur twice in one statement, so equal ones are added up first.
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


class AuditRows(TenantRows):
    """The part of a transaction that reads and writes the audit log."""

    def audit(self, which: AuditFilter) -> list[AuditEntry]:
        texts = (which.key_id, which.bucket, which.call, which.address)
        if any(text is not None and "\0" in text for text in texts):
            return []  # no entry has one, and PostgreSQL rejects the query
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
        rows = self.db.execute(
            # By rank, so that a page never ends between two entries of the same time.
            "SELECT number, slot, who, key_id, address, call, bucket, status, first, last, count FROM ("
            f"SELECT *, rank() OVER (ORDER BY last DESC) AS place FROM audit WHERE tenant = %(tenant)s{conditions}"
            ") AS ranked WHERE place <= %(limit)s ORDER BY last DESC, number DESC",
            {"tenant": self.tenant, **msgspec.structs.asdict(which)},
        ).fetchall()
        return [msgspec.convert(dict(zip(("number", *_FIELDS), row, strict=True)), AuditEntry) for row in rows]

    def put_tallies(self, tallies: Sequence[AuditTally]) -> None:
        # One server at a time: two that count the same entries in a different order would deadlock.
        self.db.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_LOCK, self.tenant))
        if tallies:
            columns = {field: [storable(getattr(tally, field)) for tally in tallies] for field in _FIELDS}
            self.db.execute(_PUT_TALLIES, {"tenant": self.tenant, **columns})
