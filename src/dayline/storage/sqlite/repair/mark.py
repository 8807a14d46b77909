"""The mark next to a damaged database, the files of its repair, and the quick check at every start."""

import os
from contextlib import closing
from pathlib import Path
from secrets import token_hex
from typing import Final

import apsw
import msgspec

from dayline.config.data_folder import DataFile, beside, data_file
from dayline.model.errors import NotADatabase, SettingsInvalid, StoreUnusable
from dayline.model.health import Damage
from dayline.model.time import Microseconds
from dayline.runtime.encrypted_file import PLAIN_MAGIC, FileKind, kind_of
from dayline.runtime.encryption import active_key, authentic, authenticated
from dayline.runtime.files import atomic_write
from dayline.storage.sqlite.file.connection import DAMAGE, open_without_trace
from dayline.storage.sqlite.file.errors import cannot_open
from dayline.storage.sqlite.file.schema import MIGRATIONS, version_of
from dayline.storage.sqlite.writing.catalogue import Catalogue

# The files beside a damaged database.
#
# days.db                    damaged: nothing is written to it any more
# days.db-damaged            the mark: when it was found, and what
# days.db-recovery           what is used in its place until it is repaired
# days.db-recovery-staged    what can be read of it, on the way into that


def mark_path(database: Path) -> Path:
    return data_file(database, DataFile.DAMAGED)


def recovery_path(database: Path) -> Path:
    return data_file(database, DataFile.RECOVERY)


def staged_path(database: Path) -> Path:
    return data_file(database, DataFile.STAGED)


def set_aside(database: Path, kept: Path) -> None:
    """Before another file replaces a damaged one: keep its recovery file with it, then delete the mark.

    In this order, so that an interruption loses no recorded data.
    """
    if not mark_path(database).exists():
        return
    for suffix in ("", "-wal"):
        old = beside(recovery_path(database), suffix)
        if old.exists():
            os.replace(old, beside(recovery_path(kept), suffix))
    folder = data_file(recovery_path(database), DataFile.FOLDER)
    if folder.exists():
        folder.replace(data_file(recovery_path(kept), DataFile.FOLDER))
    staged_path(database).unlink(missing_ok=True)
    mark_path(database).unlink()


REPAIRED: Final = "repaired"  # in `meta`: the id of the damage that this file repairs
STATE: Final = "recovery"  # in `meta` of a recovery file
_PURPOSE: Final = "damage mark"


def damage_of(database: Path, *, now: Microseconds) -> Damage | None:
    """The damage of a file, marked earlier or found and marked now; None if there is none.

    Raises StoreUnusable or StoreTooNew for a file that is not ours. Call it with the file locked.
    """
    damage = read_mark(database)
    if damage is None and _is_ours(database):
        mark_path(database).unlink(missing_ok=True)  # of a repair that was interrupted before its last step
    if damage is None and (message := look(database)) is not None:
        damage = write_mark(database, message, now=now)
    return damage


def read_mark(database: Path) -> Damage | None:
    """The damage found earlier and not repaired yet. Changes nothing.

    If this process has a key, a mark that was not made with it is ignored: `ignored_mark` reports it.
    """
    try:
        content = mark_path(database).read_bytes()
    except FileNotFoundError:
        return None
    damage = _decoded(content)
    if damage is None and active_key() is not None:
        damage = _damage_in_recovery(database)
        if damage is None:
            return None
    if damage is None:
        # The disk that damaged the database may damage the mark too: its existence is enough.
        return Damage(id="", found=0, message=_EARLIER)
    return None if _is_repaired(database, damage) else damage


_EARLIER: Final = "damage was found earlier"


def _decoded(content: bytes) -> Damage | None:
    """The damage in a mark; None if it cannot be read, or was not made with the key of this process."""
    marked = authentic(content, _PURPOSE)
    try:
        return None if marked is None else msgspec.json.decode(marked, type=Damage)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def ignored_mark(database: Path) -> str | None:
    """A message about a mark that is ignored; None if there is none."""
    if not mark_path(database).exists() or _is_ours(database) or read_mark(database) is not None:
        return None
    return (
        f"{mark_path(database)} was not written with the key of the database, so it is ignored, like any recovery file "
        "next to it: another program may have put them there. Delete them"
    )


def _is_ours(database: Path) -> bool:
    """Whether a mark is one that we wrote."""
    try:
        return _decoded(mark_path(database).read_bytes()) is not None
    except FileNotFoundError:
        return False


def _damage_in_recovery(database: Path) -> Damage | None:
    """The damage in the recovery file, which only a process with the key can have made; None if there is none."""
    if kind_of(recovery_path(database)) is not FileKind.ENCRYPTED:
        return None
    damage = damage_in(recovery_path(database))
    return None if damage is None else Damage(id=damage, found=0, message=_EARLIER)


def damage_in(recovery: Path) -> str | None:
    """The id of the damage for which a recovery file was made; None if it cannot be read, or is no recovery file."""
    try:
        with closing(open_without_trace(recovery)) as db:
            damage = db.execute("SELECT value ->> 'damage' FROM meta WHERE key = ?", (STATE,)).get
    except (apsw.Error, StoreUnusable, SettingsInvalid):
        return None
    return damage if isinstance(damage, str) else None


def write_mark(database: Path, message: str, *, now: Microseconds) -> Damage:
    """Mark a database as damaged, durably, unless it is marked already. Returns the mark in effect."""
    earlier = read_mark(database)
    if earlier is not None:
        return earlier
    damage = Damage(id=token_hex(8), found=now, message=message)
    with atomic_write(mark_path(database)) as file:
        file.write(authenticated(msgspec.json.encode(damage), _PURPOSE))
    return damage


def look(database: Path) -> str | None:
    """The defect of a file, as far as a check of a few milliseconds shows; None if there is none.

    Raises StoreUnusable or StoreTooNew for a file that is not ours.
    """
    if not database.exists() or database.stat().st_size == 0:
        return None
    has_log = beside(database, "-wal").exists()
    try:
        with closing(open_without_trace(database)) as db:
            version_of(db)
            return _cut_off(database, db) if not has_log else _catalogue(db)
    except DAMAGE as error:
        from dayline.storage.sqlite.repair.salvage import holds_anything  # here, because few files are damaged

        if not holds_anything(database):
            raise NotADatabase(
                f"{database} cannot be read as a database: {error}", hint="choose another file with --database"
            ) from error
        return str(error)
    except (apsw.CantOpenError, apsw.IOError) as error:
        raise cannot_open(database, error) from error


def _cut_off(database: Path, db: apsw.Connection) -> str | None:
    with database.open("rb") as file:
        head = file.read(100)
    pages, size = int.from_bytes(head[28:32]), database.stat().st_size
    page_size = int(db.pragma("page_size"))
    if not head.startswith(PLAIN_MAGIC):  # encrypted
        pages = int(db.pragma("page_count"))
    if size < pages * page_size:
        return f"it has {size // page_size:,} of {pages:,} pages: its end is missing"
    return _catalogue(db)


def _catalogue(db: apsw.Connection) -> str | None:
    """Read what every start reads, on a read-only connection."""
    if int(db.pragma("user_version")) == len(MIGRATIONS):  # an older file is read after its upgrade
        try:
            Catalogue(db)
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
            return f"a bucket cannot be read: {error}"
        except apsw.SQLError as error:
            return str(error)
        except TypeError:
            return "the statistics of the months do not match the events"
    return None


def _is_repaired(database: Path, damage: Damage) -> bool:
    try:
        with closing(open_without_trace(database)) as db:
            return bool(db.execute("SELECT count(*) FROM meta WHERE key = ? AND value = ?", (REPAIRED, damage.id)).get)
    except apsw.Error:
        return False
