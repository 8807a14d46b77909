"""Commits a batch of changes in one transaction; a change that comes to an error fails alone."""

import logging
from time import perf_counter

import apsw

from dayline.model.errors import DaylineError, StoreBusy
from dayline.model.timestamps import now_us
from dayline.storage.faults import STORAGE_FAULTS, Fault
from dayline.storage.news import Told
from dayline.storage.sqlite.file.file_place import FilePlace
from dayline.storage.sqlite.writing.catalogue import BucketState, Catalogue
from dayline.storage.sqlite.writing.changes import Changes
from dayline.storage.sqlite.writing.items import Item
from dayline.storage.sqlite.writing.pace import Pace
from dayline.storage.sqlite.writing.values import Values

# An outcome for each item of a batch (its result, or the error that it alone came to), the buckets to publish, and
# what is wrong with the place of the file, if anything: then nobody knows whether the commit will last. Last, what
# there is to tell besides that something was recorded.
Written = tuple[list[object], set[BucketState], Fault | None, dict[Told, None]]

log = logging.getLogger(__name__)


class Batches:
    """The transactions of the writing connection, made on the event loop or on the writer's thread."""

    def __init__(self, db: apsw.Connection, place: FilePlace) -> None:
        self._db = db
        self._place = place
        self._values = Values(db)
        self._is_stale = False  # memory may hold what was rolled back
        # From the time, so that it goes on above what it was before a restart; commits take longer than a microsecond.
        self.revision = now_us()
        self.catalogue = Catalogue(db)
        self.pace = Pace()

    def move(self, db: apsw.Connection, place: FilePlace) -> None:
        """Go on with another file."""
        self._db, self._place, self._values, self._is_stale = db, place, Values(db), False
        self.catalogue.move(db)

    def write(self, batch: list[Item]) -> Written:
        """Commit the batch.

        Raises one of STORAGE_FAULTS, or an error for which no single change is known to be responsible; in both cases
        with nothing changed.
        """
        refused: dict[int, Exception] = {}
        while True:
            try:
                written = self._attempt(batch, refused)
            except _Refused as refusal:
                self._roll_back()
                refused[refusal.index] = refusal_of(batch[refusal.index], refusal.error)
            except BaseException:
                self._roll_back()
                raise
            else:
                return written

    def _attempt(self, batch: list[Item], refused: dict[int, Exception]) -> Written:
        outcomes: list[object] = []
        for item in batch:
            if item.before is not None:
                self._prepare(batch, refused)
                break
        self._db.execute("BEGIN IMMEDIATE")
        if self._is_stale:
            self._values.forget()
            self.catalogue.load()
            self._is_stale = False
        changes = Changes(self._db, self.catalogue, self._values)
        for index, item in enumerate(batch):
            if refused and index in refused:
                outcomes.append(refused[index])
                continue
            try:
                outcomes.append(item.apply(changes))
            except DaylineError as error:
                outcomes.append(error)
            except STORAGE_FAULTS:
                raise
            except Exception as error:
                raise _Refused(index, error) from error
        changes.finish()
        started = perf_counter()
        self._db.execute("COMMIT")
        ended = perf_counter()
        if changes.unseen < len(batch):
            self.revision += 1
        self.pace.note(started, ended)
        return outcomes, changes.touched, self._place.fault_after(ended), changes.told

    def _prepare(self, batch: list[Item], refused: dict[int, Exception]) -> None:
        """Run what changes need ahead of the transaction. One that fails is refused, and the others go ahead."""
        for index, item in enumerate(batch):
            if item.before is None or index in refused:
                continue
            try:
                item.before(self._db)
            except STORAGE_FAULTS as error:  # of a file that only this change needs
                refused[index] = StoreBusy(
                    f"a file that the change needs cannot be used: {error}", hint="nothing was stored; send it again"
                )
            except Exception as error:
                refused[index] = refusal_of(item, error)

    def _roll_back(self) -> None:
        self._is_stale = True
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")


def refusal_of(item: Item, error: Exception) -> Exception:
    """What a change is answered that failed with an unforeseen error."""
    if not item.is_held:
        return error
    log.error("a heartbeat could not be stored: %r", error, exc_info=error)
    return StoreBusy("the heartbeat could not be stored", hint="the server's log has the cause")


class _Refused(Exception):
    """One change of a batch went wrong in a way nobody foresaw."""

    def __init__(self, index: int, error: Exception) -> None:
        super().__init__(index)
        self.index = index
        self.error = error
