"""A limit on how long the other end may take: no setting of PostgreSQL's own holds for a server that stands still."""

import contextlib
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager

from dayline.storage.postgres.connections.connection import Connection


@contextmanager
def within(db: Connection, seconds: float) -> Generator[None]:
    """Cut the connection where this takes longer: whoever waits for it gets an OperationalError."""
    # Of our own: the number of the connection's could be that of another file by the time it is cut.
    with _same_socket(db) as ours:
        timer = threading.Timer(seconds, _cut, (ours,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()


def _same_socket(db: Connection) -> socket.socket:
    borrowed = socket.socket(fileno=db.fileno())
    try:
        return borrowed.dup()
    finally:
        borrowed.detach()


def _cut(ours: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it has ended by itself
        ours.shutdown(socket.SHUT_RDWR)
