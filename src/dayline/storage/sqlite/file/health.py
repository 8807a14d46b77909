"""Whether the file can be written: the state of its last fault, and whether it is still the file at its path."""

import logging
import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Final

import apsw

from dayline.model.errors import StoreBusy
from dayline.model.health import Problem
from dayline.model.time import Microseconds, format_timestamp
from dayline.storage.disk_faults import Fault, fault_of, out_of_reach, replaced, vanished

# Whether the open files are still those at their path.
#
# A file that was removed, or whose disk was taken away, takes writes for as long as somebody has it open, and they are
# lost with it. So the place is looked at with every commit, before that is answered: that of the log, which takes the
# commit, each time, and that of all files every 50 ms. Each costs a call of the system's, some 2 µs.


_FILES: Final = ("", "-wal", "-shm")  # all three stay the same for as long as a database is open
_LOG: Final = 1
_EVERY_S: Final = 0.05

_Identity = tuple[int, int]


class FilePlace:
    """The place of a database that is open. What is there at the first look counts as its files."""

    def __init__(self, database: Path) -> None:
        self._files = [f"{database}{suffix}" for suffix in _FILES]
        self._known: list[_Identity | None] = [None, None, None]
        self._looked = 0.0
        self._remark = self.fault()

    def fault_after(self, commit: float) -> Fault | None:
        """What is wrong after a commit that ended at this time of the performance counter."""
        if commit - self._looked < _EVERY_S:
            try:
                found = os.stat(self._files[_LOG])
            except OSError:
                return self.fault()
            if (found.st_dev, found.st_ino) == self._known[_LOG]:
                return self._remark
        self._looked = commit
        self._remark = self.fault()
        return self._remark

    def fault(self) -> Fault | None:
        """What is wrong with the place; None where everything is as it was. `is_gone` tells how bad it is."""
        for index, file in enumerate(self._files):
            known = self._known[index]
            try:
                found = os.stat(file)
            except FileNotFoundError:
                if known is None:
                    continue
                return vanished(Path(file))
            except PermissionError:
                return out_of_reach(Path(file))
            except OSError:
                # The disk is gone in some other way, say, a network that is down.
                return vanished(Path(file))
            identity = (found.st_dev, found.st_ino)
            if known is None:
                self._known[index] = identity
            elif known != identity:
                return replaced(Path(file))
        return None


def is_gone(fault: Fault | None) -> bool:
    """Whether what is written now would be lost."""
    return fault is not None and fault.kind == "vanished"


# What keeps the file from taking writes at present: told once when it begins, and once when it is over.
#
# On a disk that is all but full a small commit may find room where a large one did not. So it is over only when no try
# has failed for a while.


_TELL_A_NUMBER: Final = (apsw.IOError, apsw.CantOpenError)  # with others it is that of an error before

CALM_S: Final = 2.0  # longer than tries are apart

log = logging.getLogger(__name__)


class Trouble:
    """The state of the writer's file. It is changed on the event loop, and read from anywhere."""

    def __init__(self, database: Path, *, clock: Callable[[], Microseconds]) -> None:
        self._database = database
        self._clock = clock
        self._since: Microseconds = 0
        self._good_since: float | None = None  # by the clock that is never set
        self.tries = 0  # in a row that could not be committed
        self.fault: Fault | None = None
        self.remark: Fault | None = None  # something is wrong, and writes are taken all the same

    @property
    def is_gone(self) -> bool:
        return self.fault is not None and self.fault.kind == "vanished"

    def of(self, error: Exception, db: apsw.Connection) -> Fault:
        """What an error means that a commit came to."""
        return fault_of(error, self._database, number=db.system_errno if isinstance(error, _TELL_A_NUMBER) else 0)

    def note(self, fault: Fault) -> None:
        """A try has failed."""
        if self.fault is None:
            self._since = self._clock()
        if self.fault is None or self.fault.kind != fault.kind:
            log.error(
                "cannot write to the database: %s; heartbeats are held", fault.message, extra={"hint": fault.hint}
            )
        self.tries += 1
        self.fault = fault
        self._good_since = None

    def ease(self) -> None:
        """A try has succeeded."""
        self.tries = 0
        if self._good_since is None:
            self._good_since = monotonic()
        self.settle()

    def settle(self) -> None:
        """See whether it may be called over."""
        if self._good_since is not None and monotonic() - self._good_since >= CALM_S:
            self.over()

    def over(self) -> None:
        """The file takes writes."""
        if self.fault is not None:
            log.warning("the database takes writes again", extra={"was": self.fault.message})
        self.fault = self._good_since = None
        self.tries = 0

    def mark(self, fault: Fault | None) -> None:
        """Note something that is wrong with the place, though it does not stop anything."""
        if fault is not None and self.remark is None:
            log.warning("%s", fault.message, extra={"hint": fault.hint})
        elif fault is None and self.remark is not None:
            log.warning("the place of the database is as it was")
        self.remark = fault

    def refusal(self, *, is_closing: bool) -> StoreBusy:
        """What a change is told that cannot be written."""
        if is_closing:
            return StoreBusy("the server is stopping", hint="send it again when it is back")
        if self.fault is not None:
            return self.fault.to_error()
        return StoreBusy(
            "the database cannot be written at present: the disk does not answer",
            hint="nothing was stored; send it again",
        )

    def problems(self, *, held: int) -> list[Problem]:
        """What health says of it."""
        found: list[Problem] = []
        fault, remark = self.fault, self.remark
        if fault is not None:
            waiting = "1 heartbeat is held" if held == 1 else f"{held:,} heartbeats are held"
            message = f"{fault.message}; {waiting}, other changes are refused"
            since = format_timestamp(self._since)
            found.append(Problem(kind=fault.problem_kind, message=message, hint=fault.hint, since=since))
        if remark is not None:
            found.append(Problem(kind="disk", message=remark.message, hint=remark.hint))
        return found
