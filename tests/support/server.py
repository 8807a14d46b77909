"""A real server process on a free port of loopback, and a small client that sends exactly what the test passes."""

import http.client
import os
import pickle
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from itertools import starmap
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Self

import msgspec

from tests.support.processes.prepared import PreparedProcess
from tests.support.waiting import PATIENCE_S


class Answer(msgspec.Struct, frozen=True):
    """What the server answered. Header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)

    @property
    def message(self) -> str:
        return str(self.json["message"])


class RunningServer:
    """`dayline serve` as a child process. Leaving the block stops it the way a service manager would."""

    # The two ways to start a server that is not quite the usual one. Other values for constants of the code
    # ("module:NAME") and for defaults of constructors ("module:Class.argument"):
    constants: Mapping[str, object] = MappingProxyType({})
    # Python that runs before the server, to change how it behaves:
    change = ""

    def __init__(self, database: Path, *flags: str, port: int | None = None) -> None:
        self.database = database
        self.port = port or free_port()
        self._flags = flags
        self._process: PreparedProcess | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def place(self) -> str:
        """Where the data are, as the command line says it."""
        return str(self.database)

    @property
    def arguments(self) -> list[str]:
        """Of the command."""
        return ["serve", "--port", str(self.port), "--database", self.place, *self._flags]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, **environment: str) -> None:
        variables = {**os.environ, "HOME": str(self.database.parent), **environment}
        change = f"{replacing(self.constants)}\n{self.change}"
        self._process = PreparedProcess(self.arguments, variables, change=change)
        self._wait_until_ready()

    def stop(self) -> int:
        """SIGTERM, and the exit status."""
        return self._end(signal.SIGTERM)

    def kill(self) -> int:
        """SIGKILL: what a power cut does to a process."""
        return self._end(signal.SIGKILL)

    def wait(self) -> int:
        """The exit status of a server that was already asked to stop."""
        return self._end(None)

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        raw: bytes | None = None,
        headers: dict[str, str] | None = None,
        patience_s: float = PATIENCE_S,
    ) -> Answer:
        """Send a request on a connection of its own. `body` is sent as JSON; `raw` as it is."""
        sent = dict(headers or {})
        if body is not None:
            raw = msgspec.json.encode(body)
        if raw is not None and not any(name.lower() == "content-type" for name in sent):
            sent["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience_s)
        try:
            connection.request(method, path, body=raw, headers=sent)
            response = connection.getresponse()
            return Answer(
                response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
            )
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.call("GET", path, headers=headers)

    def post(self, path: str, body: object = None, **headers: str) -> Answer:
        return self.call("POST", path, body, headers=headers)

    def create(self, bucket_id: str, **fields: object) -> Answer:
        """Create a bucket with the usual fields."""
        body = {"client": "test-client", "type": "test.type", "hostname": "test-host", **fields}
        return self.post(f"/api/0/buckets/{bucket_id}", body)

    def _end(self, number: signal.Signals | None) -> int:
        process = self._process
        if process is None:
            return 0
        self._process = None
        if number is not None:
            process.send_signal(number)
        status = process.wait(PATIENCE_S)
        # A traceback in the log is a defect, whatever the test was about.
        assert b"Traceback" not in process.errors, process.errors.decode()
        return status

    def _wait_until_ready(self) -> None:
        process = self._process
        assert process is not None
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise RuntimeError(process.errors.decode())
            try:
                if self.get("/api/0/info").status == 200:
                    return
            except OSError:
                time.sleep(0.02)
        raise TimeoutError(f"the server did not answer in {PATIENCE_S:.0f} seconds")


class ProgramServer(RunningServer):
    """A server that is started the long way, with its default database in a home folder and nothing of our environment.

    `program` are the words before `serve`.
    """

    def __init__(self, home: Path, *flags: str, program: Sequence[str], variables: Mapping[str, str]) -> None:
        super().__init__(home / ".local" / "share" / "dayline" / "dayline.db", *flags)
        self._program = program
        self._variables = variables

    @property
    def arguments(self) -> list[str]:
        return ["serve", "--port", str(self.port), *self._flags]

    def start(self, **environment: str) -> None:
        self._process = PreparedProcess(self.arguments, {**self._variables, **environment}, program=self._program)
        self._wait_until_ready()


def replacing(constants: Mapping[str, object]) -> str:
    """Python that replaces the values, and fails if there is no such constant or argument."""
    return "\n".join(starmap(_replacing, constants.items()))


def _replacing(name: str, value: object) -> str:
    module, _, target = name.partition(":")
    constructor, _, argument = target.rpartition(".")
    values = f"{module}.{constructor}.__init__.__kwdefaults__" if constructor else f"vars({module})"
    return (
        f"import pickle, {module}; assert {argument!r} in {values}; "
        f"{values}[{argument!r}] = pickle.loads({pickle.dumps(value)!r})"
    )


def free_port() -> int:
    """A port that no one listens on at the moment."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port
