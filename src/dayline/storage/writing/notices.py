"""Notifications of commits."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import Struct

from dayline.storage.history.contract import BucketChangeKind


class BucketNotice(Struct, frozen=True):
    """A change of a bucket, with the id it has, or had until then."""

    id: str
    change: BucketChangeKind


class SettingNotice(Struct, frozen=True):
    """A changed setting; `is_own` is true for internal settings."""

    key: str
    is_own: bool


ChangeNotice: TypeAlias = BucketNotice | SettingNotice


class Commit(Struct, frozen=True):
    """One commit. `recorded` has the ids of buckets that received events or are mentioned in `notices`."""

    revision: int
    recorded: Sequence[str]
    notices: Sequence[ChangeNotice]


OnCommit: TypeAlias = Callable[[Commit], None]
