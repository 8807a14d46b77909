"""Everything of one source brought along: settings first, then bucket after bucket."""

from collections.abc import Callable

from msgspec import Struct

from dayline.care.migration.copying import CopiedBucket, Copier
from dayline.care.migration.ledger import Ledger
from dayline.care.migration.source import Source
from dayline.care.migration.stored import EVENTS_AT_ONCE, Calls
from dayline.care.migration.their_settings import CopiedSettings, copy_settings


class Migrated(Struct, frozen=True, kw_only=True):
    """What became of one source."""

    path: str
    settings: CopiedSettings
    buckets: list[CopiedBucket]

    @property
    def is_proven(self) -> bool:
        return all(bucket.proof.is_proven for bucket in self.buckets)


def migrate_source(
    source: Source,
    server: Calls,
    ledger: Ledger,
    *,
    overwrite_settings: bool = False,
    on_events: Callable[[int], None],
    on_reads: Callable[[int], None] = lambda _: None,
    on_bucket: Callable[[str], None] = lambda _: None,
    at_once: int = EVENTS_AT_ONCE,
) -> Migrated:
    """Copy what is missing, and prove it. `on_bucket` is told which bucket comes next, for the others see Copier."""
    # Settings first: privacy filters may be among them, and are then in force for what follows.
    settings = copy_settings(source, server, overwrite=overwrite_settings)
    copier = Copier(source, server, ledger, on_events=on_events, on_reads=on_reads, at_once=at_once)
    buckets: list[CopiedBucket] = []
    for bucket in source.buckets():
        on_bucket(bucket.id)
        buckets.append(copier.copy(bucket))
    return Migrated(path=str(source.path), settings=settings, buckets=buckets)
