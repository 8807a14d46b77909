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


def search_s(server: Server) -> float:
    """Of searches over all time the slowest one's median, warm. Every text must be in the index by now."""
    with Connection(server.port) as connection:
        return max(statistics.median([_asked_s(connection, text) for _ in range(ROUNDS)][1:]) for text in SEARCHES)


def _asked_s(connection: Connection, text: str) -> float:
    begun = time.perf_counter()
    answer = connection.get(f"/api/1/search?{urlencode({'q': text})}")
    seconds = time.perf_counter() - begun
    if answer.status != 200 or b'"looked_through":0,' not in answer.body:
        raise NotMeasured(f"the search was answered with {answer.status}: {answer.body[-300:].decode()}")
    return seconds
