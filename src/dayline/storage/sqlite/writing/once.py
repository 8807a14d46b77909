"""Changes that must not be made twice: their token is kept in their own transaction."""

from collections.abc import Callable
from typing import TypeVar

from dayline.model.audit import Once
from dayline.model.event import Event
from dayline.model.timestamps import Microseconds
from dayline.storage.base import HeartbeatDone
from dayline.storage.sqlite.writing.catalogue import Catalogue
from dayline.storage.sqlite.writing.changes import Changes
from dayline.storage.sqlite.writing.items import BetweenCommits
from dayline.storage.sqlite.writing.tokens import check_once, keep_once
from dayline.storage.sqlite.writing.writer import Writer

T = TypeVar("T")


class OnceWriter:
    """The writer for one call. Its first change brings the token; what follows it belongs to the same call.

    A change that is refused keeps no token: the same call may be made again when the reason is gone.
    """

    def __init__(self, writer: "Writer | OnceWriter", once: Once) -> None:
        self._writer = writer
        self._once: Once | None = once

    @property
    def catalogue(self) -> Catalogue:
        return self._writer.catalogue

    @property
    def revision(self) -> int:
        return self._writer.revision

    def heartbeat(
        self, bucket_id: str, beat: Event, pulsetime: Microseconds, done: HeartbeatDone, once: tuple[Once, ...] = ()
    ) -> None:
        mine = () if self._once is None else (self._once,)
        self._writer.heartbeat(bucket_id, beat, pulsetime, done, (*mine, *once))

    async def change(self, change: Callable[[Changes], T], *, rows: int = 1, before: BetweenCommits | None = None) -> T:
        once = self._once
        if once is None:
            return await self._writer.change(change, rows=rows, before=before)

        def change_once(changes: Changes) -> T:
            check_once(changes, once)
            result = change(changes)
            keep_once(changes, once)
            return result

        result = await self._writer.change(change_once, rows=rows, before=before)
        self._once = None
        return result

    @property
    def plain(self) -> Writer:
        """The writer without tokens: for work in many changes that may be repeated as a whole, see `check`."""
        return self._writer.plain if isinstance(self._writer, OnceWriter) else self._writer

    async def check(self) -> None:
        """Raise AlreadyDone where the token was used before. `change` keeps it when the work is done."""
        once = self._once
        if once is not None:
            await self.plain.change(lambda changes: check_once(changes, once))
        if isinstance(self._writer, OnceWriter):
            await self._writer.check()

    async def between_commits(self, action: BetweenCommits) -> None:
        await self._writer.between_commits(action)
