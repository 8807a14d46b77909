"""A fresh database for each test that wants one; the server is one for all tests of a worker."""

from collections.abc import Iterator

import pytest

from tests.postgres.cluster import Cluster


@pytest.fixture
def address(postgres: Cluster) -> Iterator[str]:
    """The address of an empty database with our tables in it."""
    made = postgres.new_database()
    yield made
    postgres.drop_database(made)
