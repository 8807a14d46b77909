"""Notes every file that is created in some folders while a block runs, however short its life is (inotify of Linux).

Each file gets a second name in another folder at once, so that its contents can be read after it was deleted.
"""

import ctypes
import os
import select
import struct
import threading
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Final, Self

_CREATED, _MOVED_IN, _FOLDER = 0x100, 0x80, 0x40000000
_EVENT: Final = struct.Struct("iIII")
_BUFFER: Final = 1 << 16


class NotedFiles:
    """The files created below `folders`: their paths relative to `root`, and second names of them in `kept`."""

    def __init__(self, root: Path, folders: list[Path], kept: Path) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._root, self._kept = root, kept
        self._numbers = count()
        self._inotify = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert self._inotify >= 0, os.strerror(ctypes.get_errno())
        self._folders: dict[int, Path] = {}
        self._ended, self._end = os.pipe()
        self._thread = threading.Thread(target=self._run)
        self.names: set[str] = set()
        self.contents: dict[Path, str] = {}  # the name of each second name
        for folder in folders:
            self._watch(folder)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, trace: TracebackType | None) -> None:
        os.write(self._end, b".")
        self._thread.join()
        for descriptor in (self._inotify, self._ended, self._end):
            os.close(descriptor)

    def _watch(self, folder: Path) -> None:
        number = self._libc.inotify_add_watch(self._inotify, os.fsencode(folder), _CREATED | _MOVED_IN)
        if number < 0:
            return  # it is gone again
        self._folders[number] = folder
        with suppress(FileNotFoundError):
            for path in folder.iterdir():  # what was created before the watch
                self._note(path, is_folder=path.is_dir())

    def _run(self) -> None:
        while True:
            ready, _, _ = select.select([self._inotify, self._ended], [], [])
            if self._inotify in ready:
                self._read()
            elif self._ended in ready:
                return

    def _read(self) -> None:
        data = os.read(self._inotify, _BUFFER)
        at = 0
        while at < len(data):
            number, mask, _, length = _EVENT.unpack_from(data, at)
            name = data[at + _EVENT.size : at + _EVENT.size + length].rstrip(b"\0")
            at += _EVENT.size + length
            if name and number in self._folders:
                self._note(self._folders[number] / os.fsdecode(name), is_folder=bool(mask & _FOLDER))

    def _note(self, path: Path, *, is_folder: bool) -> None:
        if is_folder:
            self._watch(path)
            return
        self.names.add(str(path.relative_to(self._root)))
        second = self._kept / str(next(self._numbers))
        with suppress(OSError):  # it is gone again
            os.link(path, second)
            self.contents[second] = str(path.relative_to(self._root))
