"""Settings and annotations that devices share, read and changed with the state that sync has of them.

A change of a setting or annotation and the state about it are in one transaction, so none is lost or applied twice.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, TypeVar

from dayline.model.data import CanonicalJson
from dayline.model.edits.annotation import ANNOTATIONS_BUCKET, annotations_bucket
from dayline.model.errors import BucketExists, BucketNotFound
from dayline.model.event import Event
from dayline.model.settings.history import HistoryFilter, Owner, SettingChange
from dayline.model.time import EARLIEST, LATEST, Microseconds
from dayline.model.upkeep.undo import JournalNote
from dayline.storage.engine.access import SettingKind
from dayline.storage.engine.tenant import TenantReaders, TenantWriter
from dayline.storage.engine.transaction import ReadTransaction, WriteTransaction
from dayline.storage.history.contract import EventPosition
from dayline.storage.history.edits import delete_event
from dayline.storage.operations.claims import check_idle

ITEMS_KEY: Final = "sync.items"
_PAGE: Final = 2000  # events
_KINDS: Final[Mapping[Owner, SettingKind]] = {"own": "own_setting", "client": "setting"}

T = TypeVar("T")


class ItemReads:
    """Settings, annotations and the state, as one transaction sees them."""

    def __init__(self, tx: ReadTransaction) -> None:
        self._read = tx

    def state(self) -> CanonicalJson | None:
        """What `keep` stored last."""
        return self._read.setting_values("own_setting", [ITEMS_KEY]).get(ITEMS_KEY)

    def settings(self, of: Owner) -> dict[str, CanonicalJson]:
        """All settings, by key."""
        return self._read.setting_values(_KINDS[of])

    def last_change(self, of: Owner, key: str) -> SettingChange | None:
        """The last change of a setting."""
        changes = self._read.setting_history(_KINDS[of], HistoryFilter(key=key, limit=1))
        return changes[0] if changes else None

    def annotations(self) -> list[Event]:
        """The events of the bucket of annotations, ordered by start."""
        try:
            key = self._read.bucket_key(ANNOTATIONS_BUCKET)
        except BucketNotFound:
            return []
        annotations: list[Event] = []
        after, span = EventPosition(EARLIEST, 0), (EARLIEST, LATEST)
        while True:
            rows = self._read.selected_page(key, span, after, since=EARLIEST, is_newest_first=False, rows=_PAGE)
            annotations += (row.event for row in rows)
            if len(rows) < _PAGE:
                return annotations
            after = rows[-1].position


class ItemWrites(ItemReads):
    """The same in a transaction that changes them."""

    def __init__(self, tx: WriteTransaction) -> None:
        super().__init__(tx)
        self._tx = tx

    def set_setting(self, of: Owner, key: str, value: CanonicalJson | None, *, now: Microseconds) -> int:
        """Store a setting, or delete it; returns the number of the change. The former value stays in the history."""
        self._tx.change_settings(_KINDS[of], {key: value}, now=now)
        change = self.last_change(of, key)
        return 0 if change is None else change.number

    def put_annotation(self, event: Event, *, now: Microseconds) -> int:
        """Add an annotation, or replace the one with its id; returns the id. It can be undone."""
        if not self._tx.find_all([ANNOTATIONS_BUCKET]):
            with suppress(BucketExists):  # another server created it first
                self._tx.create_bucket(annotations_bucket(now))
        inserted = self._tx.insert(ANNOTATIONS_BUCKET, [event], now=now, is_logged=True)
        return inserted.events[0].id

    def delete_annotation(self, event_id: int, *, now: Microseconds) -> None:
        """Move an annotation to the trash."""
        delete_event(self._tx, ANNOTATIONS_BUCKET, event_id, now=now)

    def keep(self, state: CanonicalJson) -> None:
        """Store the state."""
        self._tx.keep_unlogged({ITEMS_KEY: state})


class SharedItems:
    """The part of a store that shares settings and annotations."""

    def __init__(self, writer: TenantWriter, readers: TenantReaders) -> None:
        self._writer = writer
        self._readers = readers

    def read(self, look: Callable[[ItemReads], T]) -> T:
        """Call it on a thread."""
        with self._readers.transaction() as tx:
            return look(ItemReads(tx))

    async def change(
        self, change: Callable[[ItemWrites], T], *, by: str = "", group: str = "", rows: int = 1
    ) -> T:  # fmt: skip
        """Change items in one transaction; it may run more than once. `by` and `group` are for the list of changes.

        Raises Conflict if an operation works on the annotations.
        """

        def run(tx: WriteTransaction) -> T:
            rows = tx.find_all([ANNOTATIONS_BUCKET])  # locked first, as everywhere
            check_idle(tx, [row.key for row in rows.values()])
            tx.lock_settings()
            return change(ItemWrites(tx))

        return await self._writer.noted(JournalNote(by=by, group=group)).change(run, rows=rows)
