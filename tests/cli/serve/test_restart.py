"""A restart in place: the same process, with the same listening sockets if the settings still ask for them."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dayline.api.http.connection import Connection
from dayline.api.http.server import Server

# Executed twice: the second time it is the restarted process, whose port setting is the argument.
RESTARTS = """
import os, socket, sys
from dayline.cli.options.settings import Flags, resolve
from dayline.cli.serve.serve import Restart

port = int(sys.argv[1]) if "DAYLINE_RESTARTED" in os.environ else 5600
restart = Restart(resolve(Flags(server={"port": port})))
sockets = restart.take_sockets() if restart.is_restarted else [socket.create_server(("127.0.0.1", 0))]
print(os.getpid(), restart.is_restarted, *[sock.getsockname()[1] for sock in sockets], flush=True)
assert "DAYLINE_RESTARTED" not in os.environ
if not restart.is_restarted:
    restart.keep(sockets)
    sockets[0].close()
    restart.execute()
assert not any(os.get_inheritable(sock.fileno()) for sock in sockets)
"""


def lines_of_restart(home: Path, *, port: int) -> list[list[str]]:
    environment = {**os.environ, "HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", RESTARTS, str(port)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines()]


def test_a_restarted_process_has_its_id_and_its_sockets(tmp_path: Path) -> None:
    [pid, _, port], restarted = lines_of_restart(tmp_path, port=5600)

    assert restarted == [pid, "True", port]


def test_sockets_that_the_settings_no_longer_ask_for_are_closed(tmp_path: Path) -> None:
    [pid, *_], restarted = lines_of_restart(tmp_path, port=5601)

    assert restarted == [pid, "True"]


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Never called: no socket is open."""


@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_signal_during_a_restart_only_stops_the_server(*, is_stopped: bool) -> None:
    def on_stopping() -> None:
        if is_stopped:
            os.kill(os.getpid(), signal.SIGTERM)

    async def run() -> bool:
        server = Server(app, Connection, on_ready=lambda: server.restart(), on_stopping=on_stopping)
        await server.serve([])
        return server.is_restarting

    assert asyncio.run(run()) == (not is_stopped)


def test_a_restart_is_ignored_while_the_server_stops() -> None:
    async def run() -> bool:
        server = Server(
            app,
            Connection,
            on_ready=lambda: os.kill(os.getpid(), signal.SIGTERM),
            on_stopping=lambda: server.restart(),
        )
        await server.serve([])
        return server.is_restarting

    assert not asyncio.run(run())
