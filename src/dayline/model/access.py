"""Access keys, what the store keeps of one, and entries of the audit log."""

import hashlib
import re
import secrets
from collections.abc import Sequence
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.model.errors import Invalid
from dayline.model.time import Microseconds

Scope: TypeAlias = Literal["full", "read", "append"]
KeyId = Annotated[str, Meta(pattern="^[a-z2-7]{8}$", examples=["k3f5a2bq"])]
TENANT_PATTERN: Final = r"^[a-z0-9][a-z0-9._-]{0,63}$(?!\n)"
TenantName = Annotated[str, Meta(pattern=TENANT_PATTERN, examples=["anna"])]

PREFIX: Final = "dayline_"  # what secret scanners look for
MAX_NAME_CHARACTERS: Final = 100
ID_CHARACTERS: Final = 8
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz234567"
_SECRET_BYTES: Final = 32
_KEY = re.compile(r"dayline_([a-z2-7]{8})_[A-Za-z0-9_-]{43}")


class AccessKey(Struct, frozen=True, kw_only=True):
    """A key as the store keeps it: everything but the key. `envelope_key` is there where it may send enveloped calls.

    An empty `buckets` means all of them. `tenant` is the person whose data it opens; the one without a name where it is
    empty, who is the only one in a SQLite file.
    """

    id: str
    name: str
    scope: Scope
    buckets: tuple[str, ...]
    created: Microseconds
    salt: bytes
    digest: bytes
    expires: Microseconds | None = None
    revoked: Microseconds | None = None
    envelope_key: bytes | None = None
    last_used: Microseconds | None = None
    last_address: str | None = None
    tenant: str = ""

    def __repr__(self) -> str:
        return f"AccessKey(id={self.id!r}, name={self.name!r}, scope={self.scope!r})"

    def is_active(self, now: Microseconds) -> bool:
        """Whether it opens anything at this time."""
        return self.revoked is None and (self.expires is None or now < self.expires)

    def fits(self, text: str) -> bool:
        """Whether this is the text of the key; takes as long for a near miss as for a far one."""
        return secrets.compare_digest(digest_of(self.salt, text), self.digest)


def new_key_text() -> str:
    """A new key. It is shown once and kept nowhere."""
    key_id = "".join(secrets.choice(_ALPHABET) for _ in range(ID_CHARACTERS))
    return f"{PREFIX}{key_id}_{secrets.token_urlsafe(_SECRET_BYTES)}"


def key_id_of(text: str) -> str | None:
    """The id that stands in a key's text; None where it is not a key of ours."""
    found = _KEY.fullmatch(text)
    return found[1] if found else None


def new_salt() -> bytes:
    return secrets.token_bytes(16)


def digest_of(salt: bytes, text: str) -> bytes:
    """What is stored in the key's place. One round suffices: the secret is 32 random bytes, which nobody can guess."""
    return hashlib.sha256(salt + text.encode()).digest()


class BucketNames:
    """The buckets that a key is for: exact ids, or names in which `*` stands for any characters. None at all is all."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.names = tuple(names)
        self._exact = frozenset(name for name in names if "*" not in name)
        self._patterns = [name.split("*") for name in names if "*" in name]

    @property
    def is_all(self) -> bool:
        return not self.names

    def __contains__(self, bucket_id: str) -> bool:
        return self.is_all or bucket_id in self._exact or any(_fits(parts, bucket_id) for parts in self._patterns)


def check_bucket_names(names: Sequence[str]) -> None:
    """Raise Invalid for names that no bucket can have."""
    for name in names:
        if not name or "\0" in name:
            raise Invalid(
                f"{name!r} is not the name of a bucket",
                hint="an id, or a part of one with * for the rest",
                field="buckets",
            )


def _fits(parts: Sequence[str], bucket_id: str) -> bool:
    """Whether the parts stand in the id one after the other, the first at its beginning and the last at its end.

    Not by a regular expression: with many stars that takes for ever, and whoever calls chooses the id.
    """
    first, *between, last = parts
    place, end = len(first), len(bucket_id) - len(last)
    if place > end or not (bucket_id.startswith(first) and bucket_id.endswith(last)):
        return False
    for part in between:
        found = bucket_id.find(part, place, end)
        if found < 0:
            return False
        place = found + len(part)
    return True


# The audit trail: who did what to which bucket, counted so that a year of heartbeats stays small.


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
