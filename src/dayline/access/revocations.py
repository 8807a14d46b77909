"""Revocations that are in effect but not in the database yet, because it cannot be written.

They take effect in memory at once. A small file in the folder of the database keeps them over a restart. Its disk space
is reserved when the server starts, so that it can be written on a full disk. They are stored in the database as soon as
possible.
"""

import asyncio
import errno
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from dayline.model.errors import Unavailable
from dayline.model.time import Microseconds
from dayline.runtime.background import BackgroundWorkers
from dayline.runtime.encryption import authentic, authenticated
from dayline.runtime.files import flush_folder
from dayline.runtime.text import quantity

RESERVED_BYTES: Final = 256 << 10  # about 2,000 revocations
_PURPOSE: Final = "revocation"
_RETRY_S: Final = 1.0
_MAX_RETRY_S: Final = 10.0
_HINT: Final = "free disk space; Dayline then stores them"
_OPEN: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)

log = logging.getLogger("dayline")

Write = Callable[[], Awaitable[None]]


class Revocation(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A key (by id) or a session (by digest) that was revoked, and when."""

    when: Microseconds
    key: str = ""
    session: str = ""  # digest in hexadecimal


class _Batch(Struct, frozen=True, eq=False):
    """Revocations that are stored with one write."""

    entries: Sequence[Revocation]
    retry: Write


class RevocationJournal:
    """Use on the event loop. Without a path nothing survives the process: for commands without a server.

    `recovered` are the revocations that an earlier run could not store.
    """

    def __init__(self, path: Path | None = None, *, background: BackgroundWorkers | None = None) -> None:
        self._path = path
        self._batches: list[_Batch] = []
        self._descriptor: int | None = None
        self._end = 0  # bytes used in the file
        self._saved: set[Revocation] = set()  # in the file
        workers = background or BackgroundWorkers()
        self._task = workers.task(
            "storing revocations",
            self._store_batches,
            interval_s=None,
            initial_delay_s=None,
            retry_s=_RETRY_S,
            max_retry_s=_MAX_RETRY_S,
            hint=_HINT,
        )
        self._writing = threading.Lock()
        self.recovered: list[Revocation] = []

    def open(self) -> None:
        """Reserve disk space for the file, and read what an earlier run left in it. Raises nothing."""
        if self._path is None:
            return
        content = b""
        try:
            self._descriptor = os.open(self._path, _OPEN, 0o600)
            content = os.read(self._descriptor, RESERVED_BYTES)
            # Zeros, because a sparse file would not reserve space.
            self._write_at(len(content), bytes(RESERVED_BYTES - len(content)))
            flush_folder(self._path.parent)
        except OSError as error:
            log.warning("Revocations would not survive a restart on a full disk: %s: %s", self._path, error.strerror)
        lines = content.rstrip(b"\0")
        self._end, self.recovered = len(lines), _read(lines, self._path)
        self._saved.update(self.recovered)

    def is_unstored(self, *, key: str = "", session: bytes = b"") -> bool:
        """Whether a key or session is revoked in memory but not in the database yet."""
        digest = session.hex()
        return any(entry.key == key and entry.session == digest for batch in self._batches for entry in batch.entries)

    async def store(self, entries: Sequence[Revocation], write: Write, *, retry: Write) -> None:
        """Store revocations, which are already in effect, in the database.

        Raises Unavailable if that is not possible now. They are in the file then, and `retry` is called until it
        succeeds.
        """
        batch = _Batch(entries, retry)
        self._batches.append(batch)
        try:
            await write()
        except Unavailable as error:
            if self._path is None:
                self._batches.remove(batch)
                raise
            raise await self._postpone(entries, error) from error
        except BaseException:
            self._batches.remove(batch)
            raise
        self._remove(batch)

    def retry(self, entry: Revocation, retry: Write) -> None:
        """Store a recovered revocation; retries until it succeeds."""
        self._batches.append(_Batch([entry], retry))
        self._wake()

    async def close(self) -> None:
        """Remove the file, unless the next start needs it. Raises nothing."""
        await self._task.close()
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        if self._path is not None and not self._batches:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)

    async def _postpone(self, entries: Sequence[Revocation], error: Unavailable) -> Unavailable:
        is_saved = await asyncio.to_thread(self._append, entries)
        self._wake()
        if is_saved:
            restart = "It stays revoked after a restart."
        else:
            restart = "If the server restarts before it is stored, it is valid again."
            log.error("A revocation is in memory only: neither the database nor %s can be written", self._path)
        return Unavailable(
            f"revoked, but not stored in the database yet: {error.message}. {restart}",
            hint="free disk space: the server then stores it",
        )

    def _wake(self) -> None:
        self._task.start()  # only now: usually everything is stored at once
        self._task.wake()

    async def _store_batches(self) -> None:
        for batch in list(self._batches):
            await batch.retry()
            self._remove(batch)

    def _remove(self, batch: _Batch) -> None:
        if batch in self._batches:
            self._batches.remove(batch)
        if not self._batches and self._end and self._descriptor is not None:
            # Entries that are in the database are harmless in the file; they only use its space.
            with suppress(OSError):
                self._write_at(0, bytes(self._end))
                self._end = 0
                self._saved.clear()

    def _append(self, entries: Sequence[Revocation]) -> bool:
        """Append lines within the reserved space. Returns whether they are on disk."""
        with self._writing:
            new = [entry for entry in entries if entry not in self._saved]
            lines = b"".join(authenticated(msgspec.json.encode(entry), _PURPOSE) + b"\n" for entry in new)
            if self._descriptor is None or self._end + len(lines) > RESERVED_BYTES:
                return False
            try:
                self._write_at(self._end, lines)
            except OSError:
                return False
            self._end += len(lines)
            self._saved.update(new)
            return True

    def _write_at(self, offset: int, content: bytes) -> None:
        assert self._descriptor is not None
        os.lseek(self._descriptor, offset, os.SEEK_SET)
        if os.write(self._descriptor, content) < len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(self._descriptor)


def _read(content: bytes, path: Path) -> list[Revocation]:
    entries: list[Revocation] = []
    for line in content.splitlines():
        try:
            # One that was not written with the key of the database is ignored: anyone could revoke keys otherwise.
            entries.append(msgspec.json.decode(authentic(line, _PURPOSE) or b"", type=Revocation))
        except msgspec.DecodeError:
            log.error("Cannot read a line of %s: check your revoked keys with dayline keys list", path)
    if entries:
        log.warning(
            "%s of an earlier run not stored in the database yet; in effect, and stored as soon as possible",
            quantity(len(entries), "revocation"),
        )
    return entries
