"""Devices whose folders two Syncthing daemons copy, over loopback."""

import asyncio
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

from dayline.maintenance.sync.report import PassReport
from tests.maintenance.sync.devices import SyncedDevice, device_on, event
from tests.maintenance.sync.spaces.programs import needs, running
from tests.support.server import free_port
from tests.support.storage.engines import Engines
from tests.support.waiting import eventually

pytestmark = needs("syncthing")


class Daemon:
    """A Syncthing that knows one other, shares one folder, and contacts no server on the internet."""

    def __init__(self, home: Path) -> None:
        self.home, self.folder = home, home / "Sync"
        self.folder.mkdir(parents=True)
        subprocess.run(
            ["syncthing", "generate", f"--home={home}", "--no-default-folder", "--skip-port-probing"],
            check=True, capture_output=True,
        )  # fmt: skip
        self.port = free_port()
        self.id = subprocess.run(
            ["syncthing", f"--home={home}", "--device-id"], check=True, capture_output=True, text=True
        ).stdout.strip()

    @property
    def command(self) -> list[str]:
        return ["syncthing", "serve", f"--home={self.home}", "--no-browser", "--no-restart", "--no-upgrade"]

    def share_with(self, other: "Daemon") -> None:
        """Write the settings: the folder, the other daemon's address, and no discovery."""
        path = self.home / "config.xml"
        tree = ET.parse(path)
        root = tree.getroot()
        for each in [*root.findall("folder"), *root.findall("device")]:
            root.remove(each)
        for daemon in (self, other):
            device = ET.SubElement(root, "device", id=daemon.id, name=daemon.home.name, compression="never")
            ET.SubElement(device, "address").text = f"tcp://127.0.0.1:{daemon.port}"
        folder = ET.SubElement(
            root, "folder", id="dayline", label="dayline", path=str(self.folder), type="sendreceive",
            rescanIntervalS="1", fsWatcherEnabled="true", fsWatcherDelayS="1",
        )  # fmt: skip
        for daemon in (self, other):
            ET.SubElement(folder, "device", id=daemon.id)
        options = root.find("options")
        assert options is not None
        for each in list(options):
            options.remove(each)
        for name, value in {
            "listenAddress": f"tcp://127.0.0.1:{self.port}", "globalAnnounceEnabled": "false",
            "localAnnounceEnabled": "false", "relaysEnabled": "false", "natEnabled": "false", "urAccepted": "-1",
            "crashReportingEnabled": "false", "autoUpgradeIntervalH": "0", "startBrowser": "false",
            "reconnectionIntervalS": "1",
        }.items():  # fmt: skip
            ET.SubElement(options, name).text = value
        gui = root.find("gui")
        assert gui is not None
        gui.set("enabled", "false")
        tree.write(path)


async def passes_until(device: SyncedDevice, titles: set[str]) -> PassReport:
    """Run passes until the mirror has these titles; every other result must be that something is not here yet."""
    for _ in range(600):
        report = await device.sync.run()
        assert report.problem is None
        assert {each.state for each in report.devices} <= {"identical", "waiting"}
        found = [device.events(mirror) for mirror in device.mirrors]
        if report.is_identical and {each["data"]["title"] for events in found for each in events} == titles:
            return report
        await asyncio.sleep(0.5)
    raise AssertionError("it never arrived")


def test_two_devices_sync_through_syncthing(files: Engines, tmp_path: Path) -> None:
    left, right = Daemon(tmp_path / "left"), Daemon(tmp_path / "right")
    left.share_with(right)
    right.share_with(left)

    async def run() -> None:
        async with device_on(files.new()) as laptop, device_on(files.new(), "desktop") as desktop:
            await laptop.add("window", event("2026-03-18T15:00:00Z", title="one"))
            invite = await laptop.sync.start(str(left.folder))
            await asyncio.to_thread(eventually, lambda: bool(list(right.folder.glob("*/head"))))
            await desktop.sync.join(str(right.folder), invite.invite)
            await passes_until(desktop, {"one"})

            await laptop.add("window", event("2026-03-18T15:10:00Z", title="two"))
            await laptop.sync.run()
            report = await passes_until(desktop, {"one", "two"})
            await desktop.add("other", event("2026-03-18T15:10:00Z", title="three"), hostname="desktop")
            await desktop.sync.run()
            await passes_until(laptop, {"three"})

            assert any(name.startswith(".stfolder") for name in report.ignored)
            assert desktop.events(desktop.mirrors[0]) == laptop.events("window")

    with running(left.command), running(right.command):
        asyncio.run(run())
