"""Nothing that was acknowledged to a watcher is lost or doubled when the relay or the server is killed."""

import http.client
import random
import threading
import time
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
import pytest

from tests.cli.relay.running_relay import RunningRelay, events_of, moment
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S, eventually

WATCHERS: Final = 3
ROUNDS: Final = 3
LOAD_S: Final = (0.0, 0.1)
ACKNOWLEDGED_PER_ROUND: Final = 10


class Watcher:
    """Sends events of its own numbers, each once, until the relay is gone; then continues with the next one."""

    def __init__(self, relay: RunningRelay, name: str) -> None:
        self.relay = relay
        self.name = name
        self.acknowledged: list[int] = []  # acknowledged
        self.unknown: set[int] = set()  # sent, and the response never came
        self._next = 0
        self._failure: str | None = None

    def run(self) -> threading.Thread:
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        return thread

    def check(self) -> None:
        assert self._failure is None, self._failure

    def _run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.relay.port, timeout=PATIENCE_S)
        try:
            self._send(connection, "", {"client": "c", "type": "t", "hostname": "h"})
            while True:
                number, self._next = self._next, self._next + 1
                event = {"timestamp": moment(number), "data": {"app": f"{number}"}}
                self.unknown.add(number)
                if number % 3:
                    self._send(connection, "/heartbeat?pulsetime=0", event)
                else:
                    self._send(connection, "/events", [event])
                self.unknown.remove(number)
                self.acknowledged.append(number)
        except (OSError, http.client.HTTPException):
            return
        except Exception as error:
            self._failure = repr(error)
        finally:
            connection.close()

    def _send(self, connection: http.client.HTTPConnection, end: str, body: object) -> None:
        headers = {"Content-Type": "application/json"}
        connection.request("POST", f"/api/0/buckets/{self.name}{end}", msgspec.json.encode(body), headers)
        response = connection.getresponse()
        answer = response.read()
        assert response.status in (200, 304), f"{response.status} {answer.decode()}"


@pytest.mark.parametrize("seed", [1, pytest.param(0, marks=pytest.mark.long)])
def test_nothing_acknowledged_is_lost_and_nothing_doubled(server: RunningServer, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    relay = RunningRelay(tmp_path / "queue.db", server.url)
    watchers = [Watcher(relay, f"watcher-{number}") for number in range(WATCHERS)]

    def acknowledged() -> int:
        return sum(len(watcher.acknowledged) for watcher in watchers)

    def has_acknowledged(count: int) -> bool:
        return acknowledged() >= count

    for number in range(ROUNDS):
        relay.start()
        threads = [watcher.run() for watcher in watchers]
        eventually(partial(has_acknowledged, acknowledged() + ACKNOWLEDGED_PER_ROUND))
        time.sleep(chance.uniform(*LOAD_S))
        if number % 2:
            server.kill()
            time.sleep(chance.uniform(0, 0.2))
            server.start()
        relay.kill()
        for thread in threads:
            thread.join(PATIENCE_S)
        for watcher in watchers:
            watcher.check()

    with relay:
        relay.wait_until_sent()
        assert relay.status["refused"] == 0

    for watcher in watchers:
        found = [int(app) for _, _, app in events_of(server, watcher.name)]
        assert len(found) == len(set(found))
        assert set(watcher.acknowledged) <= set(found) <= set(watcher.acknowledged) | watcher.unknown
