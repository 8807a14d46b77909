"""Whether this server should be sent anything: what a load balancer asks, again and again."""

import asyncio
from secrets import token_hex
from time import monotonic
from typing import Final

from dayline.model.audit import Once
from dayline.model.errors import DaylineError, StoreBusy, Unavailable
from dayline.model.timestamps import now_us
from dayline.storage.store import Database

_FRESH_S: Final = 1.0  # however many ask, it is tried no more often
_WAIT_S: Final = 2.0  # those who ask have little patience


class Readiness:
    """Made and used on the event loop. A file says by itself what is wrong with it; of a server it is tried.

    With `is_tried` something is written, because a fault shows only when somebody writes, and so does its end: a server
    that a balancer leaves alone would never find out that it can go on.
    """

    def __init__(self, database: Database, *, is_tried: bool) -> None:
        self._database = database
        self._is_tried = is_tried
        self._is_stopping = False
        self._trying: asyncio.Task[bool] | None = None
        self._tried = 0.0

    def stop(self) -> None:
        """Say from now on that others are to be asked."""
        self._is_stopping = True

    async def check(self) -> None:
        """Return if it is ready. Raises Unavailable, which tells strangers nothing of where the data are."""
        if not self._is_stopping and self._is_tried:
            await self._try()
        if self._is_stopping:
            raise Unavailable("the server is stopping", hint="ask another one")
        is_refused = self._trying is not None and not (self._trying.done() and self._trying.result())
        if is_refused or self._database.problems():
            raise StoreBusy("the database does not take writes at present", hint="/api/1/health says why")

    async def close(self) -> None:
        """Wait for what is being tried: it is refused when the database is told to hold nothing."""
        if self._trying is not None:
            await asyncio.wait([self._trying])

    async def _try(self) -> None:
        """Begin unless it was tried just now, and wait for a while, or not at all where it is known to fail."""
        is_over = self._trying is None or self._trying.done()
        if is_over and monotonic() - self._tried >= _FRESH_S:
            self._trying = asyncio.get_running_loop().create_task(self._takes_writes())
        if self._trying is not None and not self._database.problems():
            await asyncio.wait({self._trying}, timeout=_WAIT_S)

    async def _takes_writes(self) -> bool:
        token = Once(token=f"ready {token_hex(16)}", until=now_us())  # kept for nobody: the next one removes it
        try:
            await self._database.store().once(token).begin()
        except DaylineError:
            return False
        finally:
            self._tried = monotonic()
        return True
