"""Killed in the middle of a migration: what was copied is whole, and the next run takes what is missing, once."""

import random
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.maintenance.migrating import (
    EVENTS,
    FEW,
    PYTHON,
    RUST,
    copy_of,
    exported,
    migrated,
    small_copy_of,
    total,
)
from tests.support.processes.command import environment
from tests.support.processes.prepared import PreparedProcess
from tests.support.waiting import PATIENCE_S


def killed(source: Path, home: Path, after_s: float) -> None:
    """Begin a migration, and kill it so long after its beginning."""
    process = PreparedProcess(
        ["import", str(source), "--json", "--database", str(home / "days.db")], environment(home), folder=home
    )
    with suppress(subprocess.TimeoutExpired):
        process.wait(after_s)
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE_S)


def events_of(home: Path) -> dict[str, list[Any]]:
    """The events of every bucket; how often each is there does count."""
    return {
        bucket_id: sorted((event["timestamp"], event["duration"], str(event["data"])) for event in bucket["events"])
        for bucket_id, bucket in exported(home).items()
    }


@pytest.mark.parametrize(
    ("copy", "sample", "rounds"),
    [
        pytest.param(small_copy_of, RUST, 2, id="rust, a few rounds"),
        pytest.param(copy_of, PYTHON, 25, id="python, many rounds", marks=pytest.mark.long),
        pytest.param(copy_of, RUST, 25, id="rust, many rounds", marks=pytest.mark.long),
    ],
)
def test_a_migration_continues_where_it_was_killed_and_doubles_nothing(
    tmp_path: Path, copy: Callable[[Path, Path], Path], sample: Path, rounds: int
) -> None:
    source, chance = copy(sample, tmp_path), random.Random(rounds)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    whole.mkdir()
    cut.mkdir()
    began = time.monotonic()
    migrated(source, home=whole)
    usual_s = time.monotonic() - began

    for _ in range(rounds):
        killed(source, cut, chance.uniform(0.1, 1.1) * usual_s)
    outcome = migrated(source, home=cut)

    assert total(outcome, "events") == (FEW if copy is small_copy_of else EVENTS)
    assert events_of(cut) == events_of(whole)
