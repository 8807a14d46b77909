"""Devices that sync through a Dayline server, which is a process of its own and asks for keys."""

import asyncio
import http.server
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from secrets import token_hex

import pytest

from dayline.maintenance.sync.report import DeviceReport, PassReport
from dayline.maintenance.sync.spaces.finding import Spaces
from dayline.maintenance.sync.spaces.server import ServerSpace
from dayline.maintenance.sync.spaces.views import NO_ACCESS, THIS_SERVER, SpaceAccess
from dayline.model.errors import Invalid, Unavailable
from dayline.model.time import SECOND
from tests.maintenance.sync.devices import SyncedDevice, device_on, event
from tests.support.calls.certificates import make_certificates
from tests.support.calls.dribbling import dribbling_server
from tests.support.keyed_server import KeyedServer, audit_lines
from tests.support.storage.engines import Engines
from tests.support.waiting import eventually_async

HOUR = 3600 * SECOND


@pytest.fixture
def diary(tmp_path: Path) -> Iterator[KeyedServer]:
    folder = tmp_path / "diary"
    folder.mkdir()
    with KeyedServer(folder / "days.db", settings="[limits]\nsync_mib = 1\n") as server:
        yield server


def access(server: KeyedServer) -> SpaceAccess:
    return SpaceAccess(key=server.key("sync"))


@asynccontextmanager
async def two_devices(files: Engines, server: KeyedServer) -> AsyncGenerator[tuple[SyncedDevice, SyncedDevice]]:
    """A laptop with two events, and a desktop that mirrors it."""
    async with device_on(files.new()) as laptop, device_on(files.new(), "desktop") as desktop:
        await laptop.add(
            "window", event("2025-11-02T08:00:00Z", title="secret-title"), event("2026-03-18T15:00:00Z", title="Mail")
        )
        invite = await laptop.sync.start(server.url, access(server))
        await desktop.sync.join(server.url, invite.invite, access(server))
        yield laptop, desktop


def only(report: PassReport) -> DeviceReport:
    (device,) = report.devices
    return device


def calls(server: KeyedServer) -> dict[str, int]:
    """How often each call of sync keys was made."""
    counts: dict[str, int] = {}
    for line in audit_lines(server):
        if "sync_" in line["call"]:
            counts[line["call"]] = counts.get(line["call"], 0) + line["count"]
    return counts


def test_what_is_recorded_on_one_device_reaches_the_other(files: Engines, diary: KeyedServer) -> None:
    async def run() -> None:
        async with two_devices(files, diary) as (laptop, desktop):
            (mirror,) = desktop.mirrors
            assert desktop.events(mirror) == laptop.events("window")

            await laptop.add("window", event("2026-03-18T15:20:00Z", title="new"))
            await laptop.sync.run()
            report = await desktop.sync.run()

            assert (only(report).state, only(report).fetched) == ("identical", 1)
            assert desktop.events(mirror) == laptop.events("window")

    asyncio.run(run())


def test_an_idle_pass_makes_one_request(files: Engines, diary: KeyedServer) -> None:
    async def run() -> None:
        async with two_devices(files, diary) as (laptop, desktop):
            for device in (laptop, desktop, laptop, desktop):
                await device.sync.run()
            before = calls(diary)

            for _ in range(5):
                assert (await desktop.sync.run()).is_identical

            after = calls(diary)
            assert {name: after[name] - before[name] for name in after} == {
                **dict.fromkeys(after, 0),
                "list_sync_files": 5,
            }

    asyncio.run(run())


def test_packs_that_no_head_lists_are_deleted_after_an_hour(files: Engines, diary: KeyedServer) -> None:
    async def run() -> None:
        async with two_devices(files, diary) as (laptop, _):
            folder = diary.database.parent / "days.db.d" / "sync"
            device = (await laptop.sync.status()).device
            assert device is not None
            for minute in range(3):
                await laptop.add("window", event(f"2026-03-18T15:1{minute}:00Z"))
                await laptop.sync.run()
            assert len(list((folder / device.id).iterdir())) == 6  # the head, two spans, three former states of one

            laptop.clock.now += HOUR + SECOND
            await laptop.add("window", event("2026-03-18T15:15:00Z"))
            await laptop.sync.run()
            laptop.clock.now += HOUR + SECOND
            await laptop.add("window", event("2026-03-18T15:16:00Z"))
            await laptop.sync.run()

            assert len(list((folder / device.id).iterdir())) == 4

    asyncio.run(run())


def test_a_storing_server_has_no_title(files: Engines, diary: KeyedServer) -> None:
    async def run() -> None:
        async with two_devices(files, diary):
            pass

    asyncio.run(run())
    stored = [path for path in diary.database.parent.rglob("*") if path.is_file()]
    assert any(path.name == "head" for path in stored)
    assert not any(b"secret-title" in path.read_bytes() for path in stored)


def test_the_storing_server_joins_without_http(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(files.new(), "diary") as server, device_on(files.new()) as other:
            await server.add("window", event("2026-03-18T15:00:00Z"))
            invite = await server.sync.start(THIS_SERVER)
            assert (await server.sync.run()).problem is None
            with pytest.raises(Unavailable, match="no sync space in this-server"):
                await other.sync.join(THIS_SERVER, invite.invite)  # each server has its own files

    asyncio.run(run())


def test_a_revoked_key_is_named_and_another_one_continues(files: Engines, diary: KeyedServer) -> None:
    async def run() -> None:
        async with device_on(files.new()) as laptop:
            key = diary.made_key("sync")
            await laptop.sync.start(diary.url, SpaceAccess(key=key["key"]))
            assert diary.as_owner("DELETE", f"/api/1/keys/{key['id']}").status == 200

            report = await laptop.sync.run()

            assert report.problem == f"127.0.0.1 refuses the key {key['id']} (revoked)"
            assert report.hint is not None
            assert "nothing is lost" in report.hint
            await laptop.sync.start(diary.url, access(diary))
            assert (await laptop.sync.run()).problem is None

    asyncio.run(run())


def test_a_wrong_new_key_does_not_replace_the_valid_one(files: Engines, diary: KeyedServer) -> None:
    async def run() -> None:
        async with device_on(files.new()) as laptop:
            await laptop.sync.start(diary.url, access(diary))

            for wrong in (NO_ACCESS, SpaceAccess(key=diary.key("read"))):
                with pytest.raises(Unavailable):
                    await laptop.sync.start(diary.url, wrong)

            assert (await laptop.sync.run()).problem is None

    asyncio.run(run())


@pytest.mark.parametrize("scope", ["read", "append"])
def test_a_key_with_another_scope_stores_nothing(files: Engines, diary: KeyedServer, scope: str) -> None:
    async def run() -> None:
        async with device_on(files.new()) as laptop:
            with pytest.raises(Unavailable, match=rf"refuses the key .* scope sync \(this one has {scope}\)"):
                await laptop.sync.start(diary.url, SpaceAccess(key=diary.key(scope)))
            with pytest.raises(Unavailable, match=r"127\.0\.0\.1 requires a key"):
                await laptop.sync.start(diary.url)
            assert not (await laptop.sync.status()).is_on

    asyncio.run(run())


def test_a_full_space_is_reported_and_filled_later(files: Engines, diary: KeyedServer) -> None:
    async def run() -> None:
        async with two_devices(files, diary) as (laptop, desktop):
            foreign = f"/api/1/sync/files/aaaaaaaa/{'a' * 32}"
            sync = diary.key("sync")
            headers = {"Content-Type": "application/octet-stream"}
            assert diary.with_key(sync, "PUT", foreign, raw=b"x" * ((1 << 20) - 40_000), headers=headers).status == 200
            await laptop.add("window", *(event("2026-01-05T08:00:00Z", title=token_hex(32)) for _ in range(2000)))

            report = await laptop.sync.run()

            assert report.problem is not None
            assert "127.0.0.1 does not store the files of sync: the sync space is full" in report.problem
            assert desktop.events(desktop.mirrors[0]) != laptop.events("window")
            assert diary.with_key(sync, "DELETE", foreign).status == 200
            assert (await laptop.sync.run()).problem is None
            assert (await desktop.sync.run()).is_identical

    asyncio.run(run())


def test_a_server_that_does_not_answer_loses_nothing(files: Engines, diary: KeyedServer) -> None:
    async def run() -> None:
        async with two_devices(files, diary) as (laptop, desktop):
            diary.stop()
            await laptop.add("window", event("2026-03-18T15:20:00Z", title="offline"))

            report = await laptop.sync.run()

            assert report.problem is not None
            assert report.problem.startswith(f"cannot reach {diary.url}")
            diary.start()
            assert (await laptop.sync.run()).problem is None
            assert only(await desktop.sync.run()).state == "identical"
            assert desktop.events(desktop.mirrors[0]) == laptop.events("window")

    asyncio.run(run())


def test_a_space_that_was_deleted_on_the_server_changes_nothing(files: Engines, diary: KeyedServer) -> None:
    async def run() -> None:
        async with two_devices(files, diary) as (laptop, desktop):
            before = desktop.events(desktop.mirrors[0])
            for path in sorted((diary.database.parent / "days.db.d" / "sync").rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()

            for device in (laptop, desktop):
                assert (await device.sync.run()).problem == f"no sync space in {diary.url}"
            assert desktop.events(desktop.mirrors[0]) == before
            await laptop.sync.start(diary.url, access(diary))
            assert only(await desktop.sync.run()).state == "identical"

    asyncio.run(run())


def test_a_server_that_never_finishes_an_answer_is_left_and_tried_again(
    files: Engines, diary: KeyedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = files.new()

    async def start() -> None:
        async with device_on(engine) as laptop:
            await laptop.add("window", event("2026-03-18T15:00:00Z"))
            await laptop.sync.start(diary.url, access(diary))

    async def report() -> PassReport:
        async with device_on(engine) as laptop:
            return await laptop.sync.run()

    asyncio.run(start())
    diary.stop()
    with monkeypatch.context() as patch, dribbling_server(b"HTTP/1.1 200 OK\r\n", port=diary.port):
        patch.setattr(ServerSpace.__init__, "__kwdefaults__", {"max_s": 0.5})
        slow = asyncio.run(report())
    diary.start()

    assert slow.problem == f"{diary.url} is too slow: a request took over 0.5 s"
    assert slow.hint == "nothing is lost: it is retried automatically"
    assert asyncio.run(report()).problem is None


class _Handler(http.server.BaseHTTPRequestHandler):
    """Answers every request with the same bytes, which may be fewer than announced."""

    body = b"{}"
    announced = 2
    kind = "application/json"
    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.send_header("Content-Type", self.kind)
        self.send_header("Content-Length", str(self.announced))
        self.end_headers()
        self.wfile.write(self.body)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


@pytest.mark.parametrize(
    ("body", "announced", "kind", "message", "status"),
    [
        (b'{"devices":', 500, "application/json", "cannot reach", 200),
        (b'{"devices":', 11, "application/json", "is not a Dayline server", 200),
        (b"<html>Hello</html>", 18, "text/html", "is not a Dayline server", 200),
        (b"{}", 2, "application/json", "is not a Dayline server", 302),
        (b"x" * (17 << 20), 17 << 20, "application/json", "cannot reach", 200),
    ],
    ids=["truncated", "incomplete JSON", "page of a proxy", "redirection", "too large"],
)
def test_answers_that_are_no_listing_are_reported(
    files: Engines, body: bytes, announced: int, kind: str, message: str, status: int
) -> None:
    fields = {"body": body, "announced": announced, "kind": kind, "status": status}
    handler = type("Handler", (_Handler,), fields)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()

        async def run() -> None:
            async with device_on(files.new()) as laptop:
                with pytest.raises(Unavailable, match=message):
                    await laptop.sync.start(f"http://127.0.0.1:{server.server_port}")

        asyncio.run(run())
        server.shutdown()


def test_another_certificate_than_the_pinned_one_gets_no_key(files: Engines, tmp_path: Path) -> None:
    received: list[str] = []

    class Handler(_Handler):
        def do_GET(self) -> None:
            received.append(self.path)

    certificates = make_certificates(tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.socket = certificates.server_context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()

        async def run() -> None:
            async with device_on(files.new()) as laptop:
                location = f"https://127.0.0.1:{server.server_port}"
                key = "dayline_k3f5a2bq_" + "x" * 43
                with pytest.raises(Unavailable, match="presents another certificate"):
                    await laptop.sync.start(location, SpaceAccess(key=key, fingerprint="00" * 32))
                with pytest.raises(Unavailable, match="is not trusted"):
                    await laptop.sync.start(location, SpaceAccess(key=key))

        asyncio.run(run())
        server.shutdown()
    assert received == []


@pytest.mark.parametrize(
    ("location", "key", "message"),
    [
        ("http://192.0.2.1:5600", None, "is not encrypted"),
        ("https://diary:5600", "secret", "not the key of a Dayline server"),
        ("https://anna:secret@diary:5600", None, "must not have a user"),
        ("ftp://diary/files", None, "is not a place for files of sync"),
        ("Sync/dayline", None, "is not an absolute path"),
    ],
)
def test_locations_that_cannot_be_used_are_rejected(
    files: Engines, location: str, key: str | None, message: str
) -> None:
    async def run() -> None:
        async with device_on(files.new()) as laptop:
            with pytest.raises(Invalid, match=message):
                await laptop.sync.start(location, SpaceAccess(key=key))

    asyncio.run(run())


@pytest.mark.parametrize(("is_server", "interval_s"), [(True, 5), (False, 240)])
def test_passes_run_often_with_a_server_and_seldom_with_a_folder(
    files: Engines, diary: KeyedServer, tmp_path: Path, *, is_server: bool, interval_s: int
) -> None:
    async def run() -> None:
        async with device_on(files.new()) as laptop:
            location = diary.url if is_server else str(tmp_path)
            await laptop.sync.start(location, access(diary) if is_server else NO_ACCESS)
            first = (await laptop.sync.status()).report
            assert first is not None

            await eventually_async(lambda: laptop.sync.next_pass is not None)

            assert laptop.sync.next_pass is not None
            assert round((laptop.sync.next_pass - laptop.clock.now) / SECOND) == interval_s

    asyncio.run(run())


def test_names_that_are_no_devices_are_left_out_of_a_listing() -> None:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            device = b'{"head":null,"packs":"0"}'
            body = b'{"devices":{"k7f3q2ab":%b,"../../keys":%b,"keys":%b}}' % (device, device, device)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is printed."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        space = ServerSpace(f"http://127.0.0.1:{server.server_port}", NO_ACCESS)

        assert space.listing().devices == {"k7f3q2ab"}

        space.close()
        server.shutdown()


def test_a_location_with_a_password_is_not_quoted() -> None:
    with pytest.raises(Invalid) as caught:
        Spaces(lambda: pytest.fail("not used")).at("ftp://anna:secret@diary/files")
    assert "secret" not in f"{caught.value.message} {caught.value.hint}"


def test_a_device_is_removed(files: Engines, diary: KeyedServer) -> None:
    async def run() -> None:
        async with two_devices(files, diary) as (laptop, desktop), device_on(files.new(), "phone") as phone:
            await phone.sync.join(diary.url, (await laptop.sync.invite()).invite, access(diary))
            for device in (laptop, desktop):
                await device.sync.run()

            report = await laptop.sync.remove("phone", deletes_mirrors=False)

            assert report.is_identical
            assert (await desktop.sync.run()).is_identical
            assert (await phone.sync.run()).stopped == "this device was removed by laptop"
            await laptop.add("window", event("2026-03-18T15:21:00Z", title="newer"))
            await laptop.sync.run()
            await desktop.sync.run()
            assert desktop.events(desktop.mirrors[0]) == laptop.events("window")

    asyncio.run(run())
