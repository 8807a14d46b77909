"""A fresh database for each test that wants one; the server is one for all tests of a worker."""

import pytest

from tests.postgres.cluster import Cluster


@pytest.fixture
def address(postgres: Cluster) -> str:
    """The address of an empty database with our tables in it."""
    return postgres.new_database()
