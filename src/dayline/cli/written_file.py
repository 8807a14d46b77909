"""Files that a command writes into places which others read too: whole, and nothing that was there is lost."""

import difflib
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from dayline.model.errors import Invalid
from dayline.runtime.files import atomic_write


@contextmanager
def opened_for_writing(path: Path, *, mode: int = 0o600) -> Generator[BinaryIO]:
    """The file to write to, or standard output for `-`. It has its name only when it is complete.

    For its owner alone to read, as the database is, where `mode` does not say otherwise.
    """
    if str(path) == "-":
        yield sys.stdout.buffer
        return
    is_special = path.exists() and not path.is_file()  # a device or a pipe
    try:
        with path.open("wb") if is_special else atomic_write(path, mode=mode) as file:
            yield file
    except OSError as error:
        raise Invalid(f"cannot write {path}: {error.strerror or error}") from error


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that other programs are to read, and the folders around it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Invalid(f"cannot make the folder {path.parent}: {error.strerror}") from error
    with opened_for_writing(path, mode=0o644) as file:
        file.write(content)


def read_if_there(path: Path) -> bytes | None:
    """The content of a file; None where there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}") from error


def keep_copy(path: Path) -> Path:
    """Copy a file to a name beside it that is free."""
    number = 1
    while (copy := path.with_name(f"{path.name}.before-{number}")).exists():
        number += 1
    shutil.copy2(path, copy)
    return copy


def difference(path: Path, old: str, new: str) -> str:
    """What changes, as `diff -u` shows it."""
    lines = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), fromfile=f"{path} (there)", tofile=f"{path} (new)"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
