"""Access keys, sessions and callers, and fingerprints of certificates."""

import hashlib
import re
import secrets
from collections.abc import Sequence
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.model.errors import Invalid
from dayline.model.time import Microseconds

Scope: TypeAlias = Literal["full", "read", "append", "sync"]
KeyId = Annotated[str, Meta(pattern="^[a-z2-7]{8}$", examples=["k3f5a2bq"])]
TENANT_PATTERN: Final = r"^[a-z0-9][a-z0-9._-]{0,63}$(?!\n)"
TenantName = Annotated[str, Meta(pattern=TENANT_PATTERN, examples=["anna"])]

PREFIX: Final = "dayline_"  # secret scanners look for this
MAX_NAME_CHARACTERS: Final = 100
ID_CHARACTERS: Final = 8
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz234567"
_SECRET_BYTES: Final = 32
# SHA-256 fingerprints of certificates, as other programs write them.
_FINGERPRINT_PREFIX: Final = re.compile(r"sha-?256(?: fingerprint=|[ :=])", re.IGNORECASE)
_FINGERPRINT_DIGITS: Final = re.compile(r"[0-9A-F]{64}")
_KEY = re.compile(r"dayline_([a-z2-7]{8})_[A-Za-z0-9_-]{43}")

SESSION_ID_DIGITS: Final = 12  # of 64: enough to distinguish the sessions of a server
SessionId = Annotated[str, Meta(pattern="^[0-9a-f]{12}$", examples=["3f9c02d1b7aa"])]

Kind = Literal["nobody", "open", "extension", "key", "envelope", "session", "local"]
# The scopes that a scope includes. An append key cannot read, a read key cannot write, and a sync key can do neither:
# it stores the encrypted files of devices.
_INCLUDED: Final[dict[Scope, frozenset[Scope]]] = {
    "full": frozenset[Scope](("full", "read", "append", "sync")),
    "read": frozenset[Scope](("read",)),
    "append": frozenset[Scope](("append",)),
    "sync": frozenset[Scope](("sync",)),
}


class AccessKey(Struct, frozen=True, kw_only=True):
    """A stored key, without the key itself. `envelope_key` is set if it may send enveloped calls.

    An empty `buckets` means all of them. `tenant` is the tenant whose data it gives access to; empty for the unnamed
    tenant, which is the only one in an SQLite file.
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
        """Whether the key is valid at this time."""
        return self.revoked is None and (self.expires is None or now < self.expires)

    def fits(self, text: str) -> bool:
        """Whether this is the text of the key, compared in constant time."""
        return secrets.compare_digest(digest_of(self.salt, text), self.digest)


def new_key_text() -> str:
    """A new key. It is shown once and stored nowhere."""
    key_id = "".join(secrets.choice(_ALPHABET) for _ in range(ID_CHARACTERS))
    return f"{PREFIX}{key_id}_{secrets.token_urlsafe(_SECRET_BYTES)}"


def key_id_of(text: str) -> str | None:
    """The id in a key's text; None if it is not one of our keys."""
    match = _KEY.fullmatch(text)
    return match[1] if match else None


def new_salt() -> bytes:
    return secrets.token_bytes(16)


def digest_of(salt: bytes, text: str) -> bytes:
    """The digest stored instead of the key. One round is enough: the secret is 32 random bytes."""
    return hashlib.sha256(salt + text.encode()).digest()


class BucketNames:
    """The buckets of a key: exact ids, or patterns in which `*` matches any characters. Empty means all."""

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
                f"invalid bucket name {name!r}",
                hint="use a bucket id, or a part of one with * for the rest",
                field="buckets",
            )


def _fits(parts: Sequence[str], bucket_id: str) -> bool:
    """Whether the id consists of these parts in order, the first at its start and the last at its end.

    Not a regular expression: with many stars that takes exponential time, and the caller chooses the id.
    """
    first, *between, last = parts
    start, end = len(first), len(bucket_id) - len(last)
    if start > end or not (bucket_id.startswith(first) and bucket_id.endswith(last)):
        return False
    for part in between:
        at = bucket_id.find(part, start, end)
        if at < 0:
            return False
        start = at + len(part)
    return True


class Session(Struct, frozen=True, kw_only=True):
    """A signed-in browser. Only a digest of its cookie and its secret is stored. Without a key it is the owner's.

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
        """The id in the API. Neither the cookie nor the secret can be computed from it."""
        return self.digest.hex()[:SESSION_ID_DIGITS]


class SessionUse(Struct, frozen=True, kw_only=True):
    """When a session was last used, and from where."""

    digest: bytes
    when: Microseconds
    address: str


class Once(Struct, frozen=True, kw_only=True):
    """The idempotency token of a change: a second change with the same one is refused. Stored until `until`."""

    token: str
    until: Microseconds


ALL_BUCKETS: Final = BucketNames()


class Caller(Struct, frozen=True, kw_only=True):
    """The caller of a request. `scope` is None for callers that may only use public endpoints.

    `tenant` is the tenant whose data it accesses. Callers with the empty tenant may also administer the server.
    `session` is the digest of the session that the caller uses.
    """

    kind: Kind
    scope: Scope | None
    buckets: BucketNames = ALL_BUCKETS
    key_id: str = ""
    origin: str = ""
    tenant: str = ""
    session: bytes = b""

    @property
    def who(self) -> str:
        """The caller's name in the audit log."""
        return " ".join(part for part in (self.kind, self.key_id, self.origin) if part)

    def may(self, scope: Scope) -> bool:
        """Whether the caller's scope includes this one."""
        return self.scope is not None and scope in _INCLUDED[self.scope]


ANONYMOUS: Final = Caller(kind="nobody", scope=None)
OPEN: Final = Caller(kind="open", scope="full")  # every caller, on a server that requires no keys
LOCAL: Final = Caller(kind="local", scope="full")  # our own commands, which can read the token of the server


def caller_with(key: AccessKey, *, kind: Kind, session: bytes = b"") -> Caller:
    """The caller that uses this key."""
    return Caller(
        kind=kind,
        scope=key.scope,
        buckets=BucketNames(key.buckets),
        key_id=key.id,
        tenant=key.tenant,
        session=session,
    )


def fingerprint_of(certificate: bytes) -> str:
    """The SHA-256 fingerprint of a certificate in DER form, as browsers and OpenSSL show it: `3F:A0:…`."""
    return hashlib.sha256(certificate).digest().hex(":").upper()


def parse_fingerprint(text: str) -> str:
    """A fingerprint in its one form. Accepts lower case, no colons or spaces between bytes, and a leading `SHA-256`.

    Raises Invalid.
    """
    digits = re.sub(r"[:\s]", "", _FINGERPRINT_PREFIX.sub("", text.strip(), count=1)).upper()
    if not _FINGERPRINT_DIGITS.fullmatch(digits):
        raise Invalid(
            f"invalid fingerprint {text!r}: a SHA-256 fingerprint has 64 hexadecimal digits",
            hint="`dayline tls show` on the server prints it",
            field="fingerprint",
        )
    return bytes.fromhex(digits).hex(":").upper()
