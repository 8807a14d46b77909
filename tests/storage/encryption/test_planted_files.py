"""Files that another program puts next to an encrypted database: none is opened, continued or trusted.

Before, a process with a key opened plain files like encrypted ones. Two planted files, a plain recovery file and a mark
of damage, made a server copy its whole database into a plain file, and accept the keys in it.
"""

import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import pytest

from dayline.client.queue import CallQueue
from dayline.client.watch.server_checks import RuleCache
from dayline.model.errors import Invalid, SettingsInvalid
from dayline.model.health import Damage
from dayline.runtime.encrypted_file import FileKind, kind_of
from dayline.runtime.spool import read_private
from dayline.runtime.sqlite_file import attach, connect, connect_in_memory
from dayline.storage.sqlite.derived.file import derived_path
from dayline.storage.sqlite.repair.bootstrap import make_recovery
from dayline.storage.sqlite.repair.mark import damage_of, mark_path, read_mark, recovery_path, staged_path, write_mark
from tests.storage.encryption.test_server import KEY_FILE, TITLE, encrypted_server, files_with, record, titles
from tests.support.processes.command import run
from tests.support.server import RunningServer
from tests.support.storage.damaging import fill_well, pages_of, spoil
from tests.support.storage.encrypting import encrypting, write_key
from tests.support.waiting import eventually

DAMAGE: Final = Damage(id="0011223344556677", found=1_770_000_000_000_000, message="planted")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    (tmp_path / "keys").mkdir()
    return write_key(tmp_path / "keys" / "key")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data" / "days.db"


def own_key(database: Path, home: Path, **variables: str) -> str:
    """A key that may do everything, of a database that no server uses."""
    words = ("keys", "create", "--name", "planted", "--scope", "full", "--database", str(database))
    made = run(*words, "--output", str(home / "api.key"), home=home, **variables)
    assert made.returncode == 0, made.stderr
    return (home / "api.key").read_text().strip()


def plant_recovery(database: Path, home: Path) -> str:
    """What an attacker without the key writes: a mark, and a plain recovery file with their own key."""
    evil = home / "evil" / "days.db"
    evil.parent.mkdir()
    with RunningServer(evil) as server:
        server.create("planted")
    api_key = own_key(evil, evil.parent)
    state = {"damage": DAMAGE.id, "first_event": 1 << 40, "first_value": 1 << 40}
    with closing(apsw.Connection(str(evil))) as db:
        db.execute("INSERT INTO meta(key, value) VALUES('recovery', ?)", (json.dumps(state),))
        db.pragma("wal_checkpoint(TRUNCATE)")
    shutil.copyfile(evil, recovery_path(database))
    mark_path(database).write_text(json.dumps({"id": DAMAGE.id, "found": DAMAGE.found, "message": DAMAGE.message}))
    return api_key


def test_two_planted_files_do_not_make_the_server_decrypt_anything(database: Path, key: Path, tmp_path: Path) -> None:
    with encrypted_server(database, key) as server:
        record(server)
    api_key = own_key(database, database.parent, DAYLINE_ENCRYPTION_KEY_FILE=str(key))
    planted_key = plant_recovery(database, tmp_path)
    planted = recovery_path(database).read_bytes()
    (tmp_path / "evil" / "days.db").unlink()

    server = RunningServer(database, "--encrypt", "--require-keys", KEY_FILE, str(key))
    server.constants = {"dayline.maintenance.file_watch:FileWatch.initial_delay_s": 0}
    with server:
        refused = server.get("/api/0/buckets/", Authorization=f"Bearer {planted_key}")
        health = server.get("/api/1/health", Authorization=f"Bearer {api_key}")
        buckets = server.get("/api/0/buckets/", Authorization=f"Bearer {api_key}").json
    log = (database.parent / "days.db.d" / "dayline.log").read_text()

    assert refused.status == 401
    assert [each for each in health.json["problems"] if each["kind"] == "damage"] == []
    assert set(buckets) == {"window", "imported"}
    assert recovery_path(database).read_bytes() == planted
    assert files_with(database.parent, TITLE) == []
    assert "days.db-damaged was not written with the key" in log


def test_a_planted_recovery_file_is_not_continued_when_there_is_damage(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    with encrypting():
        fill_well(database)
        spoil(database, pages_of(database, "event")[0].number)
    fill_well(tmp_path / "plain.db")
    planted = (tmp_path / "plain.db").read_bytes()
    shutil.copyfile(tmp_path / "plain.db", recovery_path(database))

    with encrypting():
        recovery = make_recovery(database, DAMAGE)

    assert kind_of(recovery) is FileKind.ENCRYPTED
    (kept,) = tmp_path.glob("days.db-recovery.damaged-*")
    assert kept.read_bytes() == planted


def test_a_recovery_file_of_other_damage_is_not_continued(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    with encrypting():
        fill_well(database)
        first = make_recovery(database, DAMAGE).read_bytes()
        again = make_recovery(database, DAMAGE).read_bytes()
        other = make_recovery(database, Damage(id="ff", found=1, message="")).read_bytes()

    assert first == again
    assert other != first


def test_a_mark_counts_only_with_the_key_that_wrote_it(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    with encrypting():
        fill_well(database)
        written = write_mark(database, "its end is missing", now=1)
        assert read_mark(database) == written
        content = mark_path(database).read_bytes()
        mark_path(database).write_bytes(content.replace(b"missing", b"planted"))
        assert read_mark(database) is None
        assert damage_of(database, now=2) is None
        mark_path(database).write_bytes(content)
        assert read_mark(database) == written


def test_a_mark_that_the_disk_damaged_counts_if_there_is_a_recovery_file(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    with encrypting():
        fill_well(database)
        recovery = make_recovery(database, write_mark(database, "torn", now=1))
        mark_path(database).write_bytes(b"\0" * 100)
        damage = read_mark(database)
        assert damage is not None
        assert make_recovery(database, damage).stat().st_ino == recovery.stat().st_ino


@pytest.mark.parametrize(
    "path",
    [
        "days.db",
        "days.db-recovery",
        "days.db-recovery-staged",
        "days.db.d/derived",
        "days.db.d/redaction-0011",
        "days.db.d/scratch-1/staged.db",
        "days.db.d/scratch-1/plan.db",
        "days-watch/aw-watcher-window.db",
    ],
)
def test_no_plain_file_of_our_own_is_opened_or_attached(path: str, tmp_path: Path) -> None:
    planted = tmp_path / path
    planted.parent.mkdir(parents=True, exist_ok=True)
    fill_well(tmp_path / "plain.db")
    shutil.copyfile(tmp_path / "plain.db", planted)

    with encrypting(), closing(connect_in_memory()) as db:
        with pytest.raises(SettingsInvalid, match=f"{path} is not encrypted") as opened:
            connect(planted)
        with pytest.raises(SettingsInvalid):
            attach(db, planted, "planted", options="mode=ro")

    assert "Move it elsewhere" in str(opened.value.hint)


def test_a_plain_log_does_not_make_a_broken_file_a_plain_database(tmp_path: Path) -> None:
    # SQLite reads the first page from the log, so a file without a valid start could be opened without a key.
    planted = tmp_path / "days.db-recovery"
    with closing(apsw.Connection(str(tmp_path / "evil.db"))) as db:
        db.pragma("journal_mode", "WAL")
        db.execute("CREATE TABLE t(a)")
        shutil.copyfile(tmp_path / "evil.db-wal", tmp_path / "days.db-recovery-wal")
    planted.write_bytes(b"x" * 8192)

    with encrypting(), closing(connect(planted)) as db, pytest.raises(apsw.Error):
        db.execute("SELECT * FROM t").fetchall()


def test_a_plain_staged_file_is_made_again(tmp_path: Path) -> None:
    from dayline.storage.sqlite.repair.salvage_worker import is_current

    fill_well(tmp_path / "plain.db")
    shutil.copyfile(tmp_path / "plain.db", staged_path(tmp_path / "days.db"))
    with encrypting():
        assert not is_current(staged_path(tmp_path / "days.db"))


def test_the_queue_and_the_rules_of_the_watcher_are_not_read_from_plain_files(tmp_path: Path) -> None:
    CallQueue(tmp_path / "window.db").close()
    rules = json.dumps({"rules": [{"pattern": TITLE, "action": "redact", "field": "title"}]}).encode()
    RuleCache(tmp_path / "plain-rules.json").update(rules)

    with encrypting():
        with pytest.raises(SettingsInvalid):
            CallQueue(tmp_path / "window.db")
        assert RuleCache(tmp_path / "plain-rules.json").rules is None
        RuleCache(tmp_path / "rules.json").update(rules)
        assert RuleCache(tmp_path / "rules.json").rules is not None
    assert files_with(tmp_path, TITLE) == ["plain-rules.json"]


def test_a_plain_file_that_appears_while_it_is_opened_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A file that was missing when it was looked for was opened as it was a moment later.
    (tmp_path / "rules.json").write_text("planted")

    def is_missing(_: Path) -> bool:
        return False

    monkeypatch.setattr(Path, "exists", is_missing)

    with encrypting(), pytest.raises(Invalid, match="cannot read"):
        read_private(tmp_path / "rules.json")


# A configured key implies encryption: before, a missing database was created in plain text.


def test_a_key_file_alone_encrypts_a_new_database(database: Path, key: Path) -> None:
    with RunningServer(database, KEY_FILE, str(key)) as server:
        record(server)
        assert len(titles(server)) == 201

    assert kind_of(database) is FileKind.ENCRYPTED
    assert files_with(database.parent, TITLE) == []


def test_a_key_file_that_does_not_exist_makes_no_plain_database(database: Path, tmp_path: Path) -> None:
    refused = run("serve", "--database", str(database), KEY_FILE, str(tmp_path / "nowhere"), home=tmp_path)

    assert refused.returncode == 78
    assert "does not exist" in refused.stderr
    assert "--encrypt" in refused.stderr
    assert not database.exists()


def test_a_plain_database_with_a_key_file_is_rejected_with_the_command_that_encrypts_it(
    database: Path, key: Path, tmp_path: Path
) -> None:
    with RunningServer(database) as server:
        record(server)
    variables = {"DAYLINE_ENCRYPTION_KEY_FILE": str(key)}

    served = run("serve", "--database", str(database), KEY_FILE, str(key), home=tmp_path)
    listed = run("buckets", "--database", str(database), home=tmp_path, **variables)
    encrypt = f"dayline database encrypt --database {database} --encryption-key-file {key}"
    encrypted = run(*encrypt.split()[1:], "--yes", home=tmp_path)

    assert (served.returncode, listed.returncode) == (78, 78)
    assert encrypt in served.stderr
    assert encrypt in listed.stderr
    assert encrypted.returncode == 0, encrypted.stderr
    with RunningServer(database, KEY_FILE, str(key)) as server:
        assert len(titles(server)) == 201


def test_a_plain_derived_file_from_before_is_replaced(database: Path, key: Path, tmp_path: Path) -> None:
    plain = RunningServer(database)
    plain.constants = encrypted_server(database, key).constants
    with plain as server:
        record(server)
        eventually(lambda: len(server.get(f"/api/1/search?q={TITLE}").json["hits"]) > 0)
        eventually(derived_path(database).exists)
    before = derived_path(database).read_bytes()
    run("database", "encrypt", "--database", str(database), KEY_FILE, str(key), "--yes", home=tmp_path)
    derived_path(database).write_bytes(before)

    with encrypted_server(database, key) as server:
        assert len(titles(server)) == 201
        eventually(lambda: kind_of(derived_path(database)) is FileKind.ENCRYPTED)

    assert files_with(database.parent, TITLE) == []


def test_encrypting_again_does_not_encrypt_what_was_planted(database: Path, key: Path, tmp_path: Path) -> None:
    with encrypted_server(database, key) as server:
        record(server)
    plant_recovery(database, tmp_path)
    planted = recovery_path(database).read_bytes()

    again = run("database", "encrypt", "--database", str(database), KEY_FILE, str(key), "--yes", home=tmp_path)

    assert again.returncode == 0, again.stderr
    assert recovery_path(database).read_bytes() == planted
    assert f"{recovery_path(database)} was not encrypted" in again.stderr


def test_a_repair_takes_nothing_from_a_plain_backup(database: Path, key: Path, tmp_path: Path) -> None:
    # Keys and settings are taken from the newest backup if pages of them are lost.
    plain = tmp_path / "other" / "days.db"
    plain.parent.mkdir()
    with RunningServer(plain) as server:
        server.create("planted")
    made = run("backup", "create", "--database", str(plain), home=tmp_path)
    with encrypting():
        fill_well(database)
        spoil(database, pages_of(database, "event")[0].number)
    (database.parent / "days-backups").mkdir()
    shutil.copyfile(
        plain.parent / "days-backups" / made.stdout.strip(), database.parent / "days-backups" / made.stdout.strip()
    )

    repaired = run(
        "doctor", "--repair", "--yes", "--database", str(database), home=tmp_path, DAYLINE_ENCRYPTION_KEY_FILE=str(key)
    )

    assert repaired.returncode == 0, repaired.stderr
    assert "it is not encrypted" in repaired.stdout + repaired.stderr


def test_a_plain_database_that_the_user_names_is_copied_to_an_encrypted_one(
    database: Path, key: Path, tmp_path: Path
) -> None:
    with RunningServer(database) as server:
        record(server)
    target = tmp_path / "copy" / "days.db"
    target.parent.mkdir()
    words = ("database", "copy", "--from", str(database), "--to", str(target))

    copied = run(*words, home=tmp_path, DAYLINE_ENCRYPTION_KEY_FILE=str(key))

    assert copied.returncode == 0, copied.stderr
    assert (kind_of(database), kind_of(target)) == (FileKind.PLAIN, FileKind.ENCRYPTED)
    with RunningServer(target, KEY_FILE, str(key)) as server:
        assert len(titles(server)) == 201
