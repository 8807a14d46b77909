"""The Unix socket: an additional endpoint, protected by its file mode."""

import errno
import os
import socket
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from dayline.cli.serve.sockets import BACKLOG
from dayline.model.errors import Invalid, Unavailable

_MAX_PATH_BYTES: Final = 103  # bytes: the limit of every system; Linux allows a few more
_FIELD: Final = "server.uds"


@contextmanager
def unix_socket(path: Path, *, mode: int) -> Generator[socket.socket]:
    """Listen on a socket at the path, and remove its file at the end. Raises Invalid or Unavailable."""
    sock = _open(path, mode=mode)
    identity = _identity(path)
    try:
        yield sock
    finally:
        sock.close()
        # Only our own file: another program may have replaced it.
        if identity is not None and _identity(path) == identity:
            path.unlink(missing_ok=True)


def _open(path: Path, *, mode: int) -> socket.socket:
    if sys.platform == "win32":
        raise Invalid("this system has no Unix sockets", hint="leave out --uds", field=_FIELD)
    if len(os.fsencode(path)) > _MAX_PATH_BYTES:
        raise Invalid(f"the path of the Unix socket is longer than {_MAX_PATH_BYTES} bytes: {path}", field=_FIELD)
    sock = socket.socket(socket.AF_UNIX)
    try:
        _remove_stale(path)
        sock.bind(str(path))
        # No client can connect before listen(), so the mode is set in time.
        path.chmod(mode)
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise Unavailable(f"cannot listen on the Unix socket {path}: {error.strerror or error}") from error
    except BaseException:
        sock.close()
        raise
    return sock


def _remove_stale(path: Path) -> None:
    """Remove the socket of a stopped server. Raises Invalid or Unavailable for anything else."""
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(kind):
        raise Invalid(f"{path} exists and is not a socket", hint="choose another path for --uds", field=_FIELD)
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
            return error.errno not in (errno.ECONNREFUSED, errno.ENOENT)  # when in doubt, it is in use
    return True


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
