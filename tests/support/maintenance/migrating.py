"""Runs `dayline import` and `dayline export` on copies of the databases that the existing servers have left."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

from dayline.cli.calls.call import decoded, path_with
from tests.support.processes.command import environment
from tests.support.processes.prepared import completed
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S

SAMPLES: Final = Path(__file__).parent / "samples"
PYTHON: Final = Path("aw-server", "peewee-sqlite.v2.db")
RUST: Final = Path("aw-server-rust", "sqlite.db")
EVENTS: Final = 5801
FEW: Final = 290  # events of a small copy
WINDOW: Final = "aw-watcher-window_host"
WINDOW_FEW: Final = 210


def run(*arguments: str | Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a command with the database `days.db` in that home."""
    command = [*map(str, arguments), "--database", str(home / "days.db")]
    return completed(command, environment(home), seconds=PATIENCE_S, folder=home)


def migrated(*paths: str | Path, home: Path, options: Sequence[str] = ()) -> dict[str, Any]:
    """Migrate, and what the command says of the first source."""
    done = run("import", *paths, "--proof", "--json", *options, home=home)
    assert done.returncode == 0, done.stderr
    outcome: dict[str, Any] = msgspec.json.decode(done.stdout)["migrated"][0]
    assert all(bucket["is_proven"] for bucket in outcome["buckets"])
    return outcome


def total(outcome: dict[str, Any], field: str) -> int:
    """A number summed over the buckets."""
    return sum(bucket[field] for bucket in outcome["buckets"])


def exported(home: Path) -> dict[str, Any]:
    """The buckets of the database in that home."""
    done = run("export", "--output", "-", home=home)
    assert done.returncode == 0, done.stderr
    buckets: dict[str, Any] = msgspec.json.decode(done.stdout)["buckets"]
    return buckets


def copy_of(sample: Path, folder: Path) -> Path:
    """The database of a server in a folder of its own, with all that is next to it."""
    shutil.copytree((SAMPLES / sample).parent, folder / sample.parent)
    return folder / sample


def small_copy_of(sample: Path, folder: Path) -> Path:
    """The same with every twentieth event only: for what does not depend on how many there are."""
    database = copy_of(sample, folder)
    changed(database, f"DELETE FROM {'events' if sample == RUST else 'eventmodel'} WHERE id % 20 > 0")
    return database


def installed(home: Path, sample: Path = RUST) -> Path:
    """A small copy of a server's database where that server keeps it for a user with this home."""
    place = home / ".local" / "share" / "activitywatch"
    if not (place / sample).exists():
        small_copy_of(sample, place)
    return place / sample


def changed(database: Path, statement: str, *values: int | float | str | bytes) -> None:
    """Change a row of theirs as their server would."""
    db = apsw.Connection(str(database))
    db.execute(statement, values)
    db.close()


def contents(folder: Path) -> dict[str, bytes]:
    """Every file in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Calling:
    """The calls of a running server, as our own commands make them."""

    def __init__(self, server: RunningServer) -> None:
        self._server = server

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        answer = self._server.call(method, path_with(path, query), body)
        return decoded(answer.status, answer.body)
