"""Three PostgreSQL nodes with Patroni and etcd, and two servers behind HAProxy, in network namespaces.

    hub ── bridge ─┬─ node 1: etcd, Patroni, PostgreSQL
     │             ├─ node 2: the same
     HAProxy,      └─ node 3: the same
     two servers

Nothing here touches the network of the machine: the test talks to HAProxy through Unix sockets.
"""

import contextlib
import http.client
import shutil
import socket
import sys
from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from tests.support.postgres.cluster import give_away, new_folder, program
from tests.support.processes import namespaces
from tests.support.processes.namespaces import Machine, Namespace, address_of, new_hub
from tests.support.waiting import eventually

PACKAGES: Final = {"etcd": "etcd-server", "patroni": "patroni", "haproxy": "haproxy", **namespaces.PACKAGES}
TTL_S: Final = 20  # the least that Patroni accepts
_NODES: Final = (1, 2, 3)


class SocketConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: Path, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))

    def json(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
        """The status and the content of a response."""
        sent = {"Content-Type": "application/json", **headers}
        self.request(method, path, body=None if body is None else msgspec.json.encode(body), headers=sent)
        response = self.getresponse()
        content = response.read()
        return response.status, msgspec.json.decode(content) if content[:1] in b"{[" else None


def asked(path: Path, request: str, *, timeout: float) -> tuple[int, Any]:
    """The status and the content of one response; 503 if there is none."""
    with (
        contextlib.suppress(OSError, http.client.HTTPException),
        closing(SocketConnection(path, timeout)) as connection,
    ):
        return connection.json("GET", request)
    return 503, None


class Node:
    """A machine with etcd, Patroni and PostgreSQL."""

    def __init__(self, number: int, *, hub: Namespace, folder: Path) -> None:
        self.name, self.address = f"n{number}", address_of(number)
        self._folder = folder / f"n{number}"
        self._folder.mkdir()
        give_away(self._folder)
        self.machine = Machine(number, hub=hub)
        (self._folder / "patroni.json").write_bytes(msgspec.json.encode(self._settings()))

    def start(self) -> None:
        client, peer = f"http://{self.address}:2379", f"http://{self.address}:2380"
        members = ",".join(f"n{number}=http://{address_of(number)}:2380" for number in _NODES)
        etcd = [
            "etcd", "--enable-v2", "--name", self.name, "--data-dir", str(self._folder / "etcd"),
            "--initial-cluster", members,
            "--listen-client-urls", client, "--advertise-client-urls", client,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
        ]  # fmt: skip
        for command in (etcd, ["patroni", str(self._folder / "patroni.json")]):
            self.machine.start(self._folder / f"{command[0]}.log", *command, folder=self._folder)

    def kill(self) -> None:
        """As if the machine had lost its power."""
        self.machine.kill()

    def _settings(self) -> dict[str, Any]:
        parameters = {"synchronous_commit": "on", "max_connections": 100, "shared_buffers": "32MB"}
        return {
            "scope": "dayline",
            "name": self.name,
            "restapi": {"listen": f"{self.address}:8008", "connect_address": f"{self.address}:8008"},
            # Not `etcd3`: Patroni 3.0 keeps a stale copy of its state if the node that it watches was cut off.
            "etcd": {"hosts": [f"{address_of(number)}:2379" for number in _NODES]},
            "bootstrap": {
                "dcs": {
                    "ttl": TTL_S, "loop_wait": 5, "retry_timeout": 5, "synchronous_mode": True,
                    "postgresql": {"use_pg_rewind": True, "parameters": parameters},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "data-checksums"],
            },
            "postgresql": {
                "listen": f"{self.address}:5432",
                "connect_address": f"{self.address}:5432",
                "data_dir": str(self._folder / "data"),
                "bin_dir": str(Path(program("postgres")).parent),
                "pgpass": str(self._folder / "pgpass"),
                "authentication": {"superuser": {"username": "postgres"}, "replication": {"username": "replicator"}},
                "pg_hba": ["local all all trust", "host all all all trust", "host replication all all trust"],
                "parameters": {"unix_socket_directories": str(self._folder)},
            },
        }  # fmt: skip


class Nodes:
    """The nodes, and the way to the servers."""

    def __init__(self, folder: Path, nodes: Sequence[Node]) -> None:
        self.all = nodes
        self.folder = folder
        self.servers = folder / "servers.sock"

    def with_role(self, role: str) -> list[Node]:
        """The nodes that have a role, as Patroni reports on each of them."""
        return [node for node in self.all if asked(self.folder / f"{node.name}.sock", f"/{role}", timeout=2)[0] == 200]

    def is_complete(self) -> bool:
        """Whether all nodes run, one of them as the synchronous standby."""
        return [len(self.with_role(role)) for role in ("primary", "sync", "async")] == [1, 1, 1]


@contextmanager
def running_nodes() -> Generator[Nodes]:
    """The whole installation; it is removed afterwards, whatever happened. Skips the test if it is not allowed here."""
    with ExitStack() as stack:
        folder = new_folder()
        folder.chmod(0o711)
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        hub = stack.enter_context(new_hub())
        nodes: list[Node] = []
        for number in _NODES:
            nodes.append(Node(number, hub=hub, folder=folder))
            stack.callback(nodes[-1].machine.remove)
        made = Nodes(folder, nodes)
        for node in nodes:
            node.start()
        _start_proxy(hub, folder)
        eventually(made.is_complete)
        _start_servers(hub, folder)
        eventually(lambda: asked(made.servers, "/api/1/ready", timeout=5)[0] == 200)
        yield made


def _start_servers(hub: Namespace, folder: Path) -> None:
    hosts = ",".join(map(address_of, _NODES))
    for port in (5601, 5602):
        home = folder / f"server{port}"
        home.mkdir()
        command = [sys.executable, "-m", "dayline", "serve", "--port", str(port)]
        address = f"postgresql://postgres@{hosts}/postgres"
        hub.start(home / "log", *command, "--database", address, folder=home, as_root=True)


def _start_proxy(hub: Namespace, folder: Path) -> None:
    config = folder / "haproxy.cfg"
    ways = "".join(
        f"listen {name}\n    bind unix@{folder / name}.sock\n    server {name} {address_of(number)}:8008\n"
        for number in _NODES
        for name in [f"n{number}"]
    )
    config.write_text(f"""
global
    maxconn 2000
defaults
    mode http
    timeout connect 2s
    timeout client 90s
    timeout server 90s
    timeout check 3s
{ways}
listen dayline
    bind unix@{folder / "servers.sock"}
    option httpchk
    http-check send meth GET uri /api/1/ready ver HTTP/1.1 hdr Host localhost
    server one 127.0.0.1:5601 check inter 1s rise 1
    server two 127.0.0.1:5602 check inter 1s rise 1
""")
    hub.start(folder / "haproxy.log", "haproxy", "-db", "-f", str(config), folder=folder, as_root=True)
