"""A server whose terminal or log cannot be written records all the same, and stops with 0 once its data is safe."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes.prepared import PreparedProcess
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S

EVENT = {"timestamp": "2026-01-01T10:00:00Z", "duration": 1, "data": {"app": "editor"}}


class Unheard(PreparedProcess):
    """A process whose standard error cannot be read back."""

    @property
    def errors(self) -> bytes:
        return b""


class UnheardServer(RunningServer):
    """`dayline serve` with buffered standard streams that go where the test says; None for closed ones."""

    def __init__(self, database: Path, *, stream: int | None) -> None:
        super().__init__(database)
        self._stream = stream

    def start(self, **environment: str) -> None:
        closed = " 0<&- 1>&- 2>&-" if self._stream is None else ""
        # With the variable the streams have no buffers, and nothing is left to be written at the end.
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        self._process = Unheard(
            self.arguments,
            {**variables, "HOME": str(self.database.parent)},
            program=["sh", "-c", f'exec "$@"{closed}', "sh", sys.executable, "-m", "dayline"],
            output=self._stream,
            errors=self._stream,
        )
        self._wait_until_ready()


@pytest.fixture
def full() -> Iterator[int]:
    """A device that takes nothing."""
    device = os.open("/dev/full", os.O_WRONLY)
    yield device
    os.close(device)


@pytest.fixture
def broken() -> Iterator[int]:
    """A pipe that no one reads."""
    read, write = os.pipe()
    os.close(read)
    yield write
    os.close(write)


@pytest.mark.parametrize("place", ["full", "broken", "closed"])
def test_a_server_that_cannot_write_its_output_records_and_stops_cleanly(
    tmp_path: Path, request: pytest.FixtureRequest, place: str
) -> None:
    stream: int | None = None if place == "closed" else request.getfixturevalue(place)
    (tmp_path / "days.db.d").mkdir()
    (tmp_path / "days.db.d" / "dayline.log").symlink_to("/dev/full")
    server = UnheardServer(tmp_path / "days.db", stream=stream)
    with server:
        server.create("window")
        server.post("/api/0/buckets/window/events", [EVENT])

        assert server.stop() == 0

    with RunningServer(tmp_path / "days.db") as again:
        assert again.get("/api/0/buckets/window/events/count").json == 1


@pytest.mark.parametrize("place", ["full", "broken"])
def test_a_rejected_start_keeps_its_exit_code_if_its_output_is_closed(
    tmp_path: Path, request: pytest.FixtureRequest, place: str
) -> None:
    stream: int = request.getfixturevalue(place)
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    (tmp_path / "days.db").write_text("this is not a database, and a long text at that" * 100)

    ended = subprocess.run(
        [sys.executable, "-m", "dayline", "serve", "--port", "0", "--database", str(tmp_path / "days.db")],
        stdout=stream,
        stderr=stream,
        env={**variables, "HOME": str(tmp_path)},
        check=False,
        timeout=PATIENCE_S,
    )

    assert ended.returncode == 65


def test_a_command_whose_result_cannot_be_written_fails(tmp_path: Path, full: int) -> None:
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}

    ended = subprocess.run(
        [sys.executable, "-m", "dayline", "--version"],
        stdout=full,
        stderr=subprocess.DEVNULL,
        env={**variables, "HOME": str(tmp_path)},
        check=False,
        timeout=PATIENCE_S,
    )

    assert ended.returncode != 0
