"""A home folder in which the commands of the README are typed."""

import shlex
import signal
from pathlib import Path

from tests.support.calls.endpoints import OUTSIDE_ADDRESS
from tests.support.processes.command import environment
from tests.support.processes.prepared import PreparedProcess, completed
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S


class Computer:
    """A clean home folder. `diary` is this machine, at a port of the test's instead of 5600."""

    def __init__(self, home: Path, port: int) -> None:
        self.home = home
        self.port = port
        self._services: list[PreparedProcess] = []
        home.mkdir()

    def type(self, line: str) -> str:
        """Run a command that ends on its own; what it prints."""
        done = completed(self._words(line), self._environment(), folder=self.home, seconds=PATIENCE_S)
        assert done.returncode == 0, f"{line}: {done.stderr}"
        return done.stdout

    def start(self, line: str, *flags: str) -> PreparedProcess:
        """Start a command that continues."""
        with (self.home / "output").open("ab") as log:
            number = log.fileno()
            process = PreparedProcess(
                [*self._words(line), *flags], self._environment(), folder=self.home, output=number, errors=number
            )
        self._services.append(process)
        return process

    def stop(self) -> None:
        for process in self._services:
            process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE_S)

    def _words(self, line: str) -> list[str]:
        program, *words = shlex.split(line, comments=True)
        assert program == "dayline"
        at = {"diary": OUTSIDE_ADDRESS, "https://diary:5600": f"https://{OUTSIDE_ADDRESS}:{self.port}"}
        return [*(at.get(word, word) for word in words)]

    def _environment(self) -> dict[str, str]:
        return environment(self.home, DAYLINE_PORT=str(self.port), TZ="Europe/Berlin", LANG="C.UTF-8")


def answers(server: RunningServer) -> bool:
    """Whether something serves there by now."""
    try:
        return server.get("/api/0/info").status == 200
    except OSError:
        return False
