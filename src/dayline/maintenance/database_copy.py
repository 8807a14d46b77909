"""Copies one database into another and verifies the copy by independent checksums of both sides."""

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct

from dayline.maintenance.migration.ledger import Adding
from dayline.maintenance.migration.model import Sums
from dayline.storage.transfer.copying import TABLES, Copied, CopiedEvent, CopiedTable, CopyTarget

_DIGEST_BYTES: Final = 16
_REPORT_EVERY: Final = 1000  # events


class Proof(Struct, frozen=True, kw_only=True):
    """Checksums that must be equal on both sides."""

    there: Sums
    here: Sums

    @property
    def is_proven(self) -> bool:
        return self.there == self.here


class BucketProof(Proof, frozen=True, kw_only=True):
    """The events of a bucket with their ids and data. `is_deleted` means that the bucket is in the trash."""

    bucket: str
    is_deleted: bool


class TableProof(Proof, frozen=True, kw_only=True):
    """The rows of a table."""

    table: str


class CopyProof(Struct, frozen=True, kw_only=True):
    """Both sides of a copy, and a description of what was not copied."""

    source: str
    target: str
    buckets: list[BucketProof]
    tables: list[TableProof]
    left_out: list[str]

    @property
    def is_proven(self) -> bool:
        return all(each.is_proven for each in self.buckets) and all(each.is_proven for each in self.tables)


def copy_database(source: Copied, target: CopyTarget, *, on_events: Callable[[int], None]) -> None:
    """Copy everything. `on_events` is called with the number of events just written."""
    for table in TABLES:
        for rows in source.rows(table):
            target.write(table, rows)
            if table.name == "event":
                on_events(len(rows))
    target.settle(source.counters())


def prove(source: Copied, target: Copied, *, on_events: Callable[[int], None]) -> CopyProof:
    """Read both sides and compare them. `on_events` is called with the number of source events just compared."""
    here = {bucket.key: bucket for bucket in target.buckets()}
    return CopyProof(
        source=source.name,
        target=target.name,
        buckets=[
            BucketProof(
                bucket=bucket.id,
                is_deleted=bucket.is_deleted,
                there=_event_sums(source.events(bucket.key), on_events),
                here=_event_sums(target.events(bucket.key) if here.get(bucket.key) == bucket else (), lambda _: None),
            )
            for bucket in source.buckets()
        ],
        tables=[
            TableProof(table=table.name, there=_sums(source, table), here=_sums(target, table)) for table in TABLES
        ],
        left_out=source.left_out(),
    )


def _event_sums(events: Iterable[CopiedEvent], on_events: Callable[[int], None]) -> Sums:
    adding, unreported = Adding(), 0
    for event in events:
        text = b"%d %d %d %b" % (event.start, event.id, event.duration, event.data)
        adding.add(sha256(text).digest()[:_DIGEST_BYTES], event.duration)
        unreported += 1
        if unreported == _REPORT_EVERY:
            on_events(unreported)
            unreported = 0
    on_events(unreported)
    return adding.sums


def _sums(side: Copied, table: CopiedTable) -> Sums:
    """The checksum of a table. For events only their number: the buckets were compared in full."""
    if table.name == "event":
        return Sums(events=side.count_events(), duration=0, checksum="")
    adding = Adding()
    indexes = [index for index, column in enumerate(table.columns) if column not in table.unproven]
    for rows in side.rows(table):
        for row in rows:
            text = msgspec.msgpack.encode([row[index] for index in indexes])
            adding.add(sha256(text).digest()[:_DIGEST_BYTES])
    return adding.sums
