"""What a tenant's data is changed and read through."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Protocol, TypeAlias, TypeVar

from dayline.model.access import Once
from dayline.model.event import Event
from dayline.model.time import Microseconds
from dayline.model.upkeep.undo import JournalNote
from dayline.storage.engine.transaction import ReadTransaction, WriteTransaction
from dayline.storage.history.contract import HeartbeatDone, LineForm
from dayline.storage.operations.background import SlicePace

T = TypeVar("T")

Fence: TypeAlias = Callable[[WriteTransaction], None]  # raises StoreBusy if another server has taken over


class TenantWriter(Protocol):
    """Makes changes of one tenant's data, one transaction at a time.

    For a client's call it may carry idempotency tokens, which the first change uses.
    """

    def noted(self, note: JournalNote) -> "TenantWriter":
        """The writer for one call: the operations of its changes have this note."""
        ...

    def once(self, once: Once) -> "TenantWriter":
        """The writer for one call with an idempotency token."""
        ...

    @property
    def plain(self) -> "TenantWriter":
        """The writer without tokens, for work in many changes that can be repeated as a whole."""
        ...

    def heartbeat(self, bucket_id: str, beat: Event, pulsetime: Microseconds, done: HeartbeatDone) -> None:
        """Extend or append an event; `done` is called after the commit."""
        ...

    async def change(self, change: Callable[[WriteTransaction], T], *, rows: int = 1) -> T:
        """Run a change in a transaction; it may run more than once. If it raises, nothing is changed."""
        ...

    async def note(self, change: Callable[[WriteTransaction], None], *, rows: int) -> None:
        """Like `change`, for one that depends on no stored row: a damaged database writes it to its recovery file."""
        ...

    async def check_tokens(self) -> None:
        """Raise AlreadyDone if a token was used before."""
        ...

    async def use_tokens(self) -> None:
        """Mark the tokens as used, without any other change."""
        ...

    def new_pace(self) -> SlicePace:
        """A new pace for slices of long work."""
        ...

    def release(self, operation: int) -> None:
        """Give up this server's claim on an operation."""
        ...

    def lease(self) -> AbstractAsyncContextManager[Fence]:
        """Keep other servers from changing old events; waits for the one that does.

        Call the fence in every transaction, after locking buckets.
        """
        ...


class EventReader(Protocol):
    """Reads events, and counts them."""

    def event(self, bucket_id: str, event_id: int) -> Event:
        """One event, not clipped. Raises BucketNotFound or EventNotFound."""
        ...

    def events(
        self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None, limit: int | None
    ) -> Iterator[bytes]:
        """The events that overlap the closed range, newest first and clipped to it, as pages of comma-separated JSON.

        Events with equal start are ordered by id. `limit` keeps the newest. No transaction stays open between pages.
        """
        ...

    def whole_events(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> Iterator[bytes]:
        """Like `events`, but not clipped."""
        ...

    def exported_events(self, bucket_id: str) -> Iterator[bytes]:
        """All events, newest first, not clipped and without ids, as pages of comma-separated JSON.

        Events inserted after the first page are left out. No transaction stays open between pages.
        """
        ...

    def exported_lines(self, bucket_id: str, form: LineForm, head: str) -> Iterator[bytes]:
        """Like `exported_events`, as lines that start with `head`; a page does not end with a newline.

        `csv`: start, end, seconds, app, title, url and all data, each after a comma. `ndjson`: the members of a JSON
        object and its closing brace.
        """
        ...

    def count(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> int:
        """The number of events that overlap the closed range."""
        ...

    def counts(self, bucket_id: str, edges: Sequence[Microseconds]) -> list[int]:
        """The number of events that start between each pair of consecutive ascending `edges`."""
        ...


class TenantReaders(Protocol):
    def transaction(self) -> AbstractContextManager[ReadTransaction]: ...


class Exclusive(Protocol):
    """Admits one task per tenant at a time that relies on stored data objects."""

    def __call__(self) -> AbstractAsyncContextManager[None]: ...
