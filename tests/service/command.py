"""The `dayline` command as a user or a service manager starts it: any arguments, any environment."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import msgspec

COMMAND: Final = (sys.executable, "-m", "dayline")
_PATIENCE_S: Final = 30


def environment(home: Path, **variables: str) -> dict[str, str]:
    """The least that a program needs; nothing of who runs the tests."""
    inherited = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return {**inherited, "HOME": str(home), **variables}


def run(*arguments: str, home: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command that ends by itself."""
    return subprocess.run(
        [*COMMAND, *arguments],
        env=environment(home, **variables),
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
        check=False,
    )


class Service:
    """`dayline serve`, ready when the block begins. Its log is read from standard error."""

    def __init__(
        self, *arguments: str, home: Path, command: Sequence[str] = COMMAND, variables: dict[str, str] | None = None
    ) -> None:
        self._process = subprocess.Popen(
            [*command, "serve", *arguments],
            env=environment(home, **(variables or {})),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
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
        assert self._process.stderr is not None
        deadline = time.monotonic() + _PATIENCE_S
        while not (self.lines and text in self.lines[-1]):
            line = self._process.stderr.readline()
            assert line, f"it ended without a line of {text!r}: {self.lines}"
            assert time.monotonic() < deadline
            self.lines.append(line.rstrip("\n"))

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, read the rest of the log, and return the exit status."""
        if self._process.poll() is None:
            self._process.send_signal(number)
        if self._process.stderr is not None and not self._process.stderr.closed:
            # Not by `communicate`: it reads past what `readline` has taken from the pipe and not yet given out.
            impatience = threading.Timer(_PATIENCE_S, self._process.kill)
            impatience.start()
            self.lines += self._process.stderr.read().splitlines()
            self._process.stderr.close()
            impatience.cancel()
        return self._process.wait(_PATIENCE_S)
