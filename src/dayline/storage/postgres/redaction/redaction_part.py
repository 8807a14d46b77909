"""What a slice of a redaction is of."""

from typing import Final

from msgspec import Struct

from dayline.storage.postgres.redaction.redaction_owner import hold
from dayline.storage.postgres.writing.turn import Turn

SLICE_ROWS: Final = 500  # a heartbeat of the bucket waits for one slice at most

Place = tuple[int, int]  # an event's start and id


class Part(Struct, frozen=True, kw_only=True):
    """One bucket of a redaction, who goes on with it, and its plan; none where it is not being applied."""

    redaction: int
    owner: str
    bucket: int
    plan: int | None = None

    def place(self, turn: Turn) -> dict[str, object]:
        """The same, as SQL has to know it."""
        return {"tenant": turn.tenant, "redaction": self.redaction, "plan": self.plan, "bucket": self.bucket}

    def hold(self, turn: Turn) -> None:
        """Raise StoreBusy where another server has taken over. The bucket is locked by then."""
        hold(turn, self.owner)
