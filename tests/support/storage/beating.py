"""A watcher that beats all the while, whatever else a server does."""

import http.client
import threading
import time

import msgspec

from tests.support.waiting import PATIENCE_S


class Watcher(threading.Thread):
    """Beats up to a hundred times a second, and notes how it was answered."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self._port = port
        self.is_stopping = False
        self.sent = 0
        self.statuses: set[int] = set()

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
        while not self.is_stopping:
            moment = f"2026-01-01T{self.sent // 3600:02}:{self.sent // 60 % 60:02}:{self.sent % 60:02}Z"
            connection.request(
                "POST",
                "/api/0/buckets/window/heartbeat?pulsetime=0.5",
                msgspec.json.encode({"timestamp": moment}),
                {"Content-Type": "application/json"},
            )
            response = connection.getresponse()
            response.read()
            self.statuses.add(response.status)
            self.sent += 1
            time.sleep(0.01)
        connection.close()
