"""The README's "Put it on your network", followed to the letter, with the released Python client as the watcher."""

import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.project.docs.pages.computer import Computer, answers
from tests.support.calls.endpoints import OUTSIDE_ADDRESS, Door
from tests.support.calls.released_client import python_client
from tests.support.server import RunningServer, free_port
from tests.support.waiting import PATIENCE_S, eventually

README: Final = Path(__file__).parents[4] / "README.md"
SECTION: Final = README.read_text("utf-8").partition("## Put it on your network\n")[2].partition("\n## ")[0]
BUCKET: Final = "aw-watcher-window_laptop"


@pytest.fixture
def computers(tmp_path: Path) -> Iterator[tuple[Computer, Computer]]:
    port = free_port()
    diary, laptop = Computer(tmp_path / "diary", port), Computer(tmp_path / "laptop", port)
    try:
        yield diary, laptop
    finally:
        laptop.stop()
        diary.stop()


def test_a_laptop_records_at_home_and_nothing_is_lost_while_the_server_is_killed(
    computers: tuple[Computer, Computer],
) -> None:
    diary, laptop = computers
    on_diary, on_laptop = (block.strip().splitlines() for block in re.findall(r"```sh\n(.*?)```", SECTION, re.DOTALL))
    *preparations, serve = on_diary
    for line in preparations:
        diary.type(line)
    server = diary.start(serve)
    # What the text between the two blocks asks you to do.
    ca = diary.home / ".local" / "share" / "dayline" / "tls" / "ca.pem"
    shutil.copy(ca, laptop.home)
    shutil.copy(diary.home / "laptop.key", laptop.home)
    relay_port = free_port()
    [relay] = on_laptop
    laptop.start(relay, "--port", str(relay_port))
    at_relay = RunningServer(laptop.home / "unused", port=relay_port)
    eventually(lambda: answers(at_relay))
    owner = Door(OUTSIDE_ADDRESS, diary.port, ca=ca, key=(diary.home / "owner.key").read_text().strip())

    with python_client(relay_port, home=laptop.home) as client:
        client.call("create_bucket", BUCKET, "currentwindow")
        for number in range(30):
            if number == 10:
                server.send_signal(signal.SIGKILL)
                server.wait(PATIENCE_S)
            if number == 20:
                server = diary.start(serve)
            client.call("heartbeat", BUCKET, beat(number), 5.0)
    eventually(lambda: at_relay.get("/api/1/relay").json["waiting"] == 0)

    events = owner.get(f"/api/0/buckets/{BUCKET}/events").json
    assert [event["data"]["title"] for event in reversed(events)] == [f"page {number}" for number in range(30)]
    laptop_key = Door(OUTSIDE_ADDRESS, diary.port, ca=ca, key=(laptop.home / "laptop.key").read_text().strip())
    assert laptop_key.get(f"/api/0/buckets/{BUCKET}/events").status == 403
    assert laptop_key.call("POST", "/api/0/buckets/aw-watcher-window_desktop", {}).status == 403


def beat(number: int) -> dict[str, object]:
    moment = f"2026-02-03T08:{number:02}:00Z"
    return {"timestamp": moment, "duration": 0, "data": {"app": "Editor", "title": f"page {number}"}}
