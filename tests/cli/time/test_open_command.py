"""`dayline open`: with a browser, without one, and from far away."""

import re
import stat
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.processes.command import run
from tests.support.server import RunningServer, free_port


@pytest.fixture
def browser(tmp_path: Path) -> Path:
    """A real program instead of a browser, and writes down what it is given."""
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\nprintf %s "$1" > {tmp_path}/opened\n')
    program.chmod(0o755)
    return program


def opened(server: RunningServer, *arguments: str, **variables: str) -> tuple[str, str]:
    done = run("open", *arguments, "--database", str(server.database), home=server.database.parent, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def signed_in(server: RunningServer, link: str) -> int:
    return server.post("/api/1/session", {"code": link.partition("#code=")[2]}).status


def test_the_browser_is_led_to_the_link_that_signs_in(
    shared_server: RunningServer, browser: Path, tmp_path: Path
) -> None:
    link, _ = opened(shared_server, BROWSER=f"{browser} %s")

    page = Path(urlsplit((tmp_path / "opened").read_text()).path)
    assert f'content="0; url={link}"' in page.read_text()
    assert re.fullmatch(rf"http://127\.0\.0\.1:{shared_server.port}/#code=.+", link)
    assert signed_in(shared_server, link) == 201
    assert signed_in(shared_server, link) == 401


def test_the_code_is_in_no_process_list_and_in_a_file_of_the_owner_alone(
    shared_server: RunningServer, browser: Path, tmp_path: Path
) -> None:
    link, _ = opened(shared_server, BROWSER=f"{browser} %s")

    argument = (tmp_path / "opened").read_text()
    assert link.partition("#code=")[2] not in argument
    assert stat.S_IMODE(Path(urlsplit(argument).path).stat().st_mode) == 0o600


def test_without_a_browser_the_link_is_printed_and_works(shared_server: RunningServer) -> None:
    link, errors = opened(shared_server)

    assert "No browser could be opened" in errors
    assert signed_in(shared_server, link) == 201


def test_over_ssh_the_command_for_a_tunnel_is_printed(
    shared_server: RunningServer, browser: Path, tmp_path: Path
) -> None:
    link, errors = opened(shared_server, SSH_CONNECTION="192.0.2.1 1 192.0.2.2 22")

    assert f"ssh -L {shared_server.port}:127.0.0.1:{shared_server.port} " in errors
    assert not (tmp_path / "opened").exists()
    assert signed_in(shared_server, link) == 201


def test_a_server_that_crashed_is_not_taken_for_one_that_runs(server: RunningServer) -> None:
    server.kill()

    done = run("open", "--database", str(server.database), home=server.database.parent,
               DAYLINE_CONFIG=str(settings_file(server.database.parent, free_port())))  # fmt: skip

    assert (done.returncode, done.stdout) == (75, "")
    assert "no server on this computer uses" in done.stderr
    assert "dayline serve" in done.stderr


def test_a_server_with_another_database_is_reported(shared_server: RunningServer, tmp_path: Path) -> None:
    config = settings_file(tmp_path, shared_server.port)

    done = run("open", "--database", str(tmp_path / "other.db"), home=tmp_path, DAYLINE_CONFIG=str(config))

    assert (done.returncode, f"one answers at port {shared_server.port}" in done.stderr) == (75, True)


def settings_file(folder: Path, port: int) -> Path:
    path = folder / "config.toml"
    path.write_text(f"[server]\nport = {port}\n")
    return path
