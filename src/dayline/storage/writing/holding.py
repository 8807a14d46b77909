"""What both writers do while nothing can be committed: heartbeats wait, and other changes fail after a while.

Heartbeats wait because existing clients drop one on any error.
"""

import asyncio
import logging
from time import perf_counter
from typing import Any, Final, Generic, Protocol, TypeVar

T = TypeVar("T")

log = logging.getLogger(__name__)

HEARTBEATS_HELD: Final = 1000
GIVE_UP_S: Final = 10.0  # after this long, a change other than a heartbeat fails with 503
_RETRY_S: Final = (0.05, 0.1, 0.25, 0.5, 1.0)


class Answered(Protocol):
    """What waits for a commit."""

    def answer(self, outcome: Any) -> None:
        """Pass on the result, or the error."""
        ...


class PendingChange(Generic[T]):
    """A change other than a heartbeat, and the future of its result."""

    is_held = False

    def __init__(self, result: "asyncio.Future[T]") -> None:
        self.submitted = perf_counter()
        self._result = result

    def answer(self, outcome: Any) -> None:
        if self._result.done():  # the client has disconnected; the change is committed anyway
            return
        if isinstance(outcome, BaseException):
            self._result.set_exception(outcome)
        else:
            self._result.set_result(outcome)


def retry_delay(tries: int) -> float:
    """The seconds until the next attempt, after this many failed."""
    return _RETRY_S[min(tries, len(_RETRY_S) - 1)]


def is_late(submitted: float) -> bool:
    """Whether a change has waited long enough."""
    return perf_counter() - submitted > GIVE_UP_S


def answer(item: Answered, outcome: object) -> None:
    """Respond to an item. A defect of one caller must not block the others."""
    try:
        item.answer(outcome)
    except Exception:
        log.exception("A response failed")
