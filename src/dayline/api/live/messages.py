"""Messages of the stream as bytes, their ids (epoch of the channel and a number), and their audiences."""

from typing import Annotated, Final, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.model.access import Caller
from dayline.model.category import CATEGORIES
from dayline.model.settings.goal import GOAL_SETTINGS
from dayline.model.settings.preferences import PREFERENCES
from dayline.model.settings.reports import REPORT_KEY
from dayline.storage.history.contract import BucketChangeKind
from dayline.storage.writing.notices import SettingNotice

Topic: TypeAlias = Literal["now", "revision", "bucket", "job", "goal", "settings"]

TOPICS: Final[tuple[Topic, ...]] = get_args(Topic)
PING: Final = b": ping\n\n"
RETRY: Final = b"retry: 1000\n\n"  # how long a browser waits before it reconnects


class StreamMessage(Struct, frozen=True, kw_only=True):
    """One server-sent event."""

    id: str
    event: Literal["hello", "reset", "now", "revision", "bucket", "job", "goal", "settings"]
    data: Annotated[
        str,
        Meta(
            description="JSON: StreamHello, an empty object, NowResponse, StreamRevision, StreamBucket, JobView, "
            "StreamGoal or StreamSetting, for hello, reset, now, revision, bucket, job, goal and settings"
        ),
    ]


class StreamHello(Struct, frozen=True, kw_only=True):
    """The first message. If `resumed`, exactly the missed messages follow. `revision` is the current one."""

    resumed: bool
    version: str
    revision: int | UnsetType = UNSET


class StreamReset(Struct, frozen=True, kw_only=True):
    """The missed messages are not available any more: read everything again."""


class StreamRevision(Struct, frozen=True, kw_only=True):
    """The revision of the store."""

    revision: int


class StreamBucket(Struct, frozen=True, kw_only=True):
    """A bucket was changed."""

    id: str
    change: BucketChangeKind


class StreamGoal(Struct, frozen=True, kw_only=True):
    """A goal was reached, or a limit exceeded."""

    id: str
    state: Literal["reached", "exceeded"]


class StreamSetting(Struct, frozen=True, kw_only=True):
    """A setting was changed."""

    key: str


def message_bytes(event: str, data: bytes, *, epoch: str, number: int) -> bytes:
    """One message. `data` is JSON without line breaks, as msgspec writes it."""
    return b"id: %b-%d\nevent: %b\ndata: %b\n\n" % (epoch.encode(), number, event.encode(), data)


def own_message_bytes(event: str, content: Struct, *, epoch: str, number: int) -> bytes:
    """A message for one listener."""
    return message_bytes(event, msgspec.json.encode(content), epoch=epoch, number=number)


def number_of(text: str, *, epoch: str) -> int | None:
    """The number in an id; None if it is not of this epoch."""
    before, dash, digits = text.rpartition("-")
    if not dash or before != epoch or not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
        return None
    return int(digits)


# Callers with the same rights share a channel, with its own numbers. If all shared one, gaps in the numbers would show
# a key that is limited to some buckets how much happens in the others.


_OF_BUCKETS: frozenset[Topic] = frozenset[Topic](("now", "bucket"))
_OF_READERS: frozenset[Topic] = frozenset(TOPICS) - frozenset[Topic](("job",))


class Audience(Struct, frozen=True):
    """What a caller may receive. Empty names mean all buckets."""

    names: tuple[str, ...]
    is_full: bool

    @property
    def topics(self) -> frozenset[Topic]:
        """The topics whose endpoints the caller may use."""
        if self.names:
            return _OF_BUCKETS
        return frozenset(TOPICS) if self.is_full else _OF_READERS

    def may_receive(self, setting: SettingNotice) -> bool:
        """Whether the caller may read the setting with some endpoint."""
        if self.names:
            return False
        key = setting.key
        is_read = key in PREFERENCES or key in GOAL_SETTINGS or key == CATEGORIES or key.startswith(REPORT_KEY)
        return self.is_full or not setting.is_own or is_read


def audience_of(caller: Caller) -> Audience:
    """The audience of a caller."""
    names = tuple(sorted(set(caller.buckets.names)))
    return Audience(names, caller.may("full") and not names)
