"""The audit trail: who did what to which bucket, counted so that a year of heartbeats stays small."""

from msgspec import Struct

from dayline.model.timestamps import Microseconds


class AuditTally(Struct, frozen=True, kw_only=True):
    """Calls of one kind within one `slot` of time, as they are added to what is stored of the slot.

    `status` is the HTTP status of the answer. A slot is the beginning of a day for what is done all day, of an hour for
    refusals, and the moment itself for what destroys something: that is never counted together.
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
    """A line of the stored trail. `number` says in which order the lines were begun."""

    number: int


class AuditFilter(Struct, frozen=True, kw_only=True):
    """Which lines: only those that ended before a time, of a key, about a bucket, of a call, refused, or of a time.

    A line that reaches from `since` on and began before `until` is of that time. There may be more lines than `limit`,
    if several of them ended at the same time.
    """

    before: Microseconds | None = None
    key_id: str | None = None
    bucket: str | None = None
    call: str | None = None
    is_refused: bool = False
    since: Microseconds | None = None
    until: Microseconds | None = None
    limit: int = 100


class KeyUse(Struct, frozen=True, kw_only=True):
    """When a key was last used, and from where."""

    key_id: str
    when: Microseconds
    address: str


class Session(Struct, frozen=True, kw_only=True):
    """A browser that is signed in. The cookie itself is kept nowhere. Without a key it is the owner's."""

    digest: bytes
    key_id: str | None
    created: Microseconds
    expires: Microseconds
    address: str
    agent: str


class Once(Struct, frozen=True, kw_only=True):
    """A token that comes with a change: a second change with the same one is refused. Kept until `until`."""

    token: str
    until: Microseconds
