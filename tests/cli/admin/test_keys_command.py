"""`dayline keys`, as a user types it: with a server that runs, and without one."""

import shlex
import stat
import subprocess
from pathlib import Path

import msgspec
import pytest

from tests.support.keyed_server import KeyedServer
from tests.support.processes.command import COMMAND, environment, run
from tests.support.server import RunningServer
from tests.support.storage.opened import make_database


def keys(home: Path, *arguments: str) -> tuple[int, str, str]:
    """Run a command on the database in the home folder."""
    done = run("keys", *arguments, "--database", str(home / "days.db"), home=home)
    return done.returncode, done.stdout, done.stderr


def listed(home: Path) -> list[dict[str, object]]:
    code, output, _ = keys(home, "list", "--json")
    assert code == 0
    return msgspec.json.decode(output, type=list[dict[str, object]])


def created(home: Path, *arguments: str) -> str:
    code, output, errors = keys(home, "create", *arguments)
    assert code == 0, errors
    return output.strip()


def test_the_first_key_is_made_without_a_server(tmp_path: Path) -> None:
    text = created(tmp_path, "--name", "phone", "--scope", "read")

    assert text.startswith("dayline_")
    [key] = listed(tmp_path)
    assert (key["name"], key["scope"], key["buckets"], key["is_active"]) == ("phone", "read", [], True)


def test_a_key_made_without_a_server_opens_the_one_that_starts(tmp_path: Path) -> None:
    text = created(tmp_path, "--name", "phone", "--scope", "read")

    with KeyedServer(tmp_path / "days.db") as server:
        assert server.with_key(text, "GET", "/api/0/buckets/").status == 200
        assert server.call("GET", "/api/0/buckets/").status == 401


def test_a_key_made_while_the_server_runs_works_at_once(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db") as server:
        text = created(tmp_path, "--name", "w", "--scope", "append", "--bucket", "aw-*_laptop", "--expires", "90d")

        [key] = listed(tmp_path)
        assert server.with_key(text, "GET", "/api/0/buckets/").status == 403
        assert (key["buckets"], key["expires"] is not None) == (["aw-*_laptop"], True)


def test_the_key_alone_is_on_standard_output(tmp_path: Path) -> None:
    _, output, errors = keys(tmp_path, "create", "--name", "phone", "--scope", "read")

    assert len(output.split()) == 1
    assert output.strip() not in errors
    assert "not shown again" in errors


def test_a_key_can_go_to_a_file_that_only_its_owner_can_read(tmp_path: Path) -> None:
    path = tmp_path / "phone.key"

    code, output, errors = keys(tmp_path, "create", "--name", "phone", "--scope", "read", "--output", str(path))

    assert (code, output) == (0, "")
    assert path.read_text().strip() not in errors
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert keys(tmp_path, "create", "--name", "phone", "--scope", "read", "--output", str(path))[0] == 65
    assert len(listed(tmp_path)) == 1


def test_a_key_for_a_file_that_cannot_be_written_is_not_created(tmp_path: Path) -> None:
    missing = tmp_path / "missing" / "phone.key"

    code, output, errors = keys(tmp_path, "create", "--name", "phone", "--scope", "full", "--output", str(missing))

    assert (code, output) == (66, "")
    assert f"the folder {missing.parent} does not exist" in errors
    assert "Traceback" not in errors
    assert not (tmp_path / "days.db").exists()


def test_a_key_for_a_disk_without_space_is_not_created(tmp_path: Path) -> None:
    # No file may grow, as on a full disk: it can be created, and nothing can be written to it.
    command = shlex.join([*COMMAND, "keys", "create", "--name", "phone", "--scope", "full", "--output", "phone.key"])
    done = subprocess.run(
        ["/bin/sh", "-c", f"ulimit -f 0; exec {command} --database days.db"],
        capture_output=True, text=True, env=environment(tmp_path, PYTHONDONTWRITEBYTECODE="1"), cwd=tmp_path,
        check=False,
    )  # fmt: skip

    assert done.returncode == 65, done.stderr
    assert "cannot write phone.key" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_a_key_that_cannot_be_handed_over_is_revoked(tmp_path: Path, flags: tuple[str, ...]) -> None:
    # /dev/full takes a file being opened, and refuses every byte.
    command = [*COMMAND, "keys", "create", "--name", "phone", "--scope", "full", *flags]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*command, "--database", str(tmp_path / "days.db")],
            stdout=full, stderr=subprocess.PIPE, text=True, env=environment(tmp_path), check=False,
        )  # fmt: skip

    assert done.returncode == 65
    assert "Traceback" not in done.stderr
    [key] = listed(tmp_path)
    assert (key["is_active"], key["revoked"] is None) == (False, False)
    assert f"the new key {key['id']} was revoked" in done.stderr


def test_a_failed_rotation_leaves_no_file_and_the_old_key_as_it_was(tmp_path: Path) -> None:
    created(tmp_path, "--name", "phone", "--scope", "read")
    path = tmp_path / "new.key"

    code, _, _ = keys(tmp_path, "rotate", "aaaaaaaa", "--output", str(path))

    assert (code, path.exists()) == (66, False)
    assert [key["is_active"] for key in listed(tmp_path)] == [True]


def test_a_revoked_key_opens_nothing(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db") as server:
        text = server.key("full")

        code, _, errors = keys(tmp_path, "revoke", text.split("_")[1])

        assert (code, "Revoked" in errors) == (0, True)
        assert server.with_key(text, "GET", "/api/0/buckets/").status == 401


def test_rotating_gives_a_new_key_and_with_grace_keeps_the_old_one_for_a_while(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db") as server:
        old = server.key("read")

        code, output, _ = keys(tmp_path, "rotate", old.split("_")[1], "--grace", "1h")

        assert code == 0
        for text in (old, output.strip()):
            assert server.with_key(text, "GET", "/api/0/buckets/").status == 200


def test_an_unknown_id_is_reported_with_the_way_to_find_it(tmp_path: Path) -> None:
    make_database(tmp_path / "days.db")

    code, _, errors = keys(tmp_path, "revoke", "aaaaaaaa")

    assert code == 66
    assert "no key with the id 'aaaaaaaa'" in errors
    assert "dayline keys list" in errors


@pytest.mark.parametrize("length", ["90", "soon", "0d", "-1d", "1y"])
def test_a_lifetime_that_is_none_is_rejected(tmp_path: Path, length: str) -> None:
    code, _, errors = keys(tmp_path, "create", "--name", "x", "--scope", "read", "--expires", length)

    assert code == 64
    assert "90d" in errors


def test_an_empty_list_of_keys_explains_how_to_create_one(tmp_path: Path) -> None:
    make_database(tmp_path / "days.db")

    code, output, errors = keys(tmp_path, "list")

    assert (code, output) == (0, "")
    assert "dayline keys create" in errors


def test_a_name_is_text_and_no_markup(tmp_path: Path) -> None:
    created(tmp_path, "--name", "[red]phone[/red]", "--scope", "read")

    assert "[red]phone[/red]" in keys(tmp_path, "list")[1]


def test_what_is_beside_the_database_is_for_its_owner_alone(tmp_path: Path) -> None:
    database = tmp_path / "data" / "days.db"

    with RunningServer(database):
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) & 0o077 for file in database.parent.rglob("*")}

    assert {"days.db.d", "token"} <= modes.keys()
    assert set(modes.values()) == {0}


def test_the_token_file_is_deleted_when_the_server_stops(tmp_path: Path) -> None:
    database = tmp_path / "days.db"

    with RunningServer(database):
        assert (tmp_path / "days.db.d/token").exists()

    assert not (tmp_path / "days.db.d/token").exists()


def test_a_token_file_left_by_a_crash_is_not_used(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db") as server:
        server.kill()
        assert (tmp_path / "days.db.d/token").exists()

        created(tmp_path, "--name", "phone", "--scope", "read")

        server.start()
        assert [key["name"] for key in listed(tmp_path)] == ["phone"]


def test_install_local_writes_what_python_clients_read_and_keeps_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "local.key"
    keys(tmp_path, "create", "--name", "local", "--scope", "append", "--output", str(path))
    config = tmp_path / ".config" / "activitywatch" / "aw-server-rust" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("# mine\n")

    code, _, errors = keys(tmp_path, "install-local", "--key-file", str(path))

    assert code == 0, errors
    assert path.read_text().strip() in config.read_text()
    assert "port = 5600" in config.read_text()
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    assert config.with_name("config.toml.before-dayline-1").read_text() == "# mine\n"


def test_install_local_wants_a_key(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("dear Ada")

    code, _, errors = keys(tmp_path, "install-local", "--key-file", str(path))

    assert code == 65
    assert "is not a key file" in errors
    assert "dear Ada" not in errors
