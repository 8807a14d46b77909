"""The derived file of a database: segments, value packs, full text. It can be deleted at any time.

It contains the epoch of its database and its own format version. Any defect, including a missing file, raises one of
UNUSABLE in a reader, and makes a writer create the file again.
"""

from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.config.data_folder import DataFile, beside, data_file
from dayline.model.errors import SettingsInvalid, StoreUnusable
from dayline.runtime.sqlite_file import READ_ONLY, connect
from dayline.storage.columns.segment_plan import PackedPack, SegmentKey
from dayline.storage.sqlite.derived.text_index import TEXT_TABLES, TextIndex, TextMarks
from dayline.storage.sqlite.file.connection import open_without_trace

FORMAT: Final = 4  # of the tables and their packed contents; 3 may lack full text of values with reused keys
APPLICATION_ID: Final = 0x44617944  # "DayD"
_PAGE_CACHE_KIB: Final = 2048  # every page is read once
_PATIENCE_MS: Final = 100  # of a reader: it could read the rows in that time

_TABLES = f"""
BEGIN IMMEDIATE;
CREATE TABLE meta(key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE segment(
    key INTEGER PRIMARY KEY,
    bucket INTEGER NOT NULL,
    month INTEGER NOT NULL,
    version INTEGER NOT NULL,       -- the month's count of changes
    packed BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX segment_place ON segment(bucket, month, version);
CREATE TABLE pack(
    key INTEGER PRIMARY KEY,
    bucket INTEGER NOT NULL,
    first INTEGER NOT NULL,         -- the number of its first value in the bucket
    count INTEGER NOT NULL,
    dictionary INTEGER NOT NULL,    -- the bucket's count of changed texts, the same for all packs of a bucket
    packed BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX pack_place ON pack(bucket, first, count);
{TEXT_TABLES}
PRAGMA application_id={APPLICATION_ID};
PRAGMA user_version={FORMAT};
"""

PackPlace = tuple[int, int]  # the number of its first value, and how many it has


class WrongStamp(Exception):
    """The file belongs to another database, or to another version of the program."""


class DamagedFile(Exception):
    """The file is permanently unusable."""


UNUSABLE: Final = (apsw.Error, WrongStamp, DamagedFile)


def derived_path(database: Path) -> Path:
    return data_file(database, DataFile.DERIVED)


def damage_mark(database: Path) -> Path:
    """A marker file that readers leave when they find damage, because only the builder may write."""
    return data_file(database, DataFile.DERIVED_DAMAGED)


def remove_derived(database: Path) -> None:
    """Delete the file and everything that belongs to it. Processes that have it open notice and read rows instead."""
    _remove(derived_path(database))


def identity(path: Path) -> tuple[int, int] | None:
    """Distinguishes one file with that name from its successor; None if there is none that this user can read."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def epoch_of(db: apsw.Connection) -> int:
    """The epoch of a database, or of the database that a derived file was made from."""
    return _number(db, "epoch")


@contextmanager
def noticing_damage() -> Generator[None]:
    """Distinguish permanent errors from temporary ones such as a busy file or a full disk."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, msgspec.ValidationError) as error:
        raise DamagedFile(str(error)) from error


@contextmanager
def noticing_other_key() -> Generator[None]:
    """A file that is encrypted with another key than the database, or only a log, belongs to another database."""
    try:
        yield
    except (SettingsInvalid, StoreUnusable) as error:
        raise WrongStamp(error.message) from error


class DerivedReader:
    """The derived data for reading. Every method may raise one of UNUSABLE."""

    def __init__(self, path: Path, *, epoch: int) -> None:
        self.epoch = epoch
        self._path = path
        self._file = identity(path)
        with noticing_other_key():
            self._db = connect(path, READ_ONLY)
        try:
            self._db.set_busy_timeout(_PATIENCE_MS)
            self._db.pragma("cache_size", -_PAGE_CACHE_KIB)
            _check_stamp(self._db, epoch)
            self.generation = _number(self._db, "generation")
            self.texts = TextIndex(self._db)
        except BaseException:
            self._db.close()
            raise

    @property
    def is_current(self) -> bool:
        """Whether the open file is still the one at its path."""
        return identity(self._path) == self._file

    @contextmanager
    def reading(self) -> Generator[None]:
        """One snapshot of the file for several reads: packs may be rebuilt between two of them."""
        with self._db:
            yield

    def dictionary(self, bucket: int) -> int | None:
        """The number of text changes of the bucket when its packs were made; None if it has none."""
        return _dictionary(self._db, bucket)

    def places(self, bucket: int) -> dict[int, int]:
        """The version of the existing segment, by month."""
        rows = self._db.execute("SELECT month, version FROM segment WHERE bucket = ?", (bucket,)).fetchall()
        return dict(msgspec.convert(rows, list[tuple[int, int]]))

    def pack_places(self, bucket: int) -> tuple[PackPlace, ...]:
        sql = "SELECT first, count FROM pack WHERE bucket = ? ORDER BY first"
        return tuple(msgspec.convert(self._db.execute(sql, (bucket,)).fetchall(), list[PackPlace]))

    def packs(self, bucket: int) -> list[PackedPack]:
        return _packs(self._db, bucket)

    def segment(self, place: SegmentKey) -> bytes | None:
        sql = "SELECT packed FROM segment WHERE bucket = ? AND month = ? AND version = ?"
        packed = self._db.execute(sql, (place.bucket, place.month, place.version)).get
        return msgspec.convert(packed, bytes | None)

    def close(self) -> None:
        self._db.close()


class DerivedWriter:
    """The derived data for writing; created again if the file is missing, damaged or of another epoch.

    Its methods raise DamagedFile if damage is found later.
    """

    def __init__(self, path: Path, *, epoch: int, is_from_scratch: bool = False) -> None:
        self.is_new = is_from_scratch or not _is_usable(path, epoch)
        if self.is_new:
            _remove(path)
        self._db = connect(path)
        self._db.set_busy_timeout(5000)
        self._db.pragma("cache_size", -_PAGE_CACHE_KIB)
        self._db.pragma("journal_mode", "WAL")
        self._db.pragma("synchronous", "NORMAL")  # what a power failure loses is built again
        if self.is_new:
            self._db.execute(_TABLES)
            # Values are numbered in a different order after a rebuild: what readers cached of the old file is invalid.
            stamp = "INSERT INTO meta(key, value) VALUES('epoch', ?), ('generation', random())"
            self._db.execute(stamp, (epoch,))
            self._db.execute("COMMIT")
        self.texts = TextIndex(self._db)

    @noticing_damage()
    def packs(self, bucket: int) -> list[PackedPack]:
        return _packs(self._db, bucket)

    @noticing_damage()
    def dictionary(self, bucket: int) -> int | None:
        """The number of text changes of the bucket when its packs were made; None if it has none."""
        return _dictionary(self._db, bucket)

    @noticing_damage()
    def places(self) -> set[SegmentKey]:
        """All segments."""
        return _segment_places(self._db)

    @noticing_damage()
    def keep(
        self,
        bucket: int,
        packs: Iterable[PackedPack],
        segments: Iterable[tuple[SegmentKey, bytes]],
        *,
        dictionary: int,
    ) -> None:
        """Add segments with the packs they need, replacing packs that begin with the same value."""
        add_pack = "INSERT INTO pack(bucket, first, count, dictionary, packed) VALUES(?, ?, ?, ?, ?)"
        with self._db:
            for first, count, packed in packs:
                self._db.execute("DELETE FROM pack WHERE bucket = ? AND first = ?", (bucket, first))
                self._db.execute(add_pack, (bucket, first, count, dictionary, packed))
            for segment_key, packed in segments:
                self._db.execute("DELETE FROM segment WHERE bucket = ? AND month = ?", (bucket, segment_key.month))
                segment = (bucket, segment_key.month, segment_key.version, packed)
                self._db.execute("INSERT INTO segment(bucket, month, version, packed) VALUES(?, ?, ?, ?)", segment)

    @noticing_damage()
    def forget(self, bucket: int) -> None:
        """Delete everything of a bucket."""
        with self._db:
            self._db.execute("DELETE FROM segment WHERE bucket = ?", (bucket,))
            self._db.execute("DELETE FROM pack WHERE bucket = ?", (bucket,))

    @noticing_damage()
    def buckets(self) -> set[int]:
        sql = "SELECT bucket FROM segment UNION SELECT bucket FROM pack"
        return {bucket for (bucket,) in msgspec.convert(self._db.execute(sql).fetchall(), list[tuple[int]])}

    def close(self) -> None:
        # While a query process has the file open, closing alone leaves a log as large as everything written.
        with suppress(apsw.Error):
            self._db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        self._db.close()


def stored_places(path: Path, *, epoch: int) -> set[SegmentKey]:
    """All segments in the file; none if it is unusable. Creates no other files."""
    if identity(path) is None:
        return set()
    try:
        with noticing_other_key(), closing(open_without_trace(path)) as db:
            _check_stamp(db, epoch)
            return _segment_places(db)
    except UNUSABLE:
        return set()


def stored_texts(path: Path, *, epoch: int) -> TextMarks | None:
    """How far the full text in the file goes; None if it is unusable. Creates no other files."""
    if identity(path) is None:
        return None
    try:
        with noticing_other_key(), closing(open_without_trace(path)) as db:
            _check_stamp(db, epoch)
            return TextIndex(db).marks()
    except UNUSABLE:
        return None


def _remove(path: Path) -> None:
    for suffix in ("-wal", "-shm", "-journal", ""):
        beside(path, suffix).unlink(missing_ok=True)


def _is_usable(path: Path, epoch: int) -> bool:
    if identity(path) is None:
        return False
    try:
        with noticing_damage():
            DerivedReader(path, epoch=epoch).close()
    except (DamagedFile, WrongStamp):
        return False
    except apsw.ReadOnlyError:  # its first transaction was never finished, and reading would have to roll it back
        return False
    return True


def _check_stamp(db: apsw.Connection, epoch: int) -> None:
    if (db.pragma("application_id"), db.pragma("user_version")) != (APPLICATION_ID, FORMAT):
        raise WrongStamp("it was written by another version of Dayline")
    if epoch_of(db) != epoch:
        raise WrongStamp("it belongs to another database")


def _number(db: apsw.Connection, key: str) -> int:
    number = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).get
    if not isinstance(number, int):
        raise WrongStamp(f"it has no {key}")
    return number


def _segment_places(db: apsw.Connection) -> set[SegmentKey]:
    rows = db.execute("SELECT bucket, month, version FROM segment").fetchall()
    return set(msgspec.convert(rows, list[SegmentKey]))


def _dictionary(db: apsw.Connection, bucket: int) -> int | None:
    count = db.execute("SELECT dictionary FROM pack WHERE bucket = ? LIMIT 1", (bucket,)).get
    return msgspec.convert(count, int | None)


def _packs(db: apsw.Connection, bucket: int) -> list[PackedPack]:
    rows = db.execute("SELECT first, count, packed FROM pack WHERE bucket = ? ORDER BY first", (bucket,)).fetchall()
    return msgspec.convert(rows, list[PackedPack])
