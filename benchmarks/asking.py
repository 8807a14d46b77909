"""Asks queries and times the responses; waits for segments to be built and for query processes to end."""

import statistics
import time
from datetime import datetime, timedelta
from typing import Any, Final, Self

import msgspec

from benchmarks.connection import Connection
from benchmarks.desktop_query import AFK_BUCKET, WEB_BUCKET, category_rules, desktop_query
from benchmarks.memory import process_tree
from benchmarks.seeded_year import WINDOW_BUCKET
from benchmarks.server import Server
from benchmarks.table import NotMeasured
from dayline.storage.columns.segment_plan import SEGMENT_PACE

DAY: Final = timedelta(days=1)
A_MONTH: Final = timedelta(days=31)
WARM_UP_REQUESTS: Final = 5
SEGMENTS_TIMEOUT_S: Final = 900.0
REST_TIMEOUT_S: Final = 120.0
ANSWER_TIMEOUT_S: Final = 300.0
POLL_S: Final = 0.25


class Asker:
    """One client with one connection. The program's text is made once, as a page would."""

    def __init__(self, server: Server) -> None:
        self._connection = Connection(server.port, timeout_s=ANSWER_TIMEOUT_S)
        self._query = desktop_query(window=WINDOW_BUCKET, afk=AFK_BUCKET, web=WEB_BUCKET, rules=category_rules())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.__exit__()

    def desktop_s(self, start: datetime, end: datetime) -> float:
        """How long the response to the desktop query took."""
        body = msgspec.json.encode({"timeperiods": [period_of(start, end)], "query": self._query})
        begun = time.perf_counter()
        answer = self._connection.post("/api/0/query/", body)
        seconds = time.perf_counter() - begun
        if answer.status != 200:
            raise NotMeasured(f"the query was answered with {answer.status}: {answer.body[:300].decode()}")
        return seconds

    def median_day_ms(self, day: datetime, *, rounds: int) -> float:
        """The median time for the desktop query over one day, asked again and again."""
        for _ in range(WARM_UP_REQUESTS):
            self.desktop_s(day, day + DAY)
        return statistics.median(self.desktop_s(day, day + DAY) for _ in range(rounds)) * 1000

    def events_read(self, start: datetime, end: datetime) -> int:
        """How many events the desktop query reads."""
        return int(self.statistics(start, end)["events_read"])

    def rows_read(self, bucket: str, start: datetime, end: datetime) -> int:
        """How many events of a bucket are read from rows, not from segments; looked at month by month."""
        edges = [start]
        while edges[-1] < end:
            edges.append(min(end, edges[-1] + A_MONTH))
        periods = [period_of(*edges[number : number + 2]) for number in range(len(edges) - 1)]
        # Every third month alone: where periods adjoin, the bucket is read at once for all of them.
        lot = [f'RETURN = sum_durations(query_bucket("{bucket}"));']
        return sum(
            int(self._statistics(lot, periods[number::3])["rows_read"]) for number in range(3) if periods[number::3]
        )

    def statistics(self, start: datetime, end: datetime) -> dict[str, Any]:
        """What the server says that the desktop query took."""
        return self._statistics(self._query, [period_of(start, end)])

    def _statistics(self, query: list[str], periods: list[str]) -> dict[str, Any]:
        body = msgspec.json.encode({"timeperiods": periods, "query": query, "timeout_s": ANSWER_TIMEOUT_S})
        answer = self._connection.post("/api/1/query", body)
        if answer.status != 200:
            raise NotMeasured(f"the query was answered with {answer.status}: {answer.body[:300].decode()}")
        return dict(msgspec.json.decode(answer.body)["statistics"])


def period_of(start: datetime, end: datetime) -> str:
    """A period as clients write it."""
    return f"{start.isoformat()}/{end.isoformat()}"


def wait_for_segments(server: Server, start: datetime, end: datetime) -> None:
    """Wait until all that was recorded in that time is read from segments, except a month too small for one."""
    deadline = time.monotonic() + SEGMENTS_TIMEOUT_S
    with Asker(server) as asker:
        for bucket in (WINDOW_BUCKET, WEB_BUCKET, AFK_BUCKET):
            while asker.rows_read(bucket, start, end) >= SEGMENT_PACE.min_events:
                if time.monotonic() > deadline:
                    raise NotMeasured("the segments were not built in time")
                time.sleep(4 * POLL_S)


def wait_for_rest(server: Server) -> None:
    """Wait until the server has no process but its own."""
    deadline = time.monotonic() + REST_TIMEOUT_S
    while len(process_tree(server.pid)) > 1:
        if time.monotonic() > deadline:
            raise NotMeasured("a query process was still there after a long quiet")
        time.sleep(POLL_S)
