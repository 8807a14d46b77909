"""A server on a disk that the test can slow down, stop or fill."""

from pathlib import Path

from tests.server import RunningServer
from tests.storage.disk import Disk


class ServerOnDisk(RunningServer):
    """`disk` says how its disk behaves."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "days.db")
        self.disk = Disk(folder / "disk")
        self.change = self.disk.change
