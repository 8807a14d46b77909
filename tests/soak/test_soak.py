"""A short soak; `make soak` runs a long one."""

from pathlib import Path
from typing import Final

from tests.soak.soaking import Soak

SECONDS: Final = 12


def test_everything_together_with_faults_ends_as_the_model_says(tmp_path: Path) -> None:
    soak = Soak(tmp_path, seed=7)

    soak.run(SECONDS)

    assert soak.faults.total() >= 2
    assert sum(person.changes for person in soak.people) > 50
