"""The copies that a merge makes of the events of its source, and how far it is."""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from dayline.model.time import EARLIEST, LATEST, Microseconds
from dayline.storage.columns.months import Span
from dayline.storage.engine.aliases import AliasTargets
from dayline.storage.engine.rows import EventRow, SelectedRow
from dayline.storage.engine.transaction import ReadTransaction, WriteTransaction
from dayline.storage.history.contract import EventPosition

_BEFORE_ALL: Final = -(2**62)
_ALWAYS: Final[Span] = (EARLIEST, LATEST)


class Merge(Struct, frozen=True, kw_only=True):
    """The detail of a merge: the target, the ids reserved for copies, and the progress of merging or undoing.

    `is_restoring`: the merge restores a deleted target that had the same id as the source. `is_new`: the target was
    created for the merge, and is deleted with it if nothing else was recorded there.
    """

    target: int
    other: str
    first: int
    count: int
    aliases: AliasTargets
    is_restoring: bool = False
    is_new: bool = False
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

    def after(self, page: Sequence[EventRow | SelectedRow], *, moved: int) -> "Merge":
        """The merge after a page of source events, of which `moved` were copied."""
        done, last = self.done + len(page), page[-1]
        return msgspec.structs.replace(self, done=done, moved=self.moved + moved, start=last.start, id=last.id)


class MergePair(Struct, frozen=True):
    """An event of the source, and the target's event with the id reserved for its copy.

    `is_same`: the copy is unchanged, except that heartbeats may have extended it.
    """

    original: EventRow
    copy: EventRow | None
    is_same: bool


def copy_events(tx: WriteTransaction, source: int, merge: Merge, *, rows: int) -> Merge | None:
    """Copy the next events of the source, except those that the target had before; None if there are no more."""
    target = tx.bucket_by_key(merge.target)
    assert target is not None, "the target of a merge cannot be deleted"
    page = _next_originals(tx, source, merge, rows=rows)
    if not page:
        return None
    existing = tx.events_at(merge.target, list(dict.fromkeys(event.start for event in page)))
    known = {(each.start, each.duration, each.json) for each in existing if not merge.first <= each.id <= merge.last}
    ids = range(merge.next, merge.next + len(page))
    new = [
        (event_id, event)
        for event_id, event in zip(ids, page, strict=True)
        if (event.start, event.duration, event.json) not in known
    ]
    # By the text: a value that a redaction has changed is copied as if it had been recorded so.
    values = tx.value_keys(target, dict.fromkeys(event.json.encode() for _, event in new))
    copies = [
        EventRow(merge.target, event.start, event_id, event.duration, values[event.json.encode()])
        for event_id, event in new
    ]
    tx.put_events(target, copies)
    return merge.after(page, moved=len(new))


def merge_pairs(tx: ReadTransaction, source: int, merge: Merge, *, rows: int) -> list[MergePair]:
    """The next events of the source, up to `rows`, each with its copy."""
    page = _next_originals(tx, source, merge, rows=rows)
    ids = range(merge.next, merge.next + len(page))
    copies = {copy.id: copy for copy in tx.selected_by_id(merge.target, list(ids), _ALWAYS, since=EARLIEST)}
    return [_pair(source, event, merge.target, copies.get(event_id)) for event_id, event in zip(ids, page, strict=True)]


def _next_originals(tx: ReadTransaction, source: int, merge: Merge, *, rows: int) -> list[SelectedRow]:
    after = EventPosition(merge.start, merge.id)
    return tx.selected_page(source, _ALWAYS, after, since=EARLIEST, is_newest_first=False, rows=rows)


def _pair(source: int, original: SelectedRow, target: int, copy: SelectedRow | None) -> MergePair:
    row = EventRow(source, original.start, original.id, original.duration, original.value)
    if copy is None:
        return MergePair(row, None, is_same=False)
    is_same = (copy.start, copy.json) == (original.start, original.json) and copy.duration >= original.duration
    return MergePair(row, EventRow(target, copy.start, copy.id, copy.duration, copy.value), is_same)
