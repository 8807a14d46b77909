"""A server that does not finish a response: it sends single bytes, each soon enough for a timeout of reads."""

import socket
import ssl
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from itertools import chain, repeat
from typing import Final

from tests.support.waiting import PATIENCE_S

PAUSE_S: Final = 0.05
_MAX_BYTES: Final = 1200  # it takes a minute: a test that waits for the end gets another result


@contextmanager
def dribbling_server(begin: bytes, *, port: int = 0, context: ssl.SSLContext | None = None) -> Generator[int]:
    """Its port. Each connection gets `begin` byte by byte, and then others; nothing is read."""
    is_over = threading.Event()
    with socket.create_server(("127.0.0.1", port)) as listening:
        # Less than a request with a large body.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
        thread = threading.Thread(target=_serve, args=(listening, begin, context, is_over), daemon=True)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            is_over.set()
            with suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
            thread.join(PATIENCE_S)


def _serve(listening: socket.socket, begin: bytes, context: ssl.SSLContext | None, is_over: threading.Event) -> None:
    while not is_over.is_set():
        with suppress(OSError):
            connection, _ = listening.accept()
            with connection if context is None else context.wrap_socket(connection, server_side=True) as client:
                for byte in chain(begin, repeat(ord("x"), _MAX_BYTES)):
                    client.sendall(bytes([byte]))
                    if is_over.wait(PAUSE_S):
                        return
