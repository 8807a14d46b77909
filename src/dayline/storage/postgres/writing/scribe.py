"""The writer for one tenant's data; with a token, for one call that must not be made twice."""

from collections.abc import Callable
from typing import TypeVar

from dayline.model.audit import Once
from dayline.model.errors import AlreadyDone
from dayline.model.event import Event
from dayline.model.timestamps import Microseconds
from dayline.storage.base import HeartbeatDone
from dayline.storage.postgres.writing.groups import use_tokens
from dayline.storage.postgres.writing.turn import Turn
from dayline.storage.postgres.writing.writer import Writer

T = TypeVar("T")


class Scribe:
    """Its first change brings the tokens; what follows it belongs to the same call."""

    def __init__(self, writer: Writer, tenant: str, tokens: tuple[Once, ...] = ()) -> None:
        self._writer = writer
        self._tokens = tokens
        self.tenant = tenant

    def once(self, once: Once) -> "Scribe":
        return Scribe(self._writer, self.tenant, (*self._tokens, once))

    @property
    def plain(self) -> "Scribe":
        """The same without tokens: for work in many changes that may be repeated as a whole, see `check`."""
        return Scribe(self._writer, self.tenant)

    def heartbeat(self, bucket_id: str, beat: Event, pulsetime: Microseconds, done: HeartbeatDone) -> None:
        self._writer.heartbeat(self.tenant, bucket_id, beat, pulsetime, done, self._tokens)

    async def change(self, change: Callable[[Turn], T]) -> T:
        """Run a change in a transaction; it may run more than once. What it raises of our errors undoes all of it."""
        tokens = self._tokens
        if not tokens:
            return await self._writer.change(self.tenant, change)

        def change_once(turn: Turn) -> T:
            if not use_tokens(turn, tokens):
                raise AlreadyDone
            return change(turn)

        result = await self._writer.change(self.tenant, change_once)
        self._tokens = ()
        return result

    async def begin(self) -> None:
        """Use up the tokens now."""
        if self._tokens:
            await self.change(lambda turn: None)

    async def check(self) -> None:
        """Raise AlreadyDone where a token was used before. The next change keeps them."""
        names = [once.token for once in self._tokens]
        if names:
            await self._writer.change(self.tenant, lambda turn: _check(turn, names))


def _check(turn: Turn, names: list[str]) -> None:
    used = turn.db.execute("SELECT 1 FROM once WHERE tenant = %s AND token = ANY(%s)", (turn.tenant, names)).fetchone()
    if used is not None:
        raise AlreadyDone
