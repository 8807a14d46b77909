"""The audit trail: who did what to which bucket, counted so that a year of heartbeats stays small."""

from typing import Annotated, Final

from msgspec import Meta, Struct

from dayline.model.timestamps import Microseconds

SESSION_ID_DIGITS: Final = 12  # of 64: enough to tell the sessions of a server apart
SessionId = Annotated[str, Meta(pattern="^[0-9a-f]{12}$", examples=["3f9c02d1b7aa"])]


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
    """Which lines: that ended before a time, of a key, about a bucket, of a call, from an address, refused, of a time.

    A line that reaches from `since` on and began before `until` is of that time. There may be more lines than `limit`,
    if several of them ended at the same time.
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


class Session(Struct, frozen=True, kw_only=True):
    """A browser that is signed in. The cookie itself is kept nowhere. Without a key it is the owner's.

    `address` is where the browser signed in, `last_address` where it was last used. `confirmed` is None for a sign-in
    from a new address until the owner confirms it.
    """

    digest: bytes
    key_id: str | None
    created: Microseconds
    expires: Microseconds
    address: str
    agent: str
    confirmed: Microseconds | None = None
    last_used: Microseconds | None = None
    last_address: str | None = None

    @property
    def id(self) -> str:
        """What the API calls it. The cookie cannot be computed from it."""
        return self.digest.hex()[:SESSION_ID_DIGITS]


class SessionUse(Struct, frozen=True, kw_only=True):
    """When a session was last used, and from where."""

    digest: bytes
    when: Microseconds
    address: str


class Once(Struct, frozen=True, kw_only=True):
    """A token that comes with a change: a second change with the same one is refused. Kept until `until`."""

    token: str
    until: Microseconds
