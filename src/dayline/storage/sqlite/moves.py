"""Renaming, merging and rehosting the buckets of one file, and their aliases."""

from collections.abc import Callable
from copy import copy
from typing import TypeVar

from dayline.model.moves import Alias, Renamed
from dayline.model.timestamps import now_us
from dayline.storage.sqlite import aliases, renaming
from dayline.storage.sqlite.changes import Changes
from dayline.storage.sqlite.connection import ReaderPool
from dayline.storage.sqlite.once import OnceWriter
from dayline.storage.sqlite.trash import SqliteTrash
from dayline.storage.sqlite.writer import Writer

T = TypeVar("T")


class SqliteMoves:
    """The BucketMoves of one file."""

    def __init__(self, writer: Writer, readers: ReaderPool, trash: SqliteTrash) -> None:
        self._writer: Writer | OnceWriter = writer
        self._readers = readers
        self._trash = trash

    def through(self, writer: Writer | OnceWriter) -> "SqliteMoves":
        """The same for one call, whose first change brings a token."""
        moves = copy(self)
        moves._writer = writer
        return moves

    def aliases(self) -> list[Alias]:
        with self._readers.connection() as db:
            return aliases.all_aliases(db)

    async def remove_alias(self, alias: str) -> int:
        return await self._act(lambda changes: aliases.remove_alias(changes, alias, now=now_us()))

    async def rename(self, bucket_id: str, new_id: str, *, keeps_alias: bool = True) -> Renamed:
        def rename(changes: Changes) -> Renamed:
            state = changes.catalogue.find(bucket_id)
            former = state.bucket.id
            undo = renaming.rename_bucket(changes, state, new_id, keeps_alias=keeps_alias, now=now_us())
            others = aliases.aliases_of(changes.db, state.key)
            return Renamed(id=new_id, former_id=former, aliases=others, undo=undo)

        return await self._act(rename)

    async def _act(self, act: Callable[[Changes], T]) -> T:
        result = await self._writer.change(act)
        self._trash.look()
        return result
