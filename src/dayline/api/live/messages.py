"""Messages of the stream as bytes, with ids made of the channel's epoch and a number, and their audiences."""

from typing import Annotated, Final, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.access.caller import Caller
from dayline.model.category import CATEGORIES
from dayline.model.goal import GOAL_SETTINGS
from dayline.model.preferences import PREFERENCES, REPORT_KEY
from dayline.storage.store import BucketChangeKind, SettingNotice

Topic: TypeAlias = Literal["now", "revision", "bucket", "job", "goal", "settings"]

TOPICS: Final[tuple[Topic, ...]] = get_args(Topic)
PING: Final = b": ping\n\n"
RETRY: Final = b"retry: 1000\n\n"  # how long a browser waits before it comes back


class StreamMessage(Struct, frozen=True, kw_only=True):
    """One message, as a client of server-sent events reads it."""

    id: str
    event: Literal["hello", "reset", "now", "revision", "bucket", "job", "goal", "settings"]
    data: Annotated[
        str,
        Meta(
            description="JSON: StreamHello, an empty object, NowAnswer, StreamRevision, StreamBucket, JobView, "
            "StreamGoal or StreamSetting, for hello, reset, now, revision, bucket, job, goal and settings"
        ),
    ]


class StreamHello(Struct, frozen=True, kw_only=True):
    """The first message. `resumed`: what was missed follows, and nothing else was; `revision` as of this moment."""

    resumed: bool
    version: str
    revision: int | UnsetType = UNSET


class StreamReset(Struct, frozen=True, kw_only=True):
    """What was missed is not known any more: read everything again."""


class StreamRevision(Struct, frozen=True, kw_only=True):
    """The store has come so far."""

    revision: int


class StreamBucket(Struct, frozen=True, kw_only=True):
    """Something happened to a bucket."""

    id: str
    change: BucketChangeKind


class StreamGoal(Struct, frozen=True, kw_only=True):
    """A goal is reached, or a limit exceeded."""

    id: str
    state: Literal["reached", "exceeded"]


class StreamSetting(Struct, frozen=True, kw_only=True):
    """A setting was changed."""

    key: str


def message_bytes(event: str, data: bytes, *, epoch: str, number: int) -> bytes:
    """One message. `data` is JSON without a line break, as msgspec writes it."""
    return b"id: %b-%d\nevent: %b\ndata: %b\n\n" % (epoch.encode(), number, event.encode(), data)


def own_message_bytes(event: str, content: Struct, *, epoch: str, number: int) -> bytes:
    """A message to one listener alone."""
    return message_bytes(event, msgspec.json.encode(content), epoch=epoch, number=number)


def number_of(text: str, *, epoch: str) -> int | None:
    """The number in an id; None where it is not one of this epoch."""
    before, dash, digits = text.rpartition("-")
    if not dash or before != epoch or not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
        return None
    return int(digits)


# Those who see the same: each audience has a channel of its own, with numbers of its own.
#
# If all shared one, the gaps in the numbers of a key for some buckets would tell how much happens in the others.


_OF_BUCKETS: frozenset[Topic] = frozenset[Topic](("now", "bucket"))
_OF_READERS: frozenset[Topic] = frozenset(TOPICS) - frozenset[Topic](("job",))


class Audience(Struct, frozen=True):
    """What a caller may hear of. No names at all are all buckets."""

    names: tuple[str, ...]
    is_full: bool

    @property
    def topics(self) -> frozenset[Topic]:
        """Those whose calls it may make, too."""
        if self.names:
            return _OF_BUCKETS
        return frozenset(TOPICS) if self.is_full else _OF_READERS

    def may_hear_of(self, setting: SettingNotice) -> bool:
        """Whether there is a call by which it may read the setting."""
        if self.names:
            return False
        key = setting.key
        is_read = key in PREFERENCES or key in GOAL_SETTINGS or key == CATEGORIES or key.startswith(REPORT_KEY)
        return self.is_full or not setting.is_own or is_read


def audience_of(caller: Caller) -> Audience:
    """Where somebody belongs."""
    names = tuple(sorted(set(caller.buckets.names)))
    return Audience(names, caller.may("full") and not names)
