"""A damaged database does not stop the server: it records, serves what is readable, and says so everywhere."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.maintenance.doctoring import doctor
from tests.support.server import RunningServer
from tests.support.storage.damaging import BUCKETS, contents, fill_well, pages_of, spoil
from tests.support.waiting import eventually

HEARTBEAT: Final = {"timestamp": "2026-06-01T10:00:00Z", "duration": 5, "data": {"app": "after the damage"}}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "days.db"
    fill_well(path)
    return path


def the_head(path: Path) -> int:
    return 1


def a_page_of_an_index(path: Path) -> int:
    return pages_of(path, "bucket_id")[0].number


def a_page_of_events(path: Path) -> int:
    return pages_of(path, "event")[-1].number


def an_interior_page(path: Path) -> int:
    return pages_of(path, "event", "internal")[0].number


def a_page_of_the_dictionary(path: Path) -> int:
    return pages_of(path, "value")[-1].number


# Damage to a page of events and of an index while a server runs is in test_damage_live.
@pytest.mark.parametrize(
    "place",
    [
        the_head,
        an_interior_page,
        a_page_of_the_dictionary,
        pytest.param(a_page_of_an_index, marks=pytest.mark.long),
        pytest.param(a_page_of_events, marks=pytest.mark.long),
    ],
)
def test_a_damaged_file_still_records_and_is_repaired(
    filled: Path, tmp_path: Path, place: Callable[[Path], int]
) -> None:
    path, before = tmp_path / "days.db", contents(filled)
    shutil.copyfile(filled, path)
    spoil(path, place(filled))
    server = RunningServer(path)
    # What the checks of the start do not find is found at once.
    server.constants = {"dayline.maintenance.file_watch:FileWatch.initial_delay_s": 0}

    with server:
        eventually(lambda: server.get("/api/1/health").json["status"] == "degraded")
        answers = [server.post(f"/api/0/buckets/{bucket_id}/heartbeat?pulsetime=5", HEARTBEAT) for bucket_id in BUCKETS]
        problems = server.get("/api/1/health").json["problems"]
        eventually(lambda: count(server, "window") > 1)
        listed = server.get("/api/0/buckets/").json
    repaired = doctor(path, "--repair", "--yes")

    assert [(answer.status, "dayline doctor --repair" in answer.headers["warning"]) for answer in answers] == [
        (200, True)
    ] * len(BUCKETS)
    assert [problem["kind"] for problem in problems] == ["damage"]
    assert f"dayline doctor --repair --database {path}" in problems[0]["hint"]
    assert listed.keys() == set(BUCKETS)
    assert repaired.returncode == 0, repaired.stderr
    assert_all_there(before, contents(path), recorded=[answer.json for answer in answers])


def count(server: RunningServer, bucket_id: str) -> int:
    return int(server.get(f"/api/0/buckets/{bucket_id}/events/count").json)


def assert_all_there(
    before: dict[str, dict[int, Any]], after: dict[str, dict[int, Any]], *, recorded: list[dict[str, Any]]
) -> None:
    """Whatever is there is as it was, or was recorded since, and hardly anything is missing."""
    for bucket_id, answered in zip(BUCKETS, recorded, strict=True):
        events = after[bucket_id]
        assert events.pop(answered["id"]) == answered
        assert events.keys() <= before[bucket_id].keys()
        changed = [key for key, event in events.items() if event != before[bucket_id][key]]
        assert len(changed) < 120
        assert all("lost" in events[key]["data"] for key in changed)
        assert len(events) > len(before[bucket_id]) - 250  # no more than fit on a page


def test_what_is_readable_is_served_again_and_nothing_twice_after_a_kill(filled: Path, tmp_path: Path) -> None:
    path, before = tmp_path / "days.db", contents(filled)
    shutil.copyfile(filled, path)
    spoil(path, 1)
    server = RunningServer(path)

    for _ in range(2):  # each time a little of it is copied
        server.start()
        server.kill()
    with server:
        eventually(lambda: [count(server, bucket_id) for bucket_id in BUCKETS] == list(map(len, before.values())))
        damaged = path.read_bytes()
        answered = server.post("/api/0/buckets/window/heartbeat?pulsetime=5", HEARTBEAT)

    assert answered.status == 200
    assert path.read_bytes() == damaged
    after = contents(path)
    assert after["window"].pop(answered.json["id"]) == answered.json
    assert after == before


def test_a_repair_while_a_server_runs_is_rejected_with_a_hint(filled: Path, tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    shutil.copyfile(filled, path)
    spoil(path, 1)

    with RunningServer(path):
        refused = doctor(path, "--repair", "--yes")

    assert refused.returncode == 75
    assert "stop it first" in refused.stderr
