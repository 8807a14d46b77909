"""How many bytes of bodies the server holds for callers that have not proved yet who they are."""

from collections.abc import Callable, Generator
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
    def held(self) -> Generator[Callable[[int], None]]:
        """A function that takes bytes for one body until the block ends. It raises Unavailable if too few are left."""
        held = 0

        def hold(size: int) -> None:
            nonlocal held
            if self._used + size > self._limit:
                raise Unavailable("the server holds too many large messages at the moment", hint="send it again")
            self._used += size
            held += size

        try:
            yield hold
        finally:
            self._used -= held
