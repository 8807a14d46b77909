"""A bad way to a server: answers get lost, so that it does what no one hears of, or it is called by another name."""

import http.client
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S


class LossyWay:
    """Passes requests on to a server, as `host` where that is given. Whether the response is lost, `is_lost` decides.

    It is asked with the number of the request; only POST counts.
    """

    def __init__(
        self, server: RunningServer, *, is_lost: Callable[[int], bool] = lambda _: False, host: str | None = None
    ) -> None:
        self.requests: list[dict[str, str]] = []  # the headers of each POST, names in lower case
        way = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._pass(is_counted=False)

            def do_POST(self) -> None:
                self._pass(is_counted=True)

            def _pass(self, *, is_counted: bool) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
                headers = dict(self.headers) if host is None else {**dict(self.headers), "Host": host}
                connection.request(self.command, self.path, body=body, headers=headers)
                response = connection.getresponse()
                answer = response.read()
                connection.close()
                if is_counted:
                    way.requests.append({name.lower(): value for name, value in self.headers.items()})
                    if is_lost(len(way.requests)):
                        self.close_connection = True
                        return
                self.send_response(response.status)
                for name in ("Content-Type", "Retry-After"):
                    if name in response.headers:
                        self.send_header(name, response.headers[name])
                if response.status != 304:
                    self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
