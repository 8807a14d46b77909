"""What an engine provides for redactions: its tables, and its plans.

redactions.py work.py lifecycle.py rows.py planner.py      states, steps and their order, error texts
──── this module, RedactionRows and StoredValues ────
sqlite/redaction/ postgres/redaction/                      SQL, where plans are stored
"""

from collections.abc import Iterator
from typing import Protocol

from dayline.model.privacy.redaction import RedactionOrder
from dayline.storage.engine.tenant import Fence
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.redaction.records import Part, Planned, PlannedEvent, PlannedText, RedactionRecord
from dayline.storage.redaction.rows import RedactionRows


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
        """The parts of a plan; None if the plan is gone."""
        ...

    def changed_parts(self, key: int) -> list[Part]:
        """The parts of which something is stored to undo a redaction."""
        ...

    def planned_texts(self, part: Part) -> Iterator[list[PlannedText]]:
        """Values to be changed."""
        ...

    def longer_texts(self, part: Part) -> Iterator[list[PlannedText]]:
        """Values that got other texts at first, because their new ones would have left copies of others."""
        ...

    def planned_events(self, part: Part) -> Iterator[list[PlannedEvent]]:
        """Events to be dropped, in pages of one bucket and month."""
        ...


class RedactionEngine(Protocol):
    """The redactions of one tenant in one engine."""

    @property
    def reads(self) -> RedactionReads: ...

    async def plan(self, order: RedactionOrder, *, is_preview: bool) -> Planned:
        """Compare every value with the rules, in a separate process. Raises Unavailable, with nothing changed."""
        ...

    async def forget_plan(self, plan: str, fence: Fence) -> None:
        """Remove a plan that is done or that no redaction uses."""
        ...

    def rows(self, tx: WriteTransaction, fence: Fence) -> RedactionRows: ...

    async def clear_derived(self, part: Part) -> None:
        """Remove what was derived from the values of a part, while it is still known which ones these are."""
        ...

    async def erase_copies(self) -> None:
        """Remove copies of texts that were removed from the tables: free pages, logs, derived files."""
        ...
