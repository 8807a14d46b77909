"""Opens a plain database that has no file of its own: SQLite reads its bytes from an encrypted spool, for example."""

from itertools import count
from typing import IO, Final, Protocol

import apsw

from dayline.runtime.sqlite_file import connect_through

_NAME: Final = "dayline-read-through"
_SECTOR: Final = 4096


class Content(Protocol):
    """The bytes of a database file."""

    size: int

    def read_at(self, offset: int, count: int) -> bytes: ...


class FileContent:
    """The bytes of an open file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.size = file.seek(0, 2)

    def read_at(self, offset: int, count: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(count)


def connect_to(content: Content) -> apsw.Connection:
    """A read-only connection. Raises apsw.Error."""
    vfs = _vfs()
    name = vfs.add(content)
    try:
        return connect_through(_NAME, name)
    finally:
        vfs.contents.pop(name, None)


class _OpenContent:
    """What SQLite calls an open file. It is never written."""

    def __init__(self, content: Content) -> None:
        self._content = content

    def xRead(self, amount: int, offset: int) -> bytes:  # the names are those of apsw
        return self._content.read_at(offset, amount)

    def xFileSize(self) -> int:
        return self._content.size

    def xSectorSize(self) -> int:
        return _SECTOR

    def xDeviceCharacteristics(self) -> int:
        return apsw.SQLITE_IOCAP_IMMUTABLE

    def xFileControl(self, *_: int) -> bool:
        return False

    def xLock(self, _: int) -> None:
        """No process writes it."""

    def xUnlock(self, _: int) -> None:
        """No process writes it."""

    def xCheckReservedLock(self) -> bool:
        return False

    def xClose(self) -> None:
        """The content belongs to the caller."""


class _ReadThrough(apsw.VFS):
    def __init__(self) -> None:
        super().__init__(_NAME, "")
        self.contents: dict[str, Content] = {}
        self._numbers = count()

    def add(self, content: Content) -> str:
        name = str(next(self._numbers))
        self.contents[name] = content
        return name

    def xFullPathname(self, name: str) -> str:
        return name

    def xAccess(self, pathname: str, flags: int) -> bool:
        return False

    def xOpen(self, name: object, flags: list[int]) -> _OpenContent:  # type: ignore[override]  # apsw takes any object
        filename = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        flags[1] = flags[0]
        return _OpenContent(self.contents[filename.lstrip("/")])


class _Registered:
    vfs: _ReadThrough | None = None


def _vfs() -> _ReadThrough:
    if _Registered.vfs is None:
        _Registered.vfs = _ReadThrough()
    return _Registered.vfs
