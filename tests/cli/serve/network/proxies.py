"""A TLS proxy in front of a server: nginx with the configuration of docs/guides/network.md, or an equivalent.

The second replaces nginx if that is not installed, so that the same is asked of the server everywhere.
"""

import http.client
import re
import shutil
import signal
import socket
import ssl
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from tests.support.project.files import ROOT
from tests.support.server import free_port
from tests.support.waiting import PATIENCE_S, eventually

NAME: Final = "diary.example.org"  # as the page has it
NGINX: Final = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


@contextmanager
def proxy_to(upstream: str, certificate: dict[str, Any], folder: Path) -> Generator[int]:
    """A proxy on 127.0.0.1 that passes everything below /dayline/ on. Yields its port."""
    run = _stand_in if NGINX is None else _nginx
    with run(upstream, certificate, folder) as port:
        eventually(lambda: _is_open(port))
        yield port


def documented_settings() -> str:
    """The nginx settings that the page asks users to take."""
    page = (ROOT / "docs" / "guides" / "network.md").read_text("utf-8")
    return page.partition("```nginx\n")[2].partition("```")[0]


@contextmanager
def _nginx(upstream: str, certificate: dict[str, Any], folder: Path) -> Generator[int]:
    port = free_port()
    server = documented_settings()
    for shown, used in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/etc/ssl/diary.pem", certificate["certificate"]),
        ("/etc/ssl/diary.key", certificate["key"]),
        ("http://127.0.0.1:5600", upstream),
    ):
        assert shown in server
        server = server.replace(shown, used)
    paths = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    settings = folder / "nginx.conf"
    settings.write_text(
        f"daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off;\n{paths}{server}}}\n"
    )
    assert NGINX is not None
    process = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(settings), "-e", str(folder / "error.log")])
    try:
        yield port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)


@contextmanager
def _stand_in(upstream: str, certificate: dict[str, Any], folder: Path) -> Generator[int]:
    assert folder.exists()
    parts = urlsplit(upstream)
    handler = type("Handler", (_Passing,), {"upstream": (parts.hostname, parts.port)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate["certificate"], certificate["key"])
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Passing(BaseHTTPRequestHandler):
    """Passes a request on, with the headers that the page's settings have nginx set."""

    upstream: tuple[str, int]
    protocol_version = "HTTP/1.1"

    def _pass_on(self) -> None:
        if not self.path.startswith("/dayline/"):
            self.send_response(301 if self.path == "/dayline" else 404)
            self.send_header("Location", "/dayline/")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        dropped = {"connection", "forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"}
        headers = {name: value for name, value in self.headers.items() if name.lower() not in dropped}
        headers["X-Forwarded-For"] = self.client_address[0]
        headers["X-Forwarded-Proto"] = "https"
        headers["X-Forwarded-Host"] = self.headers["Host"]
        connection = http.client.HTTPConnection(*self.upstream, timeout=PATIENCE_S)
        connection.request(self.command, self.path, body=body or None, headers=headers)
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        self.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length", "date"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = do_PUT = do_DELETE = do_OPTIONS = _pass_on

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what matters is asserted."""


def _is_open(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def links_of(page: str) -> set[str]:
    """What a page loads or leads to."""
    return {link for link in re.findall(r'(?:href|src|spec-url)="([^"#]+)"', page) if "{" not in link}
