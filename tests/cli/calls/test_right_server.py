"""A command changes the database that it was given, whatever listens on the port of that database's server."""

import http.client
import os
import re
import shutil
import signal
import threading
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec
import pytest

from dayline.access.local_users import is_local_token, new_local_token
from dayline.cli.calls.call import LocalEndpoint, local_endpoints, server_token_file, token_file
from dayline.cli.calls.running import RunningServer as FoundServer
from dayline.cli.calls.running import running_server
from dayline.cli.options.settings import Flags, resolve
from dayline.config.data_folder import make_own_folder
from dayline.model.errors import StoreUnusable, Unavailable
from tests.support.processes.terminal import piped
from tests.support.server import RunningServer
from tests.support.storage.opened import make_database


class ForeignServer(ThreadingHTTPServer):
    """A server of another user: it answers every call as if it were ours, and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: list[str] = []
        self.sent = b""  # everything, as it came

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, path: str) -> bytes:
        return b'{"proof": "00", "hostname": "h", "version": "v1", "testing": false, "device_id": "d"}'


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        assert isinstance(self.server, ForeignServer)
        self.server.received.append(f"{self.requestline} {self.headers.get('Authorization')}")
        body_bytes = int(self.headers.get("Content-Length", "0"))
        self.server.sent += f"{self.requestline}\n".encode() + self.headers.as_bytes() + self.rfile.read(body_bytes)
        body = self.server.answer(self.path)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_DELETE = do_GET  # the names that the base class calls

    def log_message(self, format: str, *args: object) -> None:
        """Not to the terminal."""


Foreign = TypeVar("Foreign", bound=ForeignServer)


@contextmanager
def running(server: Foreign) -> Generator[Foreign]:
    with server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield server
        server.shutdown()
        serving.join()


@pytest.fixture
def foreign() -> Iterator[ForeignServer]:
    with running(ForeignServer()) as server:
        yield server


def deleted_bucket(server: RunningServer) -> None:
    """Put something into the trash."""
    server.create("window")
    assert server.call("DELETE", "/api/0/buckets/window").status == 200


def entries_in_trash(server: RunningServer) -> int:
    return len(server.get("/api/1/trash").json)


def endpoint_of(server: RunningServer) -> LocalEndpoint:
    return msgspec.json.decode(token_file(server.database).read_bytes(), type=LocalEndpoint)


def write_endpoint(database: Path, endpoint: LocalEndpoint) -> None:
    make_own_folder(database)
    token_file(database).write_bytes(msgspec.json.encode(endpoint))


def test_a_token_file_that_a_killed_server_left_does_not_lead_to_the_next_server_on_its_port(tmp_path: Path) -> None:
    killed = RunningServer(tmp_path / "work.db")
    killed.start()
    deleted_bucket(killed)
    killed.kill()

    with RunningServer(tmp_path / "default.db", port=killed.port) as other:
        deleted_bucket(other)
        done = piped(killed.database, "trash", "empty", "--yes", "--database", str(killed.database))

        assert (done.code, done.out.splitlines()[-1]) == (0, "Deleted 1 entry."), done.err
        assert entries_in_trash(other) == 1
    with killed:
        assert entries_in_trash(killed) == 0


@pytest.mark.parametrize("command", ["keys list", "trash empty --yes", "status --server", "open --print"])
def test_a_server_of_another_user_gets_no_token(tmp_path: Path, foreign: ForeignServer, command: str) -> None:
    database = tmp_path / "days.db"
    make_database(database)
    found = database.stat()
    write_endpoint(
        database,
        LocalEndpoint(
            url=foreign.url,
            token=new_local_token(),
            location=str(database),
            store=f"{found.st_dev}:{found.st_ino}",
        ),
    )

    piped(database, *command.split())

    assert len(foreign.received) == 1
    assert not any(is_local_token(each.partition("Bearer ")[2]) for each in foreign.received)


@pytest.mark.parametrize(
    "command", ["status", "keys sessions revoke --all", "keys create --name secret-name --scope full"]
)
def test_before_the_proof_a_command_sends_a_random_number_and_nothing_else(
    tmp_path: Path, foreign: ForeignServer, command: str
) -> None:
    database = tmp_path / "days.db"
    make_database(database)
    found, token = database.stat(), new_local_token()
    store = f"{found.st_dev}:{found.st_ino}"
    write_endpoint(database, LocalEndpoint(url=foreign.url, token=token, location=str(database), store=store))

    piped(database, *command.split())

    head, *headers = foreign.sent.decode().split("\n\n")[0].replace("\r", "").splitlines()
    assert re.fullmatch(r"GET /api/1/server/proof\?nonce=[0-9a-f]{64} HTTP/1.1", head)
    assert sorted(headers) == ["Accept-Encoding: identity", f"Host: {urlsplit(foreign.url).netloc}"]
    assert len(foreign.received) == 1


def test_a_server_that_took_the_place_of_another_in_the_middle_of_a_command_gets_no_call(
    foreign: ForeignServer,
) -> None:
    server = FoundServer(LocalEndpoint(url=foreign.url, token=new_local_token(), location="days.db", store="1:2"))

    with pytest.raises(Unavailable, match=r"is no longer the server of days\.db"):
        server.call("DELETE", "/api/1/trash")

    assert ["/api/1/server/proof" in each for each in foreign.received] == [True]


class PassingOnServer(ForeignServer):
    """A server of another user that lets the real server answer the requests that it receives."""

    def __init__(self, real_port: int) -> None:
        super().__init__()
        self._real_port = real_port

    def answer(self, path: str) -> bytes:
        with closing(http.client.HTTPConnection("127.0.0.1", self._real_port)) as connection:
            connection.request("GET", path)
            return connection.getresponse().read()


def test_a_proof_that_another_program_has_passed_on_is_none(tmp_path: Path) -> None:
    # The proof was the same at every address: a program between the command and the server got the command's token.
    with RunningServer(tmp_path / "days.db") as server, running(PassingOnServer(server.port)) as foreign:
        real = endpoint_of(server)
        assert FoundServer(real).call("GET", "/api/1/trash") == []

        with pytest.raises(Unavailable, match="is no longer the server of"):
            FoundServer(msgspec.structs.replace(real, url=foreign.url)).call("GET", "/api/1/trash")

    assert len(foreign.received) == 1
    assert real.token not in foreign.sent.decode()


def test_a_copied_folder_is_not_taken_for_the_one_that_is_served(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "data" / "days.db") as server:
        deleted_bucket(server)
        assert server.post("/api/0/buckets/kept", {"client": "c", "type": "t", "hostname": "h"}).status == 200
        copy = tmp_path / "copy" / "days.db"
        make_database_beside(copy, server)

        done = piped(copy, "trash", "empty", "--yes")

        assert (done.code, done.err) == (0, "The trash is empty.\n")
        assert entries_in_trash(server) == 1


def make_database_beside(copy: Path, server: RunningServer) -> None:
    """A folder with another database under the same name, and the token file of the first."""
    copy.parent.mkdir()
    make_database(copy)
    make_own_folder(copy)
    shutil.copy2(token_file(server.database), token_file(copy))


@pytest.mark.parametrize("command", ["trash empty --yes", "status --server", "keys list"])
def test_a_server_whose_file_was_replaced_is_not_asked(tmp_path: Path, command: str) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        deleted_bucket(server)
        make_database(tmp_path / "new.db")
        server.database.rename(tmp_path / "old.db")
        (tmp_path / "new.db").rename(server.database)

        done = piped(server.database, *command.split())

        assert done.code == 75
        assert f"was started for {server.database}, and now uses another one" in done.err
        (tmp_path / "old.db").replace(server.database)
        assert entries_in_trash(server) == 1


def test_a_command_finds_the_server_by_any_name_of_its_file(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "data" / "days.db") as server:
        (tmp_path / "link").symlink_to(tmp_path / "data")

        found = piped(tmp_path / "link" / "days.db", "status", "--json")

        assert found.json["server"] == server.url
        assert endpoint_of(server).url == server.url


def test_a_command_finds_a_server_of_an_earlier_version_that_still_runs(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        token_file(server.database).rename(tmp_path / "days.db.token")

        found = piped(server.database, "status", "--json")

        assert found.json["server"] == server.url


def test_a_server_of_a_postgresql_database_has_a_token_file_for_its_address_and_port(tmp_path: Path) -> None:
    settings = resolve(Flags(server={"database": "postgresql://host/diary"}))
    path = server_token_file(settings, "l", port=5601)

    assert path.parent == settings.database.parent
    assert re.fullmatch(r"postgres-[0-9a-f]{16}-5601\.token", path.name)


def test_a_command_waits_for_a_server_that_is_slow_to_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert running_server.__kwdefaults__ is not None
    monkeypatch.setitem(running_server.__kwdefaults__, "timeout_s", 0.05)
    with RunningServer(tmp_path / "days.db") as server:
        deleted_bucket(server)
        os.kill(server.pid, signal.SIGSTOP)
        resume = threading.Timer(1, os.kill, (server.pid, signal.SIGCONT))
        resume.start()
        try:
            shown = piped(server.database, "trash", "empty", "--yes")
        finally:
            resume.join()

        assert shown.code == 0, shown.err
        assert entries_in_trash(server) == 0


# A user who can write to the data folder could put a token file there: commands sent what they store to the server that
# it names, which knows its token and so can prove that it wrote the file.
@pytest.mark.root
@pytest.mark.parametrize(("mine", "theirs", "is_used"), [(4321, 4322, False), (4321, 4321, True), (4321, 0, True)])
def test_a_token_file_of_another_user_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mine: int, theirs: int, is_used: bool
) -> None:
    database = tmp_path / "days.db"
    settings = resolve(Flags(server={"database": str(database)}))
    write_endpoint(database, LocalEndpoint(url="http://127.0.0.1:1", token="t", location="l", store="s"))
    os.chown(token_file(database), theirs, theirs)
    monkeypatch.setattr("dayline.cli.calls.call.own_uid", lambda: mine)

    if is_used:
        assert len(local_endpoints(settings, "l")) == 1
    else:
        with pytest.raises(StoreUnusable, match="was written by uid 4322"):
            local_endpoints(settings, "l")


def test_a_pipe_instead_of_a_token_file_does_not_make_a_command_wait(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    make_own_folder(database)
    os.mkfifo(token_file(database))

    assert local_endpoints(resolve(Flags(server={"database": str(database)})), "l") == []
