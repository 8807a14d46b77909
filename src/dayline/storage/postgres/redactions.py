"""Redactions are not made on PostgreSQL yet: what asks for one is told so."""

from dayline.model.errors import NotFound, Unavailable
from dayline.model.redaction import Redaction, RedactionOrder, RedactionPreview


class PostgresRedactions:
    """The Redactions of a database: there are none."""

    async def preview(self, order: RedactionOrder) -> RedactionPreview:
        raise _missing()

    async def apply(self, order: RedactionOrder) -> Redaction:
        raise _missing()

    def all(self) -> list[Redaction]:
        return []

    async def undo(self, redaction_id: int) -> Redaction:
        raise NotFound(f"there is no redaction {redaction_id}")

    async def make_final(self, redaction_id: int) -> Redaction:
        raise NotFound(f"there is no redaction {redaction_id}")


def _missing() -> Unavailable:
    return Unavailable(
        "history is not redacted on PostgreSQL yet",
        hint="privacy rules hold for everything that arrives; events can be deleted by hand",
    )
