"""Wherever the damage is, a repair comes to an end, and brings nothing that never was."""

import random
import shutil
from pathlib import Path
from typing import Final

import pytest

from dayline.maintenance.repair import repair
from dayline.storage.sqlite.derived.check import check_derived
from dayline.storage.sqlite.repair.check_worker import check_file
from tests.support.maintenance.backups import Clock, made, scheduler_of
from tests.support.storage.damaging import PAGE, contents, fill_well

ROUNDS: Final = 2
MANY_ROUNDS: Final = 200
MOST_PLACES: Final = 12
ROOTS: Final = 40  # of the first pages nearly all are roots of tables and indexes


def spoil_at_random(path: Path, chance: random.Random) -> None:
    """Whole pages and parts of pages, anywhere or among the first."""
    pages = ROOTS if chance.random() < 0.4 else path.stat().st_size // PAGE
    with path.open("rb+") as file:
        for _ in range(chance.randint(1, MOST_PLACES)):
            length = chance.choice([PAGE, PAGE, 512])
            file.seek(chance.randrange(pages) * PAGE + chance.randrange(0, PAGE - length + 1, 512))
            file.write(chance.randbytes(length) if chance.random() < 0.6 else bytes(length))


@pytest.mark.parametrize("rounds", [ROUNDS, pytest.param(MANY_ROUNDS, marks=pytest.mark.long)])
def test_random_damage_brings_nothing_that_never_was(tmp_path: Path, rounds: int) -> None:
    whole, chance, clock = tmp_path / "whole" / "days.db", random.Random(60), Clock()
    fill_well(whole)
    before = contents(whole)
    made(scheduler_of(whole, clock))

    for number in range(rounds):
        path = tmp_path / str(number) / "days.db"
        has_backup = number % 2 == 0
        if has_backup:
            shutil.copytree(whole.with_name("days-backups"), path.with_name("days-backups"))
        path.parent.mkdir(exist_ok=True)
        shutil.copyfile(whole, path)
        spoil_at_random(path, chance)

        folder = scheduler_of(path, clock).folder
        repair(path, folder, finding="it was spoiled", now=clock.now, report=lambda text: None)

        after = contents(path)
        assert check_file(path, is_full=True) == check_derived(path) == []
        known = {key: event for events in before.values() for key, event in events.items()}
        for events in after.values():
            for key, event in events.items():
                assert event == known[key] or "lost" in event["data"]
        if has_backup:
            assert {key: set(events) for key, events in after.items()} == {
                key: set(events) for key, events in before.items()
            }
        shutil.rmtree(path.parent)
