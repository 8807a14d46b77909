"""The `dayline` command as a user or a service manager starts it: any arguments, any environment."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import msgspec

from tests.support.processes.prepared import PreparedProcess, completed
from tests.support.server import replacing
from tests.support.waiting import PATIENCE_S

COMMAND: Final = (sys.executable, "-m", "dayline")


def environment(home: Path, **variables: str) -> dict[str, str]:
    """The least that a program needs; nothing of who runs the tests."""
    inherited = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return {**inherited, "HOME": str(home), **variables}


def run(*arguments: str, home: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command that ends on its own."""
    return completed(arguments, environment(home, **variables), seconds=PATIENCE_S)


class Service:
    """`dayline serve`, ready when the block begins. Its log is read from standard error."""

    def __init__(
        self,
        *arguments: str,
        home: Path,
        command: Sequence[str] = COMMAND,
        constants: Mapping[str, object] | None = None,
        variables: dict[str, str] | None = None,
    ) -> None:
        log, far_end = os.pipe()
        self._log = os.fdopen(log)
        self._process = PreparedProcess(
            ["serve", *arguments],
            environment(home, **(variables or {})),
            program=[] if command == COMMAND else command,
            change=replacing(constants or {}),
            errors=far_end,
        )
        os.close(far_end)
        self.lines: list[str] = []

    def __enter__(self) -> Self:
        try:
            self.read_until("is ready at")
        except BaseException:
            self.end(signal.SIGKILL)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, trace: TracebackType | None) -> None:
        self.end()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def records(self) -> list[dict[str, Any]]:
        """The log so far."""
        return [msgspec.json.decode(line) for line in self.lines]

    @property
    def messages(self) -> list[str]:
        return [record["message"] for record in self.records]

    @property
    def port(self) -> int:
        """The port that it says it is ready at."""
        ready = next(message for message in self.messages if "is ready at" in message)
        return int(ready.partition("localhost:")[2].partition("/")[0])

    def read_until(self, text: str) -> None:
        """Read the log up to a line that holds the text."""
        deadline = time.monotonic() + PATIENCE_S
        while not (self.lines and text in self.lines[-1]):
            line = self._log.readline()
            assert line, f"it ended without a line of {text!r}: {self.lines}"
            assert time.monotonic() < deadline
            self.lines.append(line.rstrip("\n"))

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, read the rest of the log, and return the exit status."""
        if self._process.poll() is None:
            self._process.send_signal(number)
        if not self._log.closed:
            impatience = threading.Timer(PATIENCE_S, self._process.send_signal, [signal.SIGKILL])
            impatience.start()
            self.lines += self._log.read().splitlines()
            self._log.close()
            impatience.cancel()
        return self._process.wait(PATIENCE_S)


READING: Final = (
    "annotations",
    "annotations list",
    "buckets",
    "buckets devices",
    "buckets list",
    "categories explain --app Code",
    "categories export",
    "categories history",
    "categories list",
    "categories suggest",
    "events aw-watcher-window_laptop",
    "export",
    "doctor --data",
    "doctor --fix duplicates --dry-run",
    "goals",
    "goals hours",
    "goals list",
    "keys list",
    "keys sessions",
    "logs audit",
    "privacy history",
    "privacy list",
    "privacy preview --field title --pattern main --action redact",
    "report --month",
    "search Code",
    "space",
    "space retention",
    "space retention preview *=1",
    "space show",
    "status",
    "status --server",
    "today",
    "top --week",
    "today --date yesterday",
    "trash",
)
READING_FILES: Final = ("export --format archive -o days.jsonl.zst", "doctor")
# Those that exit with 1 where no server records.
OF_RECORDING: Final = ("status", "status --server")
CHANGING: Final = (
    "annotations off 1",
    "annotations delete 1",
    "buckets delete a --yes",
    "buckets rename a b --yes",
    "buckets unalias a --yes",
    "categories restore 1",
    "demo --remove",
    "doctor --fix duplicates --yes",
    "goals delete 1",
    "keys revoke aaaaaaaa",
    "keys rotate aaaaaaaa",
    "privacy apply --field title --pattern main --action redact --yes",
    "privacy make-final 1 --yes",
    "privacy delete 1",
    "privacy undo 1",
    "space retention apply --yes",
    "trash empty --yes",
    "undo --yes",
)
CHANGING_FILES: Final = ("backup create", "space compact", "doctor --repair --yes")
STORING: Final = (
    "annotations add Writing --from 10:00 --for 1h",
    "categories add Work --app Code",
    "goals add News --at-most 30m",
    "goals hours mon-fri=09:00-17:00",
    "keys create --name phone --scope read",
    "privacy add --field title --pattern main --action redact",
    "space retention set a=1",
)
