"""What sync reads and changes of a store: the buckets of this device, the mirrors of others, and its own state."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Final, TypeAlias, TypeVar

import msgspec
from msgspec import Struct, structs

from dayline.model.bucket import BUCKET_FIELDS, Bucket
from dayline.model.data import CanonicalJson
from dayline.model.errors import Gone
from dayline.model.event import Event
from dayline.model.time import EARLIEST, LATEST, Microseconds, now_us
from dayline.model.upkeep.mirror import FIRST_MIRROR_ID, FIRST_SOURCE_SLOT, SLOT_IDS, first_id_of_slot, plain_id
from dayline.model.upkeep.undo import JournalNote
from dayline.storage.engine.rows import BucketRow, EventChange, EventRow
from dayline.storage.engine.tables import Table
from dayline.storage.engine.tenant import Fence, TenantReaders, TenantWriter
from dayline.storage.engine.transaction import ReadTransaction, WriteTransaction
from dayline.storage.history.buckets import hide_bucket
from dayline.storage.history.contract import EventPosition
from dayline.storage.history.merges import Merges
from dayline.storage.history.undo_log import NOTE
from dayline.storage.operations.claims import check_idle, end_claim
from dayline.storage.writing.adoption import AdoptionTarget, adoption_target, begin_adoption
from dayline.storage.writing.shared_items import SharedItems

StartRange: TypeAlias = tuple[Microseconds, Microseconds]  # of starts, both ends included
MirrorFence: TypeAlias = Fence
T = TypeVar("T")
_Changed: TypeAlias = tuple[Mapping[int, EventRow], Mapping[int, EventRow]]  # by their ids, before and after

# Internal settings of sync. They have secrets, or paths of this computer, so archives leave them out.
STATE_KEY: Final = "sync"
REPORT_KEY: Final = "sync.report"
SOURCES_KEY: Final = "sync.sources"
LEFT_KEY: Final = "sync.left"  # the device in the space that it left: it is the same one if it joins again
LEFT_OUT: Final = (STATE_KEY, REPORT_KEY, SOURCES_KEY, LEFT_KEY)  # of archives
ADOPTED_KEY: Final = "sync.adopted"  # stays when the device leaves its space: it has the events
_PAGE: Final = 2000  # events: a read of a few milliseconds
_BUCKETS: Final = Table(
    "bucket", ("key", "id", "type", "client", "hostname", "created", "data", "creator", "dictionary")
)
_KEYS: Final = Table("bucket", ("key",))
_EVENTS: Final = Table("event", ("id",))
_MONTHS: Final = Table("month", ("month", "events", "is_sealed", "changes"))


class StoredBucket(Struct, frozen=True):
    """A bucket with its key. `dictionary` counts the changes of texts, which are no changes of rows."""

    key: int
    bucket: Bucket
    dictionary: int


class StoredMonth(Struct, frozen=True):
    """A month with events of a bucket. While `version` is the same, so are the rows; None if that is not known."""

    month: int
    events: int
    version: int | None


class MirrorSlice(Struct, frozen=True):
    """A part of the difference between a mirror and its origin. `put` has new and changed events."""

    remove: Sequence[int]
    put: Sequence[Event]

    @property
    def rows(self) -> int:
        return len(self.remove) + len(self.put)

    def part(self, first: int, rows: int) -> "MirrorSlice":
        """Some of its rows; those to remove come first."""
        low, high = (max(0, row - len(self.remove)) for row in (first, first + rows))
        return MirrorSlice(self.remove[first : first + rows], self.put[low:high])


class Mirrors:
    """The part of a store that sync works on. Reads run on any thread, changes on the event loop."""

    def __init__(self, writer: TenantWriter, readers: TenantReaders, merges: Merges) -> None:
        self._writer = writer
        self._readers = readers
        self._merges = merges

    @property
    def items(self) -> SharedItems:
        """What devices share in addition to events."""
        return SharedItems(self._writer, self._readers)

    def buckets(self) -> list[StoredBucket]:
        """All buckets in order of creation, mirrors among them."""
        with self._readers.transaction() as tx:
            return _buckets(tx)

    def months(self, key: int) -> list[StoredMonth]:
        """The months of a bucket that have events, in order."""
        with self._readers.transaction() as tx:
            rows = tx.select(_MONTHS, {"bucket": key, "events >": 0}, order="month")
        return [StoredMonth(month, events, changes if sealed else None) for month, events, sealed, changes in rows]

    def events(self, key: int, starts: StartRange) -> Iterator[Event]:
        """The events of a bucket that start in a range, ordered by start and id.

        They are read in pages: no transaction stays open between two.
        """
        after = EventPosition(starts[0], 0)
        while True:
            with self._readers.transaction() as tx:
                page = tx.selected_page(key, starts, after, since=starts[0], is_newest_first=False, rows=_PAGE)
            yield from (row.event for row in page)
            if len(page) < _PAGE:
                return
            after = page[-1].position

    def state(self, key: str) -> CanonicalJson | None:
        """What `keep` stored last under a key."""
        with self._readers.transaction() as tx:
            return tx.setting_values("own_setting", [key]).get(key)

    async def keep(self, values: Mapping[str, CanonicalJson | None]) -> None:
        """Store states of sync, or delete them; former values are not kept."""

        def keep(tx: WriteTransaction) -> None:
            tx.lock_settings()
            tx.keep_unlogged(values)

        await self._writer.change(keep)

    async def edit(self, key: str, edit: Callable[[CanonicalJson, int], CanonicalJson]) -> None:
        """Store what `edit` returns for a state, if there is one, and for the next event id, in one transaction."""

        def change(tx: WriteTransaction) -> None:
            tx.lock_settings()
            text = tx.setting_values("own_setting", [key]).get(key)
            if text is not None:
                tx.keep_unlogged({key: edit(text, tx.take_event_ids(0))})

        await self._writer.change(change)

    def lease(self) -> AbstractAsyncContextManager[MirrorFence]:
        """Keep other servers of the database from changing mirrors."""
        return self._writer.lease()

    async def next_event_id(self) -> int:
        """The first id that no event of this device has had."""

        def look(tx: WriteTransaction) -> int:
            tx.unseen += 1  # it changes nothing: clients that poll the revision need not read again
            return tx.take_event_ids(0)

        return await self._writer.change(look)

    async def create(self, bucket: Bucket) -> int:
        """Create a mirror and return its key. Raises BucketExists."""

        def create(tx: WriteTransaction) -> int:
            tx.create_bucket(bucket)
            return tx.find(bucket.id).key

        return await self._writer.change(create)

    async def update(self, key: int, bucket: Bucket) -> None:
        """Give a mirror the id and the fields of its origin. Raises BucketExists if the id is taken."""

        def update(tx: WriteTransaction) -> None:
            row = _found(tx, key)
            if row.bucket.id != bucket.id:
                tx.set_bucket_id(row, bucket.id)
                row = _found(tx, key)
            fields = {name: getattr(bucket, name) for name in BUCKET_FIELDS}
            tx.set_bucket_fields(row, fields)
            tx.notify(bucket.id, "changed")

        await self._writer.change(update)

    def first_free_slot(self, first: int = 0, end: int = FIRST_SOURCE_SLOT) -> int:
        """The first slot of ids from `first` to `end` that no event has, nor one after it. Call it on a thread."""
        newest = self.newest_id(first_id_of_slot(first), first_id_of_slot(end))
        return first if newest is None else (newest - FIRST_MIRROR_ID) // SLOT_IDS + 1

    def newest_id(self, first: int, end: int) -> int | None:
        """The highest id of an event in this range, whose end is exclusive. Call it on a thread."""
        with self._readers.transaction() as tx:
            newest = tx.select(_EVENTS, {"id >=": first, "id <": end}, order="id DESC", limit=1)
        return int(newest[0][0]) if newest else None

    def hidden_ids(self) -> set[int]:
        """The ids of all events in the trash. Call it on a thread."""
        with self._readers.transaction() as tx:
            visible = {stored.key for stored in _buckets(tx)}
            hidden = [key for (key,) in tx.select(_KEYS, {}) if key not in visible]
            return {event_id for key in hidden for (event_id,) in tx.select(_EVENTS, {"bucket": key})}

    async def delete(self, key: int, *, fence: Fence | None = None) -> None:
        """Delete a mirror and its texts; it is not kept in the trash.

        The events are deleted first: if the bucket comes back, they have the same ids. Without an undo entry, the purge
        of deleted data removes the rest.
        """
        everything = await asyncio.to_thread(lambda: [event.id for event in self.events(key, (EARLIEST, LATEST))])
        await self.apply(key, [key], MirrorSlice(everything, []), fence=fence)

        def hide(tx: WriteTransaction) -> None:
            tx.lock_buckets(key)
            row = tx.bucket_by_key(key)
            if row is not None:
                check_idle(tx, [key])
                tx.hide_bucket(row, now=now_us())
                tx.notify(row.bucket.id, "deleted")

        await self._writer.change(hide)

    async def reserve_ids(self, first: int, count: int) -> int:
        """Reserve consecutive event ids that are at least `first`, and return the first of them."""

        def reserve(tx: WriteTransaction) -> int:
            tx.take_event_ids(max(0, first - tx.take_event_ids(0)))
            return tx.take_event_ids(count)

        return await self._writer.change(reserve)

    async def rewrite(self, key: int, changes: Mapping[int, Event | None], *, group: str) -> int:
        """Change events of a bucket of this device in short slices, as one operation that can be undone.

        `changes` has each event as it will be, by id, None to delete it. Returns the operation. If interrupted, the
        part that was done can be undone. Raises Conflict if another operation works on the bucket.
        """
        return await self._in_slices(key, sorted(changes.items()), _rewrite, group=group)

    async def renumber(self, key: int, ids: Mapping[int, int], *, group: str) -> int:
        """Give events of a bucket of this device other ids, like `rewrite`. Each moves in one transaction, as it is by
        then: a heartbeat may have extended it.
        """
        return await self._in_slices(key, sorted(ids.items()), _renumber, group=group)

    async def _in_slices(
        self,
        key: int,
        left: list[tuple[int, T]],
        change: Callable[[WriteTransaction, BucketRow, Mapping[int, T]], _Changed],
        *,
        group: str,
    ) -> int:
        pace = self._writer.new_pace()
        operation = await self._writer.change(partial(_begin_rewriting, key=key, group=group))
        try:
            while left:
                some, left = left[: pace.rows], left[pace.rows :]
                step = partial(_logged, key=key, operation=operation, change=change, values=dict(some))
                await pace.with_pause(self._writer.change(step, rows=len(some)), rows=len(some))
        finally:
            await asyncio.shield(asyncio.ensure_future(end_claim(self._writer, operation)))
        return operation

    async def hide(self, key: int, *, group: str) -> None:
        """Move a bucket to the trash, as an operation of a group."""

        def hide(tx: WriteTransaction) -> None:
            row = _found(tx, key)
            check_idle(tx, [key])
            operation = hide_bucket(tx, row, now=now_us())
            current = tx.operation(operation)
            assert current is not None, "an operation of this transaction"
            tx.set_operation(operation, detail={**current.detail, NOTE: _note(group)})

        await self._writer.change(hide)

    def adoption_target(self, mirror: Bucket) -> AdoptionTarget:
        """What `adopt` makes of a mirror. Call it on a thread."""
        with self._readers.transaction() as tx:
            return adoption_target(tx, mirror)

    async def adopt(self, mirror: StoredBucket, *, group: str) -> None:
        """Make a mirror a bucket of this device, in short slices, as an operation of a group.

        An interrupted one is finished by the next start. Raises Gone and Conflict.
        """
        writer = self._writer.noted(JournalNote(by="sync", group=group))
        await self._merges.merge(
            writer, partial(begin_adoption, key=mirror.key, plain=plain_id(mirror.bucket), now=now_us())
        )

    async def apply(
        self, key: int, siblings: Sequence[int], difference: MirrorSlice, *, fence: Fence | None = None
    ) -> None:
        """Change a mirror in short slices. Each can be repeated, so that it continues after a kill.

        `siblings` are the keys of all mirrors of the device: an id that moved to this bucket leaves the other one.
        """
        pace, done = self._writer.new_pace(), 0
        while done < difference.rows:
            part = difference.part(done, pace.rows)
            await self._writer.change(pace.timed(_step(key, siblings, part, fence), rows=part.rows), rows=part.rows)
            done += part.rows


def _begin_rewriting(tx: WriteTransaction, *, key: int, group: str) -> int:
    row = _found(tx, key)
    check_idle(tx, [key])
    return tx.add_operation(
        "fix_events", now=now_us(), bucket=row.bucket.id, bucket_key=key, state="doing", detail={NOTE: _note(group)}
    )


def _note(group: str) -> object:
    return msgspec.to_builtins(JournalNote(by="sync", group=group))


def _rewrite(tx: WriteTransaction, row: BucketRow, changes: Mapping[int, Event | None]) -> _Changed:
    values = tx.value_keys(row, dict.fromkeys(event.data for event in changes.values() if event is not None))
    after = {
        event_id: EventRow(row.key, event.start, event_id, event.duration, values[event.data])
        for event_id, event in changes.items()
        if event is not None
    }
    return tx.events_by_id(row.key, changes), after


def _renumber(tx: WriteTransaction, row: BucketRow, ids: Mapping[int, int]) -> _Changed:
    before = tx.events_by_id(row.key, ids)
    return before, {ids[old]: structs.replace(event, id=ids[old]) for old, event in before.items()}


def _logged(
    tx: WriteTransaction,
    *,
    key: int,
    operation: int,
    change: Callable[[WriteTransaction, BucketRow, Mapping[int, T]], _Changed],
    values: Mapping[int, T],
) -> None:
    row = _found(tx, key)
    current = tx.operation(operation)
    if current is None or current.state != "doing":
        raise Gone("recovery stopped: its undo entry was deleted")
    before, after = change(tx, row, values)
    logged = [EventChange(before.get(event_id), after.get(event_id)) for event_id in before.keys() | after.keys()]
    tx.log_events(operation, logged)
    tx.log_slice(operation, events=len(logged))
    tx.remove_events(row, list(before.values()))
    tx.put_events(row, list(after.values()))
    tx.notify(row.bucket.id, "changed")


def _step(
    key: int, siblings: Sequence[int], part: MirrorSlice, fence: Fence | None
) -> Callable[[WriteTransaction], None]:
    def step(tx: WriteTransaction) -> None:
        tx.lock_buckets(*siblings)
        if fence is not None:
            fence(tx)
        removed = set(part.remove)
        present = tx.events_by_id(None, [*part.remove, *(event.id for event in part.put)]).values()
        for sibling in siblings:
            leaving = [
                each for each in present if each.bucket == sibling and (sibling == key or each.id not in removed)
            ]
            its_row = tx.bucket_by_key(sibling) if leaving else None
            if its_row is not None:
                tx.remove_events(its_row, leaving)
        row = _found(tx, key)
        values = tx.value_keys(row, dict.fromkeys(event.data for event in part.put))
        rows = [EventRow(key, event.start, event.id, event.duration, values[event.data]) for event in part.put]
        tx.put_events(row, rows)
        tx.notify(row.bucket.id, "changed")

    return step


def _found(tx: WriteTransaction, key: int) -> BucketRow:
    row = tx.bucket_by_key(key)
    if row is None:
        raise Gone("the mirror was deleted")
    return row


def _buckets(tx: ReadTransaction) -> list[StoredBucket]:
    return [
        StoredBucket(
            key,
            Bucket(
                id=bucket_id,
                type=kind,
                client=client,
                hostname=hostname,
                created=created,
                data=msgspec.json.decode(data, type=dict[str, object]),
                creator=creator,
            ),
            dictionary,
        )
        for key, bucket_id, kind, client, hostname, created, data, creator, dictionary in tx.select(
            _BUCKETS, {"deleted": None}, order="key"
        )
    ]
