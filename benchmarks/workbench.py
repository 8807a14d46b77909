"""What every measure shares: the command to start, a folder to work in, the size of things, and the imported year."""

import http.client
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from benchmarks.seeded_year import DAYS_IN_YEAR, seeded_export
from benchmarks.server import Server, dayline_server
from benchmarks.table import NotMeasured

QUICK_DAYS = 60
UPLOAD_BLOCK = 1 << 20
IMPORT_TIMEOUT_S = 1800.0


class Imported(NamedTuple):
    """What an import did, by the server's own count, and how long the caller waited for it."""

    events: int
    seconds: float


class Workbench:
    """A folder for one run of the benchmarks; databases live here and are gone afterwards."""

    def __init__(self, *, command: Sequence[str], folder: Path, cache: Path, is_quick: bool) -> None:
        self.command = command
        self.folder = folder
        self.cache = cache
        self.is_quick = is_quick
        self.round_s = 2 if is_quick else 5
        self.days = QUICK_DAYS if is_quick else DAYS_IN_YEAR
        self._year: Path | None = None

    @property
    def period(self) -> str:
        """The seeded data in words."""
        return f"{self.days} days" if self.is_quick else "the year"

    def database(self, name: str) -> Path:
        """A database that does not exist yet, in a new folder of its own."""
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.folder)) / "dayline.db"

    def export_file(self) -> Path:
        """The seeded export that is imported."""
        return seeded_export(self.cache, days=self.days)

    def year(self) -> Path:
        """A database with the seeded export in it, imported on the first call; measures may read it, not change it."""
        if self._year is None:
            path = self.database("year")
            with dayline_server(self.command, path) as server:
                import_file(server, self.export_file())
            self._year = path
        return self._year

    def keep_year(self, path: Path) -> None:
        """Spare the import: this database holds the seeded export already."""
        self._year = path


def bytes_of(database: Path) -> int:
    """What a database and its derived data take on the disk."""
    folder = database.with_name(f"{database.name}.d")
    return database.stat().st_size + sum(
        file.stat().st_size for file in folder.rglob("*") if file.name != "dayline.log"
    )


def import_file(server: Server, path: Path) -> Imported:
    """Send an export to the server and wait until it is imported."""
    with path.open("rb") as file:
        return import_body(server, file, size=path.stat().st_size)


def import_body(server: Server, body: BinaryIO, *, size: int) -> Imported:
    """Send an export of that many bytes to the server and wait until it is imported."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=IMPORT_TIMEOUT_S, blocksize=UPLOAD_BLOCK)
    headers = {"Content-Type": "application/json", "Content-Length": str(size)}
    begun = time.perf_counter()
    try:
        connection.request("POST", "/api/0/import", body=body, headers=headers)
        response = connection.getresponse()
        answer = response.read()
    finally:
        connection.close()
    seconds = time.perf_counter() - begun
    if response.status != 200:
        raise NotMeasured(f"the import was answered with {response.status}: {answer[:200].decode(errors='replace')}")
    return Imported(events=int(json.loads(answer)["imported"]), seconds=seconds)
