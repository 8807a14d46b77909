"""The progress of a merge of two buckets."""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from dayline.model.time import Microseconds
from dayline.storage.engine.aliases import AliasTargets
from dayline.storage.engine.rows import EventRow

_BEFORE_ALL: Final = -(2**62)


class Merge(Struct, frozen=True, kw_only=True):
    """The detail of a merge: the target, the ids reserved for copies, and the progress of merging or undoing.

    `is_restoring`: the merge restores a deleted target that had the same id as the source.
    """

    target: int
    other: str
    first: int
    count: int
    aliases: AliasTargets
    is_restoring: bool = False
    moved: int = 0
    done: int = 0
    start: Microseconds = _BEFORE_ALL
    id: int = 0

    @property
    def last(self) -> int:
        return self.first + self.count - 1

    @property
    def next(self) -> int:
        """The id of the next copy."""
        return self.first + self.done

    @property
    def beginning(self) -> "Merge":
        """The merge with its progress reset."""
        return msgspec.structs.replace(self, done=0, moved=0, start=_BEFORE_ALL, id=0)

    def after(self, page: "Sequence[MergePair]", *, moved: int) -> "Merge":
        """The merge after a page of source events, of which `moved` were copied."""
        last = page[-1].original
        return msgspec.structs.replace(
            self, done=self.done + len(page), moved=self.moved + moved, start=last.start, id=last.id
        )


class MergePair(Struct, frozen=True):
    """An event of the source, and the target's event with the id reserved for its copy.

    `is_same`: the copy is unchanged, except that heartbeats may have extended it.
    """

    original: EventRow
    copy: EventRow | None
    is_same: bool
