"""A port that another program listens on."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

from msgspec import Struct

_PROGRAM = """
import socket, sys
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
with socket.create_server((sys.argv[1], 0), family=family) as held:
    print(held.getsockname()[1], flush=True)
    sys.stdin.read()
"""


class HeldPort(Struct, frozen=True):
    """A port, and the process that listens on it."""

    number: int
    pid: int


@contextmanager
def held_port(address: str) -> Generator[HeldPort]:
    """A port of this address that a process of its own listens on.

    The process of the tests may have protected its memory in another test, and its files in /proc with it.
    """
    command = [sys.executable, "-c", _PROGRAM, address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        try:
            yield HeldPort(int(holder.stdout.readline()), holder.pid)
        finally:
            holder.kill()
