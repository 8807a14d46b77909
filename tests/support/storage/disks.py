"""Disks that a test controls: one under a server that can be slowed or stopped, and a real one of a few MiB."""

import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.support.server import RunningServer
from tests.support.storage.slow_disk import Disk


class ServerOnDisk(RunningServer):
    """`disk` says how its disk behaves."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "days.db")
        self.disk = Disk(folder / "disk")
        self.change = self.disk.change


_AT_ONCE: Final = 1 << 16


class SmallDisk:
    """A mounted file system."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ballast = path / "ballast"

    def fill(self) -> None:
        """Leave not one byte."""
        with self._ballast.open("ab", buffering=0) as file:
            size = _AT_ONCE
            while size:
                try:
                    file.write(b"\0" * size)
                except OSError:
                    size //= 2

    def empty(self) -> None:
        """There is space again."""
        self._ballast.unlink(missing_ok=True)

    def remount(self, *options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{','.join(options)}", str(self.path)], check=True)


@contextmanager
def small_disk(path: Path, *, mib: int) -> Generator[SmallDisk]:
    """Mount one in a new folder, which only root may do. Skips the test where root may not either."""
    path.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=700", "tmpfs", str(path)]
    if os.name != "posix" or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system may be mounted here")
    try:
        yield SmallDisk(path)
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)
