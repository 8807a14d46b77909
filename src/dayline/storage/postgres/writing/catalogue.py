"""The buckets of a tenant in the server's memory, and what a commit has changed."""

from collections.abc import Iterable, Mapping, Sequence
from time import monotonic
from typing import Final

import msgspec
from msgspec import Struct, structs

from dayline.model.time import Microseconds
from dayline.storage.history.contract import BucketChangeKind
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.rows.buckets import FIELDS, BucketRecord, bucket_of_row
from dayline.storage.postgres.schema.tables import CHANNEL
from dayline.storage.writing.notices import BucketNotice, ChangeNotice, SettingNotice
from dayline.storage.writing.published_buckets import Committed, PublishedBuckets

# What a transaction has changed, and the message to other servers. A message names the buckets, which the receiver
# reads. It is sent in the transaction of a change; for heartbeats, one message covers a short interval (listener.py).


_MAX_BYTES: Final = 7_900  # PostgreSQL's limit is 8,000


class Grown(Struct, frozen=True):
    """The new start and end of a bucket that received heartbeats. Nothing else of it has changed."""

    key: int
    version: int
    start: Microseconds
    end: Microseconds


class Changed(Struct, frozen=True, kw_only=True):
    """What a transaction did to the data of one tenant. `aliases` has all of them if they may have changed."""

    tenant: str
    buckets: Sequence[BucketRecord]
    grown: Sequence[Grown] = ()
    aliases: dict[str, str] | None
    notices: Sequence[ChangeNotice]
    is_access: bool = False


class ChangeMessage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A message between servers. `is_all`: too much has changed, read everything again."""

    server: str
    tenant: str
    buckets: list[int] = []
    turns: list[tuple[str, BucketChangeKind]] = []
    settings: list[tuple[str, bool]] = []
    is_access: bool = False
    is_all: bool = False

    @property
    def notices(self) -> list[ChangeNotice]:
        turns = [BucketNotice(bucket_id, change) for bucket_id, change in self.turns]
        return [*turns, *(SettingNotice(key, is_own) for key, is_own in self.settings)]


def message_of(changed: Changed, *, server: str) -> ChangeMessage:
    """The message for other servers."""
    return ChangeMessage(
        server=server,
        tenant=changed.tenant,
        buckets=[state.key for state in changed.buckets],
        turns=[(each.id, each.change) for each in changed.notices if isinstance(each, BucketNotice)],
        settings=[(each.key, each.is_own) for each in changed.notices if isinstance(each, SettingNotice)],
        is_access=changed.is_access,
    )


def send_messages(db: Connection, messages: Sequence[ChangeMessage]) -> None:
    """Notify the other servers when the transaction commits."""
    texts: list[str] = []
    for news in messages:
        if not (news.buckets or news.turns or news.settings or news.is_access or news.is_all):
            continue
        text = msgspec.json.encode(news)
        if len(text) > _MAX_BYTES:
            text = msgspec.json.encode(
                ChangeMessage(server=news.server, tenant=news.tenant, is_access=True, is_all=True)
            )
        texts.append(text.decode())
    if texts:
        db.execute("SELECT pg_notify(%s, message) FROM unnest(%s::text[]) AS message", (CHANNEL, texts))


# The committed buckets of one tenant, updated after our commits and on notifications of other servers. Changed on the
# event loop, read on any thread.


_ALL = f"SELECT tenant, {FIELDS} FROM bucket WHERE tenant = ANY(%s) AND deleted IS NULL ORDER BY key"
_SOME = f"SELECT {FIELDS} FROM bucket WHERE tenant = %s AND key = ANY(%s)"


class Catalogue:
    """Buckets by id, in order of creation."""

    def __init__(self) -> None:
        self._found: dict[int, BucketRecord] = {}
        self._taken: dict[int, float] = {}  # time of the last update, by key
        self._aliases_taken = 0.0
        self.published = PublishedBuckets()

    def take(
        self, states: Iterable[BucketRecord], aliases: Mapping[str, str] | None = None, *, read: float | None = None
    ) -> None:
        """Update buckets, unless something newer is known of them, and aliases, if given.

        `read` is the monotonic time when reading them began; without it they come from a commit of ours.
        """
        if aliases is not None and read is not None and read < self._aliases_taken:
            aliases = None  # a commit of ours came in between, after these were read
        if aliases is not None:
            self._aliases_taken = monotonic() if read is None else read
        taken: list[BucketRecord] = []
        for state in states:
            known = self._found.get(state.key)
            if known is None or known.version <= state.version:
                self._keep(state)
                taken.append(state)
        self.published.publish(_committed(taken), aliases)

    def grow(self, grown: Iterable[Grown]) -> list[str]:
        """Extend buckets, unless something newer is known of them; returns the ids of all known ones.

        The server that made other changes sends its own message.
        """
        ids: list[str] = []
        taken: list[BucketRecord] = []
        for each in grown:
            known = self._found.get(each.key)
            if known is None:
                continue
            ids.append(known.bucket.id)
            if known.version < each.version:
                bucket = structs.replace(known.bucket, start=each.start, end=each.end)
                taken.append(structs.replace(known, bucket=bucket, version=each.version))
                self._keep(taken[-1])
        self.published.publish(_committed(taken))
        return ids

    def replace(self, states: Sequence[BucketRecord], aliases: Mapping[str, str], *, read: float) -> bool:
        """Replace all buckets as read at this time, except newer states; returns whether anything changed."""
        before = {key: state.version for key, state in self._shown()}
        before_aliases = self.published.current.aliases
        there = {state.key for state in states}
        gone = [key for key, taken in self._taken.items() if key not in there and taken < read]
        for key in gone:
            del self._found[key], self._taken[key]
        self.published.publish(dict.fromkeys(gone))
        self.take(states, aliases, read=read)
        return before_aliases != self.published.current.aliases or before != {
            key: state.version for key, state in self._shown()
        }

    def _keep(self, state: BucketRecord) -> None:
        self._found[state.key] = state
        self._taken[state.key] = monotonic()

    def _shown(self) -> Iterable[tuple[int, BucketRecord]]:
        return ((key, state) for key, state in self._found.items() if not state.is_deleted)


def _committed(states: Iterable[BucketRecord]) -> dict[int, Committed]:
    return {
        state.key: None if state.is_deleted else (state.bucket, state.bucket.start, state.bucket.end)
        for state in states
    }


def read_all(db: Connection, tenants: Sequence[str]) -> dict[str, list[BucketRecord]]:
    """The buckets of each tenant; the transaction must see all of them."""
    found: dict[str, list[BucketRecord]] = {tenant: [] for tenant in tenants}
    for tenant, *row in db.execute(_ALL, (list(found),)).fetchall():
        found[tenant].append(bucket_of_row(row))
    return found


def read_some(db: Connection, tenant: str, keys: Iterable[int]) -> list[BucketRecord]:
    """Buckets by key, including deleted ones."""
    return [bucket_of_row(row) for row in db.execute(_SOME, (tenant, list(keys))).fetchall()]
