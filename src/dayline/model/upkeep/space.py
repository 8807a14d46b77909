"""Disk space, and its compaction, as the API shows them."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from dayline.model.time import Timestamp

Bytes = Annotated[int, Meta(ge=0, description="bytes")]


class BucketSpace(Struct, frozen=True, kw_only=True):
    """Disk space of one bucket: its events with their share of the indexes, and its distinct values."""

    id: str
    events: Annotated[int, Meta(description="number of events")]
    values: Annotated[int, Meta(description="number of distinct values")]
    event_bytes: Bytes
    value_bytes: Bytes
    bytes: Annotated[int, Meta(description="total")]


class YearSpace(Struct, frozen=True, kw_only=True):
    """Disk space of a year (UTC): of each bucket, the share of its events that started then."""

    year: int
    events: int
    bytes: Bytes


class FileParts(Struct, frozen=True, kw_only=True):
    """The parts of the database, which add up to `file`.

    `unused` are values that nothing uses, and `free` are empty pages: compaction reclaims both.
    """

    events: Bytes
    values: Bytes
    trash: Annotated[int, Meta(description="deleted buckets, events in the undo log, and values used only by them")]
    redactions: Annotated[int, Meta(description="what undoing redactions requires")]
    audit: Bytes
    unused: Bytes
    free: Bytes
    other: Annotated[int, Meta(description="keys, settings, months, the schema, and overhead of the file")]


class FileSpace(Struct, frozen=True, kw_only=True):
    """The database. If `is_exact` is false, as on PostgreSQL, the parts are estimated from rows."""

    is_exact: bool
    file: Annotated[int, Meta(description="bytes of the database including everything committed")]
    parts: FileParts
    buckets: Annotated[list[BucketSpace], Meta(description="largest first, without deleted ones")]
    years: list[YearSpace]


class Space(Struct, frozen=True, kw_only=True):
    """Disk space used by the database and the files next to it."""

    measured: Timestamp
    database: FileSpace
    segments: Annotated[int, Meta(description="bytes of the derived data, which can be rebuilt")]
    log: Annotated[int, Meta(description="bytes of the write-ahead log")]
    backups: Annotated[int, Meta(description="bytes of all files in the backup folder")]
    total: Annotated[int, Meta(description="total bytes")]


class Compacted(Struct, frozen=True, kw_only=True):
    """Result of a compaction."""

    values: Annotated[int, Meta(description="unused distinct values that were deleted")]
    before: Annotated[int, Meta(description="bytes of the database file before")]
    after: Annotated[int, Meta(description="bytes of the database file after")]
    seconds: float


class Compaction(Struct, frozen=True, kw_only=True):
    """Progress of compaction: it deletes unused `values`, then frees empty `pages`, then empties the `log`."""

    state: Literal["idle", "values", "pages", "log"] = "idle"
    done: int = 0
    of: Annotated[int, Meta(description="number of values or pages in total; 0 if it is unknown")] = 0
    last: Annotated[Compacted | None, Meta(description="result of the last compaction since the server started")] = None
