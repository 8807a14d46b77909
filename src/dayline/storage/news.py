"""What a commit has changed, for whoever wants to hear of it at once."""

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

BucketTurn: TypeAlias = Literal["created", "changed", "deleted", "restored", "renamed", "merged", "recorded"]


class BucketNews(Struct, frozen=True):
    """Something happened to a bucket, by the id that it has, or had until then."""

    id: str
    change: BucketTurn


class SettingNews(Struct, frozen=True):
    """A setting has another value; `is_own` where it is one of Dayline's own."""

    key: str
    is_own: bool


Told: TypeAlias = BucketNews | SettingNews


class Commit(Struct, frozen=True):
    """One commit. `recorded` are the ids of buckets that events arrived in, or that `told` says more about."""

    revision: int
    recorded: Sequence[str]
    told: Sequence[Told]


OnCommit: TypeAlias = Callable[[Commit], None]
