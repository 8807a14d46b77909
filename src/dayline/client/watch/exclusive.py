"""Only one watcher records into a bucket: Dayline's starts if no other one does, and gives way to one that does."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from dayline.model.time import SECOND, Microseconds

# The watchers of ActivityWatch send what they merge after 10 seconds at the latest.
_FREE_AFTER: Final[Microseconds] = 15 * SECOND
_FREE_AGAIN_AFTER: Final[Microseconds] = 60 * SECOND  # once another watcher was seen
_TOLERANCE: Final[Microseconds] = SECOND

State: TypeAlias = Literal["checking", "recording", "quiet"]


class Span(Struct, frozen=True):
    """When something was true."""

    start: Microseconds
    end: Microseconds


class BucketGuard:
    """Decides whether to record into a bucket.

    checking    the newest event is recent: another watcher may be recording. Heartbeats are stored, not sent
    recording   no other watcher extended the bucket although there was something to record
    quiet       another watcher records. Heartbeats are discarded
    """

    def __init__(self) -> None:
        self.state: State = "checking"
        self._first: Span | None = None
        self._later: Span | None = None

    def check(self, newest: Span | None, observed: Span | None) -> State:
        """The new state. `newest` is the bucket's newest event.

        `observed` is what this watcher would record as its newest event, and was read after `newest`.
        """
        if observed is None:
            return self.state
        match self.state:
            case "checking":
                if newest is None or observed.end > newest.end + _FREE_AFTER:
                    self.state = "recording"
                elif self._first is not None and newest != self._first:
                    self.state = "quiet"
                self._first = newest
            case "recording":
                if newest is not None and self._is_of_another(newest, observed):
                    self.state = "quiet"
            case "quiet":
                if newest is None or observed.end > newest.end + _FREE_AGAIN_AFTER:
                    self.state = "recording"
        return self.state

    def _is_of_another(self, newest: Span, observed: Span) -> bool:
        """Whether another watcher must have recorded the bucket's newest event."""
        if newest.end > observed.end + _TOLERANCE:
            return True
        # One event that begins later may be an edited one; a second one is not.
        before, self._later = self._later, newest if newest.start > observed.start + _TOLERANCE else None
        return before is not None and self._later is not None and before.start != newest.start
