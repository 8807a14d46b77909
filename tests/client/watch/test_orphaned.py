"""A watcher whose server was killed stores what it records, and the next one sends it; one that is stopped ends."""

import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dayline.client.watch import process
from dayline.client.watch.process import STOP, WatchConfig, WatchFolder, end_process
from dayline.client.watch.run import Recording
from dayline.model.errors import StoreLocked
from tests.client.watch.fake_desktop import FakeDesktop
from tests.support.server import RunningServer
from tests.support.waiting import eventually


class SupervisedRecording:
    """The recording of a desktop, whose standard input the test writes and closes as a server does."""

    def __init__(self, config: WatchConfig, desktop: FakeDesktop) -> None:
        self._input: int | None
        reading, self._input = os.pipe()
        self._stdin = os.fdopen(reading)
        sys.stdin = self._stdin
        self._recording = Recording(config, "x11", desktop, lambda _: None)
        self._thread = threading.Thread(target=self._recording.run)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def say_stop(self) -> None:
        assert self._input is not None
        os.write(self._input, STOP)

    def lose_server(self) -> None:
        """What SIGKILL does to the server's end of the pipe."""
        assert self._input is not None
        os.close(self._input)
        self._input = None

    def close(self) -> None:
        self._recording.stop()
        self._thread.join()
        if self._input is not None:
            os.close(self._input)
        self._stdin.close()


@contextmanager
def supervised(
    server: RunningServer, folder: Path, desktop: FakeDesktop, *, max_orphaned_s: float = 600
) -> Generator[SupervisedRecording]:
    config = WatchConfig(
        url=server.url, hostname="laptop", folder=str(folder), away_after_s=180, is_supervised=True,
        max_orphaned_s=max_orphaned_s,
    )  # fmt: skip
    before = sys.stdin
    recording = SupervisedRecording(config, desktop)
    try:
        yield recording
    finally:
        recording.close()
        sys.stdin = before
        desktop.close()


def apps(server: RunningServer) -> list[str]:
    answer = server.get("/api/0/buckets/aw-watcher-window_laptop/events")
    found: list[dict[str, Any]] = list(reversed(answer.json)) if answer.status == 200 else []
    return [event["data"]["app"] for event in found]


def stored(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


def test_what_was_recorded_without_a_server_is_sent_by_the_next_watcher(server: RunningServer, tmp_path: Path) -> None:
    desktop = FakeDesktop()
    desktop.show("editor")
    with supervised(server, tmp_path / "q", desktop) as recording:
        eventually(lambda: apps(server) == ["editor"])
        server.kill()
        recording.lose_server()
        for app in ("browser", "mail", "player"):
            desktop.show(app)
            eventually(lambda expected=app: expected.encode() in stored(tmp_path / "q"))  # type: ignore[misc]
        assert recording.is_running

    server.start()
    desktop = FakeDesktop()
    desktop.show("terminal")
    with supervised(server, tmp_path / "q", desktop):
        eventually(lambda: apps(server)[-1:] == ["terminal"])

    assert apps(server) == ["editor", "browser", "mail", "player", "terminal"]


def test_a_watcher_without_its_server_sends_nothing_to_another_one(server: RunningServer, tmp_path: Path) -> None:
    desktop = FakeDesktop()
    desktop.show("editor")
    with supervised(server, tmp_path / "q", desktop) as recording:
        eventually(lambda: apps(server) == ["editor"])
        server.kill()
        recording.lose_server()
        server.database = tmp_path / "other.db"
        server.start()
        desktop.show("browser")
        eventually(lambda: b"browser" in stored(tmp_path / "q"))

    assert server.get("/api/0/buckets/").json == {}


def test_a_server_that_stops_ends_its_watcher(server: RunningServer, tmp_path: Path) -> None:
    with supervised(server, tmp_path / "q", FakeDesktop()) as recording:
        eventually(lambda: apps(server) == ["unknown"])
        recording.say_stop()
        recording.lose_server()

        eventually(lambda: not recording.is_running)


def test_a_folder_of_another_program_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_STOP_S", 0.1)
    held = WatchFolder(tmp_path / "q")

    with pytest.raises(StoreLocked, match="another process uses"):
        end_process(tmp_path / "q")
    held.release()
    end_process(tmp_path / "q")


def test_a_folder_that_was_never_used_is_not_created(tmp_path: Path) -> None:
    end_process(tmp_path / "q")

    assert not (tmp_path / "q").exists()
