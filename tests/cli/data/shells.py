"""Shells in a terminal of their own, in which the Tab key is pressed."""

import contextlib
import io
import os
import pty
import re
import shlex
import shutil
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self
from unittest import mock

from dayline.cli.main import main
from tests.support.processes.command import environment
from tests.support.waiting import PATIENCE_S

_HOME_KEY: Final = "\x01"  # Ctrl-A
_CLEAR: Final = "\x15"  # Ctrl-U


class Kind(NamedTuple):
    """How a shell is started without files of the machine, and what is typed first."""

    command: tuple[str, ...]
    first: tuple[str, ...]
    is_shown_by_tab: bool = False


# `words` prints the words that the shell makes of a line. Completion is loaded as docs/guides/terminal.md says.
SHELLS: Final = {
    "bash": Kind(
        ("bash", "--norc", "--noprofile", "-i"),
        (
            'source "$HOME/.local/share/bash-completion/completions/dayline"',
            "bind 'set enable-bracketed-paste off'",
            "words() { printf '<%s>' \"$@\"; printf '%s\\n' ''; }",
        ),
    ),
    "zsh": Kind(
        ("zsh", "--no-globalrcs", "--no-rcs", "-i"),
        (
            "unsetopt prompt_sp; unset zle_bracketed_paste; bindkey -e",
            "fpath=(~/.local/share/zsh/site-functions $fpath); autoload -U compinit; compinit -u -D",
            "words() { printf '<%s>' \"$@\"; printf '%s\\n' ''; }",
            # It does not complete while more is typed: Tab prints the words.
            'show-words() { zle expand-or-complete; words "${(Q@)${(z)LBUFFER}}"; zle kill-buffer }',
            "zle -N show-words; bindkey '^I' show-words",
        ),
        is_shown_by_tab=True,
    ),
    "fish": Kind(
        ("fish", "--private"),
        (
            "function words; printf '<%s>' $argv; echo; end",
            "function fish_greeting; end",
        ),
    ),
}


PROGRAM: Final = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m dayline "$@"\n'
# Sends its variables to the process of the test, and prints the response.
_ASKING: Final = """#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/{port}
{{ env -0; printf 'end\\0'; }} >&3
cat <&3
"""


class _Answer(socketserver.StreamRequestHandler):
    """Runs the command in this process, as a shell that completes asks for it."""

    def handle(self) -> None:
        received = b""
        while not received.endswith(b"end\0"):
            received += self.request.recv(65536)
        variables = dict(text.split("=", 1) for text in received.decode().split("\0")[:-2])
        printed = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
        with (
            mock.patch.dict(os.environ, variables, clear=True),
            contextlib.redirect_stdout(printed),
            contextlib.suppress(SystemExit),
        ):
            main(())
        self.wfile.write(printed.buffer.getvalue())


@contextlib.contextmanager
def program_in_this_process() -> Generator[str]:
    """A program that completes without starting Python, which takes most of the time of a Tab key."""
    with socketserver.TCPServer(("127.0.0.1", 0), _Answer) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield _ASKING.format(port=server.server_address[1])
        server.shutdown()
        thread.join()


class Shell:
    """An interactive shell with the installed completion. Leaving the block ends it."""

    def __init__(self, name: str, home: Path, *, program: str = PROGRAM, **variables: str) -> None:
        self._program = home / "bin" / "dayline"
        self._program.parent.mkdir(exist_ok=True)
        self._source = program
        path = f"{self._program.parent}{os.pathsep}{os.environ['PATH']}"
        self._environment = environment(
            home, PATH=path, TERM="dumb", PS1="$ ", LANG="C.UTF-8", LC_ALL="C.UTF-8", SHELL=f"/bin/{name}",
            # Otherwise fish reads every man page in the background, which takes many seconds and outlives the test.
            FISH_UNIT_TESTS_RUNNING="1",
            **variables,
        )  # fmt: skip
        self._home, self._kind = home, SHELLS[name]
        self._seen = ""

    def __enter__(self) -> Self:
        self._write_program(PROGRAM)
        install = [str(self._program), "completion", "--install"]
        subprocess.run(install, env=self._environment, check=True, capture_output=True, timeout=PATIENCE_S)
        self._write_program(self._source)
        self._terminal, other = pty.openpty()
        self._process = subprocess.Popen(
            ["setsid", "--ctty", *self._kind.command],  # fish needs to control its terminal
            stdin=other, stdout=other, stderr=other, env=self._environment, cwd=self._home,
        )  # fmt: skip
        os.close(other)
        for line in self._kind.first:
            self._type(f"{line}\n")
        self._type("words ready\n")
        self._read_until("<ready>")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait(PATIENCE_S)
        os.close(self._terminal)

    def completed(self, line: str) -> list[str]:
        """The words of a line after the Tab key, as the shell splits it."""
        self._seen = ""
        self._type(f"{line}\t")
        if not self._kind.is_shown_by_tab:
            self._type(f"{_HOME_KEY}words \n")
        return re.findall(r"<([^>]*)>", self._read_until(">\r\n").replace("\r\n", "\n"))

    def _write_program(self, source: str) -> None:
        self._program.write_text(source)
        self._program.chmod(0o755)

    def _type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def _read_until(self, text: str) -> str:
        deadline = time.monotonic() + PATIENCE_S
        while text not in self._seen:
            assert time.monotonic() < deadline, f"no {text!r} in {self._seen!r}"
            self._seen += os.read(self._terminal, 65536).decode(errors="replace")
        found = self._seen
        self._seen = ""
        return found


def missing(name: str) -> str | None:
    """Why a shell cannot be tested here."""
    return None if shutil.which(name) else f"{name} is not installed: apt-get install {name}"
