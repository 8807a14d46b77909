"""The folder of a supervised watch process: one process at a time, and a new one ends the one before.

A process that outlives its server, because that was killed, has the folder until the next server starts.
"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from dayline.model.errors import StoreLocked

_FILE: Final = "process"  # locked while the process runs; contains its id
_PROGRAM: Final = b"dayline.client.watch"
_STOP_S: Final = 5.0  # for the process before to store what it has; then it is killed
_POLL_S: Final = 0.02


class WatchFolder:
    """The folder, held by this process until it ends. Linux only."""

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path / _FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
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
    if _try_lock(file):
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + _STOP_S
        is_sent = False
        while time.monotonic() < deadline:
            is_sent = is_sent or _send(file, number)
            time.sleep(_POLL_S)
            if _try_lock(file):
                return
    raise StoreLocked(f"another process uses {path}", hint="stop the other server or watcher that uses this folder")


def _try_lock(file: int) -> bool:
    import fcntl  # here, because Windows does not have it

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


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
