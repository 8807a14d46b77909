"""`dayline relay` as a user starts it: what it says, what it refuses, and how it ends."""

import os
import signal
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import msgspec
import pytest

from dayline.config.data_folder import DataFile, data_file
from dayline.model.access import new_key_text
from tests.cli.relay.running_relay import RunningRelay, away, events_of
from tests.support.processes.command import run
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S, eventually

INVALID, UNAVAILABLE, USAGE = 78, 75, 64


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "laptop.key"
    path.write_text(new_key_text())
    path.chmod(0o600)
    return path


# Its calls wait far longer than the test does: a relay that waits for them does not end in time.


@pytest.fixture
def silent_address() -> Iterator[str]:
    """Where calls arrive and no one ever answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def refused(home: Path, *arguments: str) -> CompletedProcess[str]:
    ended = run("relay", "--port", "0", *arguments, home=home)
    assert "Traceback" not in ended.stderr
    return ended


def log_of(relay: RunningRelay) -> list[str]:
    lines = data_file(relay.queue, DataFile.LOG).read_text().splitlines()
    return [msgspec.json.decode(line)["message"] for line in lines]


def test_the_first_line_has_the_address_the_target_and_the_queue(tmp_path: Path) -> None:
    to = away()
    relay = RunningRelay(tmp_path / "queue.db", to)
    with relay:
        assert log_of(relay)[0].endswith(
            f"is ready at http://localhost:{relay.port}/ and sends to {to}; 0 requests wait"
        )
        relay.create("a")
    with relay:
        assert any(line.endswith("; 1 request waits") for line in log_of(relay))


def test_a_log_of_an_earlier_version_is_continued_in_the_folder_of_the_queue(tmp_path: Path) -> None:
    earlier = (
        '{"timestamp":"2026-03-05T09:00:00Z","level":"info","logger":"dayline","message":"of an earlier version"}\n'
    )
    (tmp_path / "queue.log").write_text(earlier)

    with RunningRelay(tmp_path / "queue.db", away()) as relay:
        assert log_of(relay)[0] == "of an earlier version"

    assert not (tmp_path / "queue.log").exists()


def test_the_queue_is_in_the_data_folder_named_by_host(tmp_path: Path) -> None:
    with RunningRelay(tmp_path / "queue.db", away()) as relay:
        # Found by its lock: another relay with the same file is refused.
        taken = refused(tmp_path, "--to", relay.to, "--queue", str(relay.queue))
    assert taken.returncode == UNAVAILABLE
    assert "is in use by another relay" in taken.stderr

    folder = tmp_path / ".local" / "share" / "dayline"
    folder.mkdir(parents=True)
    (folder / "relay-127.0.0.1.db").write_text("not a queue, but what stands at its place")
    unusable = refused(tmp_path, "--to", relay.to)
    assert unusable.returncode == UNAVAILABLE
    assert str(folder / "relay-127.0.0.1.db") in unusable.stderr


def test_plain_http_to_another_computer_is_rejected(tmp_path: Path, key_file: Path) -> None:
    ended = refused(tmp_path, "--to", "http://192.0.2.1:5600", "--key-file", str(key_file))

    assert ended.returncode == INVALID
    assert "unencrypted" in ended.stderr
    assert "--envelope" in ended.stderr


def test_plain_http_with_envelopes_is_accepted(tmp_path: Path, key_file: Path) -> None:
    with RunningRelay(
        tmp_path / "queue.db", "http://192.0.2.1:5600", "--key-file", str(key_file), "--envelope"
    ) as relay:
        assert relay.status["to"] == "http://192.0.2.1:5600"


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        (["--to", "https://192.0.2.1:5600"], "needs a key"),
        (["--to", "days.example"], "not the URL of a server"),
        (["--to", "https://me:secret@days.example"], "must not have a user, password"),
    ],
)
def test_what_cannot_work_is_rejected_with_a_reason(tmp_path: Path, flags: list[str], word: str) -> None:
    ended = refused(tmp_path, *flags)

    assert ended.returncode == INVALID
    assert word in ended.stderr
    assert "secret" not in ended.stderr


def test_a_file_without_a_key_is_rejected_without_quoting_it(tmp_path: Path, key_file: Path) -> None:
    key_file.write_text("hunter2\n")

    ended = refused(tmp_path, "--to", away(), "--key-file", str(key_file))

    assert ended.returncode == INVALID
    assert "does not contain a key" in ended.stderr
    assert "hunter2" not in ended.stderr


@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_a_key_file_that_others_can_read_is_reported(tmp_path: Path, key_file: Path, mode: int) -> None:
    key_file.chmod(mode)
    with RunningRelay(tmp_path / "queue.db", away(), "--key-file", str(key_file)) as relay:
        is_reported = any("chmod 600" in line for line in log_of(relay))

    assert is_reported == bool(stat.S_IMODE(mode) & 0o077)


def test_a_missing_address_is_a_wrong_use(tmp_path: Path) -> None:
    assert refused(tmp_path).returncode == USAGE
    assert refused(tmp_path, "--to", "http://127.0.0.1:5600", "--envelope").returncode == USAGE


def test_a_missing_key_file_is_not_found(tmp_path: Path) -> None:
    ended = refused(tmp_path, "--to", "http://127.0.0.1:5600", "--key-file", "missing.key")

    assert (ended.returncode, "cannot read the key file" in ended.stderr) == (66, True)


def test_the_status_of_a_running_relay_is_shown_and_its_exit_code_shows_whether_it_can_send(tmp_path: Path) -> None:
    server = RunningServer(tmp_path / "days.db")
    with RunningRelay(tmp_path / "queue.db", server.url) as relay:
        port = ("--port", str(relay.port))
        relay.create("a")
        eventually(lambda: relay.status["state"] == "away")
        away_ = run("relay", "status", *port, home=tmp_path)
        with server:
            relay.wait_until_sent()
            connected = run("relay", "status", *port, "--json", home=tmp_path)
    stopped = run("relay", "status", *port, home=tmp_path)

    assert (away_.returncode, away_.stdout.startswith("not connected to ")) == (1, True)
    assert "waiting  1 " in away_.stdout
    found = msgspec.json.decode(connected.stdout)
    assert (connected.returncode, found["state"], found["waiting"]) == (0, "connected", 0)
    assert (stopped.returncode, f"no relay runs at port {relay.port}" in stopped.stderr) == (UNAVAILABLE, True)


def test_a_port_that_is_taken_is_reported_with_its_holder(server: RunningServer, tmp_path: Path) -> None:
    ended = run("relay", "--to", away(), "--port", str(server.port), "--queue", str(tmp_path / "q.db"), home=tmp_path)

    assert ended.returncode == UNAVAILABLE
    assert f"port {server.port} is in use by Dayline" in ended.stderr
    assert "--port" in ended.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_at_once_and_what_waits_is_sent_after_the_next_start(tmp_path: Path, number: signal.Signals) -> None:
    server = RunningServer(tmp_path / "days.db")
    relay = RunningRelay(tmp_path / "queue.db", server.url)
    with relay:
        relay.create("a")
        relay.beat("a", 0)
        os.kill(relay.pid, number)
        assert relay.stop() == 0
    assert log_of(relay)[-1] == "Stopped; 2 requests wait in queue.db"

    with server, relay:
        relay.wait_until_sent()
        assert events_of(server, "a") == [(0, 0, "editor")]


def test_a_call_that_is_never_answered_does_not_keep_it_from_ending(tmp_path: Path, silent_address: str) -> None:
    relay = RunningRelay(tmp_path / "queue.db", silent_address)
    relay.constants = {"dayline.client.transport:Transport.timeout_s": 1e6}
    with relay:
        relay.create("a")

        assert relay.stop() == 0


def test_recording_continues_while_the_server_does_not_answer(tmp_path: Path, silent_address: str) -> None:
    with RunningRelay(tmp_path / "queue.db", silent_address) as relay:
        relay.create("a")
        for second in range(10):
            assert relay.beat("a", second).status == 200
        assert relay.status["waiting"] == 2


def test_systemd_is_notified(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.settimeout(PATIENCE_S)
        relay = RunningRelay(tmp_path / "queue.db", away())
        relay.start(NOTIFY_SOCKET=str(tmp_path / "notify"))
        assert listener.recv(100) == b"READY=1"

        relay.stop()

        assert listener.recv(100) == b"STOPPING=1"


def test_away_and_back_are_reported_in_the_log_once(tmp_path: Path) -> None:
    server = RunningServer(tmp_path / "days.db")
    with RunningRelay(tmp_path / "queue.db", server.url) as relay:
        relay.create("a")
        for second in range(5):
            relay.beat("a", second, app=f"app {second}")
        eventually(lambda: relay.status["state"] == "away")
        with server:
            relay.wait_until_sent()

    lines = log_of(relay)
    assert len([line for line in lines if "Cannot send to" in line]) == 1
    assert len([line for line in lines if line.startswith("Connected to")]) == 1
