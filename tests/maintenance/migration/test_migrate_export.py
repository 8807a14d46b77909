"""`dayline export` writes a document that other servers take, and that `dayline import` takes back."""

import shutil
from pathlib import Path
from typing import Any

import msgspec

from tests.support.maintenance.migrating import FEW, WINDOW, exported, migrated, run, total
from tests.support.server import RunningServer


def by_start(document: dict[str, Any]) -> dict[str, Any]:
    for bucket in document["buckets"].values():
        bucket["events"].sort(key=msgspec.json.encode)
    return document


def test_an_export_holds_what_the_export_call_gives(small_migrated: Path, tmp_path: Path) -> None:
    shutil.copyfile(small_migrated / "days.db", tmp_path / "days.db")
    with RunningServer(tmp_path / "days.db") as server:
        assert run("export", "--format", "activitywatch", "--output", "all.json", home=tmp_path).returncode == 0

        given = server.get("/api/0/export").json

    written = msgspec.json.decode((tmp_path / "all.json").read_bytes())
    assert by_start(written) == by_start(given)


def test_an_export_that_is_migrated_elsewhere_is_the_same_there(small_migrated: Path, tmp_path: Path) -> None:
    export = tmp_path / "all.json"
    run("export", "--output", str(export), home=small_migrated)

    outcome = migrated(export, home=tmp_path)

    assert total(outcome, "imported") == FEW
    assert exported(tmp_path) == exported(small_migrated)
    assert total(migrated(export, home=tmp_path), "imported") == 0


def test_an_export_of_one_bucket_holds_that_bucket_alone(small_migrated: Path) -> None:
    done = run("export", "--bucket", WINDOW, "--output", "-", home=small_migrated)

    assert list(msgspec.json.decode(done.stdout)["buckets"]) == [WINDOW]


def test_an_export_that_fails_leaves_no_file_and_the_old_one_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "all.json").write_text("old")

    done = run("export", "--bucket", "none", "--output", "all.json", home=tmp_path)

    assert done.returncode == 66
    assert (tmp_path / "all.json").read_text() == "old"
    assert not list(tmp_path.glob("*.unfinished"))


def test_unusable_events_of_an_export_are_counted_and_the_rest_comes_along(tmp_path: Path) -> None:
    good = {"timestamp": "2025-01-01T10:00:00.0000019+01:00", "duration": 1.5, "data": {"b": 1, "a": [1.0]}}
    events: list[object] = [
        good,
        {**good, "duration": -1},
        {**good, "timestamp": "1960-01-01T00:00:00Z"},
        {**good, "timestamp": "soon"},
        {**good, "data": "text"},
        "no event",
    ]
    bucket = {"id": "b", "type": "t", "client": "c", "hostname": "h", "created": "long ago", "events": events}
    (tmp_path / "export.json").write_bytes(
        msgspec.json.encode({"buckets": {"b": bucket, "empty": {**bucket, "id": "empty", "events": []}}})
    )

    outcome = migrated("export.json", home=tmp_path)

    assert outcome["buckets"][0]["left_out"] == {
        "negative duration": 1,
        "outside 1970 to 2261": 1,
        "invalid time": 2,
        "data is not a JSON object": 1,
    }
    found = exported(tmp_path)
    assert list(found) == ["b", "empty"]
    assert found["b"]["events"] == [
        {"timestamp": "2025-01-01T09:00:00.000001Z", "duration": 1.5, "data": {"a": [1.0], "b": 1}}
    ]
