"""Starts the servers that are measured, each a process of its own on a free loopback port, and stops them cleanly."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from benchmarks.connection import Connection
from benchmarks.table import NotMeasured

START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 120.0  # a clean end may have to write a large log back into the file
POLL_S = 0.001

FLOOR = Path(__file__).parent / "yardstick" / "floor.py"


class Server(Struct, frozen=True, kw_only=True):
    """A server that answers."""

    port: int
    pid: int
    started_in_s: float  # from the start of the process to its first response


@contextmanager
def dayline_server(
    command: Sequence[str], database: Path, *flags: str, address: str | None = None
) -> Generator[Server]:
    """Dayline on that file, for the length of the block; the file is whole and closed afterwards.

    With an address it is on PostgreSQL, and the file only names a folder for what else it writes.
    """
    port = free_port()
    place = str(database) if address is None else address
    arguments = ["--host", "127.0.0.1", "--port", str(port), "--database", place, "--log-level", "warning"]
    with _process([*command, "serve", *arguments, *flags], database, port, ask=_ask_for_info) as server:
        yield server


@contextmanager
def floor_server(database: Path) -> Generator[Server]:
    """The yardstick on that file, for the length of the block."""
    port = free_port()
    with _process([sys.executable, str(FLOOR), str(port), str(database)], database, port, ask=_connect) as server:
        yield server


@contextmanager
def rust_server(binary: str, database: Path) -> Generator[Server]:
    """The Rust server of ActivityWatch on that file, for the length of the block."""
    port = free_port()
    arguments = ["--host", "127.0.0.1", "--port", str(port), "--dbpath", str(database), "--no-legacy-import"]
    with _process([binary, *arguments], database, port, ask=_ask_for_info) as server:
        yield server


def dayline_command() -> list[str]:
    """The `dayline` of the environment that runs this."""
    script = Path(sys.executable).with_name("dayline")
    return [str(script)] if script.exists() else [sys.executable, "-m", "dayline"]


def free_port() -> int:
    """A loopback port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def create_buckets(port: int, bucket_ids: Sequence[str], *, key: str | None = None) -> None:
    """Make the buckets that heartbeats go to."""
    with Connection(port, key=key) as connection:
        for bucket_id in bucket_ids:
            body = b'{"client": "benchmark", "type": "currentwindow", "hostname": "host"}'
            answer = connection.post(f"/api/0/buckets/{bucket_id}", body)
            if answer.status not in (200, 304):
                raise NotMeasured(f"creating a bucket was answered with {answer.status}")


@contextmanager
def _process(command: Sequence[str], database: Path, port: int, *, ask: Callable[[int], None]) -> Generator[Server]:
    log = database.with_suffix(".output")
    begun = time.perf_counter()
    with log.open("ab") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=_environment(database.parent))
    try:
        _wait_until_it_answers(process, lambda: ask(port), log)
        yield Server(port=port, pid=process.pid, started_in_s=time.perf_counter() - begun)
    finally:
        _stop(process)


def _environment(folder: Path) -> dict[str, str]:
    """Ours, without the user's own settings of Dayline: they would be measured too.

    And as installed: with bytecode, which would otherwise be made again at the start of each process.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DAYLINE_", "PYTHONDONTWRITE"))}
    return kept | {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}


def _ask_for_info(port: int) -> None:
    with Connection(port) as connection:
        connection.get("/api/0/info")


def _connect(port: int) -> None:
    """All that the yardstick can be asked: it knows nothing but heartbeats."""
    with Connection(port):
        pass


def _wait_until_it_answers(process: subprocess.Popen[bytes], ask: Callable[[], None], log: Path) -> None:
    deadline = time.perf_counter() + START_TIMEOUT_S
    while time.perf_counter() < deadline:
        if process.poll() is not None:
            raise NotMeasured(f"the server ended at once: {_last_line(log)}")
        try:
            return ask()
        except ConnectionError:
            time.sleep(POLL_S)
    raise NotMeasured(f"the server did not answer within {START_TIMEOUT_S:.0f} s: {_last_line(log)}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it printed nothing"
