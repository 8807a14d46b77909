"""Files that a browser uploads: databases of both ActivityWatch servers and archives, previewed and imported."""

from pathlib import Path
from typing import Any, Final

import pytest

from tests.maintenance.jobs.ended_jobs import ended
from tests.support.maintenance.documents import archived
from tests.support.maintenance.migrating import EVENTS, PYTHON, RUST, SAMPLES
from tests.support.server import Answer, RunningServer

IMPORTS: Final = "/api/1/imports"
BOUNDARY: Final = "a-boundary-that-is-in-no-file"


def upload(server: RunningServer, *files: bytes, dry_run: bool = False) -> Answer:
    parts = b"".join(
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="{number}.bin"\r\n\r\n'.encode()
        + file
        + b"\r\n"
        for number, file in enumerate(files)
    )
    headers = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    body = parts + f"--{BOUNDARY}--\r\n".encode()
    return server.call("POST", f"{IMPORTS}?dry_run={int(dry_run)}", raw=body, headers=headers)


def imported(server: RunningServer, *files: bytes) -> dict[str, Any]:
    answer = upload(server, *files)
    assert answer.status == 202, answer.body
    done = ended(server, answer.json)
    assert done["state"] == "done", done
    return done


def sums(answer: Answer) -> dict[str, int]:
    assert answer.status == 200, answer.body
    names = ("new", "known", "invalid", "dropped")
    return {name: sum(bucket[name] for bucket in answer.json["buckets"]) for name in names}


@pytest.mark.parametrize("sample", [PYTHON, RUST], ids=["aw-server", "aw-server-rust"])
def test_a_database_is_previewed_imported_and_proven(server: RunningServer, sample: Path) -> None:
    database = (SAMPLES / sample).read_bytes()

    preview = upload(server, database, dry_run=True)
    assert sums(preview) == {"new": EVENTS, "known": 0, "invalid": 0, "dropped": 0}
    assert all(bucket["is_new"] for bucket in preview.json["buckets"])
    assert server.get("/api/0/buckets/").json == {}

    done = imported(server, database)
    assert (done["kind"], done["result"]["imported"], done["result"]["proof"]["is_proven"]) == (
        "migration",
        EVENTS,
        True,
    )
    assert sums(upload(server, database, dry_run=True)) == {"new": 0, "known": EVENTS, "invalid": 0, "dropped": 0}
    assert not list(server.database.parent.glob("**/*.bin"))


def test_an_archive_is_previewed_and_merged_into_what_is_here(server: RunningServer, tmp_path: Path) -> None:
    for bucket_id in ("kept", "empty", "other"):
        server.create(bucket_id)
    event = {"timestamp": "2026-01-01T10:00:00.123456Z", "duration": 1.25, "data": {"app": "été"}}
    assert server.post("/api/0/buckets/kept/events", [event]).status == 200
    assert server.post("/api/0/buckets/other/events", [{**event, "duration": 2}]).status == 200
    server.stop()
    archived(server.database, tmp_path / "days.jsonl.zst")
    archive = (tmp_path / "days.jsonl.zst").read_bytes()
    server.start()
    assert server.call("DELETE", "/api/0/buckets/kept").status == 200

    assert sums(upload(server, archive, dry_run=True)) == {"new": 1, "known": 1, "invalid": 0, "dropped": 0}
    done = imported(server, archive)

    assert (done["kind"], done["result"]["imported"], done["result"]["skipped"]) == ("import", 1, 1)
    [found] = server.get("/api/0/buckets/kept/events").json
    assert {name: found[name] for name in event} == {**event, "timestamp": found["timestamp"]}
    assert found["timestamp"].startswith("2026-01-01T10:00:00.123456")


def test_several_files_of_different_kinds_are_one_import(server: RunningServer) -> None:
    document = b'{"buckets":{"b":{"id":"b","type":"t","client":"c","hostname":"h","events":[]}}}'
    done = imported(server, (SAMPLES / PYTHON).read_bytes(), document)

    assert (done["kind"], done["result"]["imported"]) == ("import", EVENTS)
    assert "b" in server.get("/api/0/buckets/").json


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"just text", "the file is neither a database, a JSON export nor an archive"),
        (b"SQLite format 3\0" + bytes(4080), ""),
        (b"\x28\xb5\x2f\xfd but not really", ""),
    ],
    ids=["text", "empty database", "broken archive"],
)
@pytest.mark.parametrize("is_dry", [True, False], ids=["preview", "import"])
def test_a_file_that_cannot_be_imported_is_rejected_without_our_paths(
    server: RunningServer, content: bytes, reason: str, is_dry: bool
) -> None:
    answer = upload(server, content, dry_run=is_dry)

    assert answer.status in (400, 422), answer.body
    assert reason in answer.message
    assert str(server.database.parent) not in answer.message
    assert server.get("/api/0/buckets/").json == {}


def test_a_database_of_dayline_is_not_mistaken_for_one_of_activitywatch(server: RunningServer, tmp_path: Path) -> None:
    server.stop()
    database = server.database.read_bytes()
    server.start()
    answer = upload(server, database)

    assert (answer.status, "not the database of an ActivityWatch server" in answer.message) == (422, True)
