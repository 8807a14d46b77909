"""Whether the file can be written: its last fault, and whether it is still the file at its path."""

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
from dayline.storage.disk_faults import Fault, removed_fault
from dayline.storage.sqlite.file.faults import fault_of, replaced_fault, unreachable_fault

# A file that was removed, or whose disk was unmounted, accepts writes while it is open, and they are lost when it is
# closed. So the path is checked with every commit before it is acknowledged: that of the log each time, those of all
# files every 50 ms. A check is one system call of about 2 µs.


_FILES: Final = ("", "-wal", "-shm")  # all three stay the same while a database is open
_LOG: Final = 1
_EVERY_S: Final = 0.05

_Identity = tuple[int, int]


class FilePaths:
    """Checks the paths of an open database. The files found by the first check count as its own."""

    def __init__(self, database: Path) -> None:
        self._files = [f"{database}{suffix}" for suffix in _FILES]
        self._known: list[_Identity | None] = [None, None, None]
        self._looked = 0.0
        self._remark = self.fault()

    def fault_after(self, commit: float) -> Fault | None:
        """The fault after a commit that ended at this time of the performance counter."""
        if commit - self._looked < _EVERY_S:
            try:
                status = os.stat(self._files[_LOG])
            except OSError:
                return self.fault()
            if (status.st_dev, status.st_ino) == self._known[_LOG]:
                return self._remark
        self._looked = commit
        self._remark = self.fault()
        return self._remark

    def fault(self) -> Fault | None:
        """The current fault of the paths, or None; see `is_gone`."""
        for index, file in enumerate(self._files):
            known = self._known[index]
            try:
                status = os.stat(file)
            except FileNotFoundError:
                if known is None:
                    continue
                return removed_fault(Path(file))
            except PermissionError:
                return unreachable_fault(Path(file))
            except OSError:
                # The disk is gone in some other way; a network file system may be down.
                return removed_fault(Path(file))
            identity = (status.st_dev, status.st_ino)
            if known is None:
                self._known[index] = identity
            elif known != identity:
                return replaced_fault(Path(file))
        return None


def is_gone(fault: Fault | None) -> bool:
    """Whether writes would be lost."""
    return fault is not None and fault.kind == "vanished"


# The state of write faults, logged once when it starts and once when it ends. On an almost full disk a small commit may
# succeed where a large one failed, so a fault is over only when no attempt has failed for a while.


_HAVE_ERRNO: Final = (apsw.IOError, apsw.CantOpenError)  # with other errors it is a stale errno

CALM_S: Final = 2.0  # longer than the interval between attempts

log = logging.getLogger(__name__)


class FaultState:
    """Whether the writer's file can be written. Changed on the event loop, read from any thread."""

    def __init__(self, database: Path, *, clock: Callable[[], Microseconds]) -> None:
        self._database = database
        self._clock = clock
        self._since: Microseconds = 0
        self._good_since: float | None = None  # monotonic time
        self.tries = 0  # consecutive failed attempts
        self.fault: Fault | None = None
        self.warning: Fault | None = None  # a fault that does not prevent writes

    @property
    def is_gone(self) -> bool:
        return self.fault is not None and self.fault.kind == "vanished"

    def of(self, error: Exception, db: apsw.Connection) -> Fault:
        """The fault behind an error of a commit."""
        return fault_of(error, self._database, number=db.system_errno if isinstance(error, _HAVE_ERRNO) else 0)

    def note(self, fault: Fault) -> None:
        """Record a failed attempt."""
        if self.fault is None:
            self._since = self._clock()
        if self.fault is None or self.fault.kind != fault.kind:
            log.error(
                "Cannot write to the database: %s; heartbeats are queued", fault.message, extra={"hint": fault.hint}
            )
        self.tries += 1
        self.fault = fault
        self._good_since = None

    def clear(self) -> None:
        """Record a successful attempt."""
        self.tries = 0
        if self._good_since is None:
            self._good_since = monotonic()
        self.settle()

    def settle(self) -> None:
        """End the fault if no attempt has failed for long enough."""
        if self._good_since is not None and monotonic() - self._good_since >= CALM_S:
            self.over()

    def over(self) -> None:
        """End the fault: the file can be written."""
        if self.fault is not None:
            log.warning("The database can be written again", extra={"was": self.fault.message})
        self.fault = self._good_since = None
        self.tries = 0

    def mark(self, fault: Fault | None) -> None:
        """Record a fault of the paths that does not prevent writes."""
        if fault is not None and self.warning is None:
            log.warning("%s", fault.message, extra={"hint": fault.hint})
        elif fault is None and self.warning is not None:
            log.warning("The files of the database are in place again")
        self.warning = fault

    def refusal(self, *, is_closing: bool) -> StoreBusy:
        """The error for a change that cannot be written."""
        if is_closing:
            return StoreBusy("the server is stopping", hint="retry when the server is running again")
        if self.fault is not None:
            return self.fault.to_error()
        return StoreBusy(
            "the database cannot be written: the disk does not respond",
            hint="nothing was stored; retry the request",
        )

    def problems(self, *, held: int) -> list[Problem]:
        """The faults as health reports them."""
        problems: list[Problem] = []
        fault, warning = self.fault, self.warning
        if fault is not None:
            waiting = "1 heartbeat is queued" if held == 1 else f"{held:,} heartbeats are queued"
            message = f"{fault.message}; {waiting}, other changes fail"
            since = format_timestamp(self._since)
            problems.append(Problem(kind=fault.problem_kind, message=message, hint=fault.hint, since=since))
        if warning is not None:
            problems.append(Problem(kind="disk", message=warning.message, hint=warning.hint))
        return problems
