"""What an engine provides for redactions: its tables, its plans, and who may work on them.

    lifecycle.py work.py redactions.py      states, order of the steps, error texts
    ──────────────── this module ────────────────
    sqlite/redaction/ postgres/redaction/          SQL, locks, where plans are stored

Every step can be repeated: it leaves alone what was done before. So work that was interrupted at any point, by a kill
or a full disk, starts again from the state in the table.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Protocol, TypeAlias, TypeVar

from msgspec import Struct

from dayline.model.privacy.redaction import Redaction, RedactionOrder, RedactionPreview, State
from dayline.model.time import Microseconds
from dayline.storage.engine import TenantWriter, WriteTransaction
from dayline.storage.operations.background import SlicePace

T = TypeVar("T")

Lease: TypeAlias = str  # the name under which a server works on redactions
EventKey: TypeAlias = tuple[int, int, int]  # bucket, start as the engine stores it, id


class Planned(Struct, frozen=True, kw_only=True):
    """What rules would change, and the name of the plan; a preview has none."""

    preview: RedactionPreview
    plan: str = ""


class RedactionRecord(Struct, frozen=True, kw_only=True):
    """A redaction as it is stored. `has_rest`: it is final, but originals are still to be removed."""

    redaction: Redaction
    made: Microseconds
    has_rest: bool
    plan: str

    @property
    def state(self) -> State:
        return self.redaction.state

    @property
    def is_open(self) -> bool:
        """Whether it can be undone."""
        return self.state in ("applying", "applied", "undoing")

    @property
    def is_unfinished(self) -> bool:
        """Whether it is being worked on or was interrupted."""
        return self.state in ("applying", "undoing") or self.has_rest


class Counts(Struct, frozen=True, array_like=True):
    """What a redaction changed."""

    values: int
    events: int
    dropped: int


class Part(Struct, frozen=True, kw_only=True):
    """A part of a redaction that is worked on at once: one bucket, or all of them (None)."""

    redaction: int
    plan: str = ""
    bucket: int | None = None


class RedactionReads(Protocol):
    """Reads of the tables, each in short transactions. Call them on a thread."""

    def records(self) -> list[RedactionRecord]:
        """Every redaction, the oldest first."""
        ...

    def abandoned_plans(self) -> list[str]:
        """Plans that no redaction uses. On SQLite also one that is being made: call it while no plan is being made."""
        ...

    def is_leased(self) -> bool:
        """Whether a server works on redactions now, as far as other servers can see it."""
        ...

    def planned_parts(self, key: int, plan: str) -> list[Part] | None:
        """What is left to apply; None if the plan is gone."""
        ...

    def changed_parts(self, key: int) -> list[Part]:
        """The parts of which something is stored to undo a redaction."""
        ...

    def planned_events(self, part: Part) -> Iterator[list[EventKey]]:
        """Events to be dropped, in pages of one bucket and month."""
        ...

    def counts(self, key: int, plan: str) -> Counts:
        """What was changed. All steps are done, and the plan still exists."""
        ...


class RedactionRows(Protocol):
    """The tables inside a write transaction. `limit` is the maximum number of rows of a step.

    Steps that return a position or None are called with it again until they return None; those that return a bool are
    repeated while it is True.
    """

    @property
    def transaction(self) -> WriteTransaction: ...

    # The redaction itself.

    def records(self) -> list[RedactionRecord]:
        """Every redaction, the oldest first."""
        ...

    def add(self, order: RedactionOrder, planned: Planned, *, now: Microseconds) -> int:
        """Add a redaction in state `applying` and return its key. Raises StoreBusy if the plan is gone."""
        ...

    def changed_buckets(self, key: int) -> list[int]:
        """The buckets of which something is stored to undo a redaction."""
        ...

    def set_state(self, key: int, state: State, *, has_rest: bool = False) -> None: ...

    def set_counts(self, key: int, counts: Counts, *, operation: int | None) -> None:
        """Also those of the operation that undoes it."""
        ...

    # Applying.

    def change_texts(self, part: Part, *, after: int, limit: int) -> int | None:
        """Give values their new texts, so that no lookup finds them, and store the old ones.

        A value whose events are dropped is emptied.
        """
        ...

    def lengthen_texts(self, part: Part, *, after: int, limit: int) -> int | None:
        """Give values the new texts that `change_texts` could not store without leaving copies of other texts."""
        ...

    def drop_events(self, part: Part, events: Sequence[EventKey]) -> None:
        """Remove events, and store them. They are of one bucket and month."""
        ...

    # Undoing. What is restored is forgotten in the same transaction.

    def restore_texts(self, part: Part, *, after: int, limit: int) -> int | None:
        """Give values their old texts back; lookups find them again unless another value has the text by now."""
        ...

    def restore_events(self, part: Part, *, limit: int) -> bool:
        """Add dropped events again, except those whose id a client has used since."""
        ...

    # Removing what was stored to undo it.

    def forget_events(self, part: Part, *, limit: int) -> bool: ...

    def forget_values(self, part: Part, *, after: int, limit: int) -> int | None:
        """Remove the original texts."""
        ...

    def sweep(self, *, limit: int) -> bool:
        """Delete rows that are needed only while a redaction can be undone, if there is none left."""
        ...


class DerivedData(Protocol):
    def redaction_under_way(self) -> AbstractContextManager[None]:
        """Build nothing that would be outdated at once."""
        ...


class RedactionEngine(Protocol):
    """The redactions of one tenant in one engine."""

    @property
    def reads(self) -> RedactionReads: ...

    def lease(self) -> AbstractAsyncContextManager[Lease]:
        """Keep other servers from working on redactions. Waits for the one that does."""
        ...

    async def plan(self, order: RedactionOrder, *, is_preview: bool) -> Planned:
        """Compare every value with the rules, in a separate process. Raises Unavailable, with nothing changed."""
        ...

    async def forget_plan(self, plan: str, lease: Lease) -> None:
        """Remove a plan that is done or that no redaction uses."""
        ...

    async def release_plan(self) -> None:
        """Close what the steps of applying have opened."""
        ...

    async def change(
        self,
        change: Callable[[RedactionRows], T],
        lease: Lease,
        *,
        rows: int = 1,
        plan: str = "",
        writer: TenantWriter | None = None,
    ) -> T:
        """Run a change in a transaction; `plan` is one that it reads, `writer` one with idempotency tokens.

        Raises StoreBusy if the lease was lost.
        """
        ...

    async def clear_derived(self, part: Part) -> None:
        """Remove what was derived from the values of a part, while it is still known which ones these are."""
        ...

    async def erase_copies(self) -> None:
        """Remove copies of texts that were removed from the tables: free pages, logs, derived files."""
        ...

    def new_pace(self) -> SlicePace: ...
