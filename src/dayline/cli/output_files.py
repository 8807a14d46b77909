"""Files that commands write for others to read."""

import shlex
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from dayline.model.errors import Conflict, Invalid, NotFound
from dayline.runtime.files import atomic_write, make_folders

REPLACE_HINT: Final = "pass --force to replace it, or choose another file"


def check_folder(path: Path) -> None:
    """Raise NotFound if the folder of a file to write does not exist."""
    if not path.parent.is_dir():
        create = shlex.join(["mkdir", "-p", str(path.parent)])
        raise NotFound(f"the folder {path.parent} does not exist", hint=f"create it: {create}")


@contextmanager
def opened_for_writing(path: Path, *, mode: int = 0o600, replaces: bool = True) -> Generator[BinaryIO]:
    """The file to write to, or standard output for `-`. It gets its name only when it is complete.

    By default only its owner can read it, like the database. Unless it `replaces` a file, raises Conflict for one that
    exists.
    """
    if str(path) == "-":
        yield sys.stdout.buffer
        return
    is_special = path.exists() and not path.is_file()  # a device or a pipe
    if not replaces and not is_special and path.exists():
        raise Conflict(f"{path} exists already", hint=REPLACE_HINT)
    check_folder(path)
    try:
        with path.open("wb") if is_special else atomic_write(path, mode=mode) as file:
            yield file
    except OSError as error:
        raise Invalid(f"cannot write {path}: {error.strerror or error}") from error


def write_whole(path: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Write a file atomically, by default readable by other users, and create its folders.

    If only its owner can read the file, the same is true of new folders.
    """
    try:
        if mode & 0o077:
            path.parent.mkdir(parents=True, exist_ok=True)
        else:
            make_folders(path.parent)
    except OSError as error:
        raise Invalid(f"cannot create the folder {path.parent}: {error.strerror}") from error
    with opened_for_writing(path, mode=mode) as file:
        file.write(content)


def read_if_there(path: Path) -> bytes | None:
    """The content of a file; None if it does not exist."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}") from error


def keep_copy(path: Path, *, mark: str = "before") -> Path:
    """Copy a file to a free name next to it."""
    number = 1
    while (copy := path.with_name(f"{path.name}.{mark}-{number}")).exists():
        number += 1
    shutil.copy2(path, copy)
    return copy
