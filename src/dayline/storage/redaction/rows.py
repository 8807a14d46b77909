"""The steps of a redaction inside a write transaction, over the tables of an engine.

Every step can be repeated: it leaves alone what was done before. So work that was interrupted at any point, by a kill
or a full disk, starts again from the state in the table.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import Final, Protocol, TypeVar

from msgspec import Struct

from dayline.model.privacy.redaction import RedactionOrder, State
from dayline.model.time import Microseconds
from dayline.storage.engine.rows import BucketRow, EventRow, ValueText
from dayline.storage.engine.tables import Table
from dayline.storage.engine.tenant import Fence
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.redaction.records import Part, Planned, PlannedEvent, PlannedText, RedactionRecord


class StoredText(Struct, frozen=True, array_like=True):
    """The original text and hash of a value. `position` orders those of a part."""

    position: int
    bucket: int
    value: int
    hash: int
    json: str


_HASHES: Final = Table("value", ("hash",))
REDACTIONS: Final = Table("redaction", ("changed_events", "dropped_events"))


class _OfBucket(Protocol):
    @property
    def bucket(self) -> int: ...


B = TypeVar("B", bound=_OfBucket)


class RedactionRows(ABC):
    """`limit` is the maximum number of rows of a step.

    Steps that return a position or None are called with it again until they return None; those that return a bool are
    repeated while it is True. Each checks the lease after it has locked its buckets.
    """

    def __init__(self, transaction: WriteTransaction, fence: Fence) -> None:
        self.transaction = transaction
        self._fence = fence

    def check_lease(self) -> None:
        """Raise StoreBusy if another server has taken over."""
        self._fence(self.transaction)

    # Applying.

    def change_texts(self, part: Part, planned: Sequence[PlannedText]) -> None:
        """Give values their new texts, so that no lookup finds them, and store the old ones."""
        for bucket, texts in _by_bucket(planned):
            row = self._lock(bucket)
            if row is not None:
                stored = self.store_texts(part, bucket, [text.value for text in texts])
                new = [text for text in texts if text.value in stored]
                self._give_texts(row, new)
                self.count(part.redaction, events=sum(text.events for text in new))

    def lengthen_texts(self, planned: Sequence[PlannedText]) -> None:
        """Give values the texts that `change_texts` could not store without leaving copies of other texts."""
        for bucket, texts in _by_bucket(planned):
            row = self._lock(bucket)
            if row is not None:
                self._give_texts(row, texts)

    def drop_events(self, part: Part, planned: Sequence[PlannedEvent]) -> None:
        """Remove events of one bucket, and store them; not those that were removed or given other data since."""
        row = self._lock(planned[0].bucket)
        if row is not None:
            values = {event.id: event.value for event in planned}
            current = self.transaction.events_by_id(row.key, values)
            dropped = [event for event in current.values() if event.value == values[event.id]]
            if dropped:
                self.store_events(part, dropped)
                self.transaction.remove_events(row, dropped)
                self._notify(row)
                self.count(part.redaction, dropped=len(dropped))

    # Undoing. What is restored is forgotten in the same transaction.

    def restore_texts(self, part: Part, *, after: int, limit: int) -> int | None:
        """Give values their old texts back; lookups find them again unless another value has the hash by now."""
        stored = self.stored_texts(part, after=after, limit=limit)
        for bucket, texts in _by_bucket(stored):
            row = self._lock(bucket)
            if row is not None:
                taken = self.taken_hashes(bucket, {text.hash for text in texts})
                self.transaction.change_texts(row, list(_restored(texts, taken)))
        return self._forget_texts(part, stored)

    def restore_events(self, part: Part, *, limit: int) -> bool:
        """Add dropped events again, except those whose id a client has used since."""
        stored = self.stored_events(part, limit=limit)
        for bucket, events in _by_bucket(stored):
            row = self._lock(bucket)
            if row is not None:
                taken = self._taken_ids([event.id for event in events])
                self.transaction.put_events(row, [event for event in events if event.id not in taken])
                self._notify(row)
        return self._forget_events(part, stored)

    # Removing what was stored to undo it.

    def clear_events(self, part: Part, *, limit: int) -> bool:
        self.check_lease()
        return self._forget_events(part, self.stored_events(part, limit=limit))

    def clear_texts(self, part: Part, *, after: int, limit: int) -> int | None:
        self.check_lease()
        return self._forget_texts(part, self.stored_texts(part, after=after, limit=limit))

    def sweep(self, *, limit: int) -> bool:
        """Delete rows that are needed only while a redaction can be undone, if there is none left."""
        return False

    # The tables.

    @abstractmethod
    def records(self) -> list[RedactionRecord]:
        """Every redaction, the oldest first."""

    @abstractmethod
    def add(self, order: RedactionOrder, planned: Planned, *, now: Microseconds) -> int:
        """Add a redaction in state `applying` and return its key. Raises StoreBusy if the plan is gone."""

    def set_state(self, key: int, state: State, *, has_rest: bool = False) -> None:
        self.transaction.update(REDACTIONS, {"state": state, "has_rest": has_rest}, {"key": key})

    def count(self, key: int, *, events: int = 0, dropped: int = 0) -> None:
        """Add to the numbers of changed and dropped events."""
        [(changed_before, dropped_before)] = self.transaction.select(REDACTIONS, {"key": key}, lock="wait")
        counts = {"changed_events": changed_before + events, "dropped_events": dropped_before + dropped}
        self.transaction.update(REDACTIONS, counts, {"key": key})

    @abstractmethod
    def changed_buckets(self, key: int) -> list[int]:
        """The buckets of which texts are stored."""

    @abstractmethod
    def store_texts(self, part: Part, bucket: int, values: Sequence[int]) -> set[int]:
        """Store hashes and texts of values; returns those whose were not stored before."""

    @abstractmethod
    def stored_texts(self, part: Part, *, after: int, limit: int) -> list[StoredText]: ...

    @abstractmethod
    def forget_texts(self, part: Part, stored: Sequence[StoredText]) -> None:
        """Remove original texts, the first of a part."""

    def taken_hashes(self, bucket: int, hashes: Collection[int]) -> set[int]:
        """Those of some hashes that a value of the bucket has."""
        return {taken for (taken,) in self.transaction.select(_HASHES, {"bucket": bucket, "hash": list(hashes)})}

    @abstractmethod
    def store_events(self, part: Part, events: Sequence[EventRow]) -> None: ...

    @abstractmethod
    def stored_events(self, part: Part, *, limit: int) -> list[EventRow]:
        """The first by bucket, start and id."""

    @abstractmethod
    def forget_events(self, part: Part, stored: Sequence[EventRow]) -> None:
        """Remove stored events, the first of a part."""

    def _taken_ids(self, event_ids: Collection[int]) -> set[int]:
        """Those of some ids that an event of any bucket has."""
        self.transaction.take_event_ids(0)  # no other transaction takes ids until the commit
        return set(self.transaction.events_by_id(None, event_ids))

    def _lock(self, bucket: int) -> BucketRow | None:
        """A bucket, deleted or not; None if it was purged."""
        row = self.transaction.lock_any(bucket)
        self.check_lease()
        return row

    def _give_texts(self, row: BucketRow, texts: Sequence[PlannedText]) -> None:
        if texts:
            self.transaction.change_texts(row, [(text.value, text.json, text.value) for text in texts])

    def _notify(self, row: BucketRow) -> None:
        if self.transaction.bucket_by_key(row.key) is not None:
            self.transaction.notify(row.bucket.id, "changed")

    def _forget_texts(self, part: Part, stored: Sequence[StoredText]) -> int | None:
        if not stored:
            return None
        self.forget_texts(part, stored)
        return stored[-1].position

    def _forget_events(self, part: Part, stored: Sequence[EventRow]) -> bool:
        if stored:
            self.forget_events(part, stored)
        return bool(stored)


def _by_bucket(items: Iterable[B]) -> list[tuple[int, list[B]]]:
    """Items of each bucket, in the order of the keys of buckets, which is the order in which they are locked."""
    ordered = sorted(items, key=lambda item: item.bucket)
    return [(bucket, list(group)) for bucket, group in groupby(ordered, key=lambda item: item.bucket)]


def _restored(texts: Iterable[StoredText], taken: set[int]) -> Iterable[ValueText]:
    """The first value of each hash gets it back, the others have their own keys instead."""
    for text in texts:
        yield (text.value if text.hash in taken else text.hash), text.json, text.value
        taken.add(text.hash)
