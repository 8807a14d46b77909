"""A WebDAV server in this process, on a free port of loopback: wsgidav, which other programs use too."""

import socketserver
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from msgspec import Struct
from wsgidav.wsgidav_app import WsgiDAVApp

USER: Final = "anna"
PASSWORD: Final = "a password"


class Webdav(Struct):
    """A running server. `refused` has methods that it rejects, each with the status."""

    port: int
    refused: dict[str, str] = {}
    requests: list[str] = []

    def location(self, path: str = "/space") -> str:
        return f"webdav+http://{USER}@127.0.0.1:{self.port}{path}"


class _Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@contextmanager
def webdav_server(folder: Path) -> Generator[Webdav]:
    """Serve a folder to one user with a password."""
    served = WsgiDAVApp(
        {
            "provider_mapping": {"/": str(folder)},
            "simple_dc": {"user_mapping": {"*": {USER: {"password": PASSWORD}}}},
            "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False},
            "verbose": 0,
            "logging": {"enable": False, "enable_loggers": []},
        }
    )

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        method = environ["REQUEST_METHOD"]
        server.requests.append(f"{method} {environ['PATH_INFO']}")
        # wsgidav reads to the end of the input, and wsgiref keeps the connection open.
        environ["wsgi.input"] = BytesIO(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)))
        if method not in server.refused:
            return served(environ, start_response)
        start_response(server.refused[method], [("Content-Length", "0")])
        return []

    with make_server("127.0.0.1", 0, app, server_class=_Server, handler_class=_Quiet) as http:
        server = Webdav(port=http.server_port)
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()
