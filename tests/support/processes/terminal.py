"""A command in a terminal of its own: what someone sees who types it."""

import contextlib
import fcntl
import io
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
import pytest

from dayline.cli.main import main
from tests.support.waiting import PATIENCE_S

DAYLINE = (sys.executable, "-m", "dayline")


class Shown(msgspec.Struct, frozen=True):
    """What a command has written, and how it ended."""

    code: int
    out: str
    err: str = ""

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.out)


def environment(database: Path, **more: str) -> dict[str, str]:
    """Nothing of the person who runs the tests."""
    unset = ("NO_COLOR", "COLORTERM", "COLUMNS", "TERM", "WT_SESSION")
    inherited = {name: value for name, value in os.environ.items() if name not in unset}
    home = {"HOME": str(database.parent), "DAYLINE_DATABASE": str(database), "TZ": "Europe/Berlin"}
    return {**inherited, **home, **more}


def piped(database: Path, *arguments: str, given: str | None = None, **more: str) -> Shown:
    """Run a command whose output goes into a pipe: in this process, since starting another takes longer."""
    written = [io.BytesIO(), io.BytesIO()]
    out, err = (io.TextIOWrapper(stream, "utf-8", write_through=True) for stream in written)
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment(database, **more))
    stdin, sys.stdin = sys.stdin, io.StringIO(given or "")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main(arguments)
    finally:
        sys.stdin = stdin
        os.environ.clear()
        os.environ.update(before)
    return Shown(int(ended.value.code or 0), *(stream.getvalue().decode() for stream in written))


class Terminal:
    """A command that runs in a pseudo-terminal. Leaving the block ends it."""

    def __init__(
        self, database: Path, *arguments: str, width: int = 80, folder: Path | None = None, **more: str
    ) -> None:
        self._own, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        environ = environment(database, TERM="xterm-256color", **more)
        command = [*DAYLINE, *arguments]
        self._process = subprocess.Popen(
            command, stdin=other, stdout=other, stderr=other, env=environ, cwd=folder, start_new_session=True
        )
        os.close(other)
        self.text = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(timeout=PATIENCE_S)
        os.close(self._own)

    def read_until(self, text: str) -> None:
        """Read what is shown until it holds this."""
        while text not in self.text:
            assert self._read(), f"it ended without {text!r}:\n{self.text}"

    def send_signal(self, number: int) -> None:
        self._process.send_signal(number)

    def ended(self) -> Shown:
        """Read all that is shown, and how it ended."""
        while self._read():
            pass
        return Shown(self._process.wait(timeout=PATIENCE_S), self.text.replace("\r\n", "\n"))

    def _read(self) -> bool:
        try:
            piece = os.read(self._own, 65536)
        except OSError:  # as Linux says that the other end is closed
            return False
        self.text += piece.decode(errors="replace")
        return bool(piece)


def shown(database: Path, *arguments: str, width: int = 80, folder: Path | None = None, **more: str) -> Shown:
    """Run a command in a terminal to its end."""
    with Terminal(database, *arguments, width=width, folder=folder, **more) as terminal:
        return terminal.ended()
