"""Buckets that are renamed, merged or moved to another host, and the ids under which they are still found."""

from typing import Annotated

from msgspec import Meta, Struct

from dayline.model.timestamps import Timestamp
from dayline.model.trash import UndoId


class RenameRequest(Struct, frozen=True, kw_only=True):
    """The new id of a bucket. With `alias` it is found under the old one too, so that its watcher goes on."""

    id: str
    alias: bool = True


class MergeRequest(Struct, frozen=True, kw_only=True):
    """The bucket to merge into. With `dry_run` nothing is changed; `force` merges buckets of different types too."""

    into: str
    dry_run: bool = False
    force: bool = False


class RehostRequest(Struct, frozen=True, kw_only=True):
    """The new host name of a bucket.

    With `rename` an id that ends in the old one gets the new one; where there is a bucket of that id already, `merge`
    merges into it. With `dry_run` nothing is changed.
    """

    hostname: str
    rename: bool = True
    merge: bool = False
    dry_run: bool = False


class Alias(Struct, frozen=True, kw_only=True):
    """An id under which a bucket is found besides its own."""

    id: str
    bucket: Annotated[str, Meta(description="the bucket's own id")]
    made: Timestamp


class Renamed(Struct, frozen=True, kw_only=True):
    """A bucket under its new id. `aliases` are the other ids under which it is found."""

    id: str
    former_id: str
    aliases: list[str]
    undo: UndoId


class Merged(Struct, frozen=True, kw_only=True):
    """What merging a bucket into another has done, or with `dry_run` would do.

    Of its `events`, `moved` go over; `skipped` are there already, with the same time, duration and data. `overlapping`
    counts those that go over and overlap with events that are there.
    """

    bucket: Annotated[str, Meta(description="the bucket that is merged, and then is an alias of the other")]
    into: str
    events: int
    moved: int
    skipped: int
    overlapping: int
    warnings: list[str]
    undo: UndoId | None


class Rehosted(Struct, frozen=True, kw_only=True):
    """A bucket at its new host. `merged` is there where it was merged into one that had its new id."""

    id: str
    former_id: str
    hostname: str
    former_hostname: str
    aliases: list[str]
    merged: Merged | None
    undo: UndoId | None


class AliasRemoved(Struct, frozen=True, kw_only=True):
    """What brings the alias back."""

    undo: UndoId
