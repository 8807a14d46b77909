"""A server on an encrypted database: nothing recorded is readable in any file, and it starts only with its key."""

import shutil
from pathlib import Path
from typing import Any, Final

import pytest

from dayline.runtime.encrypted_file import DatabaseKey, FileKind, kind_of
from dayline.storage.columns.segment_plan import SegmentPace
from tests.support.processes.command import run
from tests.support.server import RunningServer
from tests.support.storage.damaging import BUCKETS, contents, fill_well, pages_of, spoil
from tests.support.storage.encrypting import encrypting, write_key
from tests.support.waiting import eventually

TITLE: Final = "Kassensturz"  # no other file contains that word
KEY_FILE: Final = "--encryption-key-file"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    (tmp_path / "keys").mkdir()
    return write_key(tmp_path / "keys" / "key")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data" / "days.db"


def encrypted_server(database: Path, key: Path) -> RunningServer:
    server = RunningServer(database, "--encrypt", KEY_FILE, str(key))
    pace = SegmentPace(initial_delay_s=0, interval_s=0.1, after_import_s=0, min_events=1, min_values=1)
    server.constants = {"dayline.storage.sqlite.database:SqliteDatabase.segment_pace": pace}
    return server


def record(server: RunningServer) -> None:
    server.create("window", type="currentwindow")
    events = [
        {"timestamp": f"2026-02-{1 + n // 24:02}T{n % 24:02}:00:00Z", "duration": 9, "data": {"title": f"{TITLE} {n}"}}
        for n in range(200)
    ]
    assert server.post("/api/0/buckets/window/events", events).status == 200
    beat = {"timestamp": "2026-03-01T10:00:00Z", "duration": 5, "data": {"title": f"{TITLE} beat"}}
    assert server.post("/api/0/buckets/window/heartbeat?pulsetime=5", beat).status == 200
    exported = server.get("/api/0/export").json
    exported["buckets"]["imported"] = {**exported["buckets"].pop("window"), "id": "imported"}
    assert server.post("/api/0/import", exported).status == 200


def titles(server: RunningServer) -> list[str]:
    query = {"query": ['RETURN = query_bucket("window");'], "timeperiods": ["2026-01-01/2026-12-31"]}
    answer = server.post("/api/0/query/", query)
    assert answer.status == 200, answer.body
    return [event["data"]["title"] for event in answer.json[0]]


def files_in(folder: Path) -> dict[str, bytes]:
    """All files but the lock, which contains the number of the last process."""
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file() and file.suffix != ".lock"}


def files_with(folder: Path, text: str) -> list[str]:
    return [file.name for file in folder.rglob("*") if file.is_file() and text.encode() in file.read_bytes()]


def test_no_recorded_title_is_in_any_byte_of_any_file(database: Path, key: Path) -> None:
    server = encrypted_server(database, key)
    with server:
        record(server)
        eventually(lambda: len(server.get(f"/api/1/search?q={TITLE}").json["hits"]) > 0)
        eventually((database.parent / "days.db.d/derived").exists)
        rules = {"rules": [{"pattern": f"{TITLE} 7", "action": "redact", "field": "title"}]}
        assert server.post("/api/1/privacy/apply", rules).status == 200
        assert server.post("/api/1/backups").status == 201
        assert len(titles(server)) == 201
        while_running = files_with(database.parent, TITLE)
        names = {str(file.relative_to(database.parent)) for file in database.parent.rglob("*")}
        server.kill()
    after_kill = files_with(database.parent, TITLE)
    with server:
        assert len(titles(server)) == 201
    after_stop = files_with(database.parent, TITLE)

    assert {"days.db", "days.db-wal", "days.db.d/derived", "days-backups", "days.db.d/dayline.log"} <= names
    assert (while_running, after_kill, after_stop) == ([], [], [])


def test_without_encryption_the_same_search_finds_the_titles(database: Path) -> None:
    with RunningServer(database) as server:
        record(server)

    assert "days.db" in files_with(database.parent, TITLE)


def test_a_server_without_the_key_does_not_start_and_changes_nothing(database: Path, key: Path, tmp_path: Path) -> None:
    with encrypted_server(database, key) as server:
        record(server)
    before = files_in(database.parent)
    other = write_key(tmp_path / "other", DatabaseKey(bytes(32)))
    start = ("serve", "--database", str(database), "--port", "0")

    missing = run(*start, KEY_FILE, str(tmp_path / "nowhere"), home=tmp_path)
    wrong = run(*start, KEY_FILE, str(other), home=tmp_path)
    unset = run(*start, home=tmp_path, PYTHON_KEYRING_BACKEND="keyring.backends.null.Keyring")
    spoilt = run(*start, KEY_FILE, str(database), home=tmp_path)

    assert [ended.returncode for ended in (missing, wrong, unset, spoilt)] == [78] * 4
    assert f"its key file {tmp_path / 'nowhere'} does not exist" in missing.stderr
    assert "another key" in wrong.stderr
    assert "its key is not in the system's keyring" in unset.stderr
    assert "does not contain a key" in spoilt.stderr
    assert files_in(database.parent) == before
    with RunningServer(database, KEY_FILE, str(key)) as server:  # --encrypt is only needed for a new database
        assert len(titles(server)) == 201


def test_commands_find_the_key_in_the_environment_and_in_the_settings(
    database: Path, key: Path, tmp_path: Path
) -> None:
    with encrypted_server(database, key) as server:
        record(server)
    config = tmp_path / "config.toml"
    config.write_text(f'[server]\nencryption_key_file = "{key}"\n', "utf-8")
    place = ("--database", str(database))

    listed = run("buckets", *place, home=tmp_path, DAYLINE_ENCRYPTION_KEY_FILE=str(key))
    checked = run("doctor", *place, "--config", str(config), home=tmp_path)
    exported = run("export", *place, "--config", str(config), "--output", str(tmp_path / "all.json"), home=tmp_path)
    refused = run("buckets", *place, home=tmp_path, PYTHON_KEYRING_BACKEND="keyring.backends.null.Keyring")

    assert "window" in listed.stdout
    assert (checked.returncode, "not damaged" in checked.stdout) == (0, True), checked.stderr
    assert TITLE in (tmp_path / "all.json").read_text("utf-8"), exported.stderr
    assert (refused.returncode, "is encrypted" in refused.stderr) == (78, True)


def test_a_plain_database_is_not_served_as_an_encrypted_one(database: Path, key: Path, tmp_path: Path) -> None:
    with RunningServer(database):
        pass

    refused = run("serve", "--encrypt", KEY_FILE, str(key), "--database", str(database), home=tmp_path)

    assert refused.returncode == 78
    assert "dayline database encrypt" in refused.stderr


def test_a_database_on_postgresql_cannot_be_encrypted(tmp_path: Path) -> None:
    refused = run("serve", "--encrypt", "--database", "postgresql://user@localhost/none", home=tmp_path)

    assert refused.returncode == 78
    assert "PostgreSQL" in refused.stderr
    assert "encrypt the disk" in refused.stderr


def test_backups_are_encrypted_with_the_key_of_the_database_and_restored(
    database: Path, key: Path, tmp_path: Path
) -> None:
    with encrypted_server(database, key) as server:
        record(server)
    variables = {"DAYLINE_ENCRYPTION_KEY_FILE": str(key)}
    place = ("--database", str(database))

    made = run("backup", "create", *place, home=tmp_path, **variables)
    name = made.stdout.strip()
    verified = run("backup", "verify", *place, home=tmp_path, **variables)
    database.unlink()
    restored = run("backup", "restore", name, "--yes", *place, home=tmp_path, **variables)
    without = run("backup", "restore", name, "--to", str(tmp_path / "x.db"), *place, home=tmp_path)

    assert name.endswith(".enc"), made.stderr
    assert verified.returncode == 0, verified.stderr
    assert restored.returncode == 0, restored.stderr
    assert kind_of(database) is FileKind.ENCRYPTED
    assert without.returncode != 0
    assert not (tmp_path / "x.db").exists()
    with RunningServer(database, KEY_FILE, str(key)) as server:
        assert len(titles(server)) == 201


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "days.db"
    with encrypting():
        fill_well(path)
    return path


@pytest.mark.parametrize("place", ["head", "event", "value"])
def test_a_damaged_encrypted_file_still_records_and_is_repaired(
    filled: Path, database: Path, key: Path, tmp_path: Path, place: str
) -> None:
    shutil.copyfile(filled, database)
    with encrypting():
        before = contents(filled)
        spoil(database, 1 if place == "head" else pages_of(filled, place)[-1].number)
    server = RunningServer(database, KEY_FILE, str(key))
    server.constants = {"dayline.maintenance.file_watch:FileWatch.initial_delay_s": 0}
    beat = {"timestamp": "2026-06-01T10:00:00Z", "duration": 5, "data": {"app": "after the damage"}}

    with server:
        eventually(lambda: server.get("/api/1/health").json["status"] == "degraded")
        recorded = [server.post(f"/api/0/buckets/{name}/heartbeat?pulsetime=5", beat).json for name in BUCKETS]
    config = tmp_path / "config.toml"
    config.write_text(f'[server]\nencryption_key_file = "{key}"\n', "utf-8")
    repair = ("doctor", "--repair", "--yes", "--database", str(database), "--config", str(config))
    repaired = run(*repair, home=tmp_path)

    assert repaired.returncode == 0, repaired.stderr
    assert kind_of(database) is FileKind.ENCRYPTED
    with encrypting():
        after = contents(database)
    assert_nearly_all_there(before, after, recorded)
    assert files_with(database.parent, "after the damage") == []


def assert_nearly_all_there(before: dict[str, Any], after: dict[str, Any], recorded: list[dict[str, Any]]) -> None:
    for bucket_id, answered in zip(BUCKETS, recorded, strict=True):
        events = after[bucket_id]
        assert events.pop(answered["id"]) == answered
        assert events.keys() <= before[bucket_id].keys()
        assert len(events) > len(before[bucket_id]) - 250  # no more than fit on a page
        changed = [key for key, event in events.items() if event != before[bucket_id][key]]
        assert all("lost" in events[key]["data"] for key in changed)
