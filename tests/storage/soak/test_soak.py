"""A short soak; `make soak` runs a long one."""

from pathlib import Path
from typing import Final

from tests.storage.soak.soaking import Soak
from tests.support.postgres.cluster import Cluster

SEED: Final = 16  # the disk is full for a while, the server is killed, the server is stopped
EVENTS: Final = 200  # of an import


def test_everything_together_with_faults_ends_as_the_model_says(tmp_path: Path) -> None:
    soak = Soak(tmp_path, seed=SEED, events=EVENTS, quiet_s=(0.2, 0.6))

    soak.run(lambda: soak.faults.total() >= 3 and soak.changes > 50 and soak.backups["made"] > 0)

    assert soak.faults.keys() >= {"fill disk", "kill", "stop"}


def test_so_does_everything_on_postgresql(tmp_path: Path, postgres: Cluster) -> None:
    soak = Soak(tmp_path, seed=SEED, address=postgres.new_database(), events=EVENTS, quiet_s=(0.2, 0.6))

    soak.run(lambda: soak.faults.total() >= 2 and soak.changes > 50)

    assert soak.faults["kill"] > 0
