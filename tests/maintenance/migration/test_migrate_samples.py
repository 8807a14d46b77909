"""The databases of both existing servers come along whole, and once."""

from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest

from tests.support.maintenance.migrating import (
    EVENTS,
    FEW,
    PYTHON,
    RUST,
    contents,
    copy_of,
    exported,
    migrated,
    run,
    small_copy_of,
    total,
)
from tests.support.server import RunningServer

DURATION_US = {
    PYTHON: "SELECT CAST(round(sum(duration) * 1e6) AS INTEGER) FROM eventmodel",
    RUST: "SELECT sum((endtime - starttime + 500) / 1000) FROM events",
}


def sums(outcome: dict[str, Any], side: str) -> list[tuple[int, int, str]]:
    proofs: list[dict[str, Any]] = [bucket["proof"][side] for bucket in outcome["buckets"]]
    return [(proof["events"], proof["duration"], proof["checksum"]) for proof in proofs]


class Migration(NamedTuple):
    """A database that was migrated once, for tests that look at the result or migrate it again."""

    sample: Path
    database: Path
    home: Path
    before: dict[str, bytes]
    outcome: dict[str, Any]


def migration_of(sample: Path, database: Path, home: Path) -> Migration:
    before = contents(database.parent)
    return Migration(sample, database, home, before, migrated(database, home=home))


@pytest.fixture(scope="module", params=[PYTHON, RUST], ids=["python", "rust"])
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Migration:
    """All events of a sample."""
    home = tmp_path_factory.mktemp("home")
    return migration_of(request.param, copy_of(request.param, home), home)


@pytest.fixture(scope="module", params=[PYTHON, RUST], ids=["python", "rust"])
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Migration:
    home = tmp_path_factory.mktemp("home")
    return migration_of(request.param, small_copy_of(request.param, home), home)


def test_a_database_comes_along_with_equal_counts_durations_and_checksums(whole: Migration, tmp_path: Path) -> None:
    outcome = whole.outcome

    assert total(outcome, "imported") == EVENTS
    assert sums(outcome, "theirs") == sums(outcome, "ours")
    assert sum(events for events, _, _ in sums(outcome, "ours")) == EVENTS
    # From another copy: reading leaves files beside the database.
    theirs = apsw.Connection(str(copy_of(whole.sample, tmp_path))).execute(DURATION_US[whole.sample]).get
    assert sum(duration for _, duration, _ in sums(outcome, "ours")) == theirs


def test_nothing_of_theirs_is_changed_or_added(whole: Migration) -> None:
    assert contents(whole.database.parent) == whole.before


def test_no_copy_is_left_behind(whole: Migration) -> None:
    assert not list(whole.home.glob("dayline-migrate-*"))


def test_nothing_looks_wrong_in_what_was_just_migrated(whole: Migration) -> None:
    assert run("doctor", "--data", home=whole.home).stdout == "No problems found in 5,801 events of 3 buckets.\n"


def test_a_second_time_nothing_is_imported(small: Migration) -> None:
    before = exported(small.home)

    second = migrated(small.database, home=small.home)

    assert total(small.outcome, "imported") == FEW
    assert total(second, "imported") == total(second, "extended") == 0
    assert sums(second, "ours") == sums(small.outcome, "ours")
    assert exported(small.home) == before


@pytest.mark.parametrize("whole", [PYTHON], indirect=True)
def test_both_servers_with_the_same_data_are_one_history(whole: Migration, tmp_path: Path) -> None:
    assert total(migrated(copy_of(RUST, tmp_path), home=whole.home), "imported") == 0


def test_buckets_keep_what_is_known_of_them(small: Migration) -> None:
    bucket = exported(small.home)["aw-watcher-web-firefox_host"]
    facts = {name: bucket[name] for name in ("type", "client", "hostname", "created", "data")}
    assert facts == {
        "type": "web.tab.current",
        "client": "aw-watcher-web-firefox",
        "hostname": "host",
        "created": "2025-01-01T00:00:00Z",
        "data": {},
    }


def test_it_goes_into_the_running_server(tmp_path: Path) -> None:
    database = small_copy_of(RUST, tmp_path)

    with RunningServer(tmp_path / "days.db") as server:
        outcome = migrated(database, home=tmp_path)
        count = sum(
            server.get(f"/api/0/buckets/{bucket}/events/count").json for bucket in server.get("/api/0/buckets/").json
        )

    assert total(outcome, "imported") == count == FEW


def test_the_proof_is_shown_for_every_bucket(tmp_path: Path) -> None:
    done = run("import", small_copy_of(RUST, tmp_path), home=tmp_path)

    theirs = [line.split()[2:] for line in done.stdout.splitlines() if " source " in line]
    ours = [line.split()[3:] for line in done.stdout.splitlines() if " target " in line]
    assert ours == [[*sums, "equal"] for sums in theirs]
    assert [events for events, *_ in theirs] == ["76", "210", "4"]
    assert "Everything was imported: source and target are equal." in done.stderr
