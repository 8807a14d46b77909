"""The watch process as others see it: how it is started, what it reports, and its folder."""

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from dayline.model.errors import StoreLocked
from dayline.runtime.files import make_folders, open_same, try_lock

Session: TypeAlias = Literal["x11", "sway", "wayland", "kwin", "gnome"]  # how a desktop is observed

# -OO: docstrings are a sixth of its memory.
COMMAND: Final = (sys.executable, "-OO", "-m", "dayline.client.watch.run")
VARIABLES: Final = {"MALLOC_ARENA_MAX": "1"}  # its threads need little memory, and glibc reserves some for each
EXIT_UNAVAILABLE: Final = 75  # as sysexits.h has it: try again later


STOP: Final = b"stop\n"  # on standard input of a supervised process: the server is stopping


class WatchConfig(Struct, frozen=True, kw_only=True):
    """What to record, and where to.

    `is_supervised`: a server started this process. It writes STOP to standard input before it ends. If the input ends
    without it, the server was killed: the process then only stores what it records, for `max_orphaned_s` at most.
    """

    url: str
    hostname: str
    folder: str  # for queues
    key: str | None = None
    ca_file: str | None = None
    fingerprint: str | None = None
    away_after_s: float
    records_titles: bool = True
    is_supervised: bool = False
    max_orphaned_s: float = 0.0

    def __repr__(self) -> str:
        return f"WatchConfig(url={self.url!r})"  # without the key


class Report(Struct, frozen=True, kw_only=True):
    """A line on standard output of a supervised process: its state, or that of a bucket.

    The first one has the `session`, and what cannot be observed in it as the message. If that changes, there is
    another such report.
    """

    state: Literal["checking", "recording", "quiet", "failed"]
    session: Session | None = None
    bucket: str | None = None
    message: str | None = None
    hint: str | None = None


_FILE: Final = "process"  # locked while the process runs; contains its id
_PROGRAM: Final = b"dayline.client.watch"
_STOP_S: Final = 5.0  # for the process before to store what it has; then it is killed
_POLL_S: Final = 0.02


class WatchFolder:
    """The folder, held by one process at a time until it ends: a new process ends the one before. Linux only.

    A process that outlives its server, because that was killed, has the folder until the next server starts.
    """

    def __init__(self, path: Path) -> None:
        make_folders(path)
        self._file = open_same(path / _FILE, os.O_RDWR)
        try:
            _lock(self._file, path)
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, str(os.getpid()).encode(), 0)
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        os.close(self._file)


def end_process(path: Path) -> None:
    """End the process that holds the folder, if there is one. Raises StoreLocked if it cannot be ended."""
    if not (path / _FILE).exists():
        return
    WatchFolder(path).release()


def _lock(file: int, path: Path) -> None:
    """Lock the file. Raises StoreLocked if the process that has it is not a watch process, or does not end."""
    if try_lock(file, path):
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + _STOP_S
        is_sent = False
        while time.monotonic() < deadline:
            is_sent = is_sent or _send(file, number)
            time.sleep(_POLL_S)
            if try_lock(file, path):
                return
    raise StoreLocked(f"another process uses {path}", hint="stop the other server or watcher that uses this folder")


def _send(file: int, number: signal.Signals) -> bool:
    """Send a signal to the process that has the lock. False if its id is not known."""
    text = os.pread(file, 20, 0)  # empty just after the other process took the lock
    if not text.isdigit():
        return False
    # The lock says that the id is current. The name is checked anyway: the folder may be shared between machines.
    with suppress(OSError):
        if _PROGRAM in Path(f"/proc/{int(text)}/cmdline").read_bytes():
            os.kill(int(text), number)
            return True
    return False
