"""`/api/1/welcome`: what a new server shows first, and the known watchers."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct

from dayline.api.admin import demo, migrations
from dayline.api.admin.demo import DemoRemoved, DemoRequest
from dayline.api.admin.migrations import MigrationRequest
from dayline.api.data.devices import event_count
from dayline.api.http.call import Call
from dayline.api.http.route import Answer, Body, Route
from dayline.insight.now.model import Health
from dayline.insight.now.recent import Verdict
from dayline.maintenance.jobs import JobView
from dayline.maintenance.migration.finding import FoundDatabase, ServerKind
from dayline.model.bucket import Bucket, is_demo
from dayline.model.errors import Conflict
from dayline.model.time import Microseconds, Timestamp, clamp, format_timestamp, optional_timestamp
from dayline.model.upkeep.mirror import is_mirror
from dayline.runtime.threads import in_thread
from dayline.storage.store import Store

_DOCUMENTATION: Final = "https://docs.activitywatch.net/en/latest/watchers.html"
_REPOSITORIES: Final = "https://github.com/ActivityWatch"
_PHONE: Final = "aw-watcher-android"


class KnownWatcher(Struct, frozen=True, kw_only=True):
    """A known watcher. `seen` is true if there is data that it recorded, including imported data."""

    client: str
    what: Annotated[str, Meta(description="what it records")]
    seen: bool
    last: Annotated[Timestamp | None, Meta(description="the end of its latest event")]
    health: Annotated[
        Health,
        Meta(description="recording if it records on any device, else silent if it should on one, else quiet"),
    ]
    install: Annotated[str, Meta(description="link to the installation instructions")]


class _Watcher(Struct, frozen=True, kw_only=True):
    client: str
    what: str
    install: str
    type: str  # prefix of the types of its buckets
    # Buckets are matched by type: client names vary, for example one per browser for the browser extension.


_WATCHERS: Final = (
    _Watcher(client="aw-watcher-window", what="the active window", install=_DOCUMENTATION, type="currentwindow"),
    _Watcher(client="aw-watcher-afk", what="whether you are at the computer", install=_DOCUMENTATION, type="afkstatus"),
    _Watcher(
        client="aw-watcher-web",
        what="the active browser tab",
        install=f"{_REPOSITORIES}/aw-watcher-web#readme",
        type="web.tab",
    ),
    _Watcher(
        client="aw-watcher-vscode",
        what="the open file and project in an editor",
        install=f"{_REPOSITORIES}/aw-watcher-vscode#readme",
        type="app.editor",
    ),
    _Watcher(
        client=_PHONE,
        what="the active app on a phone",
        install=f"{_REPOSITORIES}/aw-android#readme",
        type="",
    ),
)


def known_watchers(recorded: Sequence[Bucket], verdicts: Mapping[str, Verdict]) -> list[KnownWatcher]:
    """All known watchers. `recorded` are the buckets with events, `verdicts` their state by bucket id."""
    return [
        _known(watcher, [bucket for bucket in recorded if _is_of(watcher, bucket)], verdicts) for watcher in _WATCHERS
    ]


def _known(watcher: _Watcher, buckets: Sequence[Bucket], verdicts: Mapping[str, Verdict]) -> KnownWatcher:
    last = max((bucket.end for bucket in buckets if bucket.end is not None), default=None)
    healths = {verdicts[bucket.id].health for bucket in buckets}
    return KnownWatcher(
        client=watcher.client,
        what=watcher.what,
        seen=bool(buckets),
        last=optional_timestamp(last),
        health="recording" if "recording" in healths else "silent" if "silent" in healths else "quiet",
        install=watcher.install,
    )


def _is_of(watcher: _Watcher, bucket: Bucket) -> bool:
    # The phone's buckets have the same type as those of a window watcher.
    is_phone = bucket.id.startswith(_PHONE) or bucket.type == "app"
    return is_phone if watcher.client == _PHONE else not is_phone and bucket.type.startswith(watcher.type)


# `/api/1/welcome`
_MIN_SHARE: Final = 0.5  # of the source's events: some are duplicates, or dropped by privacy rules


class SourceDatabase(Struct, frozen=True, kw_only=True):
    """A database of an ActivityWatch server. `problem` says why it cannot be read; its counts are unknown then."""

    path: str
    kind: ServerKind
    buckets: int
    events: int
    bytes: Annotated[int, Meta(description="total size of its files")]
    first: Annotated[Timestamp | None, Meta(description="start of its first event")]
    last: Annotated[Timestamp | None, Meta(description="end of its last event")]
    already_migrated: Annotated[
        bool,
        Meta(description="true if all its buckets were imported from their first event; it may have newer events"),
    ]
    problem: str | None


class DemoState(Struct, frozen=True, kw_only=True):
    """Whether the demo data exists."""

    present: bool
    events: int


class Welcome(Struct, frozen=True, kw_only=True):
    """What this server contains, and what can be imported."""

    is_empty: Annotated[bool, Meta(description="true if there are no events except the demo's")]
    found: Annotated[list[SourceDatabase], Meta(description="databases of ActivityWatch servers on this computer")]
    demo: DemoState
    address: Annotated[str, Meta(description="the URL for watchers on this computer")]
    watchers: list[KnownWatcher]


async def get_welcome(call: Call) -> None:
    """Looks for ActivityWatch databases in their default folders, for the user that runs this server.

    The databases are only read. `POST /api/1/migrations` imports one; `POST /api/1/demo` creates demo data. `found` is
    empty for a tenant's key.
    """
    buckets = list(call.store.buckets().values())
    databases = [] if call.caller.tenant else await in_thread(call.server.source_databases.look)
    call.answer_value(await in_thread(_welcome, call, buckets, databases))


def _welcome(call: Call, buckets: Sequence[Bucket], found: Sequence[FoundDatabase]) -> Welcome:
    store = call.store
    demo = [bucket for bucket in buckets if is_demo(bucket.data) and not is_mirror(bucket)]
    recorded = [bucket for bucket in buckets if not is_demo(bucket.data) and bucket.start is not None]
    verdicts = call.tenant.watchers.verdicts(store, buckets, call.caller.buckets.names, now=call.server.clock())
    return Welcome(
        is_empty=not recorded,
        found=[_source_database(store, one) for one in found],
        demo=DemoState(present=bool(demo), events=sum(event_count(store, bucket.id) for bucket in demo)),
        address=call.server.facts.address,
        watchers=known_watchers(recorded, verdicts),
    )


def _source_database(store: Store, found: FoundDatabase) -> SourceDatabase:
    return SourceDatabase(
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
    """Whether the database was imported before. Imports are not recorded, so this compares it with our data."""
    theirs = [bucket for bucket in found.buckets if bucket.events]
    if not theirs:
        return False
    for bucket in theirs:
        ours = store.buckets().get(store.own_id(bucket.id))
        if ours is None or ours.start is None or bucket.first is None or ours.start > bucket.first:
            return False
        if event_count(store, ours.id) < _MIN_SHARE * bucket.events:
            return False  # the import was interrupted
    return True


def _time(time: Microseconds | None) -> Timestamp | None:
    return None if time is None else format_timestamp(clamp(time))


CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/welcome", handler=get_welcome, tag="server", scope="full",
        audience="all buckets", summary="Show what a new server can start with",
        answer=Answer(type=Welcome, description="the data here, databases to import, and the watchers"),
    ),
    Route(
        method="POST", path="/api/1/migrations", handler=migrations.start_migration, tag="transfer", scope="full",
        audience="server", summary="Import a database of an ActivityWatch server",
        body=Body(
            type=MigrationRequest,
            example={"path": "/home/ada/.local/share/activitywatch/aw-server-rust/sqlite.db"},
        ),
        answer=Answer(type=JobView, description="the job that migrates", status=202), errors=(Conflict,),
    ),
    Route(
        method="POST", path="/api/1/demo", handler=demo.start_demo, tag="transfer", scope="full",
        audience="all buckets", summary="Create demo data",
        body=Body(type=DemoRequest, example={"days": 30}),
        answer=Answer(type=JobView, description="the job that creates it", status=202), errors=(Conflict,),
    ),
    Route(
        method="DELETE", path="/api/1/demo", handler=demo.remove_demo, tag="transfer", scope="full",
        audience="all buckets", is_destructive=True, summary="Remove the demo data",
        answer=Answer(type=DemoRemoved, description="what was removed, and the undo entry"),
    ),
)  # fmt: skip
