"""A bucket of one's own on the file's server."""

from collections.abc import Iterator
from itertools import count

import pytest

from tests.api.engines import DEPEND_ON_THE_ENGINE
from tests.api.remote_bucket import RemoteBucket
from tests.support.server import RunningServer


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what the storage engine can change: not the tests that start servers on files themselves."""
    fixtures: list[str] = getattr(item, "fixturenames", [])
    if item.path.stem in DEPEND_ON_THE_ENGINE and not {"server", "shared_server"}.isdisjoint(fixtures):
        item.add_marker("engine")


@pytest.fixture(scope="session")
def bucket_numbers() -> Iterator[int]:
    """Never the same twice, so that no two tests get the same bucket."""
    return count(1)


@pytest.fixture
def bucket(shared_server: RunningServer, bucket_numbers: Iterator[int]) -> RemoteBucket:
    """An empty bucket on the server that the tests of the file share."""
    bucket = RemoteBucket(shared_server, f"bucket-{next(bucket_numbers)}")
    assert bucket.create().status == 200
    return bucket


@pytest.fixture
def other_bucket(shared_server: RunningServer, bucket_numbers: Iterator[int]) -> RemoteBucket:
    """A second one beside `bucket`."""
    bucket = RemoteBucket(shared_server, f"bucket-{next(bucket_numbers)}")
    assert bucket.create().status == 200
    return bucket
