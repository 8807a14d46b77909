"""The audit log in the file, inside a transaction."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from dayline.model.audit import AuditEntry, AuditFilter, AuditTally
from dayline.storage.sqlite.rows.buckets import FileRows

_TALLY_FIELDS: Final = ("slot", "who", "key_id", "address", "call", "bucket", "status", "first", "last", "count")
_PUT_TALLY: Final = f"""
INSERT INTO audit({", ".join(_TALLY_FIELDS)}) VALUES(:{", :".join(_TALLY_FIELDS)})
ON CONFLICT(slot, who, address, call, bucket, status) 
DO UPDATE SET last = max(last, excluded.last), count = count + excluded.count
"""
# By rank, so that a page never ends between two entries of the same time.
_AUDIT: Final = f"""
SELECT number, {", ".join(_TALLY_FIELDS)} FROM (
    SELECT *, rank() OVER (ORDER BY last DESC) AS place FROM audit
    WHERE last < :before AND last >= :since AND (:key IS NULL OR key_id = :key)
    AND (:bucket IS NULL OR bucket = :bucket) AND (:address IS NULL OR address = :address)
    AND status >= :least AND first < :until
    AND (:call IS NULL OR call = :call OR substr(call, 1, length(:call) + 1) = :call || ' ')
) WHERE place <= :limit ORDER BY last DESC, number DESC
"""
_REFUSED: Final = 400  # statuses from here on are refusals


class AuditRows(FileRows):
    """The part of a transaction that reads and writes the audit log."""

    def audit(self, which: AuditFilter) -> list[AuditEntry]:
        bounds: dict[str, Any] = {
            "before": 2**62 if which.before is None else which.before,
            "since": 0 if which.since is None else which.since,
            "until": 2**62 if which.until is None else which.until,
            "call": which.call,
            "address": which.address,
            "key": which.key_id,
            "bucket": which.bucket,
            "least": _REFUSED if which.is_refused else 0,
            "limit": which.limit,
        }
        rows = self.db.execute(_AUDIT, bounds).fetchall()
        return [msgspec.convert(dict(zip(("number", *_TALLY_FIELDS), row, strict=True)), AuditEntry) for row in rows]

    def put_tallies(self, tallies: Sequence[AuditTally]) -> None:
        self.db.executemany(_PUT_TALLY, [msgspec.structs.asdict(tally) for tally in tallies])
