"""`dayline buckets`: every change is shown first, asked about, and reported with what undoes it."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from dayline.cli.main import commands
from dayline.model.errors import Invalid, NotFound
from tests.support.server import RunningServer

EVENT = {"timestamp": "2026-01-01T10:00:00Z", "duration": 1, "data": {"app": "editor"}}
LAPTOP = ("aw-watcher-window_laptop", "aw-watcher-afk_laptop")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Two buckets of one host with an event each, and one of another host with the same event."""
    database = tmp_path / "days.db"
    with RunningServer(database) as server:
        for bucket_id in (*LAPTOP, "aw-watcher-afk_desktop"):
            server.create(bucket_id, hostname=bucket_id.partition("_")[2])
            server.post(f"/api/0/buckets/{bucket_id}/events", [EVENT])
    return database


def run(database: Path, *arguments: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(commands, [*arguments, "--database", str(database)], input=answer)


def listed(database: Path) -> dict[str, Any]:
    found = msgspec.json.decode(run(database, "buckets", "list", "--json").stdout)
    return {bucket["id"]: (bucket["hostname"], bucket["event_count"], bucket["aliases"]) for bucket in found}


def test_list_shows_hosts_events_and_aliases(database: Path) -> None:
    run(database, "buckets", "rename", LAPTOP[0], "window", "--yes")

    heading, first, *_ = run(database, "buckets", "list").stdout.splitlines()

    assert heading.split() == ["bucket", "host", "type", "events", "last", "state", "aliases"]
    assert first.split()[:4] == ["window", "laptop", "test.type", "1"]
    assert first.split()[-1] == LAPTOP[0]


def test_without_a_command_they_are_listed(database: Path) -> None:
    assert run(database, "buckets").stdout == run(database, "buckets", "list").stdout
    assert run(database, "buckets", "--json").stdout == run(database, "buckets", "list", "--json").stdout


def test_options_before_the_command_are_rejected_so_that_no_other_database_is_changed(database: Path) -> None:
    runner = CliRunner(env={"HOME": str(database.parent)})

    done = runner.invoke(commands, ["buckets", "--database", str(database), "rename", LAPTOP[0], "window", "--yes"])

    assert done.exit_code != 0
    assert "window" not in listed(database)


def test_a_deleted_bucket_is_in_the_trash_and_can_be_restored(database: Path) -> None:
    before = listed(database)
    assert run(database, "buckets", "delete", LAPTOP[0], answer="n\n").exit_code == 1
    assert listed(database) == before

    done = run(database, "buckets", "delete", LAPTOP[0], "--yes", "--json")

    answer = msgspec.json.decode(done.stdout)
    assert (answer["bucket"], answer["events"]) == (LAPTOP[0], 1)
    assert LAPTOP[0] not in listed(database)
    assert run(database, "undo", str(answer["undo"]), "--yes").exit_code == 0
    assert listed(database) == before


def test_a_bucket_that_does_not_exist_is_answered_with_the_closest_id(database: Path) -> None:
    done = run(database, "buckets", "delete", "aw-watcher-window_laptp", "--yes")

    assert isinstance(done.exception, NotFound)
    assert done.exception.hint == f"did you mean: {LAPTOP[0]} or {LAPTOP[1]}"


def test_rename_asks_and_shows_what_undoes_it(database: Path) -> None:
    before = listed(database)
    assert run(database, "buckets", "rename", LAPTOP[0], "window", answer="n\n").exit_code == 1
    assert listed(database) == before

    result = run(database, "buckets", "rename", LAPTOP[0], "window", answer="y\n")

    assert result.stdout.splitlines()[0] == f"{LAPTOP[0]} → window (the old id becomes an alias)"
    assert result.stdout.splitlines()[-1] == "Done. To undo it: dayline undo 1"
    assert listed(database)["window"] == ("laptop", 1, [LAPTOP[0]])
    assert f"{LAPTOP[0]} → window" in run(database, "trash", "list").stdout
    assert run(database, "undo", "1", "--yes").exit_code == 0
    assert listed(database) == before


def test_merge_shows_what_would_happen(database: Path) -> None:
    before = listed(database)
    result = run(database, "buckets", "merge", LAPTOP[1], "aw-watcher-afk_desktop", answer="n\n")
    assert "0 events to move; 1 exist there and are skipped; 0 overlap" in result.stdout
    assert "different host names: 'laptop' and 'desktop'" in result.stdout
    assert listed(database) == before

    merged = run(database, "buckets", "merge", LAPTOP[1], "aw-watcher-afk_desktop", "--yes", "--json")

    assert msgspec.json.decode(merged.stdout)["skipped"] == 1
    assert listed(database)["aw-watcher-afk_desktop"] == ("desktop", 1, [LAPTOP[1]])
    run(database, "undo", "--yes")
    assert listed(database) == before


def test_a_whole_host_is_moved_with_one_undo_each(database: Path) -> None:
    before = listed(database)
    refused = run(database, "buckets", "set-host", "--device", "laptop", "desktop", "--yes")
    assert isinstance(refused.exception, Invalid)
    assert "aw-watcher-afk_desktop" in refused.exception.message
    assert "--merge" in str(refused.exception.hint)
    assert listed(database) == before

    result = run(database, "buckets", "set-host", "--device", "laptop", "desktop", "--merge", answer="y\n")

    assert [line for line in result.stdout.splitlines() if line.startswith("Done.")] == [
        "Done. To undo it: dayline undo 1",
        "Done. To undo it: dayline undo 2",
    ]
    assert listed(database) == {
        "aw-watcher-window_desktop": ("desktop", 1, [LAPTOP[0]]),
        "aw-watcher-afk_desktop": ("desktop", 1, [LAPTOP[1]]),
    }
    for _ in range(2):
        run(database, "undo", "--yes")
    assert listed(database) == before


def test_one_bucket_is_moved_through_a_running_server(database: Path) -> None:
    with RunningServer(database) as server:
        assert run(database, "buckets", "set-host", LAPTOP[0], "tablet", "--no-rename", "--yes").exit_code == 0
        assert server.get(f"/api/0/buckets/{LAPTOP[0]}").json["hostname"] == "tablet"


def test_an_alias_is_removed_and_an_unknown_host_is_reported(database: Path) -> None:
    run(database, "buckets", "rename", LAPTOP[0], "window", "--yes")
    assert run(database, "buckets", "unalias", LAPTOP[0], "--yes").exit_code == 0
    assert listed(database)["window"] == ("laptop", 1, [])

    result = run(database, "buckets", "set-host", "--device", "nowhere", "desktop", "--yes")
    assert isinstance(result.exception, NotFound)
    assert result.exception.message == "no bucket has the host 'nowhere'"
