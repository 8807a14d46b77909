"""The rows of a staged file, read a slice at a time to be sent to PostgreSQL."""

from collections.abc import Collection
from pathlib import Path
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.storage.transfer.staged import STAGED_FROM, Staged

_ROWS: Final = f"SELECT month, start + {STAGED_FROM}, duration, value FROM row WHERE number BETWEEN ? AND ?"
_TEXTS: Final = "SELECT number, hash, json FROM value WHERE number IN (SELECT value FROM json_each(?))"


class StagedRun(Struct, frozen=True, kw_only=True):
    """The rows of one bucket, whatever their months: a run of row numbers."""

    bucket: int
    first: int
    last: int


class StagedRow(Struct, frozen=True, array_like=True):
    """An event as it is staged; `value` is a number of the staged file."""

    month: int
    start: int
    duration: int
    value: int


class StagedText(Struct, frozen=True, array_like=True):
    """A value as it is staged."""

    number: int
    hash: int
    json: str


class StagedRows:
    """An open staged file. Used on one thread at a time."""

    def __init__(self, path: Path) -> None:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        # Immutable: nobody writes it any more.
        self._db = apsw.Connection(f"{path.resolve().as_uri()}?mode=ro&immutable=1", flags=flags)

    def rows(self, first: int, last: int) -> list[StagedRow]:
        """Those with these numbers, in their order."""
        return msgspec.convert(self._db.execute(_ROWS, (first, last)).fetchall(), list[StagedRow])

    def texts(self, numbers: Collection[int]) -> list[StagedText]:
        """The values with these numbers."""
        if not numbers:
            return []
        return msgspec.convert(
            self._db.execute(_TEXTS, (msgspec.json.encode(list(numbers)).decode(),)).fetchall(), list[StagedText]
        )

    def close(self) -> None:
        self._db.close()


def runs_of(staged: Staged) -> list[StagedRun]:
    """The rows bucket by bucket, in the order of their numbers: a slice may have events of several months."""
    runs: list[StagedRun] = []
    for part in staged.parts:
        if runs and (runs[-1].bucket, runs[-1].last + 1) == (part.bucket, part.first):
            runs[-1] = StagedRun(bucket=part.bucket, first=runs[-1].first, last=part.last)
        else:
            runs.append(StagedRun(bucket=part.bucket, first=part.first, last=part.last))
    return runs
