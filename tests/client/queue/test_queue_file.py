"""The file of the queue: durable, for the user alone, for one process at a time, and nothing else than a queue."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Final

import apsw
import pytest

from dayline.client.queue import CallQueue
from dayline.model.errors import BucketExists, StoreLocked, StoreUnusable
from dayline.model.event import decode_heartbeat
from dayline.model.time import SECOND
from tests.client.queue.queueing import beat, create, left_in
from tests.support.storage.slow_disk import Disk

# Adds heartbeats without end, and says of each, when it is reported, that it was added.
_ADDER: Final = """
import sys
from pathlib import Path
from dayline.client.queue import CallQueue
from dayline.model.event import decode_heartbeat
from dayline.model.time import SECOND
from tests.client.queue.queueing import beat

queue = CallQueue(Path(sys.argv[1]))
for number in range(1_000_000):
    queue.add([beat(number, app=f"app {number}")])
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
"""


def test_what_was_added_is_there_after_a_restart(tmp_path: Path) -> None:
    queue = CallQueue(tmp_path / "queue.db")
    queue.add([create(), beat(0)])
    token = queue.take()
    queue.close()

    again = CallQueue(tmp_path / "queue.db")
    assert again.state().waiting == 2
    assert again.take() == token
    assert isinstance(again.add([create()])[0], BucketExists)
    again.close()


def test_what_was_added_survives_sigkill(tmp_path: Path) -> None:
    path = tmp_path / "queue.db"
    process = subprocess.Popen([sys.executable, "-c", _ADDER, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 50:
            break
    process.send_signal(signal.SIGKILL)
    reported = 51 + len(process.stdout.read().splitlines())
    process.wait()
    process.stdout.close()

    # At most one was added that could not be reported any more.
    assert reported <= len(left_in(path)) <= reported + 1


def test_the_file_and_its_log_are_for_the_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "queue.db"
    mask = os.umask(0)
    try:
        queue = CallQueue(path)
        queue.add([beat(0)])
    finally:
        os.umask(mask)

    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    queue.close()
    assert modes == {"queue.db": 0o600, "queue.db-wal": 0o600}


def test_one_process_at_a_time_has_the_file(tmp_path: Path) -> None:
    path = tmp_path / "queue.db"
    queue = CallQueue(path)

    with pytest.raises(StoreLocked, match="in use by another relay"):
        CallQueue(path)

    queue.close()
    CallQueue(path).close()


@pytest.mark.parametrize("content", [b"this is not a database at all, but a text" * 50, None])
def test_another_file_is_rejected_and_left_alone(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "other.db"
    if content is None:
        db = apsw.Connection(str(path))
        db.execute("CREATE TABLE mine(x)")
        db.close()
    else:
        path.write_bytes(content)

    with pytest.raises(StoreUnusable):
        CallQueue(path)

    if content is not None:
        assert path.read_bytes() == content


def test_a_queue_of_a_newer_version_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "queue.db"
    CallQueue(path).close()
    db = apsw.Connection(str(path))
    db.pragma("user_version", 2)
    db.close()

    with pytest.raises(StoreUnusable, match="another version"):
        CallQueue(path)


def test_a_full_disk_is_reported_and_nothing_is_half_done(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "disk")
    with disk.mounted():
        queue = CallQueue(tmp_path / "queue.db")
        queue.add([beat(0)])
        disk.fill()

        with pytest.raises(StoreUnusable, match="cannot write the queue"):
            queue.add([beat(4), beat(5, app="browser")])
        assert queue.state().waiting == 1
        disk.quick()
        queue.add([beat(4)])

        queue.close()
        starts = [decode_heartbeat(call.body).start for call in left_in(tmp_path / "queue.db")]
        assert starts == [0, 4 * SECOND]


def test_after_closing_nothing_is_taken_and_nothing_fails(tmp_path: Path) -> None:
    queue = CallQueue(tmp_path / "queue.db")
    queue.add([beat(0)])
    call = queue.take()
    assert call is not None

    queue.close()
    queue.done(call)
    queue.refuse(call, "late")

    assert queue.take() is None
    assert queue.creation("a") is None
    assert left_in(tmp_path / "queue.db") == [call]
