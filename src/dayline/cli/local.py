"""Calls of our own commands: to the server that uses the database, or, where none runs, on the file itself.

Both ways go through the same handlers, so that a command is nothing but a call.
"""

import asyncio
import http.client
import os
import ssl
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol, TypeVar
from urllib.parse import urlencode, urlsplit

import click
import msgspec
from msgspec import Struct

from dayline.cli.data_folder import make_data_home
from dayline.cli.options import OURS_ALONE
from dayline.cli.settings import Settings
from dayline.cli.token_file import LocalDoor, read_token_file
from dayline.model.errors import DaylineError, Forbidden, Invalid, NotFound, StoreLocked, Unauthorised, Unavailable
from dayline.model.timestamps import now_us

T = TypeVar("T")

TIMEOUT_S: Final = 600.0  # applying privacy rules to years of history takes its time
_CHUNK_BYTES: Final = 1 << 20
_FAMILY: Final[dict[int, type[DaylineError]]] = {401: Unauthorised, 403: Forbidden, 404: NotFound, 503: Unavailable}


class _Refusal(Struct):
    message: str = ""
    hint: str | None = None


class LocalServer(Protocol):
    """Whoever answers calls about a database on this machine. A server takes several at once, from any thread."""

    @property
    def is_server(self) -> bool: ...

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        """Make a call and decode its answer. Raises an error of our family with the words of the server."""
        ...

    def send(self, path: str, file: BinaryIO, **query: object) -> Any:
        """POST a file that holds JSON, of any size, and decode the answer. Raises the same, or OSError."""
        ...


@contextmanager
def local_server(settings: Settings) -> Generator[LocalServer]:
    """The running server of this database, or the database itself."""
    door = read_token_file(settings.database)
    if door is not None and _answers(door):
        yield _Running(door)
        return
    try:
        with _opened(settings) as opened:
            yield opened
    except StoreLocked as error:
        raise Unavailable(
            f"a server uses {settings.database.name}, and does not answer our commands",
            hint="run this command as the user who runs the server, or stop the server",
        ) from error


class _Running:
    is_server = True

    def __init__(self, door: LocalDoor) -> None:
        self._door = door

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        headers = {} if body is None else {"Content-Type": "application/json"}
        content = None if body is None else msgspec.json.encode(body)
        return self._sent(method, path_with(path, query), content, headers)

    def send(self, path: str, file: BinaryIO, **query: object) -> Any:
        headers = {"Content-Type": "application/json", "Content-Length": str(os.fstat(file.fileno()).st_size)}
        return self._sent("POST", path_with(path, query), file, headers)

    def _sent(self, method: str, target: str, body: bytes | BinaryIO | None, headers: dict[str, str]) -> Any:
        connection = _connect(self._door)
        try:
            authorization = {"Authorization": f"Bearer {self._door.token}"}
            connection.request(method, target, body=body, headers=headers | authorization)
            response = connection.getresponse()
            return decoded(response.status, response.read())
        except (OSError, http.client.HTTPException) as error:
            raise Unavailable(f"the server at {self._door.url} does not answer: {error}") from error
        finally:
            connection.close()


class _Opened:
    is_server = False

    def __init__(self, run: "asyncio.Runner", app: Any) -> None:
        self._runner = run
        self._app = app

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        return self._called(method, path_with(path, query), body=None if body is None else msgspec.json.encode(body))

    def send(self, path: str, file: BinaryIO, **query: object) -> Any:
        return self._called("POST", path_with(path, query), chunks=iter(lambda: file.read(_CHUNK_BYTES), b""))

    def _called(
        self, method: str, target: str, *, body: bytes | None = None, chunks: Iterable[bytes] | None = None
    ) -> Any:
        # Here, because a command that finds a server needs none of it.
        from dayline.access.caller import LOCAL
        from dayline.access.peers import Seen
        from dayline.api.inner import InnerCall, Trusted, call_within

        raw_path, _, raw_query = target.partition("?")
        seen = Seen(address="this machine", scheme="http", host=b"localhost")
        inner = InnerCall(
            method=method,
            path=raw_path,
            query=raw_query,
            body=body,
            chunks=chunks,
            trusted=Trusted(caller=LOCAL, seen=seen),
        )
        answer = self._runner.run(call_within(self._app, inner))
        return decoded(answer.status, answer.body)


@contextmanager
def _opened(settings: Settings) -> Generator[_Opened]:
    # Here, because a command that finds a server needs none of it.
    from dayline.access.hosts import HostRules
    from dayline.access.keyring import Keyring
    from dayline.api.log_records import LogRecords
    from dayline.care.backup_before import BackupBefore
    from dayline.care.clock_watch import ClockWatch
    from dayline.care.damage import told_damage
    from dayline.cli.assembly import assemble
    from dayline.cli.backup_key import secret_of
    from dayline.cli.query_command import query_command
    from dayline.query.workers import QueryWorkers
    from dayline.storage.sqlite.database import SqliteDatabase

    os.umask(OURS_ALONE)
    keep = BackupBefore(settings.backup, clock=now_us, secret=secret_of(settings.backup)).upgrade
    make_data_home(settings)
    clock = ClockWatch()
    with asyncio.Runner() as runner:
        database = runner.run(
            _on_loop(
                lambda: SqliteDatabase(
                    settings.database,
                    asyncio.get_running_loop(),
                    trash=settings.trash,
                    ages=clock.for_ages,
                    keep=keep,
                )
            )
        )
        if database.damage is not None:
            click.echo(told_damage(database.damage, settings.database), err=True)
        queries = QueryWorkers(query_command(database.path, settings.query), settings.query)
        try:
            assembled = runner.run(
                _on_loop(
                    lambda: assemble(
                        settings,
                        database,
                        queries,
                        Keyring(database.access),
                        clock=clock,
                        hosts=HostRules("localhost"),
                        port=settings.port,
                        needs_keys=False,
                        records=LogRecords(),
                    )
                )
            )
            yield _Opened(runner, assembled.app)
            runner.run(assembled.services.jobs.close())
            runner.run(assembled.services.trail.close())
        finally:
            runner.run(_closed(queries, database))


async def _on_loop(make: Any) -> Any:
    return make()


async def _closed(queries: Any, database: Any) -> None:
    await queries.close()
    await database.close()


def path_with(path: str, query: dict[str, object]) -> str:
    """The path with its parameters; those that are None are left out."""
    given = {name: value for name, value in query.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def decoded(status: int, body: bytes) -> Any:
    """The value of a good answer. Raises what a bad one says."""
    if status < 400:
        return msgspec.json.decode(body) if body else None
    told = msgspec.json.decode(body, type=_Refusal) if body else _Refusal()
    kind = _FAMILY.get(status, Invalid)
    raise kind(told.message or f"the server answered {status}", hint=told.hint)


def _answers(door: LocalDoor) -> bool:
    """Whether the server that wrote the file is still there: after a crash nobody removes it."""
    connection = _connect(door, timeout_s=2.0)
    try:
        connection.request("GET", "/api/0/info")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _connect(door: LocalDoor, timeout_s: float = TIMEOUT_S) -> http.client.HTTPConnection:
    parts = urlsplit(door.url)
    assert parts.hostname is not None  # we wrote it
    if door.tls_cert is None:
        return http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout_s)
    return _PinnedConnection(parts.hostname, parts.port, Path(door.tls_cert), timeout_s=timeout_s)


class _PinnedConnection(http.client.HTTPSConnection):
    """To a server that must show exactly the certificate of this file, under whatever name."""

    def __init__(self, host: str, port: int | None, certificate: Path, *, timeout_s: float) -> None:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # the comparison below is stricter than any authority
        super().__init__(host, port, timeout=timeout_s, context=context)
        self._certificate = certificate

    def connect(self) -> None:
        super().connect()
        expected = ssl.PEM_cert_to_DER_cert(_first_certificate(self._certificate.read_text("ascii")))
        if self.sock.getpeercert(binary_form=True) != expected:
            self.close()
            raise OSError("it shows another certificate than its own")


def _first_certificate(text: str) -> str:
    end = "-----END CERTIFICATE-----"
    return text[text.index("-----BEGIN CERTIFICATE-----") : text.index(end) + len(end)] + "\n"
