"""Other users of the machine: who opened a loopback connection, and who is served without a key."""

import http.client
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
import pytest

from dayline.access.local_users import (
    LocalUsers,
    Lookup,
    OtherUsers,
    PeerUser,
    local_users,
    netlink_uid,
    proc_uid,
    refuses_others,
    user_lookup,
)
from dayline.cli.calls.call import token_file
from tests.access.limits.test_memory_without_a_key import resident_mib
from tests.support.calls.raw_connection import RawConnection, request
from tests.support.server import Answer, RunningServer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports the user of a connection")

OTHER_UID = 4242
HEARTBEAT = "/api/0/buckets/window/heartbeat?pulsetime=5"
EVENT: dict[str, object] = {"timestamp": "2026-01-01T00:00:00Z", "data": {}}


@pytest.mark.parametrize(
    ("setting", "uid", "in_container", "refuses"),
    [
        (None, 1000, False, True),
        (None, 1_800_000_001, False, True),  # of a directory service
        (None, 1000, True, False),
        (None, 0, False, False),
        (None, 999, False, False),
        (None, 61_200, False, False),  # a dynamic user of systemd
        (None, 65_534, False, False),
        ("allow", 1000, False, False),
        ("refuse", 0, True, True),
    ],
)
def test_a_login_user_serves_no_other_user_unless_configured(
    setting: OtherUsers | None, uid: int, in_container: bool, refuses: bool
) -> None:
    assert refuses_others(setting, uid=uid, uid_min=1000, in_container=in_container) is refuses


def test_the_user_who_runs_the_server_and_root_are_served() -> None:
    users = LocalUsers(1000)

    assert users.refusal(0) is None
    assert users.refusal(1000) is None
    assert f"uid {OTHER_UID} has no access: only" in str(users.refusal(OTHER_UID))


def test_a_user_who_cannot_be_determined_is_rejected() -> None:
    assert "an unknown user has no access" in str(LocalUsers(1000).refusal(None))
    assert PeerUser(user_lookup(), None, ("127.0.0.1", 5600)).uid() is None


@pytest.mark.parametrize("lookup", [netlink_uid, proc_uid])
class TestLookup:
    """Both ways to ask the kernel."""

    @pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
    def test_the_user_of_a_connection_is_found(self, lookup: Lookup, host: str) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with (
            socket.create_server((host, 0), family=family) as server,
            socket.create_connection(server.getsockname()[:2]),
            server.accept()[0] as accepted,
        ):
            peer, local = accepted.getpeername()[:2], accepted.getsockname()[:2]

            assert lookup(peer, local) == os.geteuid()
            assert lookup((peer[0], peer[1] ^ 1), local) is None

    def test_a_client_that_reaches_ipv4_by_an_ipv6_socket_is_found(self, lookup: Lookup) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_INET6) as client:
            client.connect(("::ffff:127.0.0.1", server.getsockname()[1]))
            with server.accept()[0] as accepted:
                assert lookup(accepted.getpeername(), accepted.getsockname()) == os.geteuid()

    def test_a_program_that_listens_on_the_port_of_the_peer_is_not_taken_for_it(self, lookup: Lookup) -> None:
        # The kernel returns it if there is no such connection, so that a caller who is gone had the user of another.
        with socket.create_server(("127.0.0.1", 0)) as server, socket.create_server(("127.0.0.1", 0)) as other:
            assert lookup(other.getsockname(), server.getsockname()) is None

    def test_a_connection_that_its_client_has_closed_belongs_to_no_user(self, lookup: Lookup) -> None:
        # The kernel lists it as one of root, so that every user could send requests as root.
        with socket.create_server(("127.0.0.1", 0)) as server:
            client = socket.create_connection(server.getsockname())
            with server.accept()[0] as accepted:
                ends = accepted.getpeername(), accepted.getsockname()
                client.close()

                assert lookup(*ends) is None


def test_refusing_works_on_this_system() -> None:
    assert local_users("refuse", user_lookup()) is not None
    assert local_users("allow", user_lookup()) is None


class RefusingServer(RunningServer):
    """A server that serves its own user and root only."""

    def __init__(self, database: Path) -> None:
        config = database.with_suffix(".toml")
        config.write_text('[access]\nother_users = "refuse"\n')
        super().__init__(database, "--config", str(config))

    def authorized(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {msgspec.json.decode(token_file(self.database).read_bytes())['token']}"}

    def new_key(self) -> dict[str, str]:
        made = self.call("POST", "/api/1/keys", {"name": "k", "scope": "full"}, headers=self.authorized())
        return {"Authorization": f"Bearer {made.json['key']}"}


class ServerOfAnother(RefusingServer):
    """Takes every client for another user, and writes down how often it looked."""

    @property
    def lookups(self) -> int:
        return self.database.with_suffix(".lookups").stat().st_size

    @property
    def change(self) -> str:  # type: ignore[override]
        return (
            "import dayline.access.local_users as users\n"
            f"def other(peer, local):\n    open({str(self.database.with_suffix('.lookups'))!r}, 'a').write('x')\n"
            f"    return {OTHER_UID}\n"
            "users.user_lookup = lambda: other\n"
            "users.local_users = lambda setting, lookup: users.LocalUsers(1000)\n"
        )


@pytest.fixture(scope="module")
def of_another(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerOfAnother]:
    with ServerOfAnother(tmp_path_factory.mktemp("another") / "days.db") as server:
        assert server.call("POST", "/api/0/buckets/window", BUCKET, headers=server.authorized()).status == 200
        yield server


BUCKET = {"client": "test-client", "type": "test.type", "hostname": "test-host"}


def assert_refused(answer: Answer) -> None:
    assert answer.status == 403
    assert f"uid {OTHER_UID} has no access" in answer.message
    assert 'other_users = "allow" under [access]' in answer.json["hint"]


def test_another_user_is_rejected_with_the_way_to_allow_it(of_another: ServerOfAnother) -> None:
    assert_refused(of_another.get("/api/0/buckets/"))
    assert_refused(of_another.get("/api/0/buckets/", Authorization="Bearer key-of-another-server"))
    assert_refused(of_another.post(HEARTBEAT, EVENT))
    assert_refused(of_another.get("/api/0/buckets/", Origin=f"http://127.0.0.1:{of_another.port}"))


def test_what_holds_no_data_stays_open_to_other_users(of_another: ServerOfAnother) -> None:
    for path in ("/api/0/info", "/api/1/ready", "/api/openapi.json", "/api/1/session"):
        assert of_another.get(path).status == 200


def test_a_key_is_proof_enough_for_another_user(of_another: ServerOfAnother) -> None:
    key = of_another.new_key()

    assert of_another.call("GET", "/api/0/buckets/", headers=key).status == 200
    assert of_another.call("POST", HEARTBEAT, EVENT, headers=key).status == 200


def test_the_user_is_looked_up_once_for_each_connection(of_another: ServerOfAnother) -> None:
    key, before = of_another.new_key(), of_another.lookups
    connection = http.client.HTTPConnection("127.0.0.1", of_another.port)
    headers = {**key, "Content-Type": "application/json"}
    for _ in range(5):
        connection.request("POST", HEARTBEAT, msgspec.json.encode(EVENT), headers)
        assert connection.getresponse().read()
    connection.close()

    assert of_another.lookups == before + 1


def test_the_connection_of_a_rejected_user_is_closed_after_its_answer(of_another: ServerOfAnother) -> None:
    # It stayed open, and 1,024 of them used up the connections without a key.
    with RawConnection(of_another) as connection:
        connection.send(request("GET", "/api/0/info"))
        assert connection.answer().status == 200
        assert connection.is_closed()
    key = of_another.new_key()["Authorization"]
    with RawConnection(of_another) as connection:
        for _ in range(2):
            connection.send(request("GET", "/api/0/buckets/", Authorization=key))
            assert connection.answer().status == 200


CALL_AS = """
import encodings.idna, http.client, os, sys  # all of it now: the other user may not be able to read the modules
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
connection.request("GET", "/api/0/buckets/")
response = connection.getresponse()
print(response.status, response.read().decode())
"""


@pytest.mark.root
def test_a_real_client_of_another_user_is_rejected_and_one_of_root_is_served(tmp_path: Path) -> None:
    with RefusingServer(tmp_path / "days.db") as server:
        command = [sys.executable, "-c", CALL_AS, str(server.port), str(OTHER_UID)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout

        assert said.startswith("403 "), said
        assert f"uid {OTHER_UID} has no access: only root may use this server without a key" in said
        assert server.get("/api/0/buckets/").status == 200


HOLD_AS = """
import socket, sys
held = []
try:
    while len(held) < int(sys.argv[2]):
        held.append(socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=5))
except OSError:
    pass
print(len(held), flush=True)
sys.stdin.read()
"""
ATTACK_AS = """
import http.client, sys
for number in range(int(sys.argv[2])):
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    path = f"/api/0/buckets/{'x' * 60000}{number}%F0%9F%98%80/heartbeat?pulsetime=5"
    body = b'{"timestamp": "2026-01-02T10:00:00Z", "data": {}}'
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    assert response.status == 403, response.status
    response.read()
    connection.close()
"""
CONNECTIONS: Final = 2  # of an address without a key; four times as many of a user


def as_other(code: str, *arguments: object) -> list[str]:
    """The command that runs Python as another user, who may be unable to read the Python of this environment."""
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin") or sys.executable
    user = ["setpriv", f"--reuid={OTHER_UID}", f"--regid={OTHER_UID}", "--clear-groups"]
    return [*user, python, "-c", code, *map(str, arguments)]


@pytest.mark.root
def test_another_user_cannot_use_up_the_connections_of_the_owner(tmp_path: Path) -> None:
    # They were counted together for loopback: 1,024 idle connections of any user, and heartbeats got 429.
    server = RefusingServer(tmp_path / "days.db")
    with Path(server.database.with_suffix(".toml")).open("a") as config:
        config.write(f"[limits]\nconnections_per_address = {CONNECTIONS}\n")
    with server:
        assert server.create("window").status == 200
        command = as_other(HOLD_AS, server.port, 40)
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/") as holder:
            assert holder.stdout is not None
            assert int(holder.stdout.readline()) >= 2 * 4 * CONNECTIONS

            assert [server.post(HEARTBEAT, EVENT).status for _ in range(4)] == [200] * 4
            [problem] = [each for each in server.get("/api/1/health").json["problems"] if each["kind"] == "connections"]
            assert problem["message"].endswith(f"from uid {OTHER_UID}")
            holder.communicate()


@pytest.mark.root
def test_another_user_leaves_nothing_in_memory(tmp_path: Path) -> None:
    with RefusingServer(tmp_path / "days.db") as server:
        subprocess.run(as_other(ATTACK_AS, server.port, 5), check=True, cwd="/")
        before = resident_mib(server)
        subprocess.run(as_other(ATTACK_AS, server.port, 1_100), check=True, cwd="/")

        assert resident_mib(server) - before <= 20
