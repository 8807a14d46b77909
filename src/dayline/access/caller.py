"""The caller of a request, and its permissions."""

from typing import Final, Literal

from msgspec import Struct

from dayline.model.access import AccessKey, BucketNames, Scope

Kind = Literal["nobody", "open", "extension", "key", "envelope", "session", "local"]

ALL_BUCKETS: Final = BucketNames()
# The scopes that a scope includes. An append key cannot read, a read key cannot write.
_INCLUDED: Final[dict[Scope, frozenset[Scope]]] = {
    "full": frozenset[Scope](("full", "read", "append")),
    "read": frozenset[Scope](("read",)),
    "append": frozenset[Scope](("append",)),
}


class Caller(Struct, frozen=True, kw_only=True):
    """The caller of a request. `scope` is None for callers that may only use public endpoints.

    `tenant` is the tenant whose data it accesses. Callers with the empty tenant may also administer the server.
    """

    kind: Kind
    scope: Scope | None
    buckets: BucketNames = ALL_BUCKETS
    key_id: str = ""
    origin: str = ""
    tenant: str = ""

    @property
    def who(self) -> str:
        """The caller's name in the audit log."""
        return " ".join(part for part in (self.kind, self.key_id, self.origin) if part)

    def may(self, scope: Scope) -> bool:
        """Whether the caller's scope includes this one."""
        return self.scope is not None and scope in _INCLUDED[self.scope]


ANONYMOUS: Final = Caller(kind="nobody", scope=None)
OPEN: Final = Caller(kind="open", scope="full")  # every caller, on a server that requires no keys
LOCAL: Final = Caller(kind="local", scope="full")  # our own commands, which can read the token next to the database


def caller_with(key: AccessKey, *, kind: Kind) -> Caller:
    """The caller that uses this key."""
    return Caller(kind=kind, scope=key.scope, buckets=BucketNames(key.buckets), key_id=key.id, tenant=key.tenant)
