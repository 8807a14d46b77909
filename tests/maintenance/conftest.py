"""The engines, for what maintains the data on each of them, and data that is made once."""

from pathlib import Path

import pytest

from tests.support.maintenance.migrating import RUST, migrated, small_copy_of
from tests.support.storage.engines import engine, files, servers

__all__ = ["engine", "files", "servers", "small_migrated"]


@pytest.fixture(scope="session")
def small_migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which a small database of the Rust server was migrated. Tests that change it copy it."""
    home = tmp_path_factory.mktemp("migrated")
    migrated(small_copy_of(RUST, home), home=home)
    return home
