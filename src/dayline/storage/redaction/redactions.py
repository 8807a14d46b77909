"""What every backend promises about redactions: privacy rules applied to what is stored already."""

from typing import Protocol

from dayline.model.privacy import Redaction, RedactionOrder, RedactionPreview


class Redactions(Protocol):
    """History changed by rules, one change after the other.

    They lie on top of each other: the newest is undone first, the oldest made final first. One that was interrupted
    goes on by itself. Events that arrive meanwhile are not lost, and not covered.
    """

    async def preview(self, order: RedactionOrder) -> RedactionPreview:
        """What the rules would change, with samples. Changes nothing."""
        ...

    async def apply(self, order: RedactionOrder) -> Redaction:
        """Change history, in short slices. Answers when it is done."""
        ...

    def all(self) -> list[Redaction]:
        """Every redaction, the newest first. Read on a thread."""
        ...

    async def undo(self, redaction_id: int) -> Redaction:
        """Restore ids, times and data of all it changed. Raises NotFound, Gone when final, Conflict below another."""
        ...

    async def make_final(self, redaction_id: int) -> Redaction:
        """Remove the originals from the disk. Raises NotFound, Conflict when undone or above one that is not final."""
        ...
