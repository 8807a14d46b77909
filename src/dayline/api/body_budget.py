"""How many bytes of bodies the server holds for callers that have not proved yet who they are."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from dayline.model.errors import Unavailable

UNPROVEN_BYTES: Final = 64 << 20


class BodyBudget:
    """One for all of them: as many connections as they like share these bytes."""

    def __init__(self, limit: int = UNPROVEN_BYTES) -> None:
        self._limit = limit
        self._used = 0

    @contextmanager
    def held(self) -> "Generator[HeldBytes]":
        """Counts what one body takes, until the end of the block."""
        held = HeldBytes(self)
        try:
            yield held
        finally:
            self._used -= held.size

    def take(self, size: int) -> None:
        """Raise Unavailable if there is no room for so many more."""
        if self._used + size > self._limit:
            raise Unavailable("the server holds too many large messages at the moment", hint="send it again")
        self._used += size


class HeldBytes:
    """What one body has taken of a budget so far."""

    def __init__(self, budget: BodyBudget) -> None:
        self._budget = budget
        self.size = 0

    def add(self, size: int) -> None:
        """Take so many more. Raises Unavailable."""
        self._budget.take(size)
        self.size += size
