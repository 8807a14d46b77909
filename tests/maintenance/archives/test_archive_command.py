"""Archives: `dayline export --format archive` next to a running server, and `dayline import` of one."""

import stat
from contextlib import closing
from pathlib import Path

import apsw
import msgspec
import pytest
from click.testing import CliRunner, Result

from dayline.cli.main import commands
from dayline.model.errors import Conflict, Invalid, NotFound, StoreUnusable, Unavailable
from dayline.storage.sqlite.file.connection import open_reader, open_writer
from dayline.storage.sqlite.file.schema import MIGRATIONS, migrate
from tests.support.maintenance.backups import events_in, filled
from tests.support.maintenance.documents import archived, lines_of
from tests.support.server import RunningServer


@pytest.fixture
def database(tmp_path: Path) -> Path:
    filled(tmp_path / "days.db", "editor", "mail")
    return tmp_path / "days.db"


@pytest.fixture
def archive(database: Path, tmp_path: Path) -> Path:
    archived(database, tmp_path / "days.zst")
    return tmp_path / "days.zst"


def run(name: str, file: Path, database: Path | None = None, *flags: str) -> Result:
    words = {
        "create": ["export", "--format", "archive", "--output"],
        "restore": ["import"],
        "verify": ["import", "--dry-run"],
    }
    where = () if database is None else ("--database", str(database))
    return CliRunner().invoke(commands, [*words[name], str(file), *where, *flags])


def test_create_and_restore_show_what_there_is(database: Path, tmp_path: Path) -> None:
    made = run("create", tmp_path / "days.zst", database)
    restored = run("restore", tmp_path / "days.zst", tmp_path / "new" / "days.db")

    for result in (made, restored):
        assert result.exit_code == 0
        assert [line.split() for line in result.stdout.splitlines()] == [
            ["kind", "lines"], ["bucket", "1"], ["event", "2"],
        ]  # fmt: skip
    assert events_in(tmp_path / "new" / "days.db") == events_in(database)


def test_they_print_json(database: Path, tmp_path: Path) -> None:
    file, new = tmp_path / "days.zst", tmp_path / "new.db"

    made = msgspec.json.decode(run("create", file, database, "--json").stdout)
    checked = msgspec.json.decode(run("verify", file, None, "--json").stdout)
    restored = msgspec.json.decode(run("restore", file, new, "--json").stdout)

    counts = {"bucket": 1, "event": 2}
    assert made == {"file": str(file), "bytes": file.stat().st_size, "counts": counts}
    assert checked["counts"] == counts
    assert restored == {"database": str(new), "counts": counts}


def test_an_archive_is_for_its_owner_alone_to_read(database: Path, tmp_path: Path) -> None:
    run("create", tmp_path / "days.zst", database)

    assert stat.S_IMODE((tmp_path / "days.zst").stat().st_mode) == 0o600


def test_create_leaves_nothing_beside_the_database(database: Path, tmp_path: Path) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())

    run("create", tmp_path / "days.zst", database)

    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*before, "days.zst"])


def test_create_writes_over_no_file(database: Path, tmp_path: Path) -> None:
    (tmp_path / "days.zst").write_text("mine")

    result = run("create", tmp_path / "days.zst", database)

    assert isinstance(result.exception, Conflict)
    assert (tmp_path / "days.zst").read_text() == "mine"


def test_create_makes_no_database_where_there_is_none(tmp_path: Path) -> None:
    result = run("create", tmp_path / "days.zst", tmp_path / "days.db")

    assert isinstance(result.exception, NotFound)
    assert list(tmp_path.iterdir()) == []


def test_create_into_a_missing_folder_fails_with_its_name(database: Path, tmp_path: Path) -> None:
    result = run("create", tmp_path / "nowhere" / "days.zst", database)

    assert isinstance(result.exception, NotFound)
    assert result.exception.message == f"the folder {tmp_path / 'nowhere'} does not exist"


def test_create_beside_a_running_server_has_all_that_was_answered(server: RunningServer, tmp_path: Path) -> None:
    server.create("window")
    beat = {"timestamp": "2026-01-01T10:00:00Z", "duration": 1, "data": {"app": "editor"}}
    stored = server.post("/api/0/buckets/window/events", beat).json

    run("create", tmp_path / "days.zst", server.database)

    [event] = lines_of(tmp_path / "days.zst", "event")
    assert {name: event[name] for name in stored} == stored
    assert server.post("/api/0/buckets/window/heartbeat?pulsetime=1", beat).status == 200


def test_an_archive_of_a_file_of_another_program_is_refused(tmp_path: Path) -> None:
    apsw.Connection(str(tmp_path / "other.db")).execute("CREATE TABLE t(x)")

    result = run("create", tmp_path / "days.zst", tmp_path / "other.db")

    assert isinstance(result.exception, StoreUnusable)
    assert not (tmp_path / "days.zst").exists()


def test_a_database_of_an_older_schema_is_archived_as_it_would_be_after_an_upgrade(tmp_path: Path) -> None:
    with closing(open_writer(tmp_path / "old.db")) as db:
        migrate(db, MIGRATIONS[:2])
        db.execute("INSERT INTO setting(key, json) VALUES('theme', '1')")
        db.execute("INSERT INTO bucket(id, type, client, hostname, created, data) VALUES('b', 't', 'c', 'h', 0, '{}')")

    assert run("create", tmp_path / "days.zst", tmp_path / "old.db").exit_code == 0
    assert run("restore", tmp_path / "days.zst", tmp_path / "new.db").exit_code == 0

    assert lines_of(tmp_path / "days.zst", "setting") == [{"kind": "setting", "own": False, "key": "theme", "value": 1}]
    with closing(open_reader(tmp_path / "old.db")) as db:
        assert db.pragma("user_version") == 2


def test_restore_is_refused_where_something_is_stored_and_changes_nothing(database: Path, archive: Path) -> None:
    before = database.read_bytes()

    result = run("restore", archive, database)

    assert isinstance(result.exception, Conflict)
    assert result.exception.message == f"{database} is not empty: it has 1 buckets, 0 settings and 0 keys"
    assert "--database" in (result.exception.hint or "")
    assert database.read_bytes() == before


@pytest.mark.parametrize("call", ["/api/0/settings/theme", "/api/1/keys"])
def test_a_setting_or_a_key_is_something_stored(archive: Path, tmp_path: Path, call: str) -> None:
    with RunningServer(tmp_path / "used.db") as server:
        assert server.post(call, {"name": "laptop", "scope": "read"}).status == 201

    assert isinstance(run("restore", archive, tmp_path / "used.db").exception, Conflict)


def test_restore_replaces_an_unused_database(archive: Path, tmp_path: Path) -> None:
    with RunningServer(tmp_path / "fresh.db"):
        pass

    result = run("restore", archive, tmp_path / "fresh.db")

    assert result.exit_code == 0
    assert len(events_in(tmp_path / "fresh.db")) == 2
    assert Path(result.stderr.splitlines()[-1].rpartition(": ")[2]).exists()


def test_restore_is_refused_while_a_server_uses_the_database(archive: Path, tmp_path: Path) -> None:
    with RunningServer(tmp_path / "used.db") as server:
        result = run("restore", archive, server.database)

    assert isinstance(result.exception, Unavailable)
    assert result.exception.message == "a server uses used.db"


def test_verify_fails_for_a_damaged_archive_and_names_it(archive: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:-20])

    result = run("verify", archive)

    assert isinstance(result.exception, Invalid)
    assert result.exception.message.startswith("days.zst: ")


@pytest.mark.parametrize("name", ["verify", "restore"])
def test_an_archive_that_is_not_there_is_reported(tmp_path: Path, name: str) -> None:
    assert isinstance(run(name, tmp_path / "none.zst").exception, NotFound)
