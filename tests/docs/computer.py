"""A home folder in which the commands of the README are typed."""

import shlex
import subprocess
from pathlib import Path

from tests.server import RunningServer
from tests.service.command import COMMAND, environment
from tests.service.doors import OUTSIDE_ADDRESS


class Computer:
    """A clean home folder. `diary` is this machine, at a port of the test's instead of 5600."""

    def __init__(self, home: Path, port: int) -> None:
        self.home = home
        self.port = port
        self._services: list[subprocess.Popen[bytes]] = []
        home.mkdir()

    def type(self, line: str) -> str:
        """Run a command that ends by itself; what it prints."""
        done = subprocess.run(self._words(line), cwd=self.home, env=self._environment(), capture_output=True)
        assert done.returncode == 0, f"{line}: {done.stderr.decode()}"
        return done.stdout.decode()

    def start(self, line: str, *flags: str) -> subprocess.Popen[bytes]:
        """Start a command that goes on."""
        with (self.home / "output").open("ab") as log:
            process = subprocess.Popen(
                [*self._words(line), *flags], cwd=self.home, env=self._environment(), stdout=log, stderr=log
            )
        self._services.append(process)
        return process

    def stop(self) -> None:
        for process in self._services:
            process.kill()
            process.wait()

    def _words(self, line: str) -> list[str]:
        program, *words = shlex.split(line, comments=True)
        assert program == "dayline"
        at = {"diary": OUTSIDE_ADDRESS, "https://diary:5600": f"https://{OUTSIDE_ADDRESS}:{self.port}"}
        return [*COMMAND, *(at.get(word, word) for word in words)]

    def _environment(self) -> dict[str, str]:
        return environment(self.home, DAYLINE_PORT=str(self.port), TZ="Europe/Berlin", LANG="C.UTF-8")


def answers(server: RunningServer) -> bool:
    """Whether something serves there by now."""
    try:
        return server.get("/api/0/info").status == 200
    except OSError:
        return False
