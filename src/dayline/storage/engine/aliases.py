"""Aliases of buckets inside a transaction."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from dayline.model.bucket import Alias
from dayline.model.errors import BucketNotFound
from dayline.model.time import Microseconds, format_timestamp
from dayline.storage.engine.tables import Table, Tables

AliasTarget: TypeAlias = tuple[int, Microseconds]  # the key of the bucket, and since when
AliasTargets: TypeAlias = dict[str, AliasTarget | None]  # by alias; None: there is no such alias

ALIASES: Final = Table("alias", ("id", "bucket", "made"))
BUCKETS: Final = Table("bucket", ("key", "id", "deleted"))


class AliasHolder(NamedTuple):
    """The bucket that an alias leads to, and since when."""

    key: int
    id: str
    since: Microseconds


class AliasReads(Tables):
    """The part of a transaction that reads aliases."""

    def bucket_key(self, bucket_id: str) -> int:
        """The key of the bucket with this id, or else with this alias. Raises BucketNotFound."""
        own = self.select(BUCKETS, {"id": bucket_id, "deleted": None})
        holder = None if own else self.alias_holder(bucket_id)
        if not own and holder is None:
            raise BucketNotFound(bucket_id)
        return int(own[0][0]) if holder is None else holder.key

    def is_own_id(self, bucket_id: str) -> bool:
        """Whether a bucket has exactly this id, not counting aliases."""
        return bool(self.select(BUCKETS, {"id": bucket_id, "deleted": None}))

    def all_aliases(self) -> list[Alias]:
        """All aliases of visible buckets, ordered by id."""
        own = {key: bucket_id for key, bucket_id, _ in self.select(BUCKETS, {"deleted": None})}
        taken = set(own.values())
        return [
            Alias(id=alias, bucket=own[key], made=format_timestamp(made))
            for alias, key, made in sorted(self.select(ALIASES, {}))
            if key in own and alias not in taken
        ]

    def aliases_of(self, bucket: int) -> list[str]:
        return sorted(alias for alias, _, _ in self.select(ALIASES, {"bucket": bucket}))

    def alias_targets(self, aliases: Iterable[str]) -> AliasTargets:
        """The targets of aliases, including hidden buckets."""
        wanted = list(aliases)
        rows = self.select(ALIASES, {"id": wanted})
        return dict.fromkeys(wanted) | {alias: (key, since) for alias, key, since in rows}

    def alias_holder(self, alias: str) -> AliasHolder | None:
        """The bucket that an alias leads to; None if it is hidden."""
        target = self.alias_targets([alias])[alias]
        rows = [] if target is None else self.select(BUCKETS, {"key": target[0], "deleted": None})
        return AliasHolder(target[0], rows[0][1], target[1]) if target is not None and rows else None


class AliasWrites(AliasReads):
    """The part of a write transaction that changes aliases."""

    def set_alias_targets(self, targets: Mapping[str, AliasTarget | None]) -> None:
        """Point aliases to other buckets; None deletes one. Purged buckets are skipped."""
        self.delete(ALIASES, {"id": list(targets)})
        kept = {alias: target for alias, target in targets.items() if target is not None}
        keys = {key for key, _, _ in self.select(BUCKETS, {"key": [key for key, _ in kept.values()]})}
        for alias, (key, since) in kept.items():
            if key in keys:
                self.insert_row(ALIASES, {"id": alias, "bucket": key, "made": since}, replaces=True)
