"""Temporary files with what was sent to us, or with what a child process makes: encrypted if this process has a key.

Without a key it is an ordinary file. With one it is a SQLite file of pieces, because SQLite is the one library in the
recording process that encrypts.
"""

import errno
import io
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Final, Protocol, Self

import apsw

from dayline.model.errors import Invalid
from dayline.runtime.encryption import active_key, key_of, key_of_input
from dayline.runtime.files import new_name, open_new, replace_file
from dayline.runtime.sqlite_file import READ_ONLY, UNCHANGING, connect_with

if TYPE_CHECKING:
    from dayline.runtime.encrypted_file import DatabaseKey

_PIECE: Final = 256 << 10
_BUFFER: Final = 1 << 20
_TABLE: Final = "CREATE TABLE piece(number INTEGER PRIMARY KEY, content BLOB NOT NULL); BEGIN"


class SpoolWriter(Protocol):
    """A new file, which is complete when it is closed."""

    def write(self, data: bytes, /) -> int: ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


def create_spool(path: Path) -> SpoolWriter:
    """A new file for writing, which replaces any file there. Raises OSError."""
    path.unlink(missing_ok=True)
    key = active_key()
    return open_new(path) if key is None else create_spool_with(key, path)


def create_spool_with(key: "DatabaseKey", path: Path) -> SpoolWriter:
    """A new file that is encrypted with this key, whatever the key of this process is."""
    return _EncryptedWriter(path, key)


def open_spool_with(key: "DatabaseKey", path: Path) -> IO[bytes]:
    """A file that `create_spool_with` made with this key."""
    return io.BufferedReader(_EncryptedReader(path, key), _BUFFER)


def open_spool(path: Path) -> IO[bytes]:
    """A file that `create_spool` made. Raises OSError, and the errors of `key_of`."""
    return _opened(path, key_of)


def open_input(path: Path) -> IO[bytes]:
    """A file that the user named, or the spooled copy of one that was sent. Raises OSError."""
    return _opened(path, key_of_input)


def is_spool(path: Path) -> bool:
    """Whether a file that the user named or sent is encrypted by us."""
    return key_of_input(path) is not None


def write_private(path: Path, content: bytes) -> None:
    """Write a small file atomically. Raises OSError."""
    part = new_name(path)
    try:
        with create_spool(part) as file:
            file.write(content)
        replace_file(part, path)
    finally:
        part.unlink(missing_ok=True)


def read_private(path: Path) -> bytes:
    """What `write_private` wrote. Raises OSError, and the errors of `key_of`."""
    with open_spool(path) as file:
        return file.read()


def _opened(path: Path, key_of: "Callable[[Path], DatabaseKey | None]") -> IO[bytes]:
    path.stat()  # raises FileNotFoundError; `key_of` decides about a file that appears only now, too
    key = key_of(path)
    return path.open("rb") if key is None else open_spool_with(key, path)


class _EncryptedWriter:
    def __init__(self, path: Path, key: "DatabaseKey") -> None:
        self._gathered = bytearray()
        self._is_closed = False
        open_new(path).close()  # only for the user
        with _system_errors():
            self._db = connect_with(key, path)
        try:
            # An incomplete file is thrown away, so it needs no durability.
            for pragma in ("journal_mode", "synchronous"):
                self._run(f"PRAGMA {pragma} = OFF")
            self._run(_TABLE)
        except OSError:
            self._db.close()
            raise

    def write(self, data: bytes) -> int:
        self._gathered += data
        while len(self._gathered) >= _PIECE:
            self._store(bytes(self._gathered[:_PIECE]))
            del self._gathered[:_PIECE]
        return len(data)

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            try:
                self._store(bytes(self._gathered))
                self._run("COMMIT")
            finally:
                self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self._db.close()

    def _store(self, piece: bytes) -> None:
        self._run("INSERT INTO piece(content) VALUES(?)", (piece,))

    def _run(self, statement: str, values: tuple[bytes, ...] = ()) -> None:
        with _system_errors():
            self._db.execute(statement, values)


@contextmanager
def _system_errors() -> Generator[None]:
    """Turn errors of SQLite into those that a plain file would raise."""
    try:
        yield
    except apsw.FullError as error:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
    except apsw.Error as error:
        raise OSError(str(error)) from error


class _EncryptedReader(io.RawIOBase):
    def __init__(self, path: Path, key: "DatabaseKey") -> None:
        self._path = path
        self._position = 0
        self._number, self._piece = 0, b""  # the last piece read
        self._db = connect_with(key, path, READ_ONLY, options=UNCHANGING)
        try:
            last, length = self._db.execute(
                "SELECT number, length(content) FROM piece ORDER BY number DESC LIMIT 1"
            ).fetchone() or (1, 0)
        except apsw.Error as error:
            self._db.close()
            raise Invalid(f"cannot read {path}: {error}") from error
        self._size = (int(last) - 1) * _PIECE + int(length)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        self._position = max(0, start + offset)
        return self._position

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]  # typeshed has any buffer
        number, at = divmod(self._position, _PIECE)
        if self._position >= self._size:
            return 0
        if number + 1 != self._number:
            content = self._db.execute("SELECT content FROM piece WHERE number = ?", (number + 1,)).get
            assert isinstance(content, bytes)
            self._number, self._piece = number + 1, content
        piece = self._piece[at : at + len(buffer)]
        buffer[: len(piece)] = piece
        self._position += len(piece)
        return len(piece)

    def close(self) -> None:
        self._db.close()
        super().close()
