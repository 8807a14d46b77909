"""The lines of an everything archive: what each kind holds. `docs/archive.md` describes the same for people.

Times are text as everywhere on the wire, exact to the microsecond; durations are decimal seconds. Anything that is
stored as JSON text stands in its line as the very same text.
"""

from decimal import Decimal
from typing import Final, Literal

import msgspec
from msgspec import Struct

from dayline.model.keys import Scope

FORMAT: Final = "dayline-archive"
VERSION: Final = 1
# Fields that are times, in whatever line: kept as microseconds, written as text.
TIMES: Final = frozenset(
    ("made", "created", "changed", "expires", "revoked", "last_used", "slot", "first", "last", "until")
)


class Header(Struct, frozen=True, kw_only=True, tag_field="kind", tag="header"):
    """The first line. `events` is for progress bars; what counts is the trailer."""

    format: str
    version: int
    made: str
    schema: int
    server: str
    events: int
    next_event_id: int


class BucketLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="bucket"):
    """A bucket. Its events follow it."""

    id: str
    type: str
    client: str
    hostname: str
    created: str
    creator: str | None
    data: msgspec.Raw


class EventLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="event"):
    """An event of a bucket that came before. Oldest first, equal starts in order of id."""

    bucket: str
    id: int
    timestamp: str
    duration: Decimal
    data: msgspec.Raw


class AliasLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="alias"):
    """Another id under which a bucket is found."""

    id: str
    bucket: str
    made: str


class SettingLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="setting"):
    """A setting that a client stored (`own` false), or one of Dayline's own."""

    own: bool
    key: str
    value: msgspec.Raw


class SettingHistoryLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="setting_history"):
    """A value that a setting was given. `deleted` stands in the place of a value where it was removed."""

    own: bool
    number: int
    key: str
    changed: str
    deleted: bool
    value: msgspec.Raw


class KeyLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="key"):
    """A key: everything but the key. `salt` and `digest` are Base64."""

    id: str
    name: str
    scope: Scope
    buckets: msgspec.Raw
    created: str
    expires: str | None
    revoked: str | None
    salt: bytes
    digest: bytes
    last_used: str | None
    last_address: str | None


class AuditLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="audit"):
    """A line of the audit trail."""

    number: int
    slot: str
    who: str
    key_id: str
    address: str
    call: str
    bucket: str
    status: int
    first: str
    last: str
    count: int


class OnceLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="once"):
    """The token of a change that must not be made twice."""

    token: str
    until: str


class Trailer(Struct, frozen=True, kw_only=True, tag_field="kind", tag="trailer"):
    """The last line: lines of each kind between the header and here, and BLAKE2b-256 of all bytes before this line."""

    counts: dict[str, int]
    checksum: str


Content = (
    BucketLine | EventLine | AliasLine | SettingLine | SettingHistoryLine | KeyLine | AuditLine | OnceLine
)  # what stands between the first line and the last
Kind = Literal["bucket", "event", "alias", "setting", "setting_history", "key", "audit", "once"]
