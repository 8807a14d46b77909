"""The audit log: who did what to which bucket, aggregated so that a year of heartbeats stays small."""

from msgspec import Struct

from dayline.model.time import Microseconds


class AuditTally(Struct, frozen=True, kw_only=True):
    """Calls of one kind within one `slot` of time, to be added to the stored entry of the slot.

    `status` is the HTTP status of the response. A slot is a day for routine calls, an hour for refused calls, and the
    exact time for destructive calls, which are never aggregated.
    """

    slot: Microseconds
    who: str
    key_id: str
    address: str
    call: str
    bucket: str
    status: int
    first: Microseconds
    last: Microseconds
    count: int


class AuditEntry(AuditTally, frozen=True, kw_only=True):
    """An entry of the audit log. `number` is its order of creation."""

    number: int


class AuditFilter(Struct, frozen=True, kw_only=True):
    """Selects entries that ended before a time, by key, bucket, call, address, refused calls, or time range.

    An entry is in the range if it ends at `since` or later and began before `until`. There may be more entries than
    `limit` if several of them ended at the same time.
    """

    before: Microseconds | None = None
    key_id: str | None = None
    bucket: str | None = None
    call: str | None = None
    address: str | None = None
    is_refused: bool = False
    since: Microseconds | None = None
    until: Microseconds | None = None
    limit: int = 100


class KeyUse(Struct, frozen=True, kw_only=True):
    """When a key was last used, and from where."""

    key_id: str
    when: Microseconds
    address: str
