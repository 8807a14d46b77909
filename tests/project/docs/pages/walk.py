"""A user who types every command of a page in order, in a home folder of its own."""

import os
import re
import shlex
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from tests.project.docs.pages.kinds import ALONE, BEFORE, CONTINUES, ELSEWHERE, FILES, FOR_NEW, SERVED, WITHOUT_DATA
from tests.project.docs.pages.steps import Step
from tests.support.calls.endpoints import OUTSIDE_ADDRESS
from tests.support.maintenance.migrating import RUST, copy_of
from tests.support.processes.command import environment
from tests.support.processes.prepared import PreparedProcess, completed
from tests.support.processes.terminal import shown
from tests.support.server import RunningServer, free_port
from tests.support.waiting import PATIENCE_S, eventually

_OPERATORS: Final = frozenset("|&;<>()")
_BACKUP: Final = re.compile(r"dayline-[0-9]{8}T[0-9]{6}Z\.db\.zst")
# curl fails for an error of the server, and prints only what it receives.
_CURL: Final = 'curl() { command curl --fail-with-body --silent --show-error "$@"; }'


class Typed(NamedTuple):
    """How a command ended, and all that it printed."""

    code: int
    output: str


class Walk:
    """A home folder with demo data and a database of ActivityWatch. Leaving the block stops what was started."""

    def __init__(self, page: Path, home: Path, demo: Path) -> None:
        self._page, self._home = page, home
        self._port, self._relay_port = free_port(), free_port()
        self._data = home / ".local" / "share" / "dayline"
        self._data.mkdir(parents=True)
        if page.name not in WITHOUT_DATA:
            shutil.copy(demo, self._database)
        copy_of(RUST, home / ".local" / "share" / "activitywatch")
        self._make_program()
        self._processes: dict[str, PreparedProcess] = {}

    def __enter__(self) -> Self:
        for name, text in FILES.get(self._page.name, {}).items():
            (self._home / name).write_text(text)
        for command in BEFORE.get(self._page.name, ()):
            done = self.take(Step(command.format(address=OUTSIDE_ADDRESS)))
            assert done.code == 0, f"{command}: {done.output}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in [*self._processes]:
            self._stop(name)

    def take(self, step: Step) -> Typed:
        """Type a command, and answer yes if it asks."""
        command = self._here(step.command)
        if CONTINUES.match(command):
            return self._start(command)
        if ALONE.match(command):
            self._stop("serve")
        elif SERVED.match(command) and not self._processes:
            self._start("dayline serve")
        if not command.startswith("dayline ") or _has_operators(command):
            return self._in_shell(command)
        done = self._typed(command, step)
        is_asked = done.code == 64 and done.output.rstrip().endswith("pass --yes")
        return self._typed(command, step, "--yes") if is_asked else done

    def _typed(self, command: str, step: Step, *more: str) -> Typed:
        words = [*self._words(command), *more]
        if step.is_exact:
            done = shown(self._database, *words, width=80, folder=self._home, NO_COLOR="1", **self._environment)
            return Typed(done.code, done.out)
        with tempfile.TemporaryFile() as output:
            number = output.fileno()
            process = PreparedProcess(words, self._environment, folder=self._home, output=number, errors=number)
            code = process.wait(PATIENCE_S)
            output.seek(0)
            return Typed(code, output.read().decode().replace(str(self._home), "/home/you"))

    def _in_shell(self, command: str) -> Typed:
        script = f"set -o pipefail; {_CURL}; {{ {command}\n}} 2>&1"
        done = completed(["-c", script], self._environment, folder=self._home, program=["bash"], seconds=PATIENCE_S)
        return Typed(done.returncode, done.stdout)

    def _start(self, command: str) -> Typed:
        words = self._words(command)
        name = "relay" if words[0] == "relay" else "serve"
        self._stop(name)
        if name == "relay":
            words += ["--port", str(self._relay_port)]
        elif words[0] == "demo" or "--port" in words:
            words = [word for word in words if word not in ("--port", "5700")] + ["--port", str(free_port())]
        if FOR_NEW.match(command):
            words += ["--database", str(self._home / "new.db")]
        log = self._home / f"{name}.log"
        with log.open("wb") as file:
            process = PreparedProcess(
                words, self._environment, folder=self._home, output=file.fileno(), errors=file.fileno()
            )
        self._processes[name] = process
        eventually(lambda: process.poll() is not None or "is ready at" in log.read_text())
        if name == "relay":
            relay = RunningServer(self._database, port=self._relay_port)
            eventually(lambda: process.poll() is not None or relay.get("/api/1/relay").json["state"] == "connected")
        return Typed(process.poll() or 0, log.read_text())

    def _stop(self, name: str) -> None:
        process = self._processes.pop(name, None)
        if process is not None:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)

    def _words(self, command: str) -> list[str]:
        words = shlex.split(command, comments=True)[1:]
        words = [str(self._home / word[2:]) if word.startswith("~/") else word for word in words]
        return [*words, "--port", str(self._relay_port)] if words[:2] == ["relay", "status"] else words

    def _here(self, command: str) -> str:
        """The same command with the ports, addresses and names of this machine."""
        port = self._relay_port if "api/1/relay" in command else self._port
        command = re.sub(r"(localhost|127\.0\.0\.1):5600", f"localhost:{port}", command)
        command = command.replace("https://diary.lan:5600", f"https://{OUTSIDE_ADDRESS}:{self._port}")
        backups = sorted((self._data / "dayline-backups").glob("*.db.zst"))
        if backups:
            command = _BACKUP.sub(backups[-1].name, command)
        for pattern, here in ELSEWHERE:
            command = pattern.sub(here, command)
        return command

    def _make_program(self) -> None:
        program = self._home / "bin" / "dayline"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m dayline "$@"\n')
        program.chmod(0o755)

    @property
    def _database(self) -> Path:
        return self._data / "dayline.db"

    @property
    def _environment(self) -> dict[str, str]:
        variables = {"DAYLINE_PORT": str(self._port), "TZ": "Europe/Berlin", "LANG": "C.UTF-8", "SHELL": "/bin/bash"}
        if self._page.name == "encryption.md":  # instead of the keyring of a desktop
            variables["DAYLINE_ENCRYPTION_KEY_FILE"] = str(self._home / "database.key")
        path = os.pathsep.join([str(self._home / "bin"), os.environ["PATH"]])
        return environment(self._home, **variables) | {"PATH": path}


def _has_operators(command: str) -> bool:
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    return any(set(word) <= _OPERATORS for word in words)
