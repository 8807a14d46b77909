"""What takes how much room on the disk."""

from typing import Annotated

from msgspec import Meta, Struct

from dayline.model.timestamps import Timestamp

Bytes = Annotated[int, Meta(ge=0, description="bytes")]


class BucketSpace(Struct, frozen=True, kw_only=True):
    """The room of one bucket: its events with their share of the indexes, and its distinct values."""

    id: str
    events: Annotated[int, Meta(description="how many events it has")]
    values: Annotated[int, Meta(description="how many distinct values its events have")]
    event_bytes: Bytes
    value_bytes: Bytes
    bytes: Annotated[int, Meta(description="both together")]


class YearSpace(Struct, frozen=True, kw_only=True):
    """The room of a year (UTC): of each bucket as much as the share of its events that began then."""

    year: int
    events: int
    bytes: Bytes


class FileParts(Struct, frozen=True, kw_only=True):
    """What the database is made of; together as large as `file`.

    `unused` are values that nobody has any more, and `free` pages that hold nothing: compaction gives both back.
    """

    events: Bytes
    values: Bytes
    trash: Annotated[int, Meta(description="deleted buckets, what acts keep of events, and values only they have")]
    redactions: Annotated[int, Meta(description="what undoing a redaction needs")]
    audit: Bytes
    unused: Bytes
    free: Bytes
    other: Annotated[int, Meta(description="keys, settings, months, the schema, and what the file itself needs")]


class FileSpace(Struct, frozen=True, kw_only=True):
    """The database. Where `is_exact` is false, as on PostgreSQL, the parts are estimated from rows."""

    is_exact: bool
    file: Annotated[int, Meta(description="bytes of the database with all that is committed")]
    parts: FileParts
    buckets: Annotated[list[BucketSpace], Meta(description="the largest first, without deleted ones")]
    years: list[YearSpace]


class Space(Struct, frozen=True, kw_only=True):
    """What takes room: the database, and the files beside it."""

    measured: Timestamp
    database: FileSpace
    segments: Annotated[int, Meta(description="bytes of the derived data beside the database, which can be made anew")]
    log: Annotated[int, Meta(description="bytes of the write-ahead log")]
    backups: Annotated[int, Meta(description="bytes of all files in the folder of backups")]
    total: Annotated[int, Meta(description="bytes of all these together")]
