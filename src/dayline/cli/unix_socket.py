"""The Unix socket: a door besides TCP, open to whom its file mode lets in."""

import errno
import os
import socket
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from dayline.cli.listen import BACKLOG
from dayline.model.errors import Invalid, Unavailable

_LONGEST: Final = 103  # bytes that every system takes; Linux takes a few more
_FIELD: Final = "server.uds"


@contextmanager
def unix_socket(path: Path, *, mode: int) -> Generator[socket.socket]:
    """A listening socket at the path, whose file is removed at the end. Raises Invalid or Unavailable."""
    sock = _open(path, mode=mode)
    identity = _identity(path)
    try:
        yield sock
    finally:
        sock.close()
        # Only our own: somebody may have put another in its place.
        if identity is not None and _identity(path) == identity:
            path.unlink(missing_ok=True)


def _open(path: Path, *, mode: int) -> socket.socket:
    if sys.platform == "win32":
        raise Invalid("this system has no Unix sockets", hint="leave out --uds", field=_FIELD)
    if len(os.fsencode(path)) > _LONGEST:
        raise Invalid(f"the path of the Unix socket is longer than {_LONGEST} bytes: {path}", field=_FIELD)
    sock = socket.socket(socket.AF_UNIX)
    try:
        _make_room(path)
        sock.bind(str(path))
        # Between these two nobody can connect: a socket that does not listen yet refuses.
        path.chmod(mode)
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise Unavailable(f"cannot listen on the Unix socket {path}: {error.strerror or error}") from error
    except BaseException:
        sock.close()
        raise
    return sock


def _make_room(path: Path) -> None:
    """Remove what a server that is gone has left there; refuse where anything else is."""
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(kind):
        raise Invalid(
            f"{path} is there already, and it is not a socket", hint="choose another path for --uds", field=_FIELD
        )
    if _is_answered(path):
        raise Unavailable(
            f"the Unix socket {path} is in use by another program", hint="stop it, or choose another path for --uds"
        )
    path.unlink(missing_ok=True)


def _is_answered(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(1)
        try:
            sock.connect(str(path))
        except OSError as error:
            return error.errno not in (errno.ECONNREFUSED, errno.ENOENT)  # when in doubt, it is somebody's
    return True


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
