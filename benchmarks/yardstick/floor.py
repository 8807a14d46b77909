"""The floor: the least work a Python process can do per committed heartbeat. Compare with it in the same run.

    python floor.py 5720 /path/to/file.db &
    wrk -t1 -c64 -d6s --latency -s heartbeat.lua http://127.0.0.1:5720 -- 64 0

Not a model for code: a server rounds durations to the nearest microsecond, compares data by value, and drops the tails
of a batch whose commit failed. No routing, no checks, no second endpoint, one bucket id at a fixed offset: it is a
yardstick, not a server. Every heartbeat that one turn of the event loop has read is written and committed together
(synchronous=FULL) at the end of that turn, and answered then. On a quick disk that beats a writer thread by a third
and more (no hand-over, no contention for the interpreter); on a slow one the loop would stand still, so a real server
moves the commit to a thread when commits take long.
"""

import asyncio
import datetime as dt
import sqlite3
import sys
from collections.abc import Callable
from typing import ClassVar, cast

import httptools
import msgspec
import uvloop

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MICROSECOND = dt.timedelta(microseconds=1)


class Heartbeat(msgspec.Struct):
    timestamp: dt.datetime
    data: msgspec.Raw
    duration: float = 0.0


class Tail:
    __slots__ = ("data", "end", "id", "raw", "start")
    id: int
    start: int
    end: int
    data: int
    raw: bytes


class Writer:
    def __init__(self, path: str, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.tails: dict[bytes, Tail] = {}
        self.numbers: dict[bytes, int] = {}
        self.next_id = 1
        self.dirty: dict[int, tuple[Tail, bytes]] = {}
        self.new_data: list[tuple[int, bytes]] = []
        self.waiting: list[tuple[Callable[[Tail], None], Tail]] = []
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.executescript(
            "pragma journal_mode=wal; pragma synchronous=full;"
            "create table event(bucket, start, id, end, data, primary key(bucket, start, id)) without rowid;"
            "create table data(id integer primary key, json text)"
        )

    def commit(self) -> None:
        rows = [(bucket, t.start, t.id, t.end, t.data) for t, bucket in self.dirty.values()]
        self.db.execute("begin immediate")
        if self.new_data:
            self.db.executemany("insert into data values(?,?)", self.new_data)
        self.db.executemany("insert into event values(?,?,?,?,?) on conflict do update set end = excluded.end", rows)
        self.db.execute("commit")
        waiting, self.new_data, self.dirty, self.waiting = self.waiting, [], {}, []
        for answer, tail in waiting:
            answer(tail)

    def heartbeat(self, bucket: bytes, beat: Heartbeat, pulse: float, answer: Callable[[Tail], None]) -> None:
        start = (beat.timestamp - EPOCH) // MICROSECOND
        end, raw = start + int(beat.duration * 1e6), bytes(beat.data)
        tail = self.tails.get(bucket)
        if tail is not None and tail.raw == raw and tail.start <= start <= tail.end + pulse:
            tail.end = max(tail.end, end)
        else:
            tail = self.tails[bucket] = Tail()
            tail.id, tail.start, tail.end, tail.raw = self.next_id, start, end, raw
            self.next_id += 1
            number = self.numbers.get(raw)
            if number is None:
                number = self.numbers[raw] = len(self.numbers) + 1
                self.new_data.append((number, raw))
            tail.data = number
        self.dirty[tail.id] = (tail, bucket)
        if not self.waiting:
            self.loop.call_soon(self.commit)
        self.waiting.append((answer, tail))


class Connection(asyncio.Protocol):
    decoder = msgspec.json.Decoder(Heartbeat)
    writer: ClassVar[Writer]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # A TCP server's transports are always of this kind.
        self.transport = cast(asyncio.Transport, transport)
        self.parser = httptools.HttpRequestParser(self)

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def on_message_begin(self) -> None:
        self.body = b""
        self.headers: dict[bytes, bytes] = {}

    def on_url(self, url: bytes) -> None:
        self.url = url

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers[name.lower()] = value

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        url = httptools.parse_url(self.url)
        pulse = float(url.query[10:]) * 1e6
        self.writer.heartbeat(url.path[15:-10], self.decoder.decode(self.body), pulse, self.answer)

    def answer(self, t: Tail) -> None:
        if self.transport.is_closing():
            return
        start = (EPOCH + dt.timedelta(microseconds=t.start)).isoformat().encode()
        body = b'{"id":%d,"timestamp":"%s","duration":%.6f,"data":%s}' % (t.id, start, (t.end - t.start) / 1e6, t.raw)
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
        self.transport.write(head + body)


async def main(port: int, path: str) -> None:
    loop = asyncio.get_running_loop()
    Connection.writer = Writer(path, loop)
    server = await loop.create_server(Connection, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]), sys.argv[2]))
