"""Devices in network namespaces that sync through a server: one sleeps for a day, or both are offline for a month."""

import ssl
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final

import pytest

from dayline.model.access import fingerprint_of
from dayline.model.time import DAY, SECOND, Microseconds, format_timestamp, now_us, parse_timestamp
from tests.support.calls.certificates import make_certificates
from tests.support.calls.endpoints import UnixDoor, create_key
from tests.support.processes.namespaces import HUB, Machine, Namespace, address_of, missing_programs, new_hub
from tests.support.waiting import eventually

HOUR: Final = 3600 * SECOND
BEGIN: Final = parse_timestamp("2026-03-18T09:30:00Z")
BUCKET: Final = "window"
# `dayline` with the clock of the test, which also counts for the time since the system has started.
PROGRAM: Final = """
import sys, time
from pathlib import Path
file, now, since_start = Path(sys.argv.pop(1)), time.time_ns, time.clock_gettime_ns
ahead = lambda: int(file.read_text()) * 1000
time.time_ns = lambda: now() + ahead()
time.time = lambda: time.time_ns() / 1e9
time.clock_gettime_ns = lambda clock: since_start(clock) + ahead() * (clock == time.CLOCK_BOOTTIME)
from dayline.cli.main import main
main()
"""

pytestmark = [
    pytest.mark.long,
    pytest.mark.root,
    pytest.mark.skipif(
        bool(missing_programs()), reason=f"not installed: apt-get install {' '.join(missing_programs())}"
    ),
]


class Clock:
    """The clock of all servers, which the test sets ahead."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._ahead = 0
        self.advance(BEGIN - now_us())

    def now(self) -> Microseconds:
        return now_us() + self._ahead

    def advance(self, by: Microseconds) -> None:
        self._ahead += by
        new = self.file.with_suffix(".new")
        new.write_text(str(self._ahead))
        new.replace(self.file)


class Server:
    """`dayline serve` in a namespace, which the test calls through a Unix socket."""

    def __init__(self, name: str, namespace: Namespace, folder: Path, clock: Clock) -> None:
        self.folder = folder / name
        self.folder.mkdir()
        self.database, self.log = self.folder / "days.db", self.folder / "log"
        self._namespace, self._clock = namespace, clock
        self.door = UnixDoor(self.folder / "s")

    def start(self, *flags: str) -> None:
        serve = ["serve", "--database", str(self.database), "--uds", str(self.folder / "s"), *flags]
        command = [sys.executable, "-c", PROGRAM, str(self._clock.file), *serve]
        self._namespace.start(self.log, *command, folder=self.folder, as_root=True)
        eventually(self._is_ready)

    def call(self, method: str, path: str, body: object = None) -> Any:
        answer = self.door.call(method, path, body)
        assert answer.status in (200, 201), answer.body
        return answer.json

    def _is_ready(self) -> bool:
        with suppress(OSError, HTTPException):
            return self.door.get("/api/0/info").status == 200
        return False


class Device(Server):
    """A server that records, and what it has to have recorded: start and duration of events by their titles."""

    def __init__(self, name: str, machine: Machine, folder: Path, clock: Clock) -> None:
        super().__init__(name, machine, folder, clock)
        self.machine = machine
        self.expected: dict[str, tuple[Microseconds, Microseconds]] = {}

    def beat(self, title: str, at: Microseconds) -> None:
        body = {"timestamp": format_timestamp(at), "data": {"title": title}}
        self.call("POST", f"/api/0/buckets/{BUCKET}/heartbeat?pulsetime=5", body)
        start, _ = self.expected.setdefault(title, (at, 0))
        self.expected[title] = start, at - start

    def record(self, title: str) -> None:
        """An event of four seconds."""
        now = self._clock.now()
        for at in (now, now + 4 * SECOND):
            self.beat(title, at)

    def edit(self, title: str, new: str) -> None:
        self.call("PATCH", f"/api/1/events/{BUCKET}/{self._id(title)}", {"data": {"title": new}})
        self.expected[new] = self.expected.pop(title)

    def delete(self, title: str) -> None:
        self.call("DELETE", f"/api/1/events/{BUCKET}/{self._id(title)}")
        del self.expected[title]

    def exported(self, bucket_id: str) -> list[tuple[str, Microseconds, Microseconds]]:
        """Title, start and duration of all events that an export of a bucket has."""
        (bucket,) = self.call("GET", f"/api/0/buckets/{bucket_id}/export")["buckets"].values()
        return sorted(
            (each["data"]["title"], parse_timestamp(each["timestamp"]), round(each["duration"] * SECOND))
            for each in bucket["events"]
        )

    @property
    def mirrors(self) -> list[str]:
        return [bucket_id for bucket_id in self.call("GET", "/api/0/buckets/") if "@" in bucket_id]

    def problem(self) -> str | None:
        """Why the last pass ended early; a pass in the background has found it."""
        problem: str | None = self.call("GET", "/api/1/sync")["report"]["problem"]
        return problem

    def sync(self) -> None:
        """Run a pass that reaches the server. A cable that has just been plugged in may take a moment."""
        eventually(lambda: self.call("POST", "/api/1/sync/run")["problem"] is None)

    def _id(self, title: str) -> int:
        events = self.call("GET", f"/api/0/buckets/{BUCKET}/events?limit=-1")
        (found,) = [each["id"] for each in events if each["data"]["title"] == title]
        return int(found)


class Home:
    """Two devices, and a server with their space."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self.clock = Clock(folder / "clock")
        hub = stack.enter_context(new_hub())
        diary = Server("diary", hub, folder, self.clock)
        machines = [Machine(1, hub=hub), Machine(2, hub=hub)]
        for machine in machines:
            stack.callback(machine.remove)
        self.laptop, self.desktop = self.devices = [
            Device(name, machine, folder, self.clock)
            for name, machine in zip(("laptop", "desktop"), machines, strict=True)
        ]
        certificates = make_certificates(folder, address=address_of(HUB))
        tls = ["--tls-cert", str(certificates.certificate), "--tls-key", str(certificates.key)]
        certificate = ssl.PEM_cert_to_DER_cert(certificates.certificate.read_text())
        space = {"location": f"https://{address_of(HUB)}:5600", "fingerprint": fingerprint_of(certificate)}
        access = [{**space, "server_key": create_key(diary.database, scope="sync")} for _ in self.devices]
        diary.start("--host", address_of(HUB), *tls)
        for device in self.devices:
            device.start()
            device.door.create(BUCKET)
            for number in range(3):
                device.record(f"{device.folder.name} before {number}")
                self.clock.advance(HOUR)
        invite = self.laptop.call("POST", "/api/1/sync/start", access[0])["invite"]
        self.desktop.call("POST", "/api/1/sync/join", {**access[1], "invite": invite})
        self.check_identical()

    def check_identical(self) -> None:
        """After two passes of each device, an export of each mirror has what was recorded at its origin, once."""
        for device in self.devices * 2:
            device.sync()
        for origin, other in (self.devices, self.devices[::-1]):
            expected = sorted((title, *times) for title, times in origin.expected.items())
            (mirror,) = other.mirrors
            assert origin.exported(BUCKET) == expected
            assert other.exported(mirror) == expected
            (report,) = origin.call("GET", "/api/1/sync")["report"]["devices"]
            assert (report["state"], report["events"]) == ("identical", len(other.expected))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with ExitStack() as stack:
        home = Home(stack, tmp_path)
        yield home
        assert not any(b"Traceback" in log.read_bytes() for log in tmp_path.glob("*/log"))


def test_a_device_that_slept_for_a_day_has_everything_afterwards(home: Home) -> None:
    laptop, desktop, clock = home.laptop, home.desktop, home.clock
    desktop.machine.cut()
    desktop.machine.pause()
    waiting = threading.Thread(target=desktop.beat, args=("during sleep", clock.now()), daemon=True)
    waiting.start()
    for hour in range(24):
        clock.advance(HOUR)
        laptop.record(f"hour {hour}")
        if hour % 6 == 2:
            laptop.edit(f"hour {hour - 1}", f"hour {hour - 1}, edited")
            laptop.delete(f"hour {hour - 2}")
            laptop.sync()
    laptop.edit("laptop before 0", "laptop before 0, edited")
    laptop.delete("laptop before 1")
    assert waiting.is_alive()

    desktop.machine.connect()
    desktop.machine.resume()
    waiting.join()
    desktop.record("after sleep")

    assert {"during sleep", "after sleep"} <= desktop.expected.keys()
    home.check_identical()


def test_devices_that_were_offline_for_a_month_become_identical(home: Home) -> None:
    for device in home.devices:
        device.machine.cut()
    for day in range(30):
        home.clock.advance(DAY)
        for device in home.devices:
            device.record(f"day {day}")
            if day % 10 == 5:
                device.edit(f"day {day - 1}", f"day {day - 1}, edited on {device.folder.name}")
                device.delete(f"day {day - 2}")
    for device in home.devices:
        device.delete(f"{device.folder.name} before 0")
        device.call("POST", "/api/1/annotations", annotation(device.folder.name))
        device.call("PATCH", "/api/1/settings", {"day_start": "05:00" if device is home.laptop else "06:00"})
        eventually(lambda device=device: device.problem() is not None)  # type: ignore[misc]

    for device in home.devices:
        device.machine.connect()

    home.check_identical()
    for device in home.devices:
        assert device.call("GET", "/api/1/settings")["day_start"] == "06:00"  # the later one
        found = device.call("GET", "/api/1/annotations?limit=100")["annotations"]
        assert sorted(each["label"] for each in found) == ["desktop", "laptop"]


def annotation(label: str) -> dict[str, str]:
    return {
        "kind": "label", "label": label, "start": "2026-04-01T09:00:00Z", "end": "2026-04-01T10:00:00Z",
    }  # fmt: skip
