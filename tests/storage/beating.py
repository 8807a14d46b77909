"""A watcher that beats all the while, whatever else a server does."""

import http.client
import threading
import time

import msgspec


class Watcher(threading.Thread):
    """Beats a hundred times a second, and notes the slowest answer."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self._port = port
        self.is_stopping = False
        self.sent = 0
        self.slowest_s = 0.0
        self.statuses: set[int] = set()

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        while not self.is_stopping:
            moment = f"2026-01-01T{self.sent // 3600:02}:{self.sent // 60 % 60:02}:{self.sent % 60:02}Z"
            begun = time.monotonic()
            connection.request(
                "POST",
                "/api/0/buckets/window/heartbeat?pulsetime=0.5",
                msgspec.json.encode({"timestamp": moment}),
                {"Content-Type": "application/json"},
            )
            response = connection.getresponse()
            response.read()
            self.statuses.add(response.status)
            self.slowest_s = max(self.slowest_s, time.monotonic() - begun)
            self.sent += 1
            time.sleep(0.01)
        connection.close()
