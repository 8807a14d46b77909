"""`/api/1/welcome`: what somebody finds who opens a new server, and what to do next."""

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct

from dayline.api.call import Call, in_thread
from dayline.api.known_watchers import KnownWatcher, known_watchers
from dayline.care.migration.finding import FoundDatabase, ServerKind
from dayline.demo.mark import is_demo
from dayline.model.bucket import Bucket
from dayline.model.errors import BucketNotFound
from dayline.model.timestamps import Microseconds, Timestamp, clamp, format_timestamp
from dayline.storage.store import Store

_MOST: Final = 0.5  # of their events: some are there twice, or are kept out by privacy rules


class TheirDatabase(Struct, frozen=True, kw_only=True):
    """A database of an existing server. Where `problem` says why it cannot be read, nothing is known of what it has."""

    path: str
    kind: ServerKind
    buckets: int
    events: int
    bytes: Annotated[int, Meta(description="of its files together")]
    first: Annotated[Timestamp | None, Meta(description="where its first event begins")]
    last: Annotated[Timestamp | None, Meta(description="where its last event ends")]
    already_migrated: Annotated[
        bool,
        Meta(description="whether all its buckets are here from their first event on; newer ones may still be there"),
    ]
    problem: str | None


class DemoState(Struct, frozen=True, kw_only=True):
    """Whether there is invented activity to look around with."""

    present: bool
    events: int


class Welcome(Struct, frozen=True, kw_only=True):
    """What there is here, and what there is to bring along."""

    is_empty: Annotated[bool, Meta(description="whether there is no event but the demo's")]
    found: Annotated[list[TheirDatabase], Meta(description="databases of ActivityWatch's servers on this computer")]
    demo: DemoState
    address: Annotated[str, Meta(description="where a watcher on this computer sends to")]
    watchers: list[KnownWatcher]


async def get_welcome(call: Call) -> None:
    """Databases are looked for where the servers of ActivityWatch keep them, for the user who runs this server.

    They are only read, and nothing of them is copied: `POST /api/1/migrations` does that, `POST /api/1/demo` fills the
    server with something to look at. Where several people share a database, the disk of the server is of no concern to
    those with a key by name.
    """
    buckets = list(call.store.buckets().values())
    found = [] if call.caller.tenant else await in_thread(call.services.their_databases.look)
    call.answer_value(await in_thread(_welcome, call, buckets, found))


def _welcome(call: Call, buckets: Sequence[Bucket], found: Sequence[FoundDatabase]) -> Welcome:
    store = call.store
    demo = [bucket for bucket in buckets if is_demo(bucket.data)]
    recorded = [bucket for bucket in buckets if not is_demo(bucket.data) and bucket.start is not None]
    verdicts = call.services.watchers.verdicts(store, buckets, call.caller.buckets.names, now=call.services.clock())
    return Welcome(
        is_empty=not recorded,
        found=[_their_database(store, one) for one in found],
        demo=DemoState(present=bool(demo), events=sum(_count(store, bucket.id) for bucket in demo)),
        address=call.services.facts.address,
        watchers=known_watchers(recorded, verdicts),
    )


def _their_database(store: Store, found: FoundDatabase) -> TheirDatabase:
    return TheirDatabase(
        path=str(found.path),
        kind=found.kind,
        buckets=len(found.buckets),
        events=found.events,
        bytes=found.bytes,
        first=_time(found.first),
        last=_time(found.last),
        already_migrated=_is_here(store, found),
        problem=found.problem,
    )


def _is_here(store: Store, found: FoundDatabase) -> bool:
    """Whether somebody has brought it along: nobody keeps books of it, so it is told from what is here."""
    theirs = [bucket for bucket in found.buckets if bucket.events]
    if not theirs:
        return False
    for bucket in theirs:
        ours = store.buckets().get(store.own_id(bucket.id))
        if ours is None or ours.start is None or bucket.first is None or ours.start > bucket.first:
            return False
        if _count(store, ours.id) < _MOST * bucket.events:
            return False  # it was cut off in the middle
    return True


def _count(store: Store, bucket_id: str) -> int:
    try:
        return store.count(bucket_id, start=None, end=None)
    except BucketNotFound:  # it was deleted a moment ago
        return 0


def _time(moment: Microseconds | None) -> Timestamp | None:
    return None if moment is None else format_timestamp(clamp(moment))
