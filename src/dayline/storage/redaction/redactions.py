"""Redactions as callers see them: privacy rules applied to stored events."""

from typing import Protocol

from dayline.model.privacy import Redaction, RedactionOrder, RedactionPreview


class Redactions(Protocol):
    """The redactions of one tenant.

    They are a stack: undo the newest first, make the oldest final first. An interrupted one resumes automatically.
    Events that arrive while rules are being applied are kept as they are.
    """

    async def preview(self, order: RedactionOrder) -> RedactionPreview:
        """What the rules would change, with samples. Changes nothing."""
        ...

    async def apply(self, order: RedactionOrder) -> Redaction:
        """Apply rules in short slices; returns when all of it is done."""
        ...

    def all(self) -> list[Redaction]:
        """Every redaction, the newest first. Call it on a thread."""
        ...

    async def undo(self, redaction_id: int) -> Redaction:
        """Restore ids, times and data of all changed events.

        Raises NotFound, Gone if it is final, Conflict if a newer one is not undone.
        """
        ...

    async def make_final(self, redaction_id: int) -> Redaction:
        """Remove the originals from the disk.

        Raises NotFound, Conflict if it was undone or an older one is not final.
        """
        ...
