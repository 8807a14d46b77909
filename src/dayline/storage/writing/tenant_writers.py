"""The writers of a tenant that both engines share: of one call, and of a database that is only read."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, Self, TypeVar

from dayline.model.access import Once
from dayline.model.errors import StoreBusy
from dayline.model.event import Event
from dayline.model.time import Microseconds
from dayline.model.upkeep.undo import JournalNote
from dayline.storage.engine.tenant import Fence, TenantWriter
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.history.contract import HeartbeatDone
from dayline.storage.operations.background import SlicePace

T = TypeVar("T")


class PlainWriter(TenantWriter, ABC):
    """A TenantWriter without tokens or a note."""

    @abstractmethod
    def heartbeat(
        self, bucket_id: str, beat: Event, pulsetime: Microseconds, done: HeartbeatDone, once: tuple[Once, ...] = ()
    ) -> None:
        """Extend or append an event, and store the tokens; `done` is called after the commit."""

    @property
    def plain(self) -> Self:
        return self

    def once(self, once: Once) -> "CallWriter":
        return CallWriter(self, (once,))

    def noted(self, note: JournalNote) -> "CallWriter":
        return CallWriter(self, (), note)

    def new_pace(self) -> SlicePace:
        return SlicePace()

    def lease(self) -> AbstractAsyncContextManager[Fence]:
        """Nothing to wait for: no other server can use the database."""
        return nullcontext(lambda tx: None)

    async def check_tokens(self) -> None:
        """Does nothing: there are no tokens."""

    async def use_tokens(self) -> None:
        """Does nothing: there are no tokens."""


class CallWriter:
    """The writer for one call. Its first change stores the tokens; the following ones belong to the same call.

    A change that fails stores no token: the call may be repeated. Operations have the note from the commit that adds
    them on.
    """

    def __init__(self, plain: PlainWriter, tokens: tuple[Once, ...], journal_note: JournalNote | None = None) -> None:
        self.plain = plain
        self.new_pace, self.release, self.note, self.lease = plain.new_pace, plain.release, plain.note, plain.lease
        self._tokens = tokens
        self._journal_note = journal_note

    def once(self, once: Once) -> "CallWriter":
        return CallWriter(self.plain, (*self._tokens, once), self._journal_note)

    def noted(self, note: JournalNote) -> "CallWriter":
        return CallWriter(self.plain, self._tokens, note)

    def heartbeat(self, bucket_id: str, beat: Event, pulsetime: Microseconds, done: HeartbeatDone) -> None:
        self.plain.heartbeat(bucket_id, beat, pulsetime, done, self._tokens)

    async def change(self, change: Callable[[WriteTransaction], T], *, rows: int = 1) -> T:
        tokens, note = self._tokens, self._journal_note

        def change_of_call(tx: WriteTransaction) -> T:
            if tokens:
                tx.check_tokens(tokens)
            first = len(tx.begun)
            result = change(tx)
            if note is not None:
                tx.note_operations(tx.begun[first:], note)
            if tokens:
                tx.keep_tokens(tokens)
            return result

        result = await self.plain.change(change_of_call, rows=rows)
        self._tokens = ()
        return result

    async def check_tokens(self) -> None:
        if self._tokens:
            await self.plain.change(lambda tx: tx.check_tokens(self._tokens))

    async def use_tokens(self) -> None:
        if self._tokens:
            await self.change(lambda tx: None)


class ReadOnlyWriter(PlainWriter):
    """Rejects every change."""

    def heartbeat(
        self, bucket_id: str, beat: Event, pulsetime: Microseconds, done: HeartbeatDone, once: tuple[Once, ...] = ()
    ) -> None:
        done(_refusal())

    async def change(self, change: Callable[[Any], T], **options: object) -> T:
        raise _refusal()

    async def note(self, change: Callable[[Any], None], *, rows: int) -> None:
        raise _refusal()

    def release(self, operation: int) -> None:
        """Does nothing: there are no claims."""


def _refusal() -> StoreBusy:
    return StoreBusy("the database is open for reading only", hint="start the server: dayline serve")
