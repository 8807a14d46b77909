"""The programs that people record with, and which of them have recorded here."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct

from dayline.insight.bucket_health import Health, Verdict
from dayline.model.bucket import Bucket
from dayline.model.timestamps import Timestamp, format_timestamp

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
