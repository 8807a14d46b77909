"""How long searches take, the slowest of several."""

import statistics
import time
from typing import Final
from urllib.parse import urlencode

from benchmarks.connection import Connection
from benchmarks.insight import SEARCHES
from benchmarks.server import Server
from benchmarks.table import NotMeasured

ROUNDS: Final = 5
INDEXED_S: Final = 30.0


def search_s(server: Server) -> float:
    """Of searches over all time the slowest one's median, warm, as soon as every text is in the index."""
    with Connection(server.port) as connection:
        _wait(connection)
        return max(statistics.median([_asked_s(connection, text) for _ in range(ROUNDS)][1:]) for text in SEARCHES)


def _wait(connection: Connection) -> None:
    """Give the index some time. Of few texts there may never be one, and they are looked through as quickly."""
    deadline = time.monotonic() + INDEXED_S
    while time.monotonic() < deadline and b'"looked_through":0,' not in _answer(connection, SEARCHES[0]):
        time.sleep(1)


def _asked_s(connection: Connection, text: str) -> float:
    begun = time.perf_counter()
    _answer(connection, text)
    return time.perf_counter() - begun


def _answer(connection: Connection, text: str) -> bytes:
    answer = connection.get(f"/api/1/search?{urlencode({'q': text})}")
    if answer.status != 200:
        raise NotMeasured(f"the search was answered with {answer.status}: {answer.body[-300:].decode()}")
    return answer.body
