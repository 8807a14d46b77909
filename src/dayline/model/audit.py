"""The audit log: who did what to which bucket, aggregated so that a year of heartbeats stays small."""

from typing import Annotated

from msgspec import Meta, Struct

from dayline.model.time import Microseconds, Timestamp


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


class AuditLine(Struct, frozen=True, kw_only=True):
    """Calls of one kind, counted together: per day, errors per hour. Each destructive call has its own line.

    `who` is `open` if the server requires no key, `nobody` if the caller sent none, else the kind of sign-in and the
    key id.
    """

    number: int
    first: Timestamp
    last: Timestamp
    count: Annotated[int, Meta(ge=1)]
    who: str
    key_id: str
    key_name: str
    address: str
    call: str
    bucket: str
    status: int


class AuditPage(Struct, frozen=True, kw_only=True):
    """Lines of the audit log, the one with the latest `last` first. Pass `cursor` to get the next page; `null` means
    the last page. A page can exceed `limit` if several lines ended at the same time.
    """

    lines: list[AuditLine]
    cursor: int | None
