"""Killed in the middle of a migration: what was copied is whole, and the next run takes what is missing, once."""

import random
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.care.migrating import EVENTS, PYTHON, RUST, copy_of, exported, migrated, total
from tests.service.command import COMMAND, environment


def killed(source: Path, home: Path, after_s: float) -> None:
    """Begin a migration, and kill it so long after its beginning."""
    command = [*COMMAND, "migrate", str(source), "--json", "--database", str(home / "days.db")]
    process = subprocess.Popen(
        command, env=environment(home), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=home
    )
    time.sleep(after_s)
    process.kill()
    process.wait()


def events_of(home: Path) -> dict[str, list[Any]]:
    """The events of every bucket; how often each is there does count."""
    return {
        bucket_id: sorted((event["timestamp"], event["duration"], str(event["data"])) for event in bucket["events"])
        for bucket_id, bucket in exported(home).items()
    }


@pytest.mark.parametrize(
    ("sample", "rounds"),
    [
        pytest.param(RUST, 2, id="rust, a few rounds"),
        pytest.param(PYTHON, 25, id="python, many rounds", marks=pytest.mark.long),
        pytest.param(RUST, 25, id="rust, many rounds", marks=pytest.mark.long),
    ],
)
def test_a_migration_goes_on_where_it_was_killed_and_doubles_nothing(tmp_path: Path, sample: Path, rounds: int) -> None:
    source, chance = copy_of(sample, tmp_path), random.Random(rounds)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    whole.mkdir()
    cut.mkdir()
    began = time.monotonic()
    migrated(source, home=whole)
    usual_s = time.monotonic() - began

    for _ in range(rounds):
        killed(source, cut, chance.uniform(0.1, 1.1) * usual_s)
    outcome = migrated(source, home=cut)

    assert total(outcome, "events") == EVENTS
    assert events_of(cut) == events_of(whole)
