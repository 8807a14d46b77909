"""Sync of two devices through a third server: the first one, what it costs while nothing or something happens."""

import os
import shutil
import socket
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.connection import Connection
from benchmarks.pulse import pulse
from benchmarks.server import Server, create_buckets, dayline_server
from benchmarks.table import Figure, NotMeasured
from benchmarks.workbench import Workbench
from dayline.maintenance.sync.heads import Head, HeadBucket, write_head
from dayline.maintenance.sync.keys import new_signing_key, new_space_key, to_text
from dayline.maintenance.sync.spaces.protocol import FAST

MB = 1_000_000
MOST_FIRST_S, MOST_FIRST_MB = 60, 30
MOST_IDLE_CPU_MS, MOST_MB_AN_HOUR = 50, 3
MOST_HEAD_KB = 100
MOST_VISIBLE_S = 15
MOST_P99_SHARE = 1.1
TIMEOUT_S = 900.0
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


class Meter:
    """Forwards connections to a port of loopback, and counts the bytes in each direction."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.sent = self.received = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def total(self) -> int:
        return self.sent + self.received

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._port))
            for source, target, is_sent in ((client, server, True), (server, client, False)):
                threading.Thread(target=self._pass, args=(source, target, is_sent), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, is_sent: bool) -> None:
        try:
            while piece := source.recv(1 << 16):
                if is_sent:
                    self.sent += len(piece)
                else:
                    self.received += len(piece)
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            return  # the other side has ended


def measure(bench: Workbench) -> Iterator[Figure]:
    """The year on one device, and another one that joins."""
    laptop_file = bench.database("laptop")
    shutil.copy(bench.year(), laptop_file)
    with dayline_server(bench.command, bench.database("diary")) as diary, metered(diary) as meter:
        location = f"http://127.0.0.1:{meter.port}"
        with (
            dayline_server(bench.command, laptop_file) as laptop,
            dayline_server(bench.command, bench.database("desktop")) as desktop,
        ):
            yield from _first(bench, laptop, desktop, meter, location)
            yield from _idle(bench, (laptop, desktop), meter)
            yield from _active(bench, laptop, desktop, meter)
    yield _head()


@contextmanager
def metered(server: Server) -> Generator[Meter]:
    meter = Meter(server.port)
    try:
        yield meter
    finally:
        meter.close()


def _first(bench: Workbench, laptop: Server, desktop: Server, meter: Meter, location: str) -> Iterator[Figure]:
    begun = time.monotonic()
    invited = {"location": location, "invite": _post(laptop, "/api/1/sync/start", {"location": location})["invite"]}
    published, sent, received = time.monotonic(), meter.sent, meter.received
    _join(desktop, invited)
    ended, received = time.monotonic(), meter.received - received
    seconds = ended - begun
    yield Figure(
        name=f"sync: first one of {bench.period} through a server",
        goal=f"<= {MOST_FIRST_S} s, {MOST_FIRST_MB} MB",
        measured=f"{seconds:.1f} s (publish {published - begun:.1f}), {sent / MB:.1f} MB up, "
        f"{received / MB:.1f} MB down",
        is_met=seconds <= MOST_FIRST_S and max(sent, received) <= MOST_FIRST_MB * MB,
        values={"publish_s": published - begun, "join_s": ended - published, "up_bytes": sent, "down_bytes": received},
    )
    yield from _heartbeats(bench, invited)


def _heartbeats(bench: Workbench, invited: dict[str, str]) -> Iterator[Figure]:
    """A third device, which records while it joins."""
    with dayline_server(bench.command, bench.database("phone")) as phone:
        with pulse(phone.port) as beats:
            quiet_from = time.monotonic()
            time.sleep(bench.round_s * 3)
            quiet_to = time.monotonic()
            _join(phone, invited)
            ended = time.monotonic()
        _post(phone, "/api/1/sync/leave", {"keep_mirrors": True})
    quiet, busy = beats.waits(quiet_from, quiet_to), beats.waits(quiet_to, ended)
    yield Figure(
        name=f"sync: heartbeats while {bench.period} is applied, {ended - quiet_to:.0f} s",
        goal=f"p99 <= {MOST_P99_SHARE} times",
        measured=f"{busy} (without: {quiet})",
        is_met=busy.p99_ms <= quiet.p99_ms * MOST_P99_SHARE,
        values={"p99_ms": busy.p99_ms, "quiet_p99_ms": quiet.p99_ms, "join_s": ended - quiet_to},
    )


def _join(server: Server, invited: dict[str, str]) -> None:
    report = _post(server, "/api/1/sync/join", invited)
    states = {device["state"] for device in report["devices"]}
    if states != {"identical"}:
        raise NotMeasured(f"the mirrors are {states}: {report}")


def _idle(bench: Workbench, servers: Sequence[Server], meter: Meter) -> Iterator[Figure]:
    time.sleep(4 * FAST.interval_s)  # until both have seen all of each other
    passes = 3 if bench.is_quick else 10
    seconds = passes * FAST.interval_s
    before, bytes_before = _cpu_s(servers), meter.total
    time.sleep(seconds)
    cpu_ms = (_cpu_s(servers) - before) * 1000 / passes / len(servers)
    an_hour = (meter.total - bytes_before) / seconds * 3600 / len(servers)
    yield Figure(
        name="sync: idle pass through a server, per device",
        goal=f"<= {MOST_IDLE_CPU_MS} ms of CPU, {MOST_MB_AN_HOUR} MB an hour",
        measured=f"{cpu_ms:.0f} ms with all else that it did, {an_hour / MB:.2f} MB an hour",
        is_met=cpu_ms <= MOST_IDLE_CPU_MS and an_hour <= MOST_MB_AN_HOUR * MB,
        values={"cpu_ms": cpu_ms, "bytes_an_hour": an_hour},
    )


def _active(bench: Workbench, laptop: Server, desktop: Server, meter: Meter) -> Iterator[Figure]:
    create_buckets(laptop.port, ["seen"])
    waits: list[float] = []
    begun, bytes_before, cpu_before = time.monotonic(), meter.total, _cpu_s([laptop, desktop])
    for number in range(3 if bench.is_quick else 10):
        now = datetime.now(UTC)
        for bucket in ("seen", "aw-watcher-window_host"):
            _post(laptop, f"/api/0/buckets/{bucket}/heartbeat?pulsetime=1", {
                "timestamp": now.isoformat(), "duration": 0, "data": {"title": f"title {number}"},
            })  # fmt: skip
        sent = time.monotonic()
        while _newest(desktop, "seen", now) != f"title {number}":
            if time.monotonic() - sent > 120:
                raise NotMeasured("a heartbeat did not arrive within two minutes")
            time.sleep(0.2)
        waits.append(time.monotonic() - sent)
    seconds = time.monotonic() - begun
    an_hour = (meter.total - bytes_before) / seconds * 3600 / 2
    cpu = (_cpu_s([laptop, desktop]) - cpu_before) / seconds / 2
    yield Figure(
        name="sync: until a heartbeat is on the other device",
        goal=f"<= {MOST_VISIBLE_S} s, {MOST_MB_AN_HOUR} MB an hour",
        measured=f"{max(waits):.1f} s (mean {sum(waits) / len(waits):.1f}), "
        f"{an_hour / MB:.1f} MB an hour, {cpu * 100:.1f} % of a core",
        is_met=max(waits) <= MOST_VISIBLE_S and an_hour <= MOST_MB_AN_HOUR * MB,
        values={"worst_s": max(waits), "bytes_an_hour": an_hour, "cores": cpu},
    )


def _head() -> Figure:
    """Five buckets for ten years: months, the days of this month, and the hours of today."""
    months = [f"{year}-{month:02}" for year in range(2016, 2026) for month in range(1, 13)]
    days = [f"2026-01-{day:02}" for day in range(1, 31)]
    hours = [f"2026-01-31T{hour:02}" for hour in range(24)]
    key, signing = new_space_key(), new_signing_key()
    spans = {span: to_text(os.urandom(24)) for span in (*months, *days, *hours)}
    head = Head(
        space=key.space_id, name="laptop", key=to_text(signing.public), exchange=to_text(os.urandom(32)), number=1,
        nonce="x" * 12, replaces=0, made=0,
        next_event_id=1, covered={os.urandom(4).hex(): number + 1 for number in range(200)},
        buckets=[
            HeadBucket(
                key=number + 1, id=f"aw-watcher-window-{number}_laptop", type="currentwindow",
                client="aw-watcher-window", hostname="laptop", created=0, data={}, events=2_000_000, spans=spans,
            )
            for number in range(5)
        ],
    )  # fmt: skip
    size = len(write_head(head, key, signing))
    return Figure(
        name="sync: head of five buckets and ten years",
        goal=f"<= {MOST_HEAD_KB} kB",
        measured=f"{size / 1000:.1f} kB",
        is_met=size <= MOST_HEAD_KB * 1000,
        values={"bytes": size},
    )


def _post(server: Server, path: str, body: object) -> Any:
    with Connection(server.port, timeout_s=TIMEOUT_S) as connection:
        answer = connection.post(path, msgspec.json.encode(body))
    if answer.status != 200:
        raise NotMeasured(f"POST {path} was answered with {answer.status}: {answer.body[:300]!r}")
    return msgspec.json.decode(answer.body)


def _newest(server: Server, bucket: str, since: datetime) -> str | None:
    with Connection(server.port) as connection:
        start = (since - timedelta(seconds=1)).isoformat().replace("+00:00", "Z")
        answer = connection.get(f"/api/0/buckets/{bucket}/events?limit=1&start={start}")
    if answer.status != 200:
        return None  # the bucket has not arrived yet
    found = msgspec.json.decode(answer.body)
    return str(found[0]["data"]["title"]) if found else None


def _cpu_s(servers: Sequence[Server]) -> float:
    """What the processes of servers have used, without those that they have started."""
    fields = [Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split() for server in servers]
    return sum(int(field[11]) + int(field[12]) for field in fields) / TICKS_A_SECOND
