"""Revocation on a full disk: in force at once, kept over a restart, stored when there is space."""

import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import msgspec
import pytest

from dayline.access.revocations import RESERVED_BYTES
from dayline.config.data_folder import DataFile, data_file
from tests.storage.faults.impatient_server import IMPATIENT
from tests.support.keyed_server import Browser, KeyedServer, signed_in
from tests.support.storage.disks import small_disk
from tests.support.storage.slow_disk import Disk
from tests.support.waiting import eventually

REVOKED = "revoked, but not stored in the database yet"


class KeyedServerOnDisk(KeyedServer):
    """It asks for keys, gives changes up after one second, and is on a disk that the test can fill."""

    constants = IMPATIENT

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "days.db")
        self.disk = Disk(folder / "disk")
        self.change = self.disk.change

    @property
    def journal(self) -> Path:
        return self.database.parent / "days.db.d/revocations"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[KeyedServerOnDisk]:
    with KeyedServerOnDisk(tmp_path) as server:
        yield server


def status(server: KeyedServer, key: str) -> int:
    return server.with_key(key, "GET", "/api/0/buckets/").status


def stored_revocations(database: Path) -> int:
    """How many keys are revoked according to the database, read past the server."""
    with_log = apsw.Connection(str(database))
    try:
        return int(with_log.execute("SELECT count(*) FROM access_key WHERE revoked IS NOT NULL").get)
    finally:
        with_log.close()


def test_a_key_that_is_revoked_on_a_full_disk_opens_nothing_before_and_after_a_restart(
    server: KeyedServerOnDisk,
) -> None:
    made = server.made_key("read")
    server.disk.fill()

    answers = [server.as_owner("DELETE", f"/api/1/keys/{made['id']}") for _ in range(2)]

    for answer in answers:  # the second one is not answered as if it were stored
        assert answer.status == 503
        assert REVOKED in answer.message
        assert "It stays revoked after a restart." in answer.message
    assert status(server, made["key"]) == 401
    server.kill()
    assert stored_revocations(server.database) == 0

    server.disk.quick()
    server.start()

    assert status(server, made["key"]) == 401
    assert "1 revocation of an earlier run not stored" in data_file(server.database, DataFile.LOG).read_text()
    eventually(lambda: stored_revocations(server.database) == 1)


def test_a_revocation_is_stored_as_soon_as_there_is_space(server: KeyedServerOnDisk) -> None:
    made = server.made_key("read")
    server.disk.fill()
    assert server.as_owner("DELETE", f"/api/1/keys/{made['id']}").status == 503

    server.disk.quick()

    eventually(lambda: server.as_owner("DELETE", f"/api/1/keys/{made['id']}").status == 200)
    assert stored_revocations(server.database) == 1
    eventually(lambda: not server.journal.read_bytes().rstrip(b"\0"))
    server.stop()
    assert not server.journal.exists()


def sign_out(server: KeyedServer, browser: Browser) -> int:
    return browser.call("DELETE", "/api/1/session").status


def revoke_one(server: KeyedServer, browser: Browser) -> int:
    [session] = server.as_owner("GET", "/api/1/sessions").json
    return server.as_owner("DELETE", f"/api/1/sessions/{session['id']}").status


def revoke_all(server: KeyedServer, browser: Browser) -> int:
    return server.as_owner("DELETE", "/api/1/sessions").status


@pytest.mark.parametrize("end", [sign_out, revoke_one, revoke_all])
def test_a_session_that_ends_on_a_full_disk_stays_ended_after_a_restart(
    server: KeyedServerOnDisk, end: Callable[[KeyedServer, Browser], int]
) -> None:
    browser = signed_in(server)
    server.disk.fill()

    assert end(server, browser) == 503

    assert browser.call("GET", "/api/0/buckets/").status == 401
    server.kill()
    server.disk.quick()
    server.start()
    assert browser.call("GET", "/api/0/buckets/").status == 401


@pytest.mark.root
def test_the_file_is_written_on_a_disk_without_a_free_byte(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", mib=8) as disk:
        server = KeyedServer(disk.path / "days.db")
        server.constants = IMPATIENT
        with server:
            made, journal = server.made_key("read"), disk.path / "days.db.d/revocations"
            assert (journal.stat().st_size, stat.S_IMODE(journal.stat().st_mode)) == (RESERVED_BYTES, 0o600)
            disk.fill()

            answer = server.as_owner("DELETE", f"/api/1/keys/{made['id']}")

            assert answer.status == 503
            assert "It stays revoked after a restart." in answer.message
            assert status(server, made["key"]) == 401
            [line] = journal.read_bytes().rstrip(b"\0").splitlines()
            assert msgspec.json.decode(line)["key"] == made["id"]
            disk.empty()
            eventually(lambda: server.as_owner("DELETE", f"/api/1/keys/{made['id']}").status == 200)
