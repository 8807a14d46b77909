"""The buckets of one tenant as everybody may see them, in memory: after a commit of ours, or when another server tells.

Looked at on the event loop, and its names on any thread.
"""

from collections.abc import Iterable, Mapping, Sequence
from time import monotonic
from types import MappingProxyType

from msgspec import structs

from dayline.model.bucket import Bucket
from dayline.storage.postgres.changed import Grown
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.turn import FIELDS, Found, found_of

_ALL = f"SELECT {FIELDS} FROM bucket WHERE tenant = %s AND deleted IS NULL ORDER BY key"
_SOME = f"SELECT {FIELDS} FROM bucket WHERE tenant = %s AND key = ANY(%s)"


class Catalogue:
    """Buckets by id, in order of creation."""

    def __init__(self) -> None:
        self._found: dict[int, Found] = {}
        self._taken: dict[int, float] = {}  # when
        self._buckets: dict[str, Bucket] | None = {}
        self._aliases: dict[str, str] = {}

    @property
    def buckets(self) -> Mapping[str, Bucket]:
        if self._buckets is None:
            states = sorted((state for _, state in self._shown()), key=lambda state: state.key)
            self._buckets = {state.bucket.id: state.bucket for state in states}
        return MappingProxyType(self._buckets)

    def own_id(self, bucket_id: str) -> str:
        """The own id of the bucket that is found under this one; the same where there is none."""
        return self._aliases.get(bucket_id, bucket_id)

    def take(self, states: Iterable[Found], aliases: Mapping[str, str] | None = None) -> None:
        """Show buckets as they are now, unless something newer is known of them; and aliases, where they are told."""
        for state in states:
            known = self._found.get(state.key)
            if known is None or known.version <= state.version:
                self._found[state.key] = state
                self._taken[state.key] = monotonic()
        self._buckets = None
        if aliases is not None:
            self._aliases = dict(aliases)

    def grow(self, grown: Iterable[Grown]) -> list[str]:
        """Show that buckets have grown, unless something newer is known of them; the ids of all that are known.

        Whatever else another server has done to one of them, it tells us itself.
        """
        ids: list[str] = []
        for each in grown:
            known = self._found.get(each.key)
            if known is None:
                continue
            ids.append(known.bucket.id)
            if known.version < each.version:
                bucket = structs.replace(known.bucket, start=each.start, end=each.end)
                self._found[each.key] = structs.replace(known, bucket=bucket, version=each.version)
                self._taken[each.key] = monotonic()
        self._buckets = None
        return ids

    def replace(self, states: Sequence[Found], aliases: Mapping[str, str], *, read: float) -> bool:
        """Show these, read at some moment, and of others only what came later; whether anything is not as before."""
        before = {key: state.version for key, state in self._shown()}
        is_other = dict(aliases) != self._aliases
        there = {state.key for state in states}
        for key in [key for key, taken in self._taken.items() if key not in there and taken < read]:
            del self._found[key], self._taken[key]
        self.take(states, aliases)
        return is_other or before != {key: state.version for key, state in self._shown()}

    def _shown(self) -> Iterable[tuple[int, Found]]:
        return ((key, state) for key, state in self._found.items() if not state.is_deleted)


def read_all(db: Connection, tenant: str) -> list[Found]:
    return [found_of(row) for row in db.execute(_ALL, (tenant,)).fetchall()]


def read_some(db: Connection, tenant: str, keys: Iterable[int]) -> list[Found]:
    """Buckets by their keys, those that are deleted too."""
    return [found_of(row) for row in db.execute(_SOME, (tenant, list(keys))).fetchall()]
