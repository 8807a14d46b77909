"""`dayline sync` with two data folders, with and without servers."""

import json
import urllib.request
from pathlib import Path

import pytest

from dayline.cli.data.sync import print_report
from dayline.maintenance.sync.report import DeviceReport, PassReport
from tests.support.maintenance.aw_sync import PHONE, add, database, minute
from tests.support.processes.command import Service, run
from tests.support.waiting import eventually

WHEN = "2026-03-18T15:30:00Z"


def home(tmp_path: Path, name: str) -> Path:
    folder = tmp_path / name
    folder.mkdir()
    return folder


def call(port: int, path: str, body: object) -> int:
    """The status of a POST."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as response:
        return int(response.status)


def test_two_devices_start_join_and_leave(tmp_path: Path) -> None:
    laptop, desktop, folder = home(tmp_path, "laptop"), home(tmp_path, "desktop"), home(tmp_path, "space")
    off = run("sync", home=laptop)
    assert "no database" in off.stderr
    assert run("demo", "--days", "2", home=laptop).returncode == 0

    started = run("sync", "start", str(folder), home=laptop)
    assert started.returncode == 0, started.stderr
    invite = started.stdout.strip()
    assert invite.startswith("dayline-sync_")
    file = tmp_path / "invite"
    file.write_text(invite)

    joined = run("sync", "join", str(folder), "--invite-file", str(file), "--yes", home=desktop)
    assert joined.returncode == 0, joined.stderr
    assert "identical" in joined.stdout

    assert "identical" in run("sync", home=desktop).stdout
    now = run("sync", "now", home=laptop)
    assert now.returncode == 0
    assert run("sync", "verify", home=desktop).returncode == 0
    assert run("sync", "invite", home=desktop).stdout.strip() == invite
    found = json.loads(run("sync", "--json", home=desktop).stdout)
    assert [device["state"] for device in found["report"]["devices"]] == ["identical"]
    nothing = run("sync", "recover", "--yes", home=desktop)
    assert "there is nothing to recover" in nothing.stderr

    device = found["report"]["devices"][0]
    adopted = run("sync", "adopt", device["id"], "--yes", home=desktop)
    assert f"Adopted {device['buckets']} buckets" in adopted.stdout, adopted.stderr
    assert "adopted here" in run("sync", "now", home=desktop).stdout
    undone = run("undo", "--group", f"sync-adopt-{device['id']}", "--yes", home=desktop)
    assert undone.returncode == 0, undone.stderr
    assert "identical" in run("sync", "now", home=desktop).stdout

    left = run("sync", "leave", "--yes", home=desktop)
    assert (left.returncode, left.stderr.strip()) == (0, "Sync is off.")
    assert "Sync is off" in run("sync", home=desktop).stderr


def test_devices_with_the_same_name_are_shown_with_their_ids(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def device(name: str, device_id: str) -> DeviceReport:
        return DeviceReport(
            id=device_id, name=name, state="adopted", text="adopted here", made=None, since=WHEN, buckets=0, events=0
        )

    devices = [device("laptop", "aaaaaaaa"), device("laptop", "bbbbbbbb"), device("phone", "cccccccc")]
    print_report(PassReport(began=WHEN, ended=WHEN, devices=devices))

    assert capsys.readouterr().out.splitlines() == [
        "● laptop (aaaaaaaa)  adopted here",
        "● laptop (bbbbbbbb)  adopted here",
        "● phone              adopted here",
    ]


def test_a_wrong_invite_and_a_missing_folder_are_reported(tmp_path: Path) -> None:
    laptop, desktop, folder = home(tmp_path, "laptop"), home(tmp_path, "desktop"), home(tmp_path, "space")
    other = home(tmp_path, "other")
    run("sync", "start", str(folder), home=laptop)
    invite = run("sync", "start", str(other), home=desktop).stdout
    file = tmp_path / "invite"
    file.write_text(invite)
    run("sync", "leave", "--yes", home=desktop)

    wrong = run("sync", "join", str(folder), "--invite-file", str(file), "--yes", home=desktop)
    assert f"dayline: this invite does not open the space in {folder}" in wrong.stderr
    missing = run("sync", "join", str(tmp_path / "nowhere"), "--invite-file", str(file), "--yes", home=desktop)
    assert f"dayline: no sync space in {tmp_path / 'nowhere'}: is it mounted?" in missing.stderr


def test_a_server_syncs_in_the_background(tmp_path: Path) -> None:
    laptop, folder = home(tmp_path, "laptop"), home(tmp_path, "space")
    run("sync", "start", str(folder), home=laptop)
    (head,) = folder.glob("*/head")
    before = head.read_bytes()
    assert run("demo", "--days", "2", home=laptop).returncode == 0
    with Service("--port", "0", home=laptop):
        eventually(lambda: head.read_bytes() != before)
        assert json.loads(run("sync", "--json", home=laptop).stdout)["next_pass"] is not None


def test_two_servers_sync_through_a_third(tmp_path: Path) -> None:
    laptop, desktop, diary = home(tmp_path, "laptop"), home(tmp_path, "desktop"), home(tmp_path, "diary")
    assert run("demo", "--days", "2", home=laptop).returncode == 0
    key, invite = tmp_path / "diary.key", tmp_path / "invite"
    (diary / "settings.toml").write_text("[access]\nrequire_keys = true\n")
    made = run("keys", "create", "--name", "laptop", "--scope", "sync", "--output", str(key), home=diary)
    assert made.returncode == 0, made.stderr
    serve = ("--port", "0", "--config")
    with Service(*serve, str(diary / "settings.toml"), home=diary) as server:
        location = f"http://127.0.0.1:{server.port}"
        with Service("--port", "0", home=laptop) as laptop_server, Service("--port", "0", home=desktop):
            started = run("sync", "start", location, "--server-key-file", str(key), home=laptop)
            assert started.returncode == 0, started.stderr
            assert key.read_text().strip() not in f"{started.stdout}{started.stderr}"
            invite.write_text(started.stdout)
            joined = run(
                "sync", "join", location, "--server-key-file", str(key), "--invite-file", str(invite), "--yes",
                home=desktop,
            )  # fmt: skip
            assert joined.returncode == 0, joined.stderr
            assert "identical" in joined.stdout

            # What is recorded now arrives without another command.
            create = {"client": "test", "type": "test", "hostname": "laptop"}
            assert call(laptop_server.port, "/api/0/buckets/notes", create) == 200
            event = {"timestamp": "2026-03-05T09:00:00Z", "duration": 5, "data": {"title": "recorded later"}}
            assert call(laptop_server.port, "/api/0/buckets/notes/events", event) == 200
            eventually(lambda: "recorded later" in run("events", "notes", "--json", home=desktop).stdout)
            assert run("sync", "verify", home=desktop).returncode == 0

            identifier = json.loads(run("keys", "list", "--json", home=diary).stdout)[0]["id"]
            assert run("keys", "revoke", identifier, home=diary).returncode == 0
            refused = run("sync", "now", home=desktop)
            assert f"127.0.0.1 refuses the key {identifier} (revoked)" in refused.stdout
            again = run("sync", "start", location, "--server-key-file", str(key), home=desktop)
            assert f"refuses the key {identifier} (revoked)" in again.stderr


def test_the_storing_server_syncs_without_http(tmp_path: Path) -> None:
    diary = home(tmp_path, "diary")
    assert run("demo", "--days", "1", home=diary).returncode == 0

    with Service("--port", "0", home=diary):
        started = run("sync", "start", "this-server", home=diary)
        assert started.returncode == 0, started.stderr
        assert json.loads(run("sync", "--json", home=diary).stdout)["location"] == "this-server"
        assert run("sync", "verify", home=diary).returncode == 0


def document(title: str) -> str:
    """An export with one event."""
    event = {"timestamp": "2026-01-02T08:00:00Z", "duration": 10, "data": {"title": title}}
    bucket = {"id": "w", "type": "t", "client": "c", "hostname": "h", "created": "2026-01-01T00:00:00Z"}
    return json.dumps({"buckets": {"w": {**bucket, "events": [event]}}})


def test_what_a_command_imports_into_a_restored_database_is_kept(tmp_path: Path) -> None:
    laptop, folder = home(tmp_path, "laptop"), home(tmp_path, "space")

    def store(title: str) -> None:
        file = tmp_path / f"{title}.json"
        file.write_text(document(title))
        done = run("import", str(file), home=laptop)
        assert done.returncode == 0, done.stderr

    store("first")
    run("sync", "start", str(folder), home=laptop)
    (database,) = laptop.rglob("*.db")
    backup = database.read_bytes()
    store("published")
    run("sync", "now", home=laptop)
    database.write_bytes(backup)
    store("since")

    assert "is older than" in run("sync", "now", home=laptop).stdout
    recovered = run("sync", "recover", "--yes", home=laptop)

    assert "kept 1 event recorded since, removed 0 deleted events" in recovered.stdout, recovered.stderr
    kept = run("export", home=laptop).stdout
    assert all(title in kept for title in ("first", "published", "since"))


def test_a_folder_of_activitywatch_is_mirrored_without_a_space(tmp_path: Path) -> None:
    laptop, folder = home(tmp_path, "laptop"), home(tmp_path, "aw")
    wrong = run("sync", "source", str(folder), home=laptop)
    assert "has no database of aw-sync or aw-android" in wrong.stderr
    file = database(folder / "phone" / PHONE / "test.db", [(minute(0), 30, "Maps")])

    added = run("sync", "source", str(folder), home=laptop)
    assert added.returncode == 0, added.stderr
    assert "● phone  read" in added.stdout
    assert "1 bucket, 1 event" in run("sync", home=laptop).stdout
    assert run("sync", "source", home=laptop).stdout == added.stdout
    add(file, [(minute(5), 30, "Mail")])
    assert "1 bucket, 2 events" in run("sync", "now", home=laptop).stdout
    found = json.loads(run("sync", "source", "--json", home=laptop).stdout)
    assert [device["state"] for device in found["sources"][0]["devices"]] == ["current"]

    removed = run("sync", "source", str(folder), "--remove", home=laptop)
    assert "Its mirrors stay" in removed.stderr
    assert "no sources" in run("sync", "source", home=laptop).stderr
    assert "aw-watcher-android_phone@" in run("buckets", home=laptop).stdout
    deleted = run("sync", "source", str(folder), "--remove", "--delete-mirrors", "--yes", home=laptop)
    assert deleted.returncode == 0, deleted.stderr
    assert "aw-watcher-android_phone@" not in run("buckets", home=laptop).stdout


def test_a_server_reads_a_folder_of_activitywatch_in_the_background(tmp_path: Path) -> None:
    laptop, folder = home(tmp_path, "laptop"), home(tmp_path, "aw")
    file = database(folder / PHONE / "test.db", [(minute(0), 30, "Maps")])
    run("sync", "source", str(folder), home=laptop)
    add(file, [(minute(5), 30, "Mail")])
    with Service("--port", "0", home=laptop):
        eventually(lambda: "2 events" in run("sync", "source", home=laptop).stdout)
