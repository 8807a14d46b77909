"""A server on a disk that the test can slow down, stop or fill."""

from pathlib import Path

from tests.support.disks.disk import Disk
from tests.support.server import RunningServer


class ServerOnDisk(RunningServer):
    """`disk` says how its disk behaves."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "days.db")
        self.disk = Disk(folder / "disk")
        self.change = self.disk.change
