"""The log: readable on a terminal, JSON anywhere else, in a rotated file, and over HTTP."""

import logging
import os
import pty
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from dayline import __version__
from dayline.model.time import parse_timestamp
from dayline.runtime.logs import FILE_BYTES, MAX_FILES, JsonLines
from tests.support.processes.command import COMMAND, Service, environment
from tests.support.server import RunningServer, free_port
from tests.support.waiting import PATIENCE_S

COLORS = re.compile(r"\x1b\[\d+m")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    arguments = ("--port", "0", "--database", str(tmp_path / "days.db"))
    with Service(*arguments, home=tmp_path) as service:
        yield service


def lines_on_a_terminal(*arguments: str, home: Path) -> list[str]:
    """What a person sees who starts a server and stops it when it is ready."""
    terminal, far_end = pty.openpty()
    process = subprocess.Popen([*COMMAND, "serve", *arguments], env=environment(home), stderr=far_end, stdout=far_end)
    os.close(far_end)
    text = b""
    try:
        while piece := os.read(terminal, 4096):
            text += piece
            if b"Data:" in text and process.poll() is None:
                process.send_signal(signal.SIGINT)
    except OSError:  # how a terminal reports that the other end has gone
        pass
    finally:
        os.close(terminal)
        process.wait(timeout=PATIENCE_S)
    return text.decode().splitlines()


def test_a_terminal_shows_lines_for_people(tmp_path: Path) -> None:
    port = free_port()

    lines = lines_on_a_terminal("--port", str(port), "--database", str(tmp_path / "days.db"), home=tmp_path)

    plain = [COLORS.sub("", line) for line in lines]
    assert re.fullmatch(
        rf"\d\d:\d\d:\d\d Dayline {re.escape(__version__)} is ready at http://localhost:{port}/", plain[0]
    )
    assert plain[1].endswith(f"Data: {tmp_path / 'days.db'}")
    assert plain[-1].endswith("Stopped; all data is in days.db")
    assert not any(line.startswith("{") for line in plain)


def test_anything_but_a_terminal_gets_one_json_object_a_line(service: Service) -> None:
    service.end()

    assert service.records
    for record in service.records:
        assert record.keys() >= {"timestamp", "level", "logger", "message"}
        assert record["level"] in ("info", "warning")
        assert parse_timestamp(record["timestamp"])


def test_the_first_line_has_the_address_and_the_second_the_database(service: Service, tmp_path: Path) -> None:
    service.read_until("Data:")

    assert f"is ready at http://localhost:{service.port}/" in service.messages[0]
    assert service.messages[1] == f"Data: {tmp_path / 'days.db'}"


def test_the_last_line_reports_that_the_server_has_stopped(service: Service) -> None:
    service.end()

    assert service.messages[-2:] == ["Stopping", "Stopped; all data is in days.db"]


def test_the_file_beside_the_database_has_the_same_lines(service: Service, tmp_path: Path) -> None:
    service.end()

    assert (tmp_path / "days.db.d" / "dayline.log").read_text().splitlines() == service.lines


def test_a_full_log_file_is_put_aside_and_the_oldest_one_dropped(tmp_path: Path) -> None:
    log = tmp_path / "days.db.d" / "dayline.log"
    log.parent.mkdir()
    log.write_bytes(b"x" * FILE_BYTES)
    for number in range(1, MAX_FILES + 1):
        log.with_name(f"dayline.log.{number}").write_text(f"was {number}")

    with Service("--port", "0", "--database", str(tmp_path / "days.db"), home=tmp_path) as service:
        service.end()

    assert log.with_name("dayline.log.1").stat().st_size == FILE_BYTES
    assert log.with_name("dayline.log.2").read_text() == "was 1"
    assert not log.with_name(f"dayline.log.{MAX_FILES + 1}").exists()
    assert log.read_text().splitlines() == service.lines


def test_the_log_over_http_is_newest_first(server: RunningServer) -> None:
    records = server.get("/api/0/log").json

    moments = [parse_timestamp(record["timestamp"]) for record in records]
    assert moments == sorted(moments, reverse=True)
    assert records[0]["message"].startswith("Data: ")
    assert "is ready at" in records[1]["message"]
    assert {"timestamp", "level", "logger", "message"} == records[0].keys()


@pytest.mark.parametrize(
    ("level", "is_reported"), [("debug", True), ("info", True), ("warning", False), ("error", False)]
)
def test_the_log_level_selects_what_is_logged(tmp_path: Path, level: str, *, is_reported: bool) -> None:
    server = RunningServer(tmp_path / "days.db", "--log-level", level)
    with server:
        reported = server.get("/api/0/log").json

    assert bool([record for record in reported if "is ready at" in record["message"]]) == is_reported


def test_a_level_that_there_is_not_is_rejected_with_those_that_there_are(tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('[server]\nlog_level = "loud"\n')

    result = subprocess.run(
        [*COMMAND, "serve", "--config", str(settings)],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )

    assert result.returncode == 78
    assert "server.log_level must be one of debug, error, info, warning (got 'loud')" in result.stderr


def test_whatever_is_given_with_a_record_becomes_json() -> None:
    record = logging.makeLogRecord(
        {"msg": "read %s", "args": ("it",), "levelname": "INFO", "name": "a", "path": Path("b")}
    )

    line = msgspec.json.decode(JsonLines().format(record))

    assert (line["message"], line["level"], line["logger"], line["path"]) == ("read it", "info", "a", "b")
