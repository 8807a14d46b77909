"""Whether the open files are still those at their path.

A file that was removed, or whose disk was taken away, takes writes for as long as somebody has it open, and they are
lost with it. So the place is looked at with every commit, before that is answered: that of the log, which takes the
commit, each time, and that of all files every 50 ms. Each costs a call of the system's, some 2 µs.
"""

import os
from pathlib import Path
from typing import Final

from dayline.storage.faults import Fault, out_of_reach, replaced, vanished

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
