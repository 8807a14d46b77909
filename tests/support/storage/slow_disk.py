"""A disk that can be slowed, stuck or filled while a server writes to it.

    python disk.py CONTROL serve ...

runs `dayline` on such a disk. What the disk does is said in a file, so that a test can change it from outside.
"""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import apsw

from dayline.cli.main import main as dayline

_NAME: Final = "disk-of-the-test"
_POLL_S: Final = 0.005


class Disk:
    """Says how the disk behaves from now on; it is quick until changed."""

    def __init__(self, control: Path) -> None:
        self.control = control
        self.quick()

    def quick(self) -> None:
        self._say("quick")

    def slow(self, seconds: float) -> None:
        """Every flush takes this much longer."""
        self._say(f"slow {seconds}")

    def stick(self) -> None:
        """No flush comes back any more."""
        _note_of(self.control).unlink(missing_ok=True)
        self._say("stuck")

    @property
    def has_stuck_flush(self) -> bool:
        """Whether a flush has begun since then that does not come back."""
        return _note_of(self.control).exists()

    def fill(self) -> None:
        """No space for another byte."""
        self._say("full")

    def protect(self) -> None:
        """It can only be read any more, as a system does with a disk that fails."""
        self._say("read-only")

    @property
    def program(self) -> tuple[str, ...]:
        """How to run a command on this disk."""
        return (__file__, str(self.control))

    @property
    def change(self) -> str:
        """Python that puts every database that is opened from then on on this disk, for `RunningServer.change`."""
        control = str(self.control)
        return (
            "import pathlib, tests.support.storage.slow_disk\n"
            f"mounted = tests.support.storage.slow_disk.Disk(pathlib.Path({control!r})).mounted()\nmounted.__enter__()"
        )

    @contextmanager
    def mounted(self) -> Generator[None]:
        """Every database that this process opens in the block is on this disk."""
        vfs = _Vfs(self.control)
        try:
            yield
        finally:
            vfs.unregister()

    def _say(self, state: str) -> None:
        # Replaced in one go: it is read at any moment.
        unfinished = self.control.with_suffix(".new")
        unfinished.write_text(state)
        unfinished.replace(self.control)


class _File(apsw.VFSFile):
    def __init__(self, control: Path, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        super().__init__(_beneath(), name, flags)
        self._control = control

    def xLock(self, level: int) -> None:
        try:
            super().xLock(level)
        except apsw.IOError as error:
            # Closing, SQLite tries for a lock that a file opened for reading cannot have, and takes no for a response;
            # but not from a disk that is written in Python.
            raise apsw.BusyError("not for readers") from error

    def xSync(self, flags: int) -> None:
        while (state := self._control.read_text()) == "stuck":
            _note_of(self._control).touch()
            time.sleep(_POLL_S)
        if state.startswith("slow"):
            time.sleep(float(state.split()[1]))
        super().xSync(flags)

    def xWrite(self, data: Any, offset: int) -> None:  # bytes of a kind that Python 3.11 has no name for
        state = self._control.read_text()
        if state == "full":
            raise apsw.FullError("no space on the disk of the test")
        if state == "read-only":
            raise apsw.ReadOnlyError("the disk of the test is write-protected")
        super().xWrite(data, offset)


class _Vfs(apsw.VFS):
    def __init__(self, control: Path) -> None:
        super().__init__(_NAME, _beneath(), makedefault=True)
        self._control = control

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> _File:
        return _File(self._control, name, flags)


def _note_of(control: Path) -> Path:
    return control.with_suffix(".stuck")


def _beneath() -> str:
    """The real disk: the first of the system's own."""
    return next(name for name in apsw.vfs_names() if name != _NAME)


def main() -> None:
    control, *arguments = sys.argv[1:]
    with Disk(Path(control)).mounted():
        dayline(arguments)


if __name__ == "__main__":
    main()
