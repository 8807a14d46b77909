"""Every file that Dayline writes with a key, in a full session: none has a recorded text, each is for its user only.

Polling, and a look at what is left, are not enough: the worst files lived for milliseconds.
"""

import json
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

import pytest

from dayline.runtime.encrypted_file import FileKind, kind_of
from tests.storage.encryption.noting_files import NotedFiles
from tests.storage.encryption.test_server import KEY_FILE, TITLE, encrypted_server, record, titles
from tests.support.maintenance.migrating import RUST, SAMPLES, changed
from tests.support.processes.command import environment, run
from tests.support.project.files import ROOT
from tests.support.server import RunningServer
from tests.support.storage.damaging import spoil
from tests.support.storage.encrypting import KEY, write_key
from tests.support.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs inotify")

# What a watch process of a server writes; it needs no desktop for that.
WATCHER: Final = """
import os, sys
from pathlib import Path
from dayline.client.queue import CallQueue
from dayline.client.watch.process import WatchFolder
from dayline.client.watch.server_checks import RuleCache
from dayline.runtime.encryption import DatabaseKey, set_key
from tests.client.queue.queueing import beat, create
os.umask(0o077)
set_key(DatabaseKey(bytes.fromhex(sys.argv[2])))
folder, title = Path(sys.argv[1]), sys.argv[3]
held = WatchFolder(folder)
rules = '{"rules": [{"pattern": "%s", "action": "redact", "field": "title"}]}' % title
RuleCache(folder / "privacy-rules.json").update(rules.encode())
for name in ("aw-watcher-window", "aw-watcher-afk"):
    queue = CallQueue(folder / f"{name}.db")
    queue.add([create(), beat(1, app=title)])
    queue.close()
held.release()
"""


class Session:
    """A database with a key, and folders in which every new file is noted."""

    def __init__(self, home: Path) -> None:
        self.home, self.data, self.temporary = home, home / "data", home / "tmp"
        self.kept, self.inputs = home / "kept", home / "inputs"
        for folder in (self.data, self.temporary, self.kept, self.inputs, home / "keys"):
            folder.mkdir()
        self.database = self.data / "days.db"
        self.key = write_key(home / "keys" / "key")
        self.variables = {"DAYLINE_ENCRYPTION_KEY_FILE": str(self.key), "TMPDIR": str(self.temporary)}

    def run(self, *words: str | Path) -> "subprocess.CompletedProcess[str]":
        done = run(*map(str, words), "--database", str(self.database), home=self.home, **self.variables)
        assert done.returncode == 0, done.stderr
        return done

    def server(self) -> RunningServer:
        server = encrypted_server(self.database, self.key)
        server.constants = {**server.constants, "dayline.maintenance.file_watch:FileWatch.initial_delay_s": 0}
        server.start(TMPDIR=str(self.temporary))
        return server


def activitywatch_database(folder: Path) -> Path:
    """A database of ActivityWatch with the text."""
    shutil.copytree((SAMPLES / RUST).parent, folder / RUST.parent)
    changed(folder / RUST, "DELETE FROM events WHERE id % 20 > 0")
    changed(folder / RUST, "UPDATE events SET data = json_object('app', ?, 'title', ?) WHERE id % 2", "a", TITLE)
    return folder / RUST


def upload(server: RunningServer, file: Path) -> None:
    """Import a file as the page does."""
    body = (
        b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n' + file.read_bytes() + b"\r\n--x--\r\n"
    )
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    started = server.call("POST", "/api/1/imports", raw=body, headers=headers)
    assert started.status == 202, started.body
    job = started.json["id"]
    eventually(lambda: server.get(f"/api/1/jobs/{job}").json["state"] not in ("queued", "running"))
    assert server.get(f"/api/1/jobs/{job}").json["state"] == "done", server.get(f"/api/1/jobs/{job}").body


def use_server(session: Session, activitywatch: Path) -> None:
    server = session.server()
    try:
        record(server)
        eventually(lambda: len(server.get(f"/api/1/search?q={TITLE}").json["hits"]) > 0)
        rules = {"rules": [{"pattern": f"{TITLE} 7", "action": "redact", "field": "title"}]}
        assert server.post("/api/1/privacy/preview", rules).status == 200
        assert server.post("/api/1/privacy/apply", rules).status == 200
        upload(server, activitywatch)
        assert server.get("/api/1/doctor").status == 200
        assert server.post("/api/1/doctor/mend", {"kind": "duplicates"}).status == 200
        assert server.post("/api/1/backups").status == 201
        session.run("export", "--output", session.inputs / "all.json")
        assert len(titles(server)) > 0
    finally:
        server.kill()


def use_commands(session: Session, activitywatch: Path) -> None:
    session.run("import", session.inputs / "all.json")
    session.run("import", activitywatch)
    session.run("buckets")
    session.run("doctor")
    name = session.run("backup", "create").stdout.strip()
    session.run("backup", "verify")
    session.run("backup", "restore", name, "--to", session.data / "restored.db")  # encrypted, too
    session.run("backup", "restore", name, "--bucket", "window")
    session.run("backup", "restore", name, "--yes")
    write_key(session.home / "keys" / "archive")
    archive = session.inputs / "all.archive"
    session.run("export", "--format", "archive", "--key-file", session.home / "keys" / "archive", "--output", archive)


def damage_and_repair(session: Session) -> None:
    spoil(session.database, 1)
    server = session.server()
    try:
        eventually(lambda: server.get("/api/1/health").json["status"] == "degraded")
        beat = {"timestamp": "2026-06-01T10:00:00Z", "duration": 5, "data": {"title": TITLE}}
        assert server.post("/api/0/buckets/window/heartbeat?pulsetime=5", beat).status == 200
    finally:
        server.stop()
    session.run("doctor", "--repair", "--yes")


def watch(session: Session) -> None:
    folder = session.data / "days-watch"
    command = [sys.executable, "-c", WATCHER, str(folder), KEY.secret.hex(), TITLE]
    variables = {**environment(session.home), "TMPDIR": str(session.temporary)}
    subprocess.run(command, check=True, timeout=PATIENCE_S, cwd=ROOT, env=variables)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> tuple[Session, NotedFiles]:
    one = Session(tmp_path_factory.mktemp("session"))
    activitywatch = activitywatch_database(one.inputs)
    with NotedFiles(one.home, [one.data, one.temporary], one.kept) as noted:
        use_server(one, activitywatch)
        use_commands(one, activitywatch)
        damage_and_repair(one)
        watch(one)
    return one, noted


def listed_files() -> list[str]:
    """The files and folders in the table of the documentation, as patterns."""
    page = (ROOT / "docs" / "reference" / "files.md").read_text("utf-8")
    table = page.partition("## Files in the data folder")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if re.match(r"\| `", line)]
    names = [name.replace("…", "*") for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])]
    return ["restored.db*", *names] + [name.replace("dayline", "days", 1) for name in names]


def listed_name(name: str) -> str:
    """The name of a file or its folder in the data folder, without what is added while it is written."""
    first, _, rest = name.partition("/")[2].partition("/")
    name = f"{first}/{rest.partition('/')[0]}" if first.endswith(".d") and rest else first
    return re.sub(r"(\.[0-9a-f]{16}\.unfinished)?(-wal|-shm|-journal)?$", "", name)


def test_no_file_has_a_recorded_text(session: tuple[Session, NotedFiles]) -> None:
    _, noted = session
    found = {name for kept, name in noted.contents.items() if TITLE.encode() in kept.read_bytes()}
    assert len(noted.contents) > 50
    assert found == set()


def test_every_file_is_for_its_user_only(session: tuple[Session, NotedFiles]) -> None:
    _, noted = session
    modes = {name: oct(kept.stat().st_mode & 0o777) for kept, name in noted.contents.items()}
    assert {name: mode for name, mode in modes.items() if mode != "0o600"} == {}


def test_every_file_is_in_the_list_of_the_documentation(session: tuple[Session, NotedFiles]) -> None:
    _, noted = session
    names, patterns = {listed_name(name) for name in noted.names if name.startswith("data/")}, listed_files()
    assert {name for name in names if not any(fnmatchcase(name, pattern) for pattern in patterns)} == set()
    assert {name for name in noted.names if not name.startswith("data/")} == set()  # nothing in temporary folders


def test_the_database_is_encrypted_after_all(session: tuple[Session, NotedFiles]) -> None:
    one, _ = session
    assert kind_of(one.database) is FileKind.ENCRYPTED
    assert json.dumps(KEY.secret.hex()) not in (one.data / "days.db.d" / "dayline.log").read_text()
    assert KEY_FILE.startswith("--")
