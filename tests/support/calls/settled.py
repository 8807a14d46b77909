"""Waiting until a server has read everything that was sent to it, and waits for something itself.

A test that sends a request whose answer must not come yet has no other sign that the request has arrived.
"""

import operator
from pathlib import Path
from typing import Final

import pytest

from tests.support.server import RunningServer
from tests.support.waiting import eventually

_PROC: Final = Path("/proc")
_ESTABLISHED: Final = "01"
_SLEEPING: Final = frozenset("SID")


def until_settled(server: RunningServer, *, connections: int = 0) -> None:
    """Return when this many connections are open, no byte waits to be read, and the event loop has nothing to do."""
    if not (_PROC / "net" / "tcp").exists():
        pytest.skip("looks at processes and sockets as Linux shows them")
    before: list[str] = []

    def has_settled() -> bool:
        nonlocal before
        last, before = before, _steps(server.pid)
        return before != [] and before == last and _is_read(server.port, connections)

    eventually(has_settled)


def _steps(pid: int) -> list[str]:
    """How often the main thread has gone to sleep; nothing while any thread of the process runs."""
    for task in (_PROC / str(pid) / "task").iterdir():
        if (task / "stat").read_text().rpartition(")")[2].split()[0] not in _SLEEPING:
            return []
    status = (_PROC / str(pid) / "status").read_text().splitlines()
    return [line for line in status if "ctxt_switches" in line]


def _is_read(port: int, connections: int) -> bool:
    """Whether this many connections are open at a port, and nothing waits there: no byte, no connection to accept."""
    established = 0
    for line in (_PROC / "net" / "tcp").read_text().splitlines()[1:]:
        local, state, queues = operator.itemgetter(1, 3, 4)(line.split())
        if int(local.rpartition(":")[2], 16) == port:
            established += state == _ESTABLISHED
            if int(queues.rpartition(":")[2], 16) > 0:
                return False
    return established >= connections
