"""Redactions as they are stored, and what their plans consist of."""

from msgspec import Struct

from dayline.model.privacy.redaction import Redaction, RedactionPreview, State
from dayline.model.time import Microseconds


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


class Part(Struct, frozen=True, kw_only=True):
    """A part of a redaction that is worked on at once: one bucket, or all of them (None)."""

    redaction: int
    plan: str = ""
    bucket: int | None = None


class PlannedText(Struct, frozen=True, array_like=True):
    """A value and its new text; the text is empty data if its events are dropped. `events` counts those that stay."""

    bucket: int
    value: int
    json: str
    events: int


class PlannedEvent(Struct, frozen=True, array_like=True):
    """An event to be dropped, and the value that it had when it was read."""

    bucket: int
    start: Microseconds  # as the engine stores it
    id: int
    value: int
