"""What the tests of the client share: a session bus, and a place for what is to be closed at the end."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack

import pytest


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    """Whatever a test enters here is closed at its end, the last one first."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def bus_daemon() -> Iterator["subprocess.Popen[str]"]:
    """A real D-Bus daemon. It prints its address."""
    if shutil.which("dbus-daemon") is None:
        pytest.skip("dbus-daemon is not installed, so there is no session bus")
    daemon = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE, text=True
    )
    yield daemon
    daemon.terminate()
    daemon.communicate()


@pytest.fixture
def session_bus(bus_daemon: "subprocess.Popen[str]") -> str:
    """The address of the daemon."""
    assert bus_daemon.stdout is not None
    return bus_daemon.stdout.readline().strip()
