"""`/api/1/welcome`: what a new server shows first, and the watchers it knows."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct

from dayline.api.admin import demo, migrations
from dayline.api.admin.demo import DemoRemoved, DemoRequest
from dayline.api.admin.migrations import MigrationRequest
from dayline.api.http.call import Call
from dayline.api.http.route import Answer, Body, Route
from dayline.demo.mark import is_demo
from dayline.insight.now.buckets import Verdict
from dayline.insight.now.model import Health
from dayline.maintenance.jobs import JobView
from dayline.maintenance.migration.finding import FoundDatabase, ServerKind
from dayline.model.bucket import Bucket
from dayline.model.errors import BucketNotFound, Conflict
from dayline.model.time import Microseconds, Timestamp, clamp, format_timestamp
from dayline.runtime.threads import in_thread
from dayline.storage.store import Store

_DOCUMENTATION: Final = "https://docs.activitywatch.net/en/latest/watchers.html"
_REPOSITORIES: Final = "https://github.com/ActivityWatch"
_PHONE: Final = "aw-watcher-android"


class KnownWatcher(Struct, frozen=True, kw_only=True):
    """A program that records. `seen`: something that it recorded is here, maybe imported."""

    client: str
    what: Annotated[str, Meta(description="what it records")]
    seen: bool
    last: Annotated[Timestamp | None, Meta(description="when it recorded last")]
    health: Annotated[
        Health, Meta(description="recording if it records on any device, else silent if it should on one, else quiet")
    ]
    install: Annotated[str, Meta(description="where to read how it is installed")]


class _Watcher(Struct, frozen=True, kw_only=True):
    client: str
    what: str
    install: str
    type: str  # how the types of its buckets begin


# Buckets are known by their type, because clients of one kind have many names: a browser extension has one in each.
_WATCHERS: Final = (
    _Watcher(client="aw-watcher-window", what="the active window", install=_DOCUMENTATION, type="currentwindow"),
    _Watcher(client="aw-watcher-afk", what="whether somebody is there", install=_DOCUMENTATION, type="afkstatus"),
    _Watcher(
        client="aw-watcher-web",
        what="the tab that a browser shows",
        install=f"{_REPOSITORIES}/aw-watcher-web#readme",
        type="web.tab",
    ),
    _Watcher(
        client="aw-watcher-vscode",
        what="the file in an editor, and its project",
        install=f"{_REPOSITORIES}/aw-watcher-vscode#readme",
        type="app.editor",
    ),
    _Watcher(
        client=_PHONE,
        what="the app in front on a phone",
        install=f"{_REPOSITORIES}/aw-android#readme",
        type="",
    ),
)


def known_watchers(recorded: Sequence[Bucket], verdicts: Mapping[str, Verdict]) -> list[KnownWatcher]:
    """All of them; `recorded` are the buckets that watchers have filled, `verdicts` how these are, by id."""
    return [
        _known(watcher, [bucket for bucket in recorded if _is_of(watcher, bucket)], verdicts) for watcher in _WATCHERS
    ]


def _known(watcher: _Watcher, seen: Sequence[Bucket], verdicts: Mapping[str, Verdict]) -> KnownWatcher:
    last = max((bucket.end for bucket in seen if bucket.end is not None), default=None)
    healths = {verdicts[bucket.id].health for bucket in seen}
    return KnownWatcher(
        client=watcher.client,
        what=watcher.what,
        seen=bool(seen),
        last=None if last is None else format_timestamp(last),
        health="recording" if "recording" in healths else "silent" if "silent" in healths else "quiet",
        install=watcher.install,
    )


def _is_of(watcher: _Watcher, bucket: Bucket) -> bool:
    # The phone's buckets have the type of those of a window watcher.
    is_phone = bucket.id.startswith(_PHONE) or bucket.type == "app"
    return is_phone if watcher.client == _PHONE else not is_phone and bucket.type.startswith(watcher.type)


# `/api/1/welcome`: what somebody finds who opens a new server, and what to do next.


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
    found = [] if call.caller.tenant else await in_thread(call.server.their_databases.look)
    call.answer_value(await in_thread(_welcome, call, buckets, found))


def _welcome(call: Call, buckets: Sequence[Bucket], found: Sequence[FoundDatabase]) -> Welcome:
    store = call.store
    demo = [bucket for bucket in buckets if is_demo(bucket.data)]
    recorded = [bucket for bucket in buckets if not is_demo(bucket.data) and bucket.start is not None]
    verdicts = call.tenant.watchers.verdicts(store, buckets, call.caller.buckets.names, now=call.server.clock())
    return Welcome(
        is_empty=not recorded,
        found=[_their_database(store, one) for one in found],
        demo=DemoState(present=bool(demo), events=sum(_count(store, bucket.id) for bucket in demo)),
        address=call.server.facts.address,
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


# Routes.


CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/welcome", handler=get_welcome, tag="server", scope="full",
        is_server_wide=True, summary="Tell what there is to begin with",
        answer=Answer(type=Welcome, description="what is here, what was found, and who records"),
    ),
    Route(
        method="POST", path="/api/1/migrations", handler=migrations.start_migration, tag="transfer", scope="full",
        is_server_wide=True, is_of_server=True, summary="Bring the data of an existing server along",
        body=Body(
            type=MigrationRequest,
            example={"path": "/home/ada/.local/share/activitywatch/aw-server-rust/sqlite.db"},
        ),
        answer=Answer(type=JobView, description="the job that migrates", status=202), errors=(Conflict,),
    ),
    Route(
        method="POST", path="/api/1/demo", handler=demo.start_demo, tag="transfer", scope="full",
        is_server_wide=True, summary="Make invented activity to look around with",
        body=Body(type=DemoRequest, example={"days": 30}),
        answer=Answer(type=JobView, description="the job that makes it", status=202), errors=(Conflict,),
    ),
    Route(
        method="DELETE", path="/api/1/demo", handler=demo.remove_demo, tag="transfer", scope="full",
        is_server_wide=True, is_destructive=True, summary="Remove the invented activity",
        answer=Answer(type=DemoRemoved, description="what was removed, and what undoes it"),
    ),
)  # fmt: skip
