"""Who is calling, and what that lets them do."""

from typing import Final, Literal

from msgspec import Struct

from dayline.model.access import AccessKey, BucketNames, Scope

Kind = Literal["nobody", "open", "extension", "key", "envelope", "session", "local"]

ALL_BUCKETS: Final = BucketNames()
# What a scope allows besides itself. An append key reads nothing, a read key writes nothing.
_INCLUDED: Final[dict[Scope, frozenset[Scope]]] = {
    "full": frozenset[Scope](("full", "read", "append")),
    "read": frozenset[Scope](("read",)),
    "append": frozenset[Scope](("append",)),
}


class Caller(Struct, frozen=True, kw_only=True):
    """Who sent a request, as far as access goes. `scope` is None for those who may only call what is open to all.

    `tenant` is the person whose data they work with. Whoever has the empty one may also do what concerns the server.
    """

    kind: Kind
    scope: Scope | None
    buckets: BucketNames = ALL_BUCKETS
    key_id: str = ""
    origin: str = ""
    tenant: str = ""

    @property
    def who(self) -> str:
        """How the audit log calls them."""
        return " ".join(part for part in (self.kind, self.key_id, self.origin) if part)

    def may(self, scope: Scope) -> bool:
        """Whether the caller's scope includes this one."""
        return self.scope is not None and scope in _INCLUDED[self.scope]


NOBODY: Final = Caller(kind="nobody", scope=None)
OPEN: Final = Caller(kind="open", scope="full")  # everybody, on a server that asks for no keys
LOCAL: Final = Caller(kind="local", scope="full")  # our own commands, which can read the token beside the database


def caller_with(key: AccessKey, *, kind: Kind) -> Caller:
    """Whoever holds this key."""
    return Caller(kind=kind, scope=key.scope, buckets=BucketNames(key.buckets), key_id=key.id, tenant=key.tenant)
