"""The databases of both existing servers come along whole, and once."""

from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.care.migrating import EVENTS, PYTHON, RUST, contents, copy_of, exported, migrated, run, total
from tests.server import RunningServer

DURATION_US = {
    PYTHON: "SELECT CAST(round(sum(duration) * 1e6) AS INTEGER) FROM eventmodel",
    RUST: "SELECT sum((endtime - starttime + 500) / 1000) FROM events",
}


def sums(outcome: dict[str, Any], side: str) -> list[tuple[int, int, str]]:
    proofs: list[dict[str, Any]] = [bucket["proof"][side] for bucket in outcome["buckets"]]
    return [(proof["events"], proof["duration"], proof["checksum"]) for proof in proofs]


@pytest.mark.parametrize("sample", [PYTHON, RUST])
def test_a_database_comes_along_with_equal_counts_durations_and_checksums(sample: Path, tmp_path: Path) -> None:
    database = copy_of(sample, tmp_path)

    outcome = migrated(database, home=tmp_path)

    assert total(outcome, "imported") == EVENTS
    assert sums(outcome, "theirs") == sums(outcome, "ours")
    assert sum(events for events, _, _ in sums(outcome, "ours")) == EVENTS
    assert sum(duration for _, duration, _ in sums(outcome, "ours")) == (
        apsw.Connection(str(database)).execute(DURATION_US[sample]).get
    )


@pytest.mark.parametrize("sample", [PYTHON, RUST])
def test_a_second_time_nothing_is_imported(sample: Path, tmp_path: Path) -> None:
    database = copy_of(sample, tmp_path)
    first = migrated(database, home=tmp_path)
    before = exported(tmp_path)

    second = migrated(database, home=tmp_path)

    assert total(second, "imported") == total(second, "extended") == 0
    assert sums(second, "ours") == sums(first, "ours")
    assert exported(tmp_path) == before


def test_both_servers_with_the_same_data_are_one_history(tmp_path: Path) -> None:
    migrated(copy_of(PYTHON, tmp_path), home=tmp_path)

    assert total(migrated(copy_of(RUST, tmp_path), home=tmp_path), "imported") == 0


def test_buckets_keep_what_is_known_of_them(tmp_path: Path) -> None:
    migrated(copy_of(RUST, tmp_path), home=tmp_path)

    bucket = exported(tmp_path)["aw-watcher-web-firefox_host"]
    facts = {name: bucket[name] for name in ("type", "client", "hostname", "created", "data")}
    assert facts == {
        "type": "web.tab.current",
        "client": "aw-watcher-web-firefox",
        "hostname": "host",
        "created": "2025-01-01T00:00:00Z",
        "data": {},
    }


@pytest.mark.parametrize("sample", [PYTHON, RUST])
def test_nothing_of_theirs_is_changed_or_added(sample: Path, tmp_path: Path) -> None:
    database = copy_of(sample, tmp_path)
    before = contents(database.parent)

    migrated(database, home=tmp_path)

    assert contents(database.parent) == before


def test_it_goes_into_the_running_server(tmp_path: Path) -> None:
    database = copy_of(RUST, tmp_path)

    with RunningServer(tmp_path / "days.db") as server:
        outcome = migrated(database, home=tmp_path)
        count = sum(
            server.get(f"/api/0/buckets/{bucket}/events/count").json for bucket in server.get("/api/0/buckets/").json
        )

    assert total(outcome, "imported") == count == EVENTS


@pytest.mark.parametrize("sample", [PYTHON, RUST])
def test_nothing_looks_wrong_in_what_was_just_migrated(sample: Path, tmp_path: Path) -> None:
    migrated(copy_of(sample, tmp_path), home=tmp_path)

    assert run("findings", home=tmp_path).stdout == "Nothing looks wrong in 5,801 events of 3 buckets.\n"


def test_the_proof_is_shown_for_every_bucket(tmp_path: Path) -> None:
    done = run("migrate", copy_of(RUST, tmp_path), home=tmp_path)

    theirs = [line.split()[2:] for line in done.stdout.splitlines() if " there " in line]
    ours = [line.split()[3:] for line in done.stdout.splitlines() if " here " in line]
    assert ours == [[*sums, "equal"] for sums in theirs]
    assert [events for events, *_ in theirs] == ["1,529", "4,198", "74"]
    assert "Everything is here as it is there." in done.stderr
