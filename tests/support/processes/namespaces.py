"""Machines in network namespaces, each with a link to a bridge. Nothing touches the network of this machine.

hub ── bridge ─┬─ machine 1
               ├─ machine 2
               └─ machine 3
"""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.support.postgres.cluster import USER
from tests.support.waiting import PATIENCE_S

PACKAGES: Final = {"ip": "iproute2", "setpriv": "util-linux"}
HUB: Final = 254
_PREFIX: Final = "dayline"
_FOLDERS: Final = f"{os.environ.get('PATH', '')}:/usr/local/sbin:/usr/sbin:/sbin"


def missing_programs(packages: dict[str, str] = PACKAGES) -> list[str]:
    """The packages to install, of programs and their packages."""
    return [package for name, package in packages.items() if shutil.which(name, path=_FOLDERS) is None]


def address_of(number: int) -> str:
    """The address of a machine, or of the hub."""
    return f"10.0.0.{number}"


class Namespace:
    """A network namespace, and the processes in it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._processes: list[subprocess.Popen[bytes]] = []
        if _ip("netns", "add", name):
            pytest.skip("no network namespace may be made here")
        _run("-n", name, "link", "set", "lo", "up")

    def start(self, log: Path, *command: str, folder: Path, as_root: bool = False) -> None:
        """Run a program, which ends with this process at the latest."""
        user = pwd.getpwnam(USER)
        given = () if as_root else (f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups")
        prefix = ["ip", "netns", "exec", self.name, "setpriv", "--pdeathsig", "KILL", *given]
        with log.open("ab") as output:
            process = subprocess.Popen(
                [*prefix, *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=folder,
                env={**os.environ, "PATH": _FOLDERS, "HOME": str(folder)},
            )
        self._processes.append(process)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to every process."""
        for pid in _pids(self.name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self) -> None:
        """End all of them. Some programs start others again, so look until nothing is left."""
        _kill(self.name)
        for process in self._processes:
            process.wait(PATIENCE_S)
        self._processes.clear()

    def remove(self) -> None:
        self.kill()
        _ip("netns", "delete", self.name)


class Machine(Namespace):
    """A namespace with a link to the bridge of the hub."""

    def __init__(self, number: int, *, hub: Namespace) -> None:
        super().__init__(f"{hub.name}{number}")
        self.address = address_of(number)
        self._hub, self._link = hub, f"n{number}"
        _run("-n", hub.name, "link", "add", self._link, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        _run("-n", hub.name, "link", "set", self._link, "master", "bridge", "up")
        _run("-n", self.name, "address", "add", f"{self.address}/24", "dev", "eth0")
        _run("-n", self.name, "link", "set", "eth0", "up")

    def pause(self) -> None:
        """As if the machine were suspended; its network interface still answers."""
        self.signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.signal(signal.SIGCONT)

    def cut(self) -> None:
        """Nothing reaches it any more."""
        _run("-n", self._hub.name, "link", "set", self._link, "down")

    def connect(self) -> None:
        _run("-n", self._hub.name, "link", "set", self._link, "up")


@contextmanager
def new_hub() -> Generator[Namespace]:
    """The namespace with the bridge; it is removed afterwards. Skips the test if it is not allowed here."""
    _remove_abandoned()
    hub = Namespace(f"{_PREFIX}{os.getpid()}n")
    try:
        _run("-n", hub.name, "link", "add", "bridge", "type", "bridge")
        _run("-n", hub.name, "address", "add", f"{address_of(HUB)}/24", "dev", "bridge")
        _run("-n", hub.name, "link", "set", "bridge", "up")
        yield hub
    finally:
        hub.remove()


def _ip(*arguments: str) -> int:
    return subprocess.run(["ip", *arguments], capture_output=True, check=False).returncode


def _run(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], capture_output=True, check=True)


def _pids(name: str) -> list[int]:
    found = subprocess.run(["ip", "netns", "pids", name], capture_output=True, check=False, text=True)
    return [int(pid) for pid in found.stdout.split()]


def _kill(name: str) -> None:
    while pids := _pids(name):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _remove_abandoned() -> None:
    """Those of a test run that was killed."""
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, check=False, text=True).stdout
    for name in (line.split()[0] for line in listed.splitlines() if line.startswith(_PREFIX)):
        owner = name.removeprefix(_PREFIX).partition("n")[0]
        if owner.isdigit() and not Path("/proc", owner).exists():
            _kill(name)
            _ip("netns", "delete", name)
