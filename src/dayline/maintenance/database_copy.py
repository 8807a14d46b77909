"""Copies everything of one database into another, and proves it: both sides are added up, each by itself."""

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct

from dayline.maintenance.migration.ledger import Adding, Sums
from dayline.storage.transfer.copying import TABLES, Copied, CopiedEvent, CopiedTable, CopyTarget

_DIGEST_BYTES: Final = 16
_TELL_EVERY: Final = 1000  # events


class Proof(Struct, frozen=True, kw_only=True):
    """Something that is to be the same on both sides."""

    there: Sums
    here: Sums

    @property
    def is_proven(self) -> bool:
        return self.there == self.here


class BucketProof(Proof, frozen=True, kw_only=True):
    """The events of a bucket with their ids and data; `is_deleted`: it is in the trash."""

    bucket: str
    is_deleted: bool


class TableProof(Proof, frozen=True, kw_only=True):
    """The rows of a table."""

    table: str


class CopyProof(Struct, frozen=True, kw_only=True):
    """Both sides of a copy; and what was not copied, in words."""

    source: str
    target: str
    buckets: list[BucketProof]
    tables: list[TableProof]
    left_out: list[str]

    @property
    def is_proven(self) -> bool:
        return all(each.is_proven for each in self.buckets) and all(each.is_proven for each in self.tables)


def copy_database(source: Copied, target: CopyTarget, *, on_events: Callable[[int], None]) -> None:
    """Write everything. `on_events` is told how many more events are written."""
    for table in TABLES:
        for rows in source.rows(table):
            target.write(table, rows)
            if table.name == "event":
                on_events(len(rows))
    target.settle(source.counters())


def prove(source: Copied, target: Copied, *, on_events: Callable[[int], None]) -> CopyProof:
    """Read both sides and compare them. `on_events` is told how many more events of the source were compared."""
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
    adding, told = Adding(), 0
    for event in events:
        text = b"%d %d %d %b" % (event.start, event.id, event.duration, event.data)
        adding.add(sha256(text).digest()[:_DIGEST_BYTES], event.duration)
        told += 1
        if told == _TELL_EVERY:
            on_events(told)
            told = 0
    on_events(told)
    return adding.sums


def _sums(side: Copied, table: CopiedTable) -> Sums:
    """The rows of a table. Of events the number is enough: the buckets have been compared with everything in them."""
    if table.name == "event":
        return Sums(events=side.count_events(), duration=0, checksum="")
    adding = Adding()
    places = [place for place, column in enumerate(table.columns) if column not in table.unproven]
    for rows in side.rows(table):
        for row in rows:
            text = msgspec.msgpack.encode([row[place] for place in places])
            adding.add(sha256(text).digest()[:_DIGEST_BYTES])
    return adding.sums
