"""The archive format: compressed lines of JSON with a header, and a trailer that verifies them."""

from decimal import Decimal
from typing import Final, Literal

import msgspec
from msgspec import Struct

from dayline.model.access import Scope

# The lines of an archive; docs/reference/files.md describes the format. Times are ISO 8601 text, exact to the
# microsecond; durations are decimal seconds. Data stored as JSON text is written unchanged.
FORMAT: Final = "dayline-archive"
VERSION: Final = 1
# Fields that are times, in any line: microseconds in memory, text in the file.
TIMES: Final = frozenset(
    ("made", "created", "changed", "expires", "revoked", "last_used", "slot", "first", "last", "until", "downsampled")
)


class Header(Struct, frozen=True, kw_only=True, tag_field="kind", tag="header"):
    """The first line. `events` is for progress bars; only the trailer's counts are verified."""

    format: str
    version: int
    made: str
    schema: int
    server: str
    events: int
    next_event_id: int


class BucketLine(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="bucket"):
    """A bucket. Its events follow it; those before `downsampled` are downsampled."""

    id: str
    type: str
    client: str
    hostname: str
    created: str
    creator: str | None
    data: msgspec.Raw
    downsampled: str | None = None


class EventLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="event"):
    """An event of the preceding bucket. Oldest first; events with equal start are ordered by id."""

    bucket: str
    id: int
    timestamp: str
    duration: Decimal
    data: msgspec.Raw


class AliasLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="alias"):
    """An alias of a bucket."""

    id: str
    bucket: str
    made: str


class SettingLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="setting"):
    """A setting of a client (`own` false), or an internal one."""

    own: bool
    key: str
    value: msgspec.Raw


class SettingHistoryLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="setting_history"):
    """A former value of a setting. `deleted` replaces the value if the setting was deleted."""

    own: bool
    number: int
    key: str
    changed: str
    deleted: bool
    value: msgspec.Raw


class KeyLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="key"):
    """A key without its secret. `salt` and `digest` are Base64."""

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
    """An entry of the audit log."""

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
    """The idempotency token of a change."""

    token: str
    until: str


class Trailer(Struct, frozen=True, kw_only=True, tag_field="kind", tag="trailer"):
    """The last line: the number of lines of each kind, and BLAKE2b-256 of all bytes before this line."""

    counts: dict[str, int]
    checksum: str


Content = (
    BucketLine | EventLine | AliasLine | SettingLine | SettingHistoryLine | KeyLine | AuditLine | OnceLine
)  # the lines between header and trailer
Kind = Literal["bucket", "event", "alias", "setting", "setting_history", "key", "audit", "once"]
